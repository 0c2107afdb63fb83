"""YAML as people mean it, with the line and column of every part.

Text stays unchanged unless it is plainly a number, `true`, `false` or `null`: `no` is not a truth value,
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

KeyPath: TypeAlias = tuple[str, ...]
"""The keys that lead to a part; in a list, its index from 0."""

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
    """The content of a YAML text.

    Attributes
    ----------
    content
        Mappings, lists, text, numbers, truth values, None.
    name
        The name of the file in messages, if the text is from a file.
    positions
        Line and column of every part, each from 1.
    repeated
        Keys that a mapping repeats, each with two of its lines.
    """

    content: Any
    name: str | None
    positions: Mapping[KeyPath, tuple[int, int]]
    repeated: tuple[tuple[str, int, int], ...]

    @classmethod
    def of(cls, content: Any) -> Self:
        """Return content that was not read from a file."""
        return cls(content, None, {}, ())

    def where(self, path: KeyPath) -> str:
        """Return the prefix of a message about a part: its file, line and column, as far as known.

        Examples
        --------
        >>> parse("columns: {age: {role: quasi}}", "spec.yaml").where(("columns", "age", "role"))
        'spec.yaml, line 1, column 17: '
        """
        if self.name is None:
            return ""
        while path not in self.positions:
            path = path[:-1]
        line, column = self.positions[path]
        return f"{self.name}, line {line}, column {column}: "


def read(path: Path, what: str) -> Document:
    """Read a YAML file; errors name its kind `what`, such as `Spec`."""
    check_file(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{what} {path.name!r} is not UTF-8 text.\nSave it as UTF-8.") from None
    try:
        return parse(text, path.name)
    except InputError as error:
        raise InputError(f"{what} {path.name!r}: {error}") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        position = f" in line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        advice = "\nIndent with spaces, not tabs." if "\\t" in str(error.problem) else ""
        message = f"{what} {path.name!r} is not valid YAML{position}: {error.problem}.{advice}"
        raise InputError(message) from None
    except (yaml.YAMLError, ValueError):
        raise InputError(f"{what} {path.name!r} is not valid YAML.\nCheck its characters.") from None


def parse(text: str, name: str | None = None) -> Document:
    """Parse a YAML text.

    Raises
    ------
    yaml.YAMLError, ValueError
        It is not valid YAML.
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
            positions = _positions(node)
            content = None if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except RecursionError:
        raise InputError("The YAML is nested too deep.\nWrite it flatter.") from None
    return Document(content, name, positions, tuple(loader.repeated))


def compose(text: str) -> yaml.Node | None:
    """Return the nodes of a YAML text that was parsed before: where its parts begin and end."""
    loader = _Loader(text)
    try:
        node: yaml.Node | None = loader.get_single_node()
        return node
    finally:
        loader.dispose()


class _Loader(yaml.SafeLoader):
    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.repeated: list[tuple[str, int, int]] = []

    def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:
        node: yaml.ScalarNode = super().compose_scalar_node(anchor)
        if _HALVES.search(node.value):
            # JSON encodes a character beyond the first 65,536 as two halves.
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


def _positions(root: yaml.Node | None) -> dict[KeyPath, tuple[int, int]]:
    """Return line and column of each node by its key path.

    The target of an alias is listed wherever the alias occurs. Nested aliases can multiply beyond any
    sensible size, and an alias inside its own target is endless.
    """
    positions: dict[KeyPath, tuple[int, int]] = {(): (1, 1)}
    if root is None:
        return positions
    waiting: list[tuple[KeyPath, yaml.Node, yaml.Mark]] = [((), root, root.start_mark)]
    visited = 0
    while waiting:
        path, node, mark = waiting.pop()
        positions[path] = (mark.line + 1, mark.column + 1)
        visited += 1
        if visited > _MOST_NODES or len(path) > _DEEPEST:
            raise InputError(
                f"The YAML has more than {_MOST_NODES:,} parts, is nested more than {_DEEPEST} deep, or "
                "contains itself by an alias.\nReplace aliases (`*`) by their content, or write it flatter."
            )
        if isinstance(node, yaml.MappingNode):
            waiting += (
                ((*path, key.value), value, key.start_mark)
                for key, value in node.value
                if isinstance(key, yaml.ScalarNode)
            )
        elif isinstance(node, yaml.SequenceNode):
            waiting += (
                ((*path, str(number)), value, value.start_mark) for number, value in enumerate(node.value)
            )
    return positions
