"""Recoding by classes: tuples of values are put into classes, whose labels cover all of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import NDArray

from shoal import _kernel
from shoal.encode.cells import Cells
from shoal.encode.column import UIntArray
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.recode.class_labels import NO_CLASS, ClassLabels, ClassValues, LabelForm, Released, released_values
from shoal.recode.recoding import Choices
from shoal.spec.spec import Spec


@dataclass(frozen=True, eq=False)
class ByClasses:
    """Every tuple of values gets the labels of its class.

    Labels of one column are of different widths, and may overlap: `25` beside `[20, 40)`.

    Parameters
    ----------
    kind
        The name of the strategy that chose the classes.
    settings
        How it was told to, for manifests.
    labels
        How labels are written.
    values
        For each column, the value of every tuple: the number of its label at the lowest level that the column
        may have.
    class_of
        The class of every tuple, from 0 without gaps; `NO_CLASS` for tuples that no class could take, which
        keep their values and are suppressed if these are too few.
    released
        For each column which of its values released rows have, once that is known: labels show these alone.

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
    """

    kind: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    labels: LabelForm = "nodes"
    values: tuple[UIntArray, ...] = field(default=(), repr=False)
    class_of: UIntArray = field(default_factory=lambda: np.zeros(0, np.uint32), repr=False)
    released: Released | None = field(default=None, repr=False)

    levels = node = rungs = None

    def cells(self, table: CodedTable) -> tuple[Cells, ...]:
        entries, of_population = class_of_entries(table, self.values, self._numbered)
        return tuple(
            Cells(
                labels=found.labels,
                numbers=found.of_class[entries],
                leaves=found.leaves,
                nodes=found.nodes,
                of_population={key: found.of_class[classes] for key, classes in of_population.items()},
            )
            for found in self._labels(table)
        )

    def choices(self, table: CodedTable) -> Choices:
        shares = {}
        for column, cells in zip(table.columns, self.cells(table), strict=True):
            counts = cells.label_counts(table)
            kept = int(counts[cells.leaves == 1].sum())
            shares[column.name] = f"{kept / max(table.rows, 1):.0%} of the rows"
        return Choices("Unchanged", shares)

    def for_recipients(self, spec: Spec, table: CodedTable) -> tuple[Spec, ByClasses]:
        return spec, self

    def to_manifest(self) -> dict[str, Any]:
        return {"kind": self.kind, "labels": self.labels, **self.settings}

    @classmethod
    def from_manifest(cls, said: Mapping[str, Any]) -> Self:
        """Return what recipients know of it, which is not which values are in which class."""
        kind: Any = said.get("kind")
        labels: Any = said.get("labels")
        if not isinstance(kind, str) or labels not in get_args(LabelForm):
            raise InputError(
                "A recoding by classes has a kind and a form of labels.\n"
                f"Found: the keys {', '.join(said)}.\nGive the manifest as it was written."
            )
        settings = {key: value for key, value in said.items() if key not in ("kind", "labels")}
        return cls(kind, settings, labels)

    def _labels(self, table: CodedTable) -> tuple[ClassLabels, ...]:
        class_of = self._numbered
        released = self.released or (None,) * len(table.columns)
        return tuple(
            ClassValues(column, column.min_level, values, class_of, seen).labels(self.labels)
            for column, values, seen in zip(table.columns, self.values, released, strict=True)
        )

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


def class_of_entries(
    table: CodedTable, values: Sequence[UIntArray], class_of: UIntArray
) -> tuple[UIntArray, dict[str, UIntArray]]:
    """Return the class of every entry of a table, and of the rows of its populations.

    Parameters
    ----------
    values, class_of
        For each column the value of every tuple, and the class of every tuple.

    Raises
    ------
    InputError
        An entry has a tuple that is not among these.
    """
    parts = [
        values,
        _at_base(table, [column.codes for column in table.columns]),
        *(_at_base(table, population.codes) for population in table.populations.values()),
    ]
    joined = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
    sizes = [len(column.labels[column.min_level]) for column in table.columns]
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


def _at_base(table: CodedTable, codes: Sequence[UIntArray]) -> tuple[UIntArray, ...]:
    """Return codes as labels of the lowest level that each column may have."""
    return tuple(
        column.maps[column.min_level][of_column]
        for column, of_column in zip(table.columns, codes, strict=True)
    )
