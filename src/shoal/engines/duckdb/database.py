"""DuckDB: files of any size, read and written within a limit of memory."""

from __future__ import annotations

import re
import secrets
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import duckdb
import pyarrow as pa

from shoal.engines.relational.output import QueryableFiles, UnpublishedTable, check_files
from shoal.engines.relational.star_schema import Dimension
from shoal.errors import InputError, OutputError, ShoalError
from shoal.files.temporary import private_folder, remove_private
from shoal.read.delimited import Delimited
from shoal.read.source import check_names
from shoal.read.sql import (
    csv_form,
    file_text,
    pattern,
    quoted,
    reading_csv,
    reading_parquet,
    splits_well,
    text,
)
from shoal.sql.interrupts import interrupts
from shoal.write.output import FileOutput, Output, TableOutput

_IBIS_TYPES = {
    "BIGINT": "int64",
    "INTEGER": "int32",
    "SMALLINT": "int16",
    "TINYINT": "int8",
    "UBIGINT": "uint64",
    "UINTEGER": "uint32",
    "USMALLINT": "uint16",
    "UTINYINT": "uint8",
    "DOUBLE": "float64",
    "FLOAT": "float32",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
    "TIMESTAMP WITH TIME ZONE": "timestamp('UTC')",
}
# Sums are signed, and fit into decimals. Unsigned ones are hashes, and no decimal has their 39 digits.
_EXACT = {"HUGEINT": "DECIMAL(38, 0)", "UHUGEINT": "VARCHAR"}
# Before 1.4 there is no such option. Nobody can see what such a filter holds, so a release has none.
_MAY_LEAVE_FILTERS_OUT = tuple(map(int, duckdb.__version__.split(".")[:2])) >= (1, 4)


class DuckDB:
    """A database in memory whose tables are files, or that is attached to a file of DuckDB.

    Parameters
    ----------
    title
        What messages call the table.
    source
        What stands after FROM to read it.
    columns
        Its names; if not given, as DuckDB has them.
    attached
        The name of the attached database, if the table is in one.
    memory
        How many bytes queries may use; what is larger goes to files in a temporary folder.
    """

    name: ClassVar[str] = "duckdb"
    dialect: ClassVar[str] = "duckdb"
    dictionaries: ClassVar[bool] = True

    def __init__(self, title: str, memory: int, *, remote: bool = False) -> None:
        self.title = title
        self.scratch = private_folder(Path(tempfile.gettempdir()))
        weakref.finalize(self, remove_private, self.scratch)  # if nobody closes it, as after Ctrl-C
        self._stored: list[QueryableFiles | UnpublishedTable] = []
        self._attached: str | None = None
        self._writable = False
        self.table: tuple[str, str] | None = None
        self._source = ""
        self._texts: Sequence[Delimited] = ()
        self._names = 0
        self.columns: tuple[str, ...] = ()
        self.doubtful = False
        self.schema: Mapping[str, str] = {}
        self.input = "shoal_input"
        self.files: Sequence[Path] = ()
        try:
            self._connection = duckdb.connect(
                config={
                    "autoinstall_known_extensions": remote,
                    "autoload_known_extensions": remote,
                    "python_enable_replacements": False,
                    "preserve_insertion_order": False,
                    "temp_directory": str(self.scratch),
                    "memory_limit": f"{memory // 2**20}MiB",
                }
            )
            self._connection.execute("SET enable_progress_bar = false")
            # Otherwise instants are written in the time zone of this machine, which a release need not tell.
            self._connection.execute("SET TimeZone = 'UTC'")
        except BaseException:
            remove_private(self.scratch)
            raise

    def attach(self, path: Path, *, writing: bool) -> None:
        """Let queries read the tables of a database file."""
        how = "" if writing else " (READ_ONLY)"
        self.run(f"ATTACH {text(str(path))} AS shoal_source{how}")
        self._attached, self._writable = "shoal_source", writing
        self.files = (path,)

    def open(
        self,
        source: str,
        columns: Sequence[str] | None,
        null_values: Sequence[str],
        files: Sequence[Path] = (),
        texts: Sequence[Delimited] = (),
    ) -> None:
        """Make the view of the input, whose columns are called by their position.

        Parameters
        ----------
        texts
            The same files, if they are text, to say what is wrong in one that DuckDB refuses.
        """
        self._source, self._texts = source, texts
        described = self.rows(f"DESCRIBE SELECT * FROM {source}")
        self.columns = check_names([row[0] for row in described] if columns is None else columns, self.title)
        cells, kinds = [], []
        for position, (name, given, *_) in enumerate(described):
            cell, kind = exact(quoted(name), given)
            if kind == "VARCHAR" and self._attached is not None:
                # A collation of a column would take values for equal that differ, such as those in capitals.
                cell = f"{cell} COLLATE C"
            if null_values and kind == "VARCHAR":
                listed = ", ".join(map(text, null_values))
                cell = f"CASE WHEN {cell} IN ({listed}) THEN NULL ELSE {cell} END"
            cells.append(f"{cell} AS c{position}")
            kinds.append(kind)
        self.run(f"CREATE TEMP VIEW {self.input} AS SELECT {', '.join(cells)} FROM {source}")
        self.schema = {f"c{position}": _ibis_type(kind) for position, kind in enumerate(kinds)}
        self.files = (*self.files, *files)

    def check(self, output: Output) -> None:
        if isinstance(output, TableOutput):
            if self._attached is None:
                raise InputError(
                    "A table can be written only into a database.\n"
                    f"Found: the table {output.name!r}, and files as input.\n"
                    "Give the path of a file or a folder: --output (in Python output=...)."
                )
            if not self._writable:
                raise InputError(
                    f"The database {self.title!r} is open for reading only.\n"
                    f"Found: the table {output.name!r} as the output.\n"
                    "Name an output table when the session is opened: shoal.Session(..., output_table=...)."
                )
            if self._is_read(*placed(output.name)):
                raise OutputError(
                    f"The table {output.name!r} cannot be written.\nThe input is read from it.\n"
                    "Choose another name."
                )
            return
        check_files(output, self.files)

    def run(self, sql: str) -> None:
        self._execute(sql)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self._execute(sql, lambda found: found.fetchall())
        return found

    def fetch(self, sql: str) -> pa.Table:
        return self._execute(sql, lambda found: found.to_arrow_table(), query=True)

    def row_codes(self, dimensions: Sequence[Dimension], rows: int) -> None:
        """Return nothing: to group the rows costs less."""

    def put(self, table: pa.Table, name: str) -> str:
        own = self._name(name)
        self._register(f"{own}_arrow", table)
        cells = []
        for position, field in enumerate(table.schema):
            cell = quoted(field.name)
            if pa.types.is_dictionary(field.type) and pa.types.is_string(field.type.value_type):
                # An ENUM is a number in every row, which sorts and writes several times as fast as text.
                kind = f"{own}_type_{position}"
                labels = pa.table({"label": table.column(position).unify_dictionaries().chunk(0).dictionary})
                self._register(f"{kind}_arrow", labels)
                if labels.num_rows:
                    self.run(f"CREATE TEMP TYPE {kind} AS ENUM (SELECT label FROM {kind}_arrow)")
                    cell = f"CAST({cell} AS {kind}) AS {cell}"
                self._connection.unregister(f"{kind}_arrow")
            cells.append(cell)
        self.run(f"CREATE TEMP TABLE {own} AS SELECT {', '.join(cells)} FROM {own}_arrow")
        self._connection.unregister(f"{own}_arrow")
        return own

    def keep(self, sql: str, name: str) -> str:
        own = self._name(name)
        self.run(f"CREATE TEMP TABLE {own} AS {sql}")
        return own

    def drop(self, name: str) -> None:
        kind = "VIEW" if name == self.input else "TABLE"
        self.run(f"DROP {kind} IF EXISTS {name}")

    def store(
        self, sql: str, columns: Sequence[str], output: Output | None, *, shuffle: bool = True
    ) -> QueryableFiles | UnpublishedTable:
        kinds = [str(row[1]) for row in self.rows(f"DESCRIBE {sql}")]
        # An ENUM names all its labels, also those that no released row has.
        cells = [
            f"CAST(r{position} AS VARCHAR)" if kind.startswith("ENUM") else f"r{position}"
            for position, kind in enumerate(kinds)
        ]
        cells = [
            f"{cell} + CAST(0 AS {kind})" if kind in ("DOUBLE", "FLOAT") else cell  # -0.0, which equals 0
            for cell, kind in zip(cells, kinds, strict=True)
        ]
        # A Parquet file says of a column that it has no NULL where DuckDB knows that the input has none, rows
        # that are suppressed included. Of what depends on chance it knows nothing.
        cells = [f"CASE WHEN shoal_here THEN {cell} END" for cell in cells]
        named = ", ".join(f"{cell} AS {quoted(name)}" for cell, name in zip(cells, columns, strict=True))
        rows = f"SELECT *, random() >= 0 AS shoal_here FROM ({sql})"
        if shuffle:
            rows += f" ORDER BY {_secret_number()}"
        query = f"SELECT {named} FROM ({rows})"
        if isinstance(output, TableOutput):
            stored: QueryableFiles | UnpublishedTable = self._store_table(query, output)
        else:
            passing = FileOutput(self.scratch / f"{self._name('release')}.parquet")
            stored = self._store_files(query, columns, output or passing)
        self._stored.append(stored)
        return stored

    def cancel(self) -> None:
        self._connection.interrupt()

    def close(self) -> None:
        for stored in self._stored:
            stored.discard()
        self._connection.close()
        remove_private(self.scratch)

    def _store_files(self, query: str, columns: Sequence[str], output: FileOutput) -> QueryableFiles:
        if output.is_csv:
            how = (
                f"FORMAT csv, HEADER, DELIMITER {text(output.delimiter)}, QUOTE {text(output.quote)}, "
                f"ESCAPE {text(output.quote)}, NULLSTR ''"
            )
            how += ", COMPRESSION " + ("gzip" if output.path.suffix.lower() == ".gz" else "none")
            reading = partial(_read_csv, columns=columns, output=output)
        else:
            how = "FORMAT parquet, COMPRESSION zstd" + (", FILE_SIZE_BYTES '512MB'" if output.folder else "")
            how += ", WRITE_BLOOM_FILTER false" if _MAY_LEAVE_FILTERS_OUT else ""
            reading = partial(_read_parquet, suffix=".parquet" if output.folder else "")
        stored = QueryableFiles(output, reading)
        try:
            stored.rows = int(self.rows(f"COPY ({query}) TO {text(str(stored.hidden))} ({how})")[0][0])
        except BaseException:
            stored.discard()
            raise
        return stored

    def _store_table(self, query: str, output: TableOutput) -> UnpublishedTable:
        schema, name = placed(output.name)
        inside = f"{self._attached}.{quoted(schema)}"
        secret = f"shoal_{secrets.token_hex(4)}"
        hidden, there = f"{inside}.{quoted(secret)}", f"{inside}.{quoted(name)}"

        def publish() -> str:
            self.run("BEGIN TRANSACTION")
            try:
                self.run(f"DROP TABLE IF EXISTS {there}")
                self.run(f"ALTER TABLE {hidden} RENAME TO {quoted(name)}")
                self.run("COMMIT")
            except BaseException:
                self.run("ROLLBACK")
                raise
            self.run(f"CHECKPOINT {self._attached}")
            return there

        self.run(f"CREATE TABLE {hidden} AS {query}")
        ((rows,),) = self.rows(f"SELECT count(*) FROM {hidden}")

        def remove() -> None:
            self.run(f"DROP TABLE IF EXISTS {hidden}")

        def mark(relation: str) -> object:
            return self.rows(f"SELECT count(*), sum(hash(rows)) FROM {relation} AS rows")

        return UnpublishedTable(hidden, int(rows), publish, remove, mark, output.name)

    def _is_read(self, schema: str, name: str) -> bool:
        """Return whether the input is read from a table, itself or by a view or a query."""
        own = ("", "") if self.table is None else (self.table[0].lower(), self.table[1].lower())
        read = {table.lower() for table in self._connection.get_table_names(f"SELECT * FROM {self._source}")}
        if own[1] in read:  # it is a table
            return own == (schema.lower(), name.lower())
        return name.lower() in read  # of these DuckDB tells no schema

    def _name(self, name: str) -> str:
        self._names += 1
        return f"shoal_{name}_{self._names}"

    def _register(self, name: str, table: pa.Table) -> None:
        with interrupts():
            self._connection.register(name, table)

    def _execute(self, sql: str, take: Any = None, *, query: bool = False) -> Any:
        try:
            with interrupts():
                found = self._connection.sql(sql) if query else self._connection.execute(sql)
                return None if take is None else take(found)
        except duckdb.Error as error:
            raise self._explained(error) from None

    def _explained(self, error: duckdb.Error) -> ShoalError:
        """Describe what went wrong without what DuckDB quotes: it may be somebody's."""
        message = str(error)
        if isinstance(error, duckdb.OutOfMemoryException) or "max_temp_directory_size" in message:
            return InputError(
                f"{self.title!r} is too large for the memory that queries may use.\n"
                "DuckDB says OutOfMemoryException.\n"
                "Allow more, with --memory 8GB (in Python memory='8GB'), or free space for temporary "
                "files."
            )
        if re.search(r"(?i)no space left|disk full|could not write", message):
            return OutputError(
                "Writing failed: no space left.\n"
                "Found: a full disk, that of the release or that of temporary files.\n"
                "Free some space. Nothing was changed."
            )
        try:
            for file in self._texts:
                file.check()
        except InputError as wrong:
            return wrong
        line = re.search(r"Line: (\d+)", message)
        found = f"Reading stopped at line {line[1]}" if line else f"DuckDB says {type(error).__name__}"
        return InputError(
            f"{self.title!r} cannot be read.\n{found}.\n"
            "Check that it exists, is complete and readable, and for CSV that delimiter, quote and encoding "
            "are right."
        )


def exact(cell: str, kind: str) -> tuple[str, str]:
    """Return a cell as SQL, and its type, so that a Parquet file holds the same value.

    DuckDB writes whole numbers of 128 bits as the nearest number of 64.

    Examples
    --------
    >>> exact("total", "HUGEINT")
    ('CAST(total AS DECIMAL(38, 0))', 'DECIMAL(38, 0)')
    """
    written = _EXACT.get(kind)
    return (cell, kind) if written is None else (f"CAST({cell} AS {written})", written)


def placed(table: str) -> tuple[str, str]:
    """Return schema and name of a table."""
    schema, _, name = table.rpartition(".")
    return schema or "main", name


def _secret_number() -> str:
    """Return an expression that gives each row a number that nobody can compute again.

    `random()` alone will not do: its state is of at most 64 bits, which can be found from a column that was
    sorted. Its number is hashed under a key of 128 bits instead, which is forgotten after the query.
    """
    return f"md5_number('{secrets.token_hex(16)}' || CAST(random() * 9e18 AS BIGINT))"


def _read_csv(path: Path, columns: Sequence[str], output: FileOutput) -> str:
    form = csv_form(columns, output.delimiter, output.quote)
    return reading_csv(file_text(path), form, parallel=splits_well([path], output.quote))


def _read_parquet(path: Path, suffix: str) -> str:
    return reading_parquet(pattern(str(path), suffix))


def _ibis_type(kind: str) -> str:
    """Return the name that Ibis has for a type; what no query looks into may be called text."""
    if kind.startswith("DECIMAL"):
        return kind.lower()
    return _IBIS_TYPES.get(kind, "timestamp" if kind.startswith("TIMESTAMP_") else "string")
