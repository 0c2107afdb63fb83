"""Which rows of a database are to be released: those of a table, a view or a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg

from shoal.engines.postgres.failure import Doing
from shoal.engines.postgres.names import Name, quoted
from shoal.errors import InputError, nearest

_LISTED = 20
_IN_SIGHT = (
    "FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
    "WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')"
)


@dataclass(frozen=True, slots=True)
class InputRows:
    """What the input is read from.

    Attributes
    ----------
    title
        What messages call it.
    source
        What stands after FROM.
    table
        Its name in SQL, if it is a table. Its rows stay the same for a whole transaction, and it can be
        locked against changes of its columns. A view or query may be a sample, or any ten rows: it may give
        others each time, so that what it gives first is kept.
    """

    title: str
    source: str
    table: str | None

    @property
    def reading(self) -> Doing:
        """What goes on while they are read."""
        what = "The query cannot be run" if self.title == "query" else f"{self.title!r} cannot be read"
        return Doing(
            f"{what}.",
            "Ask for the right to read: GRANT SELECT ON the table, and USAGE ON SCHEMA its schema; or give a "
            "query of the columns that may be read.",
        )


def find_rows(
    connection: psycopg.Connection[tuple[Any, ...]], table: str | None, query: str | None
) -> InputRows:
    """Find a table or view by its name, or take a query.

    Raises
    ------
    InputError
        There is no such table. The message has the nearest name.
    """
    if table is None:
        text = (query or "").strip().rstrip(";").rstrip()
        if not text:
            raise InputError("The query is empty.\nWrite for example SELECT * FROM visits.")
        # A line end, since the query's last line may be a comment.
        return InputRows("query", f"({text}\n) AS q", None)
    name = Name.read(table)
    try:
        for spelling in name.spellings:
            if found := _look(connection, spelling):
                schema, relation, kind = found
                whole = quoted(schema, relation)
                return InputRows(table, whole, whole if kind in ("r", "p") else None)
        raise _missing(connection, name)
    except psycopg.Error as error:
        doing = Doing("The tables of the database cannot be listed.", "Ask its administrator.")
        raise doing.explain(error, lost=connection.closed) from None


def _look(connection: psycopg.Connection[tuple[Any, ...]], name: Name) -> tuple[str, str, str] | None:
    in_schema = "pg_table_is_visible(c.oid)" if name.schema is None else "n.nspname = %(schema)s"
    found = connection.execute(
        f"SELECT n.nspname, c.relname, c.relkind::text {_IN_SIGHT} AND c.relname = %(table)s AND {in_schema}",
        {"schema": name.schema, "table": name.table},
    ).fetchone()
    return None if found is None else (str(found[0]), str(found[1]), str(found[2]))


def _missing(connection: psycopg.Connection[tuple[Any, ...]], name: Name) -> InputError:
    known = connection.execute(
        f"SELECT n.nspname, c.relname, pg_table_is_visible(c.oid) {_IN_SIGHT} AND n.nspname <> 'pg_catalog' "
        "AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_t%' "
        "ORDER BY 3 DESC, 2 LIMIT 10000"
    ).fetchall()
    names = [relation if visible else f"{schema}.{relation}" for schema, relation, visible in known]
    wanted = name.table if name.schema is None else f"{name.schema}.{name.table}"
    full = {f"{schema}.{relation}": shown for (schema, relation, _), shown in zip(known, names, strict=True)}
    # In another schema, perhaps; otherwise by the spelling.
    elsewhere = [
        shown for (_, relation, _), shown in zip(known, names, strict=True) if relation == name.table
    ]
    advice = f" Did you mean {elsewhere[0]!r}?" if elsewhere else nearest(wanted, [*names, *full])
    listed = ", ".join(names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")
    return InputError(
        f"Table {wanted!r} is not in the database.\n"
        f"{f'Tables: {listed}' if names else 'It has no tables that this user can see'}.\n"
        f"{advice.strip() or 'Check the name, and the database in the address.'}"
    )
