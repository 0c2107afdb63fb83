"""The two forms in which a source hands over a column, whatever Arrow type it came in."""

from __future__ import annotations

import pyarrow as pa

from shoal.errors import InputError


def coded(column: pa.ChunkedArray, name: str) -> pa.Array:
    """Return a column as one dictionary array: int32 indices, each value that occurs once, no NULL inside.

    Examples
    --------
    >>> odd = pa.DictionaryArray.from_arrays([0, 1, 2, 3], pa.array(["x", None, "x", "y"]))
    >>> tidy = coded(pa.chunked_array([odd]), "letter")
    >>> tidy.dictionary.to_pylist(), tidy.indices.to_pylist()
    (['x', 'y'], [0, None, 0, 1])
    """
    try:
        array = plain(column).dictionary_encode()
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError):
        raise InputError(
            f"Column {name!r} holds values that cannot be compared: {column.type}.\n"
            "Turn it into text, numbers or dates, or do not use it as a quasi-identifier."
        ) from None
    if pa.types.is_large_string(array.dictionary.type):
        return pa.DictionaryArray.from_arrays(array.indices, array.dictionary.cast(pa.string()))
    return array


def plain(column: pa.ChunkedArray) -> pa.Array:
    """Return a column as one array of its values, without a dictionary.

    A dictionary would go on to hold values that were suppressed, and a release would carry them.
    """
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    if pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    return column.combine_chunks()
