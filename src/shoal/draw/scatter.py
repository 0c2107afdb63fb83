"""Points in a plane, both axes the smaller the better, with the front of what nothing else beats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.draw.plot import RADIUS, SMALL, Axis, Box, draw_axes, draw_mark
from shoal.draw.svg import Canvas, Point, colour, shortened, text_width

_LEFT, _RIGHT, _TOP, _BOTTOM = 58.0, 22.0, 16.0, 46.0


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
    across = Axis.of([dot.x for dot in dots], area[0], area[2])
    upward = Axis.of([dot.y for dot in dots], area[3], area[1], logarithmic=False)
    draw_axes(canvas, area, across, upward, x_title, y_title, _percent)
    positions = [(across.position(dot.x), upward.position(dot.y)) for dot in dots]
    _draw_front(
        canvas, [position for dot, position in zip(dots, positions, strict=True) if dot.on_front], area
    )
    for dot, position in zip(dots, positions, strict=True):
        with canvas.group(dot.hint):
            _mark(canvas, position, series.index(dot.series), on_front=dot.on_front)
    for position, label, anchor in _labels(dots, positions, area):
        canvas.text(
            position, label, SMALL, anchor, stroke=colour("paper"), stroke_width=3, paint_order="stroke"
        )
    for number, name in enumerate(series if legend else []):
        y = height - 2 + 20 * number
        _mark(canvas, (_LEFT, y), number, on_front=True)
        canvas.text((_LEFT + 12, y), shortened(name, 70), SMALL, "start")
    return canvas


def _percent(share: float) -> str:
    return f"{float(f'{100 * share:.3g}'):g}%"


def _mark(canvas: Canvas, position: Point, number: int, *, on_front: bool) -> None:
    """Draw a point in the shape of its series; hollow where another is better."""
    if on_front:
        draw_mark(canvas, position, number, fill=colour("after"), stroke=colour("after"))
    else:
        draw_mark(canvas, position, number, fill=colour("paper"), stroke=colour("muted"))


def _draw_front(canvas: Canvas, positions: Sequence[Point], area: Box) -> None:
    """Draw the stairs that no point is below and left of."""
    corners: list[Point] = []
    for x, y in sorted(set(positions)):
        corners.append((x, corners[-1][1] if corners else area[1]))
        corners.append((x, y))
    if corners:
        corners.append((area[2], corners[-1][1]))
        canvas.line(corners, stroke=colour("after"), stroke_width=1.6, stroke_dasharray="5 3")


def _labels(dots: Sequence[Dot], positions: Sequence[Point], area: Box) -> list[tuple[Point, str, str]]:
    """Find a place for each label where it covers nothing, those of the front first."""
    taken: list[Box] = [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in positions]
    found = []
    # What stands in one place shares a label.
    words_at: dict[Point, list[str]] = {}
    for position in sorted(range(len(dots)), key=lambda position: (not dots[position].on_front, position)):
        x, y = positions[position]
        words_at.setdefault((round(x), round(y)), []).append(dots[position].label)
    for (x, y), labels in words_at.items():
        words = shortened(", ".join(dict.fromkeys(labels)), 40)
        wide, high, apart = text_width(words, SMALL), SMALL + 2, RADIUS + 4
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
