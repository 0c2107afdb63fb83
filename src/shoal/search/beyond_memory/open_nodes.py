"""The nodes that may still be better than the best: a flag and a bound for each node of a lattice."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.measure.measure import canonical_all
from shoal.search.bound import SLACK, Bounds
from shoal.search.lattice import Lattice
from shoal.search.problem import Rank, SearchProblem

BoolGrid: TypeAlias = NDArray[np.bool_]
FloatGrid: TypeAlias = NDArray[np.float64]
GridPoint: TypeAlias = tuple[int, ...]
"""A node by its positions among the levels of the columns that have several."""


class OpenNodes:
    """Which nodes are open: neither known to fail, nor searched, nor worse than the best.

    Failing is closed downwards, so one node that fails closes all below it.

    Parameters
    ----------
    problem
        On columns without entries.

    Attributes
    ----------
    axes
        The columns that have several levels; an axis of the grids for each.
    shape
        How many levels these have.
    open
        A flag for each node.
    floors
        What each node scores at least.
    by_levels
        The same without what suppressed rows cost.
    additive
        Columns cost what their labels cost, in sum, and a suppressed row costs the more on top.
    """

    def __init__(self, problem: SearchProblem) -> None:
        self.problem = problem
        self.lattice: Lattice = problem.lattice
        self.levels = self.lattice.levels
        self.axes = tuple(axis for axis, levels in enumerate(self.levels) if len(levels) > 1)
        self.shape = tuple(len(self.levels[axis]) for axis in self.axes)
        self.open: BoolGrid = np.ones(self.shape, dtype=bool)
        self.additive = False
        self.by_levels: FloatGrid = np.full(self.shape, -math.inf)
        self._bounds: Bounds | None = None
        if problem.measure.costs(problem.table, problem.k) is not None:
            self._bounds = Bounds(problem)
            self.by_levels = self._cost()
            self.additive = self._bounds.additive and _nested(problem)
        self.floors: FloatGrid = self.by_levels.copy()
        self.best: Rank | None = None

    @property
    def top(self) -> GridPoint:
        return tuple(count - 1 for count in self.shape)

    @property
    def bound(self) -> float | None:
        """What no open node scores less than; None where only the measure itself can tell."""
        if self._bounds is None:
            return None
        return self._bounds.claim(float(self.floors[self.open].min(initial=math.inf)))

    def levels_of(self, point: GridPoint) -> tuple[int, ...]:
        """Return the levels of a node."""
        levels = [chosen[0] for chosen in self.levels]
        for axis, position in zip(self.axes, point, strict=True):
            levels[axis] = self.levels[axis][position]
        return tuple(levels)

    def fail(self, point: GridPoint) -> None:
        """Close a node that fails and all below it."""
        self.open[below(point)] = False

    def fail_all(self, failing: BoolGrid) -> None:
        """Close nodes that fail and all below them."""
        for axis in range(failing.ndim):
            failing = np.flip(np.logical_or.accumulate(np.flip(failing, axis), axis), axis)
        self.open &= ~failing

    def searched(self, point: GridPoint) -> None:
        """Close a node and all above it: the best of them is known."""
        self.open[above(point)] = False

    def raise_floors(self, extra: FloatGrid) -> None:
        """Let nodes cost more than their levels do, by what is certainly suppressed."""
        self.floors = np.maximum(self.floors, (self.by_levels + extra) * SLACK)

    def beat(self, best: Rank) -> None:
        """Close all nodes that cannot be better than a node of this rank."""
        if self.best is None or best < self.best:
            self.best = best
        self.close_worse()

    def close_worse(self) -> None:
        """Close all nodes that cannot be better than the best."""
        if self.best is None:
            return
        least = canonical_all(self.floors)
        self.open &= least <= self.best[0]
        ties = np.argwhere(self.open & (least == self.best[0]))
        for point in map(tuple, ties.tolist()):
            if self.problem.rank(self.levels_of(point), self.best[0]) >= self.best:
                self.open[point] = False

    def _cost(self) -> FloatGrid:
        """Return what neither a node nor a generalization of it scores less than, by its levels alone."""
        assert self._bounds is not None
        costs, aggregate = self._bounds.costs, self.problem.costs.aggregate
        least = self._bounds.by_sizes()
        if not costs:
            return np.full(self.shape, least)
        total = np.zeros(self.shape)
        for column, per_level in enumerate(costs):
            own = self._along(column, per_level)
            total = np.maximum(total, own) if aggregate == "max" else total + own
        if aggregate == "ranked":
            total = total / len(costs)  # the worst columns count more than in the mean
        exact = aggregate != "ranked" and (self.problem.limit == 0 or not self.problem.costs.label_costs)
        return np.maximum(canonical_all(total) if exact else total * SLACK, least)

    def _along(self, column: int, per_level: list[float]) -> FloatGrid:
        shape = [len(per_level) if axis == column else 1 for axis in self.axes]
        return np.array(per_level).reshape(shape)


def below(point: GridPoint) -> tuple[slice, ...]:
    """Return where in a grid a node and all nodes below it are."""
    return tuple([slice(position + 1) for position in point])


def above(point: GridPoint) -> tuple[slice, ...]:
    """Return where in a grid a node and all nodes above it are."""
    return tuple([slice(position, None) for position in point])


def joined(grid: NDArray[np.generic], point: GridPoint) -> NDArray[np.generic]:
    """Return for each node what a grid has at the lowest node above both it and `point`.

    Examples
    --------
    >>> joined(np.arange(9).reshape(3, 3), (1, 1)).tolist()
    [[4, 4, 5], [4, 4, 5], [7, 7, 8]]
    """
    chosen = [np.maximum(np.arange(count), least) for count, least in zip(grid.shape, point, strict=True)]
    return grid[np.ix_(*chosen)] if chosen else grid


def _nested(problem: SearchProblem) -> bool:
    """Return whether labels never cost less than what they generalize, and a suppressed cell never less."""
    for column, levels in zip(problem.table.columns, problem.costs.label_costs, strict=False):
        before = np.zeros(len(column.counts))
        for level, costs in enumerate(levels):
            now = np.array(costs)[column.maps[level]]
            if (now < before).any() or (now > 1).any():
                return False
            before = now
    return bool(problem.costs.label_costs)
