"""SQL with which DuckDB reads files: the text after FROM."""

from __future__ import annotations

import gzip
import re
import shutil
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.read.delimited import open_delimited
from shoal.read.source import InputFormat

_UTF8 = ("utf-8", "utf8", "utf-8-sig", "ascii")

_FOR_ONE_THREAD = 4 << 20
"""Bytes of a file that DuckDB does not divide among threads: half of what it gives to one."""

_FILE_ONLY = "hive_partitioning = false"
"""A folder named `age=30` must not matter; otherwise DuckDB uses 30 instead of the files' `age`."""


def csv_options(
    path: Path, columns: Sequence[str], dialect: InputFormat, null_values: Sequence[str] | None
) -> str:
    """Return the options with which DuckDB reads a CSV file as text, with NULL and the empty string distinct.

    Nothing is left to its sniffer, which uses a sample of the rows.
    """
    beginning = open_delimited(path, InputFormat(dialect.delimiter, dialect.quote, "utf-8"))
    return csv_form(
        columns,
        beginning.delimiter,
        beginning.quote,
        line_end=line_end_of(path, beginning.quote),
        skipped=beginning.blank_lines,
        null_values=null_values,
        header=dialect.header is not False,
    )


def csv_form(
    columns: Sequence[str],
    delimiter: str,
    quote: str,
    *,
    line_end: str = "\\n",
    skipped: int = 0,
    null_values: Sequence[str] | None = None,
    header: bool = True,
) -> str:
    """Return these options for a file of a known format."""
    mark = text(quote)
    types = ", ".join(f"{text(column)}: 'VARCHAR'" for column in columns)
    skip = f"skip = {skipped}, " if skipped else ""
    nulls = "nullstr = '', allow_quoted_nulls = false"
    if null_values:
        nulls = f"nullstr = [{', '.join(map(text, null_values))}], allow_quoted_nulls = true"
    return (
        f"header = {str(header).lower()}, {skip}delim = {text(delimiter)}, "
        f"quote = {mark}, escape = {mark}, new_line = '{line_end}', "
        f"{nulls}, auto_detect = false, columns = {{{types}}}"
    )


def line_end_of(path: Path, quote: str) -> str:
    """Return the line end in DuckDB's spelling: that of the header, whatever its quoted names contain.

    With a wrong line end, DuckDB finds no rows and raises no error.
    """
    with _opened(path, "rb") as file:
        beginning = file.read(1 << 20).lstrip(b"\xef\xbb\xbf\r\n")
    mark = re.escape(quote.encode())
    end = re.search(rb"\r\n|\r|\n", re.sub(mark + rb"[^" + mark + rb"]*" + mark, b"", beginning))
    return end[0].decode().replace("\r", "\\r").replace("\n", "\\n") if end else "\\n"


def in_utf8(path: Path, encoding: str | None, copy: Path) -> Path:
    """Return a file with the same text in UTF-8, the only encoding that DuckDB reads itself."""
    if encoding is None or encoding.lower().replace("_", "-") in _UTF8:
        return path
    try:
        with (
            _opened(path, "rt", encoding=encoding, newline="") as text,
            copy.open("w", encoding="utf-8", newline="") as file,
        ):
            shutil.copyfileobj(text, file)
    except UnicodeDecodeError:
        raise InputError(f"File '{path.name}' is not {encoding} text.\nSet its encoding.") from None
    return copy


def unique_names(columns: Sequence[str]) -> list[str]:
    """Return names that are unique in DuckDB, for which `age` and `Age` are the same.

    Examples
    --------
    >>> unique_names(["age", "Age", "zip", "AGE"])
    ['age', 'Age_1', 'zip', 'AGE_2']
    """
    taken: set[str] = set()
    names = []
    for column in columns:
        name, number = column, 0
        while name.lower() in taken:
            number += 1
            name = f"{column}_{number}"
        taken.add(name.lower())
        names.append(name)
    return names


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"')


def _opened(path: Path, mode: str, **how: Any) -> Any:
    return gzip.open(path, mode, **how) if path.suffix.lower() == ".gz" else path.open(mode, **how)


def reading_csv(paths: str, form: str, *, parallel: bool = True) -> str:
    """Return SQL that reads CSV files, but nothing from their folders' names.

    Parameters
    ----------
    parallel
        Whether several threads may begin anywhere in a file; see `splits_well`.
    """
    return f"read_csv({paths}, {form}, {_FILE_ONLY}{'' if parallel else ', parallel = false'})"


def splits_well(paths: Sequence[Path], quote: str) -> bool:
    """Return whether DuckDB may begin to read CSV files at any line.

    A thread that begins within a cell of several lines takes these for rows, if they have as many cells as
    the table has. Then DuckDB refuses the file, or finds other rows in it.
    """
    return not any(_has_lines_in_cells(path, quote.encode()) for path in paths)


def _has_lines_in_cells(path: Path, quote: bytes) -> bool:
    if path.suffix.lower() != ".gz" and path.stat().st_size <= _FOR_ONE_THREAD:
        return False
    inside = 0
    with (
        suppress(OSError, EOFError, zlib.error),
        _opened(path, "rb") as file,
    ):  # whoever reads it reports that
        for block in iter(lambda: file.read(1 << 20), b""):
            parts = block.split(quote)
            if any(b"\n" in part or b"\r" in part for part in parts[1 - inside :: 2]):
                return True
            inside = (inside + len(parts) - 1) % 2
    return False


def reading_parquet(paths: str, *, alike: bool = True) -> str:
    """Return the same for Parquet files.

    Parameters
    ----------
    alike
        Whether all have the same types. If not, DuckDB would round to those of the first file.

    Examples
    --------
    >>> reading_parquet("'age=30/people.parquet'")
    "read_parquet('age=30/people.parquet', hive_partitioning = false)"
    """
    return f"read_parquet({paths}, {_FILE_ONLY}{'' if alike else ', union_by_name = true'})"


def file_text(path: Path | str) -> str:
    """Return a path as SQL text for exactly this file, even if its name has wildcards."""
    return text(_escaped(str(path)))


def files(paths: Sequence[Path]) -> str:
    return file_text(paths[0]) if len(paths) == 1 else f"[{', '.join(map(file_text, paths))}]"


def pattern(name: str, suffix: str) -> str:
    """Return a file as SQL text, or all files in a folder with a suffix."""
    return text(f"{_escaped(name)}/*{suffix}") if suffix else file_text(name)


def _escaped(name: str) -> str:
    return re.sub(r"[*?\[]", r"[\g<0>]", name)


def text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
