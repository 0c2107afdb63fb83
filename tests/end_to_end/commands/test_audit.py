"""`shoal audit` and `shoal key`: what is claimed comes from a manifest, a spec or options."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.tampering import TAMPERINGS, write


@pytest.fixture
def release(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write(tmp_path, "star")


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_the_manifest_beside_the_release(release, shoal):
    before = files(release.parent)
    ran = shoal("audit", "release.csv")
    assert (ran.code, ran.err) == (0, "")
    assert "k-anonymity 3                    holds, smallest class 3\n" in ran.out
    assert "rows as in the manifest          holds, 15 in, 3 suppressed and starred, 15 out\n" in ran.out
    assert "\n\n15 rows.\n3 rows have * in every quasi-identifier and are checked as a class" in ran.out
    assert "\nLinkable: " in ran.out
    assert files(release.parent) == before


def test_json(release, shoal):
    found = json.loads(shoal("audit", release, "--json").out)
    assert (found["holds"], found["rows"], found["starred_rows"]) == (True, 15, 3)
    assert found["class_sizes"] == {"3": 2, "4": 1, "5": 1}
    assert found["claims"][0]["figure"] == 3
    assert found["claims"][0]["sql"].startswith("WITH kept AS (")


def test_a_manifest_elsewhere(release, shoal):
    Path("release.csv.manifest.json").rename("moved.json")
    ran = shoal("audit", "release.csv")
    assert ran.code == 2
    assert "Found: no spec, and no manifest 'release.csv.manifest.json' beside it." in ran.err
    assert shoal("audit", "release.csv", "--manifest", "moved.json").code == 0


@pytest.mark.parametrize("tampering", ["one class of k - 1", "a NULL class", "a changed cell", "a false k"])
def test_tampering_exits_with_4(release, shoal, tampering):
    TAMPERINGS[tampering](release)
    ran = shoal("audit", "release.csv")
    assert ran.code == 4
    assert "FAILS" in ran.out


def test_the_manifest_of_another_file(release, shoal):
    Path("other.csv").write_text("age,sex,disease\n" + "1,F,flu\n1,F,cold\n1,F,gout\n", encoding="utf-8")
    ran = shoal("audit", "other.csv", "--manifest", "release.csv.manifest.json")
    assert ran.code == 4
    assert "... of 'release.csv'" in ran.out
    Path("other.csv").write_text("zip\n1\n", encoding="utf-8")
    ran = shoal("audit", "other.csv", "--manifest", "release.csv.manifest.json")
    assert (ran.code, ran.out) == (2, "")
    assert "Column 'age', a quasi-identifier of the spec, is not in the release 'other.csv'." in ran.err
    assert "does not belong to this file" in ran.err


OTHER = "age;sex;disease\n" + "30-39;F;flu\n30-39;F;cold\n" * 2 + "40-49;*;flu\n40-49;*;gout\n"
SHORT = ("audit", "other.csv", "--qi", "age", "--qi", "sex", "--sensitive", "disease")


def test_a_file_of_another_tool(release, shoal):
    Path("other.csv").write_text(OTHER, encoding="utf-8")
    diverse = ("--privacy", "l-diversity: {column: disease, l: 2}")
    ran = shoal(*SHORT, "-k", 2, *diverse)
    assert (ran.code, ran.err) == (0, "")
    assert "k-anonymity 2                    holds, smallest class 2\n" in ran.out
    assert "distinct 2-diversity of disease  holds, fewest values 2\n" in ran.out
    ran = shoal(*SHORT, "-k", 3)
    assert ran.code == 4
    assert "k-anonymity 3        FAILS, smallest class 2, 1 class fails\n" in ran.out


def test_suppressed_rows_of_another_tool(release, shoal):
    Path("other.csv").write_text(OTHER + "*;*;flu\n", encoding="utf-8")
    ran = shoal(*SHORT, "-k", 2)
    assert ran.code == 4
    assert "1 row has * in every quasi-identifier and is checked as a class" in ran.out
    Path("other.csv").write_text(OTHER + "*;*;flu\n*;*;gout\n", encoding="utf-8")
    assert shoal(*SHORT, "-k", 2).code == 0


def test_the_short_form_is_not_compared_with_a_manifest_beside(release, shoal):
    given = ("--keep-undeclared",)
    ran = shoal("audit", "release.csv", "--qi", "age", "--qi", "sex", "-k", 2, *given)
    assert ran.code == 0
    assert "manifest" not in ran.out
    given = ("--manifest", "release.csv.manifest.json", *given)
    ran = shoal("audit", "release.csv", "--qi", "age", "--qi", "sex", "-k", 2, *given)
    assert ran.code == 4
    assert "the manifest's: privacy, suppression, suppressed, columns.disease.role" in ran.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--qi", "age"), "No spec given."),
        (("-k", 5), "No spec given."),
        (("--qi", "agee", "--sensitive", "disease", "-k", 2), "Did you mean 'age'?"),
        (("--qi", "age", "-k", 2, "--privacy", "l-diversity: {column: pay, l: 2}"), "'pay'"),
        (("--manifest", "release.csv"), "is not the manifest of a release"),
        (("--manifest", "nowhere.json"), "does not exist"),
        (("--public-key", "release.csv"), "is not a public key"),
        (("--memory", "much"), "Memory must be a number with a unit"),
        (("--spec", "nowhere.yaml"), "does not exist"),
    ],
)
def test_wrong_use(release, shoal, arguments, said):
    before = files(release.parent)
    ran = shoal("audit", "release.csv", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert files(release.parent) == before


def test_keys_and_signatures(release, shoal):
    pytest.importorskip("cryptography")
    ran = shoal("key", "steward.pem")
    assert (ran.code, ran.err) == (0, "")
    assert "steward.pub.pem" in ran.out
    assert shoal("key", "steward.pem").code == 2
    Path("people.csv").write_text("sex\nF\nF\n", encoding="utf-8")
    made = ("anonymize", "people.csv", "-k", 2, "--qi", "sex", "--output", "out.csv")
    assert shoal(*made, "--sign", "people.csv").code == 2
    assert not Path("out.csv").exists()
    assert shoal(*made, "--sign", "steward.pem").code == 0
    ran = shoal("audit", "out.csv", "--public-key", "steward.pub.pem")
    assert ran.code == 0
    assert "signature                       holds, Ed25519, by the key 'steward.pub.pem'" in ran.out
    ran = shoal("audit", "release.csv", "--public-key", "steward.pub.pem")
    assert ran.code == 4
    assert "FAILS, there is none" in ran.out
    ran = shoal(*made[:-1], "steward.pem", "--sign", "steward.pem")
    assert ran.code == 2


def test_people_who_are_not_in_the_file(release, shoal):
    Path("visits.csv").write_text("age,patient\n31,a\n32,a\n33,b\n34,c\n", encoding="utf-8")
    given = ("-k", 2, "--qi", "age=intervals:10", "--unit", "patient", "--output", "out.csv")
    assert shoal("anonymize", "visits.csv", *given).code == 0
    ran = shoal("audit", "out.csv")
    assert ran.code == 0
    assert shoal("audit", "out.csv", "--strict").code == 4
    assert "NOT CHECKABLE by a recipient, it counts people by 'patient'" in ran.out
    assert ran.out.endswith(
        "1 claim not checkable by a recipient of the file (--strict makes that a failure).\n"
    )


def test_the_first_row_of_a_file_without_a_header_is_not_shown(tmp_path, shoal):
    (tmp_path / "bare.csv").write_text("Alice Example,34,flu\nBob Example,35,cold\n", encoding="utf-8")
    ran = shoal("audit", tmp_path / "bare.csv", "-k", 2, "--qi", "age", "--qi", "zip")
    assert ran.code == 2
    assert "None of the columns of the spec is there: check that its first line is a header." in ran.err
    assert "Alice" not in ran.out + ran.err
