"""How many rows each class takes of each bucket: all are halved, and the halves again, while that may be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.encode.column import IntArray
from shoal.partition.buckets.buckets import Buckets, FloatArray
from shoal.privacy.condition import ROUNDING


def class_sizes(buckets: Buckets, *, least: int = 1) -> IntArray:
    """Return the rows of each bucket in each class, one row per class.

    All rows are halved, and the halves again, into a binary tree whose leaves are the classes. Of each bucket
    half of the rows go either way; a spare row goes to one half or the other (`halve`).

    Parameters
    ----------
    buckets
        They allow a class the share of each bucket.
    least
        Rows that a class must have.

    References
    ----------
    J. Cao, P. Karras, "Publishing microdata with a robust privacy guarantee", PVLDB 5(11), 2012; the paper
    on distributed Incognito calls it dichotomization.

    Examples
    --------
    Three buckets of three rows each, of which a class may have up to 35.5%:

    >>> thirds = Buckets.of([([value], 0.355) for value in range(3)], np.array([3, 3, 3]))
    >>> class_sizes(thirds).tolist()
    [[1, 1, 1], [1, 1, 1], [1, 1, 1]]
    """
    if not len(buckets):
        return np.zeros((0, 0), dtype=np.int64)
    known: dict[bytes, tuple[IntArray, IntArray] | None] = {}
    waiting = [buckets.rows]
    classes = []
    while waiting:
        sizes = waiting.pop()
        key = sizes.tobytes()
        if key not in known:
            known[key] = halve(sizes, buckets, least=least)
        halves = known[key]
        if halves is None:
            classes.append(sizes)
        else:
            waiting += reversed(halves)
    return np.array(classes, dtype=np.int64)


def halve(sizes: IntArray, buckets: Buckets, *, least: int = 1) -> tuple[IntArray, IntArray] | None:
    """Return the halves of a class, or None if there are none that are allowed.

    Both have at least `least` rows, and at least one. They differ by at most one row per bucket, and by as
    few rows in all as the bounds of the buckets allow. Spare rows that may go to either half alternate. What
    the buckets must satisfy together is checked for up to 16 ways to place the spare rows, from the most even
    one to that where the first half has the most.

    Examples
    --------
    >>> free = Buckets.of([([0], 1.0), ([1], 1.0)], np.array([3, 5]))
    >>> [half.tolist() for half in halve(free.rows, free)]
    [[2, 2], [1, 3]]
    >>> thirds = Buckets.of([([value], 0.355) for value in range(3)], np.array([3, 3, 3]))
    >>> [half.tolist() for half in halve(thirds.rows, thirds)]
    [[2, 2, 2], [1, 1, 1]]
    """
    low, odd = np.divmod(sizes, 2)
    spare = odd == 1
    all_rows, spares = int(sizes.sum()), int(odd.sum())
    # The first half is the larger one, or as large as the other.
    to_first = np.arange((spares + 1) // 2, spares + 1)
    larger = int(low.sum()) + to_first
    # A half needs so many rows to have the lower, or the higher, number of rows of a bucket.
    most = buckets.bounds * (1 + ROUNDING)
    lower, higher = np.ceil(low / most), np.ceil((low + odd) / most)
    first = higher, all_rows - lower
    second = lower, all_rows - higher
    either = higher, all_rows - higher
    placed = _within(first, larger) + _within(second, larger) - _within(either, larger)
    may = _within(first, larger, spare)
    must = may - _within(either, larger, spare)
    possible = (placed == len(sizes)) & (must <= to_first) & (to_first <= may)
    tried = np.flatnonzero(possible & (all_rows - larger >= max(least, 1)))
    for number in tried[np.unique(np.linspace(0, len(tried) - 1, _TRIES).astype(int))] if len(tried) else ():
        total = int(larger[number])
        takes = spare & (first[0] <= total) & (total <= first[1])
        free = takes & (either[0] <= total) & (total <= either[1])
        takes[free] = False
        takes[_alternating(np.flatnonzero(free), int(to_first[number] - takes.sum()))] = True
        halves = low + takes, low + (spare & ~takes)
        if all(map(buckets.allows, halves)):
            return halves
    return None


_TRIES = 16


def _within(
    interval: tuple[FloatArray, FloatArray], numbers: IntArray, among: NDArray[np.bool_] | None = None
) -> IntArray:
    """Return in how many of the intervals each number is."""
    starts, ends = interval
    kept = starts <= ends if among is None else among & (starts <= ends)
    begun = np.searchsorted(np.sort(starts[kept]), numbers, side="right")
    return begun - np.searchsorted(np.sort(ends[kept]), numbers, side="left")


def _alternating(places: IntArray, count: int) -> IntArray:
    """Return so many of the places, as far from each other as can be, beginning with the first."""
    return places[np.arange(len(places)) * count % max(len(places), 1) < count]
