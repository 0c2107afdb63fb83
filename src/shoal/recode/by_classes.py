"""Recoding by classes: tuples of values are put into classes, each with labels or averages of its values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, get_args

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal import _kernel
from shoal.describe.hierarchy import as_text
from shoal.encode.cells import Cells
from shoal.encode.column import CodedColumn, IntArray, UIntArray
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.recode.class_averages import Average, Numbers
from shoal.recode.class_labels import (
    NO_CLASS,
    ClassLabels,
    ClassValues,
    LabelForm,
    Labels,
    Released,
    averages_of,
    form_of,
    released_values,
)
from shoal.recode.recoding import Choices
from shoal.spec.spec import Spec


@dataclass(frozen=True, eq=False)
class ByClasses:
    """Every tuple of values gets the labels of its class, or averages.

    Labels of one column are of different widths, and may overlap: `25` beside `[20, 40)`. An average depends
    on nothing but the rows of the class.

    Parameters
    ----------
    kind
        The name of the strategy that chose the classes.
    settings
        How it was told to, for manifests.
    labels
        How labels are written, if not as averages.
    values
        For each column, the value of every tuple: the number of its label at the lowest level that it may
        have.
    class_of
        The class of every tuple, from 0 without gaps; `NO_CLASS` for tuples that no class could take, which
        keep their values and are suppressed if these are too few.
    allowed
        For each column, the levels that its labels may have, upwards; all that the spec allows if not given.
    released
        For each column which of its values released rows have, once that is known: labels show these alone.
    rows
        How many rows have each tuple, where averages depend on it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from shoal.describe import intervals
    >>> from shoal.encode.column import code_column
    >>> ages = code_column("age", pa.array([21, 24, 38, 52]).dictionary_encode(), intervals(10, 20))
    >>> table = CodedTable((ages,), 4)
    >>> recoding = ByClasses("cells", values=(ages.codes,), class_of=np.array([0, 0, 1, 1], np.uint32))
    >>> (cells,) = recoding.cells(table)
    >>> cells.labels.take(pa.array(cells.numbers)).to_pylist()
    ['[20, 30)', '[20, 30)', '*', '*']
    >>> (cells,) = replace(recoding, labels="mean", rows=np.ones(4, int)).cells(table)
    >>> cells.labels.take(pa.array(cells.numbers)).to_pylist()
    [22, 22, 45, 45]
    """

    kind: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    labels: Labels = "nodes"
    values: tuple[UIntArray, ...] = field(default=(), repr=False)
    class_of: UIntArray = field(default_factory=lambda: np.zeros(0, np.uint32), repr=False)
    allowed: Sequence[Sequence[int]] | None = None
    released: Released | None = field(default=None, repr=False)
    rows: IntArray | None = field(default=None, repr=False)

    levels = node = rungs = None

    def cells(self, table: CodedTable) -> tuple[Cells, ...]:
        entries, of_population = self._classes_of(table)
        return tuple(
            Cells(
                labels=found.labels,
                numbers=found.of_class[entries],
                leaves=found.leaves,
                nodes=found.nodes,
                of_population={key: found.of_class[classes] for key, classes in of_population.items()},
                mean_leaves=found.mean_leaves,
            )
            for found in self._labels(table)
        )

    def class_of_entries(self, table: CodedTable) -> UIntArray:
        """Return the class of every entry of a table."""
        return self._classes_of(table)[0]

    def averages(self, columns: Iterable[str]) -> dict[str, Average]:
        return averages_of(self.labels, columns)

    def choices(self, table: CodedTable) -> Choices:
        """Say in how many rows values are unchanged, and how far averages are from them."""
        bases = [levels[0] for levels in self._levels(table)]
        one_base = self.allowed is not None and any(bases)
        averages = self.averages(table.names)
        words = {}
        for column, base, cells in zip(table.columns, bases, self.cells(table), strict=True):
            if column.name in averages:
                average = averages[column.name]
                words[column.name] = _error_words(average, _error(average, column, cells, table))
                continue
            kept = cells.unchanged(column)
            if one_base:
                at_base = pc.is_in(as_text(cells.labels), as_text(column.labels[base]))
                kept = at_base.to_numpy(zero_copy_only=False)
            share = f"{int(cells.label_counts(table)[kept].sum()) / max(table.rows, 1):.0%} of the rows"
            if averages:
                share = f"{f'level {base} of {column.height}' if one_base else 'unchanged'} in {share}"
            elif one_base:
                share = f"{base} of {column.height} in {share}"
            words[column.name] = share
        return Choices("Released" if averages else "Level" if one_base else "Unchanged", words)

    def average_errors(self, table: CodedTable) -> dict[str, float]:
        averages = self.averages(table.names)
        columns = zip(table.columns, self.cells(table) if averages else (), strict=False)
        return {
            column.name: _error(averages[column.name], column, cells, table)
            for column, cells in columns
            if column.name in averages
        }

    def for_recipients(self, spec: Spec, table: CodedTable) -> tuple[Spec, ByClasses]:
        return spec, self

    def to_manifest(self) -> dict[str, Any]:
        labels = self.labels if isinstance(self.labels, str) else dict(self.labels)
        return {"kind": self.kind, "labels": labels, **self.settings}

    @classmethod
    def from_manifest(cls, said: Mapping[str, Any]) -> Self:
        """Return what recipients know of it, which is not which values are in which class."""
        kind: Any = said.get("kind")
        labels: Any = said.get("labels")
        forms = labels.values() if isinstance(labels, Mapping) else [labels]
        known = (*get_args(LabelForm), *get_args(Average))
        if not isinstance(kind, str) or any(form not in known for form in forms):
            raise InputError(
                "A recoding by classes has a kind and a form of labels.\n"
                f"Found: the keys {', '.join(said)}.\nGive the manifest as it was written."
            )
        settings = {key: value for key, value in said.items() if key not in ("kind", "labels")}
        return cls(kind, settings, labels)

    def _labels(self, table: CodedTable) -> tuple[ClassLabels, ...]:
        class_of = self._numbered
        # Sorted once for all columns: what is sorted already takes no time to be sorted again.
        order = np.argsort(class_of, kind="stable")
        class_of = class_of[order]
        released = self.released or (None,) * len(table.columns)
        rows = None if self.rows is None else self.rows[order]
        return tuple(
            ClassValues(column, levels, values[order], class_of, seen, rows).labels(
                form_of(self.labels, column.name)
            )
            for column, levels, values, seen in zip(
                table.columns, self._levels(table), self.values, released, strict=True
            )
        )

    def _levels(self, table: CodedTable) -> Sequence[Sequence[int]]:
        return self.allowed or [column.allowed_levels for column in table.columns]

    def of_released(self, table: CodedTable, released: NDArray[np.bool_]) -> ByClasses:
        return replace(self, released=released_values(table, released))

    @property
    def _numbered(self) -> UIntArray:
        """The class of every tuple, where each that is in none has one of its own."""
        alone = self.class_of == NO_CLASS
        if not alone.any():
            return self.class_of
        classes = 0 if alone.all() else int(self.class_of[~alone].max()) + 1
        numbered = self.class_of.copy()
        numbered[alone] = classes + np.arange(int(alone.sum()), dtype=np.uint32)
        return numbered

    def _classes_of(self, table: CodedTable) -> tuple[UIntArray, dict[str, UIntArray]]:
        bases = [levels[0] for levels in self._levels(table)]
        return classes_by_tuple(table, bases, self.values, self._numbered)


def classes_by_tuple(
    table: CodedTable, bases: Sequence[int], values: Sequence[UIntArray], class_of: UIntArray
) -> tuple[UIntArray, dict[str, UIntArray]]:
    """Return the class of every entry of a table, and of the rows of its populations.

    Parameters
    ----------
    bases
        For each column, the level whose labels the values are.
    values, class_of
        For each column the value of every tuple, and the class of every tuple.

    Raises
    ------
    InputError
        An entry has a tuple that is not among these.
    """
    parts = [
        values,
        _at(bases, table, [column.codes for column in table.columns]),
        *(_at(bases, table, population.codes) for population in table.populations.values()),
    ]
    joined = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
    sizes = [len(column.labels[base]) for column, base in zip(table.columns, bases, strict=True)]
    grouped = _kernel.index_rows(joined, sizes)
    tuples, own = grouped.tuple_of_row, len(class_of)
    class_of_tuple = np.full(len(grouped), NO_CLASS)
    class_of_tuple[tuples[:own]] = class_of
    classes: NDArray[np.uint32] = class_of_tuple[tuples[own:]]
    if (classes == NO_CLASS).any():
        raise InputError(
            "This recoding was chosen for other rows.\n"
            f"Found: {int((classes == NO_CLASS).sum()):,} rows with values that it has no class for.\n"
            "Choose a recoding for this table."
        )
    of_population, start = {}, table.entries
    for key, population in table.populations.items():
        of_population[key] = classes[start : start + population.rows]
        start += population.rows
    return classes[: table.entries], of_population


def _at(levels: Sequence[int], table: CodedTable, codes: Sequence[UIntArray]) -> tuple[UIntArray, ...]:
    """Return codes as labels of a level of each column."""
    return tuple(
        column.maps[level][of_column]
        for column, level, of_column in zip(table.columns, levels, codes, strict=True)
    )


def _error_words(average: Average, error: float) -> str:
    if not error:
        return f"{average}, the value itself in all rows"
    if average == "mode":
        return f"mode, another value in {error:.2%} of the rows"
    return f"{average}, squared error {error:.2%} of the variance"


def _error(average: Average, column: CodedColumn, cells: Cells, table: CodedTable) -> float:
    rows = np.ones(table.entries) if table.weights is None else table.weights.astype(np.float64)
    values = column.labels[0]
    if average == "mode":
        code_of_label = pc.index_in(cells.labels, values).to_numpy(zero_copy_only=False)
        return float((code_of_label[cells.numbers] != column.codes) @ rows) / max(float(rows.sum()), 1)
    rows = np.where(values.is_valid().to_numpy(zero_copy_only=False)[column.codes], rows, 0)
    numbers, averages = Numbers.of(values), Numbers.of(cells.labels)
    assert numbers is not None and averages is not None, "others have no averages"
    before, after = numbers.floats[column.codes], averages.floats[cells.numbers]
    mean = float(before @ rows) / max(float(rows.sum()), 1)
    total = float(rows @ (before - mean) ** 2)
    return float(rows @ (before - after) ** 2) / total if total else 0.0
