"""How well the release answers questions of the kind "how many are there that ...?"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from shoal.describe.label_cover import BoolArray, FloatArray, IntArray
from shoal.utility.recoded_column import RecodedColumn

SANITY_BOUND = 0.001
SELECTIVITY = 0.1
THRESHOLDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0)
_MOST_COLUMNS = 3
_PER_SET = 25
_DENSE = 1 << 22
_WIDEST = 2**62


@dataclass(frozen=True, slots=True)
class QueryErrors:
    """The errors of the release's answers to random count queries.

    A query asks for the rows that satisfy a condition in each of 1 to 3 columns, at least one of them a
    quasi-identifier: a range of neighbouring values in a column of numbers, a random set of categories in
    others. Each condition takes so many values of its column that all together take about a tenth of the
    combinations. The release's answer counts a row with the share of values under its label that
    satisfy, multiplied over columns. The error of an answer is

        | answer - true count | / max(true count, 0.1% of the rows, 1)

    The bound keeps counts near zero from having errors without end.

    Attributes
    ----------
    count
        How many queries were asked; without any, the figures are NaN.
    mean, median, quantile_90, largest
        Of their errors.
    suppressed_median
        The median error if everything were suppressed, so that only the values and the number of rows are
        known: what the release is to be better than.
    below
        For some errors the share of queries whose error is not larger.
    by_columns
        The median error of the queries over so many columns.

    References
    ----------
    X. Xiao and Y. Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006, on such queries;
    X. Xiao, G. Wang and J. Gehrke, "Differential privacy via wavelet transforms", ICDE 2010, on the bound.
    """

    count: int
    mean: float
    median: float
    quantile_90: float
    largest: float
    suppressed_median: float
    below: Mapping[float, float]
    by_columns: Mapping[int, float]

    def to_mapping(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        figures = ("mean", "median", "quantile_90", "largest", "suppressed_median")
        return {
            "count": self.count,
            **{name: None if np.isnan(getattr(self, name)) else getattr(self, name) for name in figures},
            "below": {f"{error:g}": share for error, share in self.below.items()},
            "by_columns": {str(size): error for size, error in self.by_columns.items()},
        }


def query_errors(
    quasi_identifiers: Sequence[RecodedColumn], others: Sequence[RecodedColumn], count: int, seed: int
) -> QueryErrors:
    """Put random queries to the original and to the release, and compare the answers.

    Parameters
    ----------
    count
        How many queries. They come in 25s that ask about the same columns, so that rows are grouped once
        for all of these.
    seed
        Makes them repeatable.
    """
    random = np.random.default_rng(seed)
    columns = [column for column in (*quasi_identifiers, *others) if column.domain.size > 1]
    usable = sum(column.domain.size > 1 for column in quasi_identifiers)
    errors: list[float] = []
    nothing: list[float] = []
    sizes: list[int] = []
    while len(errors) < count and usable:
        chosen = _choose(columns, usable, random)
        before = _counted([(column.before, column.domain.size) for column in chosen])
        after = _counted([(column.after, len(column.labels)) for column in chosen])
        rows = len(chosen[0].before)
        for _ in range(min(_PER_SET, count - len(errors))):
            wanted = [_condition(column, len(chosen), random) for column in chosen]
            true = _answer(before, [values.astype(np.float64) for values in wanted])
            shares = [
                column.cover.sums(values) / np.maximum(column.cover.counts, 1)
                for column, values in zip(chosen, wanted, strict=True)
            ]
            bound = max(true, SANITY_BOUND * rows, 1.0)
            errors.append(abs(_answer(after, shares) - true) / bound)
            blind = rows * float(np.prod([values.mean() for values in wanted]))
            nothing.append(abs(blind - true) / bound)
            sizes.append(len(chosen))
    return _summary(np.array(errors), np.array(nothing), np.array(sizes))


def _summary(errors: FloatArray, nothing: FloatArray, sizes: IntArray) -> QueryErrors:
    if not len(errors):
        nan = float("nan")
        return QueryErrors(0, nan, nan, nan, nan, nan, {}, {})
    return QueryErrors(
        count=len(errors),
        mean=float(errors.mean()),
        median=float(np.median(errors)),
        quantile_90=float(np.quantile(errors, 0.9)),
        largest=float(errors.max()),
        suppressed_median=float(np.median(nothing)),
        below={error: float((errors <= error).mean()) for error in THRESHOLDS},
        by_columns={size: float(np.median(errors[sizes == size])) for size in np.unique(sizes).tolist()},
    )


def _choose(
    columns: Sequence[RecodedColumn], quasi_identifiers: int, random: np.random.Generator
) -> list[RecodedColumn]:
    """Choose 1 to 3 columns, the first of which is one of the quasi-identifiers, which come first."""
    size = int(random.integers(1, min(_MOST_COLUMNS, len(columns)) + 1))
    first = int(random.integers(quasi_identifiers))
    rest = [position for position in range(len(columns)) if position != first]
    return [columns[first], *(columns[position] for position in random.choice(rest, size - 1, replace=False))]


def _condition(column: RecodedColumn, columns: int, random: np.random.Generator) -> BoolArray:
    """Return for each value of a column whether it satisfies a random condition; never all of them do."""
    domain = column.domain
    wanted = np.zeros(domain.size, dtype=np.bool_)
    size = min(max(ceil(domain.size * SELECTIVITY ** (1 / columns)), 1), domain.size - 1)
    if domain.numbers is None:
        wanted[random.choice(domain.size, size, replace=False)] = True
        return wanted
    values = len(domain.texts)  # NULL is in no range
    size = min(size, values)
    start = int(random.integers(values - size + 1))
    wanted[np.argsort(domain.numbers, kind="stable")[start : start + size]] = True
    return wanted


def _counted(columns: Sequence[tuple[IntArray, int]]) -> tuple[list[IntArray], IntArray]:
    """Return the tuples of codes that occur, column by column, and how many rows have each."""
    keys, total = np.zeros(len(columns[0][0]), dtype=np.int64), 1
    for codes, size in columns:
        if total * max(size, 1) >= _WIDEST:
            keys = np.unique(keys, return_inverse=True)[1]
            total = int(keys.max(initial=0)) + 1
        keys = keys * size + codes
        total *= max(size, 1)
    if total <= _DENSE:
        cells = np.bincount(keys, minlength=total)
        kept = cells > 0
        first = np.empty(total, dtype=np.int64)
        first[keys] = np.arange(len(keys))
        rows, counts = first[kept], cells[kept]
    else:
        _, rows, counts = np.unique(keys, return_index=True, return_counts=True)
    return [codes[rows] for codes, _ in columns], counts


def _answer(counted: tuple[list[IntArray], IntArray], shares: Sequence[FloatArray]) -> float:
    """Return how many rows satisfy, where a row counts with the product of its shares."""
    codes, counts = counted
    found = counts.astype(np.float64)
    for code, share in zip(codes, shares, strict=True):
        found *= share[code]
    return float(found.sum())
