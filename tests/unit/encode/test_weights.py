"""Entries that stand for several rows are counted, judged, measured and searched as these rows are."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import registry
from shoal.encode.table import CodedTable
from shoal.measure.custom import CustomMeasure
from shoal.measure.measure import Measure, Node
from shoal.measure.untouched_classes import untouched_classes
from shoal.privacy import classes as classes_module
from shoal.privacy.classes import Classes
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.model import PrivacyModel
from shoal.privacy.population import Population
from shoal.search import custom_measure
from shoal.search.algorithms.exhaustive import classes_of, node_of
from shoal.search.frequency_sets import InMemory
from shoal.search.infeasible import infeasible
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchResult
from shoal.testing.problems import absorbed, measures_named, requirements
from shoal.tradeoff.figures import figures

from .frequency_sets import at_least, frequency_set, nodes, repeated_tables, tuples

MEASURES = [*registry.names("measures"), "custom"]
ALGORITHMS = ["box", "exhaustive", "flash", "incognito", "bitmap-incognito"]
POPULATION = Population(pa.table({"everybody": [1]}))

tables = repeated_tables(POPULATION)
shares = st.sampled_from([0.0, 0.1, 0.3, 1.0])


def problems_of(
    table: CodedTable, models: tuple[PrivacyModel, ...], measure: Measure, suppression: float = 0.0
) -> tuple[SearchProblem, SearchProblem]:
    """Ask the same of the rows and of the frequency set."""
    by_rows, by_entries = (
        SearchProblem(own, models, measure, suppression) for own in (table, frequency_set(table))
    )
    return by_rows, by_entries


@given(table=tables)
def test_grouping_keeps_every_row(table: CodedTable) -> None:
    counted = InMemory(table).at((0,) * len(table.columns), columns=range(len(table.columns)))
    assert counted.weights is not None
    assert dict(zip(tuples(counted), counted.weights.tolist(), strict=True)) == Counter(tuples(table))
    assert (counted.rows, counted.entries) == (table.rows, len(set(tuples(table))))


def told(classes: Classes) -> dict[tuple[tuple[int, ...], ...], Any]:
    """Return what classes tell, by the codes of the rows in each; of those that have rows."""
    names: dict[int, set[tuple[int, ...]]] = {place: set() for place in range(classes.count)}
    for place, entry in zip(classes.of_rows.tolist(), tuples(classes.table), strict=True):
        names[place].add(entry)
    per_class = [
        classes.sizes,
        classes.people,
        *(classes.histogram(name) for name in classes.table.attributes),
        *(classes.population(key) for key in classes.of_population),
    ]
    figures = zip(*(figure.tolist() for figure in per_class), strict=True)
    found: dict[tuple[tuple[int, ...], ...], Any] = {}
    for place, own in enumerate(figures):
        if names[place]:
            found[tuple(sorted(names[place]))] = own
    return found


@given(table=tables, data=st.data())
def test_classes(table: CodedTable, data: st.DataObject) -> None:
    levels = data.draw(nodes(table))
    by_rows, by_entries = (
        classes_of(problem, levels)
        for problem in problems_of(table, (KAnonymity(1),), registry.resolve("measures", "loss")())
    )
    assert by_rows.count == by_entries.count
    assert told(by_entries) == told(by_rows)
    for name in table.attributes:
        assert by_entries.totals(name).tolist() == by_rows.totals(name).tolist()


@given(table=tables, data=st.data())
def test_parts_of_classes(table: CodedTable, data: st.DataObject) -> None:
    classes = classes_of(
        SearchProblem(frequency_set(table), (KAnonymity(1),), registry.resolve("measures", "loss")()),
        data.draw(nodes(table)),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(classes_module, "_MOST_CELLS", data.draw(st.integers(1, 8)))
        parts = list(classes.parts(2))
    assert sum(part.count for _, part in parts) == classes.count
    for place, part in parts:
        assert part.sizes.tolist() == classes.sizes[place].tolist()
        assert part.people.tolist() == classes.people[place].tolist()
        for name in table.attributes:
            assert part.histogram(name).tolist() == classes.histogram(name)[place].tolist()


@given(table=tables)
def test_untouched_classes(table: CodedTable) -> None:
    counted = frequency_set(table)
    width = len(table.columns)
    found = {}
    for own in (table, counted):
        of_entries, sizes = untouched_classes(own)
        names = [entry[:width] for entry in tuples(own)]
        found[own.weights is None] = {
            name: int(sizes[place]) for name, place in zip(names, of_entries.tolist(), strict=True)
        }
        assert len(sizes) == len(set(names))
    assert found[True] == found[False] == Counter(entry[:width] for entry in tuples(table))


def rows_squared(node: Node) -> float:
    """Look at all that a node tells about its classes."""
    of_entries = node.class_of_rows()
    weights = np.ones(node.table.entries) if node.table.weights is None else node.table.weights
    sizes = np.bincount(of_entries, weights=weights, minlength=len(node.sizes))
    assert sizes.tolist() == list(node.sizes)
    lost = sum(int(counts.sum()) for counts in node.suppressed_labels())
    return float(sum(size**2 for size in node.sizes) + node.suppressed_rows + lost)


def measures(name: str) -> st.SearchStrategy[Measure]:
    return st.just(CustomMeasure(rows_squared)) if name == "custom" else measures_named(name)


def close(found: Any, expected: Any) -> bool:
    return bool(found == expected or found == pytest.approx(expected, rel=1e-12, abs=1e-12))


@pytest.mark.parametrize("name", MEASURES)
@given(table=tables, k=st.integers(1, 4), data=st.data())
@settings(max_examples=10)
def test_measures(name: str, table: CodedTable, k: int, data: st.DataObject) -> None:
    measure, levels = data.draw(measures(name)), data.draw(nodes(table))
    by_rows, by_entries = problems_of(table, (KAnonymity(k),), measure)
    mine, expected = node_of(by_entries, levels), node_of(by_rows, levels)
    assert sorted(zip(mine.labels, mine.sizes, mine.kept, strict=True)) == sorted(
        zip(expected.labels, expected.sizes, expected.kept, strict=True)
    )
    assert close(measure.score(mine), measure.score(expected))
    assert close(measure.ends(by_entries.table, k), measure.ends(by_rows.table, k))
    lost = expected.suppressed_labels()
    assert [counts.tolist() for counts in mine.suppressed_labels()] == [counts.tolist() for counts in lost]
    assert close(
        measure.contributions(by_entries.table, mine.cells, lost),
        measure.contributions(by_rows.table, expected.cells, lost),
    )
    costs, by_definition = (measure.costs(problem.table, k) for problem in (by_entries, by_rows))
    assert (costs is None) == (by_definition is None)
    if costs is not None and by_definition is not None:
        assert replace(costs, constant=0.0) == replace(by_definition, constant=0.0)
        assert math.isclose(costs.constant, by_definition.constant, rel_tol=1e-12, abs_tol=1e-12)


def answer(result: SearchResult) -> dict[str, Any]:
    assert result.satisfying is not None
    return {
        "levels": result.levels,
        "suppressed": result.suppressed_rows if result.levels else None,
        "classes": result.classes,
        "satisfying": result.satisfying.tolist(),
        "subsets": result.subsets and {names: own.tolist() for names, own in result.subsets.items()},
    }


@pytest.mark.parametrize("name", ALGORITHMS)
@given(
    table=tables,
    models=requirements(population=POPULATION),
    measure=st.sampled_from(MEASURES).flatmap(measures),
    suppression=shares,
    data=st.data(),
)
def test_searches(
    name: str,
    table: CodedTable,
    models: tuple[PrivacyModel, ...],
    measure: Measure,
    suppression: float,
    data: st.DataObject,
) -> None:
    algorithm = registry.resolve("algorithms", name)()
    if algorithm.sizes_only:
        table = replace(table, units=None, populations={})
        models = tuple(model for model in models if model.name == "k-anonymity") or (KAnonymity(3),)
    if algorithm.absorbing_only:
        table, suppression = absorbed(table, models, suppression)
    bottom = tuple(data.draw(st.integers(0, column.max_level)) for column in table.columns)
    if measure.needs_tuples:
        bottom = (0,) * len(bottom)
    # Of rows whose columns begin at the bottom, and of tuples that were counted there.
    rows = at_least(table, bottom)
    counted = InMemory(table).at(bottom, columns=range(len(bottom)))
    expected, *others = (
        custom_measure.search(
            algorithm, SearchProblem(own, models, measure, suppression), all_nodes=True, threads=2
        )
        for own in (rows, frequency_set(rows), counted)
    )
    for found in others:
        assert answer(found) == answer(expected)
        assert close(found.score, expected.score)


@given(
    table=tables,
    models=requirements(population=POPULATION),
    suppression=shares,
    data=st.data(),
)
def test_figures_and_messages(
    table: CodedTable, models: tuple[PrivacyModel, ...], suppression: float, data: st.DataObject
) -> None:
    levels = data.draw(nodes(table))
    loss = registry.resolve("measures", "loss")()
    by_rows, by_entries = problems_of(table, models, loss, suppression)
    assert figures(by_entries.verdict(levels)) == figures(by_rows.verdict(levels))
    # What a message tells of rows, it tells of all of them.
    assert str(infeasible(by_entries)) == str(infeasible(by_rows))


def test_counts_beyond_what_floats_hold() -> None:
    """Rows are counted as whole numbers, also where a sum of floats would lose one."""
    many = (1 << 60) + 1
    codes = np.array([0, 0, 1], dtype=np.uint32)
    weights = np.array([many, 1, 2], dtype=np.uint64)
    sizes = Classes(CodedTable((), many + 3, weights=weights), codes, 2).sizes
    assert sizes.tolist() == [many + 1, 2]
