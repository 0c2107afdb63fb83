"""The classes of the untouched table, from which some measures start."""

from __future__ import annotations

import numpy as np

from shoal import _kernel
from shoal.encode.table import CodedTable
from shoal.exact_counts import count
from shoal.measure.measure import IntArray

_MOST_BITS = 124  # half of the kernel's longest keys: no column is torn between two words of a key


def untouched_classes(table: CodedTable) -> tuple[IntArray, IntArray]:
    """Return the class of each entry where no value is generalized, and the sizes of the classes.

    The kernel groups the rows, which takes a tenth of a second for a million. Measures that score by the
    definition do not call this.
    """
    of_rows, sizes = np.zeros(table.entries, dtype=np.uint32), np.array([table.entries], dtype=np.uint64)
    left = list(table.columns)
    while left:
        # As many columns as fit into a key beside the classes so far.
        codes, values = [of_rows], [len(sizes)]
        bits = _bits(len(sizes))
        while left and (len(codes) == 1 or bits + _bits(len(left[0].counts)) <= _MOST_BITS):
            column = left.pop(0)
            codes.append(column.codes)
            values.append(len(column.counts))
            bits += _bits(len(column.counts))
        found = _kernel.index_rows(codes, values)
        of_rows, sizes = found.tuple_of_row, found.rows_of_tuple
    if table.weights is not None:
        return of_rows.astype(np.int64), count(of_rows, len(sizes), table.weights)
    return of_rows.astype(np.int64), sizes.astype(np.int64)


def _bits(values: int) -> int:
    return max(values - 1, 1).bit_length()
