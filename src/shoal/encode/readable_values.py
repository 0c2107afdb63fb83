"""The values of a coded column, and their labels, as readers of a release see them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from shoal.describe.label_cover import Domain
from shoal.encode.column import CodedColumn, IntArray
from shoal.read.spelling import in_one_spelling


def values_and_levels(coded: CodedColumn, *, text: bool = False) -> tuple[IntArray, Domain, list[pa.Array]]:
    """Return the order of a column's values with NULL last, these values, and their labels by level."""
    values = coded.labels[0]
    # Stable, so that NULL comes after all values and these stay in order.
    order = np.argsort(values.is_null().to_numpy(zero_copy_only=False), kind="stable")
    known = in_one_spelling(values.take(pa.array(order)).drop_null(), values.type)
    levels = [
        in_one_spelling(of_level, values.type).take(pa.array(of_code[order]))
        for of_level, of_code in zip(coded.labels, coded.maps, strict=True)
    ]
    return order, Domain.of(known, null=values.null_count > 0, text=text), levels
