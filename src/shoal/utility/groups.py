"""Values of a column put into a few groups, where all of them would be too many to tabulate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.describe.label_cover import FloatArray, IntArray
from shoal.utility.recoded_column import RecodedColumn

MOST_GROUPS = 20


@dataclass(frozen=True, slots=True)
class Groups:
    """A column in groups.

    Attributes
    ----------
    of_position
        For each value the number of its group.
    count
        How many groups there are.
    """

    of_position: IntArray
    count: int

    def shares(self, column: RecodedColumn) -> FloatArray:
        """Return how each label of the release is spread over the groups."""
        return column.cover.shares(self.of_position, self.count)


def grouped(column: RecodedColumn, most: int = MOST_GROUPS) -> Groups:
    """Group the values of a column: each its own group, if there are few enough.

    Otherwise numbers are put into groups of about as many rows each, and of categories the most frequent are
    kept and the others put together. NULL is a group of its own.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from shoal.utility.recoded_column import recode_column
    >>> ages = pa.array([20, 20, 30, 40, 50, None]).dictionary_encode()
    >>> grouped(recode_column("age", ages, ages), most=3).of_position.tolist()
    [0, 1, 1, 1, 2]
    """
    domain = column.domain
    if domain.size <= most:
        return Groups(np.arange(domain.size), domain.size)
    values = len(domain.texts)
    room = most - domain.null
    groups = np.full(domain.size, most - 1)
    counts = column.counts[:values]
    if domain.numbers is not None:
        order = np.argsort(domain.numbers, kind="stable")
        # A value goes where the middle of its rows lies.
        middle = np.cumsum(counts[order]) - counts[order] / 2
        positions = np.minimum((middle * room / max(counts.sum(), 1)).astype(np.int64), room - 1)
        groups[order] = np.unique(positions, return_inverse=True)[1]
        used = int(groups[:values].max()) + 1
        if domain.null:
            groups[-1] = used
        return Groups(groups, used + domain.null)
    kept = np.argsort(-counts, kind="stable")[: room - 1]
    groups[:values] = room - 1
    groups[kept] = np.arange(room - 1)
    return Groups(groups, most)
