"""Data frames: pandas, polars, Arrow and what else narwhals knows. The frame itself is never changed.

NaN in a pandas frame is NULL, as pandas itself has it. A pandas index is not part of the table: it often
numbers the original rows.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import InputError
from shoal.read.columns import coded as as_coded
from shoal.read.columns import plain
from shoal.read.source import check_names, check_wanted

if TYPE_CHECKING:
    import narwhals as nw
    import pandas as pd
    import polars as pl

_ACCEPTED = (
    "Accepted: a pandas or polars DataFrame, a polars LazyFrame, an Arrow table, or the path of a file."
)


class Frame:
    """A table in memory."""

    _frame: nw.DataFrame[Any] | nw.LazyFrame[Any]
    dialect = None

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
        if isinstance(self._frame, nw.LazyFrame) and not self._frame.implementation.is_polars():
            raise unreadable
        self.columns = check_names(self._frame.collect_schema().names(), self.name)

    def read(self, columns: Sequence[str], coded: Collection[str]) -> pa.Table:
        check_wanted(columns, self.columns, f"the {self.name}")
        frame = self._frame.select(list(columns)).lazy().collect()
        arrays = []
        for name in columns:
            column = _to_arrow(frame.get_column(name), name)
            arrays.append(as_coded(column, name) if name in coded else plain(column, name))
        return pa.table(arrays, names=list(columns))

    def restore(self, table: pa.Table) -> Any:
        import narwhals as nw

        implementation = self._frame.implementation
        if implementation.is_pandas():
            return _restore_pandas(table, self._frame.to_native())
        if implementation.is_polars():
            frame = _restore_polars(table, self._frame.collect_schema().to_polars())
            return frame.lazy() if isinstance(self._frame, nw.LazyFrame) else frame
        return nw.from_arrow(table, backend=cast(Any, implementation)).to_native()


def _to_arrow(column: nw.Series[Any], name: str) -> pa.ChunkedArray:
    try:
        array = column.to_arrow()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise InputError(
            f"Column {name!r} holds values of more than one kind, or of a kind unknown to Arrow "
            f"({column.to_native().dtype}).\nTurn it into one kind: text, numbers or dates."
        ) from None
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _restore_pandas(table: pa.Table, original: pd.DataFrame) -> pd.DataFrame:
    """Return a table with the dtypes of the frame that it came from, but for generalized columns.

    Whole numbers and truth values go through pandas' nullable dtypes: with NULLs they would turn into
    floating-point numbers. Categories are those that still occur.
    """
    import pandas as pd
    from pandas.api.types import is_string_dtype

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
    frame: pd.DataFrame = table.to_pandas(types_mapper=nullable.get)
    for name, column in zip(table.column_names, table.columns, strict=True):
        dtype = original[name].dtype if name in original else None
        if isinstance(dtype, pd.CategoricalDtype):
            categories = _used(dtype.categories.to_list(), column)
            if categories is not None:
                frame[name] = frame[name].astype(pd.CategoricalDtype(categories, dtype.ordered))
        elif dtype is not None and dtype != "object" and is_string_dtype(dtype) == _is_text(column.type):
            frame[name] = frame[name].astype(dtype)
    return frame


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
            dtypes[name] = dtype
    return cast(pl.DataFrame, pl.from_arrow(table)).cast(cast(Any, dtypes))


def _used(categories: list[Any], column: pa.ChunkedArray) -> list[Any] | None:
    """Return the categories that occur, in their order; None where the column holds others."""
    values = set(pc.unique(column).to_pylist()) - {None}
    used = [category for category in categories if category in values]
    return used if len(used) == len(values) else None


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
