"""Recoding by averages: tuples of numbers are put into classes, each of which gets its mean or its median."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, get_args

import numpy as np

from shoal.encode.cells import Cells
from shoal.encode.column import CodedColumn, IntArray, UIntArray
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.recode.by_classes import classes_by_tuple
from shoal.recode.class_averages import Average, Numbers
from shoal.recode.class_labels import range_widths
from shoal.recode.recoding import Choices
from shoal.spec.spec import Spec


@dataclass(frozen=True, eq=False)
class ByAverages:
    """Every tuple of numbers gets the mean or the median of its class, column by column.

    Such a number stands for the range of its class, which is what measures of cells charge. It depends on
    nothing but the rows of the class.

    Parameters
    ----------
    average
        Which of the two.
    settings
        How the strategy was told to choose, for manifests.
    values
        For each column, the value of every tuple by its code.
    class_of, rows
        The class of every tuple, from 0 without gaps, and how many rows have it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from shoal.describe.hierarchies.suppress import Suppress
    >>> from shoal.encode.column import code_column
    >>> ages = code_column("age", pa.array([21, 24, 38, 52]).dictionary_encode(), Suppress())
    >>> table = CodedTable((ages,), 4)
    >>> recoding = ByAverages("mean", {}, (ages.codes,), np.array([0, 0, 1, 1], np.uint32), np.ones(4, int))
    >>> (cells,) = recoding.cells(table)
    >>> cells.labels.take(pa.array(cells.numbers)).to_pylist()
    [22, 22, 45, 45]
    """

    average: Average = "mean"
    settings: Mapping[str, Any] = field(default_factory=dict)
    values: tuple[UIntArray, ...] = field(default=(), repr=False)
    class_of: UIntArray = field(default_factory=lambda: np.zeros(0, np.uint32), repr=False)
    rows: IntArray = field(default_factory=lambda: np.zeros(0, np.int64), repr=False)

    kind: ClassVar[str] = "microaggregation"
    levels = node = rungs = None

    def cells(self, table: CodedTable) -> tuple[Cells, ...]:
        entries, of_population = classes_by_tuple(table, [0] * len(table.columns), self.values, self.class_of)
        return tuple(
            self._cells(column, values, entries, of_population)
            for column, values in zip(table.columns, self.values, strict=True)
        )

    def _cells(
        self,
        column: CodedColumn,
        values: UIntArray,
        entries: UIntArray,
        of_population: Mapping[str, UIntArray],
    ) -> Cells:
        numbers = _numbers(column)
        averages = numbers.averages(values, self.rows, self.class_of, self.average)
        encoded = averages.dictionary_encode(null_encoding="encode")
        of_class = encoded.indices.to_numpy().astype(np.uint32)
        covered = _covered(column, numbers, values, self.class_of)
        # Several classes may have the same average.
        labels = of_class[self.class_of]
        rows = np.bincount(labels, weights=self.rows)
        sums = np.bincount(labels, weights=self.rows * covered[self.class_of])
        return Cells(
            labels=encoded.dictionary,
            numbers=of_class[entries],
            leaves=_covered(column, numbers, values, labels),
            mean_leaves=sums / rows,
            of_population={key: of_class[classes] for key, classes in of_population.items()},
        )

    def choices(self, table: CodedTable) -> Choices:
        """Say how far the averages are from the values: SSE / SST, as a share of the variance."""
        errors = self.squared_errors(table)
        words = {name: f"{error:.2%} of the variance" if error else "none" for name, error in errors.items()}
        return Choices("Squared error", words)

    def squared_errors(self, table: CodedTable) -> dict[str, float]:
        columns = zip(table.columns, self.cells(table), strict=True)
        return {column.name: _squared_error(column, cells, table) for column, cells in columns}

    def for_recipients(self, spec: Spec, table: CodedTable) -> tuple[Spec, ByAverages]:
        return spec, self

    def to_manifest(self) -> dict[str, Any]:
        return {"kind": self.kind, "value": self.average, **self.settings}

    @classmethod
    def from_manifest(cls, said: Mapping[str, Any]) -> Self:
        """Return what recipients know of it, which is not which values are in which class."""
        average: Any = said.get("value")
        if said.get("kind") != cls.kind or average not in get_args(Average):
            raise InputError(
                f"A recoding of the kind '{cls.kind}' has a value, mean or median.\n"
                f"Found: the keys {', '.join(said)}.\nGive the manifest as it was written."
            )
        return cls(average, {key: value for key, value in said.items() if key not in ("kind", "value")})


def _numbers(column: CodedColumn) -> Numbers:
    numbers = Numbers.of(column.labels[0])
    if numbers is None:
        raise InputError(
            f"Column {column.name!r} has no averages.\nFound: values that are neither numbers nor dates.\n"
            "Choose another recoding."
        )
    return numbers


def _covered(column: CodedColumn, numbers: Numbers, values: UIntArray, class_of: UIntArray) -> IntArray:
    """Return how many leaves the range of each class covers; NULL is one more."""
    classes = int(class_of.max(initial=0)) + 1
    known = numbers.known[values]
    position = range_widths(column)[values]
    low, high = np.full(classes, np.iinfo(np.int64).max), np.full(classes, np.iinfo(np.int64).min)
    np.minimum.at(low, class_of[known], position[known])
    np.maximum.at(high, class_of[known], position[known])
    null = np.zeros(classes, dtype=np.int64)
    null[class_of[~known]] = 1
    covered = np.where(low <= high, high - np.minimum(low, high) + 1, 0) + null
    return np.minimum(covered, column.total_leaves)


def _squared_error(column: CodedColumn, cells: Cells, table: CodedTable) -> float:
    numbers = _numbers(column)
    averages = Numbers.of(cells.labels)
    assert averages is not None, "averages are of the type of the values"
    rows = np.ones(table.entries) if table.weights is None else table.weights.astype(np.float64)
    rows = np.where(numbers.known[column.codes], rows, 0)
    before, after = numbers.floats[column.codes], averages.floats[cells.numbers]
    mean = float(before @ rows) / max(float(rows.sum()), 1)
    total = float(rows @ (before - mean) ** 2)
    return float(rows @ (before - after) ** 2) / total if total else 0.0
