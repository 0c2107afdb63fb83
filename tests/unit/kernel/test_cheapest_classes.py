"""The cheapest classes first, against plain Python: what they are, and that no change helps."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from shoal import _kernel

from .test_frequency_sets import Maps, random_codes, random_maps

NO_CLASS = 2**32 - 1
Members = list[list[int]]
Labels = tuple[tuple[int, int], ...]  # of each column its level and label


@dataclass(frozen=True)
class Task:
    """A table with what its cells cost, and which groups of its tuples may be released."""

    table: _kernel.CodedTable
    maps: Maps
    costs: list[list[list[int]]]
    k: int
    distinct: int  # values of a further column that every class needs; 0 for none
    tuples: list[tuple[int, ...]]
    rows: list[int]
    values: list[frozenset[int]]

    def run(self, **options: int) -> Members:
        """Return the tuples of each class."""
        return self.run_with_cost(**options)[0]

    def run_with_cost(self, **options: int) -> tuple[Members, int]:
        """Return the tuples of each class, and what all cells cost."""
        found = self.table.cheapest(self.requirement, self.costs, **options)
        members: Members = [[] for _ in range(len(found))]
        for number, of in enumerate(found.class_of.tolist()):
            if of != NO_CLASS:
                members[of].append(number)
        return members, found.cost

    @property
    def requirement(self) -> _kernel.Requirement:
        conditions = []
        if self.distinct:
            conditions = [_kernel.Condition("distinct", 0, True, self.distinct, 0.0, [], [], [], 0.0, [], [])]
        return _kernel.Requirement(self.k, 0, conditions)

    def passes(self, members: Iterable[int]) -> bool:
        chosen = list(members)
        values = frozenset[int]().union(*(self.values[i] for i in chosen))
        return sum(self.rows[i] for i in chosen) >= self.k and len(values) >= self.distinct

    def labels(self, members: Iterable[int]) -> Labels:
        """The lowest labels that cover the tuples."""
        codes = [self.tuples[i] for i in members]
        labels = []
        for column, levels in enumerate(self.maps):
            for level, labels_of in enumerate(levels):
                seen = {int(labels_of[code[column]]) for code in codes}
                if len(seen) == 1:
                    labels.append((level, seen.pop()))
                    break
        return tuple(labels)

    def row_cost(self, members: Iterable[int]) -> int:
        return sum(
            self.costs[column][level][label] for column, (level, label) in enumerate(self.labels(members))
        )

    def cost(self, members: Iterable[int]) -> int:
        """What the tuples cost together as a class."""
        chosen = list(members)
        return self.row_cost(chosen) * sum(self.rows[i] for i in chosen) if chosen else 0

    def total(self, classes: Iterable[Iterable[int]]) -> int:
        return sum(self.cost(members) for members in classes)


def task_of(
    seed: int,
    cardinalities: list[int],
    rows: int,
    k: int,
    *,
    distinct: int = 0,
    heaviest: int = 1,
) -> Task:
    rng = np.random.default_rng(seed)
    cardinalities = [min(cardinality, rows) for cardinality in cardinalities]
    maps = random_maps(rng, cardinalities, [int(h) for h in rng.integers(1, 4, size=len(cardinalities))])
    codes = random_codes(rng, cardinalities, rows, 1.5)
    weights = rng.integers(1, heaviest + 1, size=rows).astype(np.uint64)
    values = rng.integers(0, max(distinct, 1) + 1, size=rows).astype(np.uint32)
    attributes = [_kernel.Attribute(values, int(values.max()) + 1, int(values.max()) + 1)] if distinct else []
    table = _kernel.CodedTable(
        codes=codes,
        maps=maps,
        user_levels=[list(range(len(levels))) for levels in maps],
        heights=[len(levels) - 1 for levels in maps],
        weights=weights,
        attributes=attributes,
    )
    classes = table.classes([])
    tuples = [tuple(labels) for labels in classes.labels.tolist()]
    values_of = defaultdict(set)
    for *code, value in zip(*(column.tolist() for column in codes), values.tolist(), strict=True):
        values_of[tuple(code)].add(value)
    return Task(
        table=table,
        maps=maps,
        costs=[leaf_costs(levels, len(maps)) for levels in maps],
        k=k,
        distinct=distinct,
        tuples=tuples,
        rows=classes.rows.tolist(),
        values=[frozenset(values_of[code]) for code in tuples],
    )


def leaf_costs(levels: list[np.ndarray], columns: int) -> list[list[int]]:
    """The share of a column's values that a label covers beyond one, in whole numbers."""
    share = _kernel.full_cost // columns // max(len(levels[0]) - 1, 1)
    return [((np.bincount(labels) - 1) * share).tolist() for labels in levels]


TASKS: dict[str, Callable[[int], Task]] = {
    "k=2": lambda seed: task_of(seed, [6, 5, 3], 40, 2),
    "k=3, many columns": lambda seed: task_of(seed, [4, 3, 2, 5, 2, 2], 60, 3),
    "k=5, weights": lambda seed: task_of(seed, [12, 7], 50, 5, heaviest=4),
    "k=300": lambda seed: task_of(seed, [9, 4, 4], 700, 300, heaviest=2),
    "2 values": lambda seed: task_of(seed, [6, 5, 4], 45, 3, distinct=2),
    "one column": lambda seed: task_of(seed, [30], 60, 4),
}
SEEDS = range(3)


@pytest.fixture(params=[(name, seed) for name in TASKS for seed in SEEDS], ids=lambda p: f"{p[0]}-{p[1]}")
def task(request: pytest.FixtureRequest) -> Task:
    name, seed = request.param
    return TASKS[name](seed)


@pytest.mark.parametrize("effort", [0, 1])
def test_every_tuple_is_in_a_class_that_may_be_released(task: Task, effort: int) -> None:
    classes = task.run(effort=effort)
    everything = range(len(task.tuples))
    if not task.passes(everything):
        assert classes == []
        return
    assert sorted(i for members in classes for i in members) == list(everything)
    assert all(task.passes(members) for members in classes)
    assert task.total(classes) <= task.cost(everything)
    assert len({task.labels(members) for members in classes}) == len(classes)


@pytest.mark.parametrize("effort", [0, 1])
@pytest.mark.parametrize("most_hashes", [2**64 - 1, 0, 300])
def test_threads_do_not_matter(task: Task, effort: int, most_hashes: int) -> None:
    options = {"effort": effort, "most_hashes": most_hashes}
    assert task.run(threads=1, **options) == task.run(threads=3, **options)


def test_classes_that_cost_too_much_are_given_up(task: Task) -> None:
    classes, cost = task.run_with_cost(suppressible=1)
    inside = {i for members in classes for i in members}
    suppressed = sum(rows for i, rows in enumerate(task.rows) if i not in inside)
    assert cost == task.total(classes) + suppressed * _kernel.full_cost
    for share in (0.0, 0.5, 0.9, 1.0):
        limit = {"most_cost": int(share * cost), "suppressible": 1}
        found, same = task.run_with_cost(**limit), task.run_with_cost(threads=3, **limit)
        assert found == same
        assert found[0] in ([], classes)
        assert found[1] == cost if found[0] == classes else found[1] > share * cost
    assert task.run(suppressible=1, most_cost=2 * cost) == classes


@pytest.mark.parametrize("most_hashes", [2**64 - 1, 300])
@pytest.mark.parametrize("effort", [0, 1])
def test_no_change_helps(task: Task, effort: int, most_hashes: int) -> None:
    classes = task.run(effort=effort, most_hashes=most_hashes)
    before = task.total(classes)
    changes = [finer_moves, splits] if effort == 0 else [moves, splits, dissolutions]
    for change in changes:
        for changed in change(task, classes):
            assert task.total(changed) >= before


Changes = Iterator[Members]


def replaced(classes: Members, new: dict[int, list[int]], *more: list[int]) -> Members:
    changed = [new.get(number, members) for number, members in enumerate(classes)]
    return [members for members in [*changed, *more] if members]


def moves(task: Task, classes: Members) -> Changes:
    """A tuple moves to another class."""
    for start, members in enumerate(classes):
        for moved in members:
            rest = [i for i in members if i != moved]
            if rest and not task.passes(rest):
                continue
            for target, others in enumerate(classes):
                if target != start and task.passes([*others, moved]):
                    yield replaced(classes, {start: rest, target: [*others, moved]})


def finer_moves(task: Task, classes: Members) -> Changes:
    """A tuple moves to another class, whose labels stay as they are."""
    was = Counter(task.labels(members) for members in classes)
    for changed in moves(task, classes):
        if not Counter(task.labels(members) for members in changed) - was:
            yield changed


def splits(task: Task, classes: Members) -> Changes:
    """What has a lower label in one column becomes a class, or joins that with its labels."""
    by_labels = {task.labels(members): number for number, members in enumerate(classes)}
    for number, members in enumerate(classes):
        for column, (top, _) in enumerate(task.labels(members)):
            for level in range(top):
                groups = defaultdict(list)
                for i in members:
                    groups[int(task.maps[column][level][task.tuples[i][column]])].append(i)
                for part in groups.values():
                    rest = [i for i in members if i not in part]
                    if not task.passes(rest):
                        continue
                    target = by_labels.get(task.labels(part))
                    if target is not None and target != number and task.passes([*classes[target], *part]):
                        yield replaced(classes, {number: rest, target: [*classes[target], *part]})
                    elif task.passes(part):
                        yield replaced(classes, {number: rest}, part)


def dissolutions(task: Task, classes: Members) -> Changes:
    """Each tuple of a class joins the class that grows least with it alone."""
    for number, members in enumerate(classes):
        joined: dict[int, list[int]] = {number: []}
        for i in members:
            places = [
                (task.cost([*others, i]) - task.cost(others), target)
                for target, others in enumerate(classes)
                if target != number and task.passes([*others, i])
            ]
            least = min(places, default=None)
            # Where two classes are as good, either may be chosen.
            if least is None or [growth for growth, _ in places].count(least[0]) > 1:
                break
            joined.setdefault(least[1], list(classes[least[1]])).append(i)
        else:
            if all(task.passes(others) for others in joined.values() if others):
                yield replaced(classes, joined)


def partitions(items: list[int]) -> Iterator[Members]:
    """Every way to put the items into classes."""
    if not items:
        yield []
        return
    first, *others = items
    for classes in partitions(others):
        yield [[first], *classes]
        for number, members in enumerate(classes):
            yield [*classes[:number], [first, *members], *classes[number + 1 :]]


@pytest.mark.parametrize("seed", range(12))
def test_small_tables_are_not_far_from_the_optimum(seed: int) -> None:
    task = task_of(seed, [4, 3, 3], 8, 2, distinct=2 * (seed % 2))
    everything = list(range(len(task.tuples)))
    allowed = [
        task.total(classes)
        for classes in partitions(everything)
        if all(task.passes(members) for members in classes)
    ]
    for effort in (0, 1):
        classes = task.run(effort=effort)
        if not allowed:
            assert classes == []
        else:
            assert min(allowed) <= task.total(classes) <= task.cost(everything)


def task_of_codes(codes: list[list[int]], k: int) -> Task:
    """A table whose cells are kept or starred."""
    columns = [np.array(column, dtype=np.uint32) for column in zip(*codes, strict=True)]
    maps = [
        [np.arange(column.max() + 1, dtype=np.uint32), np.zeros(column.max() + 1, np.uint32)]
        for column in columns
    ]
    table = _kernel.CodedTable(columns, maps, [[0, 1]] * len(maps), [1] * len(maps))
    classes = table.classes([])
    tuples = [tuple(labels) for labels in classes.labels.tolist()]
    costs = [leaf_costs(levels, len(maps)) for levels in maps]
    return Task(table, maps, costs, k, 0, tuples, classes.rows.tolist(), [frozenset[int]()] * len(tuples))


def test_a_row_is_suppressed_where_that_costs_less_and_is_allowed() -> None:
    task = task_of_codes([[0, 0, 0]] * 20 + [[1, 1, 1]], 2)
    assert task.run(suppressible=0) == [[0, 1]]
    assert task.run(suppressible=1) == [[0]]
    # Where a cell or two tell it apart, it costs less to give up these for all.
    task = task_of_codes([[0, 0, 0], [0, 0, 0], [0, 0, 1]], 2)
    assert task.run(suppressible=1) == [[0, 1]]


def test_rows_without_a_common_label_are_in_no_class_together() -> None:
    # The highest level of the first column has two labels, and a single row has the second.
    codes = [np.array([0, 0, 1, 2], np.uint32), np.array([0, 1, 0, 0], np.uint32)]
    maps = [
        [np.arange(3, dtype=np.uint32), np.array([0, 0, 1], np.uint32)],
        [np.arange(2, dtype=np.uint32), np.zeros(2, np.uint32)],
    ]
    table = _kernel.CodedTable(codes, maps, [[0, 1]] * 2, [1] * 2)
    costs = [leaf_costs(levels, 2) for levels in maps]
    single = table.classes([]).labels.tolist().index([2, 0])
    found = table.cheapest(_kernel.Requirement(2, 0), costs, suppressible=1)
    assert [of == NO_CLASS for of in found.class_of.tolist()] == [i == single for i in range(4)]
    assert len(found) == 1
    assert len(table.cheapest(_kernel.Requirement(2, 0), costs)) == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_a_requirement_that_larger_classes_may_fail(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = 60
    cardinalities = [5, 4, 3]
    maps, codes = random_maps(rng, cardinalities, [2, 2, 1]), random_codes(rng, cardinalities, rows, 1.5)
    values = (codes[0] + rng.integers(0, 2, rows)).astype(np.uint32) % 3
    totals = np.bincount(values, minlength=3).astype(float)
    attribute = _kernel.Attribute(values, 3, 3)
    table = _kernel.CodedTable(
        codes, maps, [list(range(len(m))) for m in maps], [len(m) - 1 for m in maps], attributes=[attribute]
    )
    near = _kernel.Condition("equal", 0, False, 0, 0.2, [], [], totals.tolist(), rows, [], [])
    costs = [leaf_costs(levels, 3) for levels in maps]
    for effort in (0, 1):
        found = table.cheapest(_kernel.Requirement(3, 0, [near]), costs, effort=effort)
        of_tuple = dict(
            zip(map(tuple, table.classes([]).labels.tolist()), found.class_of.tolist(), strict=True)
        )
        of_row = np.array([of_tuple[code] for code in zip(*(c.tolist() for c in codes), strict=True)])
        assert set(of_row.tolist()) == set(range(len(found)))
        for number in range(len(found)):
            inside = np.bincount(values[of_row == number], minlength=3)
            assert inside.sum() >= 3
            assert abs(inside / inside.sum() - totals / rows).sum() / 2 <= 0.2 * (1 + 1e-9)


def test_costs_that_do_not_fit_the_columns_are_refused() -> None:
    task = task_of(0, [4, 3], 10, 2)
    for costs, problem in [
        (task.costs[:1], "one entry per column"),
        ([task.costs[0], task.costs[1][:1]], "one list per level"),
        ([task.costs[0], [task.costs[1][0][:1], *task.costs[1][1:]]], "one entry per label"),
        ([task.costs[0], [[-1] * 3, *task.costs[1][1:]]], "out of range"),
    ]:
        with pytest.raises(ValueError, match=problem):
            task.table.cheapest(task.requirement, costs)


def test_it_stops_when_told() -> None:
    task = task_of(1, [6, 5, 3], 40, 2)
    signal = _kernel.StopSignal()
    signal.stop()
    with pytest.raises(_kernel.Stopped), signal:
        task.run()
