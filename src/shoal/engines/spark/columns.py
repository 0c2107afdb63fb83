"""The columns of a Spark table, in types that every engine knows."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 (as everybody calls it)
from pyspark.sql import types as T  # noqa: N812

from shoal.errors import InputError, Problem

_PLAIN: dict[type[T.DataType], str] = {
    T.ByteType: "int8",
    T.ShortType: "int16",
    T.IntegerType: "int32",
    T.LongType: "int64",
    T.FloatType: "float32",
    T.DoubleType: "float64",
    T.BooleanType: "boolean",
    T.DateType: "date",
    T.TimestampType: "timestamp('UTC')",
    T.TimestampNTZType: "timestamp",
}
_NESTED = (T.ArrayType, T.StructType, T.MapType, T.VariantType)
_TEXT = "string"
_AS_TEXT = frozenset(("void", "interval", "daytimeinterval", "yearmonthinterval", "time"))


def settled(
    frame: DataFrame, title: str, *, null_values: Sequence[str] = (), empty: str | None = None
) -> tuple[DataFrame, dict[str, str]]:
    """Return a frame with columns c0, c1, ... and their types as Ibis calls them.

    What is neither a number, a date, a timestamp, a truth value nor text becomes text: lists, structs, maps
    and variants as JSON, bytes as hexadecimal digits. Metadata of columns stays behind, since some lists all
    values.

    Parameters
    ----------
    null_values
        Texts that stand for NULL.
    empty
        What stands for the empty text; NULL is then an empty cell, or text where `null_values` are given.
    """
    names = [f"c{position}" for position in range(len(frame.columns))]
    columns, schema, problems = [], {}, []
    for name, field in zip(names, frame.schema.fields, strict=True):
        column, kind = _settled(F.col(name), field.dataType)
        if kind is None:
            problems.append(
                Problem(
                    f"Column {field.name!r} of {title!r} is of a type that cannot be released: "
                    f"{field.dataType.simpleString()}.\nLeave it out of the table, or turn it into text."
                )
            )
            continue
        if kind == _TEXT and empty is not None:
            column = emptied(column, empty)
            column = F.coalesce(column, F.lit("")) if null_values else column
        if kind == _TEXT and null_values:
            column = F.when(~column.isin(list(null_values)), column)
        columns.append(column.alias(name, metadata={}))
        schema[name] = kind
    if problems:
        raise InputError(problems)
    return frame.toDF(*names).select(*columns), schema


def emptied(column: Column, empty: str) -> Column:
    """Return a column with the empty text in place of what stands for it."""
    return F.when(column == empty, "").otherwise(column)


def _settled(column: Column, kind: T.DataType) -> tuple[Column, str | None]:
    """Return a column in the type that queries see, and what Ibis calls that."""
    name = _PLAIN.get(type(kind), _TEXT)
    if isinstance(kind, T.DecimalType):
        name = f"decimal({kind.precision}, {kind.scale})"
    elif isinstance(kind, T.FloatType | T.DoubleType):
        column = column + F.lit(0).cast(kind)  # of 0.0 and -0.0 one form is left
    elif isinstance(kind, T.StringType):
        # A collation would take values for equal that differ, such as those in capitals.
        column = column if kind == T.StringType() else F.collate(column, "UTF8_BINARY")
    elif isinstance(kind, T.BinaryType):
        column = F.hex(column)
    elif isinstance(kind, _NESTED):
        column = F.to_json(column, {"ignoreNullFields": "false"})
    elif name == _TEXT:
        if kind.typeName() not in _AS_TEXT:
            return column, None
        column = column.cast("string")
    return column, name
