"""Figures that several models need: how the whole table is distributed, and what that forces on a class."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.encode.table import CodedTable
from shoal.privacy.classes import Classes
from shoal.privacy.condition import ROUNDING, Condition

_LEAST_SHARE = 1e-18  # no table has so many people
_SLACK = 1e-9  # what is only necessary may ask for less; never for more


def least_size(share: float) -> int:
    """Return the fewest people of whom one is at most this share.

    Examples
    --------
    >>> least_size(0.2), least_size(1 / 3), least_size(0.3), least_size(1)
    (5, 3, 4, 1)
    """
    return math.ceil(1 / max(share * (1 + ROUNDING), _LEAST_SHARE))


def whole(table: CodedTable) -> Classes:
    """Return a table as a single class."""
    return Classes(table, np.zeros(table.entries, dtype=np.int64), 1)


def shares(table: CodedTable, column: str, level: int = 0) -> NDArray[np.float64]:
    """Return for each value of a column, or label of a level, the share of the table's people who have it."""
    everybody = whole(table)
    return np.asarray(everybody.totals(column, level) / max(int(everybody.people[0]), 1))


def fewest_values(most: NDArray[np.float64], sum_of_all: float) -> int:
    """Return how many values must occur so that the most that each may take adds up to this sum.

    Examples
    --------
    >>> fewest_values(np.array([0.2, 0.5, 0.4]), 0.8)
    2
    """
    reached = np.cumsum(np.sort(most)[::-1])
    return min(int(np.searchsorted(reached, sum_of_all - _SLACK)) + 1, len(most)) if len(most) else 0


def at_least(column: str, values: int) -> tuple[Condition, ...]:
    """Return the condition that so many values occur in a class; what merges with it takes none away."""
    if values <= 1:
        return ()
    return (Condition("distinct", "attribute", column, least=values, absorbing=True),)


def least_whole(number: float) -> int:
    """Return the least whole number that is at least this one, up to rounding.

    Examples
    --------
    >>> least_whole(3.0000000000001), least_whole(3.2)
    (3, 4)
    """
    return math.ceil(number * (1 - _SLACK))


def untouched(table: CodedTable, key: str) -> Classes:
    """Return the rows of a table and of a population, in classes of the same values as they are."""
    population = table.populations[key]
    of_all = np.zeros(table.entries + population.rows, dtype=np.int64)
    count = 1
    for column, codes in zip(table.columns, population.codes, strict=True):
        cells = of_all * len(column.counts) + np.concatenate([column.codes, codes])
        found, of_all = np.unique(cells, return_inverse=True)
        count = len(found)
    return Classes(table, of_all[: table.entries], count, {key: of_all[table.entries :]})
