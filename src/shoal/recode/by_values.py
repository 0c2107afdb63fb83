"""Recoding by values: the values of each column are put into blocks, and each block has a label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import NDArray

from shoal.describe.hierarchy import ANYTHING, as_text
from shoal.encode.cells import Cells
from shoal.encode.column import CodedColumn, UIntArray
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.recode.class_labels import ClassValues, LabelForm, Released, released_values
from shoal.recode.recoding import Choices
from shoal.spec.spec import Spec


@dataclass(frozen=True, eq=False)
class ByValues:
    """Every value of a column gets the label of its block, whatever the row has in other columns.

    Labels of one column may be of different widths: `25` beside `[30, 40)`. They overlap only where one
    covers NULL and values, for which there is often no label but `*`.

    Parameters
    ----------
    kind
        The name of the strategy that chose the blocks.
    settings
        How it was told to, for manifests.
    labels
        How labels are written.
    blocks
        For each column, the block of every value, from 0 without gaps. A value is a label of the lowest level
        that the column may have.
    forms
        How the labels of each column are written, if not all are written as `labels` says.
    released
        For each column which of its values released rows have, once that is known: labels show these alone.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from shoal.describe import intervals
    >>> from shoal.encode.column import code_column
    >>> ages = code_column("age", pa.array([21, 24, 38, 52]).dictionary_encode(), intervals(10, 20))
    >>> recoding = ByValues("subtree", blocks=(np.array([0, 0, 1, 2], np.uint32),))
    >>> (cells,) = recoding.cells(CodedTable((ages,), 4))
    >>> cells.labels.take(pa.array(cells.numbers)).to_pylist()
    ['[20, 30)', '[20, 30)', '38', '52']
    """

    kind: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    labels: LabelForm = "nodes"
    blocks: tuple[UIntArray, ...] = field(default=(), repr=False)
    forms: Sequence[LabelForm] | None = field(default=None, repr=False)
    released: Released | None = field(default=None, repr=False)

    levels = node = rungs = None

    def cells(self, table: CodedTable) -> tuple[Cells, ...]:
        self._require(table)
        forms = [self.labels] * len(self.blocks) if self.forms is None else self.forms
        released = self.released or (None,) * len(self.blocks)
        return tuple(
            self._cells(
                table,
                position,
                ClassValues(column, column.allowed_levels, _values(blocks), blocks, seen),
                form,
            )
            for position, (column, blocks, form, seen) in enumerate(
                zip(table.columns, self.blocks, forms, released, strict=True)
            )
        )

    def of_released(self, table: CodedTable, released: NDArray[np.bool_]) -> ByValues:
        return replace(self, released=released_values(table, released))

    def _cells(self, table: CodedTable, position: int, values: ClassValues, form: LabelForm) -> Cells:
        found = values.labels(form)
        # From the codes of a column to values, to blocks, to labels.
        of_code = found.of_class[self.blocks[position]][values.column.maps[values.base]]
        return Cells(
            labels=found.labels,
            numbers=of_code[values.column.codes],
            leaves=found.leaves,
            nodes=found.nodes,
            of_population={
                key: of_code[population.codes[position]] for key, population in table.populations.items()
            },
        )

    def choices(self, table: CodedTable) -> Choices:
        self._require(table)
        words = {
            column.name: _in_words(column, int(blocks.max(initial=0)) + 1, cells)
            for column, blocks, cells in zip(table.columns, self.blocks, self.cells(table), strict=True)
        }
        return Choices("Values", words)

    def for_recipients(self, spec: Spec, table: CodedTable) -> tuple[Spec, ByValues]:
        return spec, self

    def to_manifest(self) -> dict[str, Any]:
        return {"kind": self.kind, "labels": self.labels, **self.settings}

    @classmethod
    def from_manifest(cls, said: Mapping[str, Any]) -> Self:
        """Return what recipients know of it, which is not what values are in each block."""
        kind: Any = said.get("kind")
        labels: Any = said.get("labels")
        if not isinstance(kind, str) or labels not in get_args(LabelForm):
            raise InputError(
                f"A recoding by values has a kind and a form of labels.\nFound: the keys {', '.join(said)}.\n"
                "Give the manifest as it was written."
            )
        settings = {key: value for key, value in said.items() if key not in ("kind", "labels")}
        return cls(kind, settings, labels)

    def _require(self, table: CodedTable) -> None:
        values = [len(column.labels[column.min_level]) for column in table.columns]
        if values != [len(blocks) for blocks in self.blocks]:
            raise InputError(
                "This recoding was chosen for other values.\n"
                f"Found: a table whose columns have {', '.join(map(str, values))} values.\n"
                "Choose a recoding for this table."
            )


def _values(blocks: UIntArray) -> UIntArray:
    return np.arange(len(blocks), dtype=np.uint32)


def _in_words(column: CodedColumn, blocks: int, cells: Cells) -> str:
    values = len(column.labels[column.min_level])
    if blocks == values:
        return "unchanged" if column.min_level == 0 else f"at level {column.min_level}"
    if as_text(cells.labels).to_pylist() == [ANYTHING]:
        return "suppressed"
    return f"{values:,} in {blocks:,} {'label' if blocks == 1 else 'labels'}"
