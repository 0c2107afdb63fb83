"""Pictures of lattices: all nodes of small ones, the border of larger ones, the surroundings beyond that."""

from __future__ import annotations

from itertools import product
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.describe import intervals
from shoal.encode.column import code_column
from shoal.encode.table import CodedTable
from shoal.explore import survey as module
from shoal.explore.lattice_drawing import draw_lattice
from shoal.explore.survey import PER_LAYER, survey
from shoal.measure.loss import Loss
from shoal.privacy.k_anonymity import KAnonymity
from shoal.search.algorithms.box import Box
from shoal.search.algorithms.exhaustive import node_of
from shoal.search.problem import SearchProblem
from shoal.testing.tables import coded_tables

SVG = "{http://www.w3.org/2000/svg}"


def column(name: str, rows: int, seed: int, **bounds: int) -> object:
    values = np.random.default_rng(seed).integers(0, 32, rows)
    return code_column(name, pa.array(values).dictionary_encode(), intervals(2, 4, 8, 16), **bounds)


def problem_of(columns: int, rows: int = 60, k: int = 3, suppression: float = 0.1) -> SearchProblem:
    table = CodedTable(tuple(column(f"c{i}", rows, i) for i in range(columns)), rows)  # type: ignore[misc]
    return SearchProblem(table, (KAnonymity(k),), Loss(), suppression)


def satisfying_by_counting(problem: SearchProblem) -> set[tuple[int, ...]]:
    return {levels for levels in problem.lattice if node_of(problem, levels).suppressed_rows <= problem.limit}


def lowest_of(satisfying: set[tuple[int, ...]]) -> set[tuple[int, ...]]:
    below = lambda node: [(*node[:i], node[i] - 1, *node[i + 1 :]) for i in range(len(node))]  # noqa: E731
    return {node for node in satisfying if not any(other in satisfying for other in below(node))}


@given(
    table=coded_tables(max_rows=20, max_columns=3),
    k=st.integers(1, 4),
    suppression=st.sampled_from([0.0, 0.2]),
    most=st.sampled_from([0, 400]),
)
def test_a_survey_counts_what_counting_counts(
    table: CodedTable, k: int, suppression: float, most: int
) -> None:
    problem = SearchProblem(table, (KAnonymity(k),), Loss(), suppression)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_SHOWN", most)
        found = survey(problem)
    satisfying = satisfying_by_counting(problem)
    lowest = lowest_of(satisfying)
    assert found.size == len(list(problem.lattice)) == sum(layer.nodes for layer in found.layers)
    for layer in found.layers:
        assert layer.nodes == sum(sum(node) == layer.height for node in problem.lattice)
        assert layer.satisfying == sum(sum(node) == layer.height for node in satisfying)
        assert layer.lowest == sum(sum(node) == layer.height for node in lowest)
    if found.shown == "all":
        assert {node.levels for node in found.nodes} == set(problem.lattice)
        assert {node.levels for node in found.nodes if node.satisfies} == satisfying
        assert {node.levels for node in found.nodes if node.lowest} == lowest
    else:
        drawn = {node.levels for node in found.nodes}
        assert drawn <= lowest
        for layer in found.layers:
            assert sum(sum(node) == layer.height for node in drawn) == min(layer.lowest, PER_LAYER)


def test_the_border_shows_the_best_of_each_height_first() -> None:
    problem = problem_of(5)
    chosen = Box().search(problem).levels
    found = survey(problem, chosen)
    assert found.shown == "border"
    assert found.chosen is not None
    assert found.chosen.levels == chosen
    lowest = lowest_of(satisfying_by_counting(problem))
    ranks = {node: problem.rank(node, problem.measure.score(node_of(problem, node))) for node in lowest}
    for layer in found.layers:
        here = [node.levels for node in found.nodes if node.height == layer.height]
        best = sorted((node for node in lowest if sum(node) == layer.height), key=ranks.__getitem__)
        assert here == best[:PER_LAYER]


def test_a_chosen_node_that_is_not_lowest_is_there_too() -> None:
    problem = problem_of(5)
    top = tuple(column.max_level for column in problem.table.columns)
    found = survey(problem, top)
    assert found.chosen is not None
    assert (found.chosen.levels, found.chosen.lowest, found.chosen.satisfies) == (top, False, True)
    assert sum(node.chosen for node in found.nodes) == 1


def test_beyond_that_it_is_the_chosen_node_and_those_beside_it() -> None:
    problem = problem_of(12)
    chosen = (5,) * 11 + (0,)
    found = survey(problem, chosen)
    assert (found.shown, found.layers) == ("around", ())
    assert len(found.nodes) == 1 + 12
    assert "too many to check them all" in found.render()
    assert survey(problem).nodes == ()
    assert ElementTree.fromstring(draw_lattice(problem).svg).tag == f"{SVG}svg"


def shapes(svg: str) -> dict[str, list[str]]:
    """Return the hints of what is drawn, by its shape."""
    found: dict[str, list[str]] = {}
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        hint = group.findtext(f"{SVG}title")
        for shape in group if hint else ():
            found.setdefault(shape.tag.removeprefix(SVG), []).append(hint or "")
    return found


def test_every_node_has_its_shape_and_its_hint() -> None:
    problem = problem_of(2)
    chosen = Box().search(problem).levels
    picture = draw_lattice(problem, chosen)
    drawn = shapes(picture.svg)
    satisfying = satisfying_by_counting(problem)
    size = len(list(problem.lattice))
    assert len(drawn["polygon"]) == 1
    assert len(drawn["circle"]) == len(satisfying) - 1
    assert len(drawn["rect"]) == size - len(satisfying)
    assert chosen is not None
    levels = ", ".join(f"c{i} {level}" for i, level in enumerate(chosen))
    assert drawn["polygon"][0].startswith(f"{levels}: satisfies, ")
    assert all("would have to be suppressed" in hint for hint in drawn["rect"])


@pytest.mark.parametrize("columns", [1, 2, 3, 5, 12])
def test_pictures_are_well_formed_and_within_their_frame(columns: int) -> None:
    problem = problem_of(columns)
    picture = draw_lattice(problem, tuple(c.max_level for c in problem.table.columns))
    root = ElementTree.fromstring(picture.svg)
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    for shape in root.iter(f"{SVG}circle"):
        assert 0 < float(shape.get("cx", -1)) < width
        assert 0 < float(shape.get("cy", -1)) < height
    for words in root.iter(f"{SVG}text"):
        assert 0 <= float(words.get("x", -1)) <= width
        assert 0 < float(words.get("y", -1)) <= height
    assert root.findtext(f"{SVG}desc") == picture.render()
    ElementTree.fromstring(picture.canvas.standalone())


def test_names_are_escaped() -> None:
    strange = '<script>alert("x")</script>&'
    values = pa.array([1, 2, 3, 4]).dictionary_encode()
    table = CodedTable((code_column(strange, values, intervals(2)),), 4)
    picture = draw_lattice(SearchProblem(table, (KAnonymity(2),), Loss()), (1,))
    for shown in (picture.svg, picture._repr_html_()):
        assert "<script" not in shown
        assert "&lt;script&gt;" in shown


def test_levels_that_the_spec_leaves_out_are_not_drawn() -> None:
    columns = (column("a", 40, 0, min_level=1, max_level=2), column("b", 40, 1, max_level=1))
    problem = SearchProblem(CodedTable(columns, 40), (KAnonymity(2),), Loss(), 0.5)  # type: ignore[arg-type]
    found = survey(problem)
    assert {node.levels for node in found.nodes} == set(product((1, 2), (0, 1)))
    assert [layer.height for layer in found.layers] == [1, 2, 3]


def test_a_measure_known_by_scores_alone_is_drawn_too() -> None:
    own = shoal.CustomMeasure(lambda node: float(sum(node.levels)), name="own")
    for columns in (2, 5):
        problem = problem_of(columns)
        problem = SearchProblem(problem.table, problem.models, own, problem.suppression)
        found = survey(problem)
        assert all(node.score == node.height for node in found.nodes if node.satisfies)
