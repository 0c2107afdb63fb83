"""The kernel scores every measure as its definition does."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import registry
from shoal.encode.table import CodedTable
from shoal.privacy.k_anonymity import KAnonymity
from shoal.search.algorithms.exhaustive import node_of
from shoal.search.problem import SearchProblem
from shoal.testing.nodes import tables
from tests.conformance.measures import measures

from .by_rows import by_rows


@pytest.mark.parametrize("name", registry.names("measures"))
@given(table=tables(max_rows=20), k=st.integers(1, 6), data=st.data())
def test_the_kernel_follows_the_definition(name: str, table: CodedTable, k: int, data: st.DataObject) -> None:
    measure = data.draw(measures(name))
    problem = SearchProblem(table, (KAnonymity(k),), measure, suppression=1, merge_levels=False)
    levels = data.draw(st.sampled_from(list(problem.lattice)))
    node = node_of(problem, levels)
    position = [level - column.min_level for level, column in zip(levels, table.columns, strict=True)]
    found = problem.ground.evaluate([position], problem.requirement, problem.objective)
    assert math.isclose(found.scores[0], by_rows(measure, node), rel_tol=1e-11, abs_tol=1e-11)
    assert int(found.suppressed_rows[0]) == sum(size for size in node.sizes if size < k)
    assert int(found.classes[0]) == len(node.sizes)
