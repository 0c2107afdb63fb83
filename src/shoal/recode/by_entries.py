"""Recoding by entries: classes that tell rows apart which have the same quasi-identifiers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from shoal import _kernel
from shoal.encode.column import UIntArray
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.recode.by_classes import ByClasses
from shoal.recode.class_labels import NO_CLASS
from shoal.recode.recoding import LooksBeside

PARTS = 4
"""Into how many parts rows that are equal in all coded columns are taken apart, at the most."""


@dataclass(frozen=True, eq=False)
class ByEntries(ByClasses):
    """Every row gets the labels of a class, which may depend on its other coded columns too.

    Rows that are equal in all of these are dealt out to up to four parts, which may be in different classes:
    `equal_parts` says which row is in which. Then no class is wider than its mix of sensitive values needs.

    Parameters
    ----------
    values
        For each quasi-identifier the value of every tuple of values, other columns and part.
    beside
        The names of the other coded columns, and the value of every such tuple in each.
    part
        The part of every such tuple.
    by_values
        Whether the classes were made of quasi-identifiers alone, after all.
    buckets
        The sensitive column whose values were put into buckets, and these in words, for the publisher alone:
        suppressed rows are in them too.
    """

    beside: tuple[tuple[str, UIntArray], ...] = field(default=(), repr=False)
    part: UIntArray = field(default_factory=lambda: np.zeros(0, np.uint32), repr=False)
    by_values: bool = False
    buckets: tuple[str, str] | None = field(default=None, repr=False)

    @property
    def columns_beside(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.beside)

    def parts(self, table: CodedTable) -> UIntArray:
        return equal_parts(table, self._coded(table))

    def _coded(self, table: CodedTable) -> list[UIntArray]:
        codes = at_levels(table, [levels[0] for levels in self._levels(table)])
        return [*codes, *(table.attributes[name].codes for name in self.columns_beside)]

    def _classes_of(self, table: CodedTable) -> tuple[UIntArray, dict[str, UIntArray]]:
        if table.populations:
            raise InputError(
                f"The recoding '{self.kind}' depends on more than quasi-identifiers.\n"
                "Found: a population, which has nothing else.\nUse recoding: mondrian."
            )
        own = [*self.values, *(values for _, values in self.beside), self.part]
        of_table = [*self._coded(table), self.parts(table)]
        sizes = [
            max(int(a.max(initial=0)), int(b.max(initial=0))) + 1 for a, b in zip(own, of_table, strict=True)
        ]
        joined = [np.concatenate(pair) for pair in zip(own, of_table, strict=True)]
        grouped = _kernel.index_rows(joined, sizes)
        known = len(self.class_of)
        class_of_tuple = np.full(len(grouped), NO_CLASS)
        class_of_tuple[grouped.tuple_of_row[:known]] = self._numbered
        classes: UIntArray = class_of_tuple[grouped.tuple_of_row[known:]]
        if (classes == NO_CLASS).any():
            raise InputError(
                "This recoding was chosen for other rows.\n"
                f"Found: {int((classes == NO_CLASS).sum()):,} entries that it has no class for.\n"
                "Choose a recoding for this table."
            )
        return classes, {}


def may_depend_on(recoding: LooksBeside, table: CodedTable) -> tuple[str, ...]:
    """Return the columns beside the quasi-identifiers on which the labels of a row may depend.

    There are none where all rows have the same labels. A column of one value decides nothing.
    """
    if not table.entries or (isinstance(recoding, ByEntries) and recoding.by_values):
        return ()
    if all((cells.numbers == cells.numbers[0]).all() for cells in recoding.cells(table)):
        return ()
    codes = {name: table.attributes[name].codes for name in recoding.columns_beside}
    return tuple(name for name, values in codes.items() if (values != values[0]).any())


def at_levels(table: CodedTable, levels: list[int]) -> list[UIntArray]:
    """Return the label of every entry in each quasi-identifier, at a level of each."""
    return [column.maps[level][column.codes] for column, level in zip(table.columns, levels, strict=True)]


def equal_parts(table: CodedTable, columns: list[UIntArray]) -> UIntArray:
    """Deal entries that are equal in some columns out to `PARTS` parts, in turn; return the part of each.

    Where people are counted nobody's rows are taken apart.

    Examples
    --------
    >>> equal_parts(CodedTable((), 6), [np.array([7, 7, 3, 7, 7, 7], np.uint32)]).tolist()
    [0, 1, 0, 2, 3, 0]
    """
    if table.units is not None or not columns or not table.entries:
        return np.zeros(table.entries, np.uint32)
    grouped = _kernel.index_rows(columns, [int(values.max(initial=0)) + 1 for values in columns])
    # By tuple and then by entry, of which the kernel takes up to 2^32: numbers sort many times faster than
    # positions.
    entries = np.arange(table.entries, dtype=np.uint64)
    order = np.sort(grouped.tuple_of_row.astype(np.uint64) << np.uint64(32) | entries) & np.uint64(2**32 - 1)
    starts = np.cumsum(grouped.rows_of_tuple) - grouped.rows_of_tuple
    rank = np.empty(table.entries, dtype=np.int64)
    rank[order] = np.arange(table.entries) - starts[grouped.tuple_of_row[order]]
    return (rank % PARTS).astype(np.uint32)


def taken_apart(table: CodedTable) -> CodedTable:
    """Return a frequency set whose entries are parts of equal rows, as `equal_parts` deals them out."""
    if table.weights is None or table.units is not None:
        return table
    weights = table.weights.astype(np.int64)
    parts = np.minimum(weights, PARTS)
    entry = np.repeat(np.arange(len(weights)), parts)
    number = np.arange(len(entry)) - np.repeat(np.cumsum(parts) - parts, parts)
    return replace(
        table,
        columns=tuple(replace(column, codes=column.codes[entry]) for column in table.columns),
        attributes={
            name: replace(column, codes=column.codes[entry]) for name, column in table.attributes.items()
        },
        weights=((weights[entry] - number + PARTS - 1) // PARTS).astype(np.uint64),
    )
