"""Non-uniform entropy: how many bits the generalized cells hide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.encode.column import CodedColumn
from shoal.encode.table import CodedTable
from shoal.measure.measure import Costs, IntArray, MeasureDefaults, Node


@dataclass(frozen=True, slots=True)
class Entropy(MeasureDefaults):
    """Minus the sum over cells of log2(count of the original value / count of its generalization).

    From 0 (untouched) to the sum over columns of N times the column's entropy. A column of 2 men and 2 women
    at `*` hides 4 x log2(4 / 2) = 4 bits. Suppression and column weights do not count, so it is monotone.

    References
    ----------
    A. Gionis and T. Tassa, "k-anonymization with minimal loss of information", TKDE 21(2), 2009.
    """

    name: ClassVar[str] = "entropy"
    summary: ClassVar[str] = "The bits that generalizing the cells hides."
    extent: ClassVar[str] = "0 to N x the columns' entropies"
    monotone: ClassVar[bool] = True
    weighted: ClassVar[bool] = False

    def score(self, node: Node) -> float:
        score = 0.0
        for column, level in zip(node.table.columns, node.levels, strict=True):
            score += _bits(column, level)
        return score

    def costs(self, table: CodedTable, k: int | None) -> Costs:
        return Costs(
            weights=(1.0,) * len(table.columns),
            level_costs=tuple(
                tuple(_bits(column, level) for level in range(column.height + 1)) for column in table.columns
            ),
        )

    def ends(self, table: CodedTable, k: int | None) -> tuple[float, float]:
        whole = (_hidden(column.counts, np.full(len(column.counts), table.rows)) for column in table.columns)
        return 0.0, sum(whole, 0.0)

    def contributions(
        self, table: CodedTable, levels: Sequence[int], lost: Sequence[IntArray]
    ) -> tuple[float, ...]:
        return tuple(_bits(column, level) for column, level in zip(table.columns, levels, strict=True))


def _bits(column: CodedColumn, level: int) -> float:
    return _hidden(column.counts, column.label_counts(level)[column.maps[level]])


def _hidden(parts: IntArray, wholes: IntArray) -> float:
    """Return the bits that are lost when values of `parts` rows each look like `wholes` rows each."""
    pairs = zip(parts.tolist(), wholes.tolist(), strict=True)
    # A value that only a population has is in no row.
    return math.fsum(part * math.log2(whole / part) for part, whole in pairs if part)
