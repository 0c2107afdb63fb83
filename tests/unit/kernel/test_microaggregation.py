"""MDAV in the kernel, against a few lines of Python, and the models' definitions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal import _kernel
from shoal.measure.loss import Loss
from shoal.privacy.alpha_k import AlphaK
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.model import PrivacyModel
from shoal.privacy.passing_classes import holding
from shoal.privacy.t_closeness import TCloseness
from shoal.search.problem import SearchProblem

from .test_frequency_sets import kernel_table
from .test_group_tests import classes_of_tuples
from .test_histograms import table_of

Points = NDArray[np.float64]


def textbook_mdav(points: Points, k: int) -> set[frozenset[int]]:
    """MDAV as it is published, with one row for each point."""
    left, classes = list(range(len(points))), set()

    def farthest(center: Points) -> int:
        return max(left, key=lambda i: float(((points[i] - center) ** 2).sum()))

    def take_around(place: int) -> None:
        near = sorted(left, key=lambda i: float(((points[i] - points[place]) ** 2).sum()))[:k]
        classes.add(frozenset(near))
        left[:] = [i for i in left if i not in near]

    while len(left) >= 3 * k:
        first = farthest(points[left].mean(axis=0))
        opposite = farthest(points[first])
        take_around(first)
        take_around(opposite)
    if len(left) >= 2 * k:
        take_around(farthest(points[left].mean(axis=0)))
    classes.add(frozenset(left))
    return classes


def table_with(rows: NDArray[np.int64]) -> _kernel.CodedTable:
    """A table whose tuples are as many as there are numbers of rows."""
    tuples = np.arange(len(rows), dtype=np.uint32)
    return kernel_table([tuples], [[tuples, np.zeros(len(rows), np.uint32)]], rows.astype(np.uint64))


def axes(points: Points) -> list[Points]:
    return [np.ascontiguousarray(axis) for axis in points.T]


def classes_of(found: _kernel.TupleClasses) -> set[frozenset[int]]:
    class_of = np.asarray(found.class_of)
    return {frozenset(np.flatnonzero(class_of == number).tolist()) for number in range(len(found))}


@pytest.mark.parametrize(
    ("rows", "dimensions", "k"), [(4, 1, 2), (61, 1, 3), (200, 2, 5), (317, 4, 7), (9, 3, 9)]
)
def test_rows_of_their_own_are_put_together_as_published(rows: int, dimensions: int, k: int) -> None:
    for seed in range(4):
        points = np.random.default_rng(seed).normal(size=(rows, dimensions))
        table = table_with(np.ones(rows, np.int64))
        found = table.aggregate(_kernel.Requirement(k, 0), axes(points))
        assert classes_of(found) == textbook_mdav(points, k)


@pytest.mark.parametrize("most", [50, 1 << 30])
def test_classes_are_as_small_as_their_tuples_allow(most: int) -> None:
    rng = np.random.default_rng(8)
    for k in (2, 5, 20):
        rows = np.minimum(rng.geometric(0.3, size=400), 3 * k)
        points = rng.integers(0, 30, size=(400, 2)).astype(float)  # with ties
        found = table_with(rows).aggregate(_kernel.Requirement(k, 0), axes(points), most)
        sizes = [int(rows[list(group)].sum()) for group in classes_of(found)]
        assert min(sizes) >= k
        assert sum(sizes) == int(rows.sum())
        for group in classes_of(found):
            of_tuples = rows[list(group)]
            size = int(of_tuples.sum())
            assert size < 2 * k or int(of_tuples.max()) > size - 2 * k, (k, of_tuples)


def test_tuples_of_many_rows_are_left_alone() -> None:
    points = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])
    rows = np.array([5, 7, 6, 2, 3])
    found = table_with(rows).aggregate(_kernel.Requirement(5, 0), axes(points))
    assert classes_of(found) == {frozenset({0}), frozenset({1}), frozenset({2}), frozenset({3, 4})}


def test_too_few_rows_are_one_class_that_fails() -> None:
    table = table_with(np.array([1, 2]))
    requirement = _kernel.Requirement(4, 0)
    found = table.aggregate(requirement, [np.array([0.0, 1.0])])
    assert len(found) == 1
    assert table.passing(requirement, np.array(found.class_of), 1) == [False]


MODELS: list[tuple[PrivacyModel, ...]] = [
    (LDiversity("few", 3),),
    (KAnonymity(3), LDiversity("few", 2.5, "entropy"), TCloseness("two", 0.3)),
    (AlphaK("few", 0.6, 4),),
]


WITH_UNITS: list[tuple[PrivacyModel, ...]] = [
    (KAnonymity(3),),
    (AlphaK("few", 0.6, 3), LDiversity("two", 2)),
]


@pytest.mark.parametrize("most", [40, 1 << 30])
@pytest.mark.parametrize(
    ("models", "units"), [*((models, False) for models in MODELS), *((models, True) for models in WITH_UNITS)]
)
def test_classes_satisfy_all_models(models: tuple[PrivacyModel, ...], units: bool, most: int) -> None:
    problem = SearchProblem(table_of(1000, False, 5, units=units), models, Loss())
    points = problem.ground.classes([]).labels.astype(float)
    found = problem.ground.aggregate(problem.requirement, axes(points), most)
    assert len(found) > 1
    classes = classes_of_tuples(problem, found.class_of, len(found))
    assert holding(models, classes).all()
    assert int(classes.sizes.sum()) == problem.table.entries


@pytest.mark.parametrize("models", [(KAnonymity(60),), (KAnonymity(60), TCloseness("few", 0.1))])
@pytest.mark.parametrize("most", [300, 1 << 30])
def test_threads_change_nothing(models: tuple[PrivacyModel, ...], most: int) -> None:
    problem = SearchProblem(table_of(20_000, True, 3), models, Loss())
    points = problem.ground.classes([]).labels.astype(float)
    alone = problem.ground.aggregate(problem.requirement, axes(points), most)
    assert len(alone) > 50
    for threads in (2, 5):
        found = problem.ground.aggregate(problem.requirement, axes(points), most, threads)
        np.testing.assert_array_equal(found.class_of, alone.class_of)


@pytest.mark.parametrize(
    ("coordinates", "message"),
    [
        ([], "need a coordinate"),
        ([np.zeros(2)], "every tuple needs"),
        ([np.zeros(3), np.array([0.0, np.nan, 0.0])], "not finite"),
    ],
)
def test_points_that_do_not_fit_are_refused(coordinates: list[Points], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        table_with(np.ones(3, np.int64)).aggregate(_kernel.Requirement(2, 0), coordinates)
