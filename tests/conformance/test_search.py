"""Every search algorithm gives the answer of the exhaustive reference: optimum, all nodes, border."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import registry
from shoal.encode.table import CodedTable
from shoal.privacy.k_anonymity import KAnonymity
from shoal.search.box import Box
from shoal.search.exhaustive import Exhaustive, node_of
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchAlgorithm, SearchResult, border

from .strategies import coded_tables

ALGORITHMS = {name: registry.resolve("algorithms", name) for name in registry.names("algorithms")}
EXACT = [name for name, kind in ALGORITHMS.items() if kind.exact and kind is not Exhaustive]
MEASURES = registry.names("measures")
MONOTONE = [name for name in MEASURES if registry.resolve("measures", name).monotone]


def answer(result: SearchResult) -> tuple[object, ...]:
    return result.levels, result.suppressed_rows if result.levels else None


def algorithm_named(name: str) -> SearchAlgorithm:
    # Small as the tables are, the threads are to share the work.
    algorithm: SearchAlgorithm = Box(least_shared_work=0) if name == "box" else ALGORITHMS[name]()
    return algorithm


def check(name: str, problem: SearchProblem, threads: int) -> None:
    algorithm = algorithm_named(name)
    reference = Exhaustive().search(problem, all_nodes=True)
    best = algorithm.search(problem, threads=threads)
    every = algorithm.search(problem, all_nodes=True, threads=threads)
    assert answer(best) == answer(every) == answer(reference)
    if reference.score is not None:
        assert best.score is not None
        assert math.isclose(best.score, reference.score, rel_tol=1e-12)
    assert every.satisfying is not None
    assert reference.satisfying is not None
    np.testing.assert_array_equal(every.satisfying, reference.satisfying)
    assert set(map(tuple, border(every.satisfying).tolist())) == brute_border(reference.satisfying.tolist())


def brute_border(nodes: list[list[int]]) -> set[tuple[int, ...]]:
    def below(a: list[int], b: list[int]) -> bool:
        return a != b and all(x <= y for x, y in zip(a, b, strict=True))

    return {tuple(node) for node in nodes if not any(below(other, node) for other in nodes)}


@pytest.mark.parametrize("name", EXACT)
@given(
    table=coded_tables(),
    k=st.integers(1, 8),
    suppression=st.sampled_from([0.0, 0.0, 0.05, 0.2, 0.5, 1.0]),
    measure=st.sampled_from(MEASURES),
    threads=st.sampled_from([1, 1, 2, 4]),
)
@settings(max_examples=150)
def test_equals_the_reference(
    name: str, table: CodedTable, k: int, suppression: float, measure: str, threads: int
) -> None:
    problem = SearchProblem(table, (KAnonymity(k),), registry.resolve("measures", measure)(), suppression)
    check(name, problem, threads)


@pytest.mark.slow
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("name", EXACT)
@given(
    table=coded_tables(max_rows=120, max_columns=5),
    k=st.integers(1, 12),
    suppression=st.floats(0, 0.4),
    threads=st.sampled_from([1, 2, 3]),
)
@settings(max_examples=400)
def test_equals_the_reference_at_length(
    name: str, table: CodedTable, k: int, suppression: float, measure: str, threads: int
) -> None:
    problem = SearchProblem(table, (KAnonymity(k),), registry.resolve("measures", measure)(), suppression)
    check(name, problem, threads)


@given(table=coded_tables(max_rows=25, max_columns=3), k=st.integers(1, 5), data=st.data())
@settings(max_examples=100)
def test_absorbing_models_never_suppress_more_above(table: CodedTable, k: int, data: st.DataObject) -> None:
    problem = SearchProblem(table, (KAnonymity(k),), registry.resolve("measures", "height")())
    nodes = list(problem.lattice)
    low = data.draw(st.sampled_from(nodes))
    high = tuple(map(max, low, data.draw(st.sampled_from(nodes))))
    assert node_of(problem, high).suppressed_rows <= node_of(problem, low).suppressed_rows


@pytest.mark.parametrize("measure", MONOTONE)
@given(table=coded_tables(max_rows=25, max_columns=3), k=st.integers(1, 5), data=st.data())
@settings(max_examples=60)
def test_monotone_measures_never_fall(measure: str, table: CodedTable, k: int, data: st.DataObject) -> None:
    rule = registry.resolve("measures", measure)()
    problem = SearchProblem(table, (KAnonymity(k),), rule)
    nodes = list(problem.lattice)
    low = data.draw(st.sampled_from(nodes))
    high = tuple(map(max, low, data.draw(st.sampled_from(nodes))))
    assert rule.score(node_of(problem, low)) <= rule.score(node_of(problem, high)) * (1 + 1e-12)
