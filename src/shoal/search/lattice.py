"""The generalization lattice of a table, without the levels that change nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from shoal.encode.table import CodedTable


@dataclass(frozen=True, slots=True)
class Lattice:
    """Levels per column that the spec allows.

    Attributes
    ----------
    levels
        Per column, the levels that differ on the values at hand; each stands for those above it that
        merge nothing more.
    same
        ``same[column][i]`` are all levels that ``levels[column][i]`` stands for, itself first.
    """

    levels: tuple[tuple[int, ...], ...]
    same: tuple[tuple[tuple[int, ...], ...], ...]

    @classmethod
    def of(cls, table: CodedTable, *, merge: bool = True) -> Lattice:
        same = []
        for column in table.columns:
            groups: list[list[int]] = []
            for level in range(column.min_level, column.max_level + 1):
                # Levels are nested, so as many labels means the same classes.
                if merge and groups and len(column.labels[level]) == len(column.labels[groups[-1][0]]):
                    groups[-1].append(level)
                else:
                    groups.append([level])
            same.append(tuple(map(tuple, groups)))
        return cls(tuple(tuple(group[0] for group in groups) for groups in same), tuple(same))

    @property
    def size(self) -> int:
        """All nodes, those with levels that change nothing included."""
        return math.prod(sum(len(group) for group in groups) for groups in self.same)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        """All nodes, as users count levels."""
        return product(*([level for group in groups for level in group] for groups in self.same))

    def expand(self, nodes: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Turn nodes given by positions in `levels` into all nodes that they stand for, sorted."""
        expanded = nodes
        for column, groups in enumerate(self.same):
            members = np.array([level for group in groups for level in group], dtype=np.uint8)
            sizes = np.array([len(group) for group in groups])
            repeats = sizes[expanded[:, column]]
            firsts = (np.cumsum(sizes) - sizes)[expanded[:, column]]
            within = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
            expanded = np.repeat(expanded, repeats, axis=0)
            expanded[:, column] = members[np.repeat(firsts, repeats) + within]
        return expanded[np.lexsort(expanded.T[::-1])]
