"""The nodes beside a chosen one, against the reference that counts rows."""

from __future__ import annotations

import math
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import registry
from shoal.describe import intervals, suppress
from shoal.encode.column import code_column
from shoal.encode.table import CodedTable
from shoal.explore.neighbours import Neighbour, neighbours
from shoal.measure.loss import Loss
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.passing_classes import passing, settled
from shoal.privacy.population import Population
from shoal.search.algorithms.exhaustive import Exhaustive, classes_of, node_of
from shoal.search.judge_nodes import judge
from shoal.search.problem import SearchProblem
from shoal.testing.problems import measures_named, requirements
from shoal.testing.tables import described_tables

POPULATION = Population("town.csv")
NAMES = registry.names("measures")


@st.composite
def problems(draw: st.DrawFn) -> SearchProblem:
    population = draw(st.sampled_from([None, POPULATION]))
    return SearchProblem(
        draw(described_tables(max_rows=25, max_columns=3, population=population)),
        draw(requirements(population)),
        draw(st.sampled_from(NAMES).flatmap(measures_named)),
        draw(st.sampled_from([0.0, 0.1, 0.4])),
    )


def by_reference(problem: SearchProblem, levels: list[int]) -> tuple[bool, int, float]:
    classes = classes_of(problem, levels)
    kept = passing(problem.models, classes)
    score = problem.measure.score(node_of(problem, levels))
    return (
        settled(problem.models, classes, kept, problem.limit),
        int(classes.sizes[~kept].sum()),
        score,
    )


@given(problem=problems(), data=st.data())
def test_any_nodes_are_judged_as_the_reference_judges_them(
    problem: SearchProblem, data: st.DataObject
) -> None:
    level = st.tuples(*(st.integers(0, column.height) for column in problem.table.columns))
    nodes = data.draw(st.lists(level, min_size=1, max_size=6))
    judged = judge(problem, nodes)
    for place, node in enumerate(nodes):
        satisfies, suppressed, score = by_reference(problem, list(node))
        assert judged.satisfies[place] == satisfies
        assert judged.suppressed_rows[place] == suppressed
        if satisfies:
            assert math.isclose(judged.scores[place], score, rel_tol=1e-11, abs_tol=1e-11)
        else:
            assert math.isnan(judged.scores[place])


@given(problem=problems())
def test_no_allowed_neighbour_of_the_optimum_is_better(problem: SearchProblem) -> None:
    found = Exhaustive().search(problem)
    if found.levels is None or found.score is None:
        return
    beside = neighbours(problem, found.levels)
    heights = [column.height for column in problem.table.columns]
    expected = {
        (name, step)
        for name, level, height in zip(problem.table.names, found.levels, heights, strict=True)
        for step in (-1, 1)
        if 0 <= level + step <= height
    }
    assert {(neighbour.column, neighbour.step) for neighbour in beside} == expected
    for neighbour in beside:
        column = problem.table.columns[problem.table.names.index(neighbour.column)]
        assert neighbour.within_spec == (column.min_level <= neighbour.level <= column.max_level)
        if neighbour.within_spec and neighbour.score is not None:
            mine = problem.rank(found.levels, found.score)
            assert mine < problem.rank(tuple(neighbour.levels.values()), neighbour.score)
            assert "better" not in neighbour.reason
            assert "would have won" not in neighbour.reason


def table_of(columns: int, rows: int = 40) -> CodedTable:
    values = pa.array([str(i) for i in range(rows)]).dictionary_encode()
    return CodedTable(tuple(code_column(f"c{i}", values, intervals(2, 4, 8)) for i in range(columns)), rows)


def test_a_lattice_beyond_exact_search_has_neighbours_too() -> None:
    problem = SearchProblem(table_of(20), (KAnonymity(4),), Loss())
    assert problem.too_large
    found = neighbours(problem, [2] * 20)
    assert len(found) == 40
    # In one column of the many, a level down splits every class.
    assert {(n.step, n.satisfies, n.suppressed_rows) for n in found} == {(-1, False, 40), (1, True, 0)}


def ages(*values: int, **bounds: int) -> CodedTable:
    column = code_column("age", pa.array(values).dictionary_encode(), intervals(10, 20), **bounds)
    return CodedTable((column,), len(values))


def reasons(problem: SearchProblem, *levels: int) -> dict[str, str]:
    return {f"{n.column} {n.level}": n.reason for n in neighbours(problem, levels)}


def test_reasons() -> None:
    table = ages(21, 25, 32, 38, 55)
    k = (KAnonymity(2),)
    assert reasons(SearchProblem(table, k, Loss(), 0.2), 1) == {
        "age 0": "Suppresses 5 rows, 1 allowed.",
        "age 2": "Scores 0.8 by loss, worse by 0.4.",
    }
    assert reasons(SearchProblem(table, k, Loss()), 3) == {
        "age 2": "1 row would have to be suppressed, and none may be."
    }
    assert reasons(SearchProblem(table, k, Loss(), 0.2), 2)["age 1"] == (
        "Scores 0.4 by loss, better by 0.4: what was chosen is not the best of all."
    )
    assert reasons(SearchProblem(table, k, Loss()), 0)["age 1"].startswith("1 row would have")


def test_levels_outside_the_spec_are_said_to_be() -> None:
    problem = SearchProblem(ages(21, 25, 32, 38, min_level=1, max_level=1), (KAnonymity(2),), Loss())
    assert reasons(problem, 1) == {
        "age 0": "The spec allows no level below 1. Otherwise: 4 rows would have to be suppressed, "
        "and none may be.",
        "age 2": "The spec allows no level above 1. Otherwise: scores 1 by loss, worse by 0.67.",
    }
    assert all(not neighbour.within_spec for neighbour in neighbours(problem, [1]))


def test_ties_say_what_broke_them() -> None:
    sexes = code_column("sex", pa.array(["F", "F"]).dictionary_encode(), suppress())
    jobs = code_column("job", pa.array(["x", "x"]).dictionary_encode(), suppress())
    flat = shoal.CustomMeasure(lambda node: 1.0, name="flat")
    problem = SearchProblem(CodedTable((sexes, jobs), 2), (KAnonymity(2),), flat)
    assert reasons(problem, 0, 0) == {
        "sex 1": "Scores 1 by flat, a tie, which goes to the lower node.",
        "job 1": "Scores 1 by flat, a tie, which goes to the lower node.",
    }
    assert reasons(problem, 1, 0)["sex 0"] == "Scores 1 by flat, a tie, which the lower node would have won."


def test_a_measure_known_by_scores_alone_scores_only_what_satisfies() -> None:
    seen = []

    def score(node: object) -> float:
        seen.append(node.levels)  # type: ignore[attr-defined]
        return 3.0 - sum(node.levels)  # type: ignore[attr-defined]

    problem = SearchProblem(ages(21, 25, 32, 38), (KAnonymity(2),), shoal.CustomMeasure(score, name="own"))
    below, above = neighbours(problem, [1])
    assert (below.score, above.score) == (None, 1.0)
    assert (0,) not in seen
    assert above.reason.startswith("Scores 1 by own, better by 1")


def test_units_are_counted() -> None:
    import numpy as np

    table = replace(ages(21, 21, 32, 32), units=np.array([0, 0, 1, 2], dtype=np.uint32))
    problem = SearchProblem(table, (KAnonymity(2),), Loss(), 0.5)
    below, above = neighbours(problem, [1])
    # Both rows of 21 are about one person.
    assert (below.satisfies, below.suppressed_rows) == (True, 2)
    assert (above.satisfies, above.suppressed_rows) == (True, 0)


def test_a_table_too_wide_below_the_spec_keeps_what_the_spec_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal.explore import neighbours as module

    problem = SearchProblem(ages(21, 25, 32, 38, min_level=1), (KAnonymity(2),), Loss())
    wide = module.judge

    def refusing(asked: SearchProblem, nodes: list[tuple[int, ...]]) -> object:
        if any(node[0] < 1 for node in nodes):
            raise shoal.InputError("The table is too wide for a search.")
        return wide(asked, nodes)

    monkeypatch.setattr(module, "judge", refusing)
    assert [neighbour.step for neighbour in neighbours(problem, [1])] == [1]


def test_to_mapping_and_text() -> None:
    (found, _) = neighbours(SearchProblem(ages(21, 25, 32, 38), (KAnonymity(2),), Loss()), [1])
    assert isinstance(found, Neighbour)
    assert found.to_mapping() == {
        "levels": {"age": 0},
        "column": "age",
        "step": -1,
        "satisfies": False,
        "within_spec": True,
        "suppressed_rows": 4,
        "allowed_rows": 0,
        "score": None,
        "reason": "4 rows would have to be suppressed, and none may be.",
    }
    assert found.render() == "age down to level 0: 4 rows would have to be suppressed, and none may be."
