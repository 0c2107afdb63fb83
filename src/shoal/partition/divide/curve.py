"""Curve: rows in the order of a curve that fills the space, halved bucket by bucket."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal import _kernel
from shoal.encode.column import UIntArray
from shoal.exact_counts import count
from shoal.partition.divide.divider import Divided, DividerDefaults, DivisionTask

_BITS = 8


@dataclass(frozen=True, slots=True)
class Curve(DividerDefaults):
    """Order rows along a curve through all quasi-identifiers, and halve each bucket in that order.

    Each quasi-identifier is put into up to 256 bins of about as many rows. The bits of their numbers, the
    highest of each column first, are read as a number in Gray's code: neighbours on this curve differ by
    little. A part is halved at the median of each of its buckets, as long as both halves satisfy every model.

    References
    ----------
    C. Faloutsos, "Gray codes for partial match and range queries", IEEE Transactions on Software Engineering
    14(10), 1988. To order each bucket by a curve is BUREL's way (J. Cao, P. Karras, PVLDB 5(11), 2012).
    """

    name: ClassVar[str] = "curve"
    summary: ClassVar[str] = (
        "Rows in the order of a space-filling curve, halved bucket by bucket: for large tables."
    )

    def divide(self, task: DivisionTask) -> Iterator[Divided]:
        problem = task.problem
        table = problem.problem.table
        own = problem.codes[: len(table.columns)]
        # Far fewer points than rows: each is put on the curve once.
        grouped = _kernel.index_rows(own, [int(codes.max(initial=0)) + 1 for codes in own])
        of_row = grouped.tuple_of_row
        rows = grouped.rows_of_tuple if table.weights is None else count(of_row, len(grouped), table.weights)
        points = []
        for codes in own:
            point = np.empty(len(grouped), dtype=np.uint32)
            point[of_row] = codes
            points.append(_bins(point, rows.astype(np.int64)))
        along = problem.along(places(points)[of_row])
        yield along, np.array(task.cut(along, "buckets").class_of)


def places(bins: Sequence[UIntArray]) -> UIntArray:
    """Return the place of each point on the curve, numbered from 0 without gaps.

    Examples
    --------
    >>> places([np.array([0, 0, 1, 1], np.uint32), np.array([0, 1, 1, 0], np.uint32)]).tolist()
    [0, 1, 2, 3]
    """
    words: list[NDArray[np.uint64]] = []
    above: NDArray[np.uint64] = np.zeros(len(bins[0]), dtype=np.uint64)
    word, width = np.zeros(len(bins[0]), dtype=np.uint64), 0
    for bit in range(_BITS - 1, -1, -1):
        for values in bins:
            # Each bit of a number is the sum of the bits of its Gray code so far.
            above ^= (values.astype(np.uint64) >> np.uint64(bit)) & np.uint64(1)
            word = (word << np.uint64(1)) | above
            width += 1
            if width == 31:
                words.append(word)
                word, width = np.zeros(len(bins[0]), dtype=np.uint64), 0
    words.append(word)
    order = np.lexsort(words[::-1])
    different = np.zeros(len(order), dtype=np.bool_)
    for word in words:
        different[1:] |= np.diff(word[order]) != 0
    found = np.empty(len(order), dtype=np.uint32)
    found[order] = np.cumsum(different)
    return found


def _bins(codes: UIntArray, weights: NDArray[np.int64]) -> UIntArray:
    """Put the values of a column into bins of about as many rows; few values keep a bin each."""
    counts = np.bincount(codes, weights=weights)
    if len(counts) <= 1 << _BITS:
        return codes
    middle = np.cumsum(counts) - counts / 2
    bins: UIntArray = (middle * ((1 << _BITS) / counts.sum())).astype(np.uint32)
    return bins[codes]
