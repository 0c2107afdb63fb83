"""Strategies that choose classes: never worse than what they contain, under every model; what they refuse."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.encode.table import CodedTable
from shoal.errors import InfeasibleError, InputError
from shoal.measure.loss import Loss
from shoal.privacy.model import PrivacyModel
from shoal.recode.class_labels import LabelForm
from shoal.search.frequency_sets import InMemory
from shoal.search.problem import SearchProblem
from shoal.strategies.cells import CheapestClasses
from shoal.strategies.classes import ClassProblem
from shoal.strategies.full_domain_search import FullDomainSearch
from shoal.strategies.mondrian import Mondrian
from shoal.strategies.strategy import Question, Strategy
from shoal.testing.problems import requirements
from shoal.testing.tables import described_tables


def score(strategy: Strategy, table: CodedTable, models: tuple[PrivacyModel, ...], limit: float) -> float:
    """Return what a strategy's choice scores; infinity where it finds none."""
    spec = shoal.Spec(
        quasi_identifiers=dict.fromkeys(table.names, "suppress"),
        sensitive=dict.fromkeys(table.attributes, "suppress"),
        privacy=models,
    )
    question = Question(
        spec=spec,
        counts=InMemory(table),
        make_problem=lambda counted: SearchProblem(counted, models, Loss(), limit),
        most_entries=1 << 40,
    )
    try:
        return strategy.choose(question).score
    except InfeasibleError:
        return float("inf")


@given(described_tables(25, 3), requirements(max_k=4), st.sampled_from([0.0, 0.2]))
def test_a_recoding_never_loses_more_than_one_that_it_contains(
    table: CodedTable, models: tuple[PrivacyModel, ...], limit: float
) -> None:
    full, boxes, cells = (
        score(strategy, table, models, limit)
        for strategy in (FullDomainSearch(), Mondrian(), CheapestClasses())
    )
    slack = 1 + 1e-9
    assert cells <= boxes * slack or boxes == cells
    assert boxes <= full * slack or boxes == full


OTHER_CUTS = [
    Mondrian("gain"),
    Mondrian("median"),
    Mondrian("median", relaxed=True),
    Mondrian(labels="ranges"),
]


@given(described_tables(25, 3), requirements(max_k=4), st.sampled_from(OTHER_CUTS))
def test_no_cut_loses_more_than_the_best_levels(
    table: CodedTable, models: tuple[PrivacyModel, ...], strategy: Mondrian
) -> None:
    full, boxes = (score(each, table, models, 0.0) for each in (FullDomainSearch(), strategy))
    assert boxes <= full * (1 + 1e-9) or boxes == full


@given(described_tables(25, 3))
def test_sets_lose_no_more(table: CodedTable) -> None:
    models = (shoal.KAnonymity(3),)
    forms: tuple[LabelForm, ...] = ("nodes", "sets")
    nodes, sets = (score(Mondrian(labels=labels), table, models, 0.0) for labels in forms)
    assert sets <= nodes * (1 + 1e-9)


def people(rows: int = 300) -> pa.Table:
    draw = random.Random(4)
    return pa.table(
        {
            "age": [draw.randrange(18, 80) for _ in range(rows)],
            "zip": [f"53{draw.randrange(1000):03}" for _ in range(rows)],
            "sex": [draw.choice("FM") for _ in range(rows)],
            "disease": [draw.choice(["flu", "cold", "gout", "HIV"]) for _ in range(rows)],
            "patient": [f"p{draw.randrange(rows // 2)}" for _ in range(rows)],
        }
    )


def spec(**settings: Any) -> shoal.Spec:
    given: dict[str, Any] = {
        "quasi_identifiers": {
            "age": shoal.intervals(5, 10, 20),
            "zip": shoal.prefix(5),
            "sex": "suppress",
        },
        "sensitive": ["disease"],
        "identifiers": ["patient"],
        "privacy": [shoal.KAnonymity(5)],
    }
    return shoal.Spec(**{**given, **settings})


@pytest.mark.parametrize(
    "recoding",
    [
        "mondrian",
        {"mondrian": {"cut": "median", "relaxed": True}},
        "starred",
        "cell-suppression",
        "cells",
        {"cells": {"labels": "sets"}},
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"privacy": [shoal.KAnonymity(5), shoal.TCloseness("disease", 0.2)]},
        {"privacy": [shoal.Risk(maximal=0.2, average=0.1)]},
        {"suppression": 0.1, "suppressed": "star"},
        {"unit": "patient"},
        {"choose_by": "quasi-identifiers", "privacy": [shoal.KAnonymity(5), shoal.LDiversity("disease", 2)]},
    ],
    ids=str,
)
def test_releases_hold_in_an_audit_of_the_released_values(recoding: Any, settings: Any) -> None:
    release = shoal.anonymize(people(), spec(**settings), recoding=recoding)
    assert release.audit.holds, release.audit.render()
    assert release.score < (0.7 if recoding == "cell-suppression" else 0.5)
    assert not release.optimal


def test_numbers_and_dates_need_no_hierarchy_to_become_ranges() -> None:
    draw = random.Random(9)
    table = pa.table(
        {
            "income": [None if n % 40 == 0 else round(draw.lognormvariate(10, 1), 2) for n in range(400)],
            "born": [date(1950, 1, 1) + timedelta(days=draw.randrange(20_000)) for _ in range(400)],
            "sex": [draw.choice("FM") for _ in range(400)],
        }
    )
    plain = shoal.Spec(
        quasi_identifiers=dict.fromkeys(table.column_names, "suppress"), privacy=[shoal.KAnonymity(5)]
    )
    rigid = shoal.anonymize(table, plain, recoding="mondrian")
    assert any("income, born" in note and "labels: ranges" in note for note in rigid.notes)
    for recoding in ("mondrian", "cells"):
        release = shoal.anonymize(table, plain, recoding={recoding: {"labels": "ranges"}}, keep_order=True)
        assert release.audit.holds
        assert release.score < 0.3 < rigid.score
        assert not any("labels: ranges" in note for note in release.notes)
        for value, label in zip(table["born"].to_pylist(), release.table["born"].to_pylist(), strict=True):
            low, high = label.strip("[]").split(", ") if label[0] == "[" else (label, label)
            assert date.fromisoformat(low) <= value <= date.fromisoformat(high)


def test_weights_steer_and_pinned_columns_stay() -> None:
    pinned = shoal.anonymize(people(), spec(recoding="cells").adjust(levels={"sex": 0}))
    assert set(pinned.table["sex"].to_pylist()) == {"F", "M"}
    losses = [
        shoal.anonymize(
            people(), spec(recoding="mondrian").adjust(weights={"age": weight})
        ).explanation.contributions["age"]  # type: ignore[index]
        / (weight / (weight + 2))
        for weight in (0.1, 10.0)
    ]
    assert losses[1] < losses[0]


@pytest.mark.parametrize("quality", ["discernability", "height", {"loss": {"aggregate": "max"}}])
def test_a_measure_that_is_no_sum_of_cells_is_refused_before_any_work(quality: Any) -> None:
    with pytest.raises(InputError, match="is no sum over cells") as error:
        shoal.anonymize("nowhere.csv", spec(quality=quality), recoding="cells")
    assert "certainty-penalty, loss, precision" in str(error.value)


def test_a_measure_of_levels_needs_labels_that_have_one() -> None:
    assert shoal.anonymize(people(), spec(quality="precision"), recoding="mondrian").score > 0
    with pytest.raises(InputError, match="labels: nodes"):
        shoal.anonymize(people(), spec(quality="precision"), recoding={"mondrian": {"labels": "sets"}})


@pytest.mark.parametrize(
    ("recoding", "message"),
    [
        ({"mondrian": {"cut": "medain"}}, "Did you mean 'median'"),
        ({"mondrian": {"relaxed": True}}, "only cuts at the median"),
        ({"mondrian": {"cut": "median", "relaxed": "yes"}}, "true or false"),
        ({"cells": {"labels": "rangs"}}, "Did you mean 'ranges'"),
        ({"cells": {"cut": "peel"}}, "Unknown for cells: cut"),
        ({"mondrian": 5}, "by name"),
        ("mondrain", "Did you mean 'mondrian'"),
    ],
)
def test_wrong_settings_are_told_before_any_work(recoding: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        shoal.anonymize("nowhere.csv", spec(), recoding=recoding)


def test_an_impossible_requirement_names_the_nearest() -> None:
    with pytest.raises(InfeasibleError, match="that can be satisfied: k = 20"):
        shoal.anonymize(people(20), spec(privacy=[shoal.KAnonymity(21)]), recoding="cells")


def test_too_many_rows_for_sums_of_costs_are_refused() -> None:
    many = replace(CodedTable((), 0), rows=(1 << 33) + 1)
    with pytest.raises(InputError, match="up to 8,589,934,592 rows"):
        ClassProblem(SearchProblem(many, (shoal.KAnonymity(2),), Loss()))


def test_a_spec_keeps_its_recoding(tmp_path: Any) -> None:
    written = spec(recoding={"mondrian": {"cut": "gain", "labels": "ranges"}})
    again = shoal.Spec.from_mapping(written.to_mapping())
    assert again.recoding == written.recoding == Mondrian("gain", "ranges")
    assert "recoding" not in spec().to_mapping()
    assert replace(written, recoding="full-domain").recoding == FullDomainSearch()
