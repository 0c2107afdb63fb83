"""A tired publisher whose evidence would replace a file that is needed: the table, the spec or the key.

Whoever has two sessions in one notebook, or mistypes the path of `--manifest`, needs no attacker.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from pyarrow import csv
from typer.testing import CliRunner

import shoal
from shoal.audit.signature import make_keys
from shoal.cli.main import app
from shoal.errors import InputError, OutputError
from shoal.report import write_internal_report

PEOPLE = pa.table({"age": [21, 22, 23, 31, 32, 33] * 5, "ill": ["flu", "cold"] * 15})
OTHERS = pa.table({"age": [61, 62, 63, 71, 72, 73] * 5, "ill": ["flu", "cold"] * 15})
SPEC = shoal.Spec(
    quasi_identifiers={"age": shoal.intervals(10)}, sensitive=["ill"], privacy=[shoal.KAnonymity(3)]
)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_session_does_not_release_what_another_found(tmp_path: Path, engine: str) -> None:
    """The release would have the rows of one table and be compared, audited and kept apart from another."""
    for name, table in (("a.csv", PEOPLE), ("b.csv", OTHERS)):
        csv.write_csv(table, tmp_path / name)
    with (
        shoal.Session(str(tmp_path / "a.csv"), SPEC, engine=engine) as one,
        shoal.Session(str(tmp_path / "b.csv"), SPEC, engine=engine) as other,
    ):
        found = one.search()
        for _ in range(2):  # before and after the other session opened its table
            with pytest.raises(InputError, match="another session found"):
                other.release(found)
            other.search()
        assert one.release(found).rows == 30


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_manifest_does_not_replace_the_table(tmp_path: Path, engine: str) -> None:
    table = tmp_path / "people.csv"
    csv.write_csv(PEOPLE, table)
    before = table.read_bytes()
    release = shoal.anonymize(str(table), SPEC, engine=engine)
    with pytest.raises(OutputError, match="in use"):
        release.write(tmp_path / "release.csv", manifest=table)
    with pytest.raises(OutputError, match="in use"):
        write_internal_report(release, table, learning=False)
    assert table.read_bytes() == before


def test_a_manifest_does_not_replace_the_spec_or_the_key(tmp_path: Path) -> None:
    database, spec, key = tmp_path / "people.duckdb", tmp_path / "spec.yaml", tmp_path / "publisher.key"
    with duckdb.connect(str(database)) as connection:
        connection.register("people", PEOPLE)
        connection.execute("CREATE TABLE visits AS SELECT * FROM people")
    text = "columns:\n  age: {role: quasi-identifier}\n  ill: {role: sensitive}\nprivacy: [k-anonymity: 3]\n"
    spec.write_text(text, encoding="utf-8")
    make_keys(key)
    for file in (spec, key):
        before = file.read_bytes()
        given = ["anonymize", str(database), "--table", "visits", "--spec", str(spec), "--sign", str(key)]
        result = CliRunner().invoke(app, [*given, "--output-table", "released", "--manifest", str(file)])
        assert result.exit_code == 2 and "in use" in result.output
        assert file.read_bytes() == before
    with pytest.raises(OutputError, match="in use"):
        shoal.anonymize(PEOPLE, SPEC).write(tmp_path / "release.csv", manifest=key, sign=key)
    assert key.read_bytes() == before
