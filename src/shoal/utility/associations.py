"""How far pairs of columns still tell of each other: Cramer's V before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import sqrt

import numpy as np

from shoal.describe.label_cover import FloatArray, IntArray
from shoal.utility.groups import grouped
from shoal.utility.recoded_column import RecodedColumn

_DENSE = 1 << 22


@dataclass(frozen=True, slots=True)
class Association:
    """How two columns go together, in the original and as the release tells it.

    The release is read as somebody would who has nothing else: a cell counts evenly for all values that its
    label covers, in both columns independently. So within a label nothing is left of an association.
    Columns of more than 20 values are grouped (`groups.py`).

    Attributes
    ----------
    columns
        Their names.
    before, after
        Cramer's V, from 0 (independent) to 1 (one tells the other): the root of chi2 / (n (m - 1)), where m
        is the smaller number of values that occur. 0 where one of them has a single value.
    total_variation
        Half the sum over pairs of values of | share before - share after |.

    References
    ----------
    H. Cramer, "Mathematical methods of statistics", Princeton University Press 1946, chapter 21.
    """

    columns: tuple[str, str]
    before: float
    after: float
    total_variation: float

    @property
    def change(self) -> float:
        """How much of the association is lost, or made up if negative."""
        return self.before - self.after

    def to_mapping(self) -> dict[str, object]:
        """Return it as plain values, ready for JSON."""
        return {**asdict(self), "columns": list(self.columns)}


def associations(
    quasi_identifiers: Sequence[RecodedColumn], others: Sequence[RecodedColumn]
) -> tuple[Association, ...]:
    """Compare all pairs of columns of which at least one is a quasi-identifier.

    Columns of a single value are left out, since they go with nothing.
    """
    columns = [column for column in (*quasi_identifiers, *others) if column.domain.size > 1]
    names = {column.name for column in quasi_identifiers}
    groups = {column.name: grouped(column) for column in columns}
    shares = {column.name: groups[column.name].shares(column) for column in columns}
    of_rows = {column.name: groups[column.name].of_position[column.before] for column in columns}
    found = []
    for first, second in combinations(columns, 2):
        if first.name not in names and second.name not in names:
            continue
        one, two = first.name, second.name
        before = _joint(of_rows[one], of_rows[two], groups[one].count, groups[two].count)
        after = _estimated(first, second, shares[one], shares[two])
        found.append(
            Association(
                (first.name, second.name),
                cramers_v(before),
                cramers_v(after),
                float(np.abs(before - after).sum() / 2),
            )
        )
    return tuple(found)


def cramers_v(table: FloatArray) -> float:
    """Return Cramer's V of a table of counts or shares.

    Examples
    --------
    >>> cramers_v(np.array([[2.0, 0.0], [0.0, 2.0]])), cramers_v(np.array([[1.0, 1.0], [1.0, 1.0]]))
    (1.0, 0.0)
    """
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    least = min(table.shape)
    if least < 2:
        return 0.0
    total = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    chi_squared = float(((table - expected) ** 2 / expected).sum())
    return min(sqrt(chi_squared / (total * (least - 1))), 1.0)


def _joint(first: IntArray, second: IntArray, height: int, width: int) -> FloatArray:
    """Return the share of rows of the original in each pair of groups."""
    cells = np.bincount(first * width + second, minlength=height * width).reshape(height, width)
    return cells / len(first)


def _estimated(first: RecodedColumn, second: RecodedColumn, one: FloatArray, two: FloatArray) -> FloatArray:
    """Return the share of rows in each pair of groups, as the release tells it."""
    if not len(first.after):  # nothing is told, so that all values are alike
        even = [
            np.bincount(grouped(column).of_position, minlength=shares.shape[1]) / column.domain.size
            for column, shares in ((first, one), (second, two))
        ]
        return np.outer(*even)
    width = len(second.labels)
    pairs = first.after * width + second.after
    if len(first.labels) * width <= _DENSE:
        cells = np.bincount(pairs, minlength=len(first.labels) * width)
        keys = np.flatnonzero(cells)
        counts = cells[keys]
    else:
        keys, counts = np.unique(pairs, return_counts=True)
    owners, partners = np.divmod(keys, width)
    by_label = np.column_stack(
        [
            np.bincount(owners, weights=counts * two[partners, group], minlength=len(first.labels))
            for group in range(two.shape[1])
        ]
    )
    found: FloatArray = one.T @ by_label / len(first.after)
    return found
