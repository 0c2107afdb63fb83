"""Every search algorithm gives the answer of the exhaustive reference: optimum, all nodes, border.

Adding an algorithm to the registry adds its tests.
"""

from __future__ import annotations

import math
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import registry
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.search.algorithms.box import Box
from shoal.search.algorithms.exhaustive import node_of
from shoal.search.capabilities import require_served
from shoal.search.node_checker import Framework
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchAlgorithm
from shoal.testing import check_algorithm
from shoal.testing.algorithms import SHARES
from shoal.testing.problems import measure_named
from shoal.testing.tables import coded_tables

ALGORITHMS = {name: registry.resolve("algorithms", name) for name in registry.names("algorithms")}
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


def test_all_of_the_family_are_registered() -> None:
    family = """bottom-up bottom-up-no-rollup samarati incognito incognito-super-roots incognito-cube
        incognito-sql bitmap-incognito ola ola-stable flash datafly exhaustive box"""
    assert set(family.split()) <= set(ALGORITHMS)


def switched(name: str) -> st.SearchStrategy[SearchAlgorithm]:
    """Draw the switches of an algorithm."""
    kind = ALGORITHMS[name]
    if kind is Box:
        return st.just(Box(least_shared_work=0))  # small as the tables are, the threads are to share the work
    names = {field.name for field in fields(kind)}
    drawn: dict[str, st.SearchStrategy[object]] = {
        switch: st.booleans() for switch in sorted(names & {"one_level", "reusing", "pruning"})
    }
    if "framework" in names:
        drawn["framework"] = frameworks
    return st.builds(kind, **drawn)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_algorithms_keep_what_they_declare(name: str) -> None:
    assert ALGORITHMS[name].name == name
    if name in SLOW:
        check_algorithm(switched(name), columns=3, examples=12)
    else:
        check_algorithm(switched(name), examples=20)


@pytest.mark.slow
@pytest.mark.parametrize("name", ALGORITHMS)
def test_algorithms_keep_what_they_declare_at_length(name: str) -> None:
    columns = 3 if name in SLOW else 5
    check_algorithm(switched(name), rows=120, columns=columns, most=12, examples=400)


@given(
    table=coded_tables(max_columns=5),
    k=st.integers(1, 8),
    suppression=SHARES,
    name=st.sampled_from(["flash", "ola-stable"]),
    data=st.data(),
)
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
def test_absorbing_models_never_suppress_more_above(table: CodedTable, k: int, data: st.DataObject) -> None:
    problem = SearchProblem(table, (KAnonymity(k),), registry.resolve("measures", "height")())
    nodes = list(problem.lattice)
    low = data.draw(st.sampled_from(nodes))
    high = tuple(map(max, low, data.draw(st.sampled_from(nodes))))
    assert node_of(problem, high).suppressed_rows <= node_of(problem, low).suppressed_rows


@pytest.mark.parametrize("measure", MONOTONE)
@given(table=coded_tables(max_rows=25, max_columns=3), k=st.integers(1, 5), data=st.data())
def test_monotone_measures_never_fall(measure: str, table: CodedTable, k: int, data: st.DataObject) -> None:
    rule = measure_named(measure)
    problem = SearchProblem(table, (KAnonymity(k),), rule)
    nodes = list(problem.lattice)
    low = data.draw(st.sampled_from(nodes))
    high = tuple(map(max, low, data.draw(st.sampled_from(nodes))))
    assert rule.score(node_of(problem, low)) <= rule.score(node_of(problem, high)) * (1 + 1e-12)
