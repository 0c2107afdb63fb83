"""What charts with two axes have in common: the axes with their marked values, and the shapes of points."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from shoal.draw.svg import Canvas, Point, colour, listed

Box: TypeAlias = tuple[float, float, float, float]

SMALL = 11.0
RADIUS = 5.0
_LOGARITHMIC_FROM = 20.0  # where the largest is so many times the smallest


@dataclass(frozen=True, slots=True)
class Axis:
    """Where values stand between two ends, and which of them are marked."""

    least: float
    most: float
    start: float
    end: float
    logarithmic: bool
    ticks: tuple[float, ...]

    @classmethod
    def of(cls, values: Sequence[float], start: float, end: float, *, logarithmic: bool = True) -> Axis:
        """Return an axis with round numbers; logarithmic, if allowed, where values are far apart."""
        low, high = min(values), max(values)
        if logarithmic and low > 0 and high / low >= _LOGARITHMIC_FROM:
            ticks = _round_numbers(low, high)
            return cls(min(low, ticks[0]) / 1.25, max(high, ticks[-1]) * 1.25, start, end, True, tuple(ticks))
        step = _step(high or 1.0)
        top = math.ceil(high / step * 1.02) * step if high else 1.0
        ticks = [number * step for number in range(round(top / step) + 1)]
        return cls(0.0, top, start, end, False, tuple(ticks))

    @classmethod
    def at(cls, values: Sequence[float], start: float, end: float, apart: float) -> Axis:
        """Return a logarithmic axis from the first of some numbers to the last.

        They are marked themselves, but for those that would be less than `apart` from a mark before them.

        Examples
        --------
        >>> Axis.at([2, 5, 1000, 1001], 0, 100, apart=12).ticks
        (2, 5, 1000)
        """
        numbers = sorted(set(values))
        axis = cls(numbers[0], numbers[-1], start, end, True, ())
        ticks = numbers[:1]
        for number in numbers[1:]:
            if axis.position(number) - axis.position(ticks[-1]) >= apart:
                ticks.append(number)
        return cls(numbers[0], numbers[-1], start, end, True, tuple(ticks))

    def position(self, value: float) -> float:
        if self.logarithmic:
            share = math.log(value / self.least) / math.log(self.most / self.least)
        else:
            share = (value - self.least) / (self.most - self.least)
        return self.start + share * (self.end - self.start)


def _step(most: float) -> float:
    """Return a round step that makes about five of what is to be shown.

    Examples
    --------
    >>> _step(0.43), _step(1), _step(0.012)
    (0.1, 0.2, 0.002)
    """
    rough = most / 5
    decade = 10.0 ** math.floor(math.log10(rough))
    return float(f"{min((1, 2, 5, 10), key=lambda nice: abs(nice * decade - rough)) * decade:.6g}")


def _round_numbers(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 of the decades between two numbers, or the decades alone where these are many.

    Examples
    --------
    >>> _round_numbers(0.004, 0.1)
    [0.005, 0.01, 0.02, 0.05, 0.1]
    """
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if high / low < 500 else (1,)
    numbers = [float(f"{step}e{decade}") for decade in decades for step in steps]
    return [number for number in numbers if low * 0.999 <= number <= high * 1.001] or [low]


def draw_axes(
    canvas: Canvas,
    area: Box,
    across: Axis,
    upward: Axis,
    x_title: str,
    y_title: str,
    write: Callable[[float], str],
) -> None:
    """Draw two axes with their marks and titles; `write` is how numbers are written below."""
    left, top, right, bottom = area
    for value in upward.ticks:
        y = upward.position(value)
        canvas.line([(left, y), (right, y)])
        canvas.text((left - 8, y), f"{value:.3g}", SMALL, "end", fill=colour("muted"))
    for value in across.ticks:
        x = across.position(value)
        canvas.line([(x, bottom), (x, bottom + 5)])
        canvas.text((x, bottom + 15), write(value), SMALL, fill=colour("muted"))
    canvas.line([(left, bottom), (right, bottom)], stroke=colour("muted"))
    scale = " (logarithmic)" if across.logarithmic else ""
    canvas.text(((left + right) / 2, bottom + 34), f"{x_title}{scale}", 12)
    middle = (top + bottom) / 2
    canvas.text((0, 0), y_title, 12, transform=f"translate(14 {middle:.0f}) rotate(-90)")


def draw_mark(canvas: Canvas, position: Point, number: int, **look: str | float) -> None:
    """Draw a point in the shape of its series, which has a number."""
    look = {"stroke_width": 1.6, **look}
    x, y = position
    r = RADIUS
    shapes: tuple[tuple[Point, ...], ...] = (
        ((x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)),
        ((x, y - 1.3 * r), (x + 1.2 * r, y + r), (x - 1.2 * r, y + r)),
        ((x, y - 1.4 * r), (x + 1.4 * r, y), (x, y + 1.4 * r), (x - 1.4 * r, y)),
        ((x, y + 1.3 * r), (x + 1.2 * r, y - r), (x - 1.2 * r, y - r)),
    )
    number %= len(shapes) + 1
    if number == 0:
        canvas.circle(position, r, **look)
    else:
        canvas.add("polygon", points=listed(shapes[number - 1]), **look)
