"""Queries that would run for hours end when another thread cancels the session."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import shoal
from shoal.events import Event, StepStarted

if TYPE_CHECKING:
    from tests.postgres_server import Clinic

SPEC = shoal.Spec(quasi_identifiers={"age": "suppress"}, privacy=[shoal.KAnonymity(2)])


def cancelled_while_reading(data: object, **options: Any) -> None:
    """Cancel half a second after the table is opened, while it is counted."""
    timers: list[threading.Timer] = []

    def listen(event: Event) -> None:
        if isinstance(event, StepStarted) and event.step == "read":
            timers.append(threading.Timer(0.5, session.cancel))
            timers[0].start()

    session = shoal.Session(data, SPEC, listener=listen, **options)
    with pytest.raises(shoal.CancelledError, match="was cancelled"), session:
        session.search()
    timers[0].join()


def test_duckdb(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "clinic.duckdb") as connection:
        series = "range(10000000)"
        connection.sql(
            f"CREATE VIEW endless AS SELECT (a.range * b.range) % 97 AS age FROM {series} a, {series} b"
        )
    cancelled_while_reading(tmp_path / "clinic.duckdb", table="endless")


def test_postgres(clinic: Clinic) -> None:
    endless = (
        "(SELECT (a * b) % 97 AS age FROM generate_series(1, 10000000) a, generate_series(1, 10000000) b)"
    )
    cancelled_while_reading(clinic.url, table=endless)
    assert clinic.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%generate_series%97%' "
        "AND pid <> pg_backend_pid() AND state = 'active'"
    ) == [(0,)]


@pytest.mark.xdist_group("spark")
def test_spark(spark_session: Any) -> None:
    cancelled_while_reading(spark_session.range(10**14).selectExpr("id % 97 AS age"))
    assert not spark_session.sparkContext.statusTracker().getActiveJobsIds()
