"""Which columns single people out: minimal sample uniques, and a score that adds them up.

A row is *unique* on a set of columns if no other row has the same values there, and that set is *minimal* for
it if the row is unique on no smaller part of it. The fewer columns it takes, and the more such sets there
are, the more a row stands out: it is then not by chance that it is alone, and it is likelier to be alone in
the population too (a *special* unique). With q columns and sets of up to m, a minimal set of s columns scores

    product over i from s to min(m, q-1) of (q - i), which is (q - s)! if all sizes are looked at,

and a row the sum over its minimal sets. The score of a column is that of the minimal sets it is in, as a
share of the score of all rows. A set counts for each of its columns, so that these shares add up to more than
1.

Only a row that is alone in its class is unique on anything, and if no other row has its values in a part of
some columns, none has in all of them. So a row that is found to be unique is never in another row's way
again: for each set only those are counted that are not unique on a part of it.

References
----------
M. Elliot, A. Manning, R. Ford, "A computational algorithm for handling the special uniques problem",
International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 2002.
A. Manning, D. Haglin, J. Keane, "A recursive search algorithm for statistical disclosure assessment", Data
Mining and Knowledge Discovery 16(2), 2008.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_WORK = 1_000_000_000
"""Classes times sets of columns up to which all are looked at: half a minute."""

_SHOWN = 100
_DIRECT = 1 << 22  # so many counters are quicker than sorting
_LARGEST_NUMBER = (1 << 63) - 1

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class SubsetRisk:
    """What a set of columns gives away.

    Attributes
    ----------
    columns
        The set.
    minimal
        Rows for which it is minimal: unique on it, and on no part of it.
    unique
        Rows that are unique on it, be it on a part.
    """

    columns: tuple[str, ...]
    minimal: int
    unique: int

    def to_mapping(self) -> dict[str, Any]:
        """Return the figures as plain values, ready for JSON."""
        return {"columns": list(self.columns), "minimal": self.minimal, "unique": self.unique}


@dataclass(frozen=True, slots=True)
class SpecialUniques:
    """The minimal sample uniques of a table.

    Attributes
    ----------
    largest_subset
        Up to how many columns sets have that were looked at.
    rows
        Rows with at least one minimal set of that size.
    by_size
        For each number of columns, how many minimal sets there are, over all rows.
    rows_by_smallest
        For each number of columns, how many rows are unique on so many but on no fewer.
    columns
        For each column, its share of the score.
    highest_score, average_score
        The score of the row that stands out most, and the mean over all rows of the table.
    scores
        How many of these rows have a score in each tenth of the way up to the highest.
    subsets
        The sets that are minimal for any row, the most frequent first.
    """

    largest_subset: int
    rows: int
    by_size: dict[int, int]
    rows_by_smallest: dict[int, int]
    columns: dict[str, float]
    highest_score: float
    average_score: float
    scores: tuple[int, ...]
    subsets: tuple[SubsetRisk, ...]

    def to_mapping(self) -> dict[str, Any]:
        """Return the figures as plain values, ready for JSON; of many sets the first."""
        return {
            "largest_subset": self.largest_subset,
            "rows": self.rows,
            "by_size": {str(size): count for size, count in self.by_size.items()},
            "rows_by_smallest": {str(size): count for size, count in self.rows_by_smallest.items()},
            "columns": dict(self.columns),
            "highest_score": self.highest_score,
            "average_score": self.average_score,
            "scores": list(self.scores),
            "subsets": [subset.to_mapping() for subset in self.subsets[:_SHOWN]],
        }


def affordable(classes: int, columns: int, largest: int, most: int = MOST_WORK) -> int:
    """Return up to how many columns sets can have, so that looking at all of them stays within bounds.

    Examples
    --------
    >>> affordable(1_000_000, 9, 4), affordable(1_000_000, 40, 4), affordable(10**9, 9, 4)
    (4, 2, 0)
    """
    work, size = 0, 0
    while size < min(largest, columns):
        work += math.comb(columns, size + 1) * classes
        if work > most:
            break
        size += 1
    return size


def special_uniques(
    names: Sequence[str],
    codes: Sequence[NDArray[np.int32]],
    sizes: NDArray[np.int64],
    largest: int = 4,
    report: Callable[[int], None] = lambda size: None,
) -> SpecialUniques:
    """Find the minimal sets of columns of all rows.

    Parameters
    ----------
    names
        The columns.
    codes
        For each column a number per class, from 0 on, equal where the values are.
    sizes
        The rows of each class.
    largest
        Up to how many columns sets have.
    report
        Called with the number of columns before sets of so many are looked at.

    Examples
    --------
    Four rows. The first alone has b = 1; the second is alone with a = 0 and b = 0 together.

    >>> a, b = np.array([0, 0, 1], dtype=np.int32), np.array([1, 0, 0], dtype=np.int32)
    >>> found = special_uniques(["a", "b"], [a, b], np.array([1, 1, 2]))
    >>> found.rows_by_smallest, [(subset.columns, subset.minimal) for subset in found.subsets]
    ({1: 1, 2: 1}, [(('b',), 1), (('a', 'b'), 1)])
    """
    count, largest = len(names), min(largest, len(names))
    alone = sizes == 1
    scores = np.zeros(len(sizes))
    smallest = np.zeros(len(sizes), dtype=np.int64)
    by_size: dict[int, int] = {}
    columns = dict.fromkeys(names, 0.0)
    subsets = []
    unique_on: dict[tuple[int, ...], BoolArray] = {(): np.zeros(len(sizes), dtype=bool)}
    for size in range(1, largest + 1) if alone.any() else ():
        report(size)
        weight = float(math.prod(count - i for i in range(size, min(largest, count - 1) + 1)))
        found_now: dict[tuple[int, ...], BoolArray] = {}
        by_size[size] = 0
        for subset in combinations(range(count), size):
            parts = [unique_on[part] for part in combinations(subset, size - 1)]
            before = np.logical_or.reduce(parts)
            left = np.flatnonzero(~before)
            minimal = left[_singles([codes[column][left] for column in subset], alone[left])]
            if size < largest:
                before[minimal] = True
                found_now[subset] = before
            if not len(minimal):
                continue
            scores[minimal] += weight
            smallest[minimal[smallest[minimal] == 0]] = size
            by_size[size] += len(minimal)
            for column in subset:
                columns[names[column]] += weight * len(minimal)
            unique = len(sizes) - len(left) + len(minimal)
            subsets.append(SubsetRisk(tuple(names[column] for column in subset), len(minimal), unique))
        unique_on = found_now
    total = float(scores.sum())
    highest = float(scores.max(initial=0.0))
    found = scores[smallest > 0]
    return SpecialUniques(
        largest_subset=largest,
        rows=len(found),
        by_size={size: by_size.get(size, 0) for size in range(1, largest + 1)},
        rows_by_smallest={size: int((smallest == size).sum()) for size in range(1, largest + 1)},
        columns={name: score / total if total else 0.0 for name, score in columns.items()},
        highest_score=highest,
        average_score=total / max(int(sizes.sum()), 1),
        scores=tuple(np.histogram(found, bins=10, range=(0, highest or 1.0))[0].tolist()),
        subsets=tuple(sorted(subsets, key=lambda subset: -subset.minimal)),
    )


def _singles(codes: Sequence[NDArray[np.int32]], alone: BoolArray) -> NDArray[np.intp]:
    """Return the positions that share their codes with no other position, of those that are one row."""
    if not alone.any():
        return np.zeros(0, dtype=np.intp)
    keys, cells = _keys(codes)
    if cells <= _DIRECT:
        return np.flatnonzero((np.bincount(keys, minlength=cells)[keys] == 1) & alone)
    # With its position behind it a number is sorted without looking anything up.
    bits = max(len(keys) - 1, 1).bit_length()
    packed = np.sort((keys << bits) | np.arange(len(keys), dtype=np.int64))
    ordered = packed >> bits
    single = np.ones(len(keys), dtype=bool)
    same = ordered[1:] == ordered[:-1]
    single[1:] &= ~same
    single[:-1] &= ~same
    positions = (packed & ((1 << bits) - 1))[single]
    return np.sort(positions[alone[positions]])


def _keys(codes: Sequence[NDArray[np.int32]]) -> tuple[NDArray[np.int64], int]:
    """Return one number per position, equal where all codes are, and how many numbers there can be."""
    rows = len(codes[0])
    keys, cells = codes[0].astype(np.int64), int(codes[0].max()) + 1
    for column in codes[1:]:
        width = int(column.max()) + 1
        if cells * width * 2 * rows > _LARGEST_NUMBER:
            keys = np.unique(keys, return_inverse=True)[1].astype(np.int64)
            cells = rows
        keys *= width
        keys += column
        cells *= width
    return keys, cells
