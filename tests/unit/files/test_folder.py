"""A release that is a folder of files, with its manifest beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.audit import audit_release
from shoal.errors import InputError
from shoal.read.source import InputFormat
from shoal.sql.relation import open_relation, shown_files
from shoal.write import manifest, write_table
from shoal.write.output import FileOutput, TableOutput

DIALECT = InputFormat(delimiter=",", quote='"')
SPEC = shoal.Spec(
    quasi_identifiers={"age": shoal.intervals(10, 20), "sex": "suppress"}, privacy=[shoal.KAnonymity(2)]
)
PEOPLE = pa.table({"age": [31, 35, 52, 58] * 3, "sex": ["F", "M", "F", None] * 3})


@pytest.fixture(scope="module")
def release() -> shoal.Release:
    return shoal.anonymize(PEOPLE, SPEC)


def written(release: shoal.Release, folder: Path) -> Path:
    """Write a release as engines do that work in parallel, with what else these leave there."""
    folder.mkdir()
    csv = folder.suffix == ".csv"
    for number, (start, rows) in enumerate(((0, 5), (5, 7))):
        part = folder / f"part-{number}{'.csv' if csv else '.parquet'}"
        if csv:
            write_table(release.table.slice(start, rows), part, DIALECT)
        else:
            # as text: a dictionary of all rows would have values in it that no row of this part has
            plain = release.table.set_column(1, "sex", release.table["sex"].cast(pa.string()))
            pq.write_table(plain.slice(start, rows), part)
    (folder / "_SUCCESS").touch()
    parts = sorted(folder.glob("part-*"))
    audit = audit_release(folder, SPEC)
    said = manifest(release, audit, parts, FileOutput(folder))
    beside = folder.with_name(f"{folder.name}.manifest.json")
    beside.write_text(json.dumps(said), encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["release", "release.csv", "odd [name]*.csv"])
def test_all_that_the_manifest_says_holds(release: shoal.Release, tmp_path: Path, name: str) -> None:
    folder = written(release, tmp_path / name)
    audit = audit_release(folder)
    assert audit.holds, audit.render()
    assert audit.rows == 12
    said = json.loads((tmp_path / f"{name}.manifest.json").read_text("utf-8"))
    assert (said["folder"], "file" in said) == (name, False)
    assert [file["name"].partition(".")[0] for file in said["files"]] == ["part-0", "part-1"]


@pytest.mark.parametrize("name", ["release", "release.csv"])
def test_a_folder_is_shown_before_it_is_there_as_it_is_shown_after(
    release: shoal.Release, tmp_path: Path, name: str
) -> None:
    folder = written(release, tmp_path / name)
    with open_relation(folder, DIALECT) as relation:
        assert shown_files(name, ["age", "sex"], folder=True) == (relation.shown, relation.columns)
    output = tmp_path / ("one.csv" if folder.suffix else "one.parquet")
    release.write(output)
    with open_relation(output, DIALECT) as relation:
        assert shown_files(output.name, ["age", "sex"], folder=False) == (relation.shown, relation.columns)


def test_another_name_of_the_folder_does_not_matter(release: shoal.Release, tmp_path: Path) -> None:
    folder = written(release, tmp_path / "release").rename(tmp_path / "other")
    audit = audit_release(folder, manifest=tmp_path / "release.manifest.json")
    assert audit.holds, audit.render()


@pytest.mark.parametrize("hidden", ["part-2", "_part-2", ".part-2"])
def test_a_file_too_much_is_found(release: shoal.Release, tmp_path: Path, hidden: str) -> None:
    folder = written(release, tmp_path / "release")
    (folder / f"{hidden}.parquet").write_bytes((folder / "part-0.parquet").read_bytes())
    found = {finding.claim: finding for finding in audit_release(folder).findings}
    same = found["SHA-256 as in the manifest"]
    assert (same.holds, same.measured) == (False, f"{hidden}.parquet is not in the manifest")
    assert not found["rows as in the manifest"].holds


def test_a_file_too_few_and_a_changed_one_are_found(release: shoal.Release, tmp_path: Path) -> None:
    folder = written(release, tmp_path / "release.csv")
    (folder / "part-1.csv").unlink()
    with (folder / "part-0.csv").open("a", encoding="utf-8") as file:
        file.write("31,F\n")
    found = {finding.claim: finding for finding in audit_release(folder).findings}
    assert found["SHA-256 as in the manifest"].measured == "without part-1.csv, another part-0.csv"


def test_a_manifest_of_another_kind_is_told(release: shoal.Release, tmp_path: Path) -> None:
    folder, file = written(release, tmp_path / "release"), tmp_path / "release.parquet"
    release.write(file)
    audit = audit_release(file, manifest=tmp_path / "release.manifest.json")
    assert "the manifest is that of a folder of files, 'release'" in audit.render()
    audit = audit_release(folder, manifest=tmp_path / "release.parquet.manifest.json")
    assert "the manifest is that of a file, 'release.parquet'" in audit.render()


def test_the_manifest_of_a_table_has_its_name(release: shoal.Release) -> None:
    said = manifest(release, release.audit, [], TableOutput("clinic.visits_release"))
    assert said["table"] == {"name": "clinic.visits_release"}
    assert not said.keys() & {"file", "files", "folder"}


def test_a_folder_on_the_command_line(release: shoal.Release, tmp_path: Path, shoal: object) -> None:
    folder = written(release, tmp_path / "release")
    ran = shoal("audit", folder)  # type: ignore[operator]
    assert ran.code == 0, ran.err
    assert "2 files" in ran.out


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, "none of them"),
        ({"a.csv": "x\n1\n", "b.parquet": ""}, "1 .csv, 1 .parquet"),
        (
            {"a.csv": "age,sex\n1,F\n", "b.csv": "age,city\n1,Ulm\n"},
            "1 of 2 with another header than 'a.csv'",
        ),
        ({"a.csv": "age,sex\n1,F\n", "b.csv": "age,sex\r1,F\r"}, "or other ends of lines"),
    ],
)
def test_folders_that_are_no_release(tmp_path: Path, files: dict[str, str], found: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())
    with pytest.raises(InputError) as error:
        audit_release(folder, SPEC)
    assert found in str(error.value)
