"""Parquet files. Columns keep their type."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from shoal.errors import InputError
from shoal.read.columns import as_null, plain, restored
from shoal.read.columns import coded as as_coded
from shoal.read.parquet_size import check_size
from shoal.read.source import InputFormat, check_content, check_names, check_wanted

_SIGNATURE = b"PAR1"
_SPARK = b"org.apache.spark."


class ParquetFile:
    """A Parquet file. Columns are read one at a time, so that not all text is in memory at once."""

    dialect = None
    doubtful = False

    def __init__(self, path: Path, input_format: InputFormat = InputFormat()) -> None:  # noqa: B008 (frozen)
        import pyarrow.parquet

        self.name = path.name
        self.files = (path,)
        self._path = path
        self._null_values = input_format.null_values
        check_content(path, _SIGNATURE)
        try:
            self._file = pyarrow.parquet.ParquetFile(path)
            names = self._file.schema_arrow.names
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            raise InputError(_not_parquet(path)) from None
        self.columns = check_names(names, f"File {path.name!r}")

    def read(self, columns: Sequence[str], coded: Collection[str]) -> pa.Table:
        check_wanted(columns, self.columns, f"file {self.name!r}")
        arrays = []
        for name in columns:
            check_size(self._path, self._file, name)
            try:
                column = self._file.read(columns=[name])[name]
            except (pa.ArrowException, OSError):
                raise InputError(
                    f"Column {name!r} of file {self.name!r} cannot be read.\nThe file is damaged.\n"
                    "Get it again from its source."
                ) from None
            array = as_coded(column, name) if name in coded else plain(column, name)
            arrays.append(as_null(array, self._null_values))
        return pa.table(arrays, names=list(columns))

    def restore(self, table: pa.Table) -> pa.Table:
        schema = self._file.schema_arrow
        columns = {
            name: restored(table.column(name), schema.field(name).type) if name in self.columns else column
            for name, column in zip(table.column_names, table.columns, strict=True)
        }
        return pa.table(columns)


def spark_calendar(metadata: Mapping[bytes, bytes]) -> tuple[object, ...]:
    """Return how Spark counts the days in a file: version 2 by the calendar before 1582, later ones if told.

    Examples
    --------
    >>> spark_calendar({b"org.apache.spark.version": b"4.0.1"}) == spark_calendar({})
    True
    >>> spark_calendar({b"org.apache.spark.version": b"2.4.8"}) == spark_calendar({})
    False
    """
    version = metadata.get(_SPARK + b"version")
    old = version is not None and not re.match(rb"[3-9]\.|[1-9][0-9]", version)
    older = old or (version is not None and version.startswith(b"3.0"))
    days, moments = (
        old or _SPARK + b"legacyDateTime" in metadata,
        older or _SPARK + b"legacyINT96" in metadata,
    )
    return days, moments, metadata.get(_SPARK + b"timeZone") if days or moments else None


def _not_parquet(path: Path) -> str:
    """Return what a file that cannot be read as Parquet seems to be, in words."""
    with path.open("rb") as file:
        beginning = file.read(1024)
    if beginning.startswith(_SIGNATURE):
        return f"File {path.name!r} is not a complete Parquet file.\nGet it again from its source."
    found = "It has other bytes" if b"\0" in beginning else "It looks like text"
    return f"File {path.name!r} is not a Parquet file.\n{found}.\nCheck its suffix: a CSV file ends in .csv."
