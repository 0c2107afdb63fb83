"""Recodings of single values: optima by brute force, containment, suppression, NULL, pinned columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.describe import intervals
from shoal.encode.column import CodedColumn, code_column
from shoal.encode.table import CodedTable
from shoal.errors import InfeasibleError, InputError
from shoal.measure.certainty_penalty import CertaintyPenalty
from shoal.measure.loss import Loss
from shoal.measure.measure import Measure
from shoal.measure.precision import Precision
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.model import PrivacyModel
from shoal.recode.by_values import ByValues
from shoal.search.frequency_sets import InMemory
from shoal.search.problem import SearchProblem
from shoal.strategies.attribute_suppression import AttributeSuppression
from shoal.strategies.full_domain_search import FullDomainSearch
from shoal.strategies.ordered_set import OrderedSet
from shoal.strategies.strategy import Chosen, Question, Strategy
from shoal.strategies.subtree import Subtree
from shoal.testing.problems import requirements
from shoal.testing.tables import described_tables

EPS = 1e-9


def problem_of(
    table: CodedTable,
    models: tuple[PrivacyModel, ...] = (KAnonymity(2),),
    suppression: float = 0.0,
    measure: Measure | None = None,
    *,
    starred: bool = False,
) -> SearchProblem:
    return SearchProblem(table, models, measure or Loss(), suppression, starred=starred)


def choose(strategy: Strategy, problem: SearchProblem, *, hierarchy: Any = None) -> Chosen | None:
    """Return what a strategy chooses; None where nothing satisfies."""
    described = dict.fromkeys(problem.table.names, hierarchy or intervals(5))
    spec = shoal.Spec(quasi_identifiers=described, privacy=[KAnonymity(1)])
    question = Question(
        spec, InMemory(problem.table), lambda counted: replace(problem, table=counted), 1 << 40
    )
    try:
        return strategy.choose(question)
    except InfeasibleError:
        return None


def cuts(column: CodedColumn) -> list[tuple[int, ...]]:
    """All cuts through a hierarchy by plain recursion: for each value the first one of its block."""
    base = column.min_level
    paths = [
        tuple(int(column.step(base, level)[value]) for level in range(base, column.max_level + 1))
        for value in range(len(column.labels[base]))
    ]

    def under(depth: int, values: list[int]) -> Iterator[list[list[int]]]:
        yield [values]
        if depth:
            parts: dict[int, list[int]] = {}
            for value in values:
                parts.setdefault(paths[value][depth - 1], []).append(value)
            for chosen in product(*(list(under(depth - 1, part)) for part in parts.values())):
                yield [block for blocks in chosen for block in blocks]

    tops: dict[int, list[int]] = {}
    for value, path in enumerate(paths):
        tops.setdefault(path[-1], []).append(value)
    found = set()
    for chosen in product(*(list(under(len(paths[0]) - 1, part)) for part in tops.values())):
        of_value = {value: min(block) for blocks in chosen for block in blocks for value in block}
        found.add(tuple(of_value[value] for value in range(len(paths))))
    return sorted(found)


def pieces(column: CodedColumn) -> list[tuple[int, ...]]:
    """All ways to cut values between neighbours, where the highest level does not cut them anyway."""
    top = column.step(column.min_level, column.max_level).tolist()
    found = []
    for begins in product([False, True], repeat=len(top) - 1):
        forced = [top[place] != top[place + 1] for place in range(len(top) - 1)]
        if all(begin or not force for begin, force in zip(begins, forced, strict=True)):
            found.append(tuple(np.cumsum([0, *begins]).tolist()))
    return found


def whole_or_nothing(column: CodedColumn) -> list[tuple[int, ...]]:
    values = len(column.labels[column.min_level])
    kept = [tuple(range(values))]
    return kept if len(column.labels[column.max_level]) > 1 else [*kept, (0,) * values]


def brute_force(problem: SearchProblem, ways: Any, chosen: ByValues) -> float | None:
    """Return the best score of all recodings, each applied and scored by definition."""
    best = None
    for choice in product(*(ways(column) for column in problem.table.columns)):
        blocks = tuple(np.unique(of_value, return_inverse=True)[1].astype(np.uint32) for of_value in choice)
        verdict = problem.verdict_of(replace(chosen, blocks=blocks))
        if problem.satisfied(verdict):
            score = problem.score(verdict)
            best = score if best is None else min(best, score)
    return best


def size(problem: SearchProblem, ways: Any) -> int:
    return int(np.prod([len(ways(column)) for column in problem.table.columns], dtype=float))


KINDS = [(AttributeSuppression(), whole_or_nothing), (Subtree(), cuts), (OrderedSet(), pieces)]


@pytest.mark.parametrize(("strategy", "ways"), KINDS, ids=lambda kind: getattr(kind, "name", ""))
@given(
    table=described_tables(12, 3),
    models=st.one_of(st.tuples(st.builds(KAnonymity, st.integers(2, 4))), requirements(max_k=4)),
    suppression=st.sampled_from([0.0, 0.0, 0.2, 0.5]),
    starred=st.booleans(),
)
def test_nothing_is_better(
    strategy: Strategy,
    ways: Any,
    table: CodedTable,
    models: tuple[PrivacyModel, ...],
    suppression: float,
    starred: bool,
) -> None:
    problem = problem_of(table, models, suppression, starred=starred)
    if size(problem, ways) > 300:
        problem = replace(problem, table=replace(table, columns=table.columns[:1]))
    chosen = choose(strategy, problem)
    if chosen is None:
        forms = ByValues(strategy.name, labels="sets" if ways is pieces else "nodes")
        assert brute_force(problem, ways, forms) is None
        return
    assert isinstance(chosen.recoding, ByValues)
    best = brute_force(chosen.problem, ways, chosen.recoding)
    assert best is not None
    assert chosen.optimal
    assert chosen.score == pytest.approx(best, abs=EPS)


def table_of(**columns: tuple[list[Any], Any]) -> CodedTable:
    coded = tuple(
        code_column(name, pa.array(values).dictionary_encode(), hierarchy)
        for name, (values, hierarchy) in columns.items()
    )
    return CodedTable(coded, len(coded[0].codes))


@pytest.fixture
def people() -> CodedTable:
    random = np.random.default_rng(5)
    ages = random.integers(20, 60, 120).tolist()
    sizes = random.integers(1, 12, 120).tolist()
    return table_of(
        age=(ages, intervals(5, 10, 20)),
        size=([None if value == 11 else value for value in sizes], intervals(2, 6)),
        sex=(random.choice(["f", "m"], 120).tolist(), shoal.suppress()),
    )


@pytest.mark.parametrize("suppression", [0.0, 0.05])
def test_a_model_that_contains_another_loses_no_more(people: CodedTable, suppression: float) -> None:
    problem = problem_of(people, (KAnonymity(3),), suppression)
    order = [OrderedSet(seconds=0.5), Subtree(), FullDomainSearch(), AttributeSuppression()]
    scores = []
    for strategy in order:
        chosen = choose(strategy, problem)
        assert chosen is not None
        scores.append(chosen.score)
    assert scores == sorted(scores)
    assert scores[1] < scores[3]


def test_levels_may_differ_within_a_column() -> None:
    table = table_of(age=([21, 24, 38, 38, 52, 52], intervals(10, 20, 40)))
    chosen = choose(Subtree(), problem_of(table))
    assert chosen is not None and chosen.optimal
    (cells,) = chosen.recoding.cells(chosen.problem.table)
    assert cells.labels.take(pa.array(cells.numbers)).to_pylist() == [
        *["[20, 30)"] * 2,
        *["38"] * 2,
        *["52"] * 2,
    ]


@pytest.mark.parametrize(
    "hierarchy",
    [
        shoal.order(["low", "mid", "high", "top"], runs=[4]),
        shoal.order(["low", "mid", "high", "top"], runs=[2]),
    ],
    ids=["one run", "runs of two"],
)
def test_categories_are_in_the_order_that_is_stated(hierarchy: Any) -> None:
    counts = {"low": 3, "mid": 1, "high": 2, "top": 3}
    table = pa.table({"grade": [value for value, rows in counts.items() for _ in range(rows)]})
    spec = shoal.Spec(quasi_identifiers={"grade": hierarchy}, privacy=[KAnonymity(3)])
    release = shoal.anonymize(table, spec, recoding="ordered-set")
    assert release.optimal
    # In alphabetical order `mid` would be between `low` and `top`, and none of these alone.
    assert set(release.table["grade"].to_pylist()) == {"low", "{high, mid}", "top"}


def test_intervals_end_anywhere() -> None:
    table = table_of(age=([24, 24, 29, 30, 45, 45], intervals(10, 20, 40)))
    for strategy, label in (OrderedSet(), "[29, 30]"), (OrderedSet(labels="sets"), "{29, 30}"):
        chosen = choose(strategy, problem_of(table))
        assert chosen is not None and chosen.optimal
        (cells,) = chosen.recoding.cells(chosen.problem.table)
        assert cells.labels.take(pa.array(cells.numbers)).to_pylist() == [
            "24",
            "24",
            label,
            label,
            "45",
            "45",
        ]


def test_suppressed_rows_are_worth_it_only_if_they_save_more() -> None:
    ages = [20] * 5 + [21] * 5 + [59]
    table = table_of(age=(ages, intervals(10, 20, 40)))
    without = choose(Subtree(), problem_of(table))
    within = choose(Subtree(), problem_of(table, suppression=0.1))
    assert without is not None and within is not None
    assert within.score == pytest.approx(1 / 11)
    assert without.score > within.score


def test_a_column_at_fixed_levels_stays_there(people: CodedTable) -> None:
    age = replace(people.columns[0], min_level=2, max_level=2)
    pinned = replace(people, columns=(age, *people.columns[1:]))
    for strategy in (AttributeSuppression(), Subtree(), OrderedSet(seconds=1)):
        chosen = choose(strategy, problem_of(pinned, (KAnonymity(3),)))
        assert chosen is not None
        assert set(chosen.recoding.cells(pinned)[0].labels.to_pylist()) <= set(age.labels[2].to_pylist())


def test_weights_say_which_column_matters() -> None:
    values = [value for value in range(4) for _ in range(4)]
    crossed = values[::4] * 4
    for heavy, light in ((0, 1), (1, 0)):
        table = table_of(a=(values, intervals(2)), b=(crossed, intervals(2)))
        columns = list(table.columns)
        columns[heavy] = replace(columns[heavy], weight=9.0)
        chosen = choose(Subtree(), problem_of(replace(table, columns=tuple(columns)), (KAnonymity(4),)))
        assert chosen is not None and isinstance(chosen.recoding, ByValues)
        assert len(set(chosen.recoding.blocks[heavy])) == 4
        assert len(set(chosen.recoding.blocks[light])) == 1


@pytest.mark.parametrize("measure", [Precision(), CertaintyPenalty()])
def test_measures_of_levels(people: CodedTable, measure: Measure) -> None:
    problem = problem_of(people, (KAnonymity(3),), measure=measure)
    rigid, found = choose(FullDomainSearch(), problem), choose(Subtree(), problem)
    assert rigid is not None and found is not None
    assert found.score <= rigid.score


def test_what_has_no_order_is_refused() -> None:
    table = table_of(age=([1, 2, 3], intervals(2)), pet=(["cat", "dog", "eel"], shoal.suppress()))
    with pytest.raises(InputError, match="Found: pet, with neither") as error:
        choose(OrderedSet(), problem_of(table), hierarchy="suppress")
    assert "order: [low, mid, high]" in str(error.value)
    assert choose(Subtree(), problem_of(table), hierarchy="suppress") is not None


def test_what_cannot_be_served_is_refused() -> None:
    def spec(quality: str) -> shoal.Spec:
        return shoal.Spec(quasi_identifiers={"a": "suppress"}, privacy=[KAnonymity(2)], quality=quality)

    for strategy in (AttributeSuppression(), Subtree(), OrderedSet()):
        with pytest.raises(InputError, match="is no sum over cells"):
            strategy.require(spec("discernability"))
    with pytest.raises(InputError, match="is about levels of hierarchies"):
        OrderedSet().require(spec("precision"))
    with pytest.raises(InputError, match="labels must be one of ranges, sets"):
        OrderedSet(labels="nodes")  # type: ignore[arg-type]
    for seconds in (0, -1, True, "10", float("inf")):
        with pytest.raises(InputError, match="seconds must be a number above 0"):
            Subtree(seconds=seconds)


def test_a_search_that_stops_says_what_it_proved(people: CodedTable) -> None:
    problem = problem_of(people, (KAnonymity(3),))
    chosen = choose(OrderedSet(seconds=1e-9), problem)
    rigid = choose(FullDomainSearch(), problem)
    best = choose(OrderedSet(seconds=2), problem)
    assert chosen is not None and rigid is not None and best is not None
    assert not chosen.optimal
    assert chosen.notes and "stopped after" in chosen.notes[0]
    assert chosen.score <= rigid.score
    assert chosen.bound is not None and chosen.bound <= best.score


@pytest.mark.parametrize(
    "strategy", [AttributeSuppression(seconds=3), Subtree(seconds=3), OrderedSet(seconds=3)]
)
def test_manifests_say_how_it_was_chosen(people: CodedTable, strategy: Strategy) -> None:
    chosen = choose(strategy, problem_of(replace(people, columns=people.columns[2:])))
    assert chosen is not None
    labels = "ranges" if isinstance(strategy, OrderedSet) else "nodes"
    assert chosen.recoding.to_manifest() == {"kind": strategy.name, "labels": labels, "seconds": 3}


def test_null_is_no_missing_number_of_a_range():
    """Where one number was missing and NULL was there, a range was charged for the missing one too.

    The ages 1 and 3 together are two of four values, in 3 of 8 rows. With 0 and 1 together, 4 rows lose that.
    """
    ages = pa.table({"age": pa.array([0] * 3 + [1] + [3] * 2 + [None] * 2, pa.int64())})
    spec = shoal.Spec(quasi_identifiers={"age": "suppress"}, privacy=[shoal.KAnonymity(2)])
    for recoding in ("ordered-set", {"mondrian": {"labels": "ranges"}}, {"cells": {"labels": "ranges"}}):
        release = shoal.anonymize(ages, spec, recoding=recoding, keep_order=True)
        assert release.table["age"].to_pylist() == ["0"] * 3 + ["[1, 3]"] * 3 + [None] * 2
        assert release.score == pytest.approx(3 / 8 * (2 - 1) / (4 - 1))
        assert release.utility(models=False).loss == pytest.approx(release.score)


@pytest.mark.parametrize("missing", ["error", "own"])
def test_a_range_covers_what_a_hierarchy_lists(missing: str, tmp_path: Path):
    """The hierarchy lists no 2, so 1 and 3 are neighbours; that it lists 100 and 200 too is of no account."""
    file = tmp_path / "ages.csv"
    file.write_text("0;low;*\n1;low;*\n3;low;*\n100;high;*\n200;high;*\n", encoding="utf-8")
    ages = pa.table({"age": [0] * 3 + [1] + [3] * 2})
    column = shoal.QuasiIdentifier(hierarchy=shoal.hierarchy_file(file), missing_values=missing)
    spec = shoal.Spec(quasi_identifiers={"age": column}, privacy=[shoal.KAnonymity(2)])
    for recoding in ("ordered-set", {"mondrian": {"labels": "ranges"}}):
        release = shoal.anonymize(ages, spec, recoding=recoding, keep_order=True)
        assert release.table["age"].to_pylist() == ["0"] * 3 + ["[1, 3]"] * 3
        assert release.score == pytest.approx(3 / 6 * (2 - 1) / (5 - 1))
