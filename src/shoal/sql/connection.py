"""What queries need of a database: to run, to hand out rows, to hold temporary tables."""

from __future__ import annotations

from typing import Any, Protocol

import pyarrow as pa


class SqlDatabase(Protocol):
    """A part of `Database`: all that an audit or a search in SQL asks for."""

    @property
    def dialect(self) -> str:
        """The name that Ibis has for its SQL: duckdb, postgres or pyspark."""
        ...

    def run(self, sql: str) -> None: ...

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small result."""
        ...

    def fetch(self, sql: str) -> pa.Table:
        """Return the rows of a result that may be large."""
        ...

    def put(self, table: pa.Table, name: str) -> str:
        """Make a temporary table of what is in memory; return the name that it has in SQL."""
        ...

    def keep(self, sql: str, name: str) -> str:
        """Make a temporary table of what a query gives; return the name that it has in SQL."""
        ...

    def drop(self, name: str) -> None:
        """Drop a temporary table or view."""
        ...
