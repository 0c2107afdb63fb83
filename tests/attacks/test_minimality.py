"""Minimality: the attacker knows the algorithm, the published manifest, and who is in the table with their
quasi-identifiers. They enumerate every table that the released rows could have come from, run the same search
on each, and keep those that give this very release. In ordinary mode that tells who has HIV (posterior 1.0,
shown in docs/minimality.md); chosen by the quasi-identifiers alone, it tells no more than the class does.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import shoal
from shoal.errors import InfeasibleError, InputError

AGES = [31, 35, 43, 45, 46, 50, 55]
ASKED = shoal.Spec(
    quasi_identifiers={"age": shoal.intervals(5, 10, 20)},
    sensitive=["disease"],
    privacy=[shoal.KAnonymity(2), shoal.TCloseness("disease", 0.3)],
)
BLIND = replace(ASKED, choose_by="quasi-identifiers", privacy=[shoal.KAnonymity(4), ASKED.privacy[1]])
Rows = Counter[tuple[object, ...]]


def released(ages: Sequence[int], ill: Sequence[int], spec: shoal.Spec, **settings: Any) -> Rows | None:
    """The rows of the release, or None where there is none."""
    diseases = ["HIV" if person in ill else "flu" for person in range(len(ages))]
    try:
        table = shoal.anonymize(pa.table({"age": ages, "disease": diseases}), spec, **settings).table
    except InfeasibleError:
        return None
    return Counter(zip(table["age"].to_pylist(), table["disease"].to_pylist(), strict=True))


def posterior(worlds: Sequence[Sequence[int]]) -> list[float]:
    return [sum(person in ill for ill in worlds) / len(worlds) for person in range(len(AGES))]


def attack(spec: shoal.Spec) -> tuple[list[float], list[float]]:
    """What the attacker believes by the rows alone, and after the search was run in every world."""
    published = released(AGES, (0, 1), spec)
    assert published == {("*", "HIV"): 2, ("*", "flu"): 5}  # one class: any two of seven may be ill
    worlds = list(combinations(range(7), 2))
    return posterior(worlds), posterior([ill for ill in worlds if released(AGES, ill, spec) == published])


def test_the_best_release_tells_who_is_ill() -> None:
    before, after = attack(ASKED)
    assert before == [2 / 7] * 7
    assert after == [1, 1, 0, 0, 0, 0, 0]


def test_a_choice_by_quasi_identifiers_tells_nothing() -> None:
    before, after = attack(BLIND)
    assert before == after == [2 / 7] * 7


@given(
    st.lists(st.integers(20, 59), min_size=6, max_size=8),
    st.integers(2, 4),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from(
        [
            shoal.LDiversity("disease", 2),
            shoal.TCloseness("disease", 0.4),
            shoal.AlphaK("disease", 0.7, 2),
            shoal.BetaLikeness("disease", 1.5),
            shoal.DeltaDisclosure("disease", 1.0),
        ]
    ),
)
@settings(max_examples=6, deadline=None)
def test_no_sensitive_value_moves_a_level_or_a_suppressed_row(
    ages: list[int], k: int, limit: float, model: Any
) -> None:
    spec = replace(BLIND, privacy=[shoal.KAnonymity(k), model], suppression=limit)
    found = [released(ages, ill, spec) for ill in combinations(range(len(ages)), 2)]
    # Where there is a release its labels are the same in every world; where a model fails there is none.
    assert (
        len(
            {
                tuple(sorted(Counter(age for age, _ in rows.elements()).items(), key=str))
                for rows in found
                if rows
            }
        )
        <= 1
    )


@pytest.mark.parametrize(
    ("engine", "algorithm"), [("memory", "incognito"), ("memory", "best-first"), ("duckdb", "box")]
)
def test_every_engine_and_algorithm_chooses_alike(engine: str, algorithm: str, tmp_path: Path) -> None:
    for ill in ((0, 1), (2, 5)):
        diseases = ["HIV" if person in ill else "flu" for person in range(7)]
        parquet.write_table(pa.table({"age": AGES, "disease": diseases}), tmp_path / "people.parquet")
        release = shoal.anonymize(tmp_path / "people.parquet", BLIND, engine=engine, algorithm=algorithm)
        assert release.levels == {"age": 4}
        assert release.suppressed_rows == 0


def test_a_model_that_fails_is_refused_and_no_row_goes_for_its_value() -> None:
    spec = replace(BLIND, privacy=[shoal.KAnonymity(2), ASKED.privacy[1]], suppression=0.9)
    with pytest.raises(InfeasibleError) as error:
        shoal.anonymize(pa.table({"age": AGES, "disease": ["HIV"] * 2 + ["flu"] * 5}), spec)
    assert "does not satisfy 0.3-closeness of disease" in str(error.value)
    assert "larger k-anonymity, now 2" in str(error.value)
    assert "HIV" not in str(error.value)


def test_what_looks_at_another_column_is_refused() -> None:
    with pytest.raises(InputError, match="the measure classification uses column 'disease'"):
        replace(BLIND, quality={"classification": {"target": "disease"}})
    clusters = {"age": {"role": "quasi-identifier", "hierarchy": {"clusters": {"target": "disease"}}}}
    mapping = BLIND.to_mapping()
    with pytest.raises(InputError, match="the hierarchy of column 'age' uses column 'disease'"):
        shoal.Spec.from_mapping(mapping | {"columns": mapping["columns"] | clusters})


def test_what_is_handed_on_gives_nothing_of_the_search(tmp_path: Path) -> None:
    table = pa.table({"age": AGES, "disease": ["HIV"] * 2 + ["flu"] * 5})
    shoal.anonymize(table, ASKED).write(tmp_path / "release.csv")
    manifest = json.loads((tmp_path / "release.csv.manifest.json").read_text(encoding="utf-8"))
    assert not {"score", "optimal", "bound", "gap", "quality", "nodes", "notes"} & manifest.keys()
    assert not {"quality", "engine"} & manifest["spec"].keys()
    assert manifest["claims"][1]["figure"] is None


def test_the_option_is_in_spec_and_manifest(tmp_path: Path) -> None:
    assert shoal.Spec.from_mapping(BLIND.to_mapping()).choose_by == "quasi-identifiers"
    table = pa.table({"age": AGES, "disease": ["HIV"] * 2 + ["flu"] * 5})
    path = shoal.anonymize(table, BLIND).write(tmp_path / "release.csv")
    assert shoal.audit_release(path, original=table).holds


def test_people_with_several_rows_are_not_chosen_blindly() -> None:
    """Who has two of a class's rows is known, and whose values are which is not. A release would tell that no
    value is in a row of everybody, which leaves fewer tables than the rows do.
    """
    people = ["p", "p", "q", "q", "r", "s"]
    found = set()
    for ill in combinations(range(6), 2):
        table = pa.table(
            {
                "age": [31] * 6,
                "patient": people,
                "disease": ["HIV" if row in ill else "flu" for row in range(6)],
            }
        )
        spec = shoal.Spec(
            quasi_identifiers={"age": shoal.intervals(10)},
            sensitive=["disease"],
            unit="patient",
            privacy=[shoal.KAnonymity(2), shoal.LDiversity("disease", 2)],
            choose_by="quasi-identifiers",
        )
        with pytest.raises(InfeasibleError, match="where people have several rows") as error:
            shoal.anonymize(table, spec)
        found.add(str(error.value))
        assert shoal.anonymize(table, replace(spec, privacy=[shoal.KAnonymity(4)])).audit.holds
        one_each = table.set_column(1, "patient", pa.array(list("abcdef")))
        assert shoal.anonymize(one_each, spec).audit.holds
    assert len(found) == 1, "the refusal does not depend on the values"
