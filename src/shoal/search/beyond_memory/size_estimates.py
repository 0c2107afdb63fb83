"""Guesses how many tuples nodes have, and how many rows are in small classes, from single columns.

Nothing that is told of a release depends on a guess: it says what is worth counting. The guess takes columns
for independent, and is set right by what was counted: classes of real tables are larger than that by a factor
that changes slowly from node to node.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.search.beyond_memory.open_nodes import FloatGrid, GridPoint, OpenNodes

_MOST_CELLS = 1 << 23
_LARGEST = 50.0  # of logarithms: more rows than any table has
_SHIFTS = np.arange(-6.0, 12.0, 0.25)  # by how much the logarithm of a class size may be off

Samples: TypeAlias = NDArray[np.float32]
"""Along the first axis for each sample, then per node: the logarithm of the rows in the sample's class."""


class SizeEstimates:
    """Entries and small classes of all nodes, as far as they can be guessed.

    Attributes
    ----------
    entries
        Per node about how many entries its frequency set has.
    small
        Per node about how many rows are in classes that are too small.
    """

    def __init__(self, live: OpenNodes) -> None:
        self._live = live
        table = live.problem.table
        self._rows, self._k = table.rows, live.problem.threshold
        self._samples = int(np.clip(_MOST_CELLS // max(math.prod(live.shape), 1), 4, 256))
        random = np.random.default_rng(0)
        self._by_rows = self._draw(random, uniform=False)
        self._by_labels = self._draw(random, uniform=True)
        self._beside = self._draw_beside(random)
        labels = [
            np.log([max(len(column.labels[level]), 1) for level in levels])
            for column, levels in zip(table.columns, live.levels, strict=True)
        ]
        self._labels = [labels[axis] for axis in live.axes]
        fixed = sum(float(own[0]) for axis, own in enumerate(labels) if axis not in live.axes)
        self._tuples = np.exp(np.minimum(fixed + self._sum(self._labels), _LARGEST))
        self._sizes: dict[GridPoint, float] = {}
        self._smalls: dict[GridPoint, float] = {}
        self.entries: FloatGrid
        self.small: FloatGrid
        self.guess()

    def learn(self, point: GridPoint, *, entries: int | None = None, small: int | None = None) -> None:
        """Take in what was counted at a node. `guess` makes use of it."""
        at: tuple[slice | int, ...] = (slice(None), *point)
        rows, labels = np.asarray(self._by_rows[at]), np.asarray(self._by_labels[at])
        if entries is not None:
            self._sizes[point] = _shift(entries, lambda shift: self._count_entries(rows + np.float32(shift)))
        if small is not None and 0 < small < self._rows:
            tuples = self._tuples[point]
            self._smalls[point] = _shift(
                small,
                lambda shift: self._count_small(rows + np.float32(shift), labels + np.float32(shift), tuples),
            )

    def guess(self) -> None:
        """Guess anew, by all that was learned."""
        self.entries = self._count_entries(self._by_rows + self._shifts(self._sizes))
        shifts = self._shifts(self._smalls)
        self.small = self._count_small(self._by_rows + shifts, self._by_labels + shifts, self._tuples)

    def fails(self, limit: int) -> FloatGrid:
        """Return how likely each node has too many rows in small classes."""
        if limit == 0:
            return np.asarray(-np.expm1(-self.small))
        with np.errstate(divide="ignore"):
            return np.asarray(1 / (1 + np.exp(-np.clip(4 * np.log(self.small / limit), -30, 30))))

    def _draw(self, random: np.random.Generator, *, uniform: bool) -> Samples:
        """Draw rows, or with `uniform` tuples of labels whether or not a row has them."""
        live = self._live
        rows = max(self._rows, 1)
        logs: Samples = np.full((self._samples, *(1 for _ in live.shape)), math.log(rows), dtype=np.float32)
        for column, levels in enumerate(live.levels):
            coded = live.problem.table.columns[column]
            quantiles = random.permutation(_steps(self._samples))
            shares = np.empty((self._samples, len(levels)), dtype=np.float32)
            for position, level in enumerate(levels):
                counts = coded.label_counts(level)
                if uniform:
                    labels = (quantiles * len(counts)).astype(np.intp)
                else:
                    labels = coded.maps[level][_pick(coded.counts, quantiles)].astype(np.intp)
                shares[:, position] = np.log(np.maximum(counts[labels], 0.5) / rows)
            along = [len(levels) if axis == column else 1 for axis in live.axes]
            logs = logs + shares.reshape(self._samples, *along)
        return logs

    def _draw_beside(self, random: np.random.Generator) -> Samples:
        """Return the logarithms of the shares of what entries have beside their labels."""
        table = self._live.problem.table
        beside = np.zeros(self._samples)
        for column in table.attributes.values():
            quantiles = random.permutation(_steps(self._samples))
            beside += np.log(
                np.maximum(column.counts[_pick(column.counts, quantiles)], 0.5) / max(self._rows, 1)
            )
        if table.units is not None:
            beside -= _LARGEST  # hardly two rows with one tuple are about one unit
        return beside.astype(np.float32)

    def _count_entries(self, logs: Samples) -> FloatGrid:
        beside = self._beside.reshape(-1, *(1 for _ in logs.shape[1:]))
        sizes = np.exp(np.clip(logs + beside, -15, _LARGEST))
        per_row = (-np.expm1(-sizes) / sizes).mean(axis=0, dtype=np.float64)
        return np.asarray(np.maximum(self._rows * per_row, 1.0))

    def _count_small(self, by_rows: Samples, by_labels: Samples, tuples: FloatGrid) -> FloatGrid:
        """Count rows in small classes: many of them by sampled rows, few by sampled labels."""
        if self._k <= 1:
            return np.zeros(by_rows.shape[1:])
        share = _at_most(self._k - 2, np.exp(np.minimum(by_rows, _LARGEST))).mean(axis=0, dtype=np.float64)
        sizes = np.exp(np.minimum(by_labels, _LARGEST))
        few = tuples * (sizes * _at_most(self._k - 2, sizes)).mean(axis=0, dtype=np.float64)
        return np.asarray(np.where(share > 0.005, self._rows * share, np.minimum(few, self._rows * 0.005)))

    def _shifts(self, learned: dict[GridPoint, float]) -> Samples:
        """Return for each node the shift of the counted ones, the nearest counting most."""
        shape = self._live.shape
        total, weighted = np.full(shape, 1e-9), np.zeros(shape)
        for point, shift in learned.items():
            apart = [np.abs(own - own[position]) for position, own in zip(point, self._labels, strict=True)]
            weight = 1 / (0.3 + self._sum(apart)) ** 2
            total += weight
            weighted += weight * shift
        return np.asarray(weighted / total, dtype=np.float32)

    def _sum(self, per_axis: list[FloatGrid]) -> FloatGrid:
        """Return the sum of a figure per level over all axes, for each node."""
        total = np.zeros(self._live.shape)
        for axis, own in enumerate(per_axis):
            total = total + own.reshape([-1 if other == axis else 1 for other in range(len(per_axis))])
        return total


def _shift(counted: float, guess: Callable[[float], FloatGrid]) -> float:
    """Return what added to the logarithms of class sizes gives what was counted."""
    found = np.array([float(guess(shift)) for shift in _SHIFTS])
    return float(_SHIFTS[np.argmin(np.abs(np.log(np.maximum(found, 1e-9) / max(counted, 1e-9))))])


def _steps(number: int) -> FloatGrid:
    return (np.arange(number) + 0.5) / number


def _pick(counts: NDArray[np.int64], quantiles: FloatGrid) -> NDArray[np.intp]:
    """Return the codes at these shares of the rows."""
    ends = np.cumsum(counts)
    found = np.searchsorted(ends, quantiles * ends[-1], side="right")
    return np.asarray(np.minimum(found, len(counts) - 1))


def _at_most(most: int, mean: Samples) -> Samples:
    """Return about how likely a Poisson count with this mean is at most so large."""
    if most <= 8:
        term = np.exp(-mean)
        total = term.copy()
        for number in range(1, most + 1):
            term = term * mean / np.float32(number)
            total += term
        return total
    apart = np.clip(1.7 * (mean - most - 0.5) / np.sqrt(mean + 1), -50, 50)
    return np.asarray(1 / (1 + np.exp(apart)), dtype=np.float32)
