"""A release as queries see it: the text that stands after FROM, and the names of its columns."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.errors import InputError
from shoal.files.folder import data_files
from shoal.read.delimited import open_delimited
from shoal.read.parquet_file import ParquetFile, spark_calendar
from shoal.read.source import InputFormat, Source, open_source
from shoal.read.sql import (
    csv_form,
    csv_options,
    files,
    in_utf8,
    line_end_of,
    pattern,
    quoted,
    reading_csv,
    reading_parquet,
    splits_well,
    text,
    unique_names,
    unquoted,
)
from shoal.sql.interrupts import interrupts
from shoal.sql.local_queries import LocalDuckDB, QueryRunner, register

if TYPE_CHECKING:
    import duckdb

_BY_STATISTICS = "statistics_propagation,compressed_materialization,filter_pushdown"
"""What DuckDB must not do with a Parquet file: take its statistics for true, which its writer can make up."""

_SMALL = 32 * 2**20
"""Bytes of a table whose audit needs no database for itself."""

_MEMORY = "2GiB"
"""What queries may use if nobody says otherwise. What is larger goes to files in the temporary folder."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A release that queries can be put to, in DuckDB's SQL, wherever it is."""

    runner: QueryRunner
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
    shown_text: Collection[str] | None = None
    """Those of its columns that are text in `shown`, where they are others: in a CSV file all are."""

    @property
    def text_as_shown(self) -> Collection[str]:
        """The columns that are text for somebody who has the release in front of them."""
        return self.text if self.shown_text is None else self.shown_text

    @property
    def columns_as_shown(self) -> Mapping[str, str]:
        """The identifiers of columns for somebody who has the release in front of them."""
        return self.columns if self.shown_columns is None else self.shown_columns

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """DuckDB's connection, of what `open_relation` opened."""
        assert isinstance(self.runner, LocalDuckDB), "it is in a database"
        return self.runner.connection

    def add(self, name: str, table: pa.Table, identifiers: Mapping[str, str]) -> str:
        """Let queries read a table; its columns are called as these identifiers say.

        What is returned stands for it after FROM.
        """
        names = [unquoted(identifiers.get(column, quoted(column))) for column in table.column_names]
        return self.runner.put(table.rename_columns(names), name)

    def keep(self, sql: str, name: str) -> str:
        """Let queries read what a query gives; return what stands for it after FROM."""
        return self.runner.keep(sql, name)

    def fetch_row(self, sql: str) -> tuple[Any, ...]:
        """Return the one row that the query gives."""
        (row,) = self.rows(sql)
        return row

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows that the query gives."""
        return self.runner.rows(sql)

    def shown_query(self, sql: str) -> str:
        """Return a query on `shown` for somebody who has the release in front of them."""
        return self.runner.shown_query(sql)


@contextmanager
def open_relation(
    release: str | Path | pa.Table,
    input_format: InputFormat,
    name: str | None = None,
    what: str = "release",
    memory: str | None = None,
    shared: bool = False,
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
    shared
        Whether a small table may be in one database with others: for who changes no settings of that, and
        makes temporary tables alone.
    """
    from shoal.files.temporary import scratch_folder  # only here, since what writes imports the audit

    if shared and isinstance(release, pa.Table) and memory is None and release.nbytes <= _SMALL:
        with interrupts(), _shared_database(os.getpid()).cursor() as connection:
            yield _of_table(connection, release, what)
        return
    with interrupts(), scratch_folder() as scratch, _database(scratch) as connection:
        _limit(connection, memory)
        if isinstance(release, pa.Table):
            yield _of_table(connection, release, what)
            return
        path = Path(release)
        name = name or path.name
        suffix, parts = data_files(path) if path.is_dir() else ("", [path])
        shown_path = pattern(name, suffix)
        file = open_source(parts[0], input_format)
        if file.dialect is not None:
            _check_parts(path, parts, file)
            readable = [
                in_utf8(part, file.dialect.encoding, scratch / f"{number}.csv")
                for number, part in enumerate(parts)
            ]
            options = csv_options(
                readable[0], unique_names(file.columns), file.dialect, input_format.null_values
            )
            parallel = splits_well(readable, file.dialect.quote or '"')
            source = reading_csv(files(readable), options, parallel=parallel)
            shown = _shown(shown_path, options)
        elif isinstance(file, ParquetFile):
            connection.execute(f"SET disabled_optimizers = '{_BY_STATISTICS}'")
            _check_columns(path, parts)
            source, shown = reading_parquet(files(parts)), _shown(shown_path)
        else:
            # DuckDB has no reader of its own for these, so that it gets the cells as they are read here.
            register(connection, "release", file.read(file.columns, coded=()))
            excel = path.suffix.lower() == ".xlsx"
            source, shown = "release", f"read_xlsx({text(name)}, header = true)" if excel else "release"
        runner = LocalDuckDB(connection, name, what)
        columns, texts = described(runner, source, file.columns)
        relation = Relation(runner, name, source, shown, columns, texts, what)
        if file.dialect is not None:
            for part in parts:
                _check_read(relation, part, file.dialect)
        yield relation


def _of_table(connection: duckdb.DuckDBPyConnection, release: pa.Table, what: str) -> Relation:
    """Let queries read a release in memory."""
    connection.execute("SET enable_progress_bar = false")
    register(connection, "release", release)
    runner = LocalDuckDB(connection, "release", what)
    columns, texts = described(runner, "release", release.column_names)
    return Relation(runner, "release", "release", "release", columns, texts, what)


def _database(scratch: Path | None) -> duckdb.DuckDBPyConnection:
    """Make a database; without a folder its queries spill nothing."""
    import duckdb

    connection = duckdb.connect(
        config={
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "python_enable_replacements": False,
            "preserve_insertion_order": False,
            "temp_directory": "" if scratch is None else str(scratch),
            "threads": min(4, os.cpu_count() or 1),
        }
    )
    connection.execute("SET enable_progress_bar = false")
    return connection


@cache
def _shared_database(process: int) -> duckdb.DuckDBPyConnection:
    """Return the database for small tables, whose audits take less time than to make one.

    Each audit has a connection of its own to it, with tables that no other sees, and each process a database.
    """
    return _database(None)


if hasattr(os, "register_at_fork"):  # its threads would not be in the forked process, which then never ends
    os.register_at_fork(before=_shared_database.cache_clear)


def _limit(connection: duckdb.DuckDBPyConnection, memory: str | None) -> None:
    """Set how much memory queries may use."""
    if memory is not None and not re.fullmatch(r"(?i)[0-9]+(\.[0-9]+)? ?[KMGT]i?B", memory):
        raise InputError(f"Memory must be a number with a unit.\nFound: {memory!r}.\nWrite 4GB, for example.")
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
    shown_path = pattern(name, suffix if folder else "")
    unique = unique_names(columns)
    identifiers = dict(zip(columns, map(quoted, unique), strict=True))
    if suffix == ".parquet":
        return _shown(shown_path), identifiers
    return _shown(shown_path, csv_form(unique, delimiter, quote)), identifiers


def _shown(shown_path: str, form: str | None = None) -> str:
    """Return what reads a release for somebody who has it; the name of a folder counts only if it has `=`."""
    if "=" in shown_path.rpartition("/")[0]:
        return reading_parquet(shown_path) if form is None else reading_csv(shown_path, form)
    return f"read_parquet({shown_path})" if form is None else f"read_csv({shown_path}, {form})"


def _check_parts(folder: Path, parts: Sequence[Path], first: Source) -> None:
    """Refuse CSV files that are not parts of one table: all are read as the first is."""

    def form(part: Path) -> tuple[Sequence[str], str]:
        assert first.dialect is not None, "they are CSV files"
        return (
            list(open_source(part, first.dialect).columns),
            line_end_of(part, first.dialect.quote or '"'),
        )

    if len(parts) > 1:
        own = form(parts[0])
        _refuse_others(
            folder, parts, [form(part) == own for part in parts], "header", ", or other ends of lines"
        )


def _check_columns(folder: Path, parts: Sequence[Path]) -> None:
    """Refuse the same of Parquet files: of the others DuckDB reads what the first has, in its types.

    So it would not see a further column of names, and round what is more exact.
    """
    from pyarrow import parquet

    def form(part: Path) -> object:
        open_source(part, InputFormat())  # reports what is no Parquet file
        about = parquet.read_metadata(part).schema
        stored = [about.column(position) for position in range(len(about.names))]
        types = [(column.path, column.physical_type, str(column.logical_type)) for column in stored]
        arrow = about.to_arrow_schema()
        return types, arrow.names, arrow.types, spark_calendar(parquet.read_metadata(part).metadata or {})

    if len(parts) > 1:
        own = form(parts[0])
        _refuse_others(folder, parts, [form(part) == own for part in parts], "set of columns", ", or types")


def _refuse_others(folder: Path, parts: Sequence[Path], same: Sequence[bool], what: str, more: str) -> None:
    """Refuse a folder in which not all files are as the first is."""
    if not all(same):
        raise InputError(
            f"The files in {folder.name!r} are not parts of one table.\n"
            f"Found: {same.count(False):,} of {len(parts):,} with another {what} than {parts[0].name!r}"
            f"{more}.\nGive the folder that was written, and nothing else in it."
        )


def _check_read(relation: Relation, path: Path, dialect: InputFormat) -> None:
    """Refuse a file that has rows of which DuckDB sees none: it would hold any claim."""
    (rows,) = relation.fetch_row(f"SELECT count(*) FROM (SELECT * FROM {relation.source} LIMIT 1)")
    if rows == 0 and open_delimited(path, dialect).more:
        raise InputError(
            f"The {relation.what} '{relation.name}' cannot be read.\n"
            "It has lines after the header, but they contain no rows.\n"
            "Check that all lines have the same ending."
        )


def described(
    runner: QueryRunner, source: str, columns: Sequence[str]
) -> tuple[dict[str, str], frozenset[str]]:
    """Return the columns as DuckDB calls them, by their position, and which of them are text.

    It renames some of `age`, `Age`, `age_1`.
    """
    found = list(zip(columns, runner.rows(f"DESCRIBE SELECT * FROM {source}"), strict=True))
    return (
        {column: quoted(row[0]) for column, row in found},
        frozenset(column for column, row in found if row[1] == "VARCHAR"),
    )
