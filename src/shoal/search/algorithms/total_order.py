"""The total order of nodes that makes Flash, and the stable OLA, independent of the order of the columns."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.encode.table import CodedTable

_DIGITS = 12  # ratios that differ by less are the same but for rounding


def stable_ranks(table: CodedTable) -> NDArray[np.int64]:
    """Return the rank of every node, by its index with the last column fastest.

    Nodes are ordered by their level in the lattice, the mean of their relative levels, the share of distinct
    values that they lose, and last by the levels of the columns in the order of their names. All sums run
    in the order of names too, so that a permutation of the columns changes nothing.

    References
    ----------
    F. Kohlmayer et al., "Flash: Efficient, Stable and Optimal K-Anonymity", PASSAT 2012, section V-B. The
    paper divides by one less than the number of columns, which does not matter for the order, and leaves
    nodes that agree in all three criteria as they come.
    """
    columns = table.columns
    shape = [column.max_level - column.min_level + 1 for column in columns]
    common = math.lcm(*(max(column.height, 1) for column in columns))
    height = np.zeros(shape, dtype=np.int64)
    relative = np.zeros(shape, dtype=np.int64)
    kept = np.zeros(shape, dtype=np.float64)
    by_name = sorted(range(len(columns)), key=lambda position: columns[position].name)
    levels_by_name = []
    for position in by_name:
        column = columns[position]
        levels = np.arange(column.min_level, column.max_level + 1)
        along = [1] * len(shape)
        along[position] = shape[position]
        distinct = np.array([len(column.labels[level]) for level in levels]) / len(column.labels[0])
        height += levels.reshape(along)
        relative += (levels * (common // max(column.height, 1))).reshape(along)
        kept += distinct.reshape(along)
        levels_by_name.append(np.broadcast_to(levels.reshape(along), shape).ravel())
    lost = -np.round(kept.ravel(), _DIGITS)
    order = np.lexsort((*reversed(levels_by_name), lost, relative.ravel(), height.ravel()))
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks
