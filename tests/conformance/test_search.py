"""Every search algorithm gives the answer of the exhaustive reference: optimum, all nodes, border.

Adding an algorithm to the registry adds its tests.
"""

from __future__ import annotations

import math
from dataclasses import fields, replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import registry
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.measure.measure import Measure
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.model import PrivacyModel
from shoal.privacy.population import Population
from shoal.search.algorithms.box import Box
from shoal.search.algorithms.exhaustive import Exhaustive, node_of
from shoal.search.capabilities import require_served
from shoal.search.framework import Framework
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchAlgorithm, SearchResult, border

from .strategies import absorbed, coded_tables, described_tables, measure_named, measures_named, requirements

ALGORITHMS = {name: registry.resolve("algorithms", name) for name in registry.names("algorithms")}
EXACT = [name for name, kind in ALGORITHMS.items() if kind.exact and kind is not Exhaustive]
HEURISTIC = [name for name, kind in ALGORITHMS.items() if not kind.exact]
SLOW = ("incognito-sql",)
"""Every check is a query: these get tables of at most three columns."""
MEASURES = registry.names("measures")
MONOTONE = [name for name in MEASURES if registry.resolve("measures", name).monotone]

frameworks = st.builds(
    Framework,
    projection=st.booleans(),
    rollup=st.booleans(),
    history=st.booleans(),
    snapshot_share=st.sampled_from([0.0, 0.2, 1.0]),
    snapshots=st.sampled_from([0, 1, 3, 200]),
    kept_share=st.sampled_from([0.5, math.inf]),
    memory=st.sampled_from([0, 2 << 30]),
    record=st.booleans(),
)
shares = st.sampled_from([0.0, 0.0, 0.05, 0.2, 0.5, 1.0])
POPULATION = Population(pa.table({"everybody": [1]}))


def test_all_of_the_family_are_registered() -> None:
    family = """bottom-up bottom-up-no-rollup samarati incognito incognito-super-roots incognito-cube
        incognito-sql bitmap-incognito ola ola-stable flash datafly exhaustive box"""
    assert set(family.split()) <= set(ALGORITHMS)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_algorithms_declare_what_they_can_do(name: str) -> None:
    algorithm = ALGORITHMS[name]()
    assert isinstance(algorithm, SearchAlgorithm)
    assert algorithm.name == name
    assert algorithm.summary.endswith(".")
    assert set(algorithm.measures) <= set(MEASURES)
    assert not (algorithm.complete and not algorithm.exact)


def answer(result: SearchResult) -> tuple[object, ...]:
    return result.levels, result.suppressed_rows if result.levels else None, result.classes


def measures_of(name: str) -> st.SearchStrategy[Measure]:
    return st.sampled_from(ALGORITHMS[name].measures or MEASURES).flatmap(measures_named)


def algorithm_named(name: str, data: st.DataObject) -> SearchAlgorithm:
    """Return an algorithm with its switches drawn."""
    kind = ALGORITHMS[name]
    if kind is Box:
        return Box(least_shared_work=0)  # small as the tables are, the threads are to share the work
    names = {field.name for field in fields(kind)}
    drawn: dict[str, object] = {}
    if "framework" in names:
        drawn["framework"] = data.draw(frameworks)
    for switch in names & {"one_level", "reusing", "pruning"}:
        drawn[switch] = data.draw(st.booleans(), label=switch)
    algorithm: SearchAlgorithm = kind(**drawn)
    return algorithm


def check(algorithm: SearchAlgorithm, problem: SearchProblem, threads: int) -> None:
    reference = Exhaustive().search(problem, all_nodes=True)
    results = [algorithm.search(problem, threads=threads)]
    if algorithm.complete:
        every = algorithm.search(problem, all_nodes=True, threads=threads)
        assert every.satisfying is not None
        assert reference.satisfying is not None
        np.testing.assert_array_equal(every.satisfying, reference.satisfying)
        minimal = set(map(tuple, border(every.satisfying).tolist()))
        assert minimal == brute_border(reference.satisfying.tolist())
        results.append(every)
    for result in results:
        assert answer(result) == answer(reference)
        assert result.optimal
        if reference.score is not None:
            assert result.score == pytest.approx(reference.score, rel=1e-12)
        check_counters(result)


def check_counters(result: SearchResult) -> None:
    counters = result.counters
    assert counters.lattice == counters.tagged + counters.checked or result.subsets is not None
    assert all(value >= 0 for value in counters.to_mapping().values())
    assert counters.evicted <= counters.snapshots <= counters.checked
    if result.checks:
        assert len({check.levels for check in result.checks}) == len(result.checks), "checked twice"


def brute_border(nodes: list[list[int]]) -> set[tuple[int, ...]]:
    def below(a: list[int], b: list[int]) -> bool:
        return a != b and all(x <= y for x, y in zip(a, b, strict=True))

    return {tuple(node) for node in nodes if not any(below(other, node) for other in nodes)}


@pytest.mark.parametrize("name", EXACT)
@given(
    table=described_tables(),
    k=st.integers(1, 8),
    suppression=shares,
    threads=st.sampled_from([1, 1, 2, 4]),
    data=st.data(),
)
@settings(max_examples=50)
def test_equals_the_reference(
    name: str, table: CodedTable, k: int, suppression: float, threads: int, data: st.DataObject
) -> None:
    measure = data.draw(measures_of(name))
    if name in SLOW:
        table = replace(table, columns=table.columns[:3])
    if ALGORITHMS[name].sizes_only:
        table = replace(table, units=None)
    problem = SearchProblem(table, (KAnonymity(k),), measure, suppression)
    check(algorithm_named(name, data), problem, threads)


@pytest.mark.parametrize("name", EXACT)
@given(
    table=described_tables(population=POPULATION),
    models=requirements(population=POPULATION),
    suppression=shares,
    threads=st.sampled_from([1, 1, 2, 4]),
    data=st.data(),
)
@settings(max_examples=60)
def test_equals_the_reference_under_any_models(
    name: str,
    table: CodedTable,
    models: tuple[PrivacyModel, ...],
    suppression: float,
    threads: int,
    data: st.DataObject,
) -> None:
    check_models(name, table, models, suppression, threads, data)


def check_models(
    name: str,
    table: CodedTable,
    models: tuple[PrivacyModel, ...],
    suppression: float,
    threads: int,
    data: st.DataObject,
) -> None:
    kind = ALGORITHMS[name]
    if name in SLOW:
        table = replace(table, columns=table.columns[:3])
    if kind.sizes_only:
        table = replace(table, units=None, populations={})
        models = tuple(model for model in models if model.name == "k-anonymity") or (KAnonymity(3),)
    if kind.absorbing_only:
        table, suppression = absorbed(table, models, suppression)
    measure = data.draw(measures_of(name))
    check(algorithm_named(name, data), SearchProblem(table, models, measure, suppression), threads)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXACT)
@given(
    table=described_tables(max_rows=120, max_columns=5, population=POPULATION),
    models=requirements(population=POPULATION, max_k=12),
    suppression=st.floats(0, 0.4),
    threads=st.sampled_from([1, 2, 3]),
    data=st.data(),
)
@settings(max_examples=400)
def test_equals_the_reference_at_length(
    name: str,
    table: CodedTable,
    models: tuple[PrivacyModel, ...],
    suppression: float,
    threads: int,
    data: st.DataObject,
) -> None:
    check_models(name, table, models, suppression, threads, data)


@pytest.mark.parametrize("name", HEURISTIC)
@given(table=described_tables(), models=requirements(), suppression=shares, data=st.data())
@settings(max_examples=80)
def test_heuristics_satisfy_and_say_that_they_prove_nothing(
    name: str,
    table: CodedTable,
    models: tuple[PrivacyModel, ...],
    suppression: float,
    data: st.DataObject,
) -> None:
    measure = data.draw(measures_of(name))
    if ALGORITHMS[name].absorbing_only:
        table, suppression = absorbed(table, models, suppression)
    problem = SearchProblem(table, models, measure, suppression)
    found = algorithm_named(name, data).search(problem)
    reference = Exhaustive().search(problem)
    assert not found.optimal
    check_counters(found)
    assert (found.levels is None) == (reference.levels is None)
    if found.levels is not None and found.score is not None and reference.score is not None:
        node = node_of(problem, found.levels)
        assert found.suppressed_rows == node.suppressed_rows <= problem.limit
        assert math.isclose(found.score, measure.score(node), rel_tol=1e-12, abs_tol=1e-12)
        assert found.score >= reference.score * (1 - 1e-12)
        assert found.bound is not None
        assert found.bound <= reference.score


@given(
    table=coded_tables(max_columns=5),
    k=st.integers(1, 8),
    suppression=shares,
    name=st.sampled_from(["flash", "ola-stable"]),
    data=st.data(),
)
@settings(max_examples=100)
def test_stable_searches_do_the_same_work_whatever_the_order_of_the_columns(
    table: CodedTable, k: int, suppression: float, name: str, data: st.DataObject
) -> None:
    framework = replace(data.draw(frameworks), record=True)
    order = data.draw(st.permutations(range(len(table.columns))))
    measure = registry.resolve("measures", "discernability-monotone")()

    def work(columns: list[int]) -> tuple[list[tuple[dict[str, int | None], bool]], dict[str, int | float]]:
        permuted = replace(table, columns=tuple(table.columns[column] for column in columns))
        problem = SearchProblem(permuted, (KAnonymity(k),), measure, suppression)
        result = ALGORITHMS[name](framework=framework).search(problem)
        checks = [
            (dict(zip(permuted.names, check.levels, strict=True)), check.satisfies) for check in result.checks
        ]
        counted = result.counters.to_mapping()
        del counted["peak_bytes"], counted["seconds"]
        return checks, counted

    assert work(list(order)) == work(list(range(len(table.columns))))


@pytest.mark.parametrize("name", ALGORITHMS)
def test_what_an_algorithm_cannot_serve_it_refuses_and_names_those_that_can(name: str) -> None:
    algorithm = ALGORITHMS[name]()
    loss = registry.resolve("measures", "loss")()
    entropy = [LDiversity("s", 2, "entropy")]
    if algorithm.absorbing_only:
        with pytest.raises(InputError, match=r"2-diversity.*may fail.*\nAlgorithms that can: .*box"):
            require_served(algorithm, entropy, loss, 0.1)
    else:
        require_served(algorithm, entropy, loss, 0.1)
    if algorithm.sizes_only:
        with pytest.raises(InputError, match=r"more than the sizes of classes"):
            require_served(algorithm, entropy, loss, 0.0)
    elif not algorithm.measures:
        require_served(algorithm, entropy, loss, 0.0)
    if not algorithm.complete:
        with pytest.raises(InputError, match=r"(?s)not all that satisfy.*box.*flash"):
            require_served(algorithm, [KAnonymity(2)], loss, 0.0, all_nodes=True)
    if algorithm.measures:
        with pytest.raises(
            InputError, match=r"(?s)optimizes height only, not loss.*Algorithms that can: .*box"
        ):
            require_served(algorithm, [KAnonymity(2)], loss, 0.0)


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
    rule = measure_named(measure)
    problem = SearchProblem(table, (KAnonymity(k),), rule)
    nodes = list(problem.lattice)
    low = data.draw(st.sampled_from(nodes))
    high = tuple(map(max, low, data.draw(st.sampled_from(nodes))))
    assert rule.score(node_of(problem, low)) <= rule.score(node_of(problem, high)) * (1 + 1e-12)
