"""Recodings say which label each cell gets; measures score the labels, whatever recoding they come from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conformance.measures import MEASURES, measures

import shoal
from shoal.describe import intervals, suppress
from shoal.encode.cells import Cells, HierarchyNodes
from shoal.encode.column import code_column
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.measure.explain import explain_node
from shoal.privacy.k_anonymity import KAnonymity
from shoal.recode.full_domain import FullDomain
from shoal.recode.recoding import Choices, Recoding
from shoal.recode.released_classes import Verdict
from shoal.search.algorithms.box import Box
from shoal.search.problem import SearchProblem
from shoal.testing.nodes import tables


@dataclass(frozen=True)
class Shuffled:
    """The labels of full-domain recoding in another order, from a recoding that has no levels."""

    levels_behind: tuple[int, ...]
    seed: int
    kind = "shuffled"
    levels = None
    node = None
    rungs = None

    def cells(self, table: CodedTable) -> tuple[Cells, ...]:
        generator = np.random.default_rng(self.seed)
        found = []
        for cells in FullDomain.at(table, self.levels_behind).cells(table):
            order = generator.permutation(len(cells.labels))
            number = np.empty(len(order), dtype=np.uint32)
            number[order] = np.arange(len(order), dtype=np.uint32)
            assert cells.nodes is not None
            found.append(
                Cells(
                    cells.labels.take(pa.array(order)),
                    number[cells.numbers],
                    cells.leaves[order],
                    HierarchyNodes(cells.nodes.levels[order], cells.nodes.numbers[order]),
                )
            )
        return tuple(found)

    def choices(self, table: CodedTable) -> Choices:
        return Choices("Nothing", dict.fromkeys(table.names, ""))


@pytest.mark.parametrize("name", [name for name in MEASURES if name != "height"])
@given(table=tables(), k=st.integers(1, 4), seed=st.integers(0, 9), data=st.data())
def test_scores_follow_from_labels_alone(
    name: str, table: CodedTable, k: int, seed: int, data: st.DataObject
) -> None:
    measure = data.draw(measures(name))
    levels = tuple(data.draw(st.integers(0, column.height)) for column in table.columns)
    at_levels = Verdict.of(table, FullDomain.at(table, levels), [KAnonymity(k)])
    without = Verdict.of(table, Shuffled(levels, seed), [KAnonymity(k)])  # type: ignore[arg-type]
    assert without.class_sizes == at_levels.class_sizes
    expected, found = (explain_node(measure, verdict.as_node(k)) for verdict in (at_levels, without))
    assert found.score == pytest.approx(expected.score)
    assert found.contributions == pytest.approx(expected.contributions)


@pytest.mark.parametrize("name", MEASURES)
@given(table=tables(), k=st.integers(1, 4), share=st.sampled_from([0.0, 0.2]), data=st.data())
def test_labels_score_what_the_search_says(
    name: str, table: CodedTable, k: int, share: float, data: st.DataObject
) -> None:
    """The kernel scores levels by counts alone; the labels and classes of the same choice score that too."""
    problem = SearchProblem(table, (KAnonymity(k),), data.draw(measures(name)), share)
    found = Box().search(problem)
    if found.levels is not None:
        assert problem.score(problem.verdict(found.levels)) == pytest.approx(
            found.score, rel=1e-11, abs=1e-11
        )


def mixed() -> tuple[CodedTable, Cells]:
    """Four people of whom the two in their thirties have their ages and the others are at the top."""
    ages = code_column("age", pa.array([31, 35, 52, 58]).dictionary_encode(), intervals(10))
    cells = Cells(
        labels=pa.array(["31", "35", "*"]),
        numbers=np.array([0, 1, 2, 2], dtype=np.uint32),
        leaves=np.array([1, 1, ages.total_leaves]),
        nodes=HierarchyNodes(np.array([0, 0, ages.height]), np.array([0, 1, 0])),
    )
    return CodedTable((ages,), 4), cells


def test_labels_of_different_levels_score_what_each_costs() -> None:
    table, cells = mixed()
    none_lost = [np.zeros(3, dtype=np.int64)]
    assert cells.level is None
    assert shoal.Loss().contributions(table, [cells], none_lost) == (0.5,)
    assert shoal.CertaintyPenalty().contributions(table, [cells], none_lost) == (0.5,)
    assert shoal.Precision().contributions(table, [cells], none_lost) == (0.5,)
    # Two of four rows hide which of four values they have.
    assert shoal.Entropy().contributions(table, [cells], none_lost) == (4.0,)
    one_lost = [np.array([0, 1, 0])]
    assert shoal.Loss().contributions(table, [cells], one_lost) == (0.75,)


def test_a_measure_of_levels_refuses_labels_without_them() -> None:
    table, cells = mixed()
    ranges = replace(cells, labels=pa.array(["31", "35", "52-58"]), nodes=None)
    for measure in (shoal.Precision(), shoal.Entropy(), shoal.Height()):
        with pytest.raises(InputError, match=f"The measure '{measure.name}' needs levels"):
            measure.contributions(table, [ranges], [np.zeros(3, dtype=np.int64)])
    assert shoal.Loss().contributions(table, [replace(ranges, leaves=np.array([1, 1, 1]))], [np.zeros(3)])


def test_full_domain() -> None:
    recoding = FullDomain({"age": 1, "sex": 0})
    assert isinstance(recoding, Recoding)
    assert FullDomain.from_manifest(recoding.to_manifest()) == recoding
    assert hash(recoding) == hash(FullDomain({"sex": 0, "age": 1}))
    columns = (
        code_column("age", pa.array([31, 35, 52]).dictionary_encode(), intervals(10)),
        code_column("sex", pa.array(["F", "F", None]).dictionary_encode(), suppress()),
    )
    table = CodedTable(columns, 3)
    age, sex = recoding.cells(table)
    assert (age.level, sex.level) == (1, 0)
    assert age.labels.take(pa.array(age.numbers)).to_pylist() == ["[30, 40)", "[30, 40)", "[50, 60)"]
    assert sex.labels.take(pa.array(sex.numbers)).to_pylist() == ["F", "F", None]
    assert recoding.choices(table) == Choices("Level", {"age": "1 of 2", "sex": "0 of 1"})
    with pytest.raises(InputError, match="'full-domain' has levels"):
        FullDomain.from_manifest({"kind": "other"})
