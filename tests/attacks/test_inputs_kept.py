"""A tired publisher whose evidence would replace a file that is needed: the table, the spec or the key.

Whoever has two sessions in one notebook, or mistypes the path of `--manifest`, needs no attacker.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from pyarrow import csv, parquet
from typer.testing import CliRunner

import shoal
from shoal.audit.signature import make_keys
from shoal.cli.main import app
from shoal.errors import InputError, OutputError
from shoal.report import write_internal_report
from shoal.risk import compare_risk

PEOPLE = pa.table({"age": [21, 22, 23, 31, 32, 33] * 5, "ill": ["flu", "cold"] * 15})
OTHERS = pa.table({"age": [61, 62, 63, 71, 72, 73] * 5, "ill": ["flu", "cold"] * 15})
SPEC = shoal.Spec(
    quasi_identifiers={"age": shoal.intervals(10)}, sensitive=["ill"], privacy=[shoal.KAnonymity(3)]
)
SPEC_TEXT = """columns:
  age: {role: quasi-identifier, hierarchy: {intervals: [10]}}
  ill: {role: sensitive}
privacy: [k-anonymity: 3]
"""


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
        write_internal_report(release, table, models=False)
    assert table.read_bytes() == before


@pytest.mark.parametrize("kind", ["csv", pytest.param("parquet", marks=pytest.mark.slow)])
def test_a_manifest_does_not_replace_what_spark_reads(tmp_path: Path, spark_session: Any, kind: str) -> None:
    folder = tmp_path / "visits in May"
    folder.mkdir()
    part = folder / f"part 1.{kind}"
    if kind == "csv":
        csv.write_csv(PEOPLE, part)
    else:
        parquet.write_table(PEOPLE, part)
    before = part.read_bytes()
    release = shoal.anonymize(str(folder), replace(SPEC, engine="spark"))
    for manifest in (part, folder / ".." / folder.name / part.name):
        with pytest.raises(OutputError, match="in use"):
            release.write(tmp_path / "release", manifest=manifest)
    with pytest.raises(OutputError, match="in use"):
        write_internal_report(release, part, models=False)
    assert part.read_bytes() == before and not (tmp_path / "release").exists()


@pytest.mark.parametrize(
    "name", [pytest.param("visits in May", marks=pytest.mark.slow), "münster, 100% a+b#c"]
)
def test_a_folder_does_not_replace_what_spark_reads(tmp_path: Path, spark_session: Any, name: str) -> None:
    """Spark writes the addresses of its inputs with %20 for a space, and those of outputs with a space."""
    folder = tmp_path / name
    folder.mkdir()
    parquet.write_table(PEOPLE, folder / "part.parquet")
    before = (folder / "part.parquet").read_bytes()
    release = shoal.anonymize(str(folder), replace(SPEC, engine="spark"))
    with pytest.raises(OutputError, match="The input is there"):
        release.write(folder)
    assert [*folder.iterdir()] == [folder / "part.parquet"]
    assert (folder / "part.parquet").read_bytes() == before


def test_a_manifest_does_not_replace_a_spec_that_python_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    spec = Path("spec.yaml")
    spec.write_text(SPEC_TEXT, encoding="utf-8")
    for given in (spec, str(spec), replace(shoal.Spec.from_yaml(spec), suppression=0.1)):
        release = shoal.anonymize(PEOPLE, given)
        monkeypatch.chdir(tmp_path.parent)
        with pytest.raises(OutputError, match="in use"):
            release.write(tmp_path / "release.csv", manifest=tmp_path / spec)
        with pytest.raises(OutputError, match="in use"):
            write_internal_report(release, tmp_path / spec, models=False)
        monkeypatch.chdir(tmp_path)
    assert spec.read_text(encoding="utf-8") == SPEC_TEXT and [*tmp_path.iterdir()] == [tmp_path / spec]
    assert shoal.Spec.from_yaml(spec) == SPEC  # where it was read from is no part of it
    assert "origin" not in release.spec.to_mapping()


def test_a_manifest_does_not_replace_the_spec_or_the_key(tmp_path: Path) -> None:
    database, spec, key = tmp_path / "people.duckdb", tmp_path / "spec.yaml", tmp_path / "publisher.key"
    with duckdb.connect(str(database)) as connection:
        connection.register("people", PEOPLE)
        connection.execute("CREATE TABLE visits AS SELECT * FROM people")
    spec.write_text(SPEC_TEXT, encoding="utf-8")
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


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("manifest", ["release.csv", "release.csv.checker.py", "release.csv.report.html"])
def test_evidence_does_not_replace_the_release_or_other_evidence(
    tmp_path: Path, engine: str, manifest: str
) -> None:
    """The manifest took the place of the rows that it was about, or half of the files were new."""
    csv.write_csv(PEOPLE, tmp_path / "people.csv")
    release = shoal.anonymize(str(tmp_path / "people.csv"), SPEC, engine=engine)
    release.write(tmp_path / "release.csv", report=True)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(OutputError, match="in use"):
        release.write(tmp_path / "release.csv", report=True, manifest=tmp_path / manifest)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize("command", [["sample", "census", "--rows", "20"], ["demo", "--rows", "3000"]])
@pytest.mark.parametrize("name", ["spec.yaml", "census.csv", "census_hierarchy_education.csv", "release.csv"])
def test_a_sample_replaces_no_file_of_somebody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], name: str
) -> None:
    """`shoal sample census`, where somebody works, took the place of the decisions in `spec.yaml`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(SPEC_TEXT, encoding="utf-8")
    given = [*command, *(["--folder", "."] if command[0] == "demo" else [])]
    result = CliRunner().invoke(app, given)
    assert (tmp_path / name).read_text(encoding="utf-8") == SPEC_TEXT
    if (command[0], name) != ("sample", "release.csv"):
        assert result.exit_code == 2 and name in result.output and "already has" in result.output
        assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_sample_is_made_again_in_its_folder(tmp_path: Path) -> None:
    given = ["sample", "patients", "--output", str(tmp_path)]
    for _ in range(2):
        assert CliRunner().invoke(app, given).exit_code == 0


def test_a_release_is_not_compared_with_fewer_rows() -> None:
    """Somebody who gives the two files in the wrong order read of a risk that had risen."""
    with pytest.raises(InputError, match="it has more rows"):
        compare_risk(PEOPLE.slice(0, 10), PEOPLE, ["age"])
