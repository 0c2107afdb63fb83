"""Incognito on the papers' example, and what it learns of every set of columns."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import registry
from shoal.data.patients import COLUMNS, ROWS, TAXONOMIES
from shoal.describe.hierarchy import Levels
from shoal.encode.column import code_column
from shoal.encode.table import CodedTable
from shoal.privacy.k_anonymity import KAnonymity
from shoal.search.algorithms.exhaustive import Exhaustive
from shoal.search.algorithms.incognito import Incognito, candidates, roots
from shoal.search.algorithms.incognito_cube import CubeIncognito
from shoal.search.algorithms.incognito_super_roots import SuperRootsIncognito
from shoal.search.node_checker import Framework
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchResult
from shoal.testing.tables import coded_tables

KINDS = (Incognito, SuperRootsIncognito, CubeIncognito)
RECORD = Framework(record=True)


class Taxonomy:
    def __init__(self, rows: object) -> None:
        self.rows = {row[0]: row for row in rows}  # type: ignore[attr-defined]

    def levels(self, values: pa.Array) -> Levels:
        found = [self.rows[value] for value in values.to_pylist()]
        labels = tuple(pa.array(labels) for labels in zip(*found, strict=True))
        tops = [[row[level] for row in self.rows.values()] for level in range(len(labels))]
        leaves = tuple(
            np.array([tops[level].count(label) for label in column.to_pylist()])
            for level, column in enumerate(labels)
        )
        return Levels(labels, leaves, len(self.rows))


@pytest.fixture
def patients() -> SearchProblem:
    table = pa.table(dict(zip(COLUMNS, zip(*ROWS, strict=True), strict=True)))
    columns = tuple(
        code_column(name, table[name].combine_chunks().dictionary_encode(), Taxonomy(rows))  # type: ignore[arg-type]
        for name, rows in TAXONOMIES.items()
    )
    height = registry.resolve("measures", "height")()
    return SearchProblem(CodedTable(columns, table.num_rows), (KAnonymity(2),), height)


def nodes_of(result: SearchResult, *columns: str) -> set[tuple[int, ...]]:
    assert result.subsets is not None
    return set(map(tuple, result.subsets[columns].tolist()))


@pytest.mark.parametrize("kind", KINDS)
def test_every_single_column_of_the_patients_satisfies(
    kind: type[Incognito], patients: SearchProblem
) -> None:
    result = kind().search(patients)
    assert nodes_of(result, "Birthdate") == {(0,), (1,)}
    assert nodes_of(result, "Sex") == {(0,), (1,)}
    assert nodes_of(result, "Zipcode") == {(0,), (1,), (2,)}


@pytest.mark.parametrize("kind", KINDS)
def test_what_figure_5_leaves_of_two_columns(kind: type[Incognito], patients: SearchProblem) -> None:
    result = kind().search(patients)
    assert nodes_of(result, "Sex", "Zipcode") == {(1, 0), (1, 1), (1, 2), (0, 2)}
    assert nodes_of(result, "Birthdate", "Zipcode") == {(1, 0), (1, 1), (1, 2), (0, 2)}
    assert nodes_of(result, "Birthdate", "Sex") == {(1, 0), (1, 1), (0, 1)}


def test_the_checks_of_figure_5_in_their_order(patients: SearchProblem) -> None:
    checks = Incognito(RECORD).search(patients).checks
    sex_and_zip = [
        (check.levels[1:], check.satisfies)
        for check in checks
        if check.levels[0] is None and None not in check.levels[1:]
    ]
    assert sex_and_zip[0] == ((0, 0), False)
    assert set(sex_and_zip[1:3]) == {((1, 0), True), ((0, 1), False)}
    assert sex_and_zip[3:] == [((0, 2), True)]


def test_the_lattice_of_figure_6_has_6_nodes_and_7_edges() -> None:
    nodes = set(
        map(tuple, np.argwhere(candidates({(0,): np.ones(2, bool), (1,): np.ones(3, bool)}, (0, 1), (2, 3))))
    )
    edges = {
        (a, b)
        for a in nodes
        for b in nodes
        if all(x <= y for x, y in zip(a, b, strict=True)) and sum(b) - sum(a) == 1
    }
    assert (len(nodes), len(edges)) == (6, 7)


@pytest.mark.parametrize("kind", KINDS)
def test_figure_7_has_5_candidates_of_12_and_all_satisfy(
    kind: type[Incognito], patients: SearchProblem
) -> None:
    result = kind(RECORD).search(patients, all_nodes=True)
    figure = {(1, 1, 0), (1, 1, 1), (1, 1, 2), (1, 0, 2), (0, 1, 2)}
    assert result.subsets is not None
    survivors = {
        columns: np.zeros([(2, 2, 3)[column] for column in columns], dtype=bool)
        for columns in combinations(range(3), 2)
    }
    names = ("Birthdate", "Sex", "Zipcode")
    for columns, flags in survivors.items():
        flags[tuple(result.subsets[tuple(names[column] for column in columns)].T)] = True
    left = candidates(survivors, (0, 1, 2), (2, 2, 3))
    assert set(map(tuple, np.argwhere(left).tolist())) == figure
    assert set(roots(left)) == {(1, 1, 0), (1, 0, 2), (0, 1, 2)}
    assert result.satisfying is not None
    assert set(map(tuple, result.satisfying.tolist())) == figure
    assert patients.lattice.size == result.counters.lattice == 12
    # The roots satisfy, so nothing else of the five has to be checked.
    assert {check.levels for check in result.checks if None not in check.levels} == set(roots(left))
    assert result.counters.tagged_failing == 7


def test_scans_of_the_variants(patients: SearchProblem) -> None:
    basic, super_roots, cube = (kind().search(patients).counters for kind in KINDS)
    # One scan per root: three single columns, three pairs, and three roots of all columns.
    assert basic.scans == 9
    # The three roots of all columns have B0 S0 Z0 for their super-root, which is F0 itself.
    assert super_roots.scans == 6
    # Only the pairs are aggregated from F0; single columns come from pairs, and the last roots are F0's.
    assert cube.scans == 6
    assert basic.checked == super_roots.checked == cube.checked


@pytest.mark.parametrize("kind", KINDS)
@given(table=coded_tables(max_columns=4), k=st.integers(1, 6), suppression=st.sampled_from([0.0, 0.1, 0.4]))
def test_every_set_of_columns_is_searched_as_if_it_were_alone(
    kind: type[Incognito], table: CodedTable, k: int, suppression: float
) -> None:
    height = registry.resolve("measures", "height")()
    result = kind().search(SearchProblem(table, (KAnonymity(k),), height, suppression))
    assert result.subsets is not None
    assert len(result.subsets) == 2 ** len(table.columns) - 1
    for names, nodes in result.subsets.items():
        chosen = tuple(column for column in table.columns if column.name in names)
        alone = SearchProblem(CodedTable(chosen, table.rows), (KAnonymity(k),), height, suppression)
        reference = Exhaustive().search(alone, all_nodes=True).satisfying
        assert reference is not None
        np.testing.assert_array_equal(nodes, reference)
