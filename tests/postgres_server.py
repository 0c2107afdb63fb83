"""A PostgreSQL server for the tests, in a folder of its own, which ends with the process that started it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

USER = "shoal"
PASSWORD = "s3cret-Passw0rd"
MISSING = (
    "There is no PostgreSQL server to test with: initdb and postgres are not found. "
    "On Debian and Ubuntu: apt install postgresql; on macOS: brew install postgresql."
)
_FOLDERS = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql*/bin",
    "/usr/local/opt/postgresql*/bin",
    "C:/Program Files/PostgreSQL/*/bin",
)
_QUICK = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=40")

# The server ends when the pipe does, however this process ends. Only the server is another user's: that user
# may not be able to read this Python.
_WATCHED = """
import json, subprocess, sys
server = subprocess.Popen(sys.argv[2:], **json.loads(sys.argv[1]))
sys.stdin.read()
server.send_signal(2)
server.wait()
"""


@dataclass(frozen=True)
class Server:
    """A server that listens on this computer alone. Its user is a superuser."""

    port: int

    def url(self, database: str = "postgres", user: str = USER, password: str | None = PASSWORD) -> str:
        secret = "" if password is None else f":{password}"
        return f"postgresql://{user}{secret}@127.0.0.1:{self.port}/{database}"

    @property
    def environment(self) -> dict[str, str]:
        """What lets PostgreSQL's own tools, and `postgresql:///clinic`, find it."""
        return {
            "PGHOST": "127.0.0.1",
            "PGPORT": str(self.port),
            "PGUSER": USER,
            "PGPASSWORD": PASSWORD,
        }

    def connect(self, database: str = "postgres") -> psycopg.Connection[tuple[Any, ...]]:
        return psycopg.connect(self.url(database), autocommit=True)

    def empty(self, database: str) -> None:
        """Make a database, or empty it: end all connections to it, drop what is in it."""
        with self.connect() as connection:
            known = connection.execute("SELECT FROM pg_database WHERE datname = %s", [database]).fetchone()
            if known is None:
                connection.execute(f'CREATE DATABASE "{database}"')
                return
            connection.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s", [database]
            )
        with self.connect(database) as connection:
            schemas = connection.execute(
                "SELECT nspname FROM pg_namespace "
                "WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'"
            ).fetchall()
            for (schema,) in schemas:
                connection.execute(f'DROP SCHEMA "{schema}" CASCADE')
            connection.execute("CREATE SCHEMA public")
            connection.execute("GRANT USAGE ON SCHEMA public TO public")


@dataclass(frozen=True)
class Clinic:
    """A database of a test's own, empty at first."""

    server: Server
    database: str

    @property
    def url(self) -> str:
        return self.server.url(self.database)

    def execute(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements, each by itself; return the rows of the last."""
        with self.server.connect(self.database) as connection:
            for statement in statements:
                found = connection.execute(statement)
            return found.fetchall() if found.description else []


def binaries() -> Path | None:
    """Find the folder with the server's programs: the newest."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    root = Path(Path.cwd().anchor)
    folders = [
        folder
        for pattern in _FOLDERS
        for folder in Path(Path(pattern).anchor or root).glob(pattern.removeprefix("C:").lstrip("/"))
        if shutil.which("initdb", path=str(folder))
    ]
    return max(folders, key=lambda folder: (len(str(folder)), str(folder)), default=None)


@contextmanager
def running() -> Iterator[Server]:
    """Start a server in a temporary folder; end it and remove the folder afterwards."""
    programs = binaries()
    assert programs is not None, MISSING
    folder = Path(tempfile.mkdtemp(prefix="shoal-postgres-"))
    as_user = _other_user(folder)
    try:
        (folder / "password").write_text(PASSWORD, encoding="utf-8")
        data = folder / "data"
        initdb = [programs / "initdb", "-D", data, "-U", USER, f"--pwfile={folder / 'password'}"]
        initdb += ["--auth=scram-sha-256", "--no-sync", "--no-locale", "--encoding=UTF8"]
        _run(initdb, folder, as_user)
        port = _free_port()
        settings = [*_QUICK, f"port={port}", "listen_addresses=127.0.0.1"]
        if os.name != "nt":
            settings.append(f"unix_socket_directories={folder}")
        command = [programs / "postgres", "-D", data, *(word for one in settings for word in ("-c", one))]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-c", _WATCHED, json.dumps(as_user), *map(str, command)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd=folder,
                start_new_session=True,  # Ctrl-C is for the tests
            )
        server = Server(port)
        try:
            _wait(server, process, folder / "log")
            yield server
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _other_user(folder: Path) -> dict[str, Any]:
    """Return how to run a program as somebody else where we are root: PostgreSQL refuses to be."""
    if os.name == "nt" or os.getuid() != 0:
        return {}
    import pwd

    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    user = names.get("postgres") or names["nobody"]
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _run(command: list[Any], folder: Path, as_user: dict[str, Any]) -> None:
    done = subprocess.run(
        list(map(str, command)), check=False, capture_output=True, text=True, cwd=folder, **as_user
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(server: Server, process: subprocess.Popen[bytes], log: Path) -> None:
    def ready() -> bool:
        assert process.poll() is None, log.read_text("utf-8", errors="replace")
        try:
            server.connect().close()
        except psycopg.OperationalError:
            return False
        return True

    until(ready)


def until(holds: Callable[[], object]) -> None:
    """Ask a server until something holds; nothing but asking tells.

    It gives up after so many tries that a slow machine is no reason, only so that a mistake ends the tests.
    """
    for _ in range(20_000):
        if holds():
            return
        time.sleep(0.03)
    raise AssertionError("It did not come to hold.")
