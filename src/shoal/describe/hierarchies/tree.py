"""A tree of labels, and the hierarchy that it defines."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from shoal.describe.hierarchies.listed_values import Listed
from shoal.describe.hierarchy import ANYTHING, HierarchyError, check_height
from shoal.errors import Problem

ROOT = -1
"""The parent of a label that has none."""

_SHOWN = 5


class Position(NamedTuple):
    """Line and column in a file, from 1."""

    line: int
    column: int | None = None

    def __str__(self) -> str:
        return f"line {self.line:,}" if self.column is None else f"line {self.line:,}, column {self.column:,}"


@dataclass(slots=True)
class Tree:
    """Labels, each with the number of its parent, which was added before it.

    A label without children is a value. Values may be at different depths: the label of a value at a level
    is its ancestor at the same distance from the top as the level, and the value itself below all of its
    ancestors. So the groups next to the top are all at the same level, and levels are nested.

    Attributes
    ----------
    where
        Its name in messages, such as `the taxonomy 'job.yaml'`.
    """

    where: str
    labels: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    positions: list[Position | None] = field(default_factory=list)
    notes: tuple[str, ...] = ()

    def add(self, label: str, parent: int = ROOT, position: Position | None = None) -> int:
        """Add a label, and return its number."""
        self.labels.append(label)
        self.parents.append(parent)
        self.positions.append(position)
        return len(self.labels) - 1

    def problems(self) -> list[Problem]:
        """Return the problems: labels that occur more than once."""
        numbers: dict[str, list[int]] = {}
        for number, label in enumerate(self.labels):
            numbers.setdefault(label, []).append(number)
        inner = set(self.parents)
        torn: dict[str, list[list[int]]] = {}
        for several in numbers.values():
            if len(several) > 1:
                groups = {number in inner for number in several}
                parents = {self.parents[number] for number in several}
                kind = "both" if len(groups) > 1 else "twice" if len(parents) == 1 else "torn"
                torn.setdefault(kind, []).append(several)
        wording = {
            "both": ("{} both a value and a group", "is", "are", "Rename one of them."),
            "torn": ("{} more than one parent", "has", "have", "Put each label into one group."),
            "twice": ("{} more than once in the same group", "occurs", "occur", "Keep one of them."),
        }
        problems = []
        for kind, (what, singular, plural, advice) in wording.items():
            if found := torn.get(kind):
                count = f"1 label {singular}" if len(found) == 1 else f"{len(found):,} labels {plural}"
                lines = [self._together(several, inner) for several in found]
                labels = [self.labels[several[0]] for several in found]
                problems.append(self.problem(what.format(count), lines, advice, labels))
        return problems

    def problem(self, what: str, found: Iterable[str], advice: str, labels: Iterable[str] = ()) -> Problem:
        """Return a problem in words: what is wrong, where it was found, and what to do."""
        positions = list(filter(None, found))
        more = f" and {len(positions) - _SHOWN:,} more" if len(positions) > _SHOWN else ""
        listed = f"\nFound: {'; '.join(positions[:_SHOWN])}{more}." if positions else ""
        return Problem(f"in {self.where}, {what}.{listed}\n{advice}", tuple(labels))

    def _together(self, numbers: Sequence[int], inner: Collection[int]) -> str:
        """Return the lines of a label; without lines its name, if it is a group and not a value."""
        positions = [str(position) for number in numbers if (position := self.positions[number])]
        if not positions and all(number in inner for number in numbers):
            return repr(self.labels[numbers[0]])
        return " and ".join(positions[:_SHOWN])

    def listed(self) -> Listed:
        """Return the hierarchy of the values.

        A single group at the top is the top level; otherwise that is `*`.

        Raises
        ------
        HierarchyError
            There are no labels, or some occur more than once.

        Examples
        --------
        >>> tree = Tree("the taxonomy")
        >>> europe = tree.add("Europe")
        >>> _ = tree.add("Italy", europe), tree.add("Oslo", tree.add("Norway", europe)), tree.add("Japan")
        >>> for labels in tree.listed().labels:
        ...     print(labels.to_pylist())
        ['Italy', 'Oslo', 'Japan']
        ['Italy', 'Norway', 'Japan']
        ['Europe', 'Europe', 'Japan']
        ['*', '*', '*']
        """
        if not self.labels:
            raise HierarchyError(f"{self.where} is empty.\nGive it at least one value.")
        if problems := self.problems():
            raise HierarchyError(problems)
        parents = np.array(self.parents, dtype=np.int64)
        depths = np.zeros(len(parents), dtype=np.int64)
        for number, parent in enumerate(self.parents):
            if parent != ROOT:
                depths[number] = depths[parent] + 1
        height = int(depths.max())
        check_height(height)
        inner = np.zeros(len(parents), dtype=bool)
        inner[parents[parents != ROOT]] = True
        current = np.flatnonzero(~inner)
        labels = pa.array(self.labels, pa.string())
        levels = [labels.take(pa.array(current))]
        for depth in range(height - 1, -1, -1):
            current = np.where(depths[current] > depth, parents[current], current)
            levels.append(labels.take(pa.array(current)))
        if len(levels) == 1 or len(np.unique(current)) > 1:
            levels.append(pa.repeat(ANYTHING, len(current)))
        return Listed(tuple(levels), self.where, self.notes)
