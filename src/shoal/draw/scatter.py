"""Points in a plane, both axes the smaller the better, with the front of what nothing else beats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from shoal.draw.svg import Canvas, Point, colour, listed, shortened, text_width

Box: TypeAlias = tuple[float, float, float, float]

_SMALL = 11.0
_RADIUS = 5.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 58.0, 22.0, 16.0, 46.0
_LOGARITHMIC_FROM = 20.0  # where the largest is so many times the smallest


@dataclass(frozen=True, slots=True)
class Dot:
    """A point: where, what it is called, which series it belongs to, and what is shown when pointed at."""

    x: float
    y: float
    label: str
    series: str
    on_front: bool
    hint: str


def scatter(
    dots: Sequence[Dot],
    *,
    title: str,
    x_title: str,
    y_title: str,
    width: float = 460.0,
    height: float = 340.0,
) -> Canvas:
    """Draw points, shares of 1 in both directions, filled where they are on the front.

    Each series has a shape of its own. Labels that would cover others are left out; pointing at a point tells
    what it is.

    Examples
    --------
    >>> dots = [Dot(0.5, 0.1, "k=2", "ours", True, "k=2"), Dot(0.2, 0.3, "k=5", "ours", True, "k=5")]
    >>> "k=5" in scatter(dots, title="Risk", x_title="risk", y_title="loss").svg()
    True
    """
    series = list(dict.fromkeys(dot.series for dot in dots))
    legend = 20.0 * len(series) if len(series) > 1 else 0.0
    canvas = Canvas(width, height + legend, title, _described(dots))
    area = (_LEFT, _TOP, width - _RIGHT, height - _BOTTOM)
    if not dots:
        canvas.text((width / 2, height / 2), "There is nothing to draw.", fill=colour("muted"))
        return canvas
    across = _Axis.of([dot.x for dot in dots], area[0], area[2])
    upward = _Axis.of([dot.y for dot in dots], area[3], area[1], logarithmic=False)
    _draw_axes(canvas, area, across, upward, x_title, y_title)
    positions = [(across.position(dot.x), upward.position(dot.y)) for dot in dots]
    _draw_front(
        canvas, [position for dot, position in zip(dots, positions, strict=True) if dot.on_front], area
    )
    for dot, position in zip(dots, positions, strict=True):
        with canvas.group(dot.hint):
            _mark(canvas, position, series.index(dot.series), filled=dot.on_front)
    for position, label, anchor in _labels(dots, positions, area):
        canvas.text(
            position, label, _SMALL, anchor, stroke=colour("paper"), stroke_width=3, paint_order="stroke"
        )
    for number, name in enumerate(series if legend else []):
        y = height - 2 + 20 * number
        _mark(canvas, (_LEFT, y), number, filled=True)
        canvas.text((_LEFT + 12, y), shortened(name, 70), _SMALL, "start")
    return canvas


@dataclass(frozen=True, slots=True)
class _Axis:
    """Where values stand between two ends, and which of them are marked."""

    least: float
    most: float
    start: float
    end: float
    logarithmic: bool
    ticks: tuple[float, ...]

    @classmethod
    def of(cls, values: Sequence[float], start: float, end: float, *, logarithmic: bool = True) -> _Axis:
        low, high = min(values), max(values)
        if logarithmic and low > 0 and high / low >= _LOGARITHMIC_FROM:
            ticks = _round_numbers(low, high)
            return cls(min(low, ticks[0]) / 1.25, max(high, ticks[-1]) * 1.25, start, end, True, tuple(ticks))
        step = _step(high or 1.0)
        top = math.ceil(high / step * 1.02) * step if high else 1.0
        ticks = [number * step for number in range(round(top / step) + 1)]
        return cls(0.0, top, start, end, False, tuple(ticks))

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


def _draw_axes(canvas: Canvas, area: Box, across: _Axis, upward: _Axis, x_title: str, y_title: str) -> None:
    left, top, right, bottom = area
    for value in upward.ticks:
        y = upward.position(value)
        canvas.line([(left, y), (right, y)])
        canvas.text((left - 8, y), f"{value:.3g}", _SMALL, "end", fill=colour("muted"))
    for value in across.ticks:
        x = across.position(value)
        canvas.line([(x, bottom), (x, bottom + 5)])
        canvas.text((x, bottom + 15), f"{float(f'{100 * value:.3g}'):g}%", _SMALL, fill=colour("muted"))
    canvas.line([(left, bottom), (right, bottom)], stroke=colour("muted"))
    scale = " (logarithmic)" if across.logarithmic else ""
    canvas.text(((left + right) / 2, bottom + 34), f"{x_title}{scale}", 12)
    middle = (top + bottom) / 2
    canvas.text((0, 0), y_title, 12, transform=f"translate(14 {middle:.0f}) rotate(-90)")


def _draw_front(canvas: Canvas, positions: Sequence[Point], area: Box) -> None:
    """Draw the stairs that no point is below and left of."""
    corners: list[Point] = []
    for x, y in sorted(set(positions)):
        corners.append((x, corners[-1][1] if corners else area[1]))
        corners.append((x, y))
    if corners:
        corners.append((area[2], corners[-1][1]))
        canvas.line(corners, stroke=colour("after"), stroke_width=1.6, stroke_dasharray="5 3")


def _mark(canvas: Canvas, position: Point, number: int, *, filled: bool) -> None:
    """Draw a point in the shape of its series; hollow where another is better."""
    x, y = position
    look: dict[str, str | float] = {
        "fill": colour("after" if filled else "paper"),
        "stroke": colour("after" if filled else "muted"),
        "stroke_width": 1.6,
    }
    r = _RADIUS
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


def _labels(dots: Sequence[Dot], positions: Sequence[Point], area: Box) -> list[tuple[Point, str, str]]:
    """Find a place for each label where it covers nothing, those of the front first."""
    taken: list[Box] = [(x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS) for x, y in positions]
    found = []
    # What stands in one place shares a label.
    words_at: dict[Point, list[str]] = {}
    for position in sorted(range(len(dots)), key=lambda position: (not dots[position].on_front, position)):
        x, y = positions[position]
        words_at.setdefault((round(x), round(y)), []).append(dots[position].label)
    for (x, y), labels in words_at.items():
        words = shortened(", ".join(dict.fromkeys(labels)), 40)
        wide, high, apart = text_width(words, _SMALL), _SMALL + 2, _RADIUS + 4
        choices: tuple[tuple[Point, str, float], ...] = (
            ((x + apart, y - 8), "start", x + apart),
            ((x - apart, y + 8), "end", x - apart - wide),
            ((x + apart, y + 8), "start", x + apart),
            ((x - apart, y - 8), "end", x - apart - wide),
            ((x, y - apart - 7), "middle", x - wide / 2),
            ((x, y + apart + 7), "middle", x - wide / 2),
        )
        for at, anchor, left in choices:
            box = (left, at[1] - high / 2, left + wide, at[1] + high / 2)
            inside = box[0] >= area[0] and box[2] <= area[2] + _RIGHT and box[1] >= 0 and box[3] <= area[3]
            if inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                found.append((at, words, anchor))
                break
    return found


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _described(dots: Sequence[Dot]) -> str:
    """Describe what is to be seen."""
    return " ".join(f"{dot.hint}{', on the front' if dot.on_front else ''}." for dot in dots)
