"""The recodings that a search chooses among, and the best one that it has seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.measure.measure import shares
from shoal.recode.recoding import Recoding
from shoal.search.problem import SearchProblem
from shoal.search.single_dimensional.partitions import Partitions, total
from shoal.search.single_dimensional.tuples import Blocks, Floats, Judge, Tuples

Choice = tuple[Blocks, ...]
"""The blocks of every column."""


@dataclass(frozen=True)
class Estimate:
    """What a choice costs, and its failing rows, by classes that are judged one by one."""

    cost: float
    failing: float


class Space:
    """All choices of blocks, one of the ways of each column.

    Parameters
    ----------
    recode
        Makes the recoding of a choice.
    """

    def __init__(
        self,
        problem: SearchProblem,
        partitions: Sequence[Partitions],
        recode: Callable[[Choice], Recoding],
    ) -> None:
        self.problem = problem
        self.partitions = tuple(partitions)
        self.tuples = Tuples.of(problem.table)
        self.judge = Judge.of(problem)
        self.per_row = 1 / max(problem.table.rows, 1)
        self.weights = [share * self.per_row for share in shares(problem.table)]
        self.rows = [
            total(partition.spans, column.label_counts(column.min_level).astype(np.float64))
            for partition, column in zip(self.partitions, problem.table.columns, strict=True)
        ]
        self.best: Choice | None = None
        self.score = np.inf
        self._recode = recode

    def cell_costs(self, column: int, blocks: Blocks) -> Floats:
        """Return for each value of a column what a cell with the label of its block costs, weighted."""
        partition = self.partitions[column]
        costs: Floats = partition.costs[partition.candidates(blocks)][blocks]
        return costs * self.weights[column]

    def candidate_costs(self, column: int, failing: Floats) -> Floats:
        """Return what the cells of each candidate cost if so many rows of it are suppressed.

        It is infinite for blocks that do not exist, or in which more rows fail than may be suppressed.
        """
        costs = self.partitions[column].costs
        allowed = np.isfinite(costs) & (failing <= self.problem.limit)
        lost = np.where(allowed, failing, 0.0)
        kept = (self.rows[column] - lost) * np.where(allowed, costs, 0.0)
        return np.where(allowed, self.weights[column] * (kept + lost), np.inf)

    def row_costs(self, choice: Choice, tuples: Tuples) -> Floats:
        """Return for each tuple what a row of it costs, if it is not suppressed."""
        costs = np.zeros(len(tuples.rows))
        for column, (blocks, values) in enumerate(zip(choice, tuples.values, strict=True)):
            costs += self.cell_costs(column, blocks)[values]
        return costs

    def estimate(self, choice: Choice, tuples: Tuples | None = None) -> Estimate:
        """Estimate by all tuples, or by some that are merged no further than the choice does."""
        tuples = self.tuples if tuples is None else tuples
        groups = tuples.grouped(choice)
        failing = self.judge.failing(tuples, groups)
        costs = np.where(failing[groups.of_tuple] > 0, self.per_row, self.row_costs(choice, tuples))
        return Estimate(float((costs * tuples.rows).sum()), float(failing.sum()))

    def offer(self, choice: Choice) -> int | None:
        """Keep a choice if its release satisfies and scores better than the best so far.

        Returns
        -------
        int or None
            The rows that its release suppresses; None if it does not satisfy.
        """
        verdict = self.problem.verdict_of(self._recode(choice))
        if not self.problem.satisfied(verdict):
            return None
        score = self.problem.score(verdict)
        if score < self.score:
            self.best, self.score = choice, score
        return verdict.suppressed_rows
