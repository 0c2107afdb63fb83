"""The kernel's inputs where classes may depend on more than quasi-identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from shoal import _kernel
from shoal.encode.column import UIntArray
from shoal.recode.by_entries import ByEntries, equal_parts
from shoal.recode.class_labels import LabelForm
from shoal.strategies.classes import ClassProblem


@dataclass(frozen=True)
class EntryProblem(ClassProblem):
    """A search problem whose tuples are those of quasi-identifiers, other coded columns and parts of equal rows.

    In the kernel's table the other columns stand after the quasi-identifiers. They cost nothing.
    """

    @cached_property
    def _codes(self) -> list[UIntArray]:
        table = self.problem.table
        codes = [
            column.maps[levels[0]][column.codes]
            for column, levels in zip(table.columns, self.levels, strict=True)
        ]
        codes += [column.codes for column in table.attributes.values()]
        return [*codes, equal_parts(table, codes)]

    @cached_property
    def table(self) -> _kernel.CodedTable:
        inputs, quasi_identifiers = self.problem.kernel_inputs, self.problem.table.columns
        maps = [
            [column.step(levels[0], level) for level in levels]
            for column, levels in zip(quasi_identifiers, self.levels, strict=True)
        ]
        sizes = [int(codes.max(initial=0)) + 1 for codes in self._codes[len(maps) :]]
        beside = [[np.arange(size, dtype=np.uint32), np.zeros(size, np.uint32)] for size in sizes]
        return _kernel.CodedTable(
            codes=self._codes,
            maps=[*maps, *beside],
            user_levels=[*(list(levels) for levels in self.levels), *([0, 1] for _ in beside)],
            heights=[*(column.height for column in quasi_identifiers), *(1 for _ in beside)],
            weights=inputs.weights,
            attributes=inputs.attributes(),
        )

    @cached_property
    def _tuples(self) -> tuple[UIntArray, ...]:
        return tuple(np.ascontiguousarray(labels) for labels in self.table.classes([]).labels.T)

    @cached_property
    def values(self) -> tuple[UIntArray, ...]:
        return self._tuples[: len(self.problem.table.columns)]

    @cached_property
    def beside(self) -> tuple[tuple[str, UIntArray], ...]:
        """The name of each other column, and its value in every tuple."""
        names = self.problem.table.attributes
        return tuple(zip(names, self._tuples[len(self.values) : -1], strict=True))

    @cached_property
    def costs(self) -> list[list[list[int]]]:
        others = self._tuples[len(self.values) :]
        return [*super().costs, *([[0] * (int(values.max(initial=0)) + 1), [0]] for values in others)]

    def range_costs(self, labels: LabelForm) -> list[tuple[list[int], list[int]]]:
        return [*super().range_costs(labels), *(([], []) for _ in self._tuples[len(self.values) :])]

    def recoding(self, kind: str, labels: LabelForm, class_of: UIntArray, **settings: Any) -> ByEntries:
        return ByEntries(
            kind,
            settings,
            labels,
            self.values,
            class_of,
            self.allowed,
            beside=self.beside,
            part=self._tuples[-1],
        )

    def buckets(self, column: str, bucket_of_value: Sequence[int]) -> UIntArray:
        """Return the bucket of every tuple, by the bucket of each value of another column."""
        values = dict(self.beside)[column]
        return np.asarray(bucket_of_value, dtype=np.uint32)[values]
