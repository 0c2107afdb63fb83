"""The temporary tables of a search, which go with it, whatever ends it."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

import pyarrow as pa

from shoal.sql.connection import SqlDatabase


class TemporaryTables:
    """Makes tables in a database, and drops those that are left in the end."""

    def __init__(self, database: SqlDatabase) -> None:
        self._database = database
        self._made: dict[str, None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name in list(self._made):
            self.drop(name)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self._database.rows(sql)

    def put(self, table: pa.Table, name: str) -> str:
        return self._noted(self._database.put(table, f"incognito_{name}"))

    def keep(self, sql: str, name: str) -> str:
        return self._noted(self._database.keep(sql, f"incognito_{name}"))

    def drop(self, name: str) -> None:
        del self._made[name]
        self._database.drop(name)

    def _noted(self, name: str) -> str:
        self._made[name] = None
        return name
