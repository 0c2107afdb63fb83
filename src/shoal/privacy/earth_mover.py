"""The earth mover's distance: the least cost of moving what is too much of a value to where it is missing.

Each function takes what is too much (negative: too little) of every value, one row per class, in any unit.
The cost is in that unit: that much, times how far it is moved.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

UIntArray = NDArray[np.uint32]
FloatArray = NDArray[np.float64]


def equal(extra: FloatArray) -> FloatArray:
    """Return the cost where any two values are 1 apart.

    Examples
    --------
    >>> equal(np.array([[1.0, 1.0, -2.0]])).tolist()
    [2.0]
    """
    return np.asarray(np.maximum(extra, 0).sum(axis=1))


def ordered(extra: FloatArray, order: UIntArray) -> FloatArray:
    """Return the cost where values are as far apart as their positions, over the number of values less one.

    Examples
    --------
    >>> ordered(np.array([[1.0, 1.0, -2.0]]), np.array([0, 1, 2], dtype=np.uint32)).tolist()
    [1.5]
    """
    in_order = extra[:, np.argsort(order)]
    steps = max(extra.shape[1] - 1, 1)
    return np.asarray(np.abs(np.cumsum(in_order, axis=1)[:, :-1]).sum(axis=1) / steps)


def hierarchical(extra: FloatArray, tree: Sequence[UIntArray]) -> FloatArray:
    """Return the cost where values are as far apart as the level at which their labels meet, over the height.

    `tree` has the label of each value from level 1 up to a single one. Values are in leaf order.

    Examples
    --------
    >>> tree = [np.array(labels, dtype=np.uint32) for labels in ([0, 0, 1], [0, 0, 0])]
    >>> hierarchical(np.array([[2.0, -1.0, -1.0]]), tree).tolist()
    [1.5]
    """
    moved = np.zeros(len(extra))
    below = np.arange(extra.shape[1], dtype=np.uint32)
    for level, labels in enumerate(tree, start=1):
        parents = labels[_starts(below)]
        positive = _sum_by(np.maximum(extra, 0), parents)
        negative = _sum_by(np.maximum(-extra, 0), parents)
        moved += level / len(tree) * np.minimum(positive, negative).sum(axis=1)
        extra, below = positive - negative, labels
    return moved


def _starts(labels: UIntArray) -> NDArray[np.intp]:
    """Return where each label begins: values under one label are neighbours."""
    return np.flatnonzero(np.diff(labels.astype(np.int64), prepend=-1))


def _sum_by(columns: FloatArray, labels: UIntArray) -> FloatArray:
    return np.asarray(np.add.reduceat(columns, _starts(labels), axis=1))
