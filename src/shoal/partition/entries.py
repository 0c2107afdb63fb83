"""The kernel's inputs where classes may depend on more than quasi-identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from shoal import _kernel
from shoal.encode.column import IntArray, UIntArray
from shoal.recode.by_entries import PARTS, ByEntries, at_levels, equal_parts
from shoal.recode.class_labels import Labels
from shoal.strategies.classes import ClassProblem


@dataclass(frozen=True)
class EntryProblem(ClassProblem):
    """A search problem whose tuples differ in quasi-identifiers, other coded columns or parts of equal rows.

    In the kernel's table the other columns stand after the quasi-identifiers. They cost nothing.

    Attributes
    ----------
    key
        A place for every entry, by which alone the kernel is to cut; None if it cuts by quasi-identifiers.
    """

    key: UIntArray | None = field(default=None, repr=False)

    def along(self, key: UIntArray) -> Self:
        """Return the same tuples in the order of a key, a function of the quasi-identifiers."""
        found = replace(self, key=key)
        # The same rows are not dealt out to parts again.
        vars(found)["codes"] = self.codes
        return found

    @cached_property
    def codes(self) -> list[UIntArray]:
        """The label of every entry in each quasi-identifier, its other columns, and its part."""
        table = self.problem.table
        codes = at_levels(table, [levels[0] for levels in self.levels])
        codes += [column.codes for column in table.attributes.values()]
        return [*codes, equal_parts(table, codes)]

    @cached_property
    def table(self) -> _kernel.CodedTable:
        inputs, quasi_identifiers = self.problem.kernel_inputs, self.problem.table.columns
        maps = [
            [column.step(levels[0], level) for level in levels]
            for column, levels in zip(quasi_identifiers, self.levels, strict=True)
        ]
        codes = [*self.codes, *([] if self.key is None else [self.key])]
        beside = [[np.arange(size, dtype=np.uint32), np.zeros(size, np.uint32)] for size in self._sizes]
        return _kernel.CodedTable(
            codes=codes,
            maps=[*maps, *beside],
            user_levels=[*(list(levels) for levels in self.levels), *([0, 1] for _ in beside)],
            heights=[*(column.height for column in quasi_identifiers), *(1 for _ in beside)],
            weights=inputs.weights,
            attributes=inputs.attributes(),
        )

    @cached_property
    def _sizes(self) -> list[int]:
        """How many values each column after the quasi-identifiers has.

        The order of tuples depends on it, so that it must be the same for any part of the table.
        """
        others = [len(column.labels[0]) for column in self.problem.table.attributes.values()]
        key = [] if self.key is None else [int(self.key.max(initial=0)) + 1]
        return [*others, PARTS, *key]

    @cached_property
    def _labels(self) -> tuple[UIntArray, ...]:
        return tuple(np.ascontiguousarray(labels) for labels in self.table.classes([]).labels.T)

    @cached_property
    def _beside(self) -> tuple[UIntArray, ...]:
        """What the kernel's table has after the quasi-identifiers: other columns, the part, and the key."""
        return self._labels[len(self.problem.table.columns) :]

    @cached_property
    def values(self) -> tuple[UIntArray, ...]:
        return self._labels[: len(self.problem.table.columns)]

    @cached_property
    def tops(self) -> UIntArray:
        """The widest classes: one, unless a column may not be generalized to a single label."""
        return self.at({column.name: column.max_level for column in self.problem.table.columns})

    @cached_property
    def beside(self) -> tuple[tuple[str, UIntArray], ...]:
        """The name of each other column, and its value in every tuple."""
        return tuple(zip(self.problem.table.attributes, self._beside, strict=False))

    @cached_property
    def costs(self) -> list[list[list[int]]]:
        own = super().costs
        beside = [[[0] * size, [0]] for size in self._sizes]
        if self.key is not None:
            own = [[[0] * len(labels) for labels in levels] for levels in own]
            beside[-1][1] = [_kernel.full_cost]
        return [*own, *beside]

    def range_costs(self, labels: Labels) -> list[tuple[list[int], list[int]]]:
        none: list[tuple[list[int], list[int]]] = [([], [])]
        if self.key is None:
            return super().range_costs(labels) + none * len(self._beside)
        places = list(range(int(self.key.max(initial=0)) + 1))
        return none * (len(self._labels) - 1) + [(places, places)]

    def recoding(self, kind: str, labels: Labels, class_of: UIntArray, **settings: Any) -> ByEntries:
        return ByEntries(
            kind,
            settings,
            labels,
            self.values,
            class_of,
            self.allowed,
            rows=self.rows_for(labels),
            beside=self.beside,
            part=self._beside[len(self.beside)],
        )

    def of_values(self, values: Sequence[UIntArray], class_of: UIntArray) -> UIntArray:
        """Return the class of every tuple, where tuples of quasi-identifiers alone have one each.

        Parameters
        ----------
        values, class_of
            For each quasi-identifier the value of every such tuple, and the class of every such tuple.
        """
        joined = [np.concatenate(pair) for pair in zip(values, self.values, strict=True)]
        grouped = _kernel.index_rows(joined, [int(column.max(initial=0)) + 1 for column in joined])
        known = len(class_of)
        class_of_tuple = np.zeros(len(grouped), dtype=np.uint32)
        class_of_tuple[grouped.tuple_of_row[:known]] = class_of
        return np.ascontiguousarray(class_of_tuple[grouped.tuple_of_row[known:]])

    def buckets(self, column: str | None, bucket_of_value: Sequence[int] | IntArray) -> UIntArray:
        """Return the bucket of every tuple, by that of its value in another column; all 0 without one."""
        if column is None:
            return np.zeros(len(self._labels[0]), dtype=np.uint32)
        return (
            np.asarray(bucket_of_value, dtype=np.int64).clip(0).astype(np.uint32)[dict(self.beside)[column]]
        )
