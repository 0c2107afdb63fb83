"""CSV files. All cells are text: `01234`, `NA` and ` x ` stay unchanged.

An empty cell without quotes is NULL, a quoted one (`""`) is the empty string, as in PostgreSQL. If the spec
lists texts for NULL, exactly these are NULL, quoted or not. Blank lines are skipped; in a file of one column
they are empty cells.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import pyarrow as pa

from shoal.read.delimited import open_delimited
from shoal.read.header import names_of
from shoal.read.source import InputFormat, check_wanted

_CODED = pa.dictionary(pa.int32(), pa.string())


class CsvFile:
    """A CSV file, plain or compressed (`.gz`)."""

    def __init__(self, path: Path, input_format: InputFormat = InputFormat()) -> None:  # noqa: B008 (frozen)
        self._file = open_delimited(path, input_format)
        self.name = path.name
        self.files = (path,)
        self._null_values = input_format.null_values
        self._header = input_format.header
        names = names_of(
            self._file.first, self._file.below, header=self._header, source=f"The first row of {path.name!r}"
        )
        self.columns, self.doubtful = names.columns, names.doubtful

    @property
    def dialect(self) -> InputFormat:
        return InputFormat(self._file.delimiter, self._file.quote, self._file.encoding, header=self._header)

    def read(self, columns: Sequence[str], coded: Collection[str]) -> pa.Table:
        check_wanted(columns, self.columns, f"file {self.name!r}", shown=not self.doubtful)
        return self._file.read(
            self.columns,
            {name: _CODED if name in coded else pa.string() for name in columns},
            header=self._header is not False,
            null_values=[""] if self._null_values is None else self._null_values,
            quoted_nulls=self._null_values is not None,
            empty_lines=True,
        )

    def restore(self, table: pa.Table) -> pa.Table:
        return table
