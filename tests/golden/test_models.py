"""Privacy models on Adult: the optima of ARX 3.9.2, confirmed by brute force, through the whole flow.

Eight quasi-identifiers, occupation sensitive, 5-anonymity and one model. ARX lists fewer satisfying nodes
where a model is not absorbing; the counts here are complete.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import shoal
from shoal import registry
from shoal.data import load_benchmark
from shoal.privacy.model import PrivacyModel
from shoal.search.algorithms.box import Box
from shoal.search.algorithms.exhaustive import Exhaustive
from shoal.search.problem import SearchProblem

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[3] / "shared" / "datasets"))
COLUMNS = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "salary-class",
)
ON = "occupation"

pytestmark = pytest.mark.skipif(
    not (DATA / "adult.csv").is_file(),
    reason="adult.csv is not there: set SHOAL_DATA to the folder of the data",
)

DISTINCT = shoal.LDiversity(ON, 3)
ENTROPY = shoal.LDiversity(ON, 3, "entropy")
RECURSIVE = shoal.LDiversity(ON, 3, "recursive", 4)
HIERARCHICAL = shoal.TCloseness(ON, 0.2, "hierarchical")
EQUAL = shoal.TCloseness(ON, 0.2, "equal")
LIKENESS = shoal.BetaLikeness(ON, 2, "enhanced")

# Model, limit, satisfying nodes, best score, its levels, its suppressed rows; by monotone discernability.
GOLDEN: list[tuple[PrivacyModel | None, float, int, float, str, int]] = [
    (None, 0.02, 1552, 3729686, "0,0,1,1,2,2,2,1", 473),
    (DISTINCT, 0, 59, 55170356, "1,1,1,1,3,2,2,1", 0),
    (DISTINCT, 0.02, 1440, 3729686, "0,0,1,1,2,2,2,1", 478),
    (ENTROPY, 0, 43, 55170356, "1,1,1,1,3,2,2,1", 0),
    (RECURSIVE, 0, 47, 55170356, "1,1,1,1,3,2,2,1", 0),
    (RECURSIVE, 0.02, 1011, 3729686, "0,0,1,1,2,2,2,1", 550),
    (HIERARCHICAL, 0, 5, 290180796, "0,4,1,1,3,2,2,1", 0),
    (HIERARCHICAL, 0.02, 13, 224439312, "1,4,1,1,2,2,2,1", 484),
    (EQUAL, 0, 2, 456853172, "1,4,1,1,3,2,2,1", 0),
    (LIKENESS, 0, 5, 325529940, "1,4,1,1,3,2,2,0", 0),
    (LIKENESS, 0.02, 18, 163322348, "1,4,1,1,2,2,2,0", 484),
]

# By loss with a limit of 2%: model, best score, its levels, its suppressed rows.
BY_LOSS = [
    (DISTINCT, 0.2786673347, "0,3,0,2,2,1,1,0", 570),
    (EQUAL, 0.8401102795, "1,4,1,1,3,1,2,1", 321),
]


def hierarchy(column: str) -> shoal.QuasiIdentifier:
    return shoal.QuasiIdentifier(
        hierarchy=shoal.hierarchy_file(DATA / "hierarchies" / f"adult_hierarchy_{column}.csv")
    )


def anonymize(model: PrivacyModel | None, limit: float, quality: str, *, all_nodes: bool) -> shoal.Release:
    spec = shoal.Spec(
        quasi_identifiers={column: hierarchy(column) for column in COLUMNS},
        sensitive={ON: hierarchy(ON).hierarchy},
        privacy=[shoal.KAnonymity(5), *([model] if model else [])],
        suppression=limit,
        quality=quality,
    )
    return shoal.anonymize(DATA / "adult.csv", spec, all_nodes=all_nodes)


def levels(release: shoal.Release) -> str:
    return ",".join(map(str, release.levels.values()))


@pytest.mark.parametrize(("model", "limit", "nodes", "score", "best", "suppressed"), GOLDEN)
def test_monotone_discernability(
    model: PrivacyModel | None, limit: float, nodes: int, score: float, best: str, suppressed: int
) -> None:
    release = anonymize(model, limit, "discernability-monotone", all_nodes=True)
    assert (release.score, levels(release), release.suppressed_rows) == (score, best, suppressed)
    assert release.satisfying_nodes is not None
    assert len(release.satisfying_nodes) == nodes
    assert release.optimal
    assert release.audit.holds


@pytest.mark.parametrize(("model", "score", "best", "suppressed"), BY_LOSS)
def test_loss(model: PrivacyModel, score: float, best: str, suppressed: int) -> None:
    release = anonymize(model, 0.02, "loss", all_nodes=False)
    assert release.score == pytest.approx(score, abs=1e-10)
    assert (levels(release), release.suppressed_rows) == (best, suppressed)
    assert release.optimal


@pytest.mark.slow
@pytest.mark.parametrize("quality", ["discernability", "loss"])
@pytest.mark.parametrize(
    "model",
    [
        DISTINCT,
        ENTROPY,
        RECURSIVE,
        HIERARCHICAL,
        EQUAL,
        LIKENESS,
        shoal.TCloseness(ON, 0.2, "ordered"),
        shoal.BetaLikeness(ON, 1, "basic"),
        shoal.DeltaDisclosure(ON, 1.0),
        shoal.AlphaK(ON, 0.4, 5),
        shoal.Risk(average=0.02),
    ],
    ids=lambda model: model.describe(),
)
def test_the_exhaustive_reference_finds_the_same(model: PrivacyModel, quality: str) -> None:
    table = load_benchmark("adult", [*COLUMNS[:6], ON])
    table = replace(table, columns=table.columns[:-1], attributes={ON: table.columns[-1]})
    measure = registry.resolve("measures", quality)()
    problem = SearchProblem(table, (shoal.KAnonymity(5), model), measure, 0.02)
    found = Box().search(problem, all_nodes=True)
    reference = Exhaustive().search(problem, all_nodes=True)
    assert found.satisfying is not None
    assert reference.satisfying is not None
    np.testing.assert_array_equal(found.satisfying, reference.satisfying)
    for result in (found, Box().search(problem, threads=2)):
        assert (result.levels, result.suppressed_rows) == (reference.levels, reference.suppressed_rows)
        assert result.score == pytest.approx(reference.score, rel=1e-12)
