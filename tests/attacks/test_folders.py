"""A folder of files, or the name of a folder, makes an audit count other rows than people read.

The attacker hands on a folder whose manifest fits it, hashes and all. DuckDB reads of every Parquet file what
the first one has, so a second one can have a column of names, or exact numbers that it rounds. Spark passes
over `_part-1.csv`, and `*.csv` over `part-1.CSV`: whoever reads the other files alone finds people who are
alone. A file of notes is named in the manifest like a part. And in a folder called `age=30`, DuckDB takes 30
for the age of everybody, whatever the file says.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.audit import audit_release
from shoal.errors import InputError
from tests.attacks.evidence import check
from tests.unit.tampering import PEOPLE, manifest_of, rewrite, spec, write

NAMES = pa.array(["Ann", "Bob", "Cy", "Di", "Eve", "Flo"])


def folder_of(release: Path, parts: Mapping[str, bytes], name: str = "folder") -> Path:
    """Return a folder of files, with the manifest of a file so changed that it fits."""
    folder = release.with_name(name)
    folder.mkdir()
    for part, content in parts.items():
        (folder / part).write_bytes(content)
    said = manifest_of(release)
    own = said.pop("file")["name"]
    said |= {
        "folder": name,
        "files": [{"name": part, "sha256": sha256(content).hexdigest()} for part, content in parts.items()],
    }
    suffix = ".csv.gz" if all(part.endswith(".gz") for part in parts) else release.suffix
    for claim in said["claims"]:
        claim["sql"] = claim["sql"].replace(f"'{own}'", f"'{name}/*{suffix}'")
    rewrite(folder, said)
    return folder


def in_parquet(table: pa.Table) -> bytes:
    buffer = pa.BufferOutputStream()
    pq.write_table(table, buffer, store_schema=False)
    return bytes(buffer.getvalue())


def halves(release: Path) -> tuple[bytes, bytes]:
    """Return a release in two parts."""
    if release.suffix == ".parquet":
        read = pq.read_table(release)
        # A part has only its own values: the rows come in another order in every run.
        table = pa.table(
            {
                name: column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
                for name, column in zip(read.column_names, read.columns, strict=True)
            }
        )
        return in_parquet(table.slice(0, 6)), in_parquet(table.slice(6))
    header, *lines = release.read_bytes().splitlines(keepends=True)
    return header + b"".join(lines[:6]), header + b"".join(lines[6:])


def failing(release: Path) -> dict[str, str]:
    return {f.claim: f.measured for f in audit_release(release).findings if not f.holds}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("second", ["part-1", "_part-1", ".part-1", "part-1."])
def test_a_part_that_programs_leave_out(tmp_path: Path, second: str, kind: str) -> None:
    release = write(tmp_path, name=f"release.{kind}")
    first, more = halves(release)
    name = f"part-1.{kind.upper()}" if second.endswith(".") else f"{second}.{kind}"
    folder = folder_of(release, {f"part-0.{kind}": first, name: more})
    expected = {"nothing hidden in the file": "files that programs leave out, for their names"}
    assert failing(folder) == ({} if second == "part-1" else expected)
    if kind == "csv":
        code, said = check(folder)
        assert (code, "hidden in the file: FAILS" in said) == (
            (0, False) if not failing(folder) else (1, True)
        )


def test_parts_of_two_kinds(tmp_path: Path) -> None:
    """`*.csv` leaves out those in gzip; the checker read both."""
    release = write(tmp_path)
    first, more = halves(release)
    packed = [gzip.compress(part, mtime=0) for part in (first, more)]
    folder = folder_of(release, {"part-0.csv": first, "part-1.csv.gz": packed[1]})
    assert check(folder)[0] == 1
    with pytest.raises(InputError, match="all of one kind"):
        audit_release(folder)
    other = folder_of(release, {"part-0.csv.gz": packed[0], "part-1.csv.gz": packed[1]}, name="packed.csv.gz")
    assert check(other)[0] == 0
    assert "*.csv.gz" in manifest_of(other)["claims"][0]["sql"]
    assert failing(other) == {}


def test_such_a_part_without_a_manifest(tmp_path: Path) -> None:
    first, more = halves(write(tmp_path, name="release.parquet"))
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "part-0.parquet").write_bytes(first)
    (folder / "_part-1.parquet").write_bytes(more)
    audit = audit_release(folder, spec())
    assert [f.claim for f in audit.findings if not f.holds] == ["nothing hidden in the file"]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("inside", ["more", "sex=F", "a/b"])
def test_a_folder_in_the_folder(tmp_path: Path, inside: str, kind: str) -> None:
    """Without a manifest nothing says that it is not a part: Arrow reads its files, and DuckDB does not."""
    first, more = halves(write(tmp_path, name=f"release.{kind}"))
    folder = tmp_path / "folder"
    (folder / inside).mkdir(parents=True)
    (folder / f"part-0.{kind}").write_bytes(first)
    expected = [f.claim for f in audit_release(folder, spec()).findings if not f.holds]
    assert "nothing hidden in the file" not in expected  # an empty folder is none
    (folder / inside / f"part-1.{kind}").write_bytes(more)
    audit = audit_release(folder, spec())
    assert [f.claim for f in audit.findings if not f.holds] == [*expected, "nothing hidden in the file"]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["notes.txt", ".notes", "people.xlsx"])
def test_a_file_that_only_the_manifest_takes_for_a_part(tmp_path: Path, name: str, kind: str) -> None:
    release = write(tmp_path, name=f"release.{kind}")
    first, more = halves(release)
    folder = folder_of(release, {f"part-0.{kind}": first, f"part-1.{kind}": more, name: b"Ann has gout"})
    assert failing(folder) == {"SHA-256 as in the manifest": f"{name} is no part of a table"}
    if kind == "csv":
        assert check(folder)[0] == 1


@pytest.mark.parametrize("change", ["further", "renamed", "exact"])
def test_a_part_with_other_columns(tmp_path: Path, change: str) -> None:
    release = write(tmp_path, name="release.parquet")
    table = pq.read_table(release)
    first, second = table.slice(0, 6), table.slice(6)
    if change == "further":
        second = second.append_column("name", NAMES)
    elif change == "renamed":
        second = second.rename_columns(["age", "sex", "Disease"])
    else:
        first = first.set_column(1, "sex", pa.array([1] * 6))
        second = second.set_column(1, "sex", pa.array([1 + place / 100 for place in range(6)]))
    folder = folder_of(release, {"part-0.parquet": in_parquet(first), "part-1.parquet": in_parquet(second)})
    with pytest.raises(InputError, match="not parts of one table"):
        audit_release(folder)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_name_of_a_folder_is_no_value(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "age=30"
    folder.mkdir()
    people = PEOPLE.drop_columns(["name"])
    file = folder / f"people.{kind}"
    if kind == "csv":
        pyarrow.csv.write_csv(people, file)
    else:
        pq.write_table(people, file)
    (found, *_) = audit_release(file, spec()).findings
    assert found.measured == "smallest class 1, 13 classes fail"
    released = shoal.anonymize(file, spec(identifiers=[]), engine="duckdb", output=tmp_path / f"out.{kind}")
    assert released.levels["age"] > 0  # there is more than one age
    assert failing(tmp_path / f"out.{kind}") == {}


@pytest.mark.parametrize("kind", ["csv", "parquet", "folder"])
def test_a_release_in_such_a_folder(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "zone=1"
    place.mkdir()
    if kind != "folder":
        assert failing(write(place, name=f"release.{kind}")) == {}
        return
    pyarrow.csv.write_csv(PEOPLE, tmp_path / "people.csv")
    output = tmp_path / "sex=F"
    shoal.anonymize(tmp_path / "people.csv", spec(), engine="duckdb", output=output)
    assert failing(output) == {}
