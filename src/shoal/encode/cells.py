"""The cells of a recoded column as numbers: the labels, and the label of each entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.describe.hierarchy import as_text
from shoal.encode.column import CodedColumn, IntArray, UIntArray
from shoal.encode.table import CodedTable
from shoal.exact_counts import count


class HierarchyNodes(NamedTuple):
    """Labels as nodes of a column's hierarchy: the level of each, and its number at that level."""

    levels: IntArray
    numbers: IntArray


@dataclass(frozen=True, slots=True, repr=False)  # notebooks and logs would show values
class Cells:
    """The recoded cells of one quasi-identifier, for every entry of a coded table.

    Attributes
    ----------
    labels
        The distinct labels, including NULL if it occurs. If all are original values they may have the
        column's type; otherwise they are text.
    numbers
        For each entry of the table, the number of its label.
    leaves
        For each label, the number of leaves of the whole hierarchy that it covers.
    nodes
        The node of each label in the column's hierarchy; None if some labels are not nodes. If a text names
        several nodes, it is the widest of them.
    of_population
        By key the same numbers for the rows of the table's populations.
    mean_leaves
        Where a label stands for more in some rows than in others, as the mean of a class does: the leaves
        that it stands for on average, while `leaves` has the most. Otherwise None.
    """

    labels: pa.Array
    numbers: UIntArray
    leaves: IntArray
    nodes: HierarchyNodes | None = None
    of_population: Mapping[str, UIntArray] = field(default_factory=dict)
    mean_leaves: NDArray[np.float64] | None = None

    @property
    def charged_leaves(self) -> NDArray[np.int64] | NDArray[np.float64]:
        """The leaves that measures charge a cell with each label for."""
        return self.leaves if self.mean_leaves is None else self.mean_leaves

    @property
    def level(self) -> int | None:
        """The common level of all labels; None if they have different levels."""
        if self.nodes is None or not len(self.nodes.levels):
            return None
        level = int(self.nodes.levels[0])
        return level if (self.nodes.levels == level).all() else None

    def unchanged(self, column: CodedColumn) -> NDArray[np.bool_]:
        """Return for each label whether it is an original value, and covers no other."""
        original = pc.is_in(as_text(self.labels), as_text(column.labels[0])).to_numpy(zero_copy_only=False)
        return np.asarray(original & (self.leaves == 1))

    def label_counts(self, table: CodedTable) -> IntArray:
        """Return the number of rows of the table with each label."""
        return count(self.numbers, len(self.labels), table.weights)


def cells_at(table: CodedTable, levels: Sequence[int]) -> tuple[Cells, ...]:
    """Return the cells of a table in which every column has one level.

    Parameters
    ----------
    levels
        The level of each quasi-identifier.

    Examples
    --------
    >>> from shoal.describe import intervals
    >>> from shoal.encode.column import code_column
    >>> ages = code_column("age", pa.array([31, 35, 52]).dictionary_encode(), intervals(10, 20))
    >>> (cells,) = cells_at(CodedTable((ages,), 3), [1])
    >>> cells.labels.to_pylist(), cells.numbers.tolist(), cells.level
    (['[30, 40)', '[50, 60)'], [0, 0, 1], 1)
    """
    return tuple(
        Cells(
            labels=column.labels[level],
            numbers=_numbers(column, level, column.codes),
            leaves=column.leaves[level],
            nodes=HierarchyNodes(
                np.full(len(column.labels[level]), level), np.arange(len(column.labels[level]))
            ),
            of_population={
                key: _numbers(column, level, population.codes[index])
                for key, population in table.populations.items()
            },
        )
        for index, (column, level) in enumerate(zip(table.columns, levels, strict=True))
    )


def _numbers(column: CodedColumn, level: int, codes: UIntArray) -> UIntArray:
    return codes if level == 0 else column.maps[level][codes]
