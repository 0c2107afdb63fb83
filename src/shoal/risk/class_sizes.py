"""How large the classes are: the one basis of all figures that look at sizes alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ClassSizes:
    """The histogram of class sizes: `classes[i]` classes have `size[i]` rows, sizes ascending.

    Where a population is known, `population[i]` people of it look like each of these classes; then a size
    stands there once for each such number.

    Where people are counted, sizes are people, and somebody with several rows may be in several classes.
    `people[i]` of them are found most easily in a class of this kind: so each counts once.

    Examples
    --------
    >>> sizes = ClassSizes.of({1: 3, 4: 2})
    >>> sizes.rows, sizes.count, sizes.uniques, sizes.smallest
    (11, 5, 3, 1)
    """

    size: IntArray
    classes: IntArray
    population: IntArray | None = None
    people: IntArray | None = None

    @classmethod
    def of(cls, histogram: Mapping[int, int]) -> Self:
        """Build it from the number of classes by size."""
        sizes = sorted(histogram)
        return cls(
            np.array(sizes, dtype=np.int64),
            np.array([histogram[size] for size in sizes], dtype=np.int64),
        )

    @property
    def rows(self) -> int:
        """Rows in all classes; where people are counted, once in each of their classes."""
        return int((self.size * self.classes).sum())

    @property
    def members(self) -> IntArray:
        """Rows by size of their class; where people are counted, people by the class of the highest risk."""
        return self.size * self.classes if self.people is None else self.people

    @property
    def counted(self) -> int:
        """Rows in all classes; where people are counted, people, each once."""
        return int(self.members.sum())

    @property
    def alone(self) -> int:
        """Rows that are alone in their class; where people are counted, people who are alone in one."""
        return int(self.members[self.size == 1].sum())

    @property
    def count(self) -> int:
        """Classes."""
        return int(self.classes.sum())

    @property
    def uniques(self) -> int:
        """Rows that are alone in their class."""
        return self.with_rows(1)

    @property
    def smallest(self) -> int:
        """The size of the smallest class; 0 if there is none."""
        return int(self.size.min(initial=self.largest))

    @property
    def largest(self) -> int:
        """The size of the largest class; 0 if there is none."""
        return int(self.size.max(initial=0))

    def with_rows(self, size: int) -> int:
        """Return how many classes have so many rows."""
        return int(self.classes[self.size == size].sum())

    def to_histogram(self) -> dict[int, int]:
        """Return the number of classes by size."""
        return self._by_size(self.classes)

    def members_by_size(self) -> dict[int, int]:
        """Return the rows by size of their class; people by the class of the highest risk, each once."""
        return self._by_size(self.members)

    def _by_size(self, counts: IntArray) -> dict[int, int]:
        histogram: dict[int, int] = {}
        for size, count in zip(self.size.tolist(), counts.tolist(), strict=True):
            histogram[size] = histogram.get(size, 0) + count
        return histogram
