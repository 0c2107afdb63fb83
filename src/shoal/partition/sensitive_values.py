"""What a bucketizer sees of the sensitive column: how often its values occur, their groups, their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from shoal.encode.column import CodedColumn, IntArray, UIntArray
from shoal.privacy.t_closeness import positions, taxonomy_levels


@dataclass(frozen=True, eq=False)
class SensitiveValues:
    """The values of a sensitive column, by codes in leaf order: those under one label are neighbours.

    Attributes
    ----------
    counts
        Rows of each value. A value that no row has is in no bucket.
    labels
        The number of each value's label at each level of the taxonomy, from level 1 up; empty without one.
        Where the last level has several labels, one more is above them.
    order
        The position of each value, where values are ordered.
    """

    counts: IntArray
    labels: tuple[UIntArray, ...] = ()
    order: UIntArray | None = None

    @classmethod
    def of(cls, column: CodedColumn, order: Sequence[str | None] | None = None) -> Self:
        """Return the values of a coded column, at the distances that t-closeness has them.

        `order` lists them from first to last, as text; by default they are in their own order. A column
        without a hierarchy may be coded with one label above all values: that is no taxonomy, and the spec
        knows whether there is one.
        """
        levels = taxonomy_levels(column) or column.maps[1:]
        return cls(column.counts, levels if column.height else (), positions(column.labels[0], order))

    @cached_property
    def rows(self) -> int:
        """Rows of the table."""
        return int(self.counts.sum())

    @cached_property
    def occurring(self) -> IntArray:
        """The values that rows have."""
        return np.flatnonzero(self.counts).astype(np.int64)

    @cached_property
    def tree(self) -> tuple[UIntArray, ...]:
        """The labels of each value from level 1 up to a single one.

        Examples
        --------
        >>> colours = np.array([0, 0, 1], dtype=np.uint32)
        >>> [labels.tolist() for labels in SensitiveValues(np.array([1, 2, 2]), (colours,)).tree]
        [[0, 0, 1], [0, 0, 0]]
        """
        if self.labels and len(np.unique(self.labels[-1])) <= 1:
            return self.labels
        return (*self.labels, np.zeros(len(self.counts), dtype=np.uint32))
