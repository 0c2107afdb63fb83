"""Recoding by classes of which only the ends are in memory, not the tuples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.encode.cells import Cells
from shoal.encode.column import UIntArray
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.recode.by_classes import ByClasses
from shoal.recode.class_labels import ClassValues


@dataclass(frozen=True, eq=False)
class ByBoxes(ByClasses):
    """Every tuple of values gets the labels of its class, and a table has one entry for each class.

    Nodes and ranges are found from the least and the greatest value of a class; sets are not.

    Parameters
    ----------
    values
        For each column, the least value of every class.
    highest
        For each column, the greatest value of every class.
    divide
        Yields the tuples of one part after the other, and the class of each.
    """

    highest: tuple[UIntArray, ...] = field(default=(), repr=False)
    divide: Callable[[], Iterator[tuple[CodedTable, UIntArray]]] = field(default=lambda: iter(()), repr=False)

    def tuples(self) -> Iterator[tuple[CodedTable, UIntArray]]:
        return self.divide()

    def cells(self, table: CodedTable) -> tuple[Cells, ...]:
        if table.entries != len(self.class_of):
            raise InputError(
                "This recoding was chosen for other entries: one for each class.\n"
                f"Found: {table.entries:,} entries; {len(self.class_of):,} classes.\n"
                "Choose a recoding for this table."
            )
        class_of = np.concatenate([self.class_of, self.class_of])
        cells = []
        for column, low, high in zip(table.columns, self.values, self.highest, strict=True):
            ends = ClassValues(column, column.allowed_levels, np.concatenate([low, high]), class_of)
            found = ends.labels(self.labels)
            cells.append(Cells(found.labels, found.of_class, found.leaves, found.nodes))
        return tuple(cells)

    def of_released(self, table: CodedTable, released: NDArray[np.bool_]) -> ByBoxes:
        raise InputError(
            "Not all rows can be released, and their tuples do not fit into memory.\n"
            f"Found: {int((~released).sum()):,} classes that fail.\nAllow more memory."
        )
