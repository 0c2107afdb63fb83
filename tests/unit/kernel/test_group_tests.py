"""Groups of tuples of any shape, tested by the kernel, against the models' own definitions on the rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal import _kernel
from shoal.encode.table import CodedTable
from shoal.measure.loss import Loss
from shoal.privacy.alpha_k import AlphaK
from shoal.privacy.classes import Classes
from shoal.privacy.delta_presence import DeltaPresence
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_map import KMap
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.model import PrivacyModel
from shoal.privacy.passing_classes import holding
from shoal.privacy.reidentification_risk import Risk
from shoal.privacy.t_closeness import TCloseness
from shoal.search.problem import SearchProblem

from .test_frequency_sets import kernel_table
from .test_histograms import EVERYBODY, MODELS, table_of

Models = tuple[PrivacyModel, ...]


def classes_of_tuples(problem: SearchProblem, class_of: NDArray[np.uint32], count: int) -> Classes:
    """Look the class of each row up, by its values, and that of each row of a population."""
    tuples = problem.ground.classes([])
    number = dict(zip(map(tuple, tuples.labels.tolist()), class_of.tolist(), strict=True))

    def look_up(codes: list[NDArray[np.uint32]]) -> NDArray[np.int64]:
        return np.array([number[row] for row in zip(*(c.tolist() for c in codes), strict=True)])

    return Classes(
        problem.table,
        look_up([column.codes for column in problem.table.columns]),
        count,
        {key: look_up(list(population.codes)) for key, population in problem.table.populations.items()},
    )


def check(table: CodedTable, models: Models) -> None:
    """Compare some groupings of the tuples: few large groups, many small ones, and some of each."""
    problem = SearchProblem(table, models, Loss())
    random = np.random.default_rng(3)
    tuples = problem.ground.tuples
    verdicts = set()
    for groups in (1, 7, tuples // 40 + 1, tuples // 4 + 1):
        skewed = (random.random(tuples) ** 3 * groups).astype(np.uint32)
        class_of = random.permutation(skewed)
        expected = classes_of_tuples(problem, class_of, groups)
        found = problem.ground.passing(problem.requirement, class_of, groups)
        assert found == (holding(models, expected) & (expected.sizes > 0)).tolist()
        verdicts.update(found)
    assert verdicts == {False, True}


# An average risk is of no single class.
OF_CLASSES = [model for model in MODELS if not isinstance(model, Risk)]


@pytest.mark.parametrize("model", OF_CLASSES, ids=lambda model: model.describe())
@pytest.mark.parametrize("wide", [False, True])
def test_every_condition_is_that_of_its_model(model: PrivacyModel, wide: bool) -> None:
    check(table_of(2000, wide, 1), (KAnonymity(2), model))


@pytest.mark.parametrize(
    "models",
    [
        (KAnonymity(4),),
        (AlphaK("few", 0.5, 3), LDiversity("two", 2)),
        (TCloseness("few", 0.4), LDiversity("many", 3, "entropy")),
    ],
)
def test_units_count_once_in_a_group(models: Models) -> None:
    table = table_of(1500, False, 5, units=True)
    assert table.units is not None
    units = np.unique(table.units, return_inverse=True)[1].reshape(-1).astype(np.uint32)
    check(CodedTable(table.columns, table.rows, table.attributes, units), models)


@pytest.mark.parametrize(
    "models",
    [(KMap(6, EVERYBODY),), (KAnonymity(2), DeltaPresence(EVERYBODY, 0.0, 0.6), LDiversity("few", 2))],
)
def test_a_population_counts_with_its_own_tuples(models: Models) -> None:
    check(table_of(1500, True, 7, others=4000), models)


def test_tuples_may_be_in_no_group() -> None:
    table = kernel_table([np.array([0, 0, 1, 1, 1, 2], dtype=np.uint32)], [[np.arange(3, dtype=np.uint32)]])
    none = _kernel.no_class
    class_of = np.array([0, none, 0], dtype=np.uint32)
    assert table.passing(_kernel.Requirement(3, 0), class_of, 2) == [True, False]
    assert table.passing(_kernel.Requirement(4, 0), class_of, 1) == [False]
    with pytest.raises(ValueError, match="no such class"):
        table.passing(_kernel.Requirement(3, 0), class_of, 0)
    with pytest.raises(ValueError, match="every tuple needs a class"):
        table.passing(_kernel.Requirement(3, 0), class_of[:2], 1)
