"""What a stream remembers between batches, in a folder of the publisher: waiting rows, batches, emissions.

It is one SQLite database, whose transactions are whole or not there, also where a process is killed. Only the
owner may read it: waiting rows are people's. What was released or suppressed is overwritten in it.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from shoal.errors import InputError, OutputError
from shoal.privacy.distribution import Distribution

_FILE = "stream.sqlite"
_VERSION = 2
_TABLES = """
CREATE TABLE stream (mark TEXT);
CREATE TABLE batches (number INTEGER PRIMARY KEY, id TEXT UNIQUE, digest TEXT, rows INTEGER);
CREATE TABLE waiting (batch INTEGER PRIMARY KEY, rows BLOB);
CREATE TABLE counted (columns TEXT, value BLOB, rows INTEGER, PRIMARY KEY (columns, value)) WITHOUT ROWID;
CREATE TABLE distributions (name TEXT PRIMARY KEY, distribution TEXT);
CREATE TABLE emissions (
    number INTEGER PRIMARY KEY, released INTEGER, suppressed INTEGER, alarm TEXT, published INTEGER
);
"""


class SettledRows(NamedTuple):
    """How many rows an emission released and suppressed, and the alarm that this raised."""

    number: int
    released: int
    suppressed: int
    alarm: str | None


class State:
    """The memory of a stream, as long as one batch is added; what was not committed is gone afterwards."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @property
    def mark(self) -> str:
        """What tells this stream from any other."""
        mark: str = self._connection.execute("SELECT mark FROM stream").fetchone()[0]
        return mark

    @property
    def batches(self) -> int:
        """How many batches came."""
        return self._number("SELECT count(*) FROM batches")

    @property
    def emissions(self) -> int:
        return self._number("SELECT count(*) FROM emissions")

    @property
    def released(self) -> int:
        """How many rows were released."""
        return self._number("SELECT coalesce(sum(released), 0) FROM emissions")

    @property
    def unpublished(self) -> SettledRows | None:
        """The last emission, if it is not known to be published."""
        found = self._connection.execute(
            "SELECT number, released, suppressed, alarm FROM emissions WHERE NOT published"
        ).fetchone()
        return None if found is None else SettledRows(*found)

    def batch(self, batch: str) -> tuple[str, int] | None:
        """Return the digest and the number of rows of a batch that came before."""
        found: tuple[str, int] | None = self._connection.execute(
            "SELECT digest, rows FROM batches WHERE id = ?", (batch,)
        ).fetchone()
        return found

    def batch_of(self, digest: str) -> str | None:
        """Return the id of a batch that had these rows."""
        found = self._connection.execute(
            "SELECT id FROM batches WHERE digest = ? LIMIT 1", (digest,)
        ).fetchone()
        return None if found is None else str(found[0])

    @property
    def distributions(self) -> dict[str, Distribution]:
        """By column the distribution that was fixed."""
        found = self._connection.execute("SELECT name, distribution FROM distributions")
        return {name: Distribution(json.loads(pairs)) for name, pairs in found}

    def waiting(self) -> list[tuple[int, pa.Table]]:
        """Return the rows that wait, by the number of their batch."""
        found = self._connection.execute("SELECT batch, rows FROM waiting ORDER BY batch")
        return [(batch, pa.ipc.open_stream(rows).read_all()) for batch, rows in found]

    def fix(self, distributions: dict[str, Distribution]) -> None:
        self._connection.executemany(
            "INSERT OR REPLACE INTO distributions VALUES (?, ?)",
            [
                (name, json.dumps(list(zip(each.values, each.numbers, strict=True))))
                for name, each in distributions.items()
            ],
        )

    def note_batch(self, batch: str, digest: str, rows: int) -> None:
        self._connection.execute(
            "INSERT INTO batches (id, digest, rows) VALUES (?, ?, ?)", (batch, digest, rows)
        )

    def keep_waiting(self, rows: list[tuple[int, pa.Table]]) -> None:
        """Let these rows wait, and no others."""
        self._connection.execute("DELETE FROM waiting")
        for batch, table in rows:
            if table.num_rows:
                sink = pa.BufferOutputStream()
                with pa.ipc.new_stream(sink, table.schema) as writer:
                    writer.write_table(table)
                self._connection.execute(
                    "INSERT INTO waiting VALUES (?, ?)", (batch, memoryview(sink.getvalue()))
                )

    def note_emission(self, rows: SettledRows) -> None:
        self._connection.execute(
            "INSERT INTO emissions VALUES (?, ?, ?, ?, 0)",
            (rows.number, rows.released, rows.suppressed, rows.alarm),
        )

    def count_values(self, columns: str, values: Mapping[bytes, int]) -> int:
        """Count released rows by their values in some columns, and return how many rows are unique so far.

        Parameters
        ----------
        values
            How many rows have each value, by its keyed hash.
        """
        self._connection.executemany(
            "INSERT INTO counted VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET rows = rows + excluded.rows",
            [(columns, value, rows) for value, rows in values.items()],
        )
        return int(
            self._connection.execute(
                "SELECT count(*) FROM counted WHERE columns = ? AND rows = 1", (columns,)
            ).fetchone()[0]
        )

    def note_published(self, number: int) -> None:
        self._connection.execute("UPDATE emissions SET published = 1 WHERE number = ?", (number,))

    def _number(self, query: str) -> int:
        return int(self._connection.execute(query).fetchone()[0])


@contextmanager
def transaction(folder: Path) -> Iterator[State]:
    """Give the state of a stream; what the block changes in it is committed where it ends well, or is gone.

    Raises
    ------
    InputError
        The folder is open to others, or has a state that cannot be read here.
    OutputError
        Another process is adding a batch, or the folder cannot be written to.
    """
    _check_folder(folder)
    file = folder / _FILE
    try:
        with closing(_opened(file)) as connection:
            try:
                _settle(connection, folder)
                yield State(connection)
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")
    except sqlite3.Error as error:
        busy = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY
        found = "Another process is adding a batch." if busy else f"SQLite says: {error}."
        advice = "Wait until it is done." if busy else "Check permissions and free space."
        raise OutputError(f"The state of the stream '{folder}' is not usable.\n{found}\n{advice}") from None


def _opened(file: Path) -> sqlite3.Connection:
    try:
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise OutputError(
            f"The state of the stream '{file}' cannot be opened.\n"
            f"The system says: {error.strerror or type(error).__name__}.\nCheck its permissions."
        ) from None
    connection = sqlite3.connect(file, timeout=0, isolation_level=None)
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("BEGIN IMMEDIATE")
    return connection


def _check_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        mode = folder.stat().st_mode
    except OSError as error:
        raise OutputError(
            f"The folder '{folder}' for the state of the stream cannot be made.\n"
            f"The system says: {error.strerror or type(error).__name__}.\nChoose another folder."
        ) from None
    if sys.platform != "win32" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise InputError(
            f"The state of the stream '{folder}' is open to other users.\n"
            f"Its permissions are {stat.S_IMODE(mode):o}, and people's rows wait in it.\nRun chmod 700 on it."
        )


def _settle(connection: sqlite3.Connection, folder: Path) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == 0:
        for statement in _TABLES.split(";"):
            connection.execute(statement)
        connection.execute("INSERT INTO stream VALUES (?)", (secrets.token_hex(16),))
        connection.execute(f"PRAGMA user_version = {_VERSION}")
    elif version != _VERSION:
        raise InputError(
            f"The state of the stream '{folder}' was written by another version of Shoal.\n"
            f"Found: form {version}; this version reads {_VERSION}.\nUse the version that wrote it."
        )
