"""A search of parts finds what a search of the whole finds, or says that it may not have."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.shapes import shape
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.measure.height import Height
from shoal.measure.kl_divergence import KLDivergence
from shoal.measure.loss import Loss
from shoal.measure.measure import Measure
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.model import PrivacyModel
from shoal.privacy.population import Population
from shoal.search.algorithms.box import Box
from shoal.search.algorithms.datafly import Datafly
from shoal.search.algorithms.exhaustive import Exhaustive, node_of
from shoal.search.beyond_memory.start import raised_by_columns
from shoal.search.frequency_sets import InMemory, TooManyEntries
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchResult
from shoal.search.run import Counted, explain, search_counted
from shoal.testing.problems import measure_named, requirements
from shoal.testing.tables import coded_tables, described_tables

POPULATION = Population(pa.table({"everybody": [1]}))
shares = st.sampled_from([0.0, 0.0, 0.05, 0.2, 0.5, 1.0])
measures = st.sampled_from(
    ["loss", "height", "precision", "discernability", "discernability-monotone", "classification", "entropy"]
)
counts_allowed = st.sampled_from([1, 2, 4, 1000])


@dataclass(frozen=True)
class Watched:
    """Frequency sets that keep a record of what was asked, and estimate as badly as told."""

    counts: InMemory
    error: float = 1.0
    asked: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)
    entries: list[int] = field(default_factory=list)

    @property
    def domain(self) -> CodedTable:
        return self.counts.domain

    def for_many(self) -> Watched:
        return self

    def estimate(self, nodes: Sequence[Sequence[int]]) -> list[float]:
        self.asked.append(("estimate", ()))
        return [size * self.error for size in self.counts.estimate(nodes)]

    def at(
        self, levels: Sequence[int], columns: Sequence[int] | None = None, *, most: int | None = None
    ) -> CodedTable:
        self.asked.append(("at", tuple(levels)))
        found = self.counts.at(levels, columns, most=most)
        self.entries.append(found.entries)
        return found

    def below(self, levels: Sequence[int], k: int, columns: Sequence[int] | None = None) -> tuple[int, int]:
        self.asked.append(("below", tuple(levels)))
        return self.counts.below(levels, k, columns)

    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.asked]


Asking = Callable[[CodedTable], SearchProblem]


def asking(models: tuple[PrivacyModel, ...], measure: Measure, suppression: float) -> Asking:
    return lambda table: SearchProblem(table, models, measure, suppression)


def agree(found: Counted, whole: SearchResult, problem: SearchProblem) -> None:
    """Compare a search of parts with the reference."""
    result = found.result
    if result.levels is None:
        assert result.optimal
        assert whole.levels is None
        return
    assert whole.levels is not None and whole.score is not None and result.score is not None
    mine, all_rows = node_of(found.problem, result.levels), node_of(problem, result.levels)
    assert sorted(zip(mine.labels, mine.sizes, mine.kept, strict=True)) == sorted(
        zip(all_rows.labels, all_rows.sizes, all_rows.kept, strict=True)
    )
    assert all_rows.suppressed_rows == result.suppressed_rows <= problem.limit
    assert math.isclose(problem.measure.score(all_rows), result.score, rel_tol=1e-9, abs_tol=1e-12)
    if result.optimal:
        assert result.levels == whole.levels
        assert not found.plan.notes
    else:
        assert whole.score <= result.score * (1 + 1e-9) + 1e-12
        assert result.bound is not None
        assert result.bound <= whole.score * (1 + 1e-9)


@given(data=st.data(), suppression=shares, name=measures, most_counts=counts_allowed)
def test_the_best_of_parts_is_the_best(
    data: st.DataObject, suppression: float, name: str, most_counts: int
) -> None:
    population = POPULATION if data.draw(st.booleans()) else None
    table = data.draw(described_tables(max_rows=30, max_columns=3, population=population))
    make_problem = asking(data.draw(requirements(population)), measure_named(name), suppression)
    problem = make_problem(table)
    whole = Exhaustive().search(problem)
    budget = data.draw(st.integers(1, 40))
    counts = Watched(InMemory(table), error=data.draw(st.sampled_from([0.5, 1.0, 1.0, 3.0])))
    try:
        found = search_counted(counts, make_problem, Box(), most_entries=budget, most_counts=most_counts)
    except InputError as error:
        # Something did not fit that might have satisfied.
        assert "fit" in str(error)
        assert budget < table.rows
        return
    agree(found, whole, problem)
    assert counts.kinds().count("at") + counts.kinds().count("below") <= most_counts + 1


@given(table=coded_tables(max_rows=30, max_columns=3), suppression=shares, k=st.integers(1, 6))
def test_with_counts_enough_only_what_fits_nowhere_is_left(
    table: CodedTable, suppression: float, k: int
) -> None:
    make_problem = asking((KAnonymity(k),), Loss(), suppression)
    problem = make_problem(table)
    whole = Exhaustive().search(problem)
    counts = InMemory(table)
    node = tuple(column.max_level for column in table.columns) if whole.levels is None else whole.levels
    budget = counts.at(node, most=table.rows).entries
    found = search_counted(Watched(counts), make_problem, Box(), most_entries=budget, most_counts=1000)
    # The optimum itself fits, so it is found, whether or not that can be proved.
    assert found.result.levels == whole.levels
    agree(found, whole, problem)


@given(
    data=st.data(), suppression=shares, budget=st.integers(1, 40), name=st.sampled_from(["loss", "height"])
)
def test_all_nodes_are_all_or_refused(
    data: st.DataObject, suppression: float, budget: int, name: str
) -> None:
    table = data.draw(described_tables(max_rows=25, max_columns=3))
    make_problem = asking(data.draw(requirements()), measure_named(name), suppression)
    whole = Exhaustive().search(make_problem(table), all_nodes=True)
    try:
        found = search_counted(
            InMemory(table), make_problem, Box(), most_entries=budget, all_nodes=True, most_counts=1000
        )
    except InputError as error:
        assert "fit" in str(error)
        return
    assert whole.satisfying is not None and found.result.satisfying is not None
    assert found.result.satisfying.tolist() == whole.satisfying.tolist()
    agree(found, whole, make_problem(table))


@given(table=coded_tables(max_rows=30, max_columns=3), suppression=shares, budget=st.integers(1, 30))
def test_a_heuristic_in_parts_keeps_its_bound(table: CodedTable, suppression: float, budget: int) -> None:
    make_problem = asking((KAnonymity(3),), Loss(), suppression)
    whole = Exhaustive().search(make_problem(table))
    try:
        found = search_counted(
            InMemory(table), make_problem, Datafly(), most_entries=budget, most_counts=1000
        ).result
    except InputError:
        return
    if found.score is not None and whole.score is not None and not found.optimal:
        assert found.bound is not None
        assert found.bound <= whole.score * (1 + 1e-9) <= found.score * (1 + 2e-9)


@given(data=st.data(), suppression=shares)
def test_no_level_is_ruled_out_at_which_a_node_satisfies(data: st.DataObject, suppression: float) -> None:
    table = data.draw(described_tables(max_rows=30, max_columns=3))
    problem = SearchProblem(table, data.draw(requirements()), Height(), suppression)
    satisfying = Exhaustive().search(problem, all_nodes=True).satisfying
    assert satisfying is not None
    assert (satisfying >= np.array(raised_by_columns(problem))).all()


@given(data=st.data(), k=st.integers(1, 5))
def test_entries_at_a_node_are_those_of_the_rows(data: st.DataObject, k: int) -> None:
    table = data.draw(described_tables(max_rows=30, max_columns=3))
    levels = [data.draw(st.integers(0, column.height)) for column in table.columns]
    found = InMemory(table).at(levels)
    weights = np.ones(found.entries, dtype=np.int64) if found.weights is None else found.weights
    cells = list(
        zip(
            *(
                column.maps[level][column.codes].tolist()
                for column, level in zip(found.columns, levels, strict=True)
            ),
            weights.tolist(),
            strict=True,
        )
    )
    rows: dict[tuple[int, ...], int] = {}
    for *labels, number in cells:
        rows[tuple(labels)] = rows.get(tuple(labels), 0) + number
    expected: dict[tuple[int, ...], int] = {}
    for labels in zip(
        *(
            column.maps[level][column.codes].tolist()
            for column, level in zip(table.columns, levels, strict=True)
        ),
        strict=True,
    ):
        expected[labels] = expected.get(labels, 0) + 1
    assert rows == expected
    small = sum(size for size in expected.values() if size < k)
    assert InMemory(table).below(levels, k) == (small, len(expected))


def test_what_fits_is_fetched_once_at_level_0() -> None:
    table = shape("adult", rows=3000)
    counts = Watched(InMemory(table))
    found = search_counted(counts, asking((KAnonymity(5),), Loss(), 0.0), Box(), most_entries=3000)
    assert counts.asked == [("at", (0,) * len(table.columns))]
    assert found.problem.table.bottom is None
    assert found.result.optimal


def test_single_columns_raise_the_bottom_only_where_it_must_be() -> None:
    table = shape("adult", rows=3000)
    make_problem = asking((KAnonymity(100),), Loss(), 0.0)
    whole = Box().search(make_problem(table))
    raised = raised_by_columns(make_problem(table))
    sizes = InMemory(table).estimate([(0,) * len(raised), raised])
    assert sizes[1] < sizes[0]
    counts = Watched(InMemory(table))
    found = search_counted(counts, make_problem, Box(), most_entries=int(sizes[1]))
    assert counts.asked == [("estimate", ()), ("at", raised)]
    assert found.result.levels == whole.levels
    assert found.result.optimal
    assert "raised by single columns" in found.plan.render()
    counts = Watched(InMemory(table))
    search_counted(counts, make_problem, Box(), most_entries=int(sizes[0]))
    assert counts.asked == [("estimate", ()), ("at", (0,) * len(raised))]


@pytest.mark.parametrize(
    ("suppression", "budget", "counted"), [(0.0, 5_000, 12), (0.0, 20_000, 10), (0.02, 20_000, 20)]
)
def test_few_counts_settle_a_lattice_of_thousands(suppression: float, budget: int, counted: int) -> None:
    table = shape("lands-end", rows=200_000)
    make_problem = asking((KAnonymity(5),), Loss(), suppression)
    whole = Box().search(make_problem(table))
    counts = Watched(InMemory(table))
    found = search_counted(counts, make_problem, Box(), most_entries=budget, most_counts=counted)
    assert found.result.levels == whole.levels
    assert found.result.optimal
    assert counts.kinds().count("estimate") == 1
    assert len(counts.asked) <= 1 + counted
    assert max(counts.entries) <= budget
    assert "region above" in found.plan.render()
    assert found.plan.to_mapping()["fit"] == budget


def test_what_is_left_is_said_with_a_bound() -> None:
    table = shape("lands-end", rows=50_000)
    make_problem = asking((KAnonymity(2),), Loss(), 0.05)
    whole = Box().search(make_problem(table))
    found = search_counted(InMemory(table), make_problem, Box(), most_entries=20, most_counts=4)
    assert whole.score is not None and found.result.bound is not None and found.result.score is not None
    assert not found.result.optimal
    assert found.result.bound <= whole.score < found.result.score
    assert "not all tuples fit into memory" in found.plan.notes[0]
    assert found.plan.counts["at"] + found.plan.counts["below"] == 4


def test_where_nothing_that_fits_satisfies_the_message_says_what_would_help() -> None:
    table = shape("adult", rows=3000)
    capped = CodedTable(tuple(column for column in table.columns[:4]), table.rows)
    with pytest.raises(InputError, match="Allow more memory"):
        search_counted(InMemory(capped), asking((KAnonymity(2),), Loss(), 0.0), Box(), most_entries=0)
    with pytest.raises(InputError, match="All satisfying nodes were requested"):
        search_counted(
            InMemory(capped), asking((KAnonymity(2),), Loss(), 0.9), Box(), most_entries=5, all_nodes=True
        )


def test_a_measure_of_tuples_is_not_told_at_higher_levels() -> None:
    table = shape("adult", rows=3000)
    make_problem = asking((KAnonymity(5),), KLDivergence(), 0.0)
    with pytest.raises(InputError, match="needs all tuples"):
        search_counted(InMemory(table), make_problem, Box(), most_entries=100)
    raised = InMemory(table).at([1] * len(table.columns))
    for name in ("kl-divergence", "discernability", "discernability-monotone", "average-class-size"):
        assert measure_named(name).ends(raised, 5) is None


def test_units_are_counted_from_fewer_entries_too() -> None:
    table = shape("adult", rows=500)
    people = CodedTable(table.columns[:3], table.rows, units=np.arange(500, dtype=np.uint32) // 2)
    counts = InMemory(people)
    assert counts.domain.units is not None
    make_problem = asking((KAnonymity(5),), Loss(), 0.1)
    # Who a row is about is part of an entry, so that hardly anything merges.
    with pytest.raises(InputError, match="Even at the highest levels"):
        search_counted(counts, make_problem, Box(), most_entries=200)


def test_a_plan_is_told_before_anything_is_fetched() -> None:
    counts = Watched(InMemory(shape("lands-end", rows=50_000)))
    plan = explain(counts, asking((KAnonymity(5),), Loss(), 0.0), most_entries=2_000, engine="duckdb")
    assert counts.kinds() == ["estimate"]
    lines = plan.render().splitlines()
    assert lines[0] == "engine: duckdb"
    assert "2,000 fit" in plan.render()
    assert "then regions of the lattice" in lines[-1]


def test_too_many_entries_are_not_handed_over() -> None:
    counts = InMemory(shape("adult", rows=500))
    with pytest.raises(TooManyEntries, match="more than 3"):
        counts.at((0,) * len(counts.table.columns), most=3)


def test_counts_are_told_as_they_go() -> None:
    told: list[str] = []
    table = shape("lands-end", rows=20_000)
    search_counted(
        InMemory(table), asking((KAnonymity(5),), Loss(), 0.0), Box(), most_entries=1_000, report=told.append
    )
    assert told[:2] == ["the rows, as numbers", "how many tuples there are"]
    assert any(text.startswith("tuples, ") for text in told)


def test_diversity_of_values_is_searched_in_parts() -> None:
    table = shape("adult", rows=2000)
    described = CodedTable(
        table.columns[:5], table.rows, attributes={table.columns[7].name: table.columns[7]}
    )
    models = (KAnonymity(3), LDiversity(table.columns[7].name, 2))
    make_problem = asking(models, Loss(), 0.05)
    whole = Box().search(make_problem(described))
    found = search_counted(InMemory(described), make_problem, Box(), most_entries=900, most_counts=100)
    assert found.result.levels == whole.levels
    assert found.result.optimal
