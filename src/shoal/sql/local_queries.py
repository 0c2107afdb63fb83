"""Runs the queries of an audit in a DuckDB of its own; `audit/remote.py` runs them in a database."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from shoal.errors import InputError
from shoal.sql.interrupts import interrupts

if TYPE_CHECKING:
    import duckdb


class QueryRunner(Protocol):
    """Takes queries in DuckDB's SQL, whatever it runs them in."""

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows that a query gives."""
        ...

    def fetch(self, sql: str) -> pa.Table:
        """Return the same as Arrow."""
        ...

    def put(self, table: pa.Table, name: str) -> str:
        """Let queries read a table; return what it is called in them, which may be another name."""
        ...

    def keep(self, sql: str, name: str) -> str:
        """Let queries read what a query gives, which is asked once; return what it is called in them."""
        ...

    def shown_query(self, sql: str) -> str:
        """Return a query in the words of whoever is to repeat it."""
        ...

    @property
    def dialect(self) -> str:
        """What queries are run in, as Ibis calls it."""
        ...


@dataclass(frozen=True, slots=True)
class LocalDuckDB:
    """DuckDB in memory.

    Attributes
    ----------
    name, what
        What messages call the table that is asked about.
    """

    connection: duckdb.DuckDBPyConnection
    name: str
    what: str
    dialect: str = "duckdb"
    kept: list[str] = field(default_factory=list, repr=False)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with self._explaining():
            return self.connection.execute(sql).fetchall()

    def fetch(self, sql: str) -> pa.Table:
        with self._explaining():
            return self.connection.sql(sql).to_arrow_table()

    def put(self, table: pa.Table, name: str) -> str:
        register(self.connection, name, table)
        return name

    def keep(self, sql: str, name: str) -> str:
        made = f"{name}_{len(self.kept)}" if self.kept else name
        self.rows(f"CREATE TEMP TABLE {made} AS {sql}")
        self.kept.append(made)
        return made

    def shown_query(self, sql: str) -> str:
        return sql

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """Raise what went wrong in a query as our own error, without values."""
        import duckdb

        try:
            with interrupts():
                yield
        except duckdb.OutOfMemoryException:
            raise InputError(
                f"The {self.what} '{self.name}' is too large for the memory that its check may use.\n"
                "DuckDB says OutOfMemoryException.\n"
                "Allow more, in an audit with --memory 8GB (in Python memory='8GB')."
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


def register(connection: duckdb.DuckDBPyConnection, name: str, table: pa.Table) -> None:
    """Let queries read a table under a name."""
    import duckdb

    for position, own in enumerate(table.schema):
        column = table.column(position)
        if pa.types.is_duration(own.type):  # numbers as in a Parquet file: DuckDB's own are microseconds
            table = table.set_column(position, own.name, column.cast(pa.int64()))
        elif pa.types.is_float16(own.type):
            table = table.set_column(position, own.name, column.cast(pa.float32()))
    try:
        connection.register(name, table)
    except duckdb.NotImplementedException:
        kinds = ", ".join(dict.fromkeys(str(own.type) for own in table.schema))
        raise InputError(
            f"The {name} has a column of a type that cannot be audited.\n"
            f"Types: {kinds}.\n"
            "Convert unusual ones to text or common numbers first."
        ) from None
