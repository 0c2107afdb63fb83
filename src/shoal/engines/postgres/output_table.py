"""The output table of a release: one that is not there yet, or one that may be replaced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg

from shoal.engines.postgres.failure import Doing
from shoal.engines.postgres.names import Name
from shoal.errors import OutputError, nearest

_KINDS = {"v": "a view", "m": "a materialized view", "p": "a partitioned table", "f": "a foreign table"}


@dataclass(frozen=True, slots=True)
class ReleaseTable:
    """The name that the table of a release gets."""

    title: str
    schema: str
    table: str

    @property
    def writing(self) -> Doing:
        """What goes on while it is written."""
        return Doing(
            f"The table {self.title!r} cannot be written.",
            "Ask for the right to make tables there: GRANT CREATE ON SCHEMA its schema. A table that is "
            "there is replaced only by its owner.",
            OutputError,
        )


def find_release_table(connection: psycopg.Connection[tuple[Any, ...]], text: str) -> ReleaseTable:
    """Find the schema in which a table is to be made, and look at what is there.

    Raises
    ------
    OutputError
        The table cannot be made, or not without harm to others.
    """
    name = Name.read(text)
    schema = _schema(connection, name, text)
    for spelling in name.spellings:
        found = connection.execute(_THERE, {"schema": schema, "table": spelling.table}).fetchone()
        if found is not None:
            _check_replaceable(text, *found)
            return ReleaseTable(text, schema, spelling.table)
    return ReleaseTable(text, schema, name.spellings[-1].table)


def _schema(connection: psycopg.Connection[tuple[Any, ...]], name: Name, text: str) -> str:
    """Return the schema, in which the user may make tables."""
    if name.schema is None:
        wanted = ["current_schema()"]
        given: dict[str, Any] = {}
    else:
        wanted = [f"%(s{position})s" for position in range(len(name.spellings))]
        given = {f"s{position}": spelling.schema for position, spelling in enumerate(name.spellings)}
    for one in wanted:
        found = connection.execute(
            f"SELECT nspname, has_schema_privilege(oid, 'CREATE') FROM pg_namespace WHERE nspname = {one}",
            given,
        ).fetchone()
        if found is not None and not found[1]:
            raise OutputError(
                f"The table {text!r} cannot be written.\n"
                f"The user may not make tables in the schema {found[0]!r}.\n"
                f"Ask for the right, GRANT CREATE ON SCHEMA {found[0]}, or name another schema."
            )
        if found is not None:
            return str(found[0])
    known = [
        str(schema)
        for (schema,) in connection.execute(
            "SELECT nspname FROM pg_namespace "
            "WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'"
        )
    ]
    missing = (
        "There is no schema to create it in" if name.schema is None else f"There is no schema {name.schema!r}"
    )
    raise OutputError(
        f"The table {text!r} cannot be written.\n"
        f"{missing}.\n"
        f"{nearest(name.schema or '', known).strip() or 'Make it first: CREATE SCHEMA, or name another.'}"
    )


# Whatever was read in this transaction is locked by it: so a table is known for an input also behind a view.
_THERE = """
SELECT c.relkind::text, pg_has_role(c.relowner, 'USAGE'),
    EXISTS (SELECT FROM pg_locks AS l WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation'
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND l.relation = c.oid),
    EXISTS (SELECT FROM pg_depend AS d JOIN pg_rewrite AS r ON r.oid = d.objid
        WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass
        AND d.refobjid = c.oid AND r.ev_class <> c.oid)
    OR EXISTS (SELECT FROM pg_constraint AS f WHERE f.contype = 'f' AND f.confrelid = c.oid
        AND f.conrelid <> c.oid)
    OR EXISTS (SELECT FROM pg_inherits AS i WHERE i.inhparent = c.oid)
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = %(schema)s AND c.relname = %(table)s
"""


def _check_replaceable(text: str, kind: str, owned: bool, read: bool, needed: bool) -> None:
    found, advice = "", "Choose another name."
    if read:
        found = "The input is read from it"
    elif kind != "r":
        found = f"{_KINDS.get(kind, 'another object').capitalize()} of that name already exists"
    elif not owned:
        found = "A table of that name exists, and belongs to another user"
    elif needed:
        found = "Views or other tables depend on the existing table"
        advice = "Drop them first, or choose another name."
    if found:
        raise OutputError(f"The table {text!r} cannot be written.\n{found}.\n{advice}")
