"""Lines over an axis of numbers far apart, each with its name at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.draw.plot import SMALL, Axis, draw_axes, draw_mark
from shoal.draw.svg import Canvas, Point, colour, shortened, text_width

_COLOURS = ("after", "bad", "good", "before", "muted")
_DASHES = ("", "7 4", "2 4")  # with the shapes of points, so that lines do not differ by hue alone
_LEFT, _TOP, _BOTTOM = 58.0, 16.0, 46.0
_ROW = SMALL + 4  # what a name needs
_APART = 26.0
_TO_NAME = 22.0
_LONGEST = 32


@dataclass(frozen=True, slots=True)
class Line:
    """A line: its name, its points from left to right, and what is shown when each is pointed at."""

    name: str
    points: tuple[Point, ...]
    hints: tuple[str, ...]


def lines(
    drawn: Sequence[Line],
    *,
    title: str,
    x_title: str,
    y_title: str,
    width: float = 620.0,
    height: float = 340.0,
) -> Canvas:
    """Draw lines over positive numbers, their heights from 0.

    Each line has a colour and a dash, and its points have a shape. Its name stands at its end, as near to its
    height as the names of others allow. There are at least two different numbers on the x-axis.

    Examples
    --------
    >>> cells = Line("cells", ((2, 0.1), (5, 0.2)), ("k=2", "k=5"))
    >>> "cells" in lines([cells], title="Loss", x_title="k", y_title="loss").svg()
    True
    """
    names = [shortened(line.name, _LONGEST) for line in drawn]
    height = max(height, _TOP + _BOTTOM + _ROW * len(drawn))
    right = width - _TO_NAME - 8 - max(text_width(name, SMALL) for name in names)
    bottom = height - _BOTTOM
    described = " ".join(f"{hint}." for line in drawn for hint in line.hints)
    canvas = Canvas(width, height, title, described)
    across = Axis.at([x for line in drawn for x, _ in line.points], _LEFT + 12, right - 12, _APART)
    upward = Axis.of([y for line in drawn for _, y in line.points], bottom, _TOP, logarithmic=False)
    draw_axes(canvas, (_LEFT, _TOP, right, bottom), across, upward, x_title, y_title, "{:g}".format)
    places = [[(across.position(x), upward.position(y)) for x, y in line.points] for line in drawn]
    heights = spread([places_of_line[-1][1] for places_of_line in places], _ROW, _TOP, bottom)
    looks = [
        (colour(_COLOURS[number % len(_COLOURS)]), _DASHES[number // len(_COLOURS) % len(_DASHES)])
        for number in range(len(drawn))
    ]
    for places_of_line, y, (ink, dash) in zip(places, heights, looks, strict=True):
        end = (right + _TO_NAME - 5, y)
        canvas.line([places_of_line[-1], (right, places_of_line[-1][1]), end], stroke=ink, stroke_width=0.7)
        canvas.line(places_of_line, stroke=ink, stroke_width=2, stroke_dasharray=dash)
    for number, (line, (ink, _)) in enumerate(zip(drawn, looks, strict=True)):
        for place, hint in zip(places[number], line.hints, strict=True):
            with canvas.group(hint):
                draw_mark(canvas, place, number, fill=ink, stroke=colour("paper"))
        canvas.text((right + _TO_NAME, heights[number]), names[number], SMALL, "start", fill=ink)
    return canvas


def spread(heights: Sequence[float], apart: float, top: float, bottom: float) -> list[float]:
    """Return heights in the same order, none too near to another, within bounds where these are far enough.

    Examples
    --------
    >>> spread([50, 10, 52], 10, 0, 60)
    [46.0, 10.0, 56.0]
    """
    order = sorted(range(len(heights)), key=heights.__getitem__)
    # Names that would touch are a block around the mean of their heights.
    blocks: list[list[int]] = []
    for number in order:
        blocks.append([number])
        while len(blocks) > 1 and _first(blocks[-1], heights, apart, top, bottom) < (
            _first(blocks[-2], heights, apart, top, bottom) + apart * len(blocks[-2])
        ):
            last = blocks.pop()
            blocks[-1] += last
    found = dict.fromkeys(order, 0.0)
    for block in blocks:
        first = _first(block, heights, apart, top, bottom)
        found |= {number: first + apart * position for position, number in enumerate(block)}
    return [found[number] for number in range(len(heights))]


def _first(block: Sequence[int], heights: Sequence[float], apart: float, top: float, bottom: float) -> float:
    """Return the height of the first name of a block that stands around the mean of its heights."""
    tall = apart * (len(block) - 1)
    middle = sum(heights[number] for number in block) / len(block)
    return max(top, min(bottom - tall, middle - tall / 2))
