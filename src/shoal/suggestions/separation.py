"""How well a few columns together separate rows.

The better a set of columns separates rows, the more it is a quasi-identifier. R. Motwani and Y. Xu
("Efficient algorithms for masking and finding quasi-identifiers", VLDB workshop on secure data management
2007) measure it twice: the alpha-distinction ratio is the number of distinct tuples per row, the alpha-
separation ratio the share of the pairs of rows that differ. The latter can be estimated from few rows; the
former cannot, so it is counted over all rows, for the sets that matter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.suggestions.table import SEED, Table

Codes: TypeAlias = NDArray[np.int64]

LARGEST_SET = 3
_ROWS = 20_000
_ROWS_IF_WIDE = 5_000
_WIDE = 30
_SETS = 600
"""Number of sets of each size to compare: all, where there are no more."""
_LARGEST_NUMBER = 1 << 62


@dataclass(frozen=True, slots=True)
class Separation:
    """How well some columns together separate rows.

    Attributes
    ----------
    columns
        Their names.
    separation
        Share of the pairs of rows that differ in one of them.
    distinction
        Distinct tuples per row.
    unique_rows
        Share of the rows with a unique tuple.
    """

    columns: tuple[str, ...]
    separation: float
    distinction: float
    unique_rows: float

    def to_mapping(self) -> dict[str, Any]:
        """Return the figures as JSON-ready data."""
        return {
            "columns": list(self.columns),
            "separation": self.separation,
            "distinction": self.distinction,
            "unique_rows": self.unique_rows,
        }


def separation_ratio(codes: Codes) -> float:
    """Return the share of the pairs of rows that differ.

    Examples
    --------
    >>> separation_ratio(np.array([[1, 1], [1, 2], [1, 2], [3, 2]]))
    0.8333333333333334
    """
    rows = len(codes)
    if rows < 2:
        return 0.0
    sizes = np.bincount(_tuples(codes)).astype(np.float64)
    return float(1 - (sizes * (sizes - 1)).sum() / (rows * (rows - 1)))


def find_separations(
    table: Table, names: Sequence[str], each: Collection[str] | None = None, seed: int = SEED
) -> list[Separation]:
    """Return the sets of at most three columns that separate best: of each size, and with each column.

    Sets are compared by the pairs of sampled rows that they separate. Of very many sets, a random selection
    and those that extend the best smaller set are compared. The returned figures count all rows, and the sets
    with the most unique rows come first.

    Parameters
    ----------
    names
        The columns to choose from.
    each
        The columns for which the best set is wanted. Default: all.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from shoal.suggestions.table import open_table
    >>> people = pa.table({"sex": list("FFMM"), "zip": list("1212"), "job": list("aaaa")})
    >>> with open_table(people) as table:
    ...     find_separations(table, ["sex", "zip", "job"])[0]
    Separation(columns=('sex', 'zip'), separation=1.0, distinction=1.0, unique_rows=1.0)
    """
    if not names or table.loaded < 2:
        return []
    codes = table.codes(list(names), _ROWS if len(names) <= _WIDE else _ROWS_IF_WIDE, seed)
    ratios = _ratios(codes, seed)
    best = [
        max((chosen for chosen in ratios if len(chosen) == size), key=lambda chosen: ratios[chosen])
        for size in sorted({len(chosen) for chosen in ratios})
    ]
    # Of sets that separate equally well, take the smallest: further columns add nothing.
    ranked = sorted(ratios, key=lambda chosen: (-round(ratios[chosen], 6), len(chosen), chosen))
    wanted = dict.fromkeys(best)
    for index, name in enumerate(names):
        if each is None or name in each:
            wanted[next(chosen for chosen in ranked if index in chosen)] = None
    found = [_counted(table, [names[index] for index in chosen]) for chosen in wanted]
    return sorted(found, key=lambda one: (-one.unique_rows, -one.separation, len(one.columns)))


def find_twins(codes: Codes) -> list[tuple[int, int]]:
    """Return the pairs of columns whose values map one to one.

    Examples
    --------
    >>> find_twins(np.array([[0, 5, 1], [1, 6, 1], [0, 5, 2], [2, 7, 2]]))
    [(0, 1)]
    """
    by_count: dict[int, list[int]] = {}
    twins = []
    for column in range(codes.shape[1]):
        count = len(np.unique(codes[:, column]))
        for other in by_count.get(count, []):
            if int(_tuples(codes[:, [other, column]]).max(initial=-1)) + 1 == count:
                twins.append((other, column))
                break
        else:
            by_count.setdefault(count, []).append(column)
    return twins


def _ratios(codes: Codes, seed: int) -> dict[tuple[int, ...], float]:
    """Return the separation ratio of each compared set."""
    random = np.random.default_rng(seed)
    columns = range(codes.shape[1])
    ratios: dict[tuple[int, ...], float] = {}
    for size in range(1, min(LARGEST_SET, len(columns)) + 1):
        for chosen in _sets(columns, size, ratios, random):
            ratios[chosen] = separation_ratio(codes[:, list(chosen)])
    return ratios


def _sets(
    columns: Sequence[int], size: int, ratios: dict[tuple[int, ...], float], random: np.random.Generator
) -> Iterable[tuple[int, ...]]:
    """Return sets of one size: all, or if too many, random ones and extensions of the best smaller set."""
    total = 1
    for taken in range(size):
        total = total * (len(columns) - taken) // (taken + 1)
    if size == 1 or total <= _SETS:
        return combinations(columns, size)
    smaller = [chosen for chosen in ratios if len(chosen) == size - 1]
    best = max(smaller, key=lambda chosen: ratios[chosen])
    sets = {tuple(sorted({*best, column})): None for column in columns if column not in best}
    while len(sets) < _SETS + len(columns):
        drawn = random.choice(len(columns), size=size, replace=False)
        sets[tuple(sorted(drawn.tolist()))] = None
    return sets


def _tuples(codes: Codes) -> Codes:
    """Return one number per row, from 0, equal for equal rows."""
    numbers: Codes = np.zeros(len(codes), dtype=np.int64)
    different = 1
    for column in codes.T:
        spread = int(column.max(initial=0)) + 1
        if different * spread > _LARGEST_NUMBER:
            numbers = np.unique(numbers, return_inverse=True)[1].reshape(-1)
            different = int(numbers.max(initial=0)) + 1
        numbers = numbers * spread + column
        different *= spread
    return np.unique(numbers, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _counted(table: Table, names: list[str]) -> Separation:
    listed = ", ".join(table.columns[name] for name in names)
    distinct, once, equal = table.fetch_row(
        "SELECT count(*), count(*) FILTER (n = 1), sum(n * (n - 1)) FROM "
        f"(SELECT count(*) AS n FROM {{table}} GROUP BY {listed})"
    )
    rows = table.loaded
    return Separation(tuple(names), 1 - float(equal) / (rows * (rows - 1)), distinct / rows, once / rows)
