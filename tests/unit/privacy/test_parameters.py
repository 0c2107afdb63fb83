"""What models take: checked when they are made, all at once, with advice."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from shoal.errors import InputError
from shoal.privacy.alpha_k import AlphaK
from shoal.privacy.beta_likeness import BetaLikeness
from shoal.privacy.delta_disclosure import DeltaDisclosure
from shoal.privacy.delta_presence import DeltaPresence
from shoal.privacy.k_map import KMap
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.model import PrivacyModel
from shoal.privacy.population import Population
from shoal.privacy.reidentification_risk import Risk
from shoal.privacy.t_closeness import TCloseness

NAN, INF = math.nan, math.inf

# A model with one bad parameter, or several, and what the message says of each.
BAD: list[tuple[Callable[[], object], list[str]]] = [
    (lambda: AlphaK("", 0, 0), ["sensitive column", "alpha above 0, at most 1", "k of at least 1"]),
    (lambda: AlphaK("x", 1.1, True), ["alpha above 0", "whole number k"]),
    (lambda: AlphaK("x", NAN, 2.5), ["Found: nan", "Found: 2.5"]),
    (lambda: AlphaK("x", True, 2), ["alpha above 0"]),
    (lambda: KMap(0, None), ["k of at least 1", "name of a file.*\nFound: NoneType"]),
    (lambda: KMap(2, ""), ["name of a file"]),
    (lambda: KMap(2, 5), ["Found: int"]),
    (lambda: DeltaPresence(None, -0.1, 2), ["name of a file", "lower from 0 to 1", "upper above 0"]),
    (lambda: DeltaPresence("x.csv", 0.5, 0.2), ["not above the upper one.\nFound: lower 0.5, upper 0.2"]),
    (lambda: DeltaPresence("x.csv", 0, 0), ["upper above 0, at most 1.\nFound: 0"]),
    (lambda: LDiversity("x", 0), ["whole number l of at least 1.\nFound: 0"]),
    (lambda: LDiversity("x", 2.5), ["whole number l"]),
    (lambda: LDiversity("x", 0.5, "entropy"), ["number l of at least 1"]),
    (lambda: LDiversity("x", 2, "recursive"), ["number c above 0.\nFound: None"]),
    (lambda: LDiversity("x", 2, "recursive", 0), ["number c above 0.\nFound: 0"]),
    (lambda: LDiversity("x", 2, "recursive", INF), ["number c above 0.\nFound: inf"]),
    (lambda: LDiversity("x", 2, "distinct", 4), ["c only with kind recursive.\nFound: 4"]),
    (
        lambda: LDiversity(5, "3", "entropie"),  # type: ignore[arg-type]
        [
            "sensitive column.\nFound: 5",
            "Unknown kind of l-diversity.\nFound: 'entropie'. Known: distinct, entropy, recursive. "
            "Did you mean 'entropy'?",
            "whole number l of at least 1.\nFound: '3'",
        ],
    ),
    (lambda: TCloseness("x", -0.1), ["t from 0 to 1.\nFound: -0.1"]),
    (lambda: TCloseness("x", 1.5), ["t from 0 to 1.\nFound: 1.5"]),
    (
        lambda: TCloseness(None, "0.2", "hierarchic"),  # type: ignore[arg-type]
        ["sensitive column", "t from 0 to 1", "Unknown distance.*\n.*Did you mean 'hierarchical'?"],
    ),
    (lambda: TCloseness("x", 0.2, order=["a"]), ["order only with distance ordered"]),
    (lambda: TCloseness("x", 0.2, "ordered", "abc"), ["a list of values"]),
    (lambda: TCloseness("x", 0.2, "ordered", []), ["a list of values"]),
    (
        lambda: TCloseness("x", 0.2, "ordered", ["a", "b", "a"]),
        ["each value once.\nFound: 3 values, of which 1"],
    ),
    (lambda: TCloseness("x", 0.2, "ordered", [{}, object()]), ["plain values"]),
    (
        lambda: BetaLikeness("x", 0, "enhaced"),  # type: ignore[arg-type]
        ["beta above 0", "Did you mean 'enhanced'?"],
    ),
    (lambda: DeltaDisclosure("", 0), ["sensitive column", "delta above 0"]),
    (Risk, ["needs a bound.\nFound: none"]),
    (lambda: Risk(0, 1.5), ["maximal above 0, at most 1", "average above 0, at most 1"]),
    (lambda: Risk("0.2"), ["maximal above 0"]),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("make", "said"), BAD)
def test_all_bad_parameters_come_in_one_error(make: Callable[[], object], said: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        make()
    assert len(caught.value.problems) == len(said)
    for problem, part in zip(caught.value.problems, said, strict=True):
        for line in part.split(".*\n.*" if ".*\n.*" in part else ".*\n"):
            assert line in problem.message


def test_keys_and_values_of_a_spec_come_in_one_error() -> None:
    with pytest.raises(InputError) as caught:
        TCloseness.from_spec({"column": "x", "t": 2, "distanc": "equal"})
    assert [problem.message for problem in caught.value.problems] == [
        "Unknown key 'distanc' of t-closeness.\nKnown: column, t, distance, order, from-level, "
        "distribution.\n"
        "Did you mean 'distance'?",
        "t-closeness needs a number t from 0 to 1.\nFound: 2.",
    ]
    with pytest.raises(InputError) as caught:
        KMap.from_spec({"k": 2, "population": 7})
    assert str(caught.value) == "k-map: A population must be the name of a file.\nFound: 7."
    with pytest.raises(InputError, match=r"k-map lacks k, population\.\nFound: no keys\."):
        KMap.from_spec({})


def test_numbers_of_numpy_become_plain_ones() -> None:
    model = AlphaK("x", np.float32(0.5), np.int64(3))  # type: ignore[arg-type]
    assert model.to_spec() == {"alpha-k": {"column": "x", "alpha": 0.5, "k": 3}}
    assert [type(value) for value in (model.alpha, model.k)] == [float, int]


SAID: list[tuple[PrivacyModel, str, object, str]] = [
    (
        AlphaK("job", 0.5, 5),
        "(0.5, 5)-anonymity of job",
        {"size": 5, "share": 0.4},
        "smallest class 5, largest share 0.4",
    ),
    (KMap(5, "a/census.csv"), "k-map 5 in census.csv", 7, "fewest people of the population in a class 7"),
    (
        DeltaPresence("census.csv", 0.05, 0.15),
        "delta-presence 0.05 to 0.15 in census.csv",
        {"lowest": 0.1, "highest": 0.125},
        "shares from 0.1 to 0.125",
    ),
    (LDiversity("job", 3), "distinct 3-diversity of job", 4, "fewest values 4"),
    (LDiversity("job", 3, "entropy"), "entropy 3-diversity of job", 3.25, "smallest diversity 3.25"),
    (LDiversity("job", 3, "recursive", 4), "recursive (4, 3)-diversity of job", 1.5, "largest ratio 1.5"),
    (
        TCloseness("job", 0.2, "hierarchical"),
        "0.2-closeness of job, hierarchical",
        0.1,
        "largest distance 0.1",
    ),
    (BetaLikeness("job", 2), "enhanced 2-likeness of job", 1.5, "largest gain 1.5"),
    (DeltaDisclosure("job", 1.0), "1-disclosure privacy of job", 0.5, "largest change 0.5"),
    (
        Risk(0.2, 0.05),
        "maximal risk 0.2, average risk 0.05",
        {"maximal": 0.2, "average": 0.04},
        "highest 0.2, on average 0.04",
    ),
]


@pytest.mark.parametrize(
    ("model", "claim", "measured", "words"), SAID, ids=lambda value: getattr(value, "name", None)
)
def test_claims_and_figures_in_words(model: PrivacyModel, claim: str, measured: object, words: str) -> None:
    assert model.describe() == claim
    assert model.wording(measured) == words
    assert model.wording(None) == "no classes"


def test_a_population_file_is_relative_to_the_spec(tmp_path: Path) -> None:
    model = KMap.from_spec({"k": 5, "population": "data/census.csv"}, tmp_path)
    assert model.population.source == tmp_path / "data/census.csv"
    assert model.population.name == "census.csv"
    # A spec names it as it was written, not by where it stands here.
    assert model.to_spec() == {"k-map": {"k": 5, "population": "data/census.csv"}}
    assert KMap.from_spec(model.to_spec()["k-map"], tmp_path) == model
    assert hash(KMap(5, tmp_path / "data/census.csv")) == hash(model)
    assert KMap(5, tmp_path / "other.csv") != model


def test_a_population_may_be_a_table() -> None:
    frame = pd.DataFrame({"age": [1, 2]})
    model = DeltaPresence(frame, 0, 0.5)
    assert model.population.source is frame
    assert model.describe() == "delta-presence 0 to 0.5 in a table given in Python"
    assert model.population == Population(frame)
    assert model.population != Population(frame.copy())


def test_a_table_in_the_wrong_place_is_not_shown() -> None:
    with pytest.raises(InputError, match=r"Found: a DataFrame\.") as caught:
        DeltaPresence(0.1, 0.9, pd.DataFrame({"town": ["Ulm"]}))  # type: ignore[arg-type]
    assert "Ulm" not in str(caught.value)
