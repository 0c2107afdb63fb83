"""One spelling for numbers and times, which text files spell in several ways.

A release has as many trailing zeros as its rows need, and engines differ in them, in exponents and in the
form of UTC.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from shoal.read.columns import text_of

_END = r"([,\]})]|$)"
_ZEROS = r"(?:(\.[0-9]*[1-9])0+|\.0*)(Z?)" + _END
"""1.50, 1. and 12:30:00.000Z, also in sets and ranges, with the parts to keep in groups."""
_UTC = r"([0-9])\+00:?(?:00)?" + _END

_NUMBER = r"^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$"


def in_one_spelling(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return values or labels as text that is the same for equal numbers or times.

    Parameters
    ----------
    kind
        The type of their column.

    Examples
    --------
    >>> in_one_spelling(pa.array(["1.50", "2", "{1.50, 2.00}"]), pa.decimal128(5, 2)).to_pylist()
    ['1.5', '2', '{1.5, 2}']
    """
    texts = text_of(values)
    if pa.types.is_floating(kind):
        numbers = pc.if_else(pc.match_substring_regex(texts, _NUMBER), texts, None).cast(kind)
        return pc.coalesce(text_of(numbers), texts)
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        texts = pc.replace_substring_regex(texts, _UTC, r"\1Z\2")
    zeros = pa.types.is_decimal(kind) or pa.types.is_timestamp(kind)
    return pc.replace_substring_regex(texts, _ZEROS, r"\1\2\3") if zeros else texts
