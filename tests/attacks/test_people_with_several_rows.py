"""People with several rows: what all people of a class have in common is hidden among their other values.

The attacker knows that somebody is in the table, and their quasi-identifiers. Six people of that age all have
HIV, and each has a row with another diagnosis too. Counted by rows, or by pairs of a person and a value, the
class has seven diagnoses of which HIV is one half: it would pass 3-diversity of every kind and 0.5-closeness.
But everybody in it has HIV, and that is what the attacker learns.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.audit.audit import audit_release
from shoal.encode.table import CodedTable
from shoal.privacy.grouped import group
from shoal.privacy.model import PrivacyModel
from shoal.registry import resolve
from shoal.search.algorithms.exhaustive import Exhaustive
from shoal.search.problem import SearchProblem
from tests.unit.tampering import manifest_of, rewrite

OTHERS = ["flu", "cold", "asthma", "gout", "ulcer", "angina"]

MODELS: dict[str, PrivacyModel] = {
    "distinct": shoal.LDiversity("disease", 3),
    "entropy": shoal.LDiversity("disease", 3, "entropy"),
    "recursive": shoal.LDiversity("disease", 3, "recursive", c=2),
    "alpha": shoal.AlphaK("disease", alpha=0.9, k=2),
    "equal": shoal.TCloseness("disease", 0.5),
    "ordered": shoal.TCloseness("disease", 0.5, "ordered"),
    "likeness": shoal.BetaLikeness("disease", 1, "basic"),
    "disclosure": shoal.DeltaDisclosure("disease", 1),
}
BY_ITSELF = ("distinct", "entropy", "recursive", "alpha")
"""Models that need no original table."""


def visits() -> pa.Table:
    """Six people in their fifties with HIV and one other diagnosis each, and 36 in their forties."""
    rows = [
        (50 + number, f"p{number}", disease) for number in range(6) for disease in ("HIV", OTHERS[number])
    ]
    rows += [(40 + number % 6, f"q{number}", [*OTHERS, "HIV"][number % 7]) for number in range(36)]
    ages, patients, diseases = zip(*rows, strict=True)
    return pa.table({"age": ages, "patient": patients, "disease": diseases})


def spec(model: PrivacyModel, **settings: Any) -> shoal.Spec:
    return shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10)},
        sensitive=["disease"],
        insensitive=["patient"],
        accept={"patient": "linkable"},  # so that recipients can count people
        unit="patient",
        privacy=[shoal.KAnonymity(3), model],
        **settings,
    )


def put(table: pa.Table, engine: str, folder: Path) -> dict[str, Any]:
    if engine == "memory":
        return {"data": table}
    pq.write_table(table, folder / "visits.parquet")
    return {"data": folder / "visits.parquet", "engine": engine}


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("model", MODELS)
def test_a_search_does_not_release_such_a_class(model: str, engine: str, tmp_path: Path) -> None:
    given = put(visits(), engine, tmp_path)
    try:
        release = shoal.anonymize(**given, spec=spec(MODELS[model]))
    except shoal.InfeasibleError:
        return
    assert release.levels["age"] > 1, "the six are among others"


def _release(folder: Path, claimed: PrivacyModel | None = None) -> Path:
    """Write a release that has the class, and let its manifest claim another model than was asked for."""
    asked = spec(shoal.LDiversity("disease", 1)).adjust(levels={"age": 1})
    release = shoal.anonymize(visits(), asked).write(folder / "release.csv")
    if claimed is not None:
        content = manifest_of(release)
        content["spec"]["privacy"][1] = claimed.to_spec()
        content["claims"][1] |= {"claim": claimed.describe(), "measured": "fewest values 7"}
        rewrite(release, content)
    return release


@pytest.mark.parametrize("model", MODELS)
def test_an_audit_finds_it(model: str, tmp_path: Path) -> None:
    original = visits() if MODELS[model].reads.original else None
    audit = audit_release(_release(tmp_path), spec(MODELS[model]), original=original)
    found = audit.findings[1]
    assert (found.claim, found.checkable, found.holds) == (MODELS[model].describe(), True, False)
    assert "1 class fails" in found.measured


@pytest.mark.parametrize("model", BY_ITSELF)
def test_the_checker_finds_it(model: str, tmp_path: Path) -> None:
    release = _release(tmp_path, MODELS[model])
    program = release.with_name("release.csv.checker.py")
    told = release.with_name("release.csv.manifest.json")
    ran = subprocess.run(
        [sys.executable, "-S", "-I", str(program), str(release), str(told)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert f"{MODELS[model].describe()}: FAILS" in ran.stdout


def test_who_does_not_get_the_unit_is_not_told_that_it_holds(tmp_path: Path) -> None:
    """Seven values are in the class, but whether few of them account for everybody cannot be seen."""
    release = visits().drop_columns(["patient"])
    ages = [f"[{age // 10 * 10}, {age // 10 * 10 + 10})" for age in release["age"].to_pylist()]
    release = release.set_column(0, "age", [ages])
    asked = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10)},
        sensitive=["disease"],
        unit="patient",
        privacy=[MODELS["distinct"]],
    )
    found = audit_release(release, asked).findings[0]
    assert (found.holds, found.checkable) == (False, False)
    assert not audit_release(release, asked, units=visits()["patient"].chunk(0)).findings[0].holds


def test_risk_says_what_is_certain() -> None:
    """Of 42 people six are in a class where all have HIV: whatever else they have, that is certain."""
    asked = spec(shoal.LDiversity("disease", 1)).adjust(levels={"age": 1})
    risk = shoal.anonymize(visits(), asked).risk().after
    found = risk.attributes["disease"]
    assert (risk.people, risk.rows) == (42, 48)
    assert (found.distinct, found.highest_posterior) == (1, 1)
    assert found.entropy == pytest.approx(1)
    assert found.certain == 6 / 42
    assert found.closeness > 2 - 48 / 42


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_headline_risks_count_people(engine: str, tmp_path: Path) -> None:
    """Five people with seven rows are a class of five, also where the release does not name them."""
    ages = [31, 31, 31, 33, 34, 35, 36] + [50 + number for number in range(9)]
    people = list("aaabcde") + [f"p{number}" for number in range(9)]
    asked = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10)},
        identifiers=["patient"],
        unit="patient",
        privacy=[shoal.KAnonymity(5)],
    )
    table = pa.table({"age": ages, "patient": people})
    risk = shoal.anonymize(**put(table, engine, tmp_path), spec=asked).risk()
    assert (risk.before.people, risk.after.people) == (14, 14)
    assert risk.after.prosecutor.highest == 1 / 5
    assert risk.after.class_sizes == {5: 1, 9: 1}
    assert risk.before.sample_uniques == 14


def classes_of(rows: list[tuple[str, str | None, str]], model: PrivacyModel) -> list[bool]:
    """Judge classes of rows: the group, the value, and who it is about."""
    groups, values, units = zip(*rows, strict=True)
    judged: list[bool] = model.holds(group(groups, units=units, disease=values)).tolist()
    return judged


@pytest.mark.parametrize("model", BY_ITSELF)
def test_null_that_all_have_is_a_value_that_all_have(model: str) -> None:
    rows = [("p", value, f"{number}") for number in range(6) for value in (None, OTHERS[number])]
    assert classes_of(rows, MODELS[model]) == [False]


@pytest.mark.parametrize("model", BY_ITSELF)
def test_one_person_with_a_thousand_rows_counts_once(model: str) -> None:
    """A thousand rows with one value weigh no more, and a thousand values do not make two people diverse."""
    rows = [("p", "HIV", "0")] * 1000 + [("p", OTHERS[number], f"{number}") for number in range(1, 6)]
    assert classes_of(rows, MODELS[model]) == [True]
    rows = [("p", f"disease {number}", "0") for number in range(1000)] + [("p", "flu", "1")]
    assert classes_of(rows, MODELS[model]) == [model == "alpha"]


def test_two_values_that_account_for_everybody() -> None:
    """Each of six people has HIV or AIDS, three each, and another diagnosis: two values say it all."""
    both = ["HIV", "AIDS"]
    rows = [("p", value, f"{n}") for n in range(6) for value in (both[n % 2], OTHERS[n])]
    assert classes_of(rows, shoal.LDiversity("disease", 2)) == [True]
    assert classes_of(rows, shoal.LDiversity("disease", 3)) == [False]
    assert classes_of(rows, shoal.LDiversity("disease", 2.1, "entropy")) == [False]
    assert classes_of(rows, shoal.LDiversity("disease", 3, "recursive", c=100)) == [False]


def test_somebody_who_joins_a_class_with_two_values() -> None:
    """Three people with three values are 3-diverse; a fourth one with two of these values ends that.

    So a class that passes may fail after merging, and a search must not conclude that it passes.
    """
    rows = [("1", "a", "A"), ("1", "b", "B"), ("1", "c", "C"), ("2", "a", "D"), ("2", "b", "D")]
    model = shoal.LDiversity("disease", 3)
    assert classes_of(rows, model) == [True, False]
    assert classes_of([("*", *row[1:]) for row in rows], model) == [False]
    table = pa.table(dict(zip(("q", "disease", "patient"), zip(*rows, strict=True), strict=True)))
    asked = shoal.Spec(
        quasi_identifiers={"q": "suppress"},
        sensitive=["disease"],
        unit="patient",
        privacy=[model],
        suppression=0.4,
    )
    release = shoal.anonymize(table, asked)
    assert (release.levels, release.suppressed_rows) == ({"q": 0}, 2)
    with pytest.raises(shoal.InputError, match="may fail after merging"):
        shoal.anonymize(table, asked, algorithm="flash")
    with pytest.raises(shoal.InfeasibleError):
        shoal.anonymize(table, asked.adjust(levels={"q": 1}))


def test_somebody_with_rows_in_two_classes() -> None:
    """Two people are in two classes, each with another value there: together, both have both values."""
    rows = [("1", "a", "A"), ("1", "b", "B"), ("2", "b", "A"), ("2", "a", "B")]
    model = shoal.LDiversity("disease", 2)
    assert classes_of(rows, model) == [True, True]
    assert classes_of([("*", *row[1:]) for row in rows], model) == [False], "both have a"


@pytest.mark.parametrize("model", ["distinct", "entropy", "recursive", "equal", "ordered"])
def test_every_node_is_judged_as_by_brute_force(model: str) -> None:
    table: CodedTable = group(
        [f"{number % 7}" for number in range(60)],
        units=[number * 5 % 17 for number in range(60)],
        disease=[OTHERS[number * number % 6] for number in range(60)],
    ).table
    loss = resolve("measures", "loss")()
    problem = SearchProblem(table, (MODELS[model],), loss, 0.3)
    found = resolve("algorithms", "box")().search(problem, all_nodes=True).satisfying
    expected = Exhaustive().search(problem, all_nodes=True).satisfying
    assert found is not None
    assert expected is not None
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("text", [False, True])
def test_people_are_counted_beside_a_population(engine: str, text: bool, tmp_path: Path) -> None:
    """Who the rows are about is removed, and the audit compares with a population all the same."""
    table = visits().append_column("town", pa.array(["Ulm", "Bonn", "Kiel"] * 16))
    town = table.select(["age", "town"])
    asked = shoal.Spec(
        quasi_identifiers={
            "age": shoal.intervals(10),
            "town": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0 if text else 1),
        },
        sensitive=["disease"],
        identifiers=["patient"],
        unit="patient",
        privacy=[shoal.KAnonymity(2), shoal.KMap(3, town), shoal.DeltaPresence(town, 0, 1)],
    )
    release = shoal.anonymize(**put(table, engine, tmp_path), spec=asked)
    assert release.audit.holds
    assert release.audit.findings[0].measured.startswith("smallest class ")


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("model", BY_ITSELF)
def test_no_figure_tells_whose_rows_are_whose(model: str, engine: str, tmp_path: Path) -> None:
    """Three people are in a class, and one of them has two of its four rows, as the attacker knows.

    The rows say HIV, HIV, flu and cold. If the fewest values, counted by people, are three, the two rows with
    HIV are one person's, and that is the one with two rows. If they are two, they are not.
    """
    handed_on = []
    asked = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10)},
        sensitive=["disease"],
        identifiers=["patient"],
        unit="patient",
        privacy=[MODELS[model], shoal.KAnonymity(2)],
    )
    weak = {"distinct": 2, "entropy": 1.1, "recursive": 2}
    if model in weak:
        kind: Any = model
        milder = shoal.LDiversity("disease", weak[model], kind, c=9 if kind == "recursive" else None)
        asked = shoal.Spec.from_mapping(asked.to_mapping() | {"privacy": [milder.to_spec()]})
    for diseases in (["HIV", "HIV", "flu", "cold"], ["HIV", "flu", "HIV", "cold"]):
        table = pa.table({"age": [31] * 4, "patient": list("aabc"), "disease": diseases})
        folder = tmp_path / diseases[1]
        folder.mkdir()
        path = shoal.anonymize(**put(table, engine, tmp_path), spec=asked).write(folder / "release.csv")
        handed_on.append(manifest_of(path)["claims"])
        assert not audit_release(path).fails
        assert "counted by 'patient'" in shoal.anonymize(table, asked).summary(), "the publisher sees it"
    assert handed_on[0] == handed_on[1]


def two_visits() -> pa.Table:
    """Ann came at 29 and at 31, with others of either age; each class is 2-diverse, HIV at most one half."""
    return pa.table(
        {
            "age": [29, 28, 31, 35],
            "patient": ["Ann", "Bob", "Ann", "Cid"],
            "disease": ["HIV", "flu", "HIV", "gout"],
        }
    )


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("suppressed", ["remove", "star"])
def test_classes_of_one_person_are_not_said_to_hold_together(
    suppressed: Any, engine: str, tmp_path: Path
) -> None:
    """Whoever knows that Ann has one illness, and came at both ages, finds the one that both classes have."""
    asked = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10)},
        sensitive=["disease"],
        identifiers=["patient"],
        unit="patient",
        privacy=[
            shoal.KAnonymity(2),
            shoal.LDiversity("disease", 2),
            shoal.AlphaK("disease", alpha=0.5, k=2),
        ],
        suppressed=suppressed,
    )
    release = shoal.anonymize(**put(two_visits(), engine, tmp_path), spec=asked)
    rows = release.table.to_pylist()
    first, second = ({row["disease"] for row in rows if row["age"] == a} for a in ("[20, 30)", "[30, 40)"))
    assert first & second == {"HIV"}, "the attack"
    (note,) = [note for note in release.notes if "several classes" in note]
    assert note.startswith("1 person has rows in several classes. Models of sensitive columns judge each")
    counted = replace(asked, privacy=(shoal.KAnonymity(2),))
    told = shoal.anonymize(**put(two_visits(), engine, tmp_path), spec=counted).notes
    assert not [note for note in told if "several classes" in note], "no model of sensitive columns"
    alone = two_visits().set_column(1, "patient", [["Ann", "Bob", "Dan", "Cid"]])
    assert not [note for note in shoal.anonymize(alone, asked).notes if "several classes" in note]
