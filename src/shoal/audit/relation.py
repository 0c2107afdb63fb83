"""A release as queries see it: the text that stands after FROM, and the names of its columns."""

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

from shoal.audit.folder import data_files
from shoal.audit.place import OwnDuckDB, Place, register
from shoal.errors import InputError
from shoal.read.delimited import open_delimited
from shoal.read.parquet_file import ParquetFile
from shoal.read.source import InputFormat, Source, open_source

if TYPE_CHECKING:
    import duckdb

_UTF8 = ("utf-8", "utf8", "utf-8-sig", "ascii")
_MEMORY = "2GiB"
"""What queries may use if nobody says otherwise. What is larger goes to files in the temporary folder."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A release that queries can be put to, in DuckDB's SQL, wherever it is."""

    place: Place
    """What runs them."""
    name: str
    """What messages call the release."""
    source: str
    """What stands after FROM to read it here."""
    shown: str
    """What stands after FROM for somebody who has the release in front of them."""
    columns: Mapping[str, str]
    """Column names as in the release -> as SQL identifiers, quoted."""
    text: Collection[str]
    """Those of its columns that are text."""
    what: str = "release"
    """What messages call it: a release, or a table that is to become one."""
    shown_columns: Mapping[str, str] | None = None
    """The identifiers that columns have in `shown`, where they are others."""
    hidden: tuple[str, ...] = ()
    """Further columns, as SQL, that are no part of the release."""

    @property
    def told_columns(self) -> Mapping[str, str]:
        """The identifiers of columns for somebody who has the release in front of them."""
        return self.columns if self.shown_columns is None else self.shown_columns

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """DuckDB's connection, of what `open_relation` opened."""
        assert isinstance(self.place, OwnDuckDB), "it is in a database"
        return self.place.connection

    def add(self, name: str, table: pa.Table, identifiers: Mapping[str, str]) -> str:
        """Let queries read a table; its columns are called as these identifiers say.

        What is returned stands for it after FROM.
        """
        names = [unquoted(identifiers.get(column, quoted(column))) for column in table.column_names]
        return self.place.put(table.rename_columns(names), name)

    def keep(self, sql: str, name: str) -> str:
        """Let queries read what a query gives; return what stands for it after FROM."""
        return self.place.keep(sql, name)

    def ask(self, sql: str) -> tuple[Any, ...]:
        """Return the one row that the query gives."""
        (row,) = self.rows(sql)
        return row

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows that the query gives."""
        return self.place.rows(sql)

    def told(self, sql: str) -> str:
        """Return a query on `shown` for somebody who has the release in front of them."""
        return self.place.told(sql)


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
        A CSV or Parquet file, a folder of such files, or a table.
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
                register(connection, "release", release)
                columns, text = described(connection, "release", release.column_names)
                place = OwnDuckDB(connection, "release", what)
                yield Relation(place, "release", "release", "release", columns, text, what)
                return
            path = Path(release)
            name = name or path.name
            suffix, parts = data_files(path) if path.is_dir() else ("", [path])
            told = _pattern(name, suffix)
            file = open_source(parts[0], input_format)
            if file.dialect is not None:
                _check_parts(path, parts, file)
                readable = [
                    _in_utf8(part, file.dialect.encoding, Path(scratch, f"{number}.csv"))
                    for number, part in enumerate(parts)
                ]
                options = _csv_options(
                    readable[0], _unique(file.columns), file.dialect, input_format.null_values
                )
                source, shown = f"read_csv({_files(readable)}, {options})", f"read_csv({told}, {options})"
            elif isinstance(file, ParquetFile):
                source, shown = f"read_parquet({_files(parts)})", f"read_parquet({told})"
            else:
                # DuckDB has no reader of its own for these, so that it gets the cells as they are read here.
                register(connection, "release", file.read(file.columns, coded=()))
                excel = path.suffix.lower() == ".xlsx"
                source, shown = "release", f"read_xlsx({_text(name)}, header = true)" if excel else "release"
            columns, text = described(connection, source, file.columns)
            place = OwnDuckDB(connection, name, what)
            relation = Relation(place, name, source, shown, columns, text, what)
            if file.dialect is not None:
                for part in parts:
                    _check_read(relation, part, file.dialect)
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


def shown_files(
    name: str, columns: Sequence[str], *, folder: bool, delimiter: str = ",", quote: str = '"'
) -> tuple[str, dict[str, str]]:
    """Return what stands after FROM for somebody who has a release in files, and its columns there.

    It is what `open_relation` gives for the files once they are written.

    Examples
    --------
    >>> shown_files("visits", ["age"], folder=True)
    ("read_parquet('visits/*.parquet')", {'age': '"age"'})
    """
    suffix = next((end for end in (".csv.gz", ".csv") if name.lower().endswith(end)), ".parquet")
    told = _pattern(name, suffix if folder else "")
    unique = _unique(columns)
    identifiers = dict(zip(columns, map(quoted, unique), strict=True))
    if suffix == ".parquet":
        return f"read_parquet({told})", identifiers
    return f"read_csv({told}, {_options(unique, delimiter, quote)})", identifiers


def _csv_options(
    path: Path, columns: Sequence[str], dialect: InputFormat, null_values: Sequence[str] | None
) -> str:
    """Return what makes DuckDB read a CSV file as text, NULL and the empty string apart.

    Nothing is left to its sniffer, which goes by a sample of the rows.
    """
    beginning = open_delimited(path, InputFormat(dialect.delimiter, dialect.quote, "utf-8"))
    return _options(
        columns,
        beginning.delimiter,
        beginning.quote,
        line_end=_line_end(path, beginning.quote),
        skipped=beginning.blank_lines,
        null_values=null_values,
    )


def _options(
    columns: Sequence[str],
    delimiter: str,
    quote: str,
    *,
    line_end: str = "\\n",
    skipped: int = 0,
    null_values: Sequence[str] | None = None,
) -> str:
    mark = _text(quote)
    types = ", ".join(f"{_text(column)}: 'VARCHAR'" for column in columns)
    skip = f"skip = {skipped}, " if skipped else ""
    nulls = "nullstr = '', allow_quoted_nulls = false"
    if null_values:
        nulls = f"nullstr = [{', '.join(map(_text, null_values))}], allow_quoted_nulls = true"
    return (
        f"header = true, {skip}delim = {_text(delimiter)}, "
        f"quote = {mark}, escape = {mark}, new_line = '{line_end}', "
        f"{nulls}, auto_detect = false, columns = {{{types}}}"
    )


def _check_parts(folder: Path, parts: Sequence[Path], first: Source) -> None:
    """Refuse CSV files that are not parts of one table: all are read as the first is."""

    def form(part: Path) -> tuple[Sequence[str], str]:
        assert first.dialect is not None, "they are CSV files"
        return (
            list(open_source(part, first.dialect).columns),
            _line_end(part, first.dialect.quote or '"'),
        )

    others = [part for part in parts[1:] if form(part) != form(parts[0])]
    if others:
        raise InputError(
            f"The files in {folder.name!r} are not parts of one table.\n"
            f"Found: {len(others):,} of {len(parts):,} with another header than {parts[0].name!r}, or other "
            "ends of lines.\nGive the folder that was written, and nothing else in it."
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


def _in_utf8(path: Path, encoding: str | None, copy: Path) -> Path:
    """Return a file with the same text in UTF-8, the only encoding that DuckDB reads by itself."""
    if encoding is None or encoding.lower().replace("_", "-") in _UTF8:
        return path
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
        {column: quoted(row[0]) for column, row in found},
        frozenset(column for column, row in found if row[1] == "VARCHAR"),
    )


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"')


def _opened(path: Path, mode: str, **how: Any) -> Any:
    return gzip.open(path, mode, **how) if path.suffix.lower() == ".gz" else path.open(mode, **how)


def _file(path: Path | str) -> str:
    """Return a path as SQL text that stands for this one file, wildcards in its name or not."""
    return _text(_escaped(str(path)))


def _files(paths: Sequence[Path]) -> str:
    return _file(paths[0]) if len(paths) == 1 else f"[{', '.join(map(_file, paths))}]"


def _pattern(name: str, suffix: str) -> str:
    """Return a file as SQL text, or all files in a folder that end so."""
    return _text(f"{_escaped(name)}/*{suffix}") if suffix else _file(name)


def _escaped(name: str) -> str:
    return re.sub(r"[*?\[]", r"[\g<0>]", name)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
