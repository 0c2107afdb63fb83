"""Incognito on bitmaps: the same answer whatever the switches, and what each of them changes."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import registry
from shoal.data import patients
from shoal.describe import QuasiIdentifier, hierarchy_file, intervals
from shoal.encode.column import code_column
from shoal.encode.table import CodedTable, code_table
from shoal.errors import InputError
from shoal.privacy.k_anonymity import KAnonymity
from shoal.search.algorithms.bitmap_incognito import BitmapIncognito, bytes_needed
from shoal.search.algorithms.exhaustive import Exhaustive
from shoal.search.problem import SearchProblem
from shoal.testing.problems import measure_named
from shoal.testing.tables import coded_tables, described_tables

SWITCHES = [
    {"one_level": one_level, "reusing": reusing, "pruning": pruning}
    for one_level, reusing, pruning in product([True, False], repeat=3)
]


def named(switches: dict[str, bool]) -> str:
    return ", ".join(name for name, on in switches.items() if on) or "none"


def problem_of(table: CodedTable, k: int, suppression: float = 0.0, measure: str = "loss") -> SearchProblem:
    return SearchProblem(table, (KAnonymity(k),), measure_named(measure), suppression)


@pytest.mark.parametrize("switches", SWITCHES, ids=named)
@given(
    table=described_tables().map(lambda table: replace(table, units=None)),
    k=st.integers(1, 8),
    suppression=st.sampled_from([0.0, 0.0, 0.05, 0.2, 0.5, 1.0]),
    measure=st.sampled_from(registry.names("measures")),
)
def test_equals_the_reference(
    switches: dict[str, bool], table: CodedTable, k: int, suppression: float, measure: str
) -> None:
    problem = problem_of(table, k, suppression, measure)
    result = BitmapIncognito(**switches).search(problem, all_nodes=True)
    reference = Exhaustive().search(problem, all_nodes=True)
    assert result.satisfying is not None
    assert reference.satisfying is not None
    np.testing.assert_array_equal(result.satisfying, reference.satisfying)
    assert (result.levels, result.suppressed_rows, result.classes) == (
        reference.levels,
        reference.suppressed_rows,
        reference.classes,
    )
    if reference.score is not None:
        assert result.score is not None
        assert math.isclose(result.score, reference.score, rel_tol=1e-12)


@pytest.mark.parametrize("switches", SWITCHES, ids=named)
@given(table=coded_tables(max_columns=3), k=st.integers(1, 6), suppression=st.sampled_from([0.0, 0.1]))
def test_every_set_of_columns_is_searched(
    switches: dict[str, bool], table: CodedTable, k: int, suppression: float
) -> None:
    result = BitmapIncognito(**switches, record=True).search(problem_of(table, k, suppression))
    assert result.subsets is not None
    expected = {}
    for size in range(1, len(table.columns) + 1):
        for chosen in combinations(table.columns, size):
            part = problem_of(CodedTable(chosen, table.rows), k, suppression)
            satisfying = Exhaustive().search(part, all_nodes=True).satisfying
            assert satisfying is not None
            expected[tuple(column.name for column in chosen)] = satisfying.tolist()
    assert {names: nodes.tolist() for names, nodes in result.subsets.items()} == expected

    # The work adds up, and is the same for all switches: they change how a node is judged, not which.
    counters = result.counters
    whole = [check for check in result.checks if None not in check.levels]
    assert counters.checked == len(result.checks) == len({check.levels for check in result.checks})
    assert counters.lattice == len(whole) + counters.tagged_satisfying + counters.tagged_failing
    assert len(expected[table.names]) == sum(c.satisfies for c in whole) + counters.tagged_satisfying
    for check in result.checks:
        names = tuple(n for n, level in zip(table.names, check.levels, strict=True) if level is not None)
        assert check.satisfies == ([level for level in check.levels if level is not None] in expected[names])
    assert result.checks == BitmapIncognito(record=True).search(problem_of(table, k, suppression)).checks


@pytest.fixture
def six_patients(tmp_path: Path) -> CodedTable:
    """The table and the hierarchies of the paper."""
    files = patients.write(None, 0, tmp_path).hierarchies
    columns = list(zip(*patients.ROWS, strict=True))
    names = list(patients.TAXONOMIES)
    table = pa.table([pa.array(columns[i]).dictionary_encode() for i in range(len(names))], names=names)
    return code_table(
        table,
        {n: QuasiIdentifier(hierarchy=hierarchy_file(str(f))) for n, f in zip(names, files, strict=True)},
    )


@pytest.mark.parametrize("switches", SWITCHES, ids=named)
def test_the_example_of_the_paper(switches: dict[str, bool], six_patients: CodedTable) -> None:
    result = BitmapIncognito(**switches, record=True).search(problem_of(six_patients, 2), all_nodes=True)
    assert result.satisfying is not None
    assert result.subsets is not None
    # Figure 7: of 12 nodes the smaller sets leave 5, and all of them satisfy.
    assert result.satisfying.tolist() == [[0, 1, 2], [1, 0, 2], [1, 1, 0], [1, 1, 1], [1, 1, 2]]
    assert (result.counters.lattice, result.counters.tagged_failing) == (12, 7)
    # Figure 6: Sex and Zipcode. S0 Z0 fails, S1 Z0 satisfies and marks S1 Z1 and S1 Z2.
    assert result.subsets["Sex", "Zipcode"].tolist() == [[0, 2], [1, 0], [1, 1], [1, 2]]
    judged = [c.levels[1:] for c in result.checks if c.levels[0] is None and None not in c.levels[1:]]
    assert judged == [(0, 0), (0, 1), (1, 0), (0, 2)]


def work(table: CodedTable, **switches: bool) -> dict[str, int | float]:
    problem = problem_of(table, 3, 0.02)
    return BitmapIncognito(**switches).search(problem).counters.to_mapping()


@pytest.fixture(scope="module")
def larger() -> CodedTable:
    rng = np.random.default_rng(0)
    columns = []
    for i in range(4):
        values = pa.array([str(v) for v in (rng.random(3000) ** 2 * 24).astype(int)]).dictionary_encode()
        columns.append(code_column(f"c{i}", values, intervals(4, 12, 24)))
    return CodedTable(tuple(columns), 3000)


def test_what_the_switches_change(larger: CodedTable) -> None:
    on = work(larger)
    assert on["rollups"] == 0
    assert on["scans"] == on["checked"]
    # Without reusing each class is made from all its columns, without pruning all classes are counted.
    assert work(larger, reusing=False)["touched"] > on["touched"]
    assert work(larger, pruning=False)["touched"] > on["touched"]
    # Class bitmaps of nodes take memory; without pruning, generalizations come from them by OR.
    held = work(larger, one_level=False, pruning=False)
    assert held["peak_bytes"] > 2 * on["peak_bytes"]
    assert held["rollups"] > 0
    assert work(larger, one_level=False, reusing=False, pruning=False)["rollups"] == 0
    assert {work(larger, **switches)["checked"] for switches in SWITCHES} == {on["checked"]}


@given(table=coded_tables(), k=st.integers(1, 6), suppression=st.sampled_from([0.0, 0.1, 1.0]))
def test_what_is_held_stays_below_the_figure_that_decides(
    table: CodedTable, k: int, suppression: float
) -> None:
    problem = problem_of(table, k, suppression)
    for switches in SWITCHES:
        counters = BitmapIncognito(**switches).search(problem).counters
        assert counters.peak_bytes <= bytes_needed(problem, one_level=switches["one_level"])


def test_what_is_beyond_the_budget_is_refused_with_the_figure(larger: CodedTable) -> None:
    problem = problem_of(larger, 3)
    with pytest.raises(
        InputError,
        match=r"(?s)bitmaps .* would take [0-9.]+ KB\.\nThe budget is 9\.8 KB\..*use one of: .*box",
    ):
        BitmapIncognito(budget=10_000).search(problem)
    needed = bytes_needed(problem, one_level=True)
    assert BitmapIncognito(budget=needed).search(problem).levels is not None
    with pytest.raises(InputError, match="one_level"):
        BitmapIncognito(one_level=False, budget=needed).search(problem)


def test_too_many_sets_of_columns_are_refused(larger: CodedTable) -> None:
    wide = CodedTable(tuple(replace(larger.columns[0], name=f"c{i}") for i in range(14)), larger.rows)
    with pytest.raises(InputError, match="78,364,164,095 nodes"):
        BitmapIncognito().search(problem_of(wide, 3))


def test_a_listener_hears_how_far_it_is(larger: CodedTable) -> None:
    heard: list[tuple[int, int, float | None]] = []
    BitmapIncognito().search(problem_of(larger, 3, 0.02), listener=lambda *now: heard.append(now))
    assert len(heard) > 1
    # The nodes of the lattices of all sets of columns: each column at a level, or left out.
    assert {size for size, _, _ in heard} == {6**4 - 1}
    assert [decided for _, decided, _ in heard] == sorted(decided for _, decided, _ in heard)


def test_an_interrupt_ends_it(larger: CodedTable) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        BitmapIncognito().search(problem_of(larger, 3, 0.02), listener=interrupt)
