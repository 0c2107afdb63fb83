"""PostgreSQL: a table, view or query of a server; what is made of it is made there, in one transaction.

So all that is counted and recoded is one snapshot of the table, and whatever ends a run early, an error,
Ctrl-C or a lost connection, leaves nothing behind: the server takes it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.engines.postgres.address import postgres_address
from shoal.errors import InputError
from shoal.read.source import check_installed

if TYPE_CHECKING:
    from shoal.engines.postgres.database import Postgres

__all__ = ["open_postgres", "postgres_address"]


def open_postgres(
    url: object, *, table: str | None = None, query: str | None = None, null_values: Sequence[str] = ()
) -> Postgres:
    """Connect to a server and find the table that is to be released.

    Parameters
    ----------
    url
        The address, such as `postgresql://user@host:5432/database`, also as SQLAlchemy writes it; or a URL or
        an engine of SQLAlchemy. What it leaves out comes from where PostgreSQL's own tools look for it: the
        environment (`PGHOST`, `PGUSER`, `PGPASSWORD` ...) and the file `.pgpass`.
    table
        The name of a table or view, also with its schema: `visits`, `clinic.visits`, `"Odd.Name"`; or a query
        in parentheses.
    query
        In its place, a SELECT.
    null_values
        Texts that stand for NULL.

    Raises
    ------
    InputError
        The server cannot be reached, lets nobody in, has no such table, or the user lacks a right.
    """
    check_installed("psycopg", "postgres", "A table in PostgreSQL")
    address = postgres_address(url)
    if address is None:
        raise InputError(
            "This is not the address of a PostgreSQL database.\n"
            "Write for example postgresql://user@host:5432/database."
        )
    if table is not None and query is None and table.lstrip().startswith("("):
        table, query = None, table
    if (table is None) == (query is None):
        raise InputError(
            "Say which rows of the database are to be released.\n"
            f"Found: {'neither a table nor a query' if table is None else 'both a table and a query'}.\n"
            "Give a table, --table visits, or a query in parentheses, --table '(SELECT ...)'."
        )
    from shoal.engines.postgres.connect import connect
    from shoal.engines.postgres.database import Postgres
    from shoal.engines.postgres.selection import find_rows

    connection = connect(address)
    try:
        return Postgres(connection, find_rows(connection, table, query), null_values)
    except BaseException:
        connection.close()
        raise
