"""Buckets: sets of sensitive values that a class has about as many rows of, in proportion, as the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from shoal.encode.column import IntArray
from shoal.privacy.condition import ROUNDING

FloatArray = NDArray[np.float64]


class ClassBound(Protocol):
    """What the rows that a class has of all buckets must satisfy together."""

    def allows(self, sizes: IntArray) -> bool:
        """Return whether a class may have so many rows of each bucket."""
        ...


@dataclass(frozen=True, eq=False)
class Buckets:
    """Every value that rows have in one bucket, numbered by their first values.

    Attributes
    ----------
    of_value
        The bucket of each value; -1 for a value that no row has. Where buckets overlap, the one that has the
        most rows of the value.
    rows
        Rows of each bucket.
    bounds
        The most that the share of each bucket may be in a class.
    overlapping
        Where buckets overlap, how many rows of which values each of them takes; else empty.
    together
        What the shares of all buckets must satisfy beside, if anything.
    """

    of_value: IntArray
    rows: IntArray
    bounds: FloatArray
    overlapping: tuple[Mapping[int, int], ...] = ()
    together: ClassBound | None = None

    @classmethod
    def of(
        cls,
        groups: Iterable[tuple[Sequence[int] | IntArray, float]],
        counts: IntArray,
        *,
        together: ClassBound | None = None,
    ) -> Self:
        """Make buckets of groups of values, each with its bound.

        Examples
        --------
        >>> buckets = Buckets.of([([2], 0.5), ([0, 3], 0.75)], np.array([1, 0, 2, 3]))
        >>> buckets.of_value.tolist(), buckets.rows.tolist(), buckets.bounds.tolist()
        ([0, -1, 1, 0], [4, 2], [0.75, 0.5])
        """
        numbered = sorted(groups, key=lambda group: min(group[0]))
        of_value = np.full(len(counts), -1, dtype=np.int64)
        for number, (values, _) in enumerate(numbered):
            of_value[np.asarray(values, dtype=np.int64)] = number
        return cls(
            of_value,
            np.array([counts[np.asarray(values)].sum() for values, _ in numbered], dtype=np.int64),
            np.array([bound for _, bound in numbered], dtype=np.float64),
            together=together,
        )

    def __len__(self) -> int:
        return len(self.rows)

    def values(self, bucket: int) -> IntArray:
        """Return the values of a bucket."""
        if self.overlapping:
            return np.array(list(self.overlapping[bucket]), dtype=np.int64)
        return np.flatnonzero(self.of_value == bucket).astype(np.int64)

    def allows(self, sizes: IntArray) -> bool:
        """Return whether a class may have so many rows of each bucket.

        Examples
        --------
        >>> buckets = Buckets.of([([0], 0.5), ([1], 0.75)], np.array([2, 2]))
        >>> buckets.allows(np.array([1, 1])), buckets.allows(np.array([2, 1]))
        (True, False)
        """
        most = self.bounds * int(sizes.sum()) * (1 + ROUNDING)
        return bool((sizes <= most).all()) and (self.together is None or self.together.allows(sizes))

    def describe(self) -> str:
        """Return how many buckets there are, and of how many rows.

        Examples
        --------
        >>> Buckets.of([([0], 0.5), ([1], 0.75)], np.array([2, 3])).describe()
        '2 buckets of 2 to 3 rows'
        """
        if not len(self):
            return "no buckets"
        least, most = int(self.rows.min()), int(self.rows.max())
        rows = f"{most:,} row{'s' * (most != 1)}"
        sizes = rows if least == most else f"{least:,} to {rows}"
        overlapping = ", which overlap" if self.overlapping else ""
        return f"{len(self):,} bucket{'s' * (len(self) != 1)} of {sizes}{overlapping}"
