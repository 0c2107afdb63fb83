"""Local search: one column after the other is put into the best blocks for the blocks of the others."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from shoal.encode.column import UIntArray
from shoal.search.single_dimensional.partitions import OPEN
from shoal.search.single_dimensional.space import Choice, Space
from shoal.search.single_dimensional.tuples import Blocks, Floats, Groups

_SWEEPS = 4
_PRICES = 12
_SAME = 1e-12


class LocalSearch:
    """Better and better choices, from the best one known.

    Each step makes the blocks of some columns coarser by chance, then improves the other columns in any order
    and those last, exactly: the best blocks of one column are a shortest path, or a cut through a tree. The
    result is kept if it costs no more than before.
    """

    def __init__(self, space: Space) -> None:
        self._space = space
        self._random = np.random.default_rng(0)

    def run(self, steps: int, going: Callable[[], bool]) -> None:
        """Make so many steps from the best known choice, as long as `going` says so."""
        space = self._space
        columns = [
            column for column, partition in enumerate(space.partitions) if (partition.begin() == OPEN).any()
        ]
        if space.best is None or not columns:
            return
        current, cost = space.best, space.estimate(space.best).cost
        trial = self._improved(current, columns, going)
        for _ in range(steps):
            found = space.estimate(trial)
            if found.failing <= space.problem.limit and found.cost <= cost + _SAME:
                current, cost = trial, found.cost
                if cost < space.score - _SAME:
                    space.offer(trial)
            if not going():
                return
            several = int(self._random.integers(1, len(columns) + 1))
            ruined = self._random.choice(columns, several, replace=False).tolist()
            kept = [column for column in columns if column not in ruined]
            coarser = list(current)
            for column in ruined:
                coarser[column] = self._coarser(column, current[column])
            order = [*self._random.permutation(kept).tolist(), *ruined]
            block_cost = cost * 10 ** self._random.uniform(-4, -1)
            trial = self._improved(tuple(coarser), order, going, block_cost)

    def _coarser(self, column: int, blocks: Blocks) -> Blocks:
        """Merge neighbouring blocks by chance."""
        partition = self._space.partitions[column]
        first, after = partition.spans
        ends = np.append(np.flatnonzero(np.diff(blocks.astype(np.int64), prepend=-1)), len(blocks))
        costs = self._random.random(len(first)) * (after - first).clip(1) ** self._random.uniform(0, 1.5)
        costs[~(np.isin(first, ends) & np.isin(after, ends))] = np.inf
        return partition.blocks(partition.cheapest(costs, partition.begin()).blocks)

    def _improved(
        self, choice: Choice, order: list[int], going: Callable[[], bool], block_cost: float = 0.0
    ) -> Choice:
        """Improve columns in an order until none can be.

        At first each block costs something by itself: otherwise the first columns become as fine as they can
        be, and leave nothing to the others.
        """
        columns = [_Column.of(self._space, column, blocks) for column, blocks in enumerate(choice)]
        for sweep in range(_SWEEPS):
            changed = sweep == 0
            per_block = block_cost if sweep == 0 else 0.0
            for column in order:
                if not going():
                    break
                better = self._best_blocks(column, columns, per_block)
                if not np.array_equal(better, columns[column].blocks):
                    columns[column] = _Column.of(self._space, column, better)
                    changed = True
            if not changed:
                break
        return tuple(column.blocks for column in columns)

    def _best_blocks(self, column: int, columns: list[_Column], per_block: float) -> Blocks:
        """Return the blocks of a column that cost the least with those of the others."""
        space, partition, blocks = self._space, self._space.partitions[column], columns[column].blocks
        tuples, limit = space.tuples, space.problem.limit
        others = [other for place, other in enumerate(columns) if place != column]
        groups = Groups.by(
            [other.of_tuple for other in others],
            [int(other.blocks[-1]) + 1 for other in others],
            len(tuples.rows),
        )
        extra = np.full(len(tuples.rows), space.per_row - space.weights[column])
        for other in others:
            extra -= other.costs
        failing = partition.failing(
            space.judge, tuples, tuples.values[column], groups, groups.any_of(extra), blocks
        )
        lost = np.minimum(failing.rows, space.rows[column])
        costs = space.candidate_costs(column, failing.rows) + failing.extra + per_block
        now = partition.candidates(blocks)
        best, least = blocks, float(costs[now].sum())
        if failing.rows[now].sum() > limit:
            least = math.inf
        decisions = partition.begin()
        price, low, high = 0.0, 0.0, math.inf
        for _ in range(_PRICES):
            found = partition.cheapest(costs + price * lost, decisions)
            if not math.isfinite(found.cost):
                break
            within = lost[found.blocks].sum() <= limit
            if within and costs[found.blocks].sum() < least - _SAME:
                best, least = partition.blocks(found.blocks), float(costs[found.blocks].sum())
            if within and price == 0:
                break
            low, high = (low, price) if within else (price, high)
            price = max(2 * price, space.per_row / 4) if math.isinf(high) else (low + high) / 2
        return best


@dataclass(frozen=True, eq=False)
class _Column:
    """The blocks of a column, and for each tuple its block and what a cell of it costs."""

    blocks: Blocks
    of_tuple: UIntArray
    costs: Floats

    @classmethod
    def of(cls, space: Space, column: int, blocks: Blocks) -> Self:
        values = space.tuples.values[column]
        return cls(blocks, blocks[values], space.cell_costs(column, blocks)[values])
