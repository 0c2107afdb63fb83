"""What another recoding would lose: a true figure where one level per column loses much, otherwise none."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import InfeasibleError
from shoal.strategies.alternative import MUCH, WORTH


def people(rows: int, seed: int = 4) -> pa.Table:
    draw = random.Random(seed)
    return pa.table(
        {
            "age": [draw.randrange(18, 80) for _ in range(rows)],
            "zip": [f"53{draw.randrange(1000):03}" for _ in range(rows)],
            "sex": [draw.choice("FM") for _ in range(rows)],
            "disease": [draw.choice(["flu", "cold", "gout"]) for _ in range(rows)],
            "patient": [f"p{draw.randrange(rows)}" for _ in range(rows)],
        }
    )


def spec(**settings: Any) -> shoal.Spec:
    given: dict[str, Any] = {
        "quasi_identifiers": {"age": shoal.intervals(5, 10, 20), "zip": shoal.prefix(5), "sex": "suppress"},
        "sensitive": ["disease"],
        "identifiers": ["patient"],
        "privacy": [shoal.KAnonymity(5)],
    }
    return shoal.Spec(**{**given, **settings})


SETTINGS: list[dict[str, Any]] = [
    {},
    {"suppression": 0.1},
    {"suppression": 0.1, "suppressed": "star"},
    {"privacy": [shoal.KAnonymity(3), shoal.LDiversity("disease", 2)], "unit": "patient"},
    {"privacy": [shoal.Risk(maximal=0.2)]},
    {"quality": "certainty-penalty"},
    {"privacy": [shoal.KAnonymity(5), shoal.KMap(8, pa.concat_tables([people(400), people(400, 5)]))]},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: ", ".join(settings) or "plain")
def test_the_figure_is_that_of_another_call(settings: dict[str, Any]) -> None:
    release = shoal.anonymize(people(400), spec(**settings))
    other = shoal.anonymize(people(400), spec(**settings), recoding="mondrian").score
    assert release.score > MUCH
    assert other <= WORTH * release.score
    assert release.alternative is not None
    assert release.alternative.score == pytest.approx(other, rel=1e-12)
    words = f"mondrian loses {other:.1%} instead of {release.score:.1%} (--recoding mondrian)"
    assert words in release.summary()
    assert words in release._repr_html_()
    assert release.to_mapping()["alternative"] == {
        "recoding": "mondrian",
        "score": release.alternative.score,
    }


@given(st.integers(5, 40), st.integers(0, 1 << 30), st.integers(2, 5))
def test_it_is_named_exactly_where_it_is_much_better(rows: int, seed: int, k: int) -> None:
    table, wanted = people(rows, seed), spec(privacy=[shoal.KAnonymity(k)], accept={"disease": "linkable"})
    try:
        release = shoal.anonymize(table, wanted)
    except InfeasibleError:
        return
    other = shoal.anonymize(table, wanted, recoding="mondrian").score
    named = release.alternative is not None
    assert named == (release.score > MUCH and other <= WORTH * release.score)


@pytest.mark.parametrize(
    "settings",
    [
        {"quality": "discernability"},
        {"choose_by": "quasi-identifiers"},
        {"recoding": "cells"},
        {"privacy": [shoal.KAnonymity(1)]},
    ],
    ids=str,
)
def test_nothing_is_said_where_it_would_not_hold_or_does_not_matter(settings: dict[str, Any]) -> None:
    release = shoal.anonymize(people(60), replace(spec(**settings), accept={"disease": "linkable"}))
    assert release.alternative is None
    assert "another keeps more" not in release.summary()


def test_recipients_do_not_see_it(tmp_path) -> None:
    release = shoal.anonymize(people(400), spec())
    path = release.write(tmp_path / "release.csv", report=True)
    internal = path.with_name("release.csv.internal.html").read_text()
    assert "keeps more: with mondrian it would score" in internal
    for name in ("release.csv.manifest.json", "release.csv.report.html", "release.csv"):
        assert "mondrian" not in path.with_name(name).read_text()
