"""The two forms in which a source hands over a column, whatever Arrow type it came in."""

from __future__ import annotations

import pyarrow as pa

from shoal.errors import InputError, Problem


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
            "Turn it into text, numbers or dates, or use it neither as a quasi-identifier nor in a model."
        ) from None
    if pa.types.is_large_string(array.dictionary.type):
        return pa.DictionaryArray.from_arrays(array.indices, array.dictionary.cast(pa.string()))
    return array


def of_type(column: pa.DictionaryArray, kind: pa.DataType) -> pa.DictionaryArray:
    """Return a coded column with values of another type, such as the text `34` as a number.

    Raises
    ------
    InputError
        Some values are not of that type; the message begins in lower case.

    Examples
    --------
    >>> ages = of_type(pa.array(["34", "034", None]).dictionary_encode(), pa.int64())
    >>> ages.dictionary.to_pylist(), ages.indices.to_pylist()
    ([34], [0, 0, None])
    """
    if column.dictionary.type == kind:
        return column
    try:
        values = column.dictionary.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        strange = [value for value in column.dictionary if not _is_of_type(value, kind)]
        count = "1 value is" if len(strange) == 1 else f"{len(strange):,} values are"
        raise InputError(
            Problem(
                f"{count} not of the type that the table has, {kind}.\n"
                f"Found: {column.dictionary.type}.\nGive both the same type.",
                tuple(str(value.as_py()) for value in strange),
            )
        ) from None
    # Values that differ as text may be one as numbers.
    distinct = values.dictionary_encode()
    return pa.DictionaryArray.from_arrays(distinct.indices.take(column.indices), distinct.dictionary)


def _is_of_type(value: pa.Scalar, kind: pa.DataType) -> bool:
    try:
        value.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return False
    return True


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
