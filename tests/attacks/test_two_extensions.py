"""Two extensions of one release: whoever has both takes the release away from each.

The attacker knows that Ann is new in both. Each of them hides her among the people who were added with her;
the rows that were added both times are hers. No manifest tells of the other extension, so only the publisher
can know.
"""

from __future__ import annotations

import shutil
import stat
import sys
from collections import Counter
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal
from shoal import secret
from shoal.write.publish import publish

ANN = (100, 31, "HIV")
SPEC = shoal.Spec(
    identifiers=["id"],
    quasi_identifiers={"age": shoal.intervals(10)},
    sensitive=["disease"],
    privacy=[shoal.KAnonymity(3)],
    accept={"disease": "linkable"},
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(secret.HOME, str(tmp_path / "home"))
    return tmp_path / "home"


def table(*rows: tuple[int, int, str]) -> pa.Table:
    ids, ages, diseases = zip(*rows, strict=True)
    return pa.table({"id": list(map(str, ids)), "age": list(ages), "disease": list(diseases)})


PEOPLE = table((1, 32, "flu"), (2, 33, "cold"), (3, 34, "flu"), (4, 35, "cold"))
JUNE = table(ANN, (101, 32, "flu"), (102, 33, "cold"))
JULY = table(ANN, (201, 34, "gout"), (202, 35, "rash"))


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    shoal.anonymize(PEOPLE, SPEC).write(tmp_path / "release.csv")
    return tmp_path / "release.csv.manifest.json"


def added(path: Path) -> Counter[str]:
    lines = Counter(path.read_text("utf-8").splitlines())
    return lines - Counter((path.parent / "release.csv").read_text("utf-8").splitlines())


def test_a_second_extension_is_refused(manifest: Path, tmp_path: Path, home: Path) -> None:
    first = shoal.extend(manifest, JUNE, original=PEOPLE, output=tmp_path / "june.csv")
    assert any("From now on extend this release, and 'release.csv' no more" in note for note in first.notes)
    with pytest.raises(
        shoal.InputError, match=r"'release.csv' was extended before, to 'june.csv'"
    ) as refused:
        shoal.extend(manifest, JULY, original=PEOPLE, output=tmp_path / "july.csv")
    assert "--replace-extension" in str(refused.value)
    assert not (tmp_path / "july.csv").exists()
    (kept,) = (home / "extensions").rglob("*.json")
    if sys.platform != "win32":
        assert not stat.S_IMODE(kept.stat().st_mode) & 0o077
        assert not stat.S_IMODE(kept.parent.stat().st_mode) & 0o077


@pytest.mark.parametrize("name", ["again.csv", "again.csv.gz", "again.parquet"])
@pytest.mark.parametrize("made", ["once", "twice"])
def test_the_same_release_in_another_file(manifest: Path, tmp_path: Path, name: str, made: str) -> None:
    """A pipeline makes the release anew every night, in another order, and extends it by all that is new."""
    days = pa.array([f"2024-05-0{day} 08:00" for day in (1, 2, 2, 1)])
    people = PEOPLE.append_column("weight", pa.array([70.0, 82.5, None, 60.0])).append_column("day", days)
    spec = replace(SPEC, insensitive=["weight", "day"])
    first = shoal.anonymize(people, spec)
    first.write(tmp_path / "first.csv")
    (first if made == "once" else shoal.anonymize(people, spec)).write(tmp_path / name)
    june, july = (
        rows.append_column("weight", pa.array([70.0] * 3)).append_column("day", days.take([0, 1, 3]))
        for rows in (JUNE, JULY)
    )
    extended = shoal.extend(tmp_path / "first.csv.manifest.json", june, original=people)
    extended.write(tmp_path / "june.csv")
    with pytest.raises(shoal.InputError, match=rf"'{name}' was extended before, to 'june.csv'"):
        shoal.extend(tmp_path / f"{name}.manifest.json", july, original=people)
    assert shoal.extend(tmp_path / f"{name}.manifest.json", june, original=people).added_rows == 3


@pytest.mark.parametrize("name", ["again.csv", "again.parquet"])
def test_the_same_release_by_another_engine(tmp_path: Path, name: str) -> None:
    """Engines write the same time as 08:00:00.500000Z and as 08:00:00.5+00, and pandas NaN as NULL."""
    times = [datetime(2024, 5, day, 8, 0, 0, 500_000) for day in (1, 2, 2, 1)]
    days = pa.array(times, pa.timestamp("us", "UTC"))
    weights = pa.array([70.0, 82.5, float("nan"), 60.0])
    people = PEOPLE.append_column("weight", weights).append_column("day", days)
    parquet.write_table(people, tmp_path / "people.parquet")
    spec = replace(SPEC, insensitive=["weight", "day"])
    shoal.anonymize(people.to_pandas(), spec).write(tmp_path / "first.csv")
    shoal.anonymize(tmp_path / "people.parquet", spec, engine="duckdb").write(tmp_path / name)
    june, july = (
        rows.append_column("weight", pa.array([70.0] * 3)).append_column("day", days.take([0, 1, 3]))
        for rows in (JUNE, JULY)
    )
    first = shoal.extend(tmp_path / "first.csv.manifest.json", june, original=people.to_pandas())
    first.write(tmp_path / "june.csv")
    with pytest.raises(shoal.InputError, match=rf"'{name}' was extended before, to 'june.csv'"):
        shoal.extend(tmp_path / f"{name}.manifest.json", july, original=people)


def test_two_that_were_prepared_before_either_was_written(manifest: Path, tmp_path: Path) -> None:
    june, july = (shoal.extend(manifest, rows, original=PEOPLE) for rows in (JUNE, JULY))
    june.write(tmp_path / "june.csv")
    with pytest.raises(shoal.InputError, match="was extended before"):
        july.write(tmp_path / "july.csv")
    assert not (tmp_path / "july.csv").exists()


def test_the_newest_release_is_extended_and_the_same_extension_is_made_again(
    manifest: Path, tmp_path: Path
) -> None:
    for name in ("june.csv", "june.csv", "again.csv"):
        shoal.extend(manifest, JUNE, original=PEOPLE, output=tmp_path / name)
    later = table((201, 34, "gout"), (202, 35, "rash"), (203, 36, "flu"))
    third = shoal.extend(
        tmp_path / "june.csv.manifest.json", later, original=[PEOPLE, JUNE], output=tmp_path / "third.csv"
    )
    assert third.added_rows == 3


def test_what_the_publisher_takes_upon_herself(manifest: Path, tmp_path: Path, home: Path) -> None:
    """With both files Ann is found; if nobody has the first one, she is not."""
    shoal.extend(manifest, JUNE, original=PEOPLE, output=tmp_path / "june.csv")
    shoal.extend(manifest, JULY, original=PEOPLE, output=tmp_path / "july.csv", replace_extension=True)
    assert added(tmp_path / "june.csv") & added(tmp_path / "july.csv") == Counter(['"[30, 40)",HIV'])


def test_a_damaged_record_still_says_that_there_was_one(manifest: Path, tmp_path: Path, home: Path) -> None:
    shoal.extend(manifest, JUNE, original=PEOPLE, output=tmp_path / "june.csv")
    (kept,) = (home / "extensions").rglob("*.json")
    kept.write_text("{", encoding="utf-8")
    with pytest.raises(shoal.InputError, match="a file that is not known any more"):
        shoal.extend(manifest, JULY, original=PEOPLE)


def test_another_publisher_knows_of_nothing(manifest: Path, tmp_path: Path, home: Path) -> None:
    shoal.extend(manifest, JUNE, original=PEOPLE, output=tmp_path / "june.csv")
    shutil.rmtree(home)
    assert shoal.extend(manifest, JULY, original=PEOPLE).added_rows == 3


def test_no_extension_is_written_of_which_nobody_knows(
    manifest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk of the publisher's folder is full; or the run ends while it writes."""
    june = shoal.extend(manifest, JUNE, original=PEOPLE)

    def full(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(secret, "keep", full)
        with pytest.raises(shoal.OutputError, match="Nothing was written"):
            june.write(tmp_path / "june.csv")
    assert not (tmp_path / "june.csv").exists()

    def seen(*_: object, **__: object) -> Path:
        with pytest.raises(shoal.InputError, match=r"was extended before, to 'june.csv'"):
            shoal.extend(manifest, JULY, original=PEOPLE)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("shoal.incremental.extension.publish", seen)
        with pytest.raises(KeyboardInterrupt):
            june.write(tmp_path / "june.csv")
    assert shoal.extend(manifest, JULY, original=PEOPLE, output=tmp_path / "july.csv").added_rows == 3
    with pytest.raises(shoal.InputError, match=r"was extended before, to 'july.csv'"):
        june.write(tmp_path / "june.csv")


def test_ctrl_c_that_comes_too_late(manifest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    june = shoal.extend(manifest, JUNE, original=PEOPLE)

    def late(*arguments: Any, **options: Any) -> None:
        publish(*arguments, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr("shoal.incremental.extension.publish", late)
    with pytest.raises(KeyboardInterrupt):
        june.write(tmp_path / "june.csv")
    assert (tmp_path / "june.csv").exists()
    with pytest.raises(shoal.InputError, match=r"was extended before, to 'june.csv'"):
        shoal.extend(manifest, JULY, original=PEOPLE)
