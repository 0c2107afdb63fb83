"""A picture of the lattice: levels as layers, the least generalized at the bottom.

What satisfies is round and blue, what fails is square and orange, and what was chosen is a star.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shoal.draw.html import framed, paragraph, picture
from shoal.draw.svg import Canvas, Point, colour, listed, shortened, text_width
from shoal.explore.survey import PER_LAYER, Layer, Survey, SurveyedNode, survey
from shoal.search.problem import SearchProblem

_MOST_EDGES = 1_200
_MARGIN = 14.0
_LEGEND = 26.0
_SMALL = 11.0
_NARROW = 340.0


@dataclass(frozen=True)
class LatticePicture:
    """A drawing of a lattice, and what it shows as data.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from shoal.describe import intervals
    >>> from shoal.encode.column import code_column
    >>> from shoal.encode.table import CodedTable
    >>> from shoal.measure.loss import Loss
    >>> from shoal.privacy.k_anonymity import KAnonymity
    >>> ages = code_column("age", pa.array([21, 25, 32, 38]).dictionary_encode(), intervals(10, 20))
    >>> picture = draw_lattice(SearchProblem(CodedTable((ages,), 4), (KAnonymity(2),), Loss()), [1])
    >>> picture.survey.shown, picture.svg[:4]
    ('all', '<svg')
    """

    survey: Survey

    @cached_property
    def canvas(self) -> Canvas:
        """The drawing itself; `canvas.standalone()` is a file of its own."""
        return _draw_border(self.survey) if self.survey.shown == "border" else _draw_nodes(self.survey)

    @property
    def svg(self) -> str:
        """The drawing, to be put into a page that brings the theme."""
        return self.canvas.svg()

    def to_mapping(self) -> dict[str, Any]:
        """Return what is drawn as plain values, ready for JSON."""
        return self.survey.to_mapping()

    def render(self) -> str:
        """Describe what is drawn."""
        return self.survey.render()

    def _repr_html_(self) -> str:
        return framed(picture(self.canvas), paragraph(self.render(), note=True))


def draw_lattice(problem: SearchProblem, chosen: Sequence[int] | None = None) -> LatticePicture:
    """Look at the lattice of a problem and draw it, with the levels that were chosen.

    Parameters
    ----------
    problem
        What the search was asked.
    chosen
        The level of each quasi-identifier that was chosen, if one was.
    """
    return LatticePicture(survey(problem, chosen))


def _draw_nodes(found: Survey) -> Canvas:
    """Draw every node, with a line to each that is one level of one column above it."""
    layers: dict[int, list[SurveyedNode]] = {}
    for node in found.nodes:
        layers.setdefault(node.height, []).append(node)
    widest = max(map(len, layers.values()), default=1)
    words = max((text_width(_short(node), _SMALL) for node in found.nodes), default=0) + 8
    axis = 44.0
    room = (_NARROW - axis - _MARGIN) / widest
    labelled = room >= words
    pitch = max(min(room, 2.2 * words), 15.0)
    gap = 60.0 if labelled else 52.0
    width = max(_NARROW, axis + widest * pitch + _MARGIN)
    height = 2 * _MARGIN + _LEGEND + max(len(layers) - 1, 0) * gap + 72
    canvas = Canvas(width, height, "The lattice", found.render())
    _draw_legend(canvas, found, "satisfies")

    bottom = height - _MARGIN - 44
    middle = axis + (width - axis - _MARGIN) / 2
    positions: dict[tuple[int, ...], Point] = {}
    for row, (level, nodes) in enumerate(sorted(layers.items())):
        y = bottom - row * gap
        canvas.text((_MARGIN, y), str(level), _SMALL, "start", fill=colour("muted"))
        for position, node in enumerate(nodes):
            positions[node.levels] = (middle + (position - (len(nodes) - 1) / 2) * pitch, y)
    if layers:
        canvas.text((_MARGIN, bottom + 22), "height", _SMALL, "start", fill=colour("muted"))
    if labelled:
        order = shortened(f"Levels of {', '.join(found.columns)}.", int((width - 2 * _MARGIN) / 5.5))
        canvas.text((_MARGIN, height - _MARGIN), order, _SMALL, "start", fill=colour("muted"))
    _draw_edges(canvas, positions)
    radius = min(7.0, pitch * 0.36)
    for node in found.nodes:
        x, y = positions[node.levels]
        with canvas.group(found.describe(node)):
            if labelled:
                below = (x, y + radius + 9)
                paper = colour("paper")
                canvas.text(below, _short(node), _SMALL, stroke=paper, stroke_width=4, paint_order="stroke")
            _mark(canvas, (x, y), node, radius)
    return canvas


def _draw_edges(canvas: Canvas, positions: dict[tuple[int, ...], Point]) -> None:
    """Join each node with those above it, unless these lines would be all that is to be seen."""
    lines = [
        (position, positions[above])
        for levels, position in positions.items()
        for above in ((*levels[:c], level + 1, *levels[c + 1 :]) for c, level in enumerate(levels))
        if above in positions
    ]
    if len(lines) <= _MOST_EDGES:
        with canvas.group(stroke=colour("line"), stroke_width=1 if len(lines) < 300 else 0.6):
            for line in lines:
                canvas.add("polyline", points=listed(line), fill="none")


def _short(node: SurveyedNode) -> str:
    return ",".join(map(str, node.levels))


def _draw_border(found: Survey) -> Canvas:
    """Draw for each height a bar, what fails beside what satisfies, and beside it the border there."""
    border: dict[int, list[SurveyedNode]] = {}
    for node in found.nodes:
        border.setdefault(node.height, []).append(node)
    counts = max(text_width(f"{layer.nodes:,}", _SMALL) for layer in found.layers) + 8
    bars, pitch, gap = 110.0, 9.0, 22.0
    names = text_width("height", _SMALL) + 10 + text_width("fail", _SMALL)
    left = _MARGIN + max(26 + counts, names)
    dots = left + bars + counts + 12
    more = max(text_width(f"+{layer.lowest:,}", _SMALL) for layer in found.layers)
    width = dots + (PER_LAYER + 1) * pitch + more + _MARGIN
    height = 2 * _MARGIN + _LEGEND + 18 + len(found.layers) * gap
    canvas = Canvas(width, height, "The border of the lattice", found.render())
    _draw_legend(canvas, found, "satisfies, none directly below does")
    top = _MARGIN + _LEGEND + 10
    for x, words, anchor in (
        (_MARGIN, "height", "start"),
        (left - 4, "fail", "end"),
        (left + bars + 4, "satisfy", "start"),
        (dots + 18, "lowest that satisfy, best first", "start"),
    ):
        canvas.text((x, top), words, _SMALL, anchor, fill=colour("muted"))

    # Wide layers would make the others invisible: lengths grow with the root of the counts.
    most = max(math.sqrt(layer.nodes) for layer in found.layers)
    for row, layer in enumerate(reversed(found.layers)):
        y = top + 19 + row * gap
        _draw_layer(canvas, layer, y, (left, bars), most)
        here = border.get(layer.height, [])
        drawn = [node for node in here if node.chosen] + [node for node in here if not node.chosen]
        for position, node in enumerate(drawn):
            with canvas.group(found.describe(node)):
                _mark(canvas, (dots + 6 + position * pitch, y), node, 4.0)
        left_out = layer.lowest - sum(node.lowest for node in here)
        if left_out > 0:
            x = dots + 4 + len(here) * pitch
            canvas.text((x, y), f"+{left_out:,}", _SMALL, "start", fill=colour("muted"))
    return canvas


def _draw_layer(canvas: Canvas, layer: Layer, y: float, across: tuple[float, float], most: float) -> None:
    """Draw the bar of one height."""
    left, room = across
    thick = 13.0
    failing = layer.nodes - layer.satisfying
    length = max(room * math.sqrt(layer.nodes) / most, 4.0)
    start = left + (room - length) / 2
    cut = start + length * failing / layer.nodes
    with canvas.group(f"height {layer.height}: {failing:,} fail, {layer.satisfying:,} satisfy"):
        canvas.text((_MARGIN, y), str(layer.height), _SMALL, "start", fill=colour("muted"))
        canvas.text((left - 4, y), f"{failing:,}", _SMALL, "end")
        canvas.text((left + room + 4, y), f"{layer.satisfying:,}", _SMALL, "start")
        if failing:
            look: dict[str, str | float] = {"stroke": colour("bad"), "stroke_dasharray": "3 2"}
            canvas.rect((start, y - thick / 2), cut - start, thick, fill=colour("bad-soft"), **look)
        if layer.satisfying:
            canvas.rect((cut, y - thick / 2), start + length - cut, thick, fill=colour("after"))


def _draw_legend(canvas: Canvas, found: Survey, satisfies: str) -> None:
    """Draw the legend above the picture."""
    y, x = _MARGIN + 6, _MARGIN + 6
    marks = [
        (satisfies, SurveyedNode((), True, True, False, 0, 0.0)),
        ("fails", SurveyedNode((), False, False, False, 0, None)),
    ]
    if found.chosen is not None:
        marks.append(("chosen", SurveyedNode((), True, True, True, 0, 0.0)))
    for words, node in marks:
        _mark(canvas, (x, y), node, 5.0)
        canvas.text((x + 12, y), words, _SMALL, "start")
        x += 30 + text_width(words, _SMALL) * 0.9


def _mark(canvas: Canvas, position: Point, node: SurveyedNode, radius: float) -> None:
    """Draw a node: a disc if it satisfies, a square if it fails, a star if it was chosen."""
    x, y = position
    if node.chosen:
        corners = [
            (
                x + math.sin(math.pi * corner / 5) * radius * (0.75 if corner % 2 else 1.75),
                y - math.cos(math.pi * corner / 5) * radius * (0.75 if corner % 2 else 1.75),
            )
            for corner in range(10)
        ]
        canvas.add("polygon", points=listed(corners), fill=colour("chosen"), stroke=colour("ink"))
    elif node.satisfies:
        canvas.circle(position, radius, fill=colour("after"), stroke=colour("paper"), stroke_width=0.8)
    else:
        side = radius * 1.7
        look: dict[str, str | float] = {"fill": colour("bad-soft"), "stroke": colour("bad")}
        canvas.rect((x - side / 2, y - side / 2), side, side, stroke_width=1.4, **look)
