"""A canvas of SVG whose colours are names of the theme, so that light and dark pages both look right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from typing import TypeAlias
from xml.etree import ElementTree

Point: TypeAlias = tuple[float, float]

FONTS = "system-ui, 'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
# What XML cannot hold, however it is escaped.
_UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@cache
def theme() -> str:
    """Return the style sheet that gives the colours their values, for what has the class `shoal`."""
    return files("shoal.draw").joinpath("theme.css").read_text(encoding="utf-8")


@cache
def colour(name: str) -> str:
    """Return a colour of the theme by its name; where no theme is, it is that of light pages.

    Examples
    --------
    >>> colour("ink")
    'var(--ink, #1b2530)'
    """
    light = re.search(rf"--{re.escape(name)}: (#[0-9a-f]+);", theme())
    if light is None:
        raise ValueError(f"the theme has no colour {name!r}")
    return f"var(--{name}, {light[1]})"


class Canvas:
    """An SVG image.

    Parameters
    ----------
    width, height
        Its size in pixels; on a narrower page it shrinks.
    title, description
        What a screen reader says: what the image is, and what is to be seen in it.

    Examples
    --------
    >>> canvas = Canvas(40, 20, "A bar")
    >>> canvas.rect((0, 5), 30, 10, fill=colour("after"))
    >>> canvas.text((32, 10), "3 < 4", anchor="start")
    >>> "3 &lt; 4" in canvas.svg()
    True
    """

    def __init__(self, width: float, height: float, title: str, description: str = "") -> None:
        self.width, self.height = width, height
        self.root = ElementTree.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "viewBox": f"0 0 {number(width)} {number(height)}",
                "width": number(width),
                "height": number(height),
                "role": "img",
                "class": "shoal",
                "style": "max-width: 100%; height: auto",
                "font-family": FONTS,
            },
        )
        ElementTree.SubElement(self.root, "title").text = writable(title)
        if description:
            ElementTree.SubElement(self.root, "desc").text = writable(description)

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

    def circle(self, centre: Point, radius: float, **look: str | float) -> None:
        self.add("circle", cx=centre[0], cy=centre[1], r=radius, **look)

    def line(self, points: Sequence[Point], **look: str | float) -> None:
        look = {"stroke": colour("line"), "stroke_width": 1, **look}
        self.add("polyline", points=listed(points), fill="none", stroke_linejoin="round", **look)

    def text(
        self, position: Point, words: str, size: float = 13, anchor: str = "middle", **look: str | float
    ) -> None:
        """Write words whose middle is at the height of a position."""
        look = {"fill": colour("ink"), **look}
        self.add(
            "text", x=position[0], y=position[1] + size * 0.36, font_size=size, text_anchor=anchor, **look
        ).text = writable(words)

    @contextmanager
    def group(self, hint: str = "", **look: str | float) -> Iterator[None]:
        """Have what is drawn inside share a look, and a hint that is shown when pointed at."""
        outer = self.root
        self.root = self.add("g", **look)
        if hint:
            ElementTree.SubElement(self.root, "title").text = writable(hint)
        yield
        self.root = outer

    def svg(self) -> str:
        """Return the image to be put into a page, which brings the theme."""
        return ElementTree.tostring(self.root, encoding="unicode")

    def standalone(self) -> str:
        """Return the image as a file of its own, with the theme and its ground in it."""
        root = ElementTree.fromstring(self.svg())
        ElementTree.register_namespace("", "http://www.w3.org/2000/svg")
        ground = {"width": "100%", "height": "100%", "fill": colour("paper")}
        root.insert(0, ElementTree.Element("{http://www.w3.org/2000/svg}rect", ground))
        style = ElementTree.Element("{http://www.w3.org/2000/svg}style")
        style.text = theme()
        root.insert(0, style)
        return ElementTree.tostring(root, encoding="unicode") + "\n"


def shortened(words: str, longest: int) -> str:
    """Return the words, cut where they are longer than so many signs.

    Examples
    --------
    >>> shortened("Postgraduate", 8)
    'Postgra…'
    """
    return words if len(words) <= longest else f"{words[: longest - 1]}…"


def text_width(words: str, size: float) -> float:
    """Guess how wide a text is at most; the fonts at hand differ."""
    return 0.6 * size * len(words)


def writable(words: str) -> str:
    """Return a text without the signs that XML cannot hold."""
    return _UNWRITABLE.sub("\ufffd", words)


def number(value: float) -> str:
    """Write a coordinate as shortly as a tenth of a pixel allows."""
    text = f"{value:.1f}"
    return "0" if text in ("-0.0", "0.0") else text.removesuffix(".0")


def listed(points: Sequence[Point]) -> str:
    return " ".join(f"{number(x)},{number(y)}" for x, y in points)
