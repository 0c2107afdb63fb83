"""The tuples of a table, and which classes of them may not be released."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal import _kernel
from shoal.encode.column import UIntArray
from shoal.encode.table import CodedTable
from shoal.privacy.classes import Classes
from shoal.privacy.model import PrivacyModel
from shoal.privacy.passing_classes import holding
from shoal.search.problem import SearchProblem

Number = TypeVar("Number", np.uint32, np.float64)
Floats = NDArray[np.float64]
Blocks = UIntArray
"""For each value of a column the number of its block; the values of a block are neighbours."""


@dataclass(frozen=True)
class Groups:
    """Tuples by the class that each is in."""

    of_tuple: UIntArray
    count: int

    @classmethod
    def by(cls, numbers: Sequence[UIntArray], sizes: Sequence[int], tuples: int) -> Self:
        """Group tuples that have the same numbers; without numbers they are one class."""
        if not numbers:
            return cls(np.zeros(tuples, np.uint32), min(tuples, 1))
        found = _kernel.index_rows(numbers, sizes)
        return cls(found.tuple_of_row, len(found))

    def sums(self, of_tuples: Floats) -> Floats:
        return np.bincount(self.of_tuple, of_tuples, self.count).astype(np.float64, copy=False)

    def any_of(self, of_tuples: NDArray[Number]) -> NDArray[Number]:
        """Return for each class what one of its tuples has."""
        found = np.zeros(self.count, of_tuples.dtype)
        found[self.of_tuple] = of_tuples
        return found


@dataclass(frozen=True, eq=False)
class Tuples:
    """Different tuples of values.

    Attributes
    ----------
    values
        For each column the value of every tuple: the number of its label at the lowest allowed level.
    rows
        The rows of every tuple.
    of_entry
        The tuple of every entry of the table.
    of_population
        By key the tuple of every row of a population; these have no rows of the table.
    """

    values: tuple[UIntArray, ...]
    rows: Floats
    of_entry: UIntArray
    of_population: Mapping[str, UIntArray] = field(default_factory=dict)

    @classmethod
    def of(cls, table: CodedTable) -> Self:
        others = table.populations.values()
        values = tuple(
            column.maps[column.min_level][
                np.concatenate([column.codes, *(other.codes[position] for other in others)])
            ]
            for position, column in enumerate(table.columns)
        )
        rows = np.ones(table.entries) if table.weights is None else table.weights.astype(np.float64)
        ends = np.cumsum([table.entries, *(other.rows for other in others)])
        numbers = np.arange(ends[-1], dtype=np.uint32)
        of_entry, *of_others = np.split(numbers, ends[:-1])
        rows = np.concatenate([rows, np.zeros(len(numbers) - len(rows))])
        own = cls(values, rows, of_entry, dict(zip(table.populations, of_others, strict=True)))
        apart = [np.arange(len(column.labels[column.min_level]), dtype=np.uint32) for column in table.columns]
        return own.merged(apart)

    def merged(self, blocks: Sequence[Blocks]) -> Self:
        """Merge tuples whose values are in the same blocks; each keeps the values of one of them."""
        return self.rolled(self.grouped(blocks))

    def rolled(self, groups: Groups) -> Self:
        """Merge the tuples of each class."""
        one = groups.any_of(np.arange(len(self.rows), dtype=np.uint32))
        return type(self)(
            tuple(values[one] for values in self.values),
            groups.sums(self.rows),
            groups.of_tuple[self.of_entry],
            {key: groups.of_tuple[members] for key, members in self.of_population.items()},
        )

    def grouped(self, blocks: Sequence[Blocks], but: int | None = None) -> Groups:
        """Group tuples whose values are in the same blocks, in all columns `but` one."""
        chosen = [
            (of_values[values], int(of_values[-1]) + 1)
            for column, (of_values, values) in enumerate(zip(blocks, self.values, strict=True))
            if column != but and len(of_values)
        ]
        return Groups.by([numbers for numbers, _ in chosen], [size for _, size in chosen], len(self.rows))


@dataclass(frozen=True)
class Judge:
    """Which classes may not be released by themselves.

    Attributes
    ----------
    models
        What each class must satisfy.
    least
        The rows that a class must have at least.
    sizes_only
        Whether nothing else matters.
    """

    table: CodedTable
    models: tuple[PrivacyModel, ...]
    least: int
    sizes_only: bool

    @classmethod
    def of(cls, problem: SearchProblem) -> Self:
        """Judge classes by all models."""
        sizes_only = not problem.kernel_inputs.conditions and problem.table.units is None
        return cls(problem.table, problem.models, problem.threshold, sizes_only)

    @classmethod
    def soundly(cls, problem: SearchProblem) -> Self:
        """Judge classes by those models under which merging classes never makes more rows fail.

        Without suppression these are all models, unless units are counted.
        """
        units = problem.table.units is not None
        models = tuple(
            model
            for model in problem.models
            if (model.absorbing_people if units else model.absorbing or problem.limit == 0)
        )
        return replace(cls.of(problem), models=models)

    def failing(self, tuples: Tuples, groups: Groups) -> Floats:
        """Return for each class its rows if it fails, otherwise 0.

        A class that only a population has counts as one row if it fails: where it may, no row may fail.
        """
        rows = groups.sums(tuples.rows)
        if self.sizes_only:
            return np.where(rows < self.least, rows, 0.0)
        of_population = {key: groups.of_tuple[members] for key, members in tuples.of_population.items()}
        classes = Classes(self.table, groups.of_tuple[tuples.of_entry], groups.count, of_population)
        return np.where(holding(self.models, classes), 0.0, np.maximum(rows, 1.0))
