"""A published release: audited as written, with its manifest, or not there at all."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.audit import Audit, References, audit_release
from shoal.describe.hierarchies.file import HierarchyFile
from shoal.describe.hierarchies.suppress import Suppress
from shoal.errors import AuditError, InputError, OutputError
from shoal.privacy.k_anonymity import KAnonymity
from shoal.read.source import InputFormat
from shoal.recode.full_domain import FullDomain
from shoal.spec.for_recipients import HandedOn
from shoal.spec.spec import Spec
from shoal.write import audited_file
from shoal.write.audited_file import write_table_file
from shoal.write.evidence_paths import manifest_path
from shoal.write.output import FileOutput, as_output
from shoal.write.publish import publish

AGES = ["30", "30", None, None, "", "", "a;b", "a;b"]
SPEC = Spec(
    quasi_identifiers={"age": Suppress()},
    sensitive=["disease"],
    identifiers=["name"],
    privacy=[KAnonymity(2)],
)


@dataclass(frozen=True)
class Result:
    """What `anonymize` would return."""

    table: pa.Table = field(default_factory=lambda: pa.table({"age": AGES, "disease": list("stuvwxyz")}))
    spec: Spec = SPEC
    recoding: FullDomain = FullDomain({"age": 0})  # noqa: RUF009 (frozen)
    rows: int = 10
    suppressed_rows: int = 2
    shuffled: bool = True
    dialect: InputFormat | None = None
    inputs: tuple[Path, ...] = ()

    @property
    def audit(self) -> Audit:
        return audit_release(self.table, self.spec)

    @property
    def handed_on(self) -> HandedOn:
        return HandedOn(self.spec, self.recoding.to_manifest())


def write(release: Result, path: Path, **settings: Any) -> Path:
    """Write a release whose audit needs nothing to compare with."""
    output = FileOutput(path).like(release.dialect, release.spec.input)
    return publish(release, partial(write_table_file, release.table, References()), output, **settings)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("name", ["release.csv", "release.csv.gz", "release.parquet"])
def test_file_and_manifest(tmp_path: Path, name: str) -> None:
    path = write(Result(), tmp_path / name)
    assert path == tmp_path / name
    checker = [] if name.endswith("parquet") else [f"{name}.checker.py"]
    assert names(tmp_path) == [name, *checker, f"{name}.manifest.json"]
    manifest = json.loads(manifest_path(path).read_text(encoding="utf-8"))
    assert manifest["file"] == {"name": name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    assert manifest["rows"] == {"in": 10, "suppressed": 2, "out": 8}
    assert manifest["class_sizes"] == {"2": 4}
    assert manifest["recoding"] == {"kind": "full-domain", "levels": {"age": 0}}
    assert manifest["null"] == {"age": "value", "disease": "value"}
    assert not {"score", "quality", "optimal", "bound", "notes"} & manifest.keys()
    assert not {"quality", "engine"} & manifest["spec"].keys()
    assert (manifest["shuffled"], manifest["suppressed"]) == (True, "remove")
    assert manifest["claims"][0]["measured"] == "smallest class 2"
    assert manifest["claims"][0]["figure"] == 2
    assert set(manifest["versions"]) == {"python", "duckdb", "numpy", "pyarrow"}
    assert manifest.get("dialect") == (None if name.endswith("parquet") else {"delimiter": ",", "quote": '"'})


@pytest.mark.parametrize("name", ["release.csv", "release.csv.gz", "release.parquet"])
def test_the_queries_of_the_manifest_run_beside_the_file(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(Result(), tmp_path / name)
    monkeypatch.chdir(tmp_path)
    manifest = json.loads(manifest_path(path).read_text(encoding="utf-8"))
    with duckdb.connect() as connection:
        assert connection.execute(manifest["claims"][0]["sql"]).fetchall() == [(0, 2)]
        for claim in manifest["claims"]:
            connection.execute(claim["sql"]).fetchall()


def test_dialect_of_the_input(tmp_path: Path) -> None:
    spec = replace(SPEC, input=InputFormat(quote="'"))
    write(Result(spec=spec, dialect=InputFormat(";", "'", "latin-1")), tmp_path / "release.csv")
    with (tmp_path / "release.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, delimiter=";")
    assert header == ["age", "disease"]
    assert Counter(row[0] for row in rows) == {"30": 2, "": 4, "a;b": 2}


def test_class_sizes_are_those_of_the_file(tmp_path: Path) -> None:
    table = pa.table({"age": ["30"] * 3 + ["40"] * 2, "disease": list("stuvw")})
    path = write(Result(table=table, rows=5, suppressed_rows=0), tmp_path / "release.csv")
    manifest = json.loads(manifest_path(path).read_text(encoding="utf-8"))
    assert (manifest["classes"], manifest["class_sizes"]) == (2, {"2": 1, "3": 1})


def test_dialect_of_the_spec_where_the_input_has_none(tmp_path: Path) -> None:
    spec = Spec(
        quasi_identifiers={"age": Suppress()},
        sensitive=["disease"],
        privacy=[KAnonymity(2)],
        input=InputFormat(delimiter=";"),
    )
    write(Result(spec=spec), tmp_path / "release.csv")
    assert (tmp_path / "release.csv").read_text(encoding="utf-8").startswith("age;disease\n")


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"age": ["30", "30", None], "disease": list("stu")}),
        pa.table({"age": ["30", "30"], "disease": list("st"), "name": list("ab")}),
    ],
)
def test_a_failed_audit_leaves_everything_as_it_was(tmp_path: Path, table: pa.Table) -> None:
    path = tmp_path / "release.csv"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(AuditError, match="Nothing was written"):
        write(Result(table=table), path)
    assert names(tmp_path) == ["release.csv"]
    assert path.read_text(encoding="utf-8") == "old"


def test_a_file_that_lost_rows_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lose(table: pa.Table, path: Path, dialect: InputFormat | None) -> None:
        path.write_text("age,disease\n30,s\n30,t\n", encoding="utf-8")

    monkeypatch.setattr(audited_file, "write_table", lose)
    with pytest.raises(AuditError, match="does not hold all rows"):
        write(Result(), tmp_path / "release.csv")
    assert names(tmp_path) == []


def test_an_interrupt_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(audited_file, "audit_release", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(Result(), tmp_path / "release.csv")
    assert names(tmp_path) == []


def test_a_folder_in_the_manifests_place(tmp_path: Path) -> None:
    (tmp_path / "release.csv.manifest.json").mkdir()
    with pytest.raises(OutputError, match=r"release\.csv\.manifest\.json"):
        write(Result(), tmp_path / "release.csv")
    assert names(tmp_path) == ["release.csv.manifest.json"]


def test_a_quote_that_was_only_guessed_is_not_taken_over(tmp_path: Path) -> None:
    table = pa.table({"age": ["'30'", "'30'", "'a,b'", "'a,b'"], "disease": list("stuv")})
    path = write(Result(table=table, dialect=InputFormat(",", "'", "utf-8")), tmp_path / "release.csv")
    assert "'30',s\n" in path.read_text(encoding="utf-8")
    assert audit_release(path, SPEC).holds


def test_starred_rows_are_a_class(tmp_path: Path) -> None:
    table = pa.table({"age": ["30", "30", "*"], "disease": list("stu")})
    spec = replace(SPEC, suppression=0.4, suppressed="star")
    for other in (replace(SPEC, suppression=0.4), spec):
        with pytest.raises(AuditError, match="k-anonymity 2"):
            write(Result(table=table, spec=other, suppressed_rows=1), tmp_path / "release.csv")


def test_no_folders_and_no_time_in_the_manifest(tmp_path: Path) -> None:
    hierarchy = tmp_path / "secret folder" / "ages.csv"
    hierarchy.parent.mkdir()
    hierarchy.write_text("30;*\n", encoding="utf-8")
    spec = Spec(
        quasi_identifiers={"age": HierarchyFile(hierarchy)}, sensitive=["disease"], privacy=[KAnonymity(2)]
    )
    paths = [write(Result(spec=spec), tmp_path / folder / "release.csv") for folder in _made(tmp_path)]
    one, two = (manifest_path(path).read_text(encoding="utf-8") for path in paths)
    assert one == two
    assert "ages.csv" in one
    assert "secret folder" not in one
    assert str(tmp_path) not in one


def _made(folder: Path) -> Iterator[str]:
    for name in ("one", "two"):
        (folder / name).mkdir()
        yield name


def test_stages_are_announced(tmp_path: Path) -> None:
    seen = []

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        seen.append(name)
        yield

    write(Result(), tmp_path / "release.parquet", stage=stage)
    assert seen == ["write", "audit", "write"]
    assert pq.read_table(tmp_path / "release.parquet")["age"].to_pylist() == AGES


def test_whoever_stops_a_run_at_its_last_step_does_not_tear_it_apart(tmp_path: Path) -> None:
    """A listener raises when the step ends in which rows and evidence are renamed."""
    seen = []

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        yield
        seen.append(name)
        if seen.count("write") == 2:
            raise KeyboardInterrupt

    path = write(Result(), tmp_path / "release.csv")
    other = Result(table=pa.table({"age": ["30"] * 3, "disease": list("stu")}), rows=3, suppressed_rows=0)
    with pytest.raises(KeyboardInterrupt):
        write(other, path, stage=stage)
    assert audit_release(path).holds
    assert json.loads(manifest_path(path).read_text(encoding="utf-8"))["rows"]["out"] == 3
    assert names(tmp_path) == ["release.csv", "release.csv.checker.py", "release.csv.manifest.json"]


def test_a_failure_between_the_renames_names_the_release_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_file = Path.replace

    def refuse(path: Path, target: Path) -> Path:
        if target.name.endswith(".json"):
            raise PermissionError(1, "Operation not permitted")
        return replace_file(path, target)

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OutputError, match=r"release\.csv', .*\n.*\nSome of these files are new"):
        write(Result(), tmp_path / "release.csv")


def test_evidence_that_cannot_be_written_is_refused_before_any_row(tmp_path: Path) -> None:
    def fail(*_: object) -> Any:
        pytest.fail("rows were written")

    output = FileOutput(tmp_path / "release.csv")
    with pytest.raises(OutputError, match="does not exist"):
        publish(Result(), fail, output, manifest_at=tmp_path / "nowhere" / "manifest.json")


def test_the_manifest_of_a_file_may_go_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    release = Result(rows=8, suppressed_rows=0)
    write(release, tmp_path / "release.csv", manifest_at=tmp_path / "evidence" / "manifest.json")
    assert names(tmp_path) == ["evidence", "release.csv", "release.csv.checker.py"]
    assert audit_release(tmp_path / "release.csv", manifest=tmp_path / "evidence" / "manifest.json").holds


@pytest.mark.parametrize(
    "address", ["s3a://bucket/release", "hdfs://server/release.csv", "file:///tmp/release"]
)
def test_an_address_where_no_evidence_can_go_is_refused(address: str) -> None:
    for output in (address, Path(address)):
        with pytest.raises(InputError, match="A release goes to a disk, with its evidence beside it"):
            as_output(output, None)
    assert as_output("C:/people/release.csv", None) is not None
