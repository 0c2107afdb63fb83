"""The address of a database: recognized, and taken apart so that no part of a password is ever shown."""

from __future__ import annotations

import re
from typing import Any

_SCHEME = re.compile(r"(?i)^postgres(?:ql)?(?:\+\w+)?://")


def postgres_address(data: object) -> str | None:
    """Return an address as PostgreSQL's own library takes it, or None if this is not one.

    Parameters
    ----------
    data
        Text; or a URL, an engine or a connection of SQLAlchemy.

    Examples
    --------
    >>> postgres_address("postgresql+psycopg://anna@db.example.org/clinic")
    'postgresql://anna@db.example.org/clinic'
    >>> postgres_address("visits.csv") is None
    True
    """
    url: Any = data
    # A frame may have a column of any name, so that only the objects that are meant are asked.
    if type(data).__module__.partition(".")[0] == "sqlalchemy":
        url = getattr(url, "engine", url)
        url = getattr(url, "url", url)
        if hasattr(url, "render_as_string"):
            url = url.render_as_string(hide_password=False)
    if not isinstance(url, str) or not _SCHEME.match(url):
        return None
    return _SCHEME.sub("postgresql://", url)


def well_formed(address: str) -> bool:
    """Return whether an address has at most one `@`, so that none is left in a host or name.

    A password with a bare `@`, `/` or `?` is cut there, and its rest would be taken for the host: messages
    about the host would show it.

    Examples
    --------
    >>> well_formed("postgresql://anna:s%40fe@db/clinic"), well_formed("postgresql://anna:s@fe@db/clinic")
    (True, False)
    """
    without_settings, _, settings = address.partition("?")
    authority, _, path = without_settings.removeprefix("postgresql://").partition("/")
    return authority.count("@") <= 1 and "@" not in path and "@" not in settings
