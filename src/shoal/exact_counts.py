"""Rows counted by code, without loss for any number of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def count(places: NDArray[np.integer[Any]], most: int, rows: NDArray[Any] | None = None) -> NDArray[np.int64]:
    """Count how many rows are at each place below `most`; `rows` is what each entry stands for, if not one.

    Examples
    --------
    >>> count(np.array([0, 2, 2]), 3).tolist(), count(np.array([0, 2, 2]), 3, np.array([5, 1, 7])).tolist()
    ([1, 0, 2], [5, 0, 8])
    """
    if rows is None:
        return np.bincount(places, minlength=most).astype(np.int64)
    counts = np.zeros(most, dtype=np.int64)  # weights of np.bincount are floats, which lose rows above 2^53
    np.add.at(counts, places, rows.astype(np.int64))
    return counts
