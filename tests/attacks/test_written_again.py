"""A release is written a second time, when other rows are in its place.

The attacker can change what is at the place of a release after it was published, or simply waits: the
publisher publishes another release there, with smaller classes, and then writes the first one again, for a
report or a signature. The manifest of the first must not vouch for the rows of the second.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import shoal
from shoal.write.output import FileOutput, TableOutput

PEOPLE = pa.table(
    {"age": [20 + number % 40 for number in range(160)], "sex": ["F", "M"] * 80, "sick": ["flu", "cold"] * 80}
)


def spec(k: int) -> shoal.Spec:
    return shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10, 40)},
        sensitive=["sex", "sick"],
        privacy=[shoal.KAnonymity(k)],
    )


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.duckdb"
    with duckdb.connect(path) as connection:
        connection.register("given", PEOPLE)
        connection.execute("CREATE TABLE visits AS FROM given")
    return path


def smallest(manifest: Path) -> int:
    """Return the size of the smallest class by the manifest."""
    return min(map(int, json.loads(manifest.read_text("utf-8"))["class_sizes"]))


def smallest_in(file: Path) -> int:
    with file.open(encoding="utf-8", newline="") as opened:
        return min(Counter(row["age"] for row in csv.DictReader(opened)).values())


def replaced(path: Path, people: Path) -> None:
    shoal.anonymize(people, spec(4), table="visits", output=path)


def edited(path: Path, people: Path) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write("[20, 30),F,flu\n")


def removed(path: Path, people: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("change", [replaced, edited, removed])
def test_no_manifest_for_a_file_with_other_rows(
    people: Path, tmp_path: Path, change: Callable[[Path, Path], None]
) -> None:
    path = tmp_path / "release.csv"
    release = shoal.anonymize(people, spec(160), table="visits", output=path)
    change(path, people)
    before = {entry.name: entry.read_bytes() for entry in tmp_path.iterdir() if entry.suffix == ".json"}
    for again in (
        lambda: release.write(path),
        lambda: release.write(tmp_path / "copy.csv"),
        lambda: release.table,
        lambda: release.data,
    ):
        with pytest.raises(shoal.OutputError, match="Make the release again"):
            again()
    assert {
        entry.name: entry.read_bytes() for entry in tmp_path.iterdir() if entry.suffix == ".json"
    } == before
    assert not (tmp_path / "copy.csv").exists()


def test_one_session_and_two_releases_at_one_place(people: Path, tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    with shoal.Session(people, spec(160), table="visits", output=path) as session:
        large, small = (session.release(session.search(k=k)) for k in (160, 4))
        large.write(path)
        small.write(path)
        with pytest.raises(shoal.OutputError, match="changed or replaced"):
            large.write(path)
    assert smallest(tmp_path / "release.csv.manifest.json") == smallest_in(path) == 4


def test_the_same_files_get_further_evidence(people: Path, tmp_path: Path) -> None:
    """What did not change may be written again: for a report, or under another name."""
    path = tmp_path / "release"
    release = shoal.anonymize(people, spec(40), table="visits", output=path)
    release.write(path, report=True)
    assert (tmp_path / "release.report.html").exists()
    assert release.table.num_rows == 160
    release.write(tmp_path / "copy.csv")
    assert smallest_in(tmp_path / "copy.csv") == 40
    assert shoal.audit_release(path).holds


def test_a_table_that_was_replaced(people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with shoal.Session(people, spec(160), table="visits", output_table="out") as session:
        large, small = (session.release(session.search(k=k)) for k in (160, 4))
        large.write(TableOutput("out"))
        assert large.released.table().num_rows == 160
        with pytest.raises(shoal.OutputError, match="published already, as the table 'out'"):
            large.write(TableOutput("out"))
        small.write(TableOutput("out"))
        for again in (
            lambda: large.write(TableOutput("out")),
            lambda: large.write("copy.csv"),
            lambda: large.table,
            lambda: large.data,
        ):
            with pytest.raises(shoal.OutputError, match="changed or replaced"):
                again()
        assert small.data.num_rows == 160
        session.close()
    assert smallest(tmp_path / "out.manifest.json") == 4
    assert not (tmp_path / "copy.csv").exists()


@pytest.mark.parametrize("output", [FileOutput(Path("out.parquet")), TableOutput("out")])
def test_no_manifest_for_rows_that_are_gone(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: FileOutput | TableOutput
) -> None:
    """The first attempt is interrupted, and takes the rows back: the second has none to publish."""
    monkeypatch.chdir(tmp_path)
    place = {"output_table": "out"} if isinstance(output, TableOutput) else {"output": output.path}
    release = shoal.anonymize(people, spec(4), table="visits", publish=False, **place)
    with monkeypatch.context() as patch:

        def stop(*_: object, **__: object) -> str:
            raise KeyboardInterrupt

        patch.setattr("shoal.report.internal_html", stop)
        with pytest.raises(KeyboardInterrupt):
            release.write(output, report=True)
    with pytest.raises(shoal.OutputError, match="They were not published"):
        release.write(output)
    with pytest.raises(shoal.OutputError, match="They were not published"):
        release.table  # noqa: B018
    assert not [entry.name for entry in tmp_path.iterdir() if not entry.name.startswith("people.")]
