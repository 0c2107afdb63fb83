"""The lattice without levels that change nothing, the suppression limit, and what is too large."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import registry
from shoal.describe import intervals, suppress
from shoal.encode.column import code_column
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.privacy.k_anonymity import KAnonymity
from shoal.search.algorithms.box import Box
from shoal.search.lattice import Lattice
from shoal.search.problem import SearchProblem, suppressed_rows_allowed
from shoal.testing.tables import coded_tables


@given(table=coded_tables(max_rows=20))
def test_all_merged_nodes_expand_to_all_nodes(table: CodedTable) -> None:
    lattice = Lattice.of(table)
    merged = np.array(list(product(*(range(len(levels)) for levels in lattice.levels))), dtype=np.uint8)
    every = list(product(*(range(c.min_level, c.max_level + 1) for c in table.columns)))
    assert [tuple(node) for node in lattice.expand(merged).tolist()] == sorted(every)
    assert lattice.size == len(every) == len(list(lattice))


@given(rows=st.integers(1, 10**7), hundredths=st.integers(0, 10_000))
def test_the_limit_is_the_largest_share_that_fits(rows: int, hundredths: int) -> None:
    assert suppressed_rows_allowed(hundredths / 10_000, rows) == hundredths * rows // 10_000


@pytest.mark.parametrize("suppression", [-0.01, 1.01, float("nan")])
def test_shares_outside_0_and_1_are_refused(suppression: float) -> None:
    with pytest.raises(InputError, match="from 0 to 1"):
        suppressed_rows_allowed(suppression, 10)


def table_of(columns: int) -> CodedTable:
    values = pa.array([str(i) for i in range(40)]).dictionary_encode()
    return CodedTable(tuple(code_column(f"c{i}", values, intervals(2, 4, 8)) for i in range(columns)), 40)


def test_a_lattice_beyond_exact_search_is_refused_with_its_size() -> None:
    measure = registry.resolve("measures", "loss")()
    with pytest.raises(InputError, match="152,587,890,625 nodes"):
        Box().search(SearchProblem(table_of(16), (KAnonymity(2),), measure))


def test_many_columns_with_one_level_are_no_problem() -> None:
    values = pa.array(["x", "y", "x", "y"]).dictionary_encode()
    columns = [code_column(f"c{i}", values, suppress(), max_level=0) for i in range(60)]
    columns.append(code_column("last", pa.array(["1", "2", "1", "3"]).dictionary_encode(), suppress()))
    problem = SearchProblem(
        CodedTable(tuple(columns), 4), (KAnonymity(2),), registry.resolve("measures", "loss")()
    )
    assert Box().search(problem).levels == (0,) * 60 + (1,)
