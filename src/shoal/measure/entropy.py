"""Non-uniform entropy: how many bits the generalized cells hide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.encode.cells import Cells
from shoal.encode.column import CodedColumn
from shoal.encode.table import CodedTable
from shoal.measure.measure import Costs, IntArray, MeasureDefaults, Node, not_levels


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
        return sum(self.contributions(node.table, node.cells, ()), 0.0)

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
        self, table: CodedTable, cells: Sequence[Cells], lost: Sequence[IntArray]
    ) -> tuple[float, ...]:
        pairs = zip(table.columns, cells, strict=True)
        return tuple(_bits_of_cells(table, column, of_column) for column, of_column in pairs)


def _bits_of_cells(table: CodedTable, column: CodedColumn, cells: Cells) -> float:
    """Return the bits that the labels of a column hide: of its values, a label covers those of its node."""
    if cells.level is not None:
        return _bits(column, cells.level)
    if cells.nodes is None:
        raise not_levels(Entropy.name)
    # Rows with a label hide log2(rows under its node / rows of their own value) bits each.
    under = {level: column.label_counts(level) for level in set(cells.nodes.levels.tolist())}
    nodes = zip(cells.nodes.levels.tolist(), cells.nodes.numbers.tolist(), strict=True)
    wholes = [int(under[level][number]) for level, number in nodes]
    rows = cells.label_counts(table).tolist()
    labels = [number * math.log2(whole) for number, whole in zip(rows, wholes, strict=True) if number]
    values = [-number * math.log2(number) for number in column.counts.tolist() if number]
    return max(math.fsum(labels + values), 0.0)


def _bits(column: CodedColumn, level: int) -> float:
    return _hidden(column.counts, column.label_counts(level)[column.maps[level]])


def _hidden(parts: IntArray, wholes: IntArray) -> float:
    """Return the bits that are lost when values of `parts` rows each look like `wholes` rows each."""
    pairs = zip(parts.tolist(), wholes.tolist(), strict=True)
    # A value that only a population has is in no row.
    return math.fsum(part * math.log2(whole / part) for part, whole in pairs if part)
