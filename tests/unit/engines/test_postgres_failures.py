"""What goes wrong with a server: a clear message without credentials, the old table intact, nothing left."""

from __future__ import annotations

import _thread
import gc
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from shoal.engines.postgres import open_postgres, postgres_address
from shoal.engines.postgres.database import Postgres
from shoal.errors import InputError, OutputError, ShoalError
from shoal.write.output import FileOutput, TableOutput
from tests.postgres_server import PASSWORD, USER, Clinic, Server, until
from tests.unit.engines.test_postgres import left_behind

SLOW = "SELECT age::text AS r0 FROM visits, pg_sleep(3600)"


@pytest.fixture
def visits(clinic: Clinic) -> Iterator[Clinic]:
    """Four visits and an older release, which must be there in the end, and nothing else."""
    clinic.execute(
        "CREATE TABLE visits (age int, zip text)",
        "INSERT INTO visits VALUES (34, '53715'), (37, NULL), (51, ''), (51, '53703')",
        "CREATE TABLE visits_release AS SELECT 'old' AS age",
        """CREATE FUNCTION fail(code text) RETURNS int LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'the zip is 53715' USING ERRCODE = code; END $$""",
    )
    yield clinic
    assert clinic.execute("SELECT * FROM visits_release") == [("old",)]
    until(lambda: not [*left_behind(clinic), *_busy(clinic)])  # a server that was cut off needs a moment


def _busy(clinic: Clinic) -> list[object]:
    found = clinic.execute(
        "SELECT pid FROM pg_stat_activity WHERE datname = 'clinic' AND application_name = 'shoal' "
        "AND state <> 'idle'"
    )
    return [pid for (pid,) in found]


@contextmanager
def opened(clinic: Clinic, table: str | None = "visits", **how: object) -> Iterator[Postgres]:
    with closing(open_postgres(clinic.url, table=table, **how)) as database:  # type: ignore[arg-type]
        yield database


def refused(*args: object, **how: object) -> str:
    """Return the message with which a table is refused, which shows nobody's secrets."""
    with pytest.raises(InputError) as caught:
        open_postgres(*args, **how).close()  # type: ignore[arg-type]
    message = caught.value.render(show_values=True)
    assert PASSWORD not in message
    assert USER not in message.replace("pip install 'shoal", "")
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return message


# Addresses, and what they keep to themselves


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://anna:{}@db/clinic",
        "postgres://anna:{}@db/clinic",
        "PostgreSQL://anna:{}@db/clinic",
        "postgresql+psycopg://anna:{}@db/clinic",
        "postgresql+psycopg2://anna:{}@db/clinic",
        "postgresql+asyncpg://anna:{}@db/clinic",
    ],
)
def test_addresses_are_recognized(address):
    assert postgres_address(address.format("x")) == "postgresql://anna:x@db/clinic"


@pytest.mark.parametrize(
    "other", ["visits.csv", "mysql://db/clinic", Path("postgresql:"), 7, None, "postgresql"]
)
def test_other_things_are_no_addresses(other):
    assert postgres_address(other) is None
    assert "not the address" in refused(other, table="visits")


class _Url:
    """A URL as SQLAlchemy has it: its text hides the password."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text.replace(PASSWORD, "***")

    def render_as_string(self, *, hide_password: bool = True) -> str:
        return str(self) if hide_password else self._text


class _Engine:
    def __init__(self, url: _Url) -> None:
        self.url = url


_Url.__module__ = "sqlalchemy.engine.url"
_Engine.__module__ = "sqlalchemy.engine.base"


@pytest.mark.parametrize("wrap", [_Url, lambda text: _Engine(_Url(text))])
def test_urls_and_engines_of_sqlalchemy_are_taken(visits, wrap):
    address = wrap(visits.url.replace("postgresql://", "postgresql+psycopg2://"))
    with closing(open_postgres(address, table="visits")) as database:
        assert database.columns == ("age", "zip")


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://anna:s3cret@word@127.0.0.1:{port}/clinic",
        "postgresql://anna:s3cret/word@127.0.0.1:{port}/clinic",
        "postgresql://anna:5432/s3cret@127.0.0.1:{port}/clinic",
        "postgresql://anna:s3cret?word@127.0.0.1:{port}/clinic",
        "postgresql://anna:s3cret?host=word@127.0.0.1:{port}/clinic",
        "postgresql://anna:s3cret%zz@127.0.0.1:{port}/clinic",
        "postgresql://anna:s3cret@127.0.0.1:{port}/clinic?password_s3cret=1",
        "postgresql://anna:s3cret@[::1:{port}/clinic",
        "postgresql://anna:s3cret@127.0.0.1:s3cret/clinic",
    ],
)
def test_a_password_that_breaks_the_address_is_not_shown(postgres_server, address):
    message = refused(address.format(port=postgres_server.port), table="visits")
    assert "s3cret" not in message
    assert "word" not in message.replace("password", "").replace("PASSWORD", "")
    assert "anna" not in message


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda s: s.url(password="wrong-s3cret"), "does not accept the user or the password"),
        (lambda s: s.url(user="nobody_known", password="wrong-s3cret"), "does not accept the user"),
        (lambda s: s.url(password=None), "requires a password, and none was given"),
        (lambda s: s.url("clinics_unknown"), "has no database of that name"),
        (lambda s: s.url().replace(str(s.port), str(_unused_port())), "No server answers there"),
        (lambda s: s.url().replace("127.0.0.1", "no-such-host.invalid"), "no host of that name"),
        (lambda s: s.url() + "?sslmode=require", "do not agree on encryption"),
    ],
)
def test_a_server_that_lets_nobody_in(postgres_server, monkeypatch, tmp_path, change, expected):
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "none"))
    message = refused(change(postgres_server), table="visits")
    assert expected in message
    assert "s3cret" not in message


def _unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_server_that_does_not_answer(postgres_server):
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        url = postgres_server.url().replace(str(postgres_server.port), str(deaf.getsockname()[1]))
        assert "There was no answer in time" in refused(f"{url}?connect_timeout=2", table="visits")


def test_the_environment_and_the_file_of_passwords_are_asked(visits, monkeypatch, tmp_path):
    for name, value in visits.server.environment.items():
        monkeypatch.setenv(name, value)
    with closing(open_postgres("postgresql:///clinic", table="visits")) as database:
        assert database.columns == ("age", "zip")
    monkeypatch.delenv("PGPASSWORD")
    file = tmp_path / "pgpass"
    file.write_text(f"127.0.0.1:*:*:*:{PASSWORD}\n", encoding="utf-8")
    file.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(file))
    with closing(open_postgres("postgresql:///clinic", table="visits")) as database:
        assert database.columns == ("age", "zip")


def test_nothing_that_is_shown_has_credentials(visits):
    with opened(visits) as database:
        stored = database.store("SELECT 1 AS r0", ["age"], TableOutput("out"))
        for shown in (repr(database), database.title, repr(stored), stored.relation, str(vars(database))):
            assert PASSWORD not in shown
        stored.discard()


# Tables


def test_a_missing_table_suggests_the_nearest(visits):
    message = refused(visits.url, table="visit")
    assert message == (
        "Table 'visit' is not in the database.\nTables: visits, visits_release.\nDid you mean 'visits'?"
    )


def test_a_table_in_another_schema_is_suggested(visits):
    visits.execute("CREATE SCHEMA ward", "CREATE TABLE ward.beds ()")
    assert refused(visits.url, table="beds").endswith("Did you mean 'ward.beds'?")
    assert refused(visits.url, table="wart.beds").endswith("Did you mean 'ward.beds'?")


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({}, "neither a table nor a query"),
        ({"table": "visits", "query": "SELECT 1"}, "both a table and a query"),
        ({"query": " ; "}, "The query is empty"),
        ({"query": "SELECT agee FROM visits"}, 'PostgreSQL says: column "agee" does not exist'),
        ({"query": "SELEC age FROM visits"}, "PostgreSQL says: syntax error"),
        ({"query": "SELECT age FROM visists"}, 'PostgreSQL says: relation "visists" does not exist'),
        ({"query": "DELETE FROM visits RETURNING age"}, "PostgreSQL says"),
        ({"query": "WITH d AS (DELETE FROM visits RETURNING age) SELECT * FROM d"}, "PostgreSQL says"),
        (
            {"query": "SELECT 1 AS a) AS q; DROP TABLE visits_release; SELECT * FROM (SELECT 1 AS a"},
            "PostgreSQL",
        ),
        ({"query": "SELECT age, zip AS age FROM visits"}, "repeats column names"),
        ({"query": "SELECT zip::int AS n, fail('22P02') FROM visits"}, None),
        ({"table": "visits; DROP TABLE visits"}, "not in the database"),
    ],
)
def test_a_table_or_query_that_cannot_be_read(visits, how, expected):
    if expected is None:
        with opened(visits, None, **how) as database, pytest.raises(InputError) as caught:
            database.rows(f"SELECT * FROM {database.input}")
        message = caught.value.render()
        assert "A value cannot be converted" in message
        assert "53715" not in message
    else:
        assert expected in refused(visits.url, **how)
    assert visits.execute("SELECT count(*) FROM visits") == [(4,)]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("date", "infinity"),
        ("date", "0044-03-15 BC"),
        ("date", "10000-01-01"),
        ("timestamp", "-infinity"),
        ("timestamptz", "infinity"),
        ("numeric(5, 2)", "NaN"),
    ],
)
def test_values_without_a_form_are_refused(visits, kind, value):
    visits.execute(
        f"ALTER TABLE visits ADD seen {kind}", f"UPDATE visits SET seen = '{value}' WHERE age = 34"
    )
    with opened(visits) as database, pytest.raises(InputError, match="Found in: 'seen'") as caught:
        database.fetch(f"SELECT c2, count(*) FROM {database.input} GROUP BY c2")
    assert value not in caught.value.render().replace("not NaN", "")


# Rights


@pytest.fixture
def reader(visits: Clinic) -> str:
    """Give the address of a user with the right to read `visits`."""
    visits.execute(
        "DO $$ BEGIN CREATE ROLE reader LOGIN PASSWORD 'r'; EXCEPTION WHEN duplicate_object THEN END $$",
        "GRANT SELECT ON visits TO reader",
    )
    return visits.server.url("clinic", "reader", "r")


def test_a_reader_can_count_but_not_write(visits, reader):
    with closing(open_postgres(reader, table="visits")) as database:
        assert database.rows(f"SELECT count(*) FROM {database.input}") == [(4,)]
        with pytest.raises(OutputError, match="may not make tables in the schema 'public'"):
            database.check(TableOutput("out"))


def test_a_table_of_another_user_is_not_replaced(visits, reader):
    visits.execute("GRANT CREATE ON SCHEMA public TO reader")
    with closing(open_postgres(reader, table="visits")) as database:
        database.check(TableOutput("out"))
        with pytest.raises(OutputError, match="belongs to another user"):
            database.store("SELECT 1 AS r0", ["age"], TableOutput("visits_release"))


def test_a_table_that_may_not_be_read(visits, reader):
    message = refused(reader, table="visits_release")
    assert "lacks the permission" in message
    assert "GRANT SELECT" in message


def test_a_schema_that_may_not_be_entered(visits, reader):
    visits.execute(
        "CREATE SCHEMA closed",
        "CREATE TABLE closed.visits (age int)",
        "GRANT SELECT ON closed.visits TO reader",
    )
    assert "USAGE ON SCHEMA" in refused(reader, table="closed.visits")


def test_temporary_tables_that_may_not_be_made(visits, reader):
    server = visits.server
    server.empty("no_temporary")
    with server.connect("no_temporary") as connection:
        connection.execute("REVOKE TEMPORARY ON DATABASE no_temporary FROM public")
        connection.execute("CREATE TABLE visits AS SELECT 1 AS age")
        connection.execute("GRANT SELECT ON visits TO reader")
    assert "GRANT TEMPORARY ON DATABASE" in refused(server.url("no_temporary", "reader", "r"), table="visits")


# What fails under way


def _doing(sql: str = SLOW) -> dict[str, Callable[[Postgres], object]]:
    return {
        "run": lambda database: database.run(sql),
        "rows": lambda database: database.rows(sql),
        "fetch": lambda database: database.fetch(sql),
        "keep": lambda database: database.keep(sql, "slow"),
        "store": lambda database: database.store(sql, ["age"], TableOutput("visits_release")),
    }


@contextmanager
def while_it_runs(
    clinic: Clinic, act: Callable[[psycopg.Connection[tuple[object, ...]], int], object]
) -> Iterator[None]:
    """Do something once the server is busy with a query of ours."""
    failures: list[BaseException] = []

    def wait() -> None:
        try:
            with clinic.server.connect() as connection:
                until(lambda: _sleeping(connection))
                act(connection, _sleeping(connection)[0][0])
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=wait)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        assert failures == []


def _sleeping(connection: psycopg.Connection[tuple[object, ...]]) -> list[Any]:
    return connection.execute(
        "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND wait_event = 'PgSleep'"
    ).fetchall()


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("what", ["run", "rows", "fetch", "keep", "store"])
def test_ctrl_c_cancels_the_query_on_the_server(visits, what):
    with opened(visits) as database, while_it_runs(visits, lambda *_: _thread.interrupt_main()):
        with pytest.raises(KeyboardInterrupt):
            _doing()[what](database)
        until(lambda: not _busy(visits))


@pytest.mark.parametrize("what", ["run", "rows", "fetch", "keep", "store"])
def test_a_query_that_is_cancelled_by_somebody(visits, what):
    cancel = "SELECT pg_cancel_backend(%s)"
    with opened(visits) as database:
        with (
            while_it_runs(visits, lambda connection, pid: connection.execute(cancel, [pid])),
            pytest.raises((InputError, OutputError), match="The query was cancelled"),
        ):
            _doing()[what](database)
        # It can be used again.
        assert database.rows(f"SELECT count(*) FROM {database.input}") == [(4,)]


@pytest.mark.parametrize("what", ["run", "rows", "fetch", "keep", "store"])
def test_a_connection_that_is_lost(visits, what):
    end = "SELECT pg_terminate_backend(%s)"
    with opened(visits) as database:
        with (
            while_it_runs(visits, lambda connection, pid: connection.execute(end, [pid])),
            pytest.raises((InputError, OutputError), match="The server ended the connection"),
        ):
            _doing()[what](database)
        with pytest.raises(InputError, match="The connection to the server was lost"):
            database.rows("SELECT 1")


def test_a_connection_that_is_lost_between_two_queries(visits):
    with opened(visits) as database:
        stored = database.store("SELECT 1 AS r0", ["age"], TableOutput("visits_release"))
        ((pid,),) = database.rows("SELECT pg_backend_pid()")
        visits.execute(f"SELECT pg_terminate_backend({pid}, 600000)")
        with pytest.raises(OutputError, match="connection"):
            stored.publish()
        stored.discard()


def test_a_statement_that_takes_too_long(visits):
    with opened(visits) as database:
        database.run("SET statement_timeout = 100")
        with pytest.raises(InputError, match="because it took too long"):
            database.fetch(SLOW)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("53100", "The disk of the server is full"),
        ("53200", "out of memory"),
        ("53400", "temp_file_limit"),
        ("22003", "A value cannot be converted"),
        ("25006", "it is a standby"),
        ("XX000", "PostgreSQL says InternalError_"),
    ],
)
@pytest.mark.parametrize("what", ["run", "fetch", "keep", "store"])
def test_what_the_server_cannot_do_is_told_without_values(visits, what, code, expected):
    sql = f"SELECT CASE WHEN age > 40 THEN fail('{code}')::text ELSE 'x' END AS r0 FROM visits"
    with opened(visits) as database, pytest.raises((InputError, OutputError)) as caught:
        _doing(sql)[what](database)
    message = caught.value.render(show_values=True)
    assert expected in message
    assert "53715" not in message
    assert isinstance(caught.value, OutputError) == (what == "store")


def test_a_real_limit_for_temporary_files(visits):
    url = f"{visits.url}?options=-c%20temp_file_limit%3D100%20-c%20work_mem%3D64kB"
    query = "SELECT n::text AS r0 FROM generate_series(1, 200000) n ORDER BY random()"
    with (
        closing(open_postgres(url, table="visits")) as database,
        pytest.raises(OutputError, match="temp_file_limit"),
    ):
        database.store(query, ["age"], TableOutput("visits_release"))


def test_files_go_when_the_server_fails(visits, tmp_path):
    (tmp_path / "out.csv").write_text("old", encoding="utf-8")
    sql = "SELECT CASE WHEN age > 40 THEN fail('53100')::text ELSE 'x' END AS r0 FROM visits"
    with opened(visits) as database, pytest.raises(ShoalError, match="disk"):
        database.store(sql, ["age"], FileOutput(tmp_path / "out.csv"))
    assert [(path.name, path.read_text("utf-8")) for path in tmp_path.iterdir()] == [("out.csv", "old")]


def test_files_go_when_their_place_does(visits, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    with opened(visits) as database:
        stored = database.store("SELECT 'new' AS r0", ["age"], FileOutput(folder / "out.csv"))
        (hidden,) = stored.files
        hidden.unlink()
        hidden.parent.rmdir()
        folder.rmdir()
        with pytest.raises(OutputError, match="Nothing was changed there"):
            stored.publish()


def test_a_table_that_somebody_depends_on_meanwhile_stays(visits):
    with opened(visits) as database:
        stored = database.store("SELECT 'new' AS r0", ["age"], TableOutput("visits_release"))
        visits.execute("CREATE VIEW v AS SELECT * FROM visits_release")
        with pytest.raises(OutputError, match="Views or other tables depend on"):
            stored.publish()


def test_a_table_that_somebody_else_made_meanwhile_is_replaced_whole(clinic):
    clinic.execute("CREATE TABLE visits AS SELECT 1 AS age")
    with opened(clinic) as database:
        stored = database.store("SELECT 'new' AS r0", ["age"], TableOutput("out"))
        clinic.execute("CREATE TABLE out AS SELECT 'theirs' AS age, 2 AS n")
        stored.publish()
    assert clinic.execute("SELECT * FROM out") == [("new",)]


def test_transactions_that_only_read_unless_told_otherwise_are_told(visits):
    url = f"{visits.url}?options=-cdefault_transaction_read_only%3Don"
    with closing(open_postgres(url, table="visits")) as database:
        assert database.rows(f"SELECT count(*) FROM {database.input}") == [(4,)]


def test_closing_twice_is_closing_once(visits):
    database = open_postgres(visits.url, table="visits")
    database.close()
    database.close()
    with pytest.raises(InputError, match="The connection to the server was lost"):
        database.rows("SELECT 1")


def test_what_nobody_closes_is_closed(visits, tmp_path):
    database = open_postgres(visits.url, table="visits")
    stored = database.store("SELECT 'new' AS r0", ["age"], FileOutput(tmp_path / "out.csv"))
    assert list(tmp_path.iterdir()) == [file.parent for file in stored.files]
    del database, stored
    gc.collect()
    assert list(tmp_path.iterdir()) == []
    until(lambda: not _busy(visits))


def test_the_server_of_the_tests_is_this_computers_alone(postgres_server: Server):
    with postgres_server.connect() as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("127.0.0.1",)
