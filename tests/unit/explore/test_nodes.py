"""All satisfying nodes: ranked, filtered and released, each checked against a search of its own."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import registry
from shoal.encode.table import CodedTable
from shoal.explore.nodes import Nodes
from shoal.search.algorithms.box import Box
from shoal.search.algorithms.exhaustive import Exhaustive, node_of
from shoal.search.problem import SearchProblem
from shoal.search.result import border
from shoal.testing.tables import coded_tables

# Those that look at the quasi-identifiers alone: any search can be ranked by them.
MEASURES = [
    name
    for name in registry.names("measures")
    if "target" not in registry.resolve("measures", name).parameters
]
WEIGHTS = st.sampled_from([0.5, 1.0, 3.0])


def never(nodes: Nodes, place: int) -> Any:
    raise AssertionError


def nodes_of(problem: SearchProblem) -> Nodes | None:
    """Take the nodes from the reference; None where no node satisfies."""
    spec = shoal.Spec(
        quasi_identifiers={
            column.name: shoal.QuasiIdentifier(hierarchy=shoal.suppress(), weight=column.weight)
            for column in problem.table.columns
        },
        privacy=problem.models,
        quality=problem.measure,
        suppression=problem.suppression,
    )
    satisfying = Exhaustive().search(problem, all_nodes=True).satisfying
    assert satisfying is not None
    return Nodes.of(spec, problem, satisfying, never) if len(satisfying) else None


@st.composite
def problems(draw: st.DrawFn) -> SearchProblem:
    table: CodedTable = draw(coded_tables(max_rows=25, max_columns=3))
    k, limit = draw(st.integers(1, 4)), draw(st.sampled_from([0.0, 0.1, 0.5]))
    measure = registry.resolve("measures", draw(st.sampled_from(MEASURES)))()
    return SearchProblem(table, (shoal.KAnonymity(k),), measure, limit)


@given(problem=problems(), by=st.sampled_from(MEASURES), data=st.data())
def test_a_ranking_is_what_a_search_with_that_measure_finds(
    problem: SearchProblem, by: str, data: st.DataObject
) -> None:
    nodes = nodes_of(problem)
    if nodes is None:
        return
    weights = data.draw(st.dictionaries(st.sampled_from(problem.table.names), WEIGHTS))
    ranked = nodes.rank(by, weights=weights)
    columns = tuple(
        replace(column, weight=weights.get(column.name, column.weight)) for column in problem.table.columns
    )
    measure = registry.resolve("measures", by)()
    afresh = replace(problem, table=replace(problem.table, columns=columns), measure=measure)

    for found in (Exhaustive().search(afresh), Box().search(afresh)):
        assert tuple(ranked.best.levels.values()) == found.levels
        assert ranked.best.suppressed_rows == found.suppressed_rows
        assert math.isclose(ranked.best.score, found.score or 0.0, rel_tol=1e-12)
    expected = []
    for levels in problem.lattice:
        node = node_of(afresh, levels)
        if node.suppressed_rows <= problem.limit:
            expected.append((afresh.rank(levels, measure.score(node)), node.suppressed_rows))
    expected.sort()
    assert [tuple(node.levels.values()) for node in ranked] == [rank[-1] for rank, _ in expected]
    assert [node.suppressed_rows for node in ranked] == [suppressed for _, suppressed in expected]
    for node, (rank, _) in zip(ranked, expected, strict=True):
        assert math.isclose(node.score, rank[0], rel_tol=1e-11, abs_tol=1e-11)


@given(problem=problems(), data=st.data())
def test_minimal_nodes_are_those_above_no_other(problem: SearchProblem, data: st.DataObject) -> None:
    nodes = nodes_of(problem)
    if nodes is None:
        return
    every = np.array([list(node.levels.values()) for node in nodes.minimal()], dtype=np.uint8)
    full = np.array([list(node.levels.values()) for node in nodes], dtype=np.uint8)
    assert sorted(map(tuple, every.tolist())) == sorted(map(tuple, border(full).tolist()))

    # Whatever is left, also where a node between two others is gone.
    kept = data.draw(st.sets(st.sampled_from([tuple(node.levels.values()) for node in nodes])))
    left = nodes.filter(lambda node: tuple(node.levels.values()) in kept)
    expected = {
        a for a in kept if not any(a != b and all(x >= y for x, y in zip(a, b, strict=True)) for b in kept)
    }
    assert {tuple(node.levels.values()) for node in left.minimal()} == expected


@given(problem=problems(), data=st.data())
def test_filters_keep_the_order(problem: SearchProblem, data: st.DataObject) -> None:
    nodes = nodes_of(problem)
    if nodes is None:
        return
    column = data.draw(st.sampled_from(problem.table.columns))
    low = data.draw(st.integers(0, column.height))
    high = data.draw(st.integers(low, column.height))
    name = column.name
    assert list(nodes.filter({name: low})) == [node for node in nodes if node.levels[name] == low]
    between = [node for node in nodes if low <= node.levels[name] <= high]
    assert list(nodes.filter(**{name: (low, high)})) == between
    assert list(nodes.filter({name: (low, None)}, **{name: (low, high)})) == between
    assert list(nodes.filter({name: (None, high)}).filter({name: (low, None)})) == between
    assert list(nodes.filter(lambda node: node.suppressed_rows == 0, **{name: (low, high)})) == [
        node for node in between if node.suppressed_rows == 0
    ]
    by_height = nodes.rank("height")
    assert list(nodes.filter({name: low}).rank("height")) == list(by_height.filter({name: low}))
    assert list(by_height.filter({name: low}).all) == list(by_height)


PEOPLE = pa.table(
    {
        "age": [31, 34, 38, 52, 57, 59, 88, 33],
        "marital-status": ["single", "married", "single", "married", "single", "single", "single", "married"],
        "sex": list("FMFMFMFM"),
        "disease": ["flu", "flu", "cough", "flu", "cough", "flu", "rare", "flu"],
    }
)
SPEC = shoal.Spec(
    quasi_identifiers={"age": shoal.intervals(10, 20), "marital-status": "suppress", "sex": "suppress"},
    sensitive=["disease"],
    privacy=[shoal.KAnonymity(2)],
    suppression=0.25,
)


@pytest.fixture(scope="module")
def nodes() -> Nodes:
    found = shoal.anonymize(PEOPLE, SPEC, all_nodes=True, seed=3).satisfying_nodes
    assert found is not None
    return found


def test_a_sequence_of_nodes_the_best_first(nodes: Nodes) -> None:
    assert 1 < len(nodes) == len(list(nodes)) == nodes.table.num_rows
    assert nodes[0] == nodes.best == next(iter(nodes))
    assert nodes[-1] == list(nodes)[-1]
    assert list(nodes[1:3]) == list(nodes)[1:3]
    assert nodes.table.column_names == ["age", "marital-status", "sex", "suppressed_rows", "score"]
    assert nodes.table.to_pylist() == [
        {**node.levels, "suppressed_rows": node.suppressed_rows, "score": node.score} for node in nodes
    ]
    assert (
        repr(nodes.filter(sex=0))
        == f"<Nodes: {len(nodes.filter(sex=0))} of {len(nodes)} that satisfy, by loss>"
    )
    with pytest.raises(IndexError):
        _ = nodes[len(nodes)]


@pytest.mark.parametrize("quality", MEASURES)
def test_the_release_of_a_node_is_that_of_its_levels(nodes: Nodes, quality: str) -> None:
    ranked = nodes.rank(quality, weights={"age": 2})
    for node in ranked:
        release = ranked.release(node)
        asked = SPEC.adjust(levels=node.levels, weights={"age": 2}, quality=quality)
        expected = shoal.anonymize(PEOPLE, asked, seed=3)
        assert release.table.equals(expected.table)
        assert release.class_sizes == expected.class_sizes
        assert release.suppressed_rows == expected.suppressed_rows == node.suppressed_rows
        assert release.score == expected.score == node.score
        assert release.levels == node.levels
        assert release.optimal is (node.score == pytest.approx(ranked.best.score, rel=1e-12))
        assert release.to_mapping()["bound"] == pytest.approx(ranked.best.score)
        assert release.audit.holds


def test_a_release_tells_how_it_was_chosen(nodes: Nodes, tmp_path: Any) -> None:
    ranked = nodes.rank(by="precision", weights={"age": 3})
    best, third = ranked.release(), ranked.release(2)
    assert best.optimal
    assert "precision, proved optimal" in best.summary()
    assert not third.optimal
    assert f"precision, chosen among {len(nodes)} satisfying nodes" in third.summary()
    assert third.to_mapping()["satisfying_nodes"] == len(nodes)
    third.write(tmp_path / "third.csv")
    manifest = json.loads((tmp_path / "third.csv.manifest.json").read_text(encoding="utf-8"))
    assert manifest["recoding"]["levels"] == ranked[2].levels
    assert (third.score, third.quality) == (ranked[2].score, "precision")
    assert third.spec.quasi_identifiers["age"].weight == 3
    chosen, once = (note for note in third.notes if not note.startswith(("Column ", "No model covers")))
    assert chosen == f"Chosen as number 3 of {len(nodes)} satisfying nodes by precision."
    assert once.startswith("Publish only one release of a table")
    assert SPEC.quality.name == nodes.quality == "loss"


def test_the_best_of_a_selection_is_only_optimal_if_it_is_the_best_of_all(nodes: Nodes) -> None:
    best = nodes.best.levels
    assert nodes.filter(age=best["age"]).release().optimal
    other = nodes.filter(lambda node: node.levels["age"] != best["age"])
    release = other.release()
    assert release.levels == other.best.levels
    assert not release.optimal
    assert release.satisfying_nodes is not None
    assert list(release.satisfying_nodes) == list(nodes)


def test_weights_that_a_measure_ignores_are_noted(nodes: Nodes) -> None:
    assert "have no effect on height" in " ".join(nodes.rank("height", weights={"age": 2}).release().notes)


def test_releases_with_one_seed_do_not_line_up() -> None:
    # Joined row by row, two releases would say of everybody what no single one does.
    rng = np.random.default_rng(0)
    people = pa.table({"a": rng.integers(0, 40, 400), "b": rng.integers(0, 40, 400), "row": range(400)})
    spec = shoal.Spec(
        quasi_identifiers={"a": shoal.intervals(5, 10), "b": shoal.intervals(5, 10)},
        insensitive=["row"],
        accept={"row": "linkable"},
        privacy=[shoal.KAnonymity(2)],
        suppression=1.0,
    )
    found = shoal.anonymize(people, spec, all_nodes=True, seed=1).satisfying_nodes
    assert found is not None
    whole = [node for node in found if node.suppressed_rows == 0][:2]
    one, other = (found.release(node).table["row"].to_pylist() for node in whole)
    assert sorted(one) == sorted(other) == list(range(400))
    assert sum(a == b for a, b in zip(one, other, strict=True)) < 40
    assert found.release(whole[0]).table["row"].to_pylist() == one


@pytest.mark.parametrize("node", [1.0, "age", (0, 1), True, 10_000, -10_000])
def test_what_is_no_node_has_no_release(nodes: Nodes, node: Any) -> None:
    with pytest.raises(shoal.InputError):
        nodes.release(node)


def test_what_cannot_be_filtered_or_turned_round(nodes: Nodes) -> None:
    with pytest.raises(shoal.InputError, match="filtered by levels"):
        nodes.filter("age")  # type: ignore[arg-type]
    with pytest.raises(shoal.InputError, match="listed best first"):
        nodes[::-1]


def test_a_column_may_be_called_score() -> None:
    people = pa.table({"score": ["1", "1", "2", "2"], "suppressed_rows": ["x"] * 4})
    spec = shoal.Spec(
        quasi_identifiers={"score": "suppress", "suppressed_rows": "suppress"}, privacy=[shoal.KAnonymity(2)]
    )
    found = shoal.anonymize(people, spec, all_nodes=True).satisfying_nodes
    assert found is not None
    assert found.table.column_names == ["score", "suppressed_rows", "suppressed_rows_", "score_"]


def test_a_node_by_its_levels_wherever_it_stands_now(nodes: Nodes) -> None:
    node = nodes[1]
    by_height = nodes.rank("height")
    release = by_height.release(node)
    assert release.levels == node.levels
    assert release.score == sum(node.levels.values())
    assert by_height.filter(sex=0).release(dict(reversed(node.levels.items()))).levels == node.levels
    assert by_height.release(np.int64(1)).levels == by_height[1].levels


def test_a_release_without_a_search_takes_no_time_for_it(nodes: Nodes) -> None:
    seconds = nodes.release().seconds
    assert seconds["search"] == seconds["read"] == seconds["encode"] == 0 < seconds["recode"]


def test_undeclared_columns_stay_noted() -> None:
    people = PEOPLE.append_column("extra", [list(range(8))])
    first = shoal.anonymize(people, SPEC, all_nodes=True, keep_undeclared=True, keep_order=True)
    assert first.satisfying_nodes is not None
    release = first.satisfying_nodes.release(1)
    assert release.table.column_names == people.column_names
    assert not release.shuffled
    noted = "Undeclared columns released unchanged: extra."
    assert noted in release.notes
    assert noted in first.notes


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (
            lambda nodes: nodes.filter(sexx=0),
            "'sexx' is not a quasi-identifier of the spec.\nQuasi-identifiers: age, marital-status, sex.\n"
            "Did you mean 'sex'?",
        ),
        (lambda nodes: nodes.filter(disease=0), "'disease' is not a quasi-identifier"),
        (lambda nodes: nodes.filter(sex=2), "Column 'sex' has no level 2.\nIts levels are 0 to 1."),
        (lambda nodes: nodes.filter(sex=(2, None)), "Column 'sex' has no level 2."),
        (lambda nodes: nodes.filter(age=(3, 1)), "lowest level is above the highest.\nFound: 3 and 1."),
        (lambda nodes: nodes.filter(age=(1, 2, 3)), "must be a whole number, at least 0.\nFound: (1, 2, 3)."),
        (lambda nodes: nodes.filter(age="1"), "must be a whole number, at least 0.\nFound: '1'."),
        (lambda nodes: nodes.filter(age=-1), "at least 0.\nFound: -1."),
        (lambda nodes: nodes.rank(by="los"), "Unknown quality measure 'los'."),
        (lambda nodes: nodes.rank(weights={"agee": 1}), "Did you mean 'age'?"),
        (lambda nodes: nodes.rank(weights={"age": 0}), "must be a positive number"),
        (lambda nodes: nodes.release({"age": 3, "sex": 1}), "one level for every quasi-identifier"),
        (lambda nodes: nodes.release({"age": 9, "sex": 1, "marital-status": 1}), "has no level 9"),
        (
            lambda nodes: nodes.release({"marital-status": 0, "age": 0, "sex": 0}),
            "The node age: 0, marital-status: 0, sex: 0 does not satisfy the spec.",
        ),
        (lambda nodes: nodes.filter(lambda _: False).release(), "There is no node to choose."),
        (lambda nodes: nodes.filter(lambda _: False).best, "There is no node to choose."),
    ],
)
def test_what_cannot_be_is_said(nodes: Nodes, act: Any, message: str) -> None:
    with pytest.raises(shoal.InputError) as caught:
        act(nodes)
    assert message in str(caught.value)


def test_an_empty_selection_is_one(nodes: Nodes) -> None:
    none = nodes.filter(lambda _: False)
    assert list(none) == list(none.minimal()) == list(none.rank("height")) == none.table.to_pylist() == []


def test_level_bounds_of_the_spec_hold_for_nodes() -> None:
    spec = SPEC.adjust(levels={"age": (1, 2), "sex": 1})
    nodes = shoal.anonymize(PEOPLE, spec, all_nodes=True).satisfying_nodes
    assert nodes is not None
    assert {node.levels["age"] for node in nodes} == {1, 2}
    assert nodes.release({"age": 2, "marital-status": 1}).levels == {"age": 2, "marital-status": 1, "sex": 1}
    with pytest.raises(shoal.InputError, match="does not satisfy"):
        nodes.release({"age": 3, "marital-status": 1})


def test_algorithms_as_objects() -> None:
    release = shoal.anonymize(PEOPLE, SPEC, algorithm=Exhaustive())
    assert release.levels == shoal.anonymize(PEOPLE, SPEC).levels
    assert release.subsets is None


@pytest.mark.parametrize("quality", ["loss", "height"])
def test_what_satisfies_for_some_columns_alone(quality: str) -> None:
    spec = SPEC.adjust(levels={"age": (1, None)}, quality=quality)
    release = shoal.anonymize(PEOPLE, spec, algorithm="incognito")
    assert release.subsets is not None
    names = list(spec.quasi_identifiers)
    assert set(release.subsets) == {columns for count in (1, 2, 3) for columns in combinations(names, count)}
    for columns, found in release.subsets.items():
        alone = shoal.Spec(
            quasi_identifiers={name: spec.quasi_identifiers[name] for name in columns},
            privacy=spec.privacy,
            suppression=spec.suppression,
        )
        nodes = shoal.anonymize(PEOPLE, alone, all_nodes=True, drop_undeclared=True).satisfying_nodes
        assert nodes is not None
        assert sorted(map(str, found.to_pylist())) == sorted(str(node.levels) for node in nodes)


@pytest.mark.parametrize("algorithm", [Exhaustive, 5, ["box"]])
def test_what_is_no_algorithm(algorithm: Any) -> None:
    with pytest.raises(shoal.InputError, match=r"is not a search algorithm\.\nKnown: .*box"):
        shoal.anonymize(PEOPLE, SPEC, algorithm=algorithm)


@pytest.mark.parametrize(("quality", "all_nodes"), [("loss", False), ("height", True)])
def test_an_algorithm_that_cannot_says_so_before_anything_is_read(quality: str, all_nodes: bool) -> None:
    spec = SPEC.adjust(quality=quality)
    with pytest.raises(shoal.InputError, match=r"'samarati'(.|\n)*: .*box.*exhaustive"):
        shoal.anonymize("missing.csv", spec, algorithm="samarati", all_nodes=all_nodes)
