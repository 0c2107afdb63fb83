"""Parts of a table that is counted where it lives: the rows with some of the labels of each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.encode.column import CodedColumn, IntArray


@dataclass(frozen=True, eq=False)
class Part:
    """The rows whose labels at a node are among these.

    Attributes
    ----------
    levels
        The level of each column.
    labels
        For each column, whether rows of the part may have each label.
    rows
        How many rows there are.
    """

    levels: tuple[int, ...]
    labels: tuple[NDArray[np.bool_], ...]
    rows: int

    @classmethod
    def whole(cls, columns: Sequence[CodedColumn], rows: int) -> Part:
        """Return all rows of a table, at the lowest levels that its columns allow."""
        levels = tuple(column.min_level for column in columns)
        labels = (
            np.ones(len(column.labels[level]), dtype=np.bool_)
            for column, level in zip(columns, levels, strict=True)
        )
        return cls(levels, tuple(labels), rows)

    def cut(self, column: int, first: int, last: int, rows: int) -> tuple[Part, Part]:
        """Return the rows with the labels first to last of a column, which are `rows`, and the others."""
        own = self.labels[column]
        inside = np.zeros_like(own)
        inside[first : last + 1] = own[first : last + 1]
        return self._with(column, inside, rows), self._with(column, own & ~inside, self.rows - rows)

    def _with(self, column: int, labels: NDArray[np.bool_], rows: int) -> Part:
        changed = (*self.labels[:column], labels, *self.labels[column + 1 :])
        return replace(self, labels=changed, rows=rows)


@dataclass(frozen=True, slots=True)
class LabelBoxes:
    """The rows of a part by their labels in one column, in the order of the labels.

    Attributes
    ----------
    labels
        The numbers of the labels that occur.
    rows
        How many rows have each.
    low, high
        ``low[label][column]`` is the least number of a label of a column in these rows, `high` the greatest.
    """

    labels: IntArray
    rows: IntArray
    low: IntArray
    high: IntArray
