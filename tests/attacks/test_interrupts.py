"""A run that is stopped while DuckDB reads a table of Python's.

Whoever runs Shoal, or a scheduler that ends it with SIGTERM, must get the exit code and the message of an
interrupt, and not a trace with what DuckDB was reading: the attacker reads the logs.
"""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from shoal.cli.main import app
from shoal.read.source import InputFormat
from shoal.sql.interrupts import interrupts
from shoal.sql.relation import open_relation

SCHEMA = pa.schema([("age", pa.int64())])


def interrupted() -> Iterator[pa.RecordBatch]:
    raise KeyboardInterrupt
    yield


def test_ctrl_c_while_a_query_reads_a_table_is_an_interrupt():
    with (
        pytest.raises(KeyboardInterrupt),
        open_relation(pa.table({"age": [1]}), InputFormat()) as relation,
    ):
        batches = pa.RecordBatchReader.from_batches(SCHEMA, interrupted())
        relation.connection.register("slow", batches)
        relation.rows("SELECT count(*) FROM slow")


@pytest.mark.parametrize(
    "error",
    [
        duckdb.InterruptException("INTERRUPT Error: Interrupted!"),
        duckdb.InvalidInputException("reading the object registered as 'release' failed: KeyboardInterrupt:"),
        RuntimeError("Query interrupted"),
    ],
)
def test_all_that_duckdb_says_of_ctrl_c(error):
    with pytest.raises(KeyboardInterrupt), interrupts():
        raise error


def test_other_errors_stay_what_they_are():
    with pytest.raises(duckdb.InvalidInputException, match="interrupted"), interrupts():
        raise duckdb.InvalidInputException("a cell like 'interrupted' is no number")


def test_a_command_ends_like_after_any_interrupt(tmp_path, monkeypatch):
    (tmp_path / "release.csv").write_text("age\n1\n1\n", encoding="utf-8")

    def stop(*_: object) -> None:
        raise duckdb.InvalidInputException("reading 'release' as Arrow data failed: KeyboardInterrupt:")

    monkeypatch.setattr("shoal.sql.relation.described", stop)
    ended = CliRunner().invoke(app, ["audit", str(tmp_path / "release.csv"), "-k", "2", "--qi", "age"])
    assert ended.exit_code == 130
    assert "Arrow" not in ended.output
