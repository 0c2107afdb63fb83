"""A hierarchy as a ladder: a rung for each level, as wide as it has labels, and the one that was released."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from shoal.draw.bars import WIDTH, fitted, isolated
from shoal.draw.svg import Canvas, colour, text_width

_RUNG = 40
_LOWER_RUNG = 24
_HIGHEST = 12
"""Ladders of more levels show some of the rungs only."""


def ladder(
    column: str, level: int, labels_per_level: Sequence[int], shown: Mapping[int, Sequence[str]]
) -> Canvas:
    """Draw the levels of a column's hierarchy, from `*` at the top down to the original values.

    Parameters
    ----------
    column
        Its name, for the title.
    level
        The one that was chosen.
    labels_per_level
        How many labels each level has, from level 0 up.
    shown
        Some labels of the levels that may be shown.

    Examples
    --------
    >>> picture = ladder("age", 1, [40, 8, 1], {1: ("[20, 30)", "[30, 40)"), 2: ("*",)})
    >>> "Level 1, which was released, has 8 labels: [20, 30), [30, 40)" in picture.svg()
    True
    """
    height = len(labels_per_level) - 1
    rungs = drawn_rungs(height, level)
    described = ". ".join(
        _described(rung, level, labels_per_level[rung], shown.get(rung, ())) for rung in rungs
    )
    lower = sum(rung < level for rung in rungs)
    tall = (len(rungs) - lower) * _RUNG + lower * _LOWER_RUNG + 6
    canvas = Canvas(WIDTH, tall, f"Levels of {column}", f"{described}.")
    widest = log(1 + max(labels_per_level, default=1))
    counts = {rung: _count(rung, labels_per_level[rung]) for rung in rungs}
    right = WIDTH - 18 - max(text_width(words, 12) for words in counts.values())
    top = 3.0
    for index, rung in enumerate(rungs):
        labels, chosen = labels_per_level[rung], rung == level
        if index and rungs[index - 1] != rung + 1:
            canvas.line([(4, top - 4), (4, top + 4)], stroke=colour("muted"), stroke_dasharray="2 2")
        if chosen:
            look: dict[str, str | float] = {
                "fill": colour("after-soft"),
                "stroke": colour("after"),
                "stroke_width": 2,
            }
            canvas.rect((1, top), WIDTH - 2, _RUNG - 3, rx=6, **look)
        ink = colour("muted" if rung < level else "ink")
        name = f"Level {rung}" + (", released" if chosen else "")
        weight = "600" if chosen else "400"
        canvas.text((12, top + 11), name, anchor="start", font_weight=weight, fill=ink)
        canvas.text((WIDTH - 12, top + 11), counts[rung], size=12, anchor="end", fill=ink)
        _bar(canvas, top + 11, right, log(1 + labels) / widest, chosen)
        if rung >= level:
            canvas.text((12, top + 27), _some(shown.get(rung, ()), labels), size=12, anchor="start")
        top += _RUNG if rung >= level else _LOWER_RUNG
    return canvas


def drawn_rungs(height: int, level: int) -> list[int]:
    """Return the levels that are drawn, the highest first: all, or the ends and those near the chosen one.

    Examples
    --------
    >>> drawn_rungs(3, 1)
    [3, 2, 1, 0]
    >>> drawn_rungs(100, 50)
    [100, 99, 53, 52, 51, 50, 49, 48, 47, 1, 0]
    """
    if height < _HIGHEST:
        return list(range(height, -1, -1))
    near = {0, 1, height - 1, height, *range(level - 3, level + 4)}
    return sorted((rung for rung in near if 0 <= rung <= height), reverse=True)


def _bar(canvas: Canvas, middle: float, right: float, share: float, chosen: bool) -> None:
    """Draw how many labels there are, on a scale on which ten times as many is one step more."""
    left = 150
    if right - left > 20:
        drawn = max(share * (right - left), 3)
        fill = colour("after" if chosen else "line")
        canvas.rect(((left + right - drawn) / 2, middle - 3), drawn, 6, rx=3, fill=fill)


def _count(rung: int, labels: int) -> str:
    return f"{labels:,} {'value' if rung == 0 else 'label'}{'' if labels == 1 else 's'}"


def _described(rung: int, level: int, labels: int, some: Sequence[str]) -> str:
    which = f"Level {rung}, which was released, has" if rung == level else f"Level {rung} has"
    described = f"{which} {labels:,} label{'' if labels == 1 else 's'}"
    return f"{described}: {', '.join(some)}" if some else described


def _some(labels: Sequence[str], count: int) -> str:
    """Return as many labels as there is room for."""
    if not labels:
        return "no row is released"
    room, words = 46, ""
    for number, label in enumerate(labels):
        fitting = isolated(fitted(label, 30))
        if number and len(words) + len(fitting) + 2 > room - 4:
            break
        words += f"{', ' if number else ''}{fitting}"
    else:
        return words + (", …" if count > len(labels) else "")
    return f"{words}, …"
