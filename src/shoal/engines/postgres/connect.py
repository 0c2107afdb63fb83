"""A connection to a server, or a message that says why there is none."""

from __future__ import annotations

import os
import re
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from shoal.engines.postgres.address import well_formed
from shoal.errors import InputError

_SECONDS = 15
_OLDEST = 13

# What libpq and the server say, by a part of it, since it comes without a code. Their own words are not
# passed on: they quote parts of the address.
_CAUSES = (
    (
        r"no password supplied|fe_sendauth",
        "It requires a password, and none was given",
        "Set PGPASSWORD, or write it into the file .pgpass.",
    ),
    (
        r"password authentication failed|authentication failed",
        "It does not accept the user or the password",
        "Check the user in the address, and the password there, in PGPASSWORD or in the file .pgpass.",
    ),
    (
        r"database .* does not exist",
        "It has no database of that name",
        "Check the end of the address; psql -l lists the databases.",
    ),
    (r"role .* does not exist", "It has no user of that name", "Check the user in the address, or PGUSER."),
    (
        r"pg_hba\.conf|permission denied for database",
        "It does not allow this user to connect to this database from here",
        "Ask its administrator.",
    ),
    (r"too many|connection slots", "It has no free connection", "Try again later."),
    (
        r"SSL|certificate|TLS",
        "Client and server do not agree on encryption",
        "Check sslmode in the address, or PGSSLMODE.",
    ),
    (
        r"translate host|getaddrinfo|resolve|not known|No address",
        "There is no host of that name",
        "Check the host in the address, or PGHOST.",
    ),
    (r"timeout|timed out", "There was no answer in time", "Check the host and the port, and the network."),
    (
        r"refused|No such file|no such file",
        "No server answers there",
        "Check the host and the port, and that the server runs.",
    ),
    (r"starting up|shutting down|recovery", "It is starting or stopping", "Try again in a while."),
)


def connect(address: str) -> psycopg.Connection[tuple[Any, ...]]:
    """Connect to the server at an address; transactions are left to the caller.

    Raises
    ------
    InputError
        There is no connection. The message has no user, no password and none of the server's own words.
    """
    given = _taken_apart(address)
    given.setdefault("fallback_application_name", "shoal")
    if "PGCONNECT_TIMEOUT" not in os.environ:
        given.setdefault("connect_timeout", _SECONDS)
    try:
        connection = psycopg.connect(
            **{**given, "client_encoding": "utf8"}, autocommit=True, prepare_threshold=None
        )
    except psycopg.Error as error:
        raise _unreachable(given, error) from None
    version = connection.info.server_version // 10_000
    if version < _OLDEST:
        connection.close()
        raise InputError(
            f"The server is PostgreSQL {version}.\nShoal works with {_OLDEST} and newer.\n"
            "Save the table as a CSV file, and anonymize that."
        )
    return connection


def _taken_apart(address: str) -> dict[str, Any]:
    try:
        given = conninfo_to_dict(address)
    except psycopg.Error:
        given = {}
    if (not given and address != "postgresql://") or not well_formed(address):
        raise InputError(
            "The address of the database cannot be read.\n"
            "It should look like postgresql://user@host:5432/database.\n"
            "In a password write %40 for @, %2F for /, %3A for :, %3F for ? and %25 for %; or leave it out "
            "of the address, and set PGPASSWORD or write it into the file .pgpass."
        )
    return given


def _unreachable(given: dict[str, Any], error: psycopg.Error) -> InputError:
    host = given.get("host") or os.environ.get("PGHOST") or ""
    at_host = f"at {host!r} " if re.fullmatch(r"[\w.:-]+", host) else ""
    found, advice = "The connection failed", "Try the same address with psql, which reports more."
    for pattern, cause, remedy in _CAUSES:
        if re.search(pattern, str(error)):
            found, advice = cause, remedy
            break
    return InputError(f"The database server {at_host}cannot be used.\n{found}.\n{advice}")
