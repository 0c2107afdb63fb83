"""Mondrian in the kernel, against a few lines of Python that try every cut, and the models' definitions."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal import _kernel
from shoal.encode.table import CodedTable
from shoal.measure.loss import Loss
from shoal.privacy.alpha_k import AlphaK
from shoal.privacy.beta_likeness import BetaLikeness
from shoal.privacy.delta_presence import DeltaPresence
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_map import KMap
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.model import PrivacyModel
from shoal.privacy.passing_classes import holding
from shoal.privacy.t_closeness import TCloseness
from shoal.search.problem import SearchProblem

from .test_frequency_sets import Maps, kernel_table, random_codes, random_maps
from .test_group_tests import classes_of_tuples
from .test_histograms import EVERYBODY, table_of

CUTS = ("peel", "gain", "median")
Costs = list[list[list[int]]]
Tuples = list[tuple[int, ...]]


def costs_of(maps: Maps) -> Costs:
    """What a cell loses: the share of the other values that its label covers."""
    costs = []
    for levels in maps:
        others = max(len(levels[0]) - 1, 1) * len(maps)
        costs.append([[int((n - 1) / others * 2**28) for n in np.bincount(m).tolist()] for m in levels])
    return costs


class Reference:
    """Mondrian by its definition, for tables so small that time does not matter."""

    def __init__(self, table: _kernel.CodedTable, maps: Maps, k: int, cut: str) -> None:
        found = table.classes([])
        self.tuples: Tuples = list(map(tuple, found.labels.tolist()))
        self.rows = found.rows.tolist()
        self.maps, self.costs, self.k, self.cut = maps, costs_of(maps), k, cut

    def size(self, part: frozenset[int]) -> int:
        return sum(self.rows[i] for i in part)

    def cell(self, part: frozenset[int], column: int) -> int:
        """What a cell costs at the lowest level with one label for all."""
        for level, labels in enumerate(self.maps[column]):
            (first, *others) = {int(labels[self.tuples[i][column]]) for i in part}
            if not others:
                return self.costs[column][level][first]
        raise AssertionError("no label covers all")

    def cost(self, part: frozenset[int]) -> int:
        return self.size(part) * sum(self.cell(part, column) for column in range(len(self.maps)))

    def halves(self, part: frozenset[int]) -> Iterator[tuple[int, frozenset[int], frozenset[int]]]:
        """Every cut that leaves both halves large enough."""
        for column, levels in enumerate(self.maps):
            groups = set()
            if self.cut != "median":
                for labels in levels:
                    for label in {int(labels[self.tuples[i][column]]) for i in part}:
                        groups.add(frozenset(i for i in part if labels[self.tuples[i][column]] == label))
            if self.cut != "peel":
                for value in {self.tuples[i][column] for i in part}:
                    groups.add(frozenset(i for i in part if self.tuples[i][column] <= value))
            for half in groups:
                if self.size(half) >= self.k and self.size(part - half) >= self.k:
                    yield column, half, part - half

    def scored(self, part: frozenset[int]) -> list[tuple[float, int, int, frozenset[int]]]:
        """Every cut that may be taken: its score, its column, the rows of the smaller half, and a half."""
        found = []
        for column, half, other in self.halves(part):
            smaller = min(self.size(half), self.size(other))
            gain = self.cost(part) - self.cost(half) - self.cost(other)
            cell = self.cell(part, column)
            if self.cut == "median" and cell > 0:
                found.append((float(cell), column, smaller, half))
            elif self.cut != "median" and (gain > 0 or cell > 0):
                found.append((gain / math.sqrt(math.sqrt(smaller)), column, smaller, half))
        return found

    def best(self, part: frozenset[int]) -> list[frozenset[int]]:
        """The best cuts of all columns that have one: of those of a column, the halves most alike."""
        scored = self.scored(part)
        most = max(score for score, *_ in scored)
        alike: dict[int, int] = {}
        for score, column, smaller, _ in scored:
            if score == most:
                alike[column] = max(alike.get(column, 0), smaller)
        return [h for score, column, smaller, h in scored if score == most and smaller == alike[column]]


def parts_of(class_of: NDArray[np.uint32], count: int) -> list[frozenset[int]]:
    return [frozenset(np.flatnonzero(class_of == number).tolist()) for number in range(count)]


SHAPES: list[tuple[list[int], list[int], int, int]] = [
    ([4, 3, 5], [2, 1, 2], 60, 3),
    ([30, 2, 9, 6], [3, 1, 2, 1], 200, 5),
    ([12], [3], 90, 4),
    ([3, 300, 4, 4, 4, 4, 4, 4, 4], [1, 3, 1, 1, 1, 1, 1, 1, 1], 150, 6),  # more than eight columns
]


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize(("cardinalities", "heights", "rows", "k"), SHAPES)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_first_cut_is_the_best_and_the_last_parts_have_none(
    cut: str, cardinalities: list[int], heights: list[int], rows: int, k: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    maps = random_maps(rng, cardinalities, heights)
    table = kernel_table(random_codes(rng, cardinalities, rows, 1.5), maps)
    reference = Reference(table, maps, k, cut)
    found = table.divide(_kernel.Requirement(k, 0), costs_of(maps), cut)
    parts = parts_of(found.class_of, len(found))
    assert sum(map(len, parts)) == table.tuples
    whole = frozenset(range(table.tuples))
    # A best cut of the whole table separates all classes: none has tuples of both halves.
    assert any(all(part <= half or not part & half for part in parts) for half in reference.best(whole))
    for part in parts:
        assert reference.size(part) >= k
        assert reference.scored(part) == []
    assert sum(map(reference.cost, parts)) <= reference.cost(whole)


def test_a_part_is_cut_where_most_is_saved() -> None:
    # Ages 0 to 3 with the labels 0-1 and 2-3, and a column with two values that follows age 3.
    ages = np.repeat(np.arange(4, dtype=np.uint32), [3, 3, 3, 3])
    other = (ages == 3).astype(np.uint32)
    maps = [
        [np.arange(4, dtype=np.uint32), np.array([0, 0, 1, 1], np.uint32), np.zeros(4, np.uint32)],
        [np.arange(2, dtype=np.uint32), np.zeros(2, np.uint32)],
    ]
    table = kernel_table([ages, other], maps)
    costs = [[[0] * 4, [10, 10], [30]], [[0, 0], [60]]]
    found = table.divide(_kernel.Requirement(5, 0), costs)
    # Age 3 against the others would save the most, but leaves too few.
    assert table.classes([]).labels.tolist() == [[0, 0], [1, 0], [2, 0], [3, 1]]
    assert found.class_of.tolist() == [0, 0, 1, 1]
    found = table.divide(_kernel.Requirement(3, 0), costs)
    assert sorted(found.class_of.tolist()) == [0, 1, 2, 3]
    with_k = table.divide(_kernel.Requirement(13, 0), costs)
    assert (with_k.class_of.tolist(), len(with_k)) == ([_kernel.no_class] * 4, 0)


def test_no_class_is_wider_than_the_highest_labels() -> None:
    codes = np.repeat(np.arange(6, dtype=np.uint32), [4, 4, 1, 1, 4, 4])
    maps = [[np.arange(6, dtype=np.uint32), np.array([0, 0, 1, 1, 2, 2], np.uint32)]]
    table = kernel_table([codes], maps)
    found = table.divide(_kernel.Requirement(5, 0), [[[0] * 6, [9] * 3]])
    none = _kernel.no_class
    assert found.class_of.tolist() == [0, 0, none, none, 1, 1]
    assert repr(found).startswith("TupleClasses(")


MODELS: list[tuple[PrivacyModel, ...]] = [
    (LDiversity("few", 3),),
    (KAnonymity(3), LDiversity("few", 2.5, "entropy"), TCloseness("two", 0.3)),
    (KAnonymity(3), TCloseness("few", 0.5, "ordered"), LDiversity("many", 3)),
    (BetaLikeness("few", 3.0),),
    (AlphaK("few", 0.6, 4),),
]
WITH_OTHERS: list[tuple[PrivacyModel, ...]] = [
    (KMap(5, EVERYBODY),),
    (KAnonymity(2), DeltaPresence(EVERYBODY, 0.0, 0.5)),
]


def check_models(table: CodedTable, models: tuple[PrivacyModel, ...], cut: str) -> None:
    """Every class passes by definition, and none can be cut so that both halves do."""
    problem = SearchProblem(table, models, Loss())
    maps = [list(column.maps) for column in table.columns]
    found = problem.ground.divide(problem.requirement, costs_of(maps), cut)
    assert len(found) > 1
    classes = classes_of_tuples(problem, found.class_of, len(found))
    assert holding(models, classes).all()
    assert (classes.sizes > 0).all()
    assert int(classes.sizes.sum()) == table.entries
    reference = Reference(problem.ground, maps, problem.threshold, cut)
    for part in parts_of(found.class_of, len(found)):
        for *_, half in reference.scored(part):
            halves = np.full(problem.ground.tuples, 2, dtype=np.uint32)
            halves[list(half)], halves[list(part - half)] = 0, 1
            assert not holding(models, classes_of_tuples(problem, halves, 3))[:2].all()


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("models", MODELS)
def test_classes_satisfy_all_models(models: tuple[PrivacyModel, ...], cut: str) -> None:
    check_models(table_of(1000, False, 11), models, cut)


@pytest.mark.parametrize("models", [(KAnonymity(3),), (AlphaK("few", 0.6, 3), LDiversity("two", 2))])
def test_units_are_counted_once(models: tuple[PrivacyModel, ...]) -> None:
    table = table_of(1000, False, 5, units=True)
    assert table.units is not None
    units = np.unique(table.units, return_inverse=True)[1].reshape(-1).astype(np.uint32)
    check_models(CodedTable(table.columns, table.rows, table.attributes, units), models, "peel")


@pytest.mark.parametrize("models", WITH_OTHERS)
def test_populations_are_counted(models: tuple[PrivacyModel, ...]) -> None:
    check_models(table_of(1000, False, 7, others=1500), models, "peel")


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("models", [(KAnonymity(4),), (KAnonymity(4), TCloseness("few", 0.4))])
def test_threads_change_nothing(models: tuple[PrivacyModel, ...], cut: str) -> None:
    table = table_of(4000, True, 3)
    problem = SearchProblem(table, models, Loss())
    costs = costs_of([list(column.maps) for column in table.columns])
    alone = problem.ground.divide(problem.requirement, costs, cut)
    assert len(alone) > 50
    for threads in (2, 3, 8):
        found = problem.ground.divide(problem.requirement, costs, cut, threads)
        np.testing.assert_array_equal(found.class_of, alone.class_of)


def test_labels_of_any_number_and_weights() -> None:
    rng = np.random.default_rng(4)
    cardinalities = [33_000, 5]  # more than a small lane holds
    maps = random_maps(rng, cardinalities, [3, 1])
    codes = random_codes(rng, cardinalities, 34_000, 1.0)
    weights = rng.integers(2**17, 2**18, 34_000, dtype=np.uint64)  # more than 2^32 rows, less than 2^33
    table = kernel_table(codes, maps, weights)
    found = table.divide(_kernel.Requirement(2**22, 0), costs_of(maps), threads=2)
    sizes = np.zeros(len(found), dtype=np.uint64)
    np.add.at(sizes, found.class_of, table.classes([]).rows)
    assert len(found) > 10
    assert int(sizes.min()) >= 2**22
    assert int(sizes.sum()) == int(weights.sum())


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([], "one entry per column"),
        ([[[0, 0]]], "one list per level"),
        ([[[0, 0], [1, 1]]], "one entry per label"),
        ([[[0, 0], [-1]]], "out of range"),
        ([[[0, 0], [2**28 + 1]]], "out of range"),
    ],
)
def test_costs_that_do_not_fit_are_refused(costs: Costs, message: str) -> None:
    maps = [[np.arange(2, dtype=np.uint32), np.zeros(2, np.uint32)]]
    table = kernel_table([np.arange(2, dtype=np.uint32)], maps)
    with pytest.raises(ValueError, match=message):
        table.divide(_kernel.Requirement(1, 0), costs)
    with pytest.raises(ValueError, match="unknown name"):
        table.divide(_kernel.Requirement(1, 0), [[[0, 0], [9]]], "halve")


def test_columns_together_cost_no_more_than_a_row() -> None:
    maps = [[np.arange(2, dtype=np.uint32), np.zeros(2, np.uint32)]] * 2
    table = kernel_table([np.arange(2, dtype=np.uint32)] * 2, maps)
    with pytest.raises(ValueError, match="costs too much"):
        table.divide(_kernel.Requirement(1, 0), [[[0, 0], [_kernel.full_cost]]] * 2)
