"""The two forms in which a source returns a column, whatever its Arrow type.

Equal values have one form, so that grouping and joining find them equal: -0.0 is 0.0, and numbers that DuckDB
or Arrow cannot compare get a wider type. `restored` restores the types.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import InputError, Problem

_DIGITS = 38
"""Decimals of up to this many digits are exact in Arrow and in DuckDB."""
_TEXT = pa.string()


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
        raise incomparable(name, column.type) from None
    if pa.types.is_large_string(array.dictionary.type):
        return pa.DictionaryArray.from_arrays(array.indices, array.dictionary.cast(pa.string()))
    return array


def incomparable(name: str, kind: pa.DataType) -> InputError:
    """Return the error for a column of a type whose values Arrow does not compare or sort."""
    return InputError(
        f"Column {name!r} has values that cannot be compared.\nFound: {kind}.\n"
        "Turn it into text, numbers or dates, or use it neither as a quasi-identifier nor in a model."
    )


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
        strange = [not _is_of_type(value, kind) for value in column.dictionary]
        count = "1 value is" if sum(strange) == 1 else f"{sum(strange):,} values are"
        raise InputError(
            Problem(
                f"{count} not of the table's type, {kind}.\n"
                f"Found: {column.dictionary.type}.\nGive both the same type.",
                values_shown(column.dictionary.filter(pa.array(strange))),
            )
        ) from None
    # Values that differ as text may be equal as numbers.
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

    A dictionary would keep suppressed values, and the release would contain them.
    """
    try:
        kind = _without_dictionaries(column.type)
    except TypeError:
        raise InputError(
            f"Column {name!r} has a type that cannot be released.\nFound: {column.type}.\n"
            "Turn it into text, numbers, dates, or lists of them."
        ) from None
    if kind != column.type:
        column = column.cast(kind)
    return _one_form(column, name).combine_chunks()


def _one_form(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Return a column whose equal values are the same to Arrow and to DuckDB.

    Examples
    --------
    >>> _one_form(pa.chunked_array([[-0.0, 0.0]]), "height").unique().to_pylist()
    [0.0]
    """
    kind = column.type
    if pa.types.is_float16(kind):
        column = column.cast(pa.float32())
    if pa.types.is_floating(kind):
        column = pc.add(column, pa.scalar(0, column.type))
        strange = pc.is_nan(column)
        if not pc.any(strange).as_py():
            return column
        # NaN has many bit patterns.
        return pc.if_else(strange, pa.scalar(float("nan"), column.type), column)
    if pa.types.is_decimal(kind) and not pa.types.is_decimal128(kind):
        try:
            return column.cast(pa.decimal128(min(kind.precision, _DIGITS), kind.scale))
        except (pa.ArrowInvalid, ValueError):
            raise InputError(
                f"Column {name!r} has decimals of more than {_DIGITS} digits.\nFound: {kind}.\n"
                "Turn it into decimals of fewer digits, or into text."
            ) from None
    return column


def as_null(column: pa.Array, texts: Sequence[str] | None) -> pa.Array:
    """Return a column with NULL for these texts, if it is a column of text.

    Examples
    --------
    >>> as_null(pa.array(["F", "NA"]), ["NA"]).to_pylist()
    ['F', None]
    """
    coded_values = pa.types.is_dictionary(column.type)
    kind = column.type.value_type if coded_values else column.type
    if not texts or not is_text(kind):
        return column
    if not coded_values:
        return pc.if_else(pc.is_in(column, pa.array(texts, kind)), pa.scalar(None, kind), column)
    stays = pc.invert(pc.is_in(column.dictionary, pa.array(texts, kind)))
    recode = pc.if_else(stays, pc.subtract(pc.cumulative_sum(stays.cast(pa.int32())), 1), None)
    return pa.DictionaryArray.from_arrays(recode.take(column.indices), column.dictionary.filter(stays))


def text_of(values: pa.Array | pa.ChunkedArray, kind: pa.DataType = _TEXT) -> pa.Array | pa.ChunkedArray:
    """Return values in the text form of a release.

    Numbers have their shortest form, -0.0 that of 0, which it equals. Decimals have all decimals of their
    type, dates and times the form of ISO 8601 with a space in between, durations their seconds.

    Raises
    ------
    pyarrow.ArrowException
        They have no text form, such as bytes that are not UTF-8.

    Examples
    --------
    >>> text_of(pa.array([1000.0, 0.5])).to_pylist(), text_of(pa.array([True])).to_pylist()
    (['1000', '0.5'], ['true'])
    >>> text_of(pa.array([-0.0, 0.0])).to_pylist()
    ['0', '0']
    >>> text_of(pa.array([90_500, -1], pa.duration("ms"))).to_pylist()
    ['PT90.5S', '-PT0.001S']
    """
    if pa.types.is_float32(values.type) or pa.types.is_float64(values.type):
        values = pc.add(values, pa.scalar(0.0, values.type))
    if not pa.types.is_duration(values.type):
        return values.cast(kind)
    decimals = {"s": 0, "ms": 3, "us": 6, "ns": 9}[values.type.unit]
    number = values.cast(pa.int64())
    size = pc.abs(number)
    seconds = pc.divide(size, 10**decimals)
    rest = pc.subtract(size, pc.multiply(seconds, 10**decimals))
    text = pc.binary_join_element_wise(
        pc.if_else(pc.less(number, 0), pa.scalar("-PT", kind), pa.scalar("PT", kind)),
        seconds.cast(kind),
        pa.scalar(".", kind),
        pc.utf8_lpad(rest.cast(kind), decimals, "0"),
        pa.scalar("", kind),
    )
    return pc.replace_substring_regex(text, r"\.0*$|0*$", "S")


def values_shown(values: pa.Array) -> tuple[str, ...]:
    """Return the text of values for messages. Python lacks some values of Arrow, such as days of the year 0.

    Examples
    --------
    >>> values_shown(pa.array([-719_528], pa.date32()))
    ('0000-01-01',)
    """
    try:
        return tuple(text_of(values).to_pylist())
    except pa.ArrowException:
        return tuple(map(str, values.to_pylist()))


def restored(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Return a column in its original type, if it still has such values.

    Examples
    --------
    >>> restored(pa.chunked_array([["S", "L"]]), pa.dictionary(pa.int8(), pa.string())).type
    DictionaryType(dictionary<values=string, indices=int8, ordered=0>)
    >>> restored(pa.chunked_array([["[30, 40)"]]), pa.int64()).type
    DataType(string)
    """
    values = kind.value_type if pa.types.is_dictionary(kind) else kind
    alike = (is_text, pa.types.is_floating, pa.types.is_decimal)
    if column.type != values and not any(are(column.type) and are(values) for are in alike):
        return column
    column = column.cast(values)
    if not pa.types.is_dictionary(kind):
        return column
    array = column.combine_chunks().dictionary_encode()
    indices = array.indices.cast(kind.index_type)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, array.dictionary)])


def is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


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
    fields = (kind.field(index) for index in range(kind.num_fields))
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
