"""Recoding by classes of which only the values that labels are made of are in memory, not the tuples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.encode.cells import Cells
from shoal.encode.column import IntArray, UIntArray
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.recode.by_classes import ByClasses
from shoal.recode.by_entries import at_levels, equal_parts
from shoal.recode.class_labels import ClassValues, form_of


@dataclass(frozen=True, eq=False)
class ByParts(ByClasses):
    """Every tuple of values gets the labels of its class, and a table has the entries of its classes.

    Parameters
    ----------
    values
        For each column, the values that the labels of classes are made of.
    class_of
        The class of every entry.
    class_of_values
        For each column, the class of each of its values.
    rows_of_values
        For each column, how many rows of the class have the value, if averages are released of it.
    divide
        Yields the tuples of one part after the other, and the class of each.
    """

    class_of_values: tuple[UIntArray, ...] = field(default=(), repr=False)
    rows_of_values: tuple[IntArray, ...] = field(default=(), repr=False)
    divide: Callable[[], Iterator[tuple[CodedTable, UIntArray]]] = field(default=lambda: iter(()), repr=False)

    def tuples(self) -> Iterator[tuple[CodedTable, UIntArray]]:
        return self.divide()

    def cells(self, table: CodedTable) -> tuple[Cells, ...]:
        if table.entries != len(self.class_of):
            raise InputError(
                "This recoding was chosen for other entries: those of its classes.\n"
                f"Found: {table.entries:,} entries; {len(self.class_of):,} of its classes.\n"
                "Choose a recoding for this table."
            )
        cells = []
        of_columns = zip(table.columns, self.values, self.class_of_values, self.rows_of_values, strict=True)
        for column, values, class_of, rows in of_columns:
            classes = ClassValues(column, column.allowed_levels, values, class_of, rows=rows)
            found = classes.labels(form_of(self.labels, column.name))
            numbers = found.of_class[self.class_of]
            cells.append(
                Cells(found.labels, numbers, found.leaves, found.nodes, mean_leaves=found.mean_leaves)
            )
        return tuple(cells)

    def of_released(self, table: CodedTable, released: NDArray[np.bool_]) -> ByParts:
        raise InputError(
            "Not all rows can be released, and their tuples do not fit into memory.\n"
            f"Found: {len(np.unique(self.class_of[~released])):,} classes that fail.\nAllow more memory."
        )


@dataclass(frozen=True, eq=False)
class EntriesByParts(ByParts):
    """The same, where the class of a row depends on its other coded columns and its part of equal rows too.

    Parameters
    ----------
    columns_beside
        The names of these columns.
    buckets
        As in `ByEntries`.
    """

    columns_beside: tuple[str, ...] = ()
    buckets: tuple[str, str] | None = field(default=None, repr=False)

    def parts(self, table: CodedTable) -> UIntArray:
        codes = at_levels(table, [column.min_level for column in table.columns])
        return equal_parts(table, [*codes, *(table.attributes[name].codes for name in self.columns_beside)])
