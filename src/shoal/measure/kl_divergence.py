"""KL divergence: how far what a reader reconstructs is from the true distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.encode.column import CodedColumn
from shoal.encode.table import CodedTable
from shoal.exact_counts import count
from shoal.measure.measure import Costs, MeasureDefaults, Node, number_groups
from shoal.measure.untouched_classes import untouched_classes

_ROUNDING = 1e-12  # what is left where the true value is 0


@dataclass(frozen=True, slots=True)
class KLDivergence(MeasureDefaults):
    """The sum over tuples of p ln(p / q): p is their true distribution, q the one that the labels tell.

    q spreads the rows of each class evenly over all tuples of leaves that its labels cover, used or not.
    With c rows of a tuple whose class has n rows and labels that cover g tuples, p = c / N and
    q = n / (N g), so that the value is (sum of c ln c - sum of n ln n + sum over cells of ln leaves) / N.

    From 0 (untouched) to the sum over columns of ln leaves, less the entropy of p (everything at `*`).
    Two tuples of 1 and 3 rows in a class whose labels cover 2 tuples: 1/4 ln(1/2) + 3/4 ln(3/2) = 0.1308.

    Suppression and column weights do not count, and it is monotone: going up from q to q', p and q give each
    class of q the same mass and q / q' is constant in it, so that D(p, q') = D(p, q) + D(q, q')
    (the Pythagorean identity of divergences), of which the last is never negative.

    References
    ----------
    D. Kifer and J. Gehrke, "Injecting utility into anonymized datasets", SIGMOD 2006.

    Examples
    --------
    >>> KLDivergence().to_spec()
    'kl-divergence'
    """

    name: ClassVar[str] = "kl-divergence"
    summary: ClassVar[str] = "The distance of the labels' distribution from the true one, in nats."
    extent: ClassVar[str] = "0 to ln(all tuples) - their entropy"
    monotone: ClassVar[bool] = True
    weighted: ClassVar[bool] = False

    @property
    def needs_tuples(self) -> bool:
        return True

    def score(self, node: Node) -> float:
        table = node.table
        tuples = number_groups(column.codes for column in table.columns)
        of_rows = node.class_of_rows()
        sizes = count(tuples, int(tuples.max(initial=-1)) + 1, table.weights)
        logs = np.log(sizes[tuples]) - np.log(np.array(node.sizes)[of_rows])
        for cells in node.cells:
            logs += np.log(cells.leaves)[cells.numbers]
        if table.weights is not None:
            logs *= table.weights
        return _settled(math.fsum(logs.tolist()) / table.rows)

    def costs(self, table: CodedTable, k: int | None) -> Costs:
        return Costs(
            term="logs",
            constant=_mean_log(table),
            scale=-1 / table.rows,
            weights=(1 / table.rows,) * len(table.columns),
            level_costs=tuple(
                tuple(_logs(column, level) for level in range(column.height + 1)) for column in table.columns
            ),
        )

    def ends(self, table: CodedTable, k: int | None) -> tuple[float, float] | None:
        if table.bottom is not None:
            return None
        leaves = math.fsum(math.log(column.total_leaves) for column in table.columns)
        return 0.0, _settled(_mean_log(table) - math.log(table.rows) + leaves)


def _mean_log(table: CodedTable) -> float:
    """Return the mean over rows of ln c, with c the rows that have the same tuple."""
    _, sizes = untouched_classes(table)
    counts, times = np.unique(sizes, return_counts=True)
    return math.fsum((counts * times * np.log(counts)).tolist()) / table.rows


def _logs(column: CodedColumn, level: int) -> float:
    """Return the sum over rows of ln(leaves under the label)."""
    return math.fsum((column.label_counts(level) * np.log(column.leaves[level])).tolist())


def _settled(score: float) -> float:
    return score if score > _ROUNDING else 0.0
