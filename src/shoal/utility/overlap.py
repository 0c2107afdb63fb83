"""Labels of a column that overlap: rows of different labels may have had the same value."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.describe.hierarchy import ANYTHING
from shoal.describe.label_cover import cover_of
from shoal.encode.column import CodedColumn
from shoal.encode.readable_values import values_and_levels
from shoal.read.spelling import in_one_spelling


def overlapping(labels: pa.Array, column: CodedColumn) -> bool:
    """Return whether some value is covered by several of a column's labels.

    The answer is the same whatever suppressed rows had: of two labels that overlap, one covers a value that a
    row of the other has.

    Examples
    --------
    >>> from shoal.describe import intervals
    >>> from shoal.encode.column import code_column
    >>> ages = code_column("age", pa.array([21, 25, 38]).dictionary_encode(), intervals(10, 20))
    >>> overlapping(pa.array(["25", "[20, 40)"]), ages), overlapping(pa.array(["25", "[30, 40)"]), ages)
    (True, False)
    """
    if len(labels) < 2:
        return False
    if pa.types.is_string(labels.type) and pc.index(labels, ANYTHING).as_py() >= 0:
        return True
    _, domain, levels = values_and_levels(column)
    positions = cover_of(in_one_spelling(labels, column.labels[0].type), domain, levels).positions
    return len(np.unique(positions)) < len(positions)
