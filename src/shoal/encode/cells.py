"""The cells of a recoded column, as numbers: which labels there are, and which one each entry has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from shoal.counting import count
from shoal.encode.column import CodedColumn, IntArray, UIntArray
from shoal.encode.table import CodedTable


class HierarchyNodes(NamedTuple):
    """Labels as nodes of a column's hierarchy: the level of each, and its number at that level."""

    levels: IntArray
    numbers: IntArray


@dataclass(frozen=True, slots=True)
class Cells:
    """What one quasi-identifier becomes in every entry of a coded table.

    Attributes
    ----------
    labels
        The different labels, NULL among them where it occurs. Those that are all original values may have
        the column's type; otherwise they are text.
    numbers
        For each entry of the table, the number of its label.
    leaves
        For each label, how many leaves of the whole hierarchy it covers.
    nodes
        Where every label is a node of the column's hierarchy, which one; None otherwise. Where a text names
        several nodes, it is the widest of them.
    of_population
        By key the same numbers for the rows of the populations that the table has.
    """

    labels: pa.Array
    numbers: UIntArray
    leaves: IntArray
    nodes: HierarchyNodes | None = None
    of_population: Mapping[str, UIntArray] = field(default_factory=dict)

    @property
    def level(self) -> int | None:
        """The level that all labels are of; None where there is no such level."""
        if self.nodes is None or not len(self.nodes.levels):
            return None
        level = int(self.nodes.levels[0])
        return level if (self.nodes.levels == level).all() else None

    def label_counts(self, table: CodedTable) -> IntArray:
        """Return how many rows of the table have each label."""
        return count(self.numbers, len(self.labels), table.weights)


def cells_at(table: CodedTable, levels: Sequence[int]) -> tuple[Cells, ...]:
    """Return the cells of a table where every column has one level.

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
                key: _numbers(column, level, population.codes[place])
                for key, population in table.populations.items()
            },
        )
        for place, (column, level) in enumerate(zip(table.columns, levels, strict=True))
    )


def _numbers(column: CodedColumn, level: int, codes: UIntArray) -> UIntArray:
    return codes if level == 0 else column.maps[level][codes]
