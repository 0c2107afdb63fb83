"""YAML as people mean it, with the place of everything in it.

Text stays as it is written unless it is plainly a number, `true`, `false` or `null`: `no` is no truth value,
`01234` keeps its zero, `12:30` and `2026-01-31` are text. Keys are always text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeAlias

import yaml

from shoal.errors import InputError
from shoal.read.source import check_file

Place: TypeAlias = tuple[str, ...]
"""The keys that lead to something, and for a list the number in it, from 0."""

_MOST_NODES = 1_000_000
_DEEPEST = 100
_HALVES = re.compile("[\ud800-\udfff]")
_TAG = "tag:yaml.org,2002:"
_PLAIN = {
    "bool": re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"),
    "int": re.compile(r"^[-+]?(?:0|[1-9][0-9]*)$"),
    "float": re.compile(
        r"^[-+]?(?:(?:0|[1-9][0-9]*)\.[0-9]*|\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?[eE][-+]?[0-9]+)$"
        r"|^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$"
    ),
    "null": re.compile(r"^(?:~|null|Null|NULL|)$"),
    "merge": re.compile(r"^<<$"),
}


@dataclass(frozen=True, slots=True)
class Document:
    """What a YAML text holds.

    Attributes
    ----------
    content
        Mappings, lists, text, numbers, truth values, None.
    name
        What messages call the file, if it is one.
    places
        Line and column of everything in it, each counted from 1.
    repeated
        Keys that stand more than once in a mapping, with the lines of two of them.
    """

    content: Any
    name: str | None
    places: Mapping[Place, tuple[int, int]]
    repeated: tuple[tuple[str, int, int], ...]

    @classmethod
    def of(cls, content: Any) -> Self:
        """Return what was not read from a file."""
        return cls(content, None, {}, ())

    def where(self, place: Place) -> str:
        """Return what goes before a message about something: its file, line and column, as far as known.

        Examples
        --------
        >>> parse("columns: {age: {role: quasi}}", "spec.yaml").where(("columns", "age", "role"))
        'spec.yaml, line 1, column 17: '
        """
        if self.name is None:
            return ""
        while place not in self.places:
            place = place[:-1]
        line, column = self.places[place]
        return f"{self.name}, line {line}, column {column}: "


def read(path: Path, what: str) -> Document:
    """Read a YAML file; `what` it should be is said in errors, such as `Spec`."""
    check_file(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{what} {path.name!r} is not UTF-8 text.\nSave it in that encoding.") from None
    try:
        return parse(text, path.name)
    except InputError as error:
        raise InputError(f"{what} {path.name!r}: {error}") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f" in line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        advice = "\nIndent with spaces, not tabs." if "\\t" in str(error.problem) else ""
        message = f"{what} {path.name!r} is not valid YAML{place}: {error.problem}.{advice}"
        raise InputError(message) from None
    except (yaml.YAMLError, ValueError):
        raise InputError(f"{what} {path.name!r} is not valid YAML.\nCheck its characters.") from None


def parse(text: str, name: str | None = None) -> Document:
    """Return what a text holds.

    Raises
    ------
    yaml.YAMLError, ValueError
        It is no YAML.
    InputError
        It is too large, or nested too deep.

    Examples
    --------
    >>> parse("{no: [no, 01234, 12, 1.5, true, ~]}").content
    {'no': ['no', '01234', 12, 1.5, True, None]}
    """
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            places = _places(node)
            content = None if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except RecursionError:
        raise InputError("The YAML is nested too deep.\nWrite it flatter.") from None
    return Document(content, name, places, tuple(loader.repeated))


class _Loader(yaml.SafeLoader):
    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.repeated: list[tuple[str, int, int]] = []

    def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:
        node: yaml.ScalarNode = super().compose_scalar_node(anchor)
        if _HALVES.search(node.value):
            # JSON writes a character beyond the first 65,536 as two halves.
            try:
                node.value = node.value.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
            except UnicodeDecodeError:
                raise yaml.composer.ComposerError(
                    problem="half a character", problem_mark=node.start_mark
                ) from None
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        lines: dict[str, int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(
                    problem="a key must be text", problem_mark=key.start_mark
                )
            line = key.start_mark.line + 1
            if key.value in lines:
                self.repeated.append((key.value, lines[key.value], line))
            lines[key.value] = line
        self.flatten_mapping(node)
        for key, _ in node.value:
            key.tag = f"{_TAG}str"
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {}
for _kind, _pattern in _PLAIN.items():
    _Loader.add_implicit_resolver(f"{_TAG}{_kind}", _pattern, None)


def _places(root: yaml.Node | None) -> dict[Place, tuple[int, int]]:
    """Return line and column of each node by the keys that lead to it.

    What an alias stands for is there at each of its places. Aliases of aliases of aliases are more than
    anybody means, and an alias inside of what it stands for is endless.
    """
    places: dict[Place, tuple[int, int]] = {(): (1, 1)}
    if root is None:
        return places
    waiting: list[tuple[Place, yaml.Node, yaml.Mark]] = [((), root, root.start_mark)]
    visited = 0
    while waiting:
        place, node, mark = waiting.pop()
        places[place] = (mark.line + 1, mark.column + 1)
        visited += 1
        if visited > _MOST_NODES or len(place) > _DEEPEST:
            raise InputError(
                f"The YAML has more than {_MOST_NODES:,} parts, or is nested more than {_DEEPEST} deep, or "
                "holds itself by an alias.\nWrite out what `*` stands for, or write it flatter."
            )
        if isinstance(node, yaml.MappingNode):
            waiting += (
                ((*place, key.value), value, key.start_mark)
                for key, value in node.value
                if isinstance(key, yaml.ScalarNode)
            )
        elif isinstance(node, yaml.SequenceNode):
            waiting += (
                ((*place, str(number)), value, value.start_mark) for number, value in enumerate(node.value)
            )
    return places
