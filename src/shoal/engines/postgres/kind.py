"""Which inputs are for PostgreSQL: the addresses of its servers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from shoal.engines.ibis_tables import backend_of
from shoal.engines.kind import Fit, Input
from shoal.errors import InputError
from shoal.read.source import check_installed
from shoal.strategies.abilities import OF_DATABASES, Ability

if TYPE_CHECKING:
    from shoal.engines.engine import Engine

_ADDRESS = re.compile(r"(?i)postgres(ql)?(\+\w+)?://")


class PostgresKind:
    """The engine `postgres`."""

    name: ClassVar[str] = "postgres"
    summary: ClassVar[str] = "Tables, views and queries of a PostgreSQL server."
    turn: ClassVar[int] = 10
    abilities: ClassVar[frozenset[Ability]] = OF_DATABASES

    def fit(self, given: Input) -> Fit:
        address = given.path is not None and _ADDRESS.match(given.path)
        return Fit.ONLY if address or backend_of(given.data) == "postgres" else Fit.NO

    def open(self, given: Input) -> Engine:
        if given.path is None:
            raise InputError(
                "An Ibis table of PostgreSQL does not say how to connect to its server again.\n"
                "Found: a table of the back end 'postgres'.\nGive the server's URL, and the table's name."
            )
        check_installed("psycopg", "postgres", "The engine 'postgres'")
        from shoal.engines.postgres import open_postgres
        from shoal.engines.relational.engine import open_relational

        database = open_postgres(given.data, table=given.table, null_values=given.format.null_values or ())
        return open_relational(database, given.memory)
