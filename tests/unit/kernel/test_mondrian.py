"""Mondrian in the kernel, against a few lines of Python that try every cut, and the models' definitions."""

from __future__ import annotations

import math

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

CUTS = ("peel", "gain", "median", "relaxed")
Costs = list[list[list[int]]]
Ranges = list[tuple[list[int], list[int]]]
Tuples = list[tuple[int, ...]]
Part = frozenset[int]
Rank = tuple[float, int, int, int, int]


def costs_of(maps: Maps) -> Costs:
    """What a cell loses: the share of the other values that its label covers."""
    costs = []
    for levels in maps:
        others = max(len(levels[0]) - 1, 1) * len(maps)
        costs.append([[int((n - 1) / others * 2**28) for n in np.bincount(m).tolist()] for m in levels])
    return costs


class Reference:
    """Mondrian by its definition, for tables so small that time does not matter.

    `ranges` has for each column what a range costs, or nothing: see `divide` of the kernel.
    """

    def __init__(
        self, table: _kernel.CodedTable, maps: Maps, k: int, cut: str, ranges: Ranges | None = None
    ) -> None:
        found = table.classes([])
        self.tuples: Tuples = list(map(tuple, found.labels.tolist()))
        self.rows = found.rows.tolist()
        self.maps, self.costs, self.k, self.cut = maps, costs_of(maps), k, cut
        self.ranges: Ranges = [([], [])] * len(maps) if ranges is None else ranges

    def size(self, part: Part) -> int:
        return sum(self.rows[i] for i in part)

    def cell(self, part: Part, column: int) -> int:
        """What a cell costs at the lowest level with one label for all, or as a range."""
        values = {self.tuples[i][column] for i in part}
        for level, labels in enumerate(self.maps[column]):
            (label, *others) = {int(labels[value]) for value in values}
            if not others:
                cost = self.costs[column][level][label]
                first, last = self.ranges[column]
                ranged = first and len(values) > 1
                return min(cost, last[max(values)] - first[min(values)]) if ranged else cost
        raise AssertionError("no label covers all")

    def row_cost(self, part: Part) -> int:
        return sum(self.cell(part, column) for column in range(len(self.maps)))

    def cost(self, part: Part) -> int:
        return self.size(part) * self.row_cost(part) if part else 0

    def groups(self, part: Part, column: int) -> set[Part]:
        """The tuples that a cut may separate from the others of a part."""
        value = {i: self.tuples[i][column] for i in part}
        groups = set()
        if self.cut != "median":
            for labels in self.maps[column]:
                for label in {int(labels[value[i]]) for i in part}:
                    groups.add(frozenset(i for i in part if labels[value[i]] == label))
        if self.cut != "peel" or self.ranges[column][0]:
            for place in set(value.values()):
                groups.add(frozenset(i for i in part if value[i] < place))
                groups.add(frozenset(i for i in part if value[i] >= place))
        return groups - {part, frozenset()}

    def cuts(self, whole: Part, inside: Part, *, both: bool) -> list[tuple[Rank, Part]]:
        """The cuts of a part that separate some tuples of those inside, the best first.

        With `both` the other tuples have enough rows too.
        """
        found = []
        for column in range(len(self.maps)):
            for group in self.groups(inside, column):
                others = whole - group
                if self.size(group) < self.k or self.size(others) < (self.k if both else 1):
                    continue
                smaller, cell = min(self.size(group), self.size(others)), self.cell(whole, column)
                saved = self.cost(whole) - self.cost(group) - self.cost(others)
                if self.cut == "median":
                    score = float(cell)
                else:
                    score = float(saved) / math.sqrt(math.sqrt(float(smaller)))
                if (saved < 0 and self.cut != "median") or (
                    cell == 0 and (saved == 0 or self.cut == "median")
                ):
                    continue
                values = [self.tuples[i][column] for i in group]
                choices = len(self.maps[column][0])
                found.append(((score, -choices, smaller, -min(values), -max(values)), group))
        return sorted(found, key=lambda cut: cut[0], reverse=True)

    def best(self, part: Part) -> Part | None:
        """The half that the best cut separates, if there is one."""
        small = self.cut != "median" and self.size(part) <= 8 * self.k
        best: tuple[float, Part | None] = (-1.0, None)
        for (score, *_), group in self.cuts(part, part, both=not small)[: 3 if small else 1]:
            if self.size(part - group) >= self.k and score > best[0]:
                best = score, group
            if small:
                for rank, fewer in self.cuts(part, group, both=True)[:1]:
                    if rank[0] > best[0]:
                        best = rank[0], fewer
        return best[1]

    def best_relaxed(self, part: Part) -> Part | None:
        """The half before the median of the column that costs the most and can be cut."""
        columns = [column for column in range(len(self.maps)) if self.cell(part, column) > 0]
        columns.sort(key=lambda column: (-self.cell(part, column), len(self.maps[column][0])))
        for first in columns:
            keys = [first, *(column for column in columns if column != first)]
            order = sorted(part, key=lambda i: [self.tuples[i][column] for column in keys])
            halves = [frozenset(order[:place]) for place in range(1, len(order))]
            halves = [h for h in halves if self.k <= self.size(h) <= self.size(part) - self.k]
            if halves:
                return min(halves, key=lambda half: abs(2 * self.size(half) - self.size(part)))
        return None

    def divide(self, part: Part) -> set[Part]:
        half = None
        if self.size(part) >= 2 * self.k:
            half = self.best_relaxed(part) if self.cut == "relaxed" else self.best(part)
        return {part} if half is None else self.divide(half) | self.divide(part - half)


def parts_of(class_of: NDArray[np.uint32], count: int) -> list[Part]:
    return [frozenset(np.flatnonzero(class_of == number).tolist()) for number in range(count)]


# Cardinalities that differ settle which of two equal cuts is taken.
SHAPES: list[tuple[list[int], list[int], int, int]] = [
    ([4, 3, 5], [2, 1, 2], 60, 3),
    ([30, 2, 9, 6], [3, 1, 2, 1], 200, 5),
    ([12], [3], 90, 4),
    ([3, 60, 4, 5, 6, 7, 8, 9, 10], [1, 3, 1, 1, 1, 1, 1, 1, 1], 90, 6),  # more than eight columns
]


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize(("cardinalities", "heights", "rows", "k"), SHAPES)
@pytest.mark.parametrize("ranged", [False, True])
def test_every_cut_is_the_best(
    cut: str, cardinalities: list[int], heights: list[int], rows: int, k: int, ranged: bool
) -> None:
    rng = np.random.default_rng(int(ranged))
    maps = random_maps(rng, cardinalities, heights)
    table = kernel_table(random_codes(rng, cardinalities, rows, 1.5), maps)
    ranges = [
        range_costs(levels, len(maps), rng) if column % 2 == 0 else ([], [])
        for column, levels in enumerate(maps)
    ]
    reference = Reference(table, maps, k, cut, ranges if ranged else None)
    found = table.divide(_kernel.Requirement(k, 0), costs_of(maps), cut, ranges=ranges if ranged else [])
    assert set(parts_of(found.class_of, len(found))) == reference.divide(frozenset(range(table.tuples)))


def range_costs(
    levels: list[NDArray[np.uint32]], columns: int, rng: np.random.Generator
) -> tuple[list[int], list[int]]:
    """What ranges of a column cost whose values are not at equal distances; the last value is in no range."""
    values = len(levels[0])
    places = np.sort(rng.integers(0, 2**28 // columns, values)).tolist()
    return places, [*places[:-1], 2**30]


def test_relaxed_halves_are_as_even_as_tuples_allow() -> None:
    # A column that has few values, and one that tells all rows apart.
    codes = [np.repeat(np.arange(3, dtype=np.uint32), [700, 200, 100]), np.arange(1000, dtype=np.uint32)]
    maps = [[np.arange(size, dtype=np.uint32), np.zeros(size, np.uint32)] for size in (3, 1000)]
    table = kernel_table(codes, maps)
    for k in (2, 3, 10):
        found = table.divide(_kernel.Requirement(k, 0), costs_of(maps), "relaxed")
        sizes = np.bincount(found.class_of)
        assert sizes.min() >= k
        assert sizes.max() <= 2 * k - 1


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
        halves_of = [] if cut == "relaxed" else reference.cuts(part, part, both=True)
        for _, half in halves_of:
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
