"""A table to a CSV, Parquet or Excel file, byte for byte the same on every platform.

CSV cells are quoted only where they must be: those that hold the delimiter, the quote or a line
end, and the empty string. NULL is an empty cell without quotes (PostgreSQL's convention), so the
two stay apart. Text is UTF-8 and lines end in a line feed.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import InputError, Problem
from shoal.files.atomic import check_path
from shoal.read.columns import text_of
from shoal.read.source import InputFormat

SUFFIXES = (".csv", ".csv.gz", ".parquet", ".xlsx")
TEXT = pa.large_string()
ROWS_AT_ONCE = 1 << 14
"""Rows rendered in one go: the text of a chunk is all that a CSV file needs in memory."""
_ROWS_IN_A_GROUP = 1 << 20


def suffix_of(path: Path) -> str:
    """Return the suffix that says how `path` is written.

    Examples
    --------
    >>> suffix_of(Path("release.CSV.gz"))
    '.csv.gz'
    """
    for suffix in SUFFIXES:
        if path.name.lower().endswith(suffix):
            return suffix
    raise InputError(
        f"The file format of '{path}' is not known.\n"
        f"Its suffix is '{path.suffix}'.\n"
        f"End its name in one of: {', '.join(SUFFIXES)}."
    )


def check_writable(path: Path, *, apart_from: Iterable[Path] = ()) -> None:
    """Refuse a release file that could not be written later; call this before any work is done.

    Parameters
    ----------
    path
        Where the file is to go.
    apart_from
        Files that it must not replace, such as the input.

    Raises
    ------
    InputError
        The suffix names no format that Shoal writes, or one whose package is not installed.
    OutputError
        The folder is missing or not writable, a folder stands where a file should go, or the file is one of
        those that must stay.
    """
    if suffix_of(path) == ".xlsx":
        from shoal.write.excel import check_excel

        check_excel()
    check_path(path, apart_from=apart_from)


def write_table(table: pa.Table, path: Path, dialect: InputFormat | None = None) -> None:
    """Write `table` to `path` in the format that its suffix names.

    Parameters
    ----------
    table
        Any columns; dictionary columns are written as their values.
    path
        Ends in `.csv`, `.csv.gz`, `.parquet` or `.xlsx`.
    dialect
        Delimiter and quote of a CSV file; `,` and `"` where it says nothing.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "release.csv"
    >>> write_table(pa.table({"zip": ["5371*", None], "note": ["a,b", ""]}), path)
    >>> print(path.read_text(encoding="utf-8"), end="")
    zip,note
    5371*,"a,b"
    ,""
    """
    if suffix_of(path) == ".xlsx":
        from shoal.write.excel import write_excel

        write_excel(table, path)
    elif suffix_of(path) == ".parquet":
        from pyarrow import parquet

        try:
            plain = table.replace_schema_metadata(None)
            with parquet.ParquetWriter(path, plain.schema, compression="zstd") as writer:
                for start in range(0, max(1, plain.num_rows), _ROWS_IN_A_GROUP):
                    writer.write_table(_with_own_values(plain.slice(start, _ROWS_IN_A_GROUP)))
        except pa.ArrowNotImplementedError:
            kinds = ", ".join(dict.fromkeys(str(field.type) for field in table.schema))
            raise InputError(
                "The release cannot be written as Parquet.\n"
                f"Types of its columns: {kinds}.\n"
                "Convert unusual ones to text or common numbers first."
            ) from None
    else:
        write_csv(path, [table], header=table.column_names, dialect=dialect)


def _with_own_values(rows: pa.Table) -> pa.Table:
    """Return rows of a table with dictionaries of their own values; Arrow writes those of the whole table."""
    for position, field in enumerate(rows.schema):
        if pa.types.is_dictionary(field.type) and rows.num_rows:
            chunks = rows.column(position).unify_dictionaries().chunks
            indices = pa.concat_arrays([chunk.indices for chunk in chunks])
            used = indices.unique().drop_null().sort()  # as ordered as before
            codes = pc.index_in(indices, value_set=used).cast(field.type.index_type)
            values = chunks[0].dictionary.take(used)
            own = pa.DictionaryArray.from_arrays(codes, values, ordered=field.type.ordered)
            rows = rows.set_column(position, field, own)
    return rows


def write_csv(
    path: Path,
    tables: Iterable[pa.Table],
    *,
    header: Sequence[str] | None,
    dialect: InputFormat | None = None,
) -> None:
    """Write the rows of `tables`, one after the other, to a CSV file; a header first, if one is given."""
    dialect = dialect or InputFormat()
    cells = _Cells(dialect.delimiter or ",", dialect.quote or '"')
    if header is not None:
        tables = chain([pa.table([[name] for name in header], names=header)], tables)
    with path.open("wb") as file, _compressed(file, path) as stream:
        for table in tables:
            coded = cells.with_rendered_labels(table)
            for start in range(0, coded.num_rows, ROWS_AT_ONCE):
                stream.write(cells.lines(coded.slice(start, ROWS_AT_ONCE)))


def require_csv(table: pa.Table) -> None:
    """Raise if some values of a table have no form in a CSV file.

    Raises
    ------
    InputError
        With all columns that have such values.
    """
    cells = _Cells(",", '"')
    problems: list[Problem] = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            cells.render(name, column)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)


def _compressed(file: BinaryIO, path: Path) -> AbstractContextManager[BinaryIO | gzip.GzipFile]:
    """Return a stream to `file`; a gzip header without name and time keeps equal data equal bytes."""
    if suffix_of(path) == ".csv.gz":
        return gzip.GzipFile(filename="", mode="wb", compresslevel=4, fileobj=file, mtime=0)
    return nullcontext(file)


@dataclass(frozen=True, slots=True)
class _Cells:
    """Cells as CSV text."""

    delimiter: str
    quote: str

    def with_rendered_labels(self, table: pa.Table) -> pa.Table:
        """Return the table with the labels of its dictionary columns rendered, once each."""
        for i, field in enumerate(table.schema):
            if pa.types.is_dictionary(field.type):
                chunks = [
                    pa.DictionaryArray.from_arrays(chunk.indices, self.render(field.name, chunk.dictionary))
                    for chunk in table.column(i).unify_dictionaries().chunks
                ]
                labels = pa.dictionary(field.type.index_type, TEXT)
                table = table.set_column(i, field.name, pa.chunked_array(chunks, labels))
        return table

    def lines(self, table: pa.Table) -> pa.Buffer:
        """Return the text of the rows: the data buffer of one Arrow array that holds every line."""
        cells = [
            column.cast(TEXT) if pa.types.is_dictionary(column.type) else self.render(name, column)
            for name, column in zip(table.column_names, table.columns, strict=True)
        ]
        rows = _joined(cells, self.delimiter)
        lines = _joined([rows, pa.scalar("", TEXT)], "\n")
        return pa.concat_arrays(lines.chunks).buffers()[2]

    def render(self, name: str, values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
        """Return the values as text, quoted where needed, NULL still NULL."""
        try:
            text = text_of(values, TEXT)
        except pa.ArrowException:
            raise InputError(
                f"Column '{name}' cannot be written as CSV.\n"
                f"Its type is {values.type}.\n"
                "Write to a .parquet file, or give the column as text."
            ) from None
        special = pc.match_substring_regex(text, f"^$|[{re.escape(self.delimiter + self.quote)}\r\n\\x00]")
        if not pc.any(special).as_py():
            return text
        if pc.any(pc.match_substring(text, "\0")).as_py():
            raise InputError(
                f"Column '{name}' cannot be written as CSV.\n"
                "It has cells with zero bytes.\n"
                "Write to a .parquet file, or remove them."
            )
        quote = pa.scalar(self.quote, TEXT)
        doubled = pc.replace_substring(text, self.quote, self.quote * 2)
        return pc.if_else(special, _joined([quote, doubled, quote], ""), text)


def _joined(parts: Sequence[pa.Array | pa.ChunkedArray | pa.Scalar], separator: str) -> pa.ChunkedArray:
    return pc.binary_join_element_wise(
        *parts, pa.scalar(separator, TEXT), null_handling="replace", null_replacement=""
    )
