"""A database for searches that have none: DuckDB in memory."""

from __future__ import annotations

from types import TracebackType
from typing import Any, ClassVar, Self

import pyarrow as pa

from shoal.sql.interrupts import interrupts


class OwnDuckDB:
    """DuckDB in memory, as a `SqlDatabase`."""

    dialect: ClassVar[str] = "duckdb"

    def __init__(self, threads: int = 1) -> None:
        import duckdb

        self._connection = duckdb.connect(config={"threads": threads, "preserve_insertion_order": False})
        self._connection.execute("SET enable_progress_bar = false")
        self._made = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def run(self, sql: str) -> None:
        self.rows(sql)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with interrupts():
            return self._connection.execute(sql).fetchall()

    def fetch(self, sql: str) -> pa.Table:
        with interrupts():
            return self._connection.execute(sql).to_arrow_table()

    def put(self, table: pa.Table, name: str) -> str:
        self._connection.register("shoal_given", table)
        try:
            return self.keep("SELECT * FROM shoal_given", name)
        finally:
            self._connection.unregister("shoal_given")

    def keep(self, sql: str, name: str) -> str:
        self._made += 1
        made = f"{name}_{self._made}"
        self.run(f"CREATE TEMP TABLE {made} AS {sql}")
        return made

    def drop(self, name: str) -> None:
        self.run(f"DROP TABLE {name}")
