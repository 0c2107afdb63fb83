"""`shoal utility`."""

from __future__ import annotations

import json
import sys

import pyarrow.csv
import pytest
from tests.unit.utility.tables import people, spec

SPEC = """\
columns:
  age: {role: quasi-identifier, hierarchy: {intervals: [5, 10, 20]}}
  job: {role: quasi-identifier, hierarchy: suppress}
  ill: {role: sensitive}
  pay: {role: sensitive}
privacy: [{k-anonymity: 5}]
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    import shoal

    monkeypatch.chdir(tmp_path)
    pyarrow.csv.write_csv(people(), "people.csv")
    (tmp_path / "spec.yaml").write_text(SPEC)
    shoal.anonymize("people.csv", spec()).write("release.csv")
    return tmp_path


def test_tables(files, shoal):
    ran = shoal("utility", "people.csv", "release.csv", "--spec", "spec.yaml", "--queries", 40)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0].startswith("400 rows, 400 released, 0 suppressed")
    assert lines[2:4] == ["Columns", "Column  Loss   Entropy kept       Distinct    Total variation"]
    assert "40 count queries" in lines
    assert "Predicting ill from the quasi-identifiers: accuracy" in lines
    assert "Predicting pay from the quasi-identifiers: R2 (mean absolute error)" in lines


def test_json(files, shoal):
    options = ("--target", "ill", "--seed", 3, "--json")
    ran = shoal("utility", "people.csv", "release.csv", "--spec", "spec.yaml", *options)
    assert (ran.code, ran.err) == (0, "")
    told = json.loads(ran.out)
    assert told["rows"] == 400
    assert [one["target"] for one in told["learning"]] == ["ill"] * 5
    assert told["queries"]["count"] == 1000


def test_without_a_spec(files, shoal):
    ran = shoal("utility", "people.csv", "release.csv", "--no-models", "--json")
    assert ran.code == 0
    told = json.loads(ran.out)
    assert (told["quasi_identifiers"], told["learning"]) == (["age"], [])
    named = shoal(
        "utility", "people.csv", "release.csv", "--qi", "age", "--qi", "job", "--no-models", "--json"
    )
    assert json.loads(named.out)["columns"]["age"] == told["columns"]["age"]


def test_without_scikit_learn(files, shoal, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    ran = shoal("utility", "people.csv", "release.csv", "--spec", "spec.yaml")
    assert ran.code == 0
    assert "pip install 'shoal[utility]'" in ran.out
    assert "count queries" in ran.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("people.csv", "other.csv", "--spec", "spec.yaml"), "was not made of this original"),
        (("people.csv", "less.csv", "--spec", "spec.yaml"), "Column 'age' is not in the release 'less.csv'"),
        (
            ("less.csv", "release.csv", "--spec", "spec.yaml"),
            "Column 'age' is not in the original 'less.csv'",
        ),
        (("people.csv", "release.csv", "--spec", "spec.yaml", "--target", "illl"), "Did you mean 'ill'?"),
        (("people.csv", "release.csv", "--spec", "spec.yaml", "--qi", "age"), "Leave one of them out"),
        (("people.csv", "people.csv"), "Use --spec or --qi"),
        (("people.csv", "nowhere.csv"), "does not exist"),
    ],
)
def test_bad_input_exits_with_2(files, shoal, arguments, message):
    pyarrow.csv.write_csv(people(seed=7), "other.csv")
    pyarrow.csv.write_csv(people().select(["job", "ill", "pay"]), "less.csv")
    before = sorted(files.iterdir())
    ran = shoal("utility", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert sorted(files.iterdir()) == before


def test_help_shows_examples(shoal):
    ran = shoal("utility", "--help")
    assert ran.code == 0
    assert "--no-models" in ran.out
    assert "shoal utility people.csv release.csv" in ran.out
