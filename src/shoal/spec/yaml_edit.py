"""Change parts of a YAML text in place: comments, order and layout of everything else stay as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

import yaml

from shoal.errors import InputError
from shoal.spec import yaml_text
from shoal.spec.yaml_text import KeyPath

REMOVED: Final = object()
"""In place of a value: the key goes."""


def edited(text: str, changes: Mapping[KeyPath, Any]) -> str:
    r"""Return a YAML text with other values at some keys.

    Parameters
    ----------
    changes
        For each path of keys its new value, or `REMOVED`. The mapping that holds the last key must exist; a
        key that it lacks is added at its end.

    Raises
    ------
    InputError
        The text uses anchors or tags there, so that only its author can change it.

    Examples
    --------
    >>> text = "columns:\n  # known to neighbours\n  age: {role: sensitive}  # for now\nunit: id\n"
    >>> changes = {("columns", "age", "role"): "insensitive", ("columns", "zip"): {"role": "sensitive"}}
    >>> print(edited(text, {**changes, ("unit",): REMOVED}), end="")
    columns:
      # known to neighbours
      age: {role: insensitive}  # for now
      zip: {role: sensitive}
    """
    if not text.endswith("\n"):
        text += _newline(text)
    wanted = _apart(yaml_text.parse(text).content)
    by_mapping: dict[KeyPath, dict[str, Any]] = {}
    for path, value in changes.items():
        _apply(wanted, path, value)
        by_mapping.setdefault(path[:-1], {})[path[-1]] = value
    root = yaml_text.compose(text)
    spans = [
        (span, len(path))
        for path, values in by_mapping.items()
        for span in _spans(text, _at(root, path), values)
    ]
    # From the end on, so that positions stay; what is added to an inner mapping comes before what follows it.
    for span, _ in sorted(spans, key=lambda each: (-each[0].start, each[1])):
        text = text[: span.start] + span.text + text[span.end :]
    try:
        found = yaml_text.parse(text).content
    except (InputError, yaml.YAMLError, ValueError):
        found = None
    if found != wanted:
        paths = ", ".join(".".join(path) for path in changes)
        raise InputError(
            "The YAML cannot be changed without rewriting it.\n"
            f"Found: anchors, aliases, merge keys or other rare forms at {paths}.\n"
            "Change the file by hand, or write these parts without them."
        )
    return text


def in_one_line(written: object, **style: Any) -> str:
    """Return a part of a spec as YAML on one line.

    Examples
    --------
    >>> in_one_line({"order": {"values": ["1. low", "no"], "runs": [2]}})
    "{order: {values: [1. low, 'no'], runs: [2]}}"
    """
    dumped: str = yaml.safe_dump(
        written, default_flow_style=True, sort_keys=False, width=float("inf"), allow_unicode=True, **style
    )
    return dumped.removesuffix("...\n").rstrip("\n")


def _apart(content: Any) -> Any:
    """Return a copy in which the targets of aliases are parts of their own."""
    if isinstance(content, dict):
        return {key: _apart(value) for key, value in content.items()}
    return [_apart(value) for value in content] if isinstance(content, list) else content


def _apply(content: Any, path: KeyPath, value: Any) -> None:
    """Change the content in the same way."""
    for key in path[:-1]:
        content = content[int(key) if isinstance(content, list) else key]
    if value is REMOVED:
        content.pop(path[-1], None)
    else:
        content[path[-1]] = value


@dataclass(frozen=True, slots=True)
class _Pair:
    """A key with its value: where they begin and end in the text."""

    key: yaml.Node
    value: yaml.Node
    text: str = field(repr=False)

    @property
    def start(self) -> int:
        return int(self.key.start_mark.index)

    @property
    def end(self) -> int:
        return max(int(self.key.end_mark.index), _end(self.value, self.text))


@dataclass(frozen=True, slots=True)
class _Span:
    """A part of the text, and what takes its place."""

    start: int
    end: int
    text: str


def _at(root: yaml.Node | None, path: KeyPath) -> yaml.MappingNode:
    node = root
    for key in path:
        node = next(child for name, child in _children(node) if name == key)
    assert isinstance(node, yaml.MappingNode)
    return node


def _children(node: yaml.Node | None) -> Iterator[tuple[str, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        yield from ((key.value, value) for key, value in node.value)
    elif isinstance(node, yaml.SequenceNode):
        yield from ((str(number), value) for number, value in enumerate(node.value))


def _end(node: yaml.Node, text: str) -> int:
    """Return where a node ends; a block ends with the last of its parts, not with what is empty after it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _Pair(last[0], last[1], text).end if isinstance(last, tuple) else _end(last, text)
    start = int(node.start_mark.index)
    return start + len(text[start : int(node.end_mark.index)].rstrip())


def _spans(text: str, node: yaml.MappingNode, values: Mapping[str, Any]) -> Iterator[_Span]:
    """Yield what changes in the text of a mapping; the spans do not overlap."""
    pairs = [_Pair(key, value, text) for key, value in node.value]
    kept = [pair for pair in pairs if values.get(pair.key.value) is not REMOVED]
    for pair in kept:
        if pair.key.value in values:
            yield _replaced(text, pair, values[pair.key.value])
    known = {pair.key.value for pair in pairs}
    added = [
        in_one_line({key: value})[1:-1]
        for key, value in values.items()
        if key not in known and value is not REMOVED
    ]
    last = max((index for index, pair in enumerate(pairs) if pair in kept), default=-1)
    if node.flow_style:
        for pair, following in pairwise(pairs[: last + 1]):
            if pair not in kept:
                yield _Span(pair.start, following.start, "")
        start = pairs[last].end if kept else int(node.start_mark.index) + 1
        comma = ", " if kept and added else ""
        yield _Span(start, pairs[-1].end if pairs else start, f"{comma}{', '.join(added)}")
        return
    for pair in pairs:
        if pair not in kept:
            yield _Span(text.rfind("\n", 0, pair.start) + 1, _next_line(text, pair.end), "")
    if added:
        indent = " " * int(pairs[0].key.start_mark.column)
        position = _next_line(text, pairs[last].end)
        yield _Span(position, position, "".join(f"{indent}{pair}{_newline(text)}" for pair in added))


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _next_line(text: str, position: int) -> int:
    return text.index("\n", max(0, position - 1)) + 1


def _replaced(text: str, pair: _Pair, value: Any) -> _Span:
    start = int(pair.value.start_mark.index)
    written = in_one_line(value)
    block = isinstance(pair.value, yaml.CollectionNode) and not pair.value.flow_style
    if block or start >= pair.end:
        # No value, or a block below the key: the new one follows the colon.
        colon = text.index(":", int(pair.key.end_mark.index))
        return _Span(colon, max(colon + 1, pair.end), f": {written}")
    return _Span(start, pair.end, written)
