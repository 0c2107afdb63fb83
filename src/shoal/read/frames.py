"""Data frames: pandas, polars, Arrow, DuckDB relations. The frame itself is never changed.

NaN in a pandas frame is NULL, as in pandas itself. A pandas index is not part of the table: it often numbers
the original rows. A DuckDB relation is a query: it runs once, when it is read, and returns an Arrow table.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import InputError
from shoal.read.columns import coded as as_coded
from shoal.read.columns import is_text, plain, restored
from shoal.read.source import check_names, check_wanted

if TYPE_CHECKING:
    import narwhals as nw
    import pandas as pd
    import polars as pl

_ACCEPTED = (
    "Supported: a pandas or polars DataFrame, a polars LazyFrame, an Arrow table, a DuckDB relation, or the "
    "path of a file."
)


class Frame:
    """A table in memory."""

    _frame: nw.DataFrame[Any] | nw.LazyFrame[Any]
    files = ()
    dialect = None
    doubtful = False

    def __init__(self, data: object) -> None:
        import narwhals as nw
        from narwhals.exceptions import DuplicateError

        self.name = f"{type(data).__module__.partition('.')[0]} {type(data).__name__}"
        unreadable = InputError(f"Data of type {self.name!r} cannot be read.\n{_ACCEPTED}")
        try:
            self._frame = nw.from_native(cast(Any, data))
        except TypeError:
            raise unreadable from None
        except DuplicateError:
            names: Any = getattr(data, "column_names", getattr(data, "columns", ()))
            check_names(names, self.name)
            raise
        made_by = self._frame.implementation
        if isinstance(self._frame, nw.LazyFrame) and not (made_by.is_polars() or made_by.is_duckdb()):
            raise unreadable
        self.columns = check_names(self._frame.collect_schema().names(), self.name)

    def read(self, columns: Sequence[str], coded: Collection[str]) -> pa.Table:
        check_wanted(columns, self.columns, f"the {self.name}")
        frame = self._collected(columns)
        arrays = []
        for name in columns:
            column = _to_arrow(frame.get_column(name), name)
            if self._frame.implementation.is_pandas() and pa.types.is_floating(column.type):
                column = _nan_as_null(column)
            arrays.append(as_coded(column, name) if name in coded else plain(column, name))
        return pa.table(arrays, names=list(columns))

    def _collected(self, columns: Sequence[str]) -> nw.DataFrame[Any]:
        chosen = self._frame.select(list(columns)).lazy()
        try:
            return chosen.collect()
        except Exception as error:  # lazy frames run now, and a user's functions may raise anything
            # DuckDB and polars quote the offending value, so only the type of the error is shown.
            raise InputError(
                f"The {self.name} cannot be read.\nReading it raises {type(error).__name__}.\n"
                "Run the query on its own to see the error."
            ) from None

    def restore(self, table: pa.Table) -> Any:
        import narwhals as nw

        implementation = self._frame.implementation
        if implementation.is_pandas():
            return _restore_pandas(table, self._frame.to_native())
        if implementation.is_polars():
            frame = _restore_polars(table, self._frame.collect_schema().to_polars())
            return frame.lazy() if isinstance(self._frame, nw.LazyFrame) else frame
        if implementation.is_duckdb():
            return table
        original = self._frame.to_native()
        if isinstance(original, pa.Table):
            return _restore_arrow(table, original)
        return nw.from_arrow(table, backend=cast(Any, implementation)).to_native()


def _to_arrow(column: nw.Series[Any], name: str) -> pa.ChunkedArray:
    try:
        array = column.to_arrow()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise InputError(
            f"Column {name!r} has values of more than one kind, or of a kind unknown to Arrow.\n"
            f"Found: {column.to_native().dtype}.\nTurn it into one kind: text, numbers or dates."
        ) from None
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _nan_as_null(column: pa.ChunkedArray) -> pa.ChunkedArray:
    # Arrow has no kernel for half floats, which pandas itself turns into NULL.
    if pa.types.is_float16(column.type) or not pc.any(pc.is_nan(column)).as_py():
        return column
    return pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)


def _restore_arrow(table: pa.Table, original: pa.Table) -> pa.Table:
    """Return a table with the types of the original, except in generalized columns."""
    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind = original.schema.field(name).type if name in original.column_names else column.type
        columns[name] = restored(column, kind)
        if pa.types.is_dictionary(kind) and kind.ordered and pa.types.is_dictionary(columns[name].type):
            known = original.column(name).unify_dictionaries().chunk(0).dictionary
            columns[name] = _in_order(columns[name].chunk(0), known)
    return pa.table(columns)


def _in_order(column: pa.DictionaryArray, known: pa.Array) -> pa.DictionaryArray:
    """Return an ordered dictionary array with the occurring categories, in the order of the known ones."""
    used = known.filter(pc.is_in(known, column.dictionary))
    indices = pc.index_in(column.dictionary, used).take(column.indices).cast(column.indices.type)
    return pa.DictionaryArray.from_arrays(indices, used, ordered=True)


def _restore_pandas(table: pa.Table, original: pd.DataFrame) -> pd.DataFrame:
    """Return a table with the dtypes of the original frame, except in generalized columns.

    Whole numbers and truth values use pandas' nullable dtypes: otherwise NULLs would turn them into
    floating-point numbers. Categories are those that still occur.
    """
    import pandas as pd

    nullable = {
        pa.int8(): pd.Int8Dtype(),
        pa.int16(): pd.Int16Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
        pa.uint8(): pd.UInt8Dtype(),
        pa.uint16(): pd.UInt16Dtype(),
        pa.uint32(): pd.UInt32Dtype(),
        pa.uint64(): pd.UInt64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
    }
    arrow = _columns_of_arrow(table, original)
    others = table.drop_columns(list(arrow))
    frame: pd.DataFrame = others.to_pandas(types_mapper=nullable.get).assign(**arrow)[table.column_names]
    for name, column in zip(others.column_names, others.columns, strict=True):
        dtype = original[name].dtype if name in original else None
        if isinstance(dtype, pd.CategoricalDtype):
            categories = _used(dtype.categories.to_list(), column)
            if categories is not None:
                frame[name] = frame[name].astype(pd.CategoricalDtype(categories, dtype.ordered))
        elif dtype is not None and dtype != "object" and _of_one_kind(dtype, column.type):
            frame[name] = frame[name].astype(dtype)
    return frame


def _of_one_kind(dtype: Any, kind: pa.DataType) -> bool:
    """Return whether a column still has its kind: it may be generalized, or the spec may change its type."""
    from pandas.api import types as pandas_types

    are = (
        (pandas_types.is_string_dtype, is_text),
        (pandas_types.is_bool_dtype, pa.types.is_boolean),
        (pandas_types.is_numeric_dtype, _is_number),
        (pandas_types.is_datetime64_any_dtype, pa.types.is_timestamp),
    )
    return all(bool(before(dtype)) == bool(now(kind)) for before, now in are)


def _is_number(kind: pa.DataType) -> bool:
    """Return whether pandas treats a type as numbers, including truth values."""
    return bool(pa.types.is_primitive(kind)) and not pa.types.is_temporal(kind)


def _columns_of_arrow(table: pa.Table, original: pd.DataFrame) -> dict[str, Any]:
    """Return the columns of Arrow dtypes in pandas in the same types, except generalized ones."""
    import pandas as pd

    columns = {}
    for name in table.column_names:
        dtype = original[name].dtype if name in original else None
        if isinstance(dtype, pd.ArrowDtype):
            column = restored(table.column(name), dtype.pyarrow_dtype)
            if column.type == dtype.pyarrow_dtype:
                columns[name] = pd.Series(pd.array(column, dtype=dtype))
    return columns


def _restore_polars(table: pa.Table, schema: pl.Schema) -> pl.DataFrame:
    import polars as pl

    dtypes: dict[str, Any] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        dtype = schema.get(name)
        if isinstance(dtype, pl.Enum):
            categories = _used(dtype.categories.to_list(), column)
            if categories is not None:
                dtypes[name] = pl.Enum(categories)
        elif isinstance(dtype, pl.Categorical):
            if is_text(column.type):
                dtypes[name] = dtype
        elif dtype is not None and _narrower(column.type, dtype):
            dtypes[name] = dtype
    return cast(pl.DataFrame, pl.from_arrow(table)).cast(cast(Any, dtypes))


def _used(categories: list[Any], column: pa.ChunkedArray) -> list[Any] | None:
    """Return the occurring categories in their order; None if the column has other values."""
    values = set(pc.unique(column).to_pylist()) - {None}
    used = [category for category in categories if category in values]
    return used if len(used) == len(values) else None


def _narrower(kind: pa.DataType, dtype: pl.DataType) -> bool:
    """Return whether a column was read in a wider type than in polars, such as half floats."""
    return bool(pa.types.is_floating(kind)) and dtype.is_float()
