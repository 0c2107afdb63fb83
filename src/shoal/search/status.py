"""What a search knows of each node: undecided, satisfying or failing.

Generalizing merges classes, so under an absorbing requirement everything above a satisfying node satisfies,
and everything below a failing node fails. Tagging writes that down.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

UNDECIDED, SATISFIES, FAILS = 0, 1, 2

Node = tuple[int, ...]
"""A position per column, counted from the lowest level that the spec allows."""


class Status:
    """A byte per node.

    Attributes
    ----------
    known
        The bytes by the index of the node; quick to ask for one.
    strides
        How far apart the indices are of nodes one level apart, per column.

    Examples
    --------
    >>> status = Status([2, 3])
    >>> status.tag((0, 1), satisfies=True)
    >>> status.satisfying().tolist()
    [[0, 1], [0, 2], [1, 1], [1, 2]]
    >>> status.known[status.index((1, 0))] == UNDECIDED
    True
    """

    def __init__(self, levels: Sequence[int]) -> None:
        self.levels = tuple(levels)
        self.size = math.prod(self.levels)
        self.known = bytearray(self.size)
        self.strides = tuple(math.prod(self.levels[column + 1 :]) for column in range(len(self.levels)))
        # Columns with one level make no axis: numpy has 32 of them at most on some versions.
        self._axes = tuple(column for column, count in enumerate(self.levels) if count > 1)
        self._grid: NDArray[np.uint8] = np.frombuffer(self.known, np.uint8).reshape(
            [self.levels[column] for column in self._axes]
        )
        most = max(self.levels, default=1)
        self._from = [slice(level, None) for level in range(most)]
        self._to = [slice(level + 1) for level in range(most)]

    def index(self, node: Node) -> int:
        return sum(map(int.__mul__, node, self.strides))

    def tag(self, node: Node, *, satisfies: bool) -> None:
        """Write down what was found of a node, for it and all nodes of which it follows."""
        if satisfies:
            self._grid[tuple([self._from[node[axis]] for axis in self._axes])] = SATISFIES
        else:
            self._grid[tuple([self._to[node[axis]] for axis in self._axes])] = FAILS

    def fail_the_rest(self) -> None:
        """Take all undecided nodes as failing."""
        self._grid[self._grid == UNDECIDED] = FAILS

    def box(self, low: Node, high: Node) -> tuple[slice, ...]:
        """Return where in a grid the nodes between two are."""
        return tuple([slice(low[axis], high[axis] + 1) for axis in self._axes])

    def grid_of(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return values per node as a grid: an axis for each column with several levels."""
        return values.reshape(self._grid.shape)

    def settled(self, low: Node, high: Node) -> bool:
        """Return whether all nodes between two are decided."""
        return bool(self._grid[self.box(low, high)].all())

    @property
    def decided(self) -> int:
        return int(np.count_nonzero(self._grid))

    def count(self, value: int) -> int:
        return self.known.count(value)

    def mask(self, value: int) -> NDArray[np.bool_]:
        """Return a flag per node, an axis per column."""
        flags: NDArray[np.bool_] = np.frombuffer(self.known, np.uint8) == value
        return flags.reshape(self.levels)

    def satisfying(self) -> NDArray[np.int64]:
        """Return the satisfying nodes, one per row, sorted."""
        found = np.flatnonzero(np.frombuffer(self.known, np.uint8) == SATISFIES)
        return np.stack(np.unravel_index(found, self.levels), axis=1)
