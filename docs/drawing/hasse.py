"""What the drawings are made of: a canvas of SVG, and lattices on it as Hasse diagrams."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from xml.etree import ElementTree

Node = tuple[int, ...]
Point = tuple[float, float]

FONTS = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
INK, GREY, PALE, EDGE = "#1f2933", "#66727f", "#c3cad1", "#8d98a3"
RED, PANEL = "#b84a00", "#f6f8fa"


@dataclass(frozen=True)
class Pen:
    """A highlighter, and a line to go with it."""

    light: str
    dark: str


YELLOW, VIOLET, GREEN = Pen("#f7d774", "#c99700"), Pen("#c9b6ec", "#8465cc"), Pen("#9fdccd", "#2b9680")
PINK, BLUE = Pen("#f5b3c1", "#d0577a"), Pen("#b5cdf6", "#4f80d6")
PENS = (YELLOW, VIOLET, GREEN, PINK, BLUE)  # one per path or region


@dataclass(frozen=True)
class Look:
    """How a node is drawn. Satisfying nodes are round, so that the drawings also work without colour."""

    legend: str
    fill: str
    border: str
    ink: str
    dash: str = ""
    round: bool = False


SATISFIES = Look("checked: satisfies", "#0b6fae", "#064a75", "#ffffff", round=True)
FAILS = Look("checked: fails", "#cc5803", "#8a3b00", "#ffffff")
TAGGED_SATISFYING = Look("tagged: satisfies", "#dcedf9", "#0b6fae", "#064a75", "5 3", round=True)
TAGGED_FAILING = Look("tagged: fails", "#fdeadd", "#cc5803", "#8a3b00", "5 3")
NOT_A_CANDIDATE = Look("not a candidate", "#ffffff", "#b0b9c2", "#7b8794", "2 3")
NOT_LOOKED_AT = Look("not looked at", "#ffffff", "#b0b9c2", "#7b8794", "2 3")
PLAIN = Look("", "#f1f4f7", "#66727f", INK)
ORDER, ANSWER = "order of the checks", "the answer"


class Canvas:
    """An SVG image on white, for light and dark pages alike."""

    def __init__(self, width: float, height: float, title: str, description: str) -> None:
        self.width = width
        self.root = ElementTree.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "viewBox": f"0 0 {number(width)} {number(height)}",
                "width": number(width),
                "height": number(height),
                "role": "img",
                "font-family": FONTS,
            },
        )
        ElementTree.SubElement(self.root, "title").text = title
        ElementTree.SubElement(self.root, "desc").text = description
        self.rect((0, 0), width, height, fill="#ffffff")

    def add(self, tag: str, **attributes: str | float) -> ElementTree.Element:
        """Add an element; underscores in names stand for hyphens, and empty values are left out."""
        texts = {
            name.strip("_").replace("_", "-"): value if isinstance(value, str) else number(value)
            for name, value in attributes.items()
            if value != ""
        }
        return ElementTree.SubElement(self.root, tag, texts)

    def rect(self, corner: Point, width: float, height: float, **look: str | float) -> None:
        self.add("rect", x=corner[0], y=corner[1], width=width, height=height, **look)

    def line(self, points: Sequence[Point], **look: str | float) -> None:
        self.add("polyline", points=listed(points), fill="none", stroke_linejoin="round", **look)

    def text(
        self, position: Point, words: str, size: float = 13, anchor: str = "middle", **look: str | float
    ) -> None:
        look = {"fill": INK, **look}
        self.add(
            "text", x=position[0], y=position[1] + size * 0.36, font_size=size, text_anchor=anchor, **look
        ).text = words

    def note(
        self, position: Point, words: str, size: float = 11, ground: str = "#ffffff", **look: str | float
    ) -> None:
        """Write small words that stay legible where lines pass."""
        width = text_width(words, size) + 4
        corner = (position[0] - width / 2, position[1] - size * 0.7)
        self.rect(corner, width, size * 1.4, fill=ground, fill_opacity=0.9, rx=3)
        self.text(position, words, size, "middle", **look)

    def arrow(self, start: Point, end: Point, colour: str = INK, width: float = 2) -> None:
        length = math.dist(start, end)
        along = ((end[0] - start[0]) / length, (end[1] - start[1]) / length)
        head, half = 5 + 2 * width, 2.5 + 0.9 * width
        neck = (end[0] - head * along[0], end[1] - head * along[1])
        self.line([start, neck], stroke=colour, stroke_width=width)
        sides = [(neck[0] + s * half * along[1], neck[1] - s * half * along[0]) for s in (1, -1)]
        self.add("polygon", points=listed([end, *sides]), fill=colour)

    def region(self, points: Collection[Point], pen: Pen, radius: float = 26) -> None:
        """Mark what is around some points, two at least, which may overlap with other regions."""
        corners = hull(points)
        path = ""
        for start, end in pairwise([*corners, corners[0]]):
            length = math.dist(start, end)
            aside = (radius * (end[1] - start[1]) / length, radius * (start[0] - end[0]) / length)
            ends = [listed([(x + aside[0], y + aside[1])]) for x, y in (start, end)]
            path += f"A{number(radius)},{number(radius)} 0 0 1 {ends[0]} " if path else f"M{ends[0]} "
            path += f"L{ends[1]} "
        path += f"A{number(radius)},{number(radius)} 0 0 1 {path[1 : path.index(' ')]} Z"
        self.add("path", d=path, fill=pen.light, fill_opacity=0.4, stroke=pen.dark, stroke_width=1.8)

    def panel(self, corner: Point, width: float, height: float, words: str) -> None:
        self.rect(corner, width, height, rx=12, fill=PANEL)
        self.text((corner[0] + 16, corner[1] + 21), words, 13, "start", fill=GREY, font_weight="bold")

    def sample(self, position: Point, pen: Pen) -> None:
        self.rect(
            (position[0], position[1] - 10), 20, 20, rx=5, fill=pen.light, stroke=pen.dark, stroke_width=1.2
        )

    def remark(self, position: Point, words: str, *more: str) -> None:
        """Write lines beside a drawing, the first one bold."""
        self.text(position, words, 13, "start", font_weight="bold")
        for line, text in enumerate(more, start=1):
            self.text((position[0], position[1] + 19 * line), text, 13, "start")

    @contextmanager
    def group(self, **look: str | float) -> Iterator[None]:
        """Have what is drawn inside share a look."""
        outer = self.root
        self.root = self.add("g", **look)
        yield
        self.root = outer

    def badge(self, position: Point, words: str) -> None:
        self.add(
            "circle", cx=position[0], cy=position[1], r=9.5, fill="#ffffff", stroke=INK, stroke_width=1.2
        )
        self.text(position, words, 11, font_weight="bold")

    def star(self, position: Point) -> None:
        points = [
            (position[0] + r * math.sin(turn * math.pi / 5), position[1] - r * math.cos(turn * math.pi / 5))
            for turn, r in enumerate([10.5, 4.4] * 5)
        ]
        self.add("polygon", points=listed(points), fill="#ffc83d", stroke="#7a5900", stroke_width=1.1)

    def box(
        self, centre: Point, width: float, height: float, look: Look, words: str, size: float = 13
    ) -> None:
        self.rect(
            (centre[0] - width / 2, centre[1] - height / 2),
            width,
            height,
            rx=height / 2 if look.round else 3,
            fill=look.fill,
            stroke=look.border,
            stroke_width=1.4,
            stroke_dasharray=look.dash,
        )
        self.text(centre, words, size, fill=look.ink)

    def heading(self, name: str, said: str) -> None:
        """Write the name of the drawing, and what it shows in a few words."""
        self.text((24, 28), name, 17, "start", font_weight="bold")
        self.text((24 + text_width(name, 17) * 1.1 + 14, 29), said, 13, "start", fill=GREY)

    def legend(self, top: float, entries: Sequence[Look | str]) -> None:
        """Explain the marks that occur, in as many lines as that takes."""
        x, y = 24.0, top
        for entry in entries:
            words = entry if isinstance(entry, str) else entry.legend
            width = 34 + text_width(words, 12) + 20
            if x + width > self.width:
                x, y = 24.0, y + 24
            if entry == ORDER:
                self.badge((x + 13, y), "1")
            elif entry == ANSWER:
                self.star((x + 13, y))
            elif isinstance(entry, str):
                self.arrow((x, y), (x + 27, y), GREY)
            else:
                self.box((x + 13, y), 26, 16, entry, "")
            self.text((x + 34, y), words, 12, "start", fill=GREY)
            x += width

    def write(self, path: Path) -> None:
        ElementTree.indent(self.root)
        path.write_text(ElementTree.tostring(self.root, encoding="unicode") + "\n", encoding="utf-8")


@dataclass(frozen=True)
class Hasse:
    """Where the nodes of a lattice stand: the height upwards, each column in a direction of its own.

    Edges of one column are parallel, so a box of nodes looks like a box.

    Attributes
    ----------
    letters, tops
        Per column, what its levels are called by, and its highest level.
    foot
        Where the bottom node is.
    step
        From a node to its neighbour at the same height, and from one height to the next.
    size
        Width and height of a node.
    """

    letters: str
    tops: Node
    foot: Point
    step: Point = (122, 88)
    size: Point = (104, 30)

    def __iter__(self) -> Iterator[Node]:
        """All nodes, height by height."""
        return iter(
            sorted(product(*(range(top + 1) for top in self.tops)), key=lambda node: (sum(node), node))
        )

    def at(self, node: Node) -> Point:
        # Columns one step apart, then all turned so that the top is above the bottom.
        turn = sum(position * top for position, top in enumerate(self.tops)) / sum(self.tops)
        across = sum(level * (position - turn) for position, level in enumerate(node))
        return self.foot[0] + across * self.step[0], self.foot[1] - sum(node) * self.step[1]

    def name(self, node: Node) -> str:
        return f"<{', '.join(f'{letter}{level}' for letter, level in zip(self.letters, node, strict=True))}>"

    def edges(self) -> Iterator[tuple[Node, Node]]:
        for node in self:
            for column, level in enumerate(node):
                if level < self.tops[column]:
                    yield node, (*node[:column], level + 1, *node[column + 1 :])

    def between(self, bottom: Node, top: Node) -> list[Node]:
        return list(product(*(range(low, high + 1) for low, high in zip(bottom, top, strict=True))))

    def draw_edges(self, canvas: Canvas, strong: Callable[[Node, Node], bool] = lambda *_: True) -> None:
        for below, above in self.edges():
            thick = strong(below, above)
            canvas.line(
                [self.at(below), self.at(above)],
                stroke=EDGE if thick else "#e3e7eb",
                stroke_width=1.5 if thick else 1.2,
            )

    def draw_heights(self, canvas: Canvas, left: float, right: float) -> None:
        for height in range(sum(self.tops) + 1):
            y = self.foot[1] - height * self.step[1]
            canvas.line([(left + 60, y), (right, y)], stroke="#edf0f3", stroke_width=1)
            canvas.text((left, y), f"height {height}", 12, "start", fill=GREY)

    def draw_band(self, canvas: Canvas, height: int, pen: Pen, left: float, right: float) -> None:
        """Mark all nodes of a height."""
        y = self.foot[1] - height * self.step[1]
        canvas.rect(
            (left, y - 31),
            right - left,
            62,
            rx=10,
            fill=pen.light,
            fill_opacity=0.4,
            stroke=pen.dark,
            stroke_width=1.4,
        )

    def draw_arrow(
        self, canvas: Canvas, below: Node, above: Node, colour: str = INK, width: float = 2
    ) -> None:
        """Draw an arrow from the upper border of one node to the lower border of another."""
        start, end = self.at(below), self.at(above)
        share = (self.size[1] / 2 + 1) / abs(end[1] - start[1])
        canvas.arrow(mix(start, end, share), mix(end, start, share), colour, width)

    def draw_nodes(
        self,
        canvas: Canvas,
        looks: Mapping[Node, Look],
        order: Mapping[Node, int] | None = None,
        answer: Node | None = None,
        size: float = 13,
    ) -> None:
        width, height = self.size
        for node in self:
            x, y = self.at(node)
            canvas.box((x, y), width, height, looks[node], self.name(node), size)
        for node, position in (order or {}).items():
            x, y = self.at(node)
            canvas.badge((x - width / 2 + 3, y - height / 2), str(position))
        if answer is not None:
            x, y = self.at(answer)
            canvas.star((x + width / 2 - 4, y - height / 2))

    def draw_path(self, canvas: Canvas, nodes: Sequence[Node], pen: Pen) -> None:
        """Mark nodes and the way through them with a highlighter."""
        places = [self.at(node) for node in nodes]
        wide, high = self.size[0] + 20, self.size[1] + 22
        with canvas.group(opacity=0.6, fill=pen.light, stroke=pen.light):
            if len(places) > 1:
                canvas.line(places, stroke_width=34)
            for x, y in places:
                canvas.rect((x - wide / 2, y - high / 2), wide, high, rx=high / 2, stroke="none")


def mix(start: Point, end: Point, share: float) -> Point:
    """Return the point at a share of the way."""
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


def hull(points: Collection[Point]) -> list[Point]:
    """Return the corners of the convex hull (A. M. Andrew's monotone chain)."""

    def chain(ordered: Sequence[Point]) -> list[Point]:
        corners: list[Point] = []
        for x, y in ordered:
            while len(corners) > 1:
                (ax, ay), (bx, by) = corners[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                corners.pop()
            corners.append((x, y))
        return corners[:-1]

    ordered = sorted(set(points))
    return chain(ordered) + chain(ordered[::-1]) if len(ordered) > 1 else ordered


def text_width(words: str, size: float) -> float:
    """Guess how wide a text is at most; the fonts at hand differ."""
    return 0.6 * size * len(words)


def number(value: float) -> str:
    """Write a coordinate as shortly as a tenth of a pixel allows."""
    text = f"{value:.1f}"
    return "0" if text in ("-0.0", "0.0") else text.removesuffix(".0")


def listed(points: Collection[Point]) -> str:
    return " ".join(f"{number(x)},{number(y)}" for x, y in points)
