"""The classes of a node as privacy models look at them: sizes, histograms, people, population."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from shoal.encode.column import CodedColumn
from shoal.encode.table import CodedTable
from shoal.exact_counts import count

IntArray = NDArray[np.int64]
Places = NDArray[np.int64] | NDArray[np.uint32]

_MOST_CELLS = 1 << 24


class Classes:
    """Rows, and rows of populations, by class.

    Attributes
    ----------
    of_rows
        The class of each entry of the table.
    of_population
        By key of a population, the class of each of its rows.
    count
        How many classes there are; one that only a population has is among them, with size 0.
    find_shared
        Returns for the key of a population which classes have labels that cover one of its people who is in
        another class; None where labels never do.
    """

    def __init__(
        self,
        table: CodedTable,
        of_rows: Places,
        count: int,
        of_population: Mapping[str, Places] | None = None,
        *,
        rows: IntArray | None = None,
    ) -> None:
        self.table = table
        self.of_rows = of_rows
        self.count = count
        self.of_population = of_population or {}
        self.find_shared: Callable[[str], NDArray[np.bool_]] | None = None
        self._rows = rows  # which entries of the table these are; all if not given

    @cached_property
    def sizes(self) -> IntArray:
        """Rows per class."""
        return count(self.of_rows, self.count, self._weights)

    @cached_property
    def people(self) -> IntArray:
        """Units per class, where the table counts units; otherwise rows."""
        if self.table.units is None:
            return self.sizes
        return np.bincount(self._distinct(self.of_rows, self._of(self.table.units))[0], minlength=self.count)

    @cached_property
    def people_in_several(self) -> int:
        """How many people have rows in several classes; none where each row is taken for one person."""
        if self.table.units is None:
            return 0
        people = self._distinct(self.of_rows, self._of(self.table.units))[1]
        return int(np.count_nonzero(np.bincount(people) > 1))

    def attribute(self, name: str) -> CodedColumn:
        return self.table.attributes[name]

    def histogram(self, name: str, level: int = 0) -> IntArray:
        """Return how often each value of an attribute occurs in each class: units, where these count.

        At a higher level of its hierarchy, how often each label does.
        """
        codes, values = self.table.attributes[name].labelled(level)
        cells = self.of_rows.astype(np.int64) * values + self._of(codes)
        weights = self._weights
        if self.table.units is not None:
            cells, _ = self._distinct(cells, self._of(self.table.units))
            weights = None
        return count(cells, self.count * values, weights).reshape(self.count, values)

    def totals(self, name: str, level: int = 0) -> IntArray:
        """Return how often each value of an attribute, or label of a level, occurs in the whole table."""
        column = self.table.attributes[name]
        codes, values = column.labelled(level)
        if self.table.units is None:
            return count(column.label_numbers(level), values, column.counts) if level else column.counts
        found, _ = self._distinct(codes.astype(np.int64), self.table.units)
        return np.bincount(found, minlength=values)

    def population(self, key: str) -> IntArray:
        """Return the rows of a population in each class."""
        return np.bincount(self.of_population[key], minlength=self.count)

    def shared(self, key: str) -> NDArray[np.bool_]:
        """For each class, whether its labels cover somebody of a population who is in another class."""
        return np.zeros(self.count, dtype=bool) if self.find_shared is None else self.find_shared(key)

    def parts(self, values: int) -> Iterator[tuple[slice, Classes]]:
        """Split into runs of classes whose histograms of that many values fit into memory."""
        step = max(1, _MOST_CELLS // max(values, 1))
        if self.count <= step:
            yield slice(0, self.count), self
            return
        rows = np.argsort(self.of_rows, kind="stable")
        ends = np.cumsum(np.bincount(self.of_rows, minlength=self.count))
        for start in range(0, self.count, step):
            stop = min(start + step, self.count)
            mine = rows[(ends[start - 1] if start else 0) : ends[stop - 1]]
            members = {
                key: positions[(positions >= start) & (positions < stop)] - start
                for key, positions in self.of_population.items()
            }
            part = Classes(
                self.table,
                self.of_rows[mine] - start,
                stop - start,
                members,
                rows=mine if self._rows is None else self._rows[mine],
            )
            part.find_shared = partial(self._shared_part, slice(start, stop))
            yield slice(start, stop), part

    def _shared_part(self, part: slice, key: str) -> NDArray[np.bool_]:
        return self.shared(key)[part]

    @property
    def _weights(self) -> NDArray[np.uint64] | None:
        weights = self.table.weights
        return weights if weights is None or self._rows is None else weights[self._rows]

    def _of(self, per_row: NDArray[np.uint32]) -> NDArray[np.uint32]:
        return per_row if self._rows is None else per_row[self._rows]

    @staticmethod
    def _distinct(groups: Places, units: NDArray[np.uint32]) -> tuple[IntArray, IntArray]:
        """Return the different pairs of a group and a unit."""
        most = int(units.max(initial=0)) + 1
        pairs = groups.astype(np.int64) * most + units
        pairs.sort()  # np.unique would hash them, which takes ten times as long
        pairs = pairs[np.diff(pairs, prepend=-1) != 0]
        return pairs // most, pairs % most
