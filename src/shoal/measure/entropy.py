"""Non-uniform entropy: how many bits the generalized cells hide."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from shoal.encode.column import CodedColumn
from shoal.encode.table import CodedTable
from shoal.measure.measure import Costs, Node


@dataclass(frozen=True, slots=True)
class Entropy:
    """Minus the sum over cells of log2(count of the original value / count of its generalization).

    From 0 (untouched) to the sum over columns of N times the column's entropy. A column of 2 men and 2 women
    at `*` hides 4 x log2(4 / 2) = 4 bits. Suppression and column weights do not count, so it is monotone.

    References
    ----------
    A. Gionis and T. Tassa, "k-anonymization with minimal loss of information", TKDE 21(2), 2009.
    """

    name: ClassVar[str] = "entropy"
    monotone: ClassVar[bool] = True
    weighted: ClassVar[bool] = False

    def score(self, node: Node) -> float:
        score = 0.0
        for column, level in zip(node.table.columns, node.levels, strict=True):
            score += self._bits(column, level)
        return score

    def costs(self, table: CodedTable, k: int | None) -> Costs:
        return Costs(
            weights=(1.0,) * len(table.columns),
            level_costs=tuple(
                tuple(self._bits(column, level) for level in range(column.height + 1))
                for column in table.columns
            ),
        )

    @staticmethod
    def _bits(column: CodedColumn, level: int) -> float:
        wholes = column.label_counts(level)[column.maps[level]].tolist()
        parts = column.counts.tolist()
        return math.fsum(part * math.log2(whole / part) for part, whole in zip(parts, wholes, strict=True))
