"""What a table shows that keeps a model from being asked of it, or that readers should know."""

from __future__ import annotations

import pytest

from shoal.privacy.alpha_k import AlphaK
from shoal.privacy.beta_likeness import BetaLikeness
from shoal.privacy.delta_presence import DeltaPresence
from shoal.privacy.grouped import group
from shoal.privacy.k_map import KMap
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.model import PrivacyModel
from shoal.privacy.population import Population
from shoal.privacy.t_closeness import TCloseness

TOWN = Population("town.csv")
TABLE = group(
    ["a", "a", "b", "c"], job=["cook", "nurse", None, "cook"], populations={TOWN: ["a", "a", "b"]}
).table

FOUND: list[tuple[PrivacyModel, str | None]] = [
    (LDiversity("job", 3), None),
    (LDiversity("job", 4), "has 3, so no class can have more.\nUse an l of at most 3."),
    (LDiversity("job", 3.1, "entropy"), "has 3, so"),
    (LDiversity("job", 4, "recursive", 2), "has 3, so"),
    (AlphaK("job", 0.34, 2), None),
    (AlphaK("job", 0.33, 2), "at least 1/3 in any class"),
    (TCloseness("job", 0.1, "ordered", ["nurse", "cook"]), None),
    (TCloseness("job", 0.1, "ordered", ["nurse", "clerk"]), "has 3 different values, 1 are missing"),
    (BetaLikeness("job", 0.1), None),
    (KMap(2, TOWN), "1 of 4 rows have quasi-identifiers that nobody in the population has"),
    (DeltaPresence(TOWN, 0, 1), "1 of 4 rows have quasi-identifiers that fewer people have"),
]


@pytest.mark.parametrize(("model", "said"), FOUND, ids=lambda value: getattr(value, "name", None))
def test_what_no_class_can_satisfy_is_told_before_any_search(model: PrivacyModel, said: str | None) -> None:
    problems = list(model.problems(TABLE))
    assert len(problems) == (said is not None)
    for problem in problems:
        assert said is not None
        assert said in problem
        assert problem.startswith(f"{model.describe()}: ")
        assert not any(value in problem for value in ("cook", "nurse")), "no cell values"


def test_populations_that_are_too_small() -> None:
    twice = group(["a", "a", "b"], populations={TOWN: ["a", "b", "b"]}).table
    assert not list(KMap(3, TOWN).problems(twice))
    assert [p.split("\n")[1] for p in KMap(4, TOWN).problems(twice)] == ["The population has 3."]
    assert ["2 of 3 rows" in p for p in DeltaPresence(TOWN, 0, 1).problems(twice)] == [True]


def test_somebody_with_many_rows_needs_one_of_the_population() -> None:
    visits = group(["a", "a"], units=["Ann", "Ann"], populations={TOWN: ["a"]}).table
    assert not list(DeltaPresence(TOWN, 0, 1).problems(visits))


def test_alphabetical_order_is_noted() -> None:
    assert ["alphabetical" in note for note in TCloseness("job", 0.2, "ordered").notes(TABLE)] == [True]
    for model in (TCloseness("job", 0.2), TCloseness("job", 0.2, "ordered", ["nurse", "cook"])):
        assert not list(model.notes(TABLE))
    numbers = group(["a", "b"], wage=["10", "9"]).table
    assert not list(TCloseness("wage", 0.2, "ordered").notes(numbers))
