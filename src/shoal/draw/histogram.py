"""How large the classes are, before and after: how many of the rows are in classes of each size."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from shoal.draw.bars import LOOKS, WIDTH
from shoal.draw.svg import Canvas, colour, text_width

_EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 1_000, 10_000, 100_000, 1_000_000, 1_000_000_000)
_SMALL = 12
_BAR = 9
_LINE = 30


@dataclass(frozen=True, slots=True)
class Bin:
    """The classes of `least` to `most` rows: the shares of all rows in them, before and after."""

    least: int
    most: int
    before: float
    after: float

    @property
    def name(self) -> str:
        """Its sizes, such as `5 to 9`."""
        return f"{self.least:,}" if self.least == self.most else f"{self.least:,} to {self.most:,}"


def binned(before: Mapping[int, int], after: Mapping[int, int], limit: int = 1) -> list[Bin]:
    """Put classes into bins by their size.

    Parameters
    ----------
    before, after
        For each size the rows in classes of that size.
    limit
        A size at which a bin begins, such as the k that was asked for.

    Examples
    --------
    >>> for each in binned({1: 2, 6: 6}, {4: 8}, limit=4):
    ...     print(each.name, each.before, each.after)
    1 0.25 0.0
    2 0.0 0.0
    3 0.0 0.0
    4 0.0 1.0
    5 to 9 0.75 0.0
    """
    largest = max([*before, *after], default=0)
    edges = sorted({*_EDGES, max(limit, 1)})
    edges = [*edges[: bisect_right(edges, largest)], *edges[bisect_right(edges, largest) :][:1]]
    shares = [_shares(members, edges) for members in (before, after)]
    return [
        Bin(least, following - 1, *(share[position] for share in shares))
        for position, (least, following) in enumerate(pairwise(edges))
    ]


def histogram(
    bins: Sequence[Bin], words: Sequence[tuple[str, str]], title: str, *, limit: int = 1, who: str = "rows"
) -> Canvas:
    """Draw bins below each other, the smallest classes first.

    Parameters
    ----------
    bins
        From `binned`.
    words
        For each bin its two shares in words.
    limit
        If above 1: a line is drawn before the bin that begins with this size.
    who
        What is counted: rows, or people.
    """
    marked = [position for position, each in enumerate(bins) if each.least == limit > 1]
    height = len(bins) * _LINE + len(marked) * 22 + 24
    described = "; ".join(
        f"{each.name}: before {b}, after {a}" for each, (b, a) in zip(bins, words, strict=True)
    )
    canvas = Canvas(WIDTH, height, title, f"Share of the {who} by class size. {described}.")
    longest_word = max((text_width(word, _SMALL) for pair in words for word in pair), default=0)
    left = max([1.08 * text_width(each.name, _SMALL) for each in bins] + [40]) + 8
    longest = WIDTH - left - longest_word - 10
    highest = max([*(each.before for each in bins), *(each.after for each in bins)], default=0) or 1.0
    canvas.text((0, 9), f"{who} in class", size=_SMALL, anchor="start", fill=colour("muted"))
    canvas.text((WIDTH, 9), f"share of all {who}", size=_SMALL, anchor="end", fill=colour("muted"))
    top = 22.0
    for position, (each, pair) in enumerate(zip(bins, words, strict=True)):
        if position in marked:
            middle = top + 9
            requirement = f"required: at least {limit:,}"
            canvas.line([(0, middle), (WIDTH, middle)], stroke=colour("ink"), stroke_dasharray="5 3")
            wide = text_width(requirement, 11)
            canvas.rect((WIDTH - wide - 6, middle - 8), wide + 6, 16, fill=colour("paper"))
            canvas.text((WIDTH, middle), requirement, size=11, anchor="end")
            top += 22
        canvas.text((left - 8, top + _LINE / 2 - 2), each.name, size=_SMALL, anchor="end")
        canvas.line([(left, top), (left, top + _LINE)])
        for step, (series, share) in enumerate((("before", each.before), ("after", each.after))):
            middle = top + 7 + step * (_BAR + 4)
            drawn = max(share / highest * longest, 1.5) if share > 0 else 0.0
            if drawn:
                look = LOOKS["before" if series == "before" else "after"]
                canvas.rect((left, middle - _BAR / 2), drawn, _BAR, rx=2, **look)
            if share > 0:
                canvas.text((left + drawn + 5, middle), pair[step], size=11, anchor="start")
        top += _LINE
    return canvas


def _shares(members: Mapping[int, int], edges: Sequence[int]) -> list[float]:
    rows = [0] * len(edges)
    for size, count in members.items():
        rows[bisect_right(edges, size) - 1] += count
    total = sum(rows)
    return [count / total if total else 0.0 for count in rows]
