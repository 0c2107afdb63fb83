"""A release as DuckDB sees it: the text that stands after FROM, and the names of its columns."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.errors import InputError
from shoal.read.delimited import open_delimited
from shoal.read.parquet_file import ParquetFile
from shoal.read.source import InputFormat, open_source

if TYPE_CHECKING:
    import duckdb

_UTF8 = ("utf-8", "utf8", "utf-8-sig", "ascii")
_MEMORY = "2GiB"
"""What queries may use if nobody says otherwise. What is larger goes to files in the temporary folder."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A release that queries can be put to."""

    connection: duckdb.DuckDBPyConnection
    name: str
    """What messages call the release."""
    source: str
    """What stands after FROM to read it here."""
    shown: str
    """What stands after FROM for somebody who has the file in front of them."""
    columns: Mapping[str, str]
    """Column names as in the release -> as SQL identifiers, quoted."""
    text: Collection[str]
    """Those of its columns that are text."""
    what: str = "release"
    """What messages call it: a release, or a table that is to become one."""

    def add(self, name: str, table: pa.Table, identifiers: Mapping[str, str]) -> None:
        """Let queries read a table under a name; its columns are called as these identifiers say."""
        names = [_unquoted(identifiers.get(column, _quoted(column))) for column in table.column_names]
        _register(self.connection, name, table.rename_columns(names))

    def ask(self, sql: str) -> tuple[Any, ...]:
        """Return the one row that the query gives."""
        (row,) = self.rows(sql)
        return row

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows that the query gives."""
        import duckdb

        try:
            return self.connection.execute(sql).fetchall()
        except (duckdb.InterruptException, RuntimeError) as error:
            # DuckDB takes Ctrl-C for itself and reports it so.
            if "interrupt" in str(error).lower():
                raise KeyboardInterrupt from None
            raise
        except duckdb.OutOfMemoryException:
            raise InputError(
                f"The {self.what} '{self.name}' is too large for the memory that its check may use.\n"
                "DuckDB says OutOfMemoryException.\n"
                "Let it have more, in an audit with --memory 8GB (in Python memory='8GB')."
            ) from None
        except duckdb.Error as error:
            # DuckDB quotes the offending line, cell values and all: only its number may be passed on.
            line = re.search(r"Line: (\d+)", str(error))
            found = f"Reading stopped at line {line[1]}" if line else f"DuckDB says {type(error).__name__}"
            raise InputError(
                f"The {self.what} '{self.name}' cannot be read.\n"
                f"{found}.\n"
                "Check that every line has as many cells as the header and ends alike, and that delimiter, "
                "quote and encoding are right."
            ) from None


@contextmanager
def open_relation(
    release: str | Path | pa.Table,
    input_format: InputFormat,
    name: str | None = None,
    what: str = "release",
    memory: str | None = None,
) -> Iterator[Relation]:
    """Open a release in a database of its own, in memory, without network or extensions.

    Parameters
    ----------
    release
        A CSV or Parquet file, or a table.
    input_format
        Delimiter, quote, encoding and NULL of a CSV file; what it leaves open is sniffed. A release has NULL
        as Shoal writes it, so that this leaves that open too.
    name
        The file's name in messages and queries, where it is to be another than its own.
    what
        What messages call it.
    memory
        The most that queries may use, such as `4GB`; the rest goes to files in the temporary folder.
    """
    import duckdb

    with tempfile.TemporaryDirectory(prefix="shoal-") as scratch:
        config: dict[str, str | bool | int | float | list[str]] = {
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "python_enable_replacements": False,
            "preserve_insertion_order": False,
            "temp_directory": scratch,
            "threads": min(4, os.cpu_count() or 1),
        }
        with duckdb.connect(config=config) as connection:
            connection.execute("SET enable_progress_bar = false")
            _limit(connection, memory)
            if isinstance(release, pa.Table):
                _register(connection, "release", release)
                columns, text = described(connection, "release", release.column_names)
                yield Relation(connection, "release", "release", "release", columns, text, what)
                return
            path = Path(release)
            name = name or path.name
            file = open_source(path, input_format)
            if file.dialect is not None:
                readable = _in_utf8(path, file.dialect.encoding, Path(scratch))
                options = _csv_options(
                    readable, _unique(file.columns), file.dialect, input_format.null_values
                )
                source = f"read_csv({_file(readable)}, {options})"
                shown = f"read_csv({_file(name)}, {options})"
            elif isinstance(file, ParquetFile):
                source, shown = f"read_parquet({_file(path)})", f"read_parquet({_file(name)})"
            else:
                # DuckDB has no reader of its own for these, so that it gets the cells as they are read here.
                _register(connection, "release", file.read(file.columns, coded=()))
                excel = path.suffix.lower() == ".xlsx"
                source, shown = "release", f"read_xlsx({_text(name)}, header = true)" if excel else "release"
            columns, text = described(connection, source, file.columns)
            relation = Relation(connection, name, source, shown, columns, text, what)
            if file.dialect is not None:
                _check_read(relation, path, file.dialect)
            yield relation


def _limit(connection: duckdb.DuckDBPyConnection, memory: str | None) -> None:
    """Set how much memory queries may use."""
    if memory is not None and not re.fullmatch(r"(?i)[0-9]+(\.[0-9]+)? ?[KMGT]i?B", memory):
        raise InputError(f"Memory is a number with its unit.\nFound: {memory!r}.\nWrite for example 4GB.")
    if memory is None:
        # On a small computer DuckDB's own limit, a share of what there is, is below ours.
        own = connection.execute("SELECT current_setting('memory_limit')").fetchall()[0][0]
        number, _, unit = str(own).partition(" ")
        if unit in ("GiB", "TiB") and float(number) > float(_MEMORY.removesuffix("GiB")):
            memory = _MEMORY
    if memory is not None:
        connection.execute(f"SET memory_limit = '{memory}'")


def _register(connection: duckdb.DuckDBPyConnection, name: str, table: pa.Table) -> None:
    """Let queries read a table under a name."""
    import duckdb

    for place, field in enumerate(table.schema):
        column = table.column(place)
        if pa.types.is_duration(field.type):  # numbers as in a Parquet file: DuckDB's own are microseconds
            table = table.set_column(place, field.name, column.cast(pa.int64()))
        elif pa.types.is_float16(field.type):
            table = table.set_column(place, field.name, column.cast(pa.float32()))
    try:
        connection.register(name, table)
    except duckdb.NotImplementedException:
        kinds = ", ".join(dict.fromkeys(str(field.type) for field in table.schema))
        raise InputError(
            f"The {name} has a column of a type that cannot be audited.\n"
            f"Types: {kinds}.\n"
            "Turn unusual ones into text or common numbers first."
        ) from None


def _csv_options(
    path: Path, columns: Sequence[str], dialect: InputFormat, null_values: Sequence[str] | None
) -> str:
    """Return what makes DuckDB read a CSV file as text, NULL and the empty string apart.

    Nothing is left to its sniffer, which goes by a sample of the rows.
    """
    beginning = open_delimited(path, InputFormat(dialect.delimiter, dialect.quote, "utf-8"))
    quote = _text(beginning.quote)
    types = ", ".join(f"{_text(column)}: 'VARCHAR'" for column in columns)
    skip = f"skip = {beginning.blank_lines}, " if beginning.blank_lines else ""
    nulls = "nullstr = '', allow_quoted_nulls = false"
    if null_values:
        nulls = f"nullstr = [{', '.join(map(_text, null_values))}], allow_quoted_nulls = true"
    return (
        f"header = true, {skip}delim = {_text(beginning.delimiter)}, "
        f"quote = {quote}, escape = {quote}, new_line = '{_line_end(path, beginning.quote)}', "
        f"{nulls}, auto_detect = false, columns = {{{types}}}"
    )


def _line_end(path: Path, quote: str) -> str:
    """Return how lines end, in DuckDB's spelling: as the header does, whatever its quoted names hold.

    Told wrong, DuckDB finds no rows at all and does not complain.
    """
    with _opened(path, "rb") as file:
        beginning = file.read(1 << 20).lstrip(b"\xef\xbb\xbf\r\n")
    mark = re.escape(quote.encode())
    end = re.search(rb"\r\n|\r|\n", re.sub(mark + rb"[^" + mark + rb"]*" + mark, b"", beginning))
    return end[0].decode().replace("\r", "\\r").replace("\n", "\\n") if end else "\\n"


def _check_read(relation: Relation, path: Path, dialect: InputFormat) -> None:
    """Refuse a file that has rows of which DuckDB sees none: it would hold any claim."""
    (rows,) = relation.ask(f"SELECT count(*) FROM (SELECT * FROM {relation.source} LIMIT 1)")
    if rows == 0 and open_delimited(path, dialect).more:
        raise InputError(
            f"The {relation.what} '{relation.name}' cannot be read.\n"
            "It has lines after the header, but no rows are found in them.\n"
            "Check that all lines end alike."
        )


def _in_utf8(path: Path, encoding: str | None, scratch: Path) -> Path:
    """Return a file with the same text in UTF-8, the only encoding that DuckDB reads by itself."""
    if encoding is None or encoding.lower().replace("_", "-") in _UTF8:
        return path
    copy = scratch / "release.csv"
    try:
        with (
            _opened(path, "rt", encoding=encoding, newline="") as text,
            copy.open("w", encoding="utf-8", newline="") as file,
        ):
            shutil.copyfileobj(text, file)
    except UnicodeDecodeError:
        raise InputError(
            f"File '{path.name}' has bytes that are not {encoding} text.\nSay its encoding."
        ) from None
    return copy


def _unique(columns: Sequence[str]) -> list[str]:
    """Return the names as DuckDB, which does not tell `age` from `Age`, keeps them apart.

    Examples
    --------
    >>> _unique(["age", "Age", "zip", "AGE"])
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


def described(
    connection: duckdb.DuckDBPyConnection, source: str, columns: Sequence[str]
) -> tuple[dict[str, str], frozenset[str]]:
    """Return the columns as DuckDB calls them, by their place, and which of them are text.

    It renames some of `age`, `Age`, `age_1`.
    """
    described = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
    found = list(zip(columns, described, strict=True))
    return (
        {column: _quoted(row[0]) for column, row in found},
        frozenset(column for column, row in found if row[1] == "VARCHAR"),
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"')


def _opened(path: Path, mode: str, **how: Any) -> Any:
    return gzip.open(path, mode, **how) if path.suffix.lower() == ".gz" else path.open(mode, **how)


def _file(path: Path | str) -> str:
    """Return a path as SQL text that stands for this one file, wildcards in its name or not."""
    return _text(re.sub(r"[*?\[]", r"[\g<0>]", str(path)))


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
