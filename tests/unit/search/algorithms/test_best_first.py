"""Best-first: exact when it ends, and before that what it says of itself is true."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import registry
from shoal.data import shape
from shoal.describe import intervals
from shoal.encode.column import code_column
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.measure.classification import Classification
from shoal.measure.loss import Loss
from shoal.measure.measure import Measure
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.population import Population
from shoal.search.algorithms.anytime.boxes import Boxes
from shoal.search.algorithms.anytime.budget import Budget
from shoal.search.algorithms.anytime.exploration import Exploration
from shoal.search.algorithms.anytime.hopeless_nodes import Hopeless
from shoal.search.algorithms.best_first import BestFirst
from shoal.search.algorithms.box import Box
from shoal.search.algorithms.datafly import Datafly
from shoal.search.algorithms.exhaustive import Exhaustive, node_of
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchResult
from shoal.testing.problems import requirements
from shoal.testing.tables import described_tables

POPULATION = Population(pa.table({"everybody": [1]}))
MEASURES = registry.names("measures")
shares = st.sampled_from([0.0, 0.05, 0.2, 0.5, 1.0])


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    kind = registry.resolve("measures", draw(st.sampled_from(MEASURES)))
    parameters = {"target": st.just("t"), "aggregate": st.sampled_from(["mean", "max", "ranked"])}
    measure: Measure = kind(**{name: draw(parameters[name]) for name in kind.parameters})
    return measure


def problems(max_rows: int = 30, max_columns: int = 4) -> st.SearchStrategy[SearchProblem]:
    return st.builds(
        SearchProblem,
        described_tables(max_rows, max_columns, population=POPULATION),
        requirements(population=POPULATION),
        measures(),
        shares,
    )


@cache
def wide() -> SearchProblem:
    """Return a problem of 20 columns with 3 levels each."""
    random = np.random.default_rng(1)
    trait = random.random(2000)
    columns = []
    for number in range(20):
        own = np.where(random.random(2000) < number / 25, trait, random.random(2000)) ** (1 + number % 4)
        values = pa.array((own * (5 + number)).astype(np.int64)).dictionary_encode()
        columns.append(code_column(f"c{number}", values, intervals(4), weight=random.random()))
    return SearchProblem(CodedTable(tuple(columns), 2000), (KAnonymity(3),), Loss(), 0.02)


def answer(result: SearchResult) -> tuple[object, ...]:
    return result.levels, result.suppressed_rows, result.classes


def check_boxes(problem: SearchProblem, group_nodes: int, most: int, first: list[int]) -> None:
    on = Exploration(problem, Budget(None, None))
    for number in first:  # whatever was found before
        on.look(tuple(number % (level + 1) for level in on.top))
    boxes = Boxes(on, group_nodes=group_nodes if on.bounds.additive else 0, most=most)
    reference = Exhaustive().search(problem)
    best = math.inf if reference.score is None else reference.score
    bound, decided = boxes.bound, 0
    while not boxes.done:
        assert bound <= boxes.bound
        assert decided <= boxes.decided <= boxes.nodes
        bound, decided = boxes.bound, boxes.decided
        assert min(on.bounds.claim(bound), on.best.score if on.best else math.inf) <= best
        boxes.step()
    on.solved = True
    assert boxes.decided == boxes.nodes
    assert answer(on.result(bound=boxes.bound)) == answer(reference)


group_sizes = st.sampled_from([0, 2, 5, 20])
held = st.sampled_from([1, 2, 5, 1000])
numbers = st.lists(st.integers(0, 10**6), max_size=3)


@given(problem=problems(), group_nodes=group_sizes, most=held, first=numbers)
def test_boxes_that_come_to_an_end_leave_the_best(
    problem: SearchProblem, group_nodes: int, most: int, first: list[int]
) -> None:
    check_boxes(problem, group_nodes, most, first)


@pytest.mark.slow
@given(problem=problems(60, 5), group_nodes=group_sizes, most=held, first=numbers)
@settings(max_examples=2000)
def test_boxes_that_come_to_an_end_leave_the_best_at_length(
    problem: SearchProblem, group_nodes: int, most: int, first: list[int]
) -> None:
    check_boxes(problem, group_nodes, most, first)


@given(problem=problems(), checks=st.integers(1, 300))
def test_whatever_the_budget_the_bound_holds(problem: SearchProblem, checks: int) -> None:
    reference = Exhaustive().search(problem)
    try:
        found = BestFirst(seconds=None, checks=checks).search(problem)
    except InputError as error:
        assert "found no node" in str(error)
        return
    if found.levels is None or found.score is None or reference.score is None:
        assert found.optimal
        assert found.levels is reference.levels is None
        return
    node = node_of(problem, found.levels)
    assert found.suppressed_rows == node.suppressed_rows <= problem.limit
    assert math.isclose(found.score, problem.measure.score(node), rel_tol=1e-11, abs_tol=1e-11)
    if found.optimal:
        assert math.isclose(found.score, reference.score, rel_tol=1e-11, abs_tol=1e-11)
        assert found.bound is None
    else:
        assert found.bound is not None
        assert found.bound <= reference.score <= found.score * (1 + 1e-12)


@pytest.mark.parametrize("measure", [name for name in MEASURES if name != Classification.name])
@pytest.mark.parametrize("suppression", [0.0, 0.02])
def test_if_it_may_go_on_it_gives_what_the_default_gives(measure: str, suppression: float) -> None:
    kind = registry.resolve("measures", measure)
    problem = SearchProblem(shape("adult", rows=1000), (KAnonymity(5),), kind(), suppression)
    found = BestFirst(seconds=None).search(problem)
    assert found.optimal
    assert answer(found) == answer(Box().search(problem))
    counters = found.counters
    assert counters.lattice == counters.checked + counters.tagged == 12960


def test_more_checks_never_give_less() -> None:
    results = [BestFirst(seconds=None, checks=checks).search(wide()) for checks in (1, 10, 100, 1000, 4000)]
    scores = [result.score for result in results if result.score is not None]
    bounds = [result.bound for result in results if result.bound is not None]
    assert len(scores) == len(bounds) == len(results)
    assert scores == sorted(scores, reverse=True)
    assert bounds == sorted(bounds)
    assert bounds[-1] <= scores[-1]
    assert len(set(scores)) > 2
    assert len(set(bounds)) > 2


def test_with_a_budget_of_checks_alone_every_run_is_the_same() -> None:
    def run(threads: int) -> tuple[object, ...]:
        found = BestFirst(seconds=None, checks=1500).search(wide(), threads=threads)
        return found.levels, found.score, found.bound, found.counters.checked

    assert run(1) == run(2)


def test_a_lattice_beyond_exact_search_gets_a_better_answer_than_by_datafly() -> None:
    with pytest.raises(InputError, match="best-first"):
        Box().search(wide())
    found, greedy = BestFirst(seconds=None, checks=1500).search(wide()), Datafly().search(wide())
    assert found.score is not None
    assert greedy.score is not None
    assert found.bound is not None
    assert found.levels is not None
    assert found.score < greedy.score * 0.95
    assert 0 < found.bound < found.score
    assert not found.optimal
    assert node_of(wide(), found.levels).suppressed_rows == found.suppressed_rows <= wide().limit


def test_the_clock_is_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = itertools.count()
    monkeypatch.setattr("shoal.search.algorithms.anytime.budget.perf_counter", lambda: float(next(readings)))
    found = BestFirst(seconds=200).search(wide(), threads=2)
    assert next(readings) == 202  # the first and the last, which says that it is too late
    assert found.score is not None


def test_memory_for_boxes_is_bounded() -> None:
    problem = SearchProblem(shape("adult", rows=300), (KAnonymity(3),), Loss(), 0.05)
    on = Exploration(problem, Budget(None, None))
    boxes = Boxes(on, most=32)
    most = 0
    while not boxes.done:
        boxes.step()
        most = max(most, boxes.held)
    assert most <= 32 + sum(on.top)
    assert on.best is not None
    assert on.best.rank[-1] == Box().search(problem).levels


class _Interrupt:
    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self, nodes: int, decided: int, best: float | None) -> None:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


def test_an_interrupt_is_heard() -> None:
    with pytest.raises(KeyboardInterrupt):
        BestFirst(seconds=60).search(wide(), listener=_Interrupt(after=3))


@pytest.mark.parametrize(("budget", "message"), [({"seconds": 0}, "0 seconds"), ({"checks": 0}, "1 check")])
def test_a_budget_of_nothing_is_refused(budget: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        BestFirst(**budget)


levels = st.lists(st.integers(1, 9), min_size=1, max_size=30)


@given(levels=levels, most=st.sampled_from([1, 3, 100]), data=st.data())
def test_what_is_remembered_of_nodes_is_what_follows_from_the_last(
    levels: list[int], most: int, data: st.DataObject
) -> None:
    nodes = st.tuples(*(st.integers(0, count - 1) for count in levels))
    known = Hopeless(levels, most)
    added: dict[bool, list[tuple[int, ...]]] = {True: [], False: []}
    for node, hopeless in data.draw(st.lists(st.tuples(nodes, st.booleans()), max_size=12)):
        known.add(node, hopeless=hopeless)
        added[hopeless].append(node)
    asked = data.draw(st.one_of(nodes, *map(st.just, added[True] + added[False])))
    above = any(all(map(int.__le__, asked, node)) for node in added[True][-most:])
    below = any(all(map(int.__le__, node, asked)) for node in added[False][-most:])
    assert known.get(asked) == (True if above else False if below else None)
