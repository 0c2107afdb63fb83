"""`shoal risk`, as it is used."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Shoal = Callable[..., Any]

PEOPLE = """\
age,sex,disease
34,F,flu
34,F,cold
34,M,flu
51,M,flu
51,M,cold
67,,flu
"""
SPEC = """\
columns:
  age: {role: quasi-identifier, type: integer, hierarchy: {intervals: [20, 40]}}
  sex: {role: quasi-identifier, hierarchy: suppress}
  disease: {role: sensitive}
privacy: [{k-anonymity: 2}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8", newline="\n")
    (tmp_path / "spec.yaml").write_text(SPEC, encoding="utf-8", newline="\n")
    return tmp_path


def test_columns_instead_of_a_spec(shoal: Shoal, folder: Path) -> None:
    ran = shoal(
        "risk", folder / "people.csv", "--qi", "age", "--qi", "sex", "--sensitive", "disease", "--json"
    )
    found = json.loads(ran.out)
    assert ran.code == 0
    assert found["class_sizes"] == {"1": 2, "2": 2}
    assert found["prosecutor"]["average"] == pytest.approx(4 / 6)
    assert found["attributes"]["disease"]["certain"] == pytest.approx(2 / 6)


def test_text_for_people(shoal: Shoal, folder: Path) -> None:
    ran = shoal("risk", folder / "people.csv", "--spec", folder / "spec.yaml", "--threshold", "0.5")
    lines = {line[:40].strip(): line[40:].strip() for line in ran.out.splitlines()}
    assert ran.code == 0
    assert "Prosecutor risk, highest" in ran.out
    assert any(name.startswith("Prosecutor risk, rows above 0.5") for name in lines)
    assert "Before" not in ran.out
    assert ran.err == ""


def test_before_and_after(shoal: Shoal, folder: Path) -> None:
    release = folder / "release.csv"
    assert (
        shoal("anonymize", folder / "people.csv", "--spec", folder / "spec.yaml", "--output", release).code
        == 0
    )
    command = ("risk", folder / "people.csv", "--spec", folder / "spec.yaml", "--release", release)
    ran = shoal(*command)
    assert ran.code == 0
    assert ran.out.splitlines()[0].split() == ["Before", "After"]
    found = json.loads(shoal(*command, "--json").out)
    assert found["before"]["prosecutor"]["highest"] == 1
    assert found["after"]["prosecutor"]["highest"] <= 0.5


def test_a_population_is_generalized_by_the_manifest(shoal: Shoal, folder: Path) -> None:
    release, everybody = folder / "release.csv", folder / "all.csv"
    everybody.write_text(PEOPLE + PEOPLE.partition("\n")[2], encoding="utf-8", newline="\n")
    assert (
        shoal("anonymize", folder / "people.csv", "--spec", folder / "spec.yaml", "--output", release).code
        == 0
    )
    ran = shoal(
        *("risk", folder / "people.csv", "--spec", folder / "spec.yaml", "--release", release),
        *("--population", everybody, "--json"),
    )
    found = json.loads(ran.out)
    assert found["before"]["journalist"]["highest"] == 0.5
    assert found["after"]["journalist"]["highest"] == found["after"]["prosecutor"]["highest"] / 2
    (folder / "release.csv.manifest.json").rename(folder / "elsewhere.json")
    command = ("risk", folder / "people.csv", "--spec", folder / "spec.yaml", "--release", release)
    assert shoal(*command, "--population", everybody).code == 2
    assert shoal(*command, "--population", everybody, "--manifest", folder / "elsewhere.json").code == 0


def test_starred_rows_of_another_tool(shoal: Shoal, folder: Path) -> None:
    release = folder / "other.csv"
    release.write_text("age,sex\n*,*\n30-60,M\n30-60,M\n", encoding="utf-8", newline="\n")
    command = ("risk", folder / "people.csv", "--qi", "age", "--qi", "sex", "--release", release, "--json")
    assert json.loads(shoal(*command).out)["after"]["class_sizes"] == {"1": 1, "2": 1}
    assert json.loads(shoal(*command, "--starred").out)["after"]["class_sizes"] == {"2": 1}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--qi", "agee", "--qi", "town"), "Column 'town' is not in the table 'people.csv'."),
        ((), "No quasi-identifiers given."),
        (("--sensitive", "disease"), "Found: --sensitive."),
        (("--qi", "age", "--spec", "spec.yaml"), "Found: --spec and --qi."),
        (("--qi", "age", "--sampling-fraction", "0"), "above 0, at most 1."),
        (("--qi", "age", "--sampling-fraction", "1.2"), "Found: 1.2."),
        (("--qi", "age", "--threshold", "2"), "The threshold must be a probability"),
        (("--qi", "age", "--starred"), "--starred applies only to a release."),
        (("--qi", "age", "--release", "none.csv"), "does not exist"),
        (
            ("--qi", "age", "--population", "people.csv", "--release", "people.csv"),
            "by the hierarchies of a spec",
        ),
    ],
)
def test_what_is_refused(
    shoal: Shoal, folder: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(folder)
    ran = shoal("risk", "people.csv", *options)
    assert ran.code == 2
    assert said in ran.err
    assert ran.out == ""


def test_a_release_without_the_columns(shoal: Shoal, folder: Path) -> None:
    (folder / "release.csv").write_text("age\n*\n", encoding="utf-8", newline="\n")
    ran = shoal(
        "risk", folder / "people.csv", "--spec", folder / "spec.yaml", "--release", folder / "release.csv"
    )
    assert ran.code == 2
    assert "Column 'sex' is not in the release 'release.csv'." in ran.err
    assert "Column 'disease' is not in the release 'release.csv'." in ran.err


def test_help_has_examples(shoal: Shoal) -> None:
    ran = shoal("risk", "--help")
    assert ran.code == 0
    assert "shoal risk people.csv --spec spec.yaml --release release.csv" in ran.out
