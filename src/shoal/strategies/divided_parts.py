"""A table that is divided part by part, since its tuples do not fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal import _kernel
from shoal.encode.column import CodedColumn, IntArray, UIntArray
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.exact_counts import count
from shoal.recode.by_parts import ByParts
from shoal.recode.class_labels import ClassValues, Labels, form_of
from shoal.search.frequency_sets import FrequencySets, TooManyEntries
from shoal.search.parts import Part

Divided: TypeAlias = tuple[CodedTable, UIntArray]
"""Tuples of a part, and the class of each, from 0 without gaps."""

_VALUES_PER_ENTRY = 20
"""A value and its class take 16 bytes while they are joined, an entry of a frequency set some 320."""


@dataclass(frozen=True)
class DividedParts:
    """The parts of a table, and how each of them is divided.

    Attributes
    ----------
    counts
        The table.
    parts
        Each has tuples that fit into memory.
    divide
        Takes the tuples of a part, and puts them, or pieces of them, into classes.
    labels
        How these will be labelled.
    most_entries
        How many entries fit into memory.
    """

    counts: FrequencySets
    parts: Sequence[Part]
    divide: Callable[[CodedTable], Divided]
    labels: Labels
    most_entries: int

    def recoding(self, recoding: ByParts) -> tuple[CodedTable, ByParts]:
        """Divide the table; return the entries of its classes, and a recoding with these classes.

        An entry is a class and a value of every column beside the quasi-identifiers.

        Raises
        ------
        TooManyEntries
            The classes do not fit.
        """
        domain = self.counts.domain
        found: list[_Classes] = []
        for table, class_of in self._divided():
            found.append(_Classes.of(table, class_of, self.labels))
            if sum(each.size for each in found) > self.most_entries:
                raise TooManyEntries(self.most_entries)
        starts = np.cumsum([0, *(each.classes for each in found)]).astype(np.uint32)

        def joined(arrays: Sequence[UIntArray]) -> UIntArray:
            return np.concatenate([own + start for own, start in zip(arrays, starts, strict=False)])

        values = tuple(np.concatenate(own) for own in zip(*(each.values for each in found), strict=True))
        class_of_values = tuple(map(joined, zip(*(each.class_of_values for each in found), strict=True)))
        rows_of_values = tuple(
            np.concatenate(own) for own in zip(*(each.rows_of_values for each in found), strict=True)
        )
        class_of = joined([each.class_of for each in found])
        codes = [
            _any_value(column, own, classes)[class_of]
            for column, own, classes in zip(domain.columns, values, class_of_values, strict=True)
        ]
        entries = replace(
            domain,
            columns=tuple(
                replace(column, codes=own) for column, own in zip(domain.columns, codes, strict=True)
            ),
            attributes={
                name: replace(column, codes=np.concatenate([each.attributes[number] for each in found]))
                for number, (name, column) in enumerate(domain.attributes.items())
            },
            weights=np.concatenate([each.rows for each in found]),
        )

        def tuples() -> Iterator[Divided]:
            for (table, class_of), each, start in zip(self._divided(), found, starts, strict=False):
                if not each.same(_Classes.of(table, class_of, self.labels)):
                    raise InputError(
                        "The table changed while it was read.\nFound: other classes than before.\n"
                        "Run again while nobody writes to it."
                    )
                yield table, class_of + start

        return entries, replace(
            recoding,
            labels=self.labels,
            values=values,
            class_of=class_of,
            class_of_values=class_of_values,
            rows_of_values=rows_of_values,
            divide=tuples,
        )

    def _divided(self) -> Iterator[Divided]:
        for part in self.parts:
            yield self.divide(self.counts.within(part).at(part.levels))


@dataclass(frozen=True, eq=False)
class _Classes:
    """The classes of a part: what their labels are made of, and their entries.

    Attributes
    ----------
    values, class_of_values, rows_of_values
        As a recoding by parts has them.
    class_of, attributes, rows
        The class of every entry, its value in each column beside the quasi-identifiers, and its rows.
    """

    classes: int
    values: list[UIntArray]
    class_of_values: list[UIntArray]
    rows_of_values: list[IntArray]
    class_of: UIntArray
    attributes: list[UIntArray]
    rows: UIntArray

    @classmethod
    def of(cls, table: CodedTable, class_of: UIntArray, labels: Labels) -> _Classes:
        classes = int(class_of.max()) + 1
        rows = np.ones(table.entries) if table.weights is None else table.weights
        needed = [
            ClassValues(
                column,
                column.allowed_levels,
                column.maps[column.min_level][column.codes],
                class_of,
                rows=rows.astype(np.int64),
            ).needed(form_of(labels, column.name))
            for column in table.columns
        ]
        beside = [column.codes for column in table.attributes.values()]
        sizes = [len(column.labels[0]) for column in table.attributes.values()]
        grouped = _kernel.index_rows([class_of, *beside], [classes, *sizes])
        one = np.zeros(len(grouped), dtype=np.int64)
        one[grouped.tuple_of_row] = np.arange(len(class_of))
        return cls(
            classes=classes,
            values=[each.values for each in needed],
            class_of_values=[each.class_of for each in needed],
            rows_of_values=[np.zeros(0, np.int64) if each.rows is None else each.rows for each in needed],
            class_of=class_of[one],
            attributes=[values[one] for values in beside],
            rows=count(grouped.tuple_of_row, len(grouped), table.weights).astype(np.uint64),
        )

    @property
    def size(self) -> int:
        """How many entries take as much memory."""
        return max(len(self.class_of), sum(map(len, self.values)) // _VALUES_PER_ENTRY)

    def same(self, other: _Classes) -> bool:
        pairs: tuple[tuple[NDArray[Any], NDArray[Any]], ...] = (
            *zip(self.rows_of_values, other.rows_of_values, strict=True),
            *zip(self.values, other.values, strict=True),
            *zip(self.class_of_values, other.class_of_values, strict=True),
            *zip(self.attributes, other.attributes, strict=True),
            (self.class_of, other.class_of),
            (self.rows, other.rows),
        )
        return all(np.array_equal(mine, theirs) for mine, theirs in pairs)


def _any_value(column: CodedColumn, values: UIntArray, class_of: UIntArray) -> UIntArray:
    """Return for each class the code of a value that it has."""
    codes = np.zeros(int(class_of.max()) + 1, dtype=np.uint32)
    codes[class_of] = column.first_codes(column.min_level)[values]
    return codes
