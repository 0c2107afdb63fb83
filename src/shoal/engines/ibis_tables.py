"""Ibis tables: expressions that belong to a back end, whose engine runs them."""

from __future__ import annotations

from typing import Any


def backend_of(data: object) -> str | None:
    """Return the name of an Ibis table's back end; None for whatever is no Ibis table.

    Examples
    --------
    >>> backend_of("visits.csv") is None
    True
    """
    if type(data).__module__.partition(".")[0] != "ibis":
        return None
    table: Any = data
    name: str = table.get_backend().name
    return name


def native(data: Any) -> Any:
    """Return an Ibis table as what it is in its own database; whatever is none, as it is."""
    backend = backend_of(data)
    if backend == "duckdb":
        own = data.get_backend()
        return own.con.sql(str(own.compile(data)))
    if backend == "pyspark":
        own = data.get_backend()
        return own._session.sql(str(own.compile(data)))
    return data
