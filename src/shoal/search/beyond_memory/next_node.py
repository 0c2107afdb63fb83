"""What to count next: the node whose frequency set would settle the most."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.search.beyond_memory.open_nodes import (
    BoolGrid,
    FloatGrid,
    GridPoint,
    OpenNodes,
    above,
    below,
    joined,
)
from shoal.search.beyond_memory.size_estimates import SizeEstimates

_MOST_CANDIDATES = 256
_MOST_WORK = 1 << 24
_LEAST_VALUE = 0.5  # less is hardly ever settled
_ROOM = 0.6  # a guess of the entries may be too low by as much


@dataclass(frozen=True, slots=True)
class Count:
    """A node to count: fetch its entries, or only ask how many rows are in small classes."""

    kind: Literal["fetch", "check"]
    point: GridPoint


class NodeChooser:
    """Chooses what to count, and remembers what does not fit.

    Attributes
    ----------
    too_large
        Nodes whose entries are known not to fit.
    """

    def __init__(
        self, live: OpenNodes, estimates: SizeEstimates, most_entries: int, *, all_nodes: bool
    ) -> None:
        self._live = live
        self._estimates = estimates
        self._most = most_entries
        self._all_nodes = all_nodes
        self.too_large: BoolGrid = np.zeros(live.shape, dtype=bool)
        self._fits: BoolGrid = self._upper_bounds() <= most_entries
        self._fetched: BoolGrid = np.zeros(live.shape, dtype=bool)
        self._checked: BoolGrid = np.zeros(live.shape, dtype=bool)
        self._passes: BoolGrid = np.zeros(live.shape, dtype=bool)

    def next(self) -> Count | None:
        """Return what to count now; None where nothing helps any more."""
        live, estimates = self._live, self._estimates
        fails = self._fails()
        fits = (self._fits | (estimates.entries <= self._most * _ROOM)) & ~self.too_large
        weights = self._weights(fails, fits)
        fetch, value = self._best_fetch(weights, fails, fits)
        check, other = self._best_check(weights, fails, fits)
        # What fits comes first, lest nothing be found if counting ends early.
        if fetch is not None and (value >= other or live.best is None):
            return Count("fetch", fetch)
        if check is not None and other > 0:
            return Count("check", check)
        return self._last_resort()

    def oversized(self, point: GridPoint) -> None:
        """Note that the entries of a node do not fit; nor do those of any below it."""
        self.too_large[below(point)] = True
        self._fits &= ~self.too_large

    def fetched(self, point: GridPoint, passing: BoolGrid) -> None:
        """Note that the entries of a node were fetched, and which nodes above it may satisfy."""
        self._fetched[above(point)] = True
        self._passes |= passing

    def checked(self, point: GridPoint, *, passes: bool, entries: int | None) -> None:
        """Note whether a node has few enough rows in small classes; then so have all above it.

        If its entries are known by now, note whether they fit.
        """
        self._checked[point] = True
        if passes:
            self._passes[above(point)] = True
        if entries is not None and entries > self._most:
            self.oversized(point)
        elif entries is not None:
            self._fits[above(point)] = True

    def missing(self) -> float:
        """Return about how many entries would settle what is left, if they were fetched at one node."""
        live, entries = self._live, self._estimates.entries
        fails = self._fails() > 0.5
        point = tuple(np.argwhere(live.open).min(axis=0).tolist())
        while True:
            # Above the lowest of what is left, as long as the rest would fail.
            higher = [
                (*point[:axis], position + 1, *point[axis + 1 :])
                for axis, position in enumerate(point)
                if position < live.top[axis]
            ]
            higher = [node for node in higher if self._settles(node, fails)]
            if not higher:
                return float(entries[point])
            point = min(higher, key=lambda node: float(entries[node]))

    def _settles(self, point: GridPoint, fails: BoolGrid) -> bool:
        settled = np.array(joined(fails, point))
        settled[above(point)] = True
        return bool(settled[self._live.open].all())

    def _fails(self) -> FloatGrid:
        """Return how likely nodes have too many rows in small classes, as far as it is not known."""
        return np.where(self._passes, 0.0, self._estimates.fails(self._live.problem.limit))

    def _weights(self, fails: FloatGrid, fits: BoolGrid) -> FloatGrid:
        """Return how much it is worth to settle each node.

        Nodes that will be worse than the best which is likely to be found need no counting.
        """
        live = self._live
        wanted = live.open
        if not self._all_nodes and np.isfinite(live.by_levels).all():
            guessed = live.floors
            if live.additive:
                share = np.minimum(self._estimates.small / max(live.problem.table.rows, 1), 1)
                guessed = live.floors + share * np.maximum(1 - live.floors, 0)
            likely = wanted & fits & (fails < 0.5)
            if likely.any():
                wanted = wanted & (live.floors <= guessed[likely].min())
        if not wanted.any():
            wanted = live.open
        highest = wanted.copy()
        for axis in range(wanted.ndim):
            upper = (slice(None),) * axis + (slice(1, None),)
            lower = (slice(None),) * axis + (slice(-1),)
            highest[lower] &= ~wanted[upper]
        return np.asarray(wanted * (1.001 - fails) + highest)

    def _best_fetch(
        self, weights: FloatGrid, fails: FloatGrid, fits: BoolGrid
    ) -> tuple[GridPoint | None, float]:
        """Return the node whose entries, fetched, are likely to settle the most.

        It settles all nodes above it, and those that have a common generalization with it which fails. So
        the lower the better, as long as the entries fit.
        """
        live = self._live
        lowest = fits.copy()
        for axis in range(fits.ndim):
            upper = (slice(None),) * axis + (slice(1, None),)
            lower = (slice(None),) * axis + (slice(-1),)
            lowest[upper] &= ~fits[lower]
        candidates = np.argwhere(lowest & ~self._fetched)
        most = max(min(_MOST_CANDIDATES, _MOST_WORK // max(weights.size, 1)), 8)
        if len(candidates) > most:
            worth = weights
            for axis in range(weights.ndim):
                worth = np.flip(np.cumsum(np.flip(worth, axis), axis), axis)
            order = np.argsort(-worth[tuple(candidates.T)], kind="stable")
            candidates = candidates[order[:most]]
        best: tuple[GridPoint | None, float] = (None, 0.0)
        for point in map(tuple, candidates.tolist()):
            region = above(point)
            if live.best is None:
                # A node that satisfies is wanted first, and only then what rules out others.
                value = float((weights[region] * (1 - fails[region])).sum())
            else:
                settles = np.array(joined(fails, point), dtype=np.float64)
                settles[region] = 1
                value = float((weights * settles).sum())
            if value > best[1] and (value >= _LEAST_VALUE or live.open[region].any()):
                best = (point, value)
        return best

    def _best_check(
        self, weights: FloatGrid, fails: FloatGrid, fits: BoolGrid
    ) -> tuple[GridPoint | None, float]:
        """Return the node that does not fit and, checked, is likely to settle the most, by failing."""
        able = ~fits & ~self._checked & (fails > 0.5)
        if not able.any():
            return None, 0.0
        worth = weights
        for axis in range(weights.ndim):
            worth = np.cumsum(worth, axis)
        values = np.where(able, worth * fails**2, 0.0)
        point = np.unravel_index(int(np.argmax(values)), values.shape)
        return tuple(int(position) for position in point), float(values.max())

    def _last_resort(self) -> Count | None:
        """Return an open node that looks too large, in case it is not, or one that may fail after all."""
        live = self._live
        able = live.open & ~self.too_large
        if able.any():
            entries = np.where(able, self._estimates.entries, math.inf)
            # The last of them: of nodes that look equally large the highest.
            last = entries.size - 1 - int(np.argmin(entries.reshape(-1)[::-1]))
            return Count("fetch", _point(entries, last))
        able = live.open & ~self._checked & ~self._passes
        if able.any():
            fails = np.where(able, self._estimates.fails(live.problem.limit), -1.0)
            return Count("check", _point(fails, int(np.argmax(fails))))
        return None

    def _upper_bounds(self) -> FloatGrid:
        """Return what the entries of each node cannot be more than."""
        table = self._live.problem.table
        if table.units is not None:
            return np.full(self._live.shape, float(table.rows))
        bound: FloatGrid = np.ones(self._live.shape)
        for point, axis in enumerate(self._live.axes):
            labels = [float(len(table.columns[axis].labels[level])) for level in self._live.levels[axis]]
            bound = bound * np.array(labels).reshape(
                [-1 if other == point else 1 for other in range(bound.ndim)]
            )
        others = set(range(len(table.columns))) - set(self._live.axes)
        for column in others:
            bound *= len(table.columns[column].labels[self._live.levels[column][0]])
        for attribute in table.attributes.values():
            bound *= len(attribute.counts)
        return np.minimum(bound, float(table.rows))


def _point(grid: FloatGrid, index: int) -> GridPoint:
    return tuple(int(position) for position in np.unravel_index(index, grid.shape))
