"""Loss: how much of its domain the mean cell covers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.encode.column import CodedColumn
from shoal.encode.table import CodedTable
from shoal.measure.cells import cell_costs, mean_cost
from shoal.measure.measure import Costs, Node


@dataclass(frozen=True, slots=True)
class Loss:
    """The mean over cells of (leaves under the label - 1) / (leaves of the column - 1).

    Leaves are those of the whole hierarchy, used or not; a suppressed cell counts 1. From 0 (untouched) to 1
    (everything at the top or suppressed). Columns are averaged by weight. A label that covers 10 of 100
    ages costs 9 / 99 = 0.0909.

    References
    ----------
    V. Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002.
    """

    name: ClassVar[str] = "loss"
    monotone: ClassVar[bool] = False
    weighted: ClassVar[bool] = True

    def score(self, node: Node) -> float:
        return mean_cost(node, self.label_costs)

    def costs(self, table: CodedTable, k: int | None) -> Costs:
        return cell_costs(table, self.label_costs)

    @staticmethod
    def label_costs(column: CodedColumn, level: int) -> tuple[float, ...]:
        others = column.total_leaves - 1
        return tuple(((leaves - 1) / others if others else 0.0) for leaves in column.leaves[level].tolist())
