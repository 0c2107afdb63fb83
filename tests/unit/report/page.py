"""A page as a browser takes it apart, with everything that is wrong about its form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "br", "wbr", "img", "link", "input", "hr"}


@dataclass
class Element:
    """A tag with its attributes, and the text in it, that of inner tags included."""

    tag: str
    attributes: dict[str, str | None]
    path: tuple[str, ...]
    text: str = ""


@dataclass
class Page(HTMLParser):
    """All elements of a page, in order."""

    source: str
    elements: list[Element] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._open: list[Element] = []
        self.feed(self.source)
        self.close()
        self.problems += [f"<{element.tag}> is not closed" for element in self._open]

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self._add(tag, attrs)
        if tag in _VOID:
            self._open.pop()

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self._add(tag, attrs)
        self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1].tag != tag:
            self.problems.append(f"</{tag}> at {self.getpos()} closes nothing")
        else:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data

    def _add(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        if len({name for name, _ in attrs}) < len(attrs):
            self.problems.append(f"<{tag}> at {self.getpos()} has an attribute twice")
        element = Element(tag, dict(attrs), tuple(each.tag for each in self._open))
        self.elements.append(element)
        self._open.append(element)

    def all(self, *tags: str) -> list[Element]:
        """Return the elements with one of these tags."""
        return [element for element in self.elements if element.tag in tags]

    @property
    def ids(self) -> list[str]:
        return [element.attributes["id"] or "" for element in self.elements if "id" in element.attributes]

    @property
    def text(self) -> str:
        """Everything that is to be read, without the style."""
        (body,) = self.all("body")
        return body.text
