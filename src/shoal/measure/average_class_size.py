"""Average class size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.encode.table import CodedTable
from shoal.measure.measure import Costs, MeasureDefaults, Node
from shoal.measure.untouched_classes import untouched_classes


@dataclass(frozen=True, slots=True)
class AverageClassSize(MeasureDefaults):
    """Rows per class, divided by k where the requirement names one.

    From 1/k (all rows distinct) to N/k. All classes count, also those that will be suppressed, which makes
    it monotone. 60 rows in 4 classes with k = 5 give 60 / 4 / 5 = 3.

    References
    ----------
    K. LeFevre, D. DeWitt and R. Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006.
    """

    name: ClassVar[str] = "average-class-size"
    summary: ClassVar[str] = "Rows per class, divided by k."
    extent: ClassVar[str] = "1/k to N/k"
    monotone: ClassVar[bool] = True
    weighted: ClassVar[bool] = False

    def score(self, node: Node) -> float:
        return node.table.rows / len(node.sizes) / (node.k or 1)

    def costs(self, table: CodedTable, k: int | None) -> Costs:
        return Costs(term="mean-size", divisor=float(k or 1))

    def ends(self, table: CodedTable, k: int | None) -> tuple[float, float] | None:
        if table.bottom is not None:
            return None
        _, sizes = untouched_classes(table)
        return table.rows / len(sizes) / (k or 1), table.rows / (k or 1)
