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
        array = plain(column, name).dictionary_encode()
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError):
        raise InputError(
            f"Column {name!r} holds values that cannot be compared: {column.type}.\n"
            "Turn it into text, numbers or dates, or do not use it as a quasi-identifier."
        ) from None
    if pa.types.is_large_string(array.dictionary.type):
        return pa.DictionaryArray.from_arrays(array.indices, array.dictionary.cast(pa.string()))
    return array


def plain(column: pa.ChunkedArray, name: str) -> pa.Array:
    """Return a column as one array of its values, without a dictionary, not even inside lists or structs.

    A dictionary would go on to hold values that were suppressed, and a release would carry them.
    """
    try:
        kind = _without_dictionaries(column.type)
    except TypeError:
        raise InputError(
            f"Column {name!r} is of a type that cannot be released: {column.type}.\n"
            "Turn it into text, numbers, dates, or lists of them."
        ) from None
    if kind != column.type:
        column = column.cast(kind)
    return column.combine_chunks()


def _without_dictionaries(kind: pa.DataType) -> pa.DataType:
    """Return the type of the same values without dictionaries, and without metadata that lists categories.

    Examples
    --------
    >>> _without_dictionaries(pa.list_(pa.dictionary(pa.int32(), pa.string())))
    ListType(list<item: string>)
    """
    if pa.types.is_dictionary(kind):
        return _without_dictionaries(kind.value_type)
    if pa.types.is_null(kind):
        return pa.string()
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if kind.num_fields == 0:
        return kind
    fields = (kind.field(place) for place in range(kind.num_fields))
    inner = [pa.field(field.name, _without_dictionaries(field.type), field.nullable) for field in fields]
    return _nested(kind, inner)


def _nested(kind: pa.DataType, inner: list[pa.Field]) -> pa.DataType:
    """Return a nested type with other inner fields."""
    if pa.types.is_struct(kind):
        return pa.struct(inner)
    if pa.types.is_list(kind):
        return pa.list_(*inner)
    if pa.types.is_large_list(kind):
        return pa.large_list(*inner)
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(*inner, kind.list_size)
    if pa.types.is_map(kind):
        return pa.map_(*inner[0].type, keys_sorted=kind.keys_sorted)
    raise TypeError(kind)
