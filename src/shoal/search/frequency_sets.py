"""Frequency sets on request: a search names a node, and the table is counted where it lives.

A frequency set is a `CodedTable` whose entries are tuples of labels, with the rows that have each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from shoal import _kernel
from shoal.encode.column import CodedColumn, UIntArray
from shoal.encode.table import CodedPopulation, CodedTable
from shoal.errors import InputError
from shoal.exact_counts import count
from shoal.search.parts import LabelBoxes, Part

T = TypeVar("T")
_MOST_BITS = 124  # half of the kernel's longest keys: no column is torn between two words of a key


class TooManyEntries(InputError):  # noqa: N818 - what happened, in words
    """A frequency set has more entries than were asked for."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"The tuples at this node do not fit into memory.\n"
            f"They are more than {most:,}.\n"
            "Allow more memory, or begin at higher levels with min-level."
        )


class FrequencySets(Protocol):
    """A table whose frequency sets are counted where it lives.

    Levels are given for all quasi-identifiers, or for those numbered `columns` alone. What is counted is
    exact, but for `estimate`. NULL is a label like any other.
    """

    @property
    def domain(self) -> CodedTable:
        """The columns with their maps, labels and true counts, without entries.

        `units` is empty where units count, not None.
        """
        ...

    def without_attributes(self) -> FrequencySets:
        """Return the same, counted without the columns beside the quasi-identifiers."""
        ...

    def for_many(self) -> FrequencySets:
        """Return the same, prepared to be counted several times."""
        ...

    def estimate(self, nodes: Sequence[Sequence[int]]) -> list[float]:
        """Return about how many entries `at` would give at each node: one scan for all of them."""
        ...

    def at(
        self, levels: Sequence[int], columns: Sequence[int] | None = None, *, most: int | None = None
    ) -> CodedTable:
        """Return the entries at a node, with attributes and units.

        An entry has the first code under each of its labels. No column may go below these levels any more,
        nor below its own `min_level`.

        Raises
        ------
        TooManyEntries
            There are more than `most`. Not all of them were fetched to find that out.
        """
        ...

    def below(self, levels: Sequence[int], k: int, columns: Sequence[int] | None = None) -> tuple[int, int]:
        """Return how many rows are in classes of less than k rows, and how many classes there are."""
        ...

    def within(self, part: Part) -> FrequencySets:
        """Return the same for some of the rows. The domain stays that of the whole table."""
        ...

    def boxes(self, column: int, levels: Sequence[int]) -> LabelBoxes:
        """Count the rows by the labels of a column, at the levels of a node."""
        ...


@dataclass(frozen=True)
class InMemory:
    """A table that is in memory already.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from shoal.describe import intervals
    >>> from shoal.encode.column import code_column
    >>> ages = code_column("age", pa.array([31, 35, 52, 58, 59]).dictionary_encode(), intervals(10, 20))
    >>> counts = InMemory(CodedTable((ages,), 5))
    >>> decades = counts.at([1])
    >>> decades.weights.tolist(), decades.bottom, decades.rows, decades.columns[0].min_level
    ([2, 3], (1,), 5, 1)
    >>> counts.below([1], k=3), counts.estimate([[0], [2]])
    ((2, 2), [5.0, 2.0])
    """

    table: CodedTable

    @cached_property
    def domain(self) -> CodedTable:
        none = np.zeros(0, dtype=np.uint32)
        return replace(
            self.table,
            columns=tuple(replace(column, codes=none) for column in self.table.columns),
            attributes={name: replace(column, codes=none) for name, column in self.table.attributes.items()},
            units=None if self.table.units is None else none,
            weights=np.zeros(0, dtype=np.uint64),
        )

    def without_attributes(self) -> InMemory:
        return InMemory(replace(self.table, attributes={}))

    def for_many(self) -> InMemory:
        return self

    def estimate(self, nodes: Sequence[Sequence[int]]) -> list[float]:
        """Count the entries at each node; here the estimate is exact."""
        return [float(len(self._group(levels, range(len(levels)), beside=True)[1])) for levels in nodes]

    def at(
        self, levels: Sequence[int], columns: Sequence[int] | None = None, *, most: int | None = None
    ) -> CodedTable:
        """Group the entries at a node; at level 0 of all columns they may stay as they are."""
        table = self.table
        if columns is None and not any(levels) and (most is None or table.entries <= most):
            return table
        chosen = range(len(table.columns)) if columns is None else columns
        of_entries, first = self._group(levels, chosen, beside=True)
        if most is not None and len(first) > most:
            raise TooManyEntries(most)
        return replace(
            table,
            columns=tuple(
                _raised(table.columns[position], level, first)
                for position, level in zip(chosen, levels, strict=True)
            ),
            attributes={
                name: replace(column, codes=column.codes[first]) for name, column in table.attributes.items()
            },
            units=None if table.units is None else table.units[first],
            populations={
                key: CodedPopulation(
                    tuple(population.codes[position] for position in chosen), population.rows
                )
                for key, population in table.populations.items()
            },
            weights=count(of_entries, len(first), table.weights).astype(np.uint64),
            bottom=tuple(levels) if any(levels) else None,
        )

    def below(self, levels: Sequence[int], k: int, columns: Sequence[int] | None = None) -> tuple[int, int]:
        """Count the rows in classes of less than k, and the classes."""
        chosen = range(len(self.table.columns)) if columns is None else columns
        of_entries, first = self._group(levels, chosen, beside=False)
        sizes = count(of_entries, len(first), self.table.weights)
        return int(sizes[sizes < k].sum()), len(sizes)

    def within(self, part: Part) -> InMemory:
        table = self.table
        kept = np.ones(table.entries, dtype=np.bool_)
        for column, level, allowed in zip(table.columns, part.levels, part.labels, strict=True):
            kept &= allowed[column.maps[level][column.codes]]
        weights = np.ones(table.entries, dtype=np.uint64) if table.weights is None else table.weights
        return InMemory(
            replace(
                table,
                columns=tuple(replace(column, codes=column.codes[kept]) for column in table.columns),
                attributes={
                    name: replace(column, codes=column.codes[kept])
                    for name, column in table.attributes.items()
                },
                units=None if table.units is None else table.units[kept],
                weights=weights[kept],
            )
        )

    def boxes(self, column: int, levels: Sequence[int]) -> LabelBoxes:
        table = self.table
        own = [c.maps[level][c.codes] for c, level in zip(table.columns, levels, strict=True)]
        labels = np.stack(own, axis=1).astype(np.int64)
        found, of_entries = np.unique(labels[:, column], return_inverse=True)
        low = np.full((len(found), labels.shape[1]), np.iinfo(np.int64).max)
        high = np.full((len(found), labels.shape[1]), -1, dtype=np.int64)
        np.minimum.at(low, of_entries, labels)
        np.maximum.at(high, of_entries, labels)
        return LabelBoxes(found, count(of_entries, len(found), table.weights), low, high)

    def _group(
        self, levels: Sequence[int], columns: Sequence[int], *, beside: bool
    ) -> tuple[UIntArray, NDArray[np.int64]]:
        """Return the group of each entry, and an entry of each group; groups tell attributes apart or not."""
        table = self.table
        parts: list[tuple[UIntArray, int]] = [
            (
                table.columns[position].maps[level][table.columns[position].codes],
                len(table.columns[position].labels[level]),
            )
            for position, level in zip(columns, levels, strict=True)
        ]
        if beside:
            parts += [(column.codes, len(column.counts)) for column in table.attributes.values()]
            if table.units is not None:
                parts.append((table.units, int(table.units.max(initial=0)) + 1))
        return _numbered(parts, table.entries)


def _raised(column: CodedColumn, level: int, entries: NDArray[np.int64]) -> CodedColumn:
    """Return some entries of a column at a level, each by the first code under its label."""
    codes = column.codes[entries]
    if level:
        codes = column.first_codes(level)[column.maps[level][codes]]
    return replace(column, codes=codes, min_level=max(column.min_level, level))


def _numbered(parts: Sequence[tuple[UIntArray, int]], entries: int) -> tuple[UIntArray, NDArray[np.int64]]:
    """Number the entries so that equal ones have one number, and return an entry of each number."""
    groups, number = np.zeros(entries, dtype=np.uint32), min(entries, 1)
    left = [(codes, values) for codes, values in parts if values > 1]
    while left and entries:
        # As many columns as fit into a key beside the groups so far.
        codes, values = [groups], [number]
        bits = _bits(number)
        while left and (len(codes) == 1 or bits + _bits(left[0][1]) <= _MOST_BITS):
            cells, most = left.pop(0)
            codes.append(cells)
            values.append(most)
            bits += _bits(most)
        found = _kernel.index_rows(codes, values)
        groups, number = found.tuple_of_row, len(found)
    first = np.zeros(number, dtype=np.int64)
    first[groups] = np.arange(entries)
    return groups, first


def _bits(values: int) -> int:
    return max(values - 1, 1).bit_length()


class Remembered:
    """Frequency sets that are counted once, for several searches of one table.

    Examples
    --------
    >>> from shoal.data.shapes import shape
    >>> counts = Remembered(InMemory(shape("adult", rows=100)))
    >>> node = (1,) * len(counts.domain.columns)
    >>> counts.at(node) is counts.at(node)
    True
    """

    def __init__(self, counts: FrequencySets) -> None:
        self._counts = counts
        self._known: dict[object, object] = {}

    @property
    def domain(self) -> CodedTable:
        return self._counts.domain

    def forget(self) -> None:
        """Let go of what was counted."""
        self._known.clear()

    def without_attributes(self) -> Remembered:
        return self._once("without", lambda: Remembered(self._counts.without_attributes()))

    def for_many(self) -> Remembered:
        return self._once("many", lambda: Remembered(self._counts.for_many()))

    def estimate(self, nodes: Sequence[Sequence[int]]) -> list[float]:
        key = tuple(map(tuple, nodes))
        return self._once(("estimate", key), lambda: self._counts.estimate(nodes))

    def at(
        self, levels: Sequence[int], columns: Sequence[int] | None = None, *, most: int | None = None
    ) -> CodedTable:
        key = ("at", tuple(levels), None if columns is None else tuple(columns))
        found = self._once(key, lambda: self._counts.at(levels, columns, most=most))
        if most is not None and found.entries > most:
            raise TooManyEntries(most)
        return found

    def below(self, levels: Sequence[int], k: int, columns: Sequence[int] | None = None) -> tuple[int, int]:
        key = ("below", tuple(levels), k, None if columns is None else tuple(columns))
        return self._once(key, lambda: self._counts.below(levels, k, columns))

    def within(self, part: Part) -> FrequencySets:
        return self._counts.within(part)

    def boxes(self, column: int, levels: Sequence[int]) -> LabelBoxes:
        return self._once(("boxes", column, tuple(levels)), lambda: self._counts.boxes(column, levels))

    def _once(self, key: object, count_now: Callable[[], T]) -> T:
        if key not in self._known:
            self._known[key] = count_now()
        return cast(T, self._known[key])


@dataclass(frozen=True)
class Viewed:
    """Frequency sets whose columns have other weights and allowed levels than those that were counted."""

    counts: FrequencySets
    view: Callable[[CodedTable], CodedTable]

    @cached_property
    def domain(self) -> CodedTable:
        return self.view(self.counts.domain)

    def without_attributes(self) -> Viewed:
        return Viewed(self.counts.without_attributes(), self.view)

    def for_many(self) -> Viewed:
        return Viewed(self.counts.for_many(), self.view)

    def estimate(self, nodes: Sequence[Sequence[int]]) -> list[float]:
        return self.counts.estimate(nodes)

    def at(
        self, levels: Sequence[int], columns: Sequence[int] | None = None, *, most: int | None = None
    ) -> CodedTable:
        return self.view(self.counts.at(levels, columns, most=most))

    def below(self, levels: Sequence[int], k: int, columns: Sequence[int] | None = None) -> tuple[int, int]:
        return self.counts.below(levels, k, columns)

    def within(self, part: Part) -> Viewed:
        return Viewed(self.counts.within(part), self.view)

    def boxes(self, column: int, levels: Sequence[int]) -> LabelBoxes:
        return self.counts.boxes(column, levels)
