"""Drawings of hierarchies: as a table and as a small tree.

Both are in depth-first order, with neighbours sorted by value, and both count what they omit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from shoal.describe.hierarchy import IntArray, Levels

_LONGEST = 40
"""Longest label shown, in characters."""

_OWN = "(own label)"
"""In place of a label that is the value, where values are not shown."""

_LINES = {False: ("├─ ", "└─ ", "│  ", "…"), True: ("|- ", "`- ", "|  ", "...")}
"""Signs for drawing a tree, by whether it must be ASCII."""


def table(levels: Levels, rows: int = 20, *, values: bool = True) -> str:
    """Return the labels of the first values, one line for each, and a last line that counts the others.

    Parameters
    ----------
    rows
        Largest number of lines.
    values
        Show the values themselves; otherwise their number for each combination of labels, without labels that
        are values.

    Examples
    --------
    >>> from shoal.describe.hierarchies.prefix import prefix
    >>> print(table(prefix(3).levels(pa.array(["531", "537", "941"])), rows=2))
    value  level 1  level 2  level 3
    531    53*      5**      *
    537    53*      5**      *
    1 more value
    >>> print(table(prefix(3).levels(pa.array(["531", "537", "941"])), values=False))
    values  level 1  level 2  level 3
    2       53*      5**      *
    1       94*      9**      *
    """
    levels = levels if values else _hidden(levels)
    order = in_order(levels)
    starts = np.arange(len(order)) if values else _starts(levels.labels[1:], order)
    shown = pa.array(order[starts[: max(rows, 1)]])
    if values:
        columns = [["value", *_texts(levels.labels[0].take(shown))]]
    else:
        sizes = np.diff(starts, append=len(order))[: len(shown)].tolist()
        columns = [["values", *(f"{size:,}" for size in sizes)]]
    for level, labels in enumerate(levels.labels[1:], start=1):
        columns.append([f"level {level}", *_texts(labels.take(shown))])
    widths = [max(map(len, column)) for column in columns]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in zip(*columns, strict=True)
    ]
    if more := len(starts) - len(shown):
        lines.append(f"{more:,} more {_values(more) if values else 'lines'}")
    return "\n".join(lines)


def tree(
    levels: Levels, lines: int = 30, *, breadth: int = 8, values: bool = True, ascii: bool = False
) -> str:
    """Return the labels as a tree, each with the number of values under it.

    The upper levels come first; lower levels are drawn as far as the lines reach.

    Parameters
    ----------
    lines
        About the largest number of lines.
    breadth
        Largest number of labels drawn under one label.
    values
        Show the values themselves.
    ascii
        Draw with ASCII signs, which every terminal shows.

    Examples
    --------
    >>> from shoal.describe.hierarchies.intervals import intervals
    >>> print(tree(intervals(5, 10).levels(pa.array([21, 24, 27, 33]))))
    * (4 values)
    ├─ [20, 30) (3 values)
    │  ├─ [20, 25) (2 values)
    │  │  ├─ 21
    │  │  └─ 24
    │  └─ [25, 30) (1 value)
    │     └─ 27
    └─ [30, 40) (1 value)
       └─ [30, 35) (1 value)
          └─ 33
    """
    levels = levels if values else _hidden(levels)
    walk = _Walk(levels, in_order(levels), lowest=0 if values else 1)
    branch, last, through, dots = _LINES[ascii]
    breadth, left = max(breadth, 1), max(lines, 1)
    roots = walk.roots()
    waiting = deque(roots[:breadth])
    left -= len(waiting)
    while waiting and left > 0:
        node = waiting.popleft()
        node.children = walk.below(node)
        drawn = node.children[:breadth]
        left -= min(len(node.children), breadth + 1)
        waiting.extend(drawn)

    drawing: list[str] = []

    def draw(nodes: Sequence[_Node], before: str, signs: tuple[str, str, str, str]) -> None:
        hidden = nodes[breadth:]
        for index, node in enumerate(nodes[:breadth]):
            ends = index == len(nodes) - 1
            drawing.append(f"{before}{signs[1 if ends else 0]}{walk.title(node)}")
            inner = before + ((" " * len(signs[2])) if ends else signs[2])
            draw(node.children, inner, (branch, last, through, dots))
        if hidden:
            values = sum(node.end - node.start for node in hidden)
            more = f"{len(hidden):,} more"
            if hidden[0].level:
                more += f" ({values:,} {_values(values)})"
            drawing.append(f"{before}{signs[1]}{dots} {more}")

    draw(roots, "", ("", "", "", dots))
    return "\n".join(drawing)


@dataclass(slots=True)
class _Node:
    """A label of a level, with the range of its values in depth-first order."""

    level: int
    start: int
    end: int
    children: list[_Node] = field(default_factory=list)


class _Walk:
    """Finds the labels under a label."""

    def __init__(self, levels: Levels, order: IntArray, lowest: int) -> None:
        self.labels = levels.labels
        self.order = order
        self.lowest = lowest
        self.starts = [_starts(levels.labels[level:], order) for level in range(len(levels.labels))]

    def roots(self) -> list[_Node]:
        top = len(self.labels) - 1
        return [] if top < self.lowest else self._nodes(top, 0, len(self.order))

    def below(self, node: _Node) -> list[_Node]:
        """Return the labels under a label, past levels that only repeat it."""
        level = node.level
        while level > self.lowest:
            level -= 1
            nodes = self._nodes(level, node.start, node.end)
            if len(nodes) > 1 or self._label(nodes[0]) != self._label(node):
                return nodes
        return []

    def title(self, node: _Node) -> str:
        size = node.end - node.start
        alone = size == 1 and not self.lowest and not self.below(node)
        return self._label(node) if alone else f"{self._label(node)} ({size:,} {_values(size)})"

    def _nodes(self, level: int, start: int, end: int) -> list[_Node]:
        starts = self.starts[level]
        first, last = np.searchsorted(starts, [start, end])
        bounds = [*starts[first:last].tolist(), end]
        return [_Node(level, *pair) for pair in pairwise(bounds)]

    def _label(self, node: _Node) -> str:
        index = int(self.order[node.start])
        return _texts(self.labels[node.level].slice(index, 1))[0]


def in_order(levels: Levels) -> IntArray:
    """Return the indices of the values in depth-first order; labels are sorted by their first value."""
    count = len(levels.labels[0])
    rank = np.empty(count, dtype=np.int64)
    rank[_sorted(levels.labels[0])] = np.arange(count)
    keys = [rank]
    for labels in levels.labels[1:]:
        codes = _codes(labels)
        first = np.full(codes.max(initial=-1) + 1, count, dtype=np.int64)
        np.minimum.at(first, codes, rank)
        keys.append(first[codes])
    return np.lexsort(keys).astype(np.int64)


def _hidden(levels: Levels) -> Levels:
    """Return the levels without labels that are the value itself, as of values that keep their own."""
    values = _as_text(levels.labels[0])
    if not pa.types.is_string(values.type):
        return levels
    above = (
        pc.if_else(pc.fill_null(pc.equal(labels, values), False), _OWN, labels)
        for labels in map(_as_text, levels.labels[1:])
    )
    return replace(levels, labels=(levels.labels[0], *above))


def _starts(levels: Sequence[pa.Array], order: IntArray) -> IntArray:
    """Return the positions in an order at which the label of any of these levels changes."""
    starts = np.arange(len(order)) == 0
    for labels in levels:
        starts |= np.diff(_codes(labels)[order], prepend=-1) != 0
    return np.flatnonzero(starts)


def _sorted(values: pa.Array) -> IntArray:
    """Return the indices that sort values; numbers by size, even if they are text."""
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        with suppress(pa.ArrowInvalid):
            values = values.cast(pa.float64())
    try:
        indices: IntArray = pc.sort_indices(values).to_numpy().astype(np.int64)
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return np.arange(len(values), dtype=np.int64)
    return indices


def _codes(labels: pa.Array) -> IntArray:
    indices = labels.dictionary_encode(null_encoding="encode").indices
    codes: IntArray = indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes


def _texts(labels: pa.Array) -> list[str]:
    return [_short("NULL" if label is None else str(label)) for label in _as_text(labels).to_pylist()]


def _as_text(labels: pa.Array) -> pa.Array:
    try:
        return labels.cast(pa.string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return labels


def _short(text: str) -> str:
    shown = text if text.isprintable() else "".join(sign if sign.isprintable() else " " for sign in text)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 3]}..."


def _values(count: int) -> str:
    return "value" if count == 1 else "values"
