"""Bars to compare figures with, each with its name and its value in words.

A bar is as wide as a phone allows, so that nothing has to be read smaller than it is written. Which bar is
which is said beside it; colour and outline only repeat it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import isfinite
from typing import Literal, TypeAlias
from unicodedata import east_asian_width

from shoal.draw.svg import Canvas, colour, text_width

Series: TypeAlias = Literal["before", "after", "baseline"]

WIDTH = 340
_NAME = 18
"""Characters of a name that fit beside its bar."""
_HEADING_SIGNS = 36
_SMALL = 12
_BAR = 12
_LINE = 19
_HEADING = 21
_GAP = 9

LOOKS: Mapping[Series, Mapping[str, str | float]] = {
    "before": {"fill": colour("before-soft"), "stroke": colour("before"), "stroke_width": 1.5},
    "after": {"fill": colour("after"), "stroke": colour("after"), "stroke_width": 1.5},
    "baseline": {
        "fill": "none",
        "stroke": colour("muted"),
        "stroke_width": 1.5,
        "stroke_dasharray": "3 2",
    },
}
"""How the bars of a series look: outlined, solid or dashed, so that they differ without colours too."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: whose it is, how long, and its value in words. Without a length nothing is drawn."""

    series: Series
    name: str
    length: float | None
    words: str


@dataclass(frozen=True, slots=True)
class BarGroup:
    """What several bars are about."""

    name: str
    bars: tuple[Bar, ...]


def one_each(series: Series, figures: Sequence[tuple[str, float | None, str]]) -> list[BarGroup]:
    """Return one bar for each name: beside it where all names are short, otherwise below it.

    Examples
    --------
    >>> figures = [("age", 0.5, "50%"), ("a name of some length", 1, "100%")]
    >>> [group.name for group in one_each("after", figures)]
    ['age', 'a name of some length']
    """
    if all(len(name) <= _NAME for name, _, _ in figures):
        return [BarGroup("", tuple(Bar(series, *figure) for figure in figures))]
    return [BarGroup(name, (Bar(series, "", length, words),)) for name, length, words in figures]


def bars(groups: Sequence[BarGroup], title: str, *, most: float = 1.0) -> Canvas:
    """Draw bars in groups.

    Parameters
    ----------
    groups
        A heading each, and the bars below it. A group without a name has no heading.
    title
        What the picture is; a screen reader also gets all figures.
    most
        The length that is as long as there is room for.

    Examples
    --------
    >>> risk = BarGroup("highest", (Bar("before", "before", 1.0, "100%"), Bar("after", "after", 0.2, "20%")))
    >>> canvas = bars([risk], "Risk")
    >>> canvas.width, "highest: before 100%, after 20%." in canvas.svg()
    (340, True)
    """
    lines = sum(len(group.bars) for group in groups)
    headings = sum(bool(group.name) for group in groups)
    height = lines * _LINE + headings * _HEADING + max(len(groups) - 1, 0) * _GAP + 4
    canvas = Canvas(WIDTH, height, title, " ".join(map(_described, groups)))
    names = max((text_width(bar.name, _SMALL) for group in groups for bar in group.bars), default=0)
    words = max((text_width(bar.words, _SMALL) for group in groups for bar in group.bars), default=0)
    left = min(1.08 * names, 140) + (8 if names else 1)
    longest = WIDTH - left - 1.2 * words - 6
    top = 2.0
    for group in groups:
        if group.name:
            fitting = fitted(group.name, _HEADING_SIGNS)
            with canvas.group(group.name if fitting != group.name else ""):
                canvas.text((0, top + _HEADING / 2), isolated(fitting), anchor="start", font_weight="600")
            top += _HEADING
        for bar in group.bars:
            middle = top + _LINE / 2
            name = isolated(fitted(bar.name, _NAME))
            canvas.text((0, middle), name, size=_SMALL, anchor="start", fill=colour("muted"))
            drawn = _drawn(bar.length, most, longest)
            canvas.line([(left, middle - _BAR / 2 - 1), (left, middle + _BAR / 2 + 1)])
            if drawn > 0:
                canvas.rect((left, middle - _BAR / 2), drawn, _BAR, rx=2, **LOOKS[bar.series])
            canvas.text((left + drawn + 6, middle), bar.words, size=_SMALL, anchor="start")
            top += _LINE
        top += _GAP
    return canvas


def isolated(label: str) -> str:
    """Keep a label's own direction of writing from turning round what stands beside it.

    Examples
    --------
    >>> isolated("Köln"), len(isolated("ירושלים"))
    ('Köln', 9)
    """
    return label if label.isascii() or not any(sign >= "\u0590" for sign in label) else f"\u2068{label}\u2069"


def fitted(words: str, longest: int) -> str:
    """Return the words, cut where they are wider than so many letters; the signs of some scripts count twice.

    Examples
    --------
    >>> fitted("Postgraduate", 8), fitted("北京市朝阳区", 8)
    ('Postgra…', '北京市…')
    """
    widths = [2 if east_asian_width(sign) in "WF" else 1 for sign in words]
    if sum(widths) <= longest:
        return words
    ends = list(accumulate(widths))
    return f"{words[: bisect_right(ends, longest - 1)]}…"


def _described(group: BarGroup) -> str:
    described = ", ".join(f"{bar.name} {bar.words}".strip() for bar in group.bars)
    return f"{group.name}: {described}." if group.name else f"{described}."


def _drawn(length: float | None, most: float, longest: float) -> float:
    """Return how long a bar is drawn; what is there at all can be seen."""
    if length is None or not isfinite(length) or length <= 0 or most <= 0:
        return 0.0
    return max(min(length / most, 1.0) * longest, 1.5)
