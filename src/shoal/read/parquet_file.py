"""Parquet files. Columns keep their type."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import pyarrow as pa

from shoal.errors import InputError
from shoal.read.columns import coded as as_coded
from shoal.read.columns import plain
from shoal.read.source import check_names, check_wanted


class ParquetFile:
    """A Parquet file. Columns are read one at a time, so that text need not be in memory all at once."""

    dialect = None

    def __init__(self, path: Path) -> None:
        import pyarrow.parquet

        self.name = path.name
        try:
            self._file = pyarrow.parquet.ParquetFile(path)
        except (pa.ArrowException, OSError):
            raise InputError(f"File {path.name!r} is not a Parquet file.\nCheck its name.") from None
        self.columns = check_names(self._file.schema_arrow.names, f"File {path.name!r}")

    def read(self, columns: Sequence[str], coded: Collection[str]) -> pa.Table:
        check_wanted(columns, self.columns, f"file {self.name!r}")
        arrays = []
        for name in columns:
            try:
                column = self._file.read(columns=[name])[name]
            except (pa.ArrowException, OSError):
                raise InputError(
                    f"Column {name!r} of file {self.name!r} cannot be read.\nThe file is damaged."
                ) from None
            arrays.append(as_coded(column, name) if name in coded else plain(column, name))
        return pa.table(arrays, names=list(columns))

    def restore(self, table: pa.Table) -> pa.Table:
        return table
