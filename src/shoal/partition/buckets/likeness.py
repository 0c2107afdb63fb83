"""What beta-likeness allows, in rows, and the fewest buckets that keep it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.encode.column import IntArray
from shoal.privacy.condition import ROUNDING


def most_rows(counts: IntArray, rows: int, beta: float) -> NDArray[np.float64]:
    """Return how many of `rows` a value of so many may become: U(p) = p (1 + min(beta, -ln p)), times `rows`.

    Examples
    --------
    >>> most_rows(np.array([1, 5]), 9, 3).round(3).tolist()
    [3.197, 7.939]
    >>> most_rows(np.array([1, 5]), 9, 0.5).tolist()
    [1.5, 7.5]
    """
    return np.asarray(counts * (1 + np.minimum(beta, np.log(rows / counts))))


def fits(rows: int, most: float) -> bool:
    """Return whether so many rows keep a bound, up to rounding."""
    return rows <= most * (1 + ROUNDING)


def fewest_groups(rows: Sequence[int], most: Sequence[float]) -> list[range]:
    """Return the fewest groups of neighbours that have no more rows than any of them may have.

    Of the divisions into so few, the most even one: with the least sum of squared rows.

    Parameters
    ----------
    rows
        The rows of each.
    most
        In ascending order, how many rows a group with each of them may have; no less than its own rows.

    Examples
    --------
    >>> fewest_groups([1, 2, 2], [3.2, 5.0, 5.0])
    [range(0, 2), range(2, 3)]
    """
    until = [0]  # rows before each
    best = [(0, 0)]  # groups, and the sum of their squares, of those before each
    begins = [0]
    first = 0
    for end, here in enumerate(rows, start=1):
        until.append(until[-1] + here)
        # Bounds ascend, so whatever begins a group too large for it does so for all that follow.
        while first < end - 1 and not fits(until[end] - until[first], most[first]):
            first += 1
        groups, squares, begin = min(
            (best[start][0] + 1, best[start][1] + (until[end] - until[start]) ** 2, start)
            for start in range(first, end)
        )
        best.append((groups, squares))
        begins.append(begin)
    found = []
    end = len(rows)
    while end:
        found.append(range(begins[end], end))
        end = begins[end]
    return found[::-1]
