"""A recipient audits a release of which some claims cannot be checked from the file.

The attacker is the habit: an audit that always exits with 4 on honest releases is soon ignored, and one that
exits with 0 must not hide that something was not checked. And a CSV file of another engine that comes without
a checker is not checked at all.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.audit import audit_release
from shoal.describe.hierarchies.suppress import suppress
from shoal.errors import InputError
from shoal.flow import anonymize
from shoal.privacy.alpha_k import AlphaK
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.reidentification_risk import Risk
from shoal.privacy.t_closeness import TCloseness
from shoal.spec.spec import Spec
from tests.attacks.evidence import check, refit
from tests.unit.tampering import PEOPLE, manifest_of, rewrite, spec, write


@pytest.fixture
def release(tmp_path: Path) -> Path:
    people = PEOPLE.append_column("patient", pa.array([f"{number}" for number in range(13)]))
    asked = spec(privacy=[KAnonymity(3), TCloseness("disease", 0.9)], unit="patient")
    return anonymize(people, asked).write(tmp_path / "release.csv")


def test_it_says_what_it_could_not_check(release: Path, shoal: Any) -> None:
    ran = shoal("audit", release)
    assert ran.code == 0
    assert ran.out.count("NOT CHECKABLE by a recipient") == 2
    assert "2 claims not checkable by a recipient" in ran.out
    assert shoal("audit", release, "--strict").code == 4
    said = json.loads(shoal("audit", release, "--json").out)
    assert (said["holds"], said["fails"]) == (False, False)
    code, words = check(release)
    assert code == 0
    assert words.count("NOT CHECKABLE by a recipient") == 2


def test_what_fails_fails_all_the_same(release: Path, shoal: Any) -> None:
    refit(release, lambda said: said["rows"].update(out=99))
    assert shoal("audit", release).code == 4
    assert check(release)[0] == 1


def test_more_people_than_rows(release: Path, shoal: Any) -> None:
    """What a manifest says of people who are not in the file was repeated, whatever it was."""

    def change(said: dict[str, Any]) -> None:
        said["claims"][0].update(measured="smallest class 500, counted by 'patient' before it was removed")

    refit(release, change)
    ran = shoal("audit", release)
    assert ran.code == 4
    assert "FAILS, smallest class 500 people by the manifest, and 3 rows here" in ran.out


def test_an_original_with_which_nothing_is_compared(tmp_path: Path, shoal: Any) -> None:
    """Whoever gives one believes that it was: another table passed, and one that does not exist."""
    release = write(tmp_path)
    (tmp_path / "other.csv").write_text("name,age,sex,disease\nx,1,Q,plague\n", encoding="utf-8")
    for name in ("other.csv", "missing.csv"):
        for more in ((), ("-k", 3, "--qi", "age", "--qi", "sex", "--sensitive", "disease")):
            ran = shoal("audit", release, "--original", tmp_path / name, *more)
            assert ran.code == 2
            assert "No claim of the release compares with the original table" in ran.err


@pytest.mark.parametrize("kind", ["csv", "csv.gz"])
def test_every_csv_has_a_dialect_and_a_checker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    pq.write_table(PEOPLE, "people.parquet")
    for engine in ("memory", "duckdb"):
        release = Path(f"{engine}.{kind}")
        anonymize("people.parquet", spec(), engine=engine, output=release)
        assert manifest_of(release)["dialect"] == {"delimiter": ",", "quote": '"'}
        assert Path(f"{release}.checker.py").exists()
        assert check(release)[0] == 0


def test_a_folder_of_csv_files(tmp_path: Path, shoal: Any) -> None:
    """What Spark writes: the checker reads all files, and finds one that was changed or added."""
    whole = write(tmp_path, name="whole.csv")
    header, *rows = whole.read_text(encoding="utf-8").splitlines(keepends=True)
    folder = tmp_path / "release.csv"
    folder.mkdir()
    for number in range(2):
        part = header + "".join(rows[number::2])
        (folder / f"part-{number}.csv").write_text(part, encoding="utf-8", newline="\n")
    said = manifest_of(whole)
    from shoal.files.folder import digests

    del said["file"]
    found = digests(sorted(folder.iterdir()))
    said |= {"folder": "release.csv", "files": [{"name": n, "sha256": d} for n, d in found.items()]}
    for claim in said["claims"]:
        claim["sql"] = claim["sql"].replace("'whole.csv'", "'release.csv/*.csv'")
    rewrite(folder, said)
    assert check(folder)[0] == 0
    assert shoal("audit", folder).code == 0
    shutil.copy(folder / "part-0.csv", folder / "part-2.csv")
    assert check(folder)[0] == 1
    assert shoal("audit", folder).code == 4


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "xlsx"])
def test_a_release_that_got_another_name(tmp_path: Path, kind: str) -> None:
    """As programs call a file that is downloaded again. Queries have such names in another form."""
    names = f"release.{kind}", f"release[1].{kind}"
    for old, new in (names, names[::-1]):
        release = write(tmp_path, name=old)
        for path in (release, Path(f"{release}.manifest.json")):
            path.rename(tmp_path / path.name.replace(old, new))
        assert audit_release(tmp_path / new).holds


def test_from_the_folder_of_the_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shoal: Any) -> None:
    """`.` and `..` are no names: the audit ended with a traceback, as did what writes there."""
    pq.write_table(PEOPLE, tmp_path / "people.parquet")
    release = tmp_path / "release"
    anonymize(tmp_path / "people.parquet", spec(), engine="duckdb", output=release)
    monkeypatch.chdir(release)
    assert shoal("audit", ".").code == 0
    assert "no manifest" in shoal("audit", release.anchor).err
    for path in (".", "..", release.anchor):
        with pytest.raises(InputError, match="needs a name of its own"):
            anonymize(PEOPLE, spec()).write(path)
    assert "cannot be written" in shoal("key", ".").err


@pytest.mark.parametrize("kind", ["csv", "parquet", "xlsx"])
def test_a_release_of_the_first_version(tmp_path: Path, shoal: Any, kind: str) -> None:
    """Its queries left starred rows out, and it told more; a query of anybody's own still fails."""
    release = write(tmp_path, name=f"release.{kind}")

    def older(said: dict[str, Any]) -> None:
        stars = """coalesce("age"::VARCHAR = '*' AND "sex"::VARCHAR = '*', false)"""
        del said["linkable"]
        said |= {"quality": "loss", "score": 0.5, "optimal": True, "seed": 1, "notes": []}
        for claim in said["claims"][:2]:
            source = claim["sql"].removeprefix("WITH kept AS (SELECT * FROM ")
            kept, _, query = source.partition(")\nSELECT count")
            claim["sql"] = (
                f"WITH kept AS (\n  SELECT * FROM {kept}\n  WHERE NOT {stars}\n)\nSELECT count{query}"
            )

    refit(release, older)
    assert shoal("audit", release).code == 0
    refit(release, lambda said: said["claims"][0].update(sql=said["claims"][0]["sql"].replace("sex", "age")))
    assert shoal("audit", release).code == 4


@pytest.mark.parametrize(
    "model",
    [
        LDiversity("disease", 3),
        LDiversity("disease", 2.5, "entropy"),
        LDiversity("disease", 3, "recursive", c=100),
        AlphaK("disease", alpha=0.4, k=2),
        Risk(average=0.2),
    ],
    ids=lambda model: model.describe(),
)
def test_too_few_values_or_rows_whoever_has_them(tmp_path: Path, shoal: Any, model: Any) -> None:
    """Nobody knows whose rows they are; but two values are two, and a class for each four rows is one."""
    table = pa.table(
        {
            "patient": [f"{number}" for number in range(48)],
            "age": [["30-39", "40-49"][number % 2] for number in range(48)],
            "disease": [["flu", "cold", "gout"][number % 3] for number in range(48)],
        }
    )
    asked = Spec(
        quasi_identifiers={"age": suppress()}, sensitive=["disease"], unit="patient", privacy=[model]
    )
    release = anonymize(table, asked).write(tmp_path / "release.csv")
    assert (shoal("audit", release).code, check(release)[0]) == (0, 0)
    header, *lines = release.read_text(encoding="utf-8").splitlines()
    if isinstance(model, Risk):
        lines = [f"{number // 4}0-{number // 4}9,flu" for number in range(48)]
        sizes, linkable = {"4": 12}, {"columns": {"disease": 0}, "together": 0, "with_quasi_identifiers": 0}
    else:
        lines = [line.replace("gout", "flu") for line in lines]
        sizes, linkable = {"24": 2}, manifest_of(release)["linkable"]
    release.write_text("\n".join([header, *lines, ""]), encoding="utf-8")
    refit(
        release,
        lambda said: said.update(class_sizes=sizes, classes=sum(sizes.values()), linkable=linkable),
    )
    said = json.loads(shoal("audit", release, "--json").out)
    wrong = [claim["claim"] for claim in said["claims"] if claim["checkable"] and not claim["holds"]]
    assert wrong == [model.describe(), "claims as in the manifest"]
    code, printed = check(release)
    assert code == 1
    assert [line.partition(": ")[0] for line in printed.splitlines() if ": FAILS" in line] == wrong[:1]
