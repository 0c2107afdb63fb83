"""Nested taxonomies: mappings and lists in YAML and JSON files, in specs and in Python.

A mapping has groups and their content, a list has values, and either may contain the other::

    Europe: {North: [Norway, Sweden], South: [Italy]}
    Asia: [Japan]

The format of the mosaicrown project, `{"cat": label, "subcats": [...] or null}`, is supported too. In files
every scalar is text: `no`, `1.50` and `2026-01-31` are ordinary labels.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import yaml

from shoal.describe.hierarchies.listed_values import Listed
from shoal.describe.hierarchies.tree import ROOT, Position, Tree
from shoal.describe.hierarchy import HIGHEST_LEVEL, HierarchyError
from shoal.errors import Problem
from shoal.read.source import check_file

SUMMARY = "nested taxonomies: mappings and lists in YAML or JSON"
SUFFIXES = (".yaml", ".yml", ".json")

Content: TypeAlias = Any
"""Mappings, lists and scalars, in files or in Python."""

_MOSAICROWN = {"cat", "subcats"}
_JSON_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]|[^\s{}\[\],:"]+')
_NULLS = ("", "~", "null", "Null", "NULL")
_DEEPEST = 2 * HIGHEST_LEVEL + 2
"""Nested brackets: no label needs more than a mapping and a list."""

_WORDING = {
    "not text": ("1 entry is not text", "entries are not text", "Put each in quotes."),
    "unnamed": (
        "1 list is directly in a list",
        "lists are directly in a list",
        "Give each a label: `label: [...]`.",
    ),
    "same": (
        "1 mapping or list is used twice",
        "mappings and lists are used twice",
        "Put each label into one group.",
    ),
    "broken": ("1 label has half a character", "labels have half a character", "Correct them."),
    "deep": (
        f"1 entry is nested deeper than {HIGHEST_LEVEL} levels",
        f"entries are nested deeper than {HIGHEST_LEVEL} levels",
        "Remove some of the levels.",
    ),
}


@dataclass(frozen=True, slots=True)
class _Scalar:
    """Text in a file, or None.

    `empty` marks a scalar that means nothing below a group but may be text elsewhere, such as `null`.
    """

    text: str | None
    position: Position
    empty: bool = False


class _Pairs(list[tuple[_Scalar, Content]]):
    """A mapping in a file, which may repeat keys."""


class _Event(NamedTuple):
    """A bracket or a scalar in a file."""

    sign: str
    scalar: _Scalar


def sniff(path: Path, beginning: str) -> bool:
    """Return whether a file is YAML or JSON, by its name."""
    return path.suffix.lower() in SUFFIXES


def read(path: Path, delimiter: str | None = None, column: str | None = None) -> Listed:
    """Read a file; the interface of all formats."""
    return read_nested(path)


def read_nested(path: Path) -> Listed:
    """Return the hierarchy in a YAML or JSON file.

    Raises
    ------
    InputError
        It is not such a file, or its labels are not a tree; with the positions of all problems.
    """
    where = f"the taxonomy {path.name!r}"
    check_file(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise HierarchyError(f"{where} is not UTF-8 text.\nSave it as UTF-8.") from None
    parse = _json_events if path.suffix.lower() == ".json" else _yaml_events
    return nested_tree(_assembled(parse(text, where), where), where).listed()


def nested_tree(content: Content, where: str) -> Tree:
    """Return nested mappings and lists as a tree.

    Examples
    --------
    >>> nested_tree({"Europe": {"North": ["SE", "NO"], "South": "IT"}, "Asia": ["JP"]}, "the taxonomy").labels
    ['Europe', 'North', 'SE', 'NO', 'South', 'IT', 'Asia', 'JP']
    >>> nested_tree({"cat": "*", "subcats": [{"cat": "a", "subcats": None}]}, "the taxonomy").labels
    ['*', 'a']
    """
    walk = _Walk(Tree(where))
    walk.over(content)
    if walk.wrong:
        raise HierarchyError([*walk.problems(), *walk.tree.problems()])
    return walk.tree


class _Part(NamedTuple):
    """Content still to be read, with its parent."""

    content: Content
    parent: int
    label: Content = None
    named: bool = False
    """Whether it is below `label`."""
    item: bool = False
    """Whether it is an item of a list."""


class _Walk:
    """Walks nested content without recursion, and collects its problems."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.depths: list[int] = []
        self.wrong: dict[str, list[tuple[str, str]]] = {}

    def over(self, content: Content) -> None:
        waiting = [_Part(content, ROOT)]
        seen: dict[int, Content] = {}  # keeps the objects alive, so that no other object gets the same id
        while waiting:
            part, parent, label, named, item = waiting.pop()
            if named:
                number = self._label(label, parent)
                if number is None:
                    continue
                parent = number
            if isinstance(part, Mapping | list | tuple) and len(part):
                if id(part) in seen:
                    self._refuse("same", None)
                    continue
                seen[id(part)] = part
            if isinstance(part, Mapping | _Pairs):
                waiting += [_Part(below, parent, key, named=True) for key, below in reversed(_pairs(part))]
            elif isinstance(part, list | tuple):
                if item:
                    self._refuse("unnamed", _first_position(part))
                else:
                    waiting += [_Part(each, parent, item=True) for each in reversed(part)]
            elif item or not _is_empty(part):
                self._label(part, parent)

    def _label(self, written: Content, parent: int) -> int | None:
        """Add a label and return its number, or None if it is invalid."""
        position = written.position if isinstance(written, _Scalar) else None
        text = written.text if isinstance(written, _Scalar) else written
        if isinstance(text, Integral) and not isinstance(text, bool):
            text = str(int(text))
        if not isinstance(text, str):
            self._refuse("not text", position, _kind(text))
        elif not _is_unicode(text):
            self._refuse("broken", position)
        elif (depth := 0 if parent == ROOT else self.depths[parent] + 1) > HIGHEST_LEVEL:
            self._refuse("deep", position)
        else:
            self.depths.append(depth)
            return self.tree.add(text, parent, position)
        return None

    def _refuse(self, what: str, position: Position | None, kind: str = "") -> None:
        where = f"in {position}" if kind and position else str(position or "")
        self.wrong.setdefault(what, []).append((f"{kind} {where}".strip(), kind))

    def problems(self) -> Iterator[Problem]:
        for what, found in self.wrong.items():
            singular, plural, advice = _WORDING[what]
            count = singular if len(found) == 1 else f"{len(found):,} {plural}"
            positions: Iterable[str] = (position for position, _ in found)
            if all(position == kind for position, kind in found):  # without positions, list each kind once
                positions = dict.fromkeys(positions)
            yield self.tree.problem(count, positions, advice)


def _pairs(part: Any) -> list[tuple[Content, Content]]:
    """Return the labels of a mapping with the content below each."""
    pairs = list(part) if isinstance(part, _Pairs) else list(part.items())
    keys = [key.text if isinstance(key, _Scalar) else key for key, _ in pairs]
    if len(keys) == len(_MOSAICROWN) and set(keys) == _MOSAICROWN:
        contents = dict(zip(keys, (content for _, content in pairs), strict=True))
        if not isinstance(contents["cat"], Mapping | list | tuple):
            return [(contents["cat"], contents["subcats"])]
    return pairs


def _is_empty(written: Content) -> bool:
    return written.empty if isinstance(written, _Scalar) else written is None


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _kind(value: object) -> str:
    kinds = {
        bool: "a truth value",
        Real: "a number with a decimal point",
        date: "a date",
        type(None): "nothing",
    }
    words = (word for kind, word in kinds.items() if isinstance(value, kind))
    return next(words, f"something of type {type(value).__name__}")


def _first_position(part: Content) -> Position | None:
    """Return the position of the first scalar in a list."""
    while isinstance(part, list | tuple) and part:
        part = part[0]
    return part.position if isinstance(part, _Scalar) else None


def _assembled(events: Iterable[_Event], where: str) -> Content:
    """Return the content that brackets and scalars form."""
    root: list[Content] = []
    around: list[list[Content]] = [root]
    keys: list[_Scalar | None] = [None]
    for sign, scalar in events:
        if sign in ("]", "}"):
            around.pop()
            keys.pop()
            continue
        part: Content = {"[": [], "{": _Pairs()}.get(sign, scalar)
        if not isinstance(around[-1], _Pairs):
            around[-1].append(part)
        elif (key := keys[-1]) is not None:
            around[-1].append((key, part))
            keys[-1] = None
        elif sign:
            raise HierarchyError(
                f"in {where}, a group has a list or a mapping for a label.\nFound: {scalar.position}.\n"
                "Write the label as text."
            )
        else:
            keys[-1] = scalar
        if sign:
            around.append(part)
            keys.append(None)
            if len(around) > _DEEPEST:
                raise _too_deep(where, scalar.position)
    return root[0] if root else []


def _yaml_events(text: str, where: str) -> Iterator[_Event]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    signs = {
        yaml.MappingStartEvent: "{",
        yaml.MappingEndEvent: "}",
        yaml.SequenceStartEvent: "[",
        yaml.SequenceEndEvent: "]",
    }
    documents = 0
    try:
        for event in yaml.parse(text, Loader=loader):
            assert event.start_mark is not None, "events parsed from text have a start mark"
            position = Position(event.start_mark.line + 1, event.start_mark.column + 1)
            if isinstance(event, yaml.ScalarEvent):
                empty = (
                    not event.style and event.value in _NULLS
                )  # a plain scalar has no style, or an empty one
                written = None if empty and not event.value else event.value
                yield _Event("", _Scalar(written, position, empty))
            elif isinstance(event, yaml.AliasEvent):
                raise HierarchyError(
                    f"in {where}, an alias (`*`) is not supported.\nFound: {position}.\n"
                    "Replace it by its content, or put a label that begins with `*` in quotes."
                )
            elif isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise HierarchyError(
                        f"{where} has more than one document.\nFound: {position}.\nKeep one, without `---`."
                    )
            elif sign := signs.get(type(event)):
                yield _Event(sign, _Scalar(None, position))
    except HierarchyError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        found = f" in {Position(mark.line + 1, mark.column + 1)}" if mark else ""
        advice = "\nIndent with spaces, not tabs." if "\t" in text else ""
        raise HierarchyError(f"{where} is not valid YAML{found}: {error.problem}.{advice}") from None
    except (yaml.YAMLError, ValueError):
        raise HierarchyError(f"{where} is not valid YAML.\nCheck its characters.") from None


def _json_events(text: str, where: str) -> Iterator[_Event]:
    try:
        json.loads(text, parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        position = Position(error.lineno, error.colno)
        raise HierarchyError(f"{where} is not valid JSON in {position}: {error.msg}.") from None
    except RecursionError:
        raise _too_deep(where) from None
    line, line_start, before = 1, 0, 0
    for token in _JSON_TOKEN.finditer(text):
        if ends := text.count("\n", before, token.start()):
            line += ends
            line_start = text.rindex("\n", before, token.start()) + 1
        before = token.start()
        position = Position(line, before - line_start + 1)
        written = token[0]
        if written in "{}[]":
            yield _Event(written, _Scalar(None, position))
        elif written.startswith('"'):
            yield _Event("", _Scalar(json.loads(written), position))
        elif written == "null":
            yield _Event("", _Scalar(None, position, empty=True))
        else:
            yield _Event("", _Scalar(written, position))


def _too_deep(where: str, position: Position | None = None) -> HierarchyError:
    found = f"\nFound: {position}." if position else ""
    return HierarchyError(
        f"{where} is nested deeper than {HIGHEST_LEVEL} levels.{found}\nRemove some of the levels."
    )
