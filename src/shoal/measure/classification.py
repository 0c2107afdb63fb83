"""Classification metric: how well the classes predict a target column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from shoal.encode.column import CodedColumn
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.exact_counts import count
from shoal.measure.measure import Costs, IntArray, MeasureDefaults, Node
from shoal.measure.untouched_classes import untouched_classes


@dataclass(frozen=True, slots=True)
class Classification(MeasureDefaults):
    """The share of rows that are suppressed or lack their class's most frequent value of a target column.

    From the share that the untouched table has (0 where equal tuples have equal targets) to 1 (everything
    suppressed). A class of 3 rows with the targets no, no, yes and a suppressed row give (1 + 1) / 4 = 0.5.
    NULL is a value like any other.

    Generalizing without suppression never lowers it, since a merged class has at most the majorities of its
    parts. With suppression it may: a class that is large enough to be kept no longer costs all its rows.

    Parameters
    ----------
    target
        The column that the release should still predict.

    References
    ----------
    V. Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002.

    Examples
    --------
    >>> Classification("salary").to_spec()
    {'classification': {'target': 'salary'}}
    """

    target: str

    name: ClassVar[str] = "classification"
    summary: ClassVar[str] = "The share of rows that are suppressed or not of their class's majority."
    extent: ClassVar[str] = "the untouched share to 1"
    parameters: ClassVar[Mapping[str, str]] = {"target": "the column that the release should still predict"}
    examples: ClassVar[tuple[object, ...]] = ({"target": "salary"},)
    monotone: ClassVar[bool] = False
    weighted: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not isinstance(self.target, str) or not self.target:
            raise InputError(
                f"The target of classification must be the name of a column.\nFound: {self.target!r}.\n"
                "Name the column that the release should still predict."
            )

    @property
    def attribute(self) -> str:
        return self.target

    def score(self, node: Node) -> float:
        largest = _largest(node.class_of_rows(), len(node.sizes), self._column(node.table), node.table)
        sizes, kept = np.array(node.sizes), np.array(node.kept)
        missed = int(np.where(kept, sizes - largest, sizes).sum())
        return missed / node.table.rows

    def costs(self, table: CodedTable, k: int | None) -> Costs:
        return Costs(term="minority", attribute=self._column(table).name, divisor=float(table.rows))

    def ends(self, table: CodedTable, k: int | None) -> tuple[float, float] | None:
        if table.bottom is not None:
            return None
        of_rows, sizes = untouched_classes(table)
        largest = _largest(of_rows, len(sizes), self._column(table), table)
        return (table.rows - int(largest.sum())) / table.rows, 1.0

    def describe(self) -> str:
        return f"{self.name} of {self.target}"

    @classmethod
    def from_spec(cls, argument: object = None) -> Self:
        """Build it from the name of the target, or from a mapping that names it."""
        if isinstance(argument, str):
            argument = {"target": argument}
        return super(Classification, cls).from_spec(argument)

    def _column(self, table: CodedTable) -> CodedColumn:
        if self.target not in table.attributes:
            raise InputError(
                f"Column {self.target!r}, the target of classification, was not coded with the table.\n"
                f"Coded beside the quasi-identifiers: {', '.join(table.attributes) or 'none'}.\n"
                "Name it in the measure before the table is coded."
            )
        return table.attributes[self.target]


def _largest(of_rows: IntArray, classes: int, column: CodedColumn, table: CodedTable) -> IntArray:
    """Return how many rows of each class have its most frequent value."""
    values = len(column.counts)
    pairs, positions = np.unique(of_rows * values + column.codes, return_inverse=True)
    counts = count(positions.reshape(-1), len(pairs), table.weights)
    largest = np.zeros(classes, dtype=np.int64)
    np.maximum.at(largest, pairs // values, counts)
    return largest
