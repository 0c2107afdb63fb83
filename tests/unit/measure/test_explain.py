"""What a score means."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.describe.hierarchies.suppress import Suppress
from shoal.encode.cells import cells_at
from shoal.encode.column import CodedColumn, UIntArray
from shoal.encode.table import CodedTable
from shoal.measure.explain import explain, explain_node
from shoal.measure.untouched_classes import untouched_classes
from shoal.testing.nodes import node_at, nodes, tables

from .people import classes_of_two, people


def test_loss_by_column() -> None:
    """Age: (4 x 2/5 + 2) / 6 = 0.6 by weight 3; sex: 2 / 6 by weight 1."""
    node = node_at(people(), (1, 0), classes_of_two, k=2)
    mean = explain_node(shoal.Loss(), node)
    assert mean.contributions == pytest.approx({"age": 3 / 4 * 0.6, "sex": 1 / 4 / 3})
    assert mean.between == "0 untouched, 1 fully suppressed"
    worst = explain_node(shoal.Loss("max"), node)
    assert worst.contributions == pytest.approx({"age": 0.6, "sex": 0.0})
    ranked = explain_node(shoal.Loss("ranked"), node)
    assert ranked.contributions == pytest.approx({"age": 0.6 * 2 / 3, "sex": 1 / 3 / 3 / 3})
    assert ranked.suppressed == pytest.approx((1 + 1 / 3 / 2) / (3 / 2))
    assert ranked.measure == "loss (ranked over columns)"


def test_what_is_no_sum_over_columns_has_no_contributions() -> None:
    explained = explain_node(shoal.Discernability(), node_at(people(), (1, 0), classes_of_two, k=2))
    assert (explained.untouched, explained.score, explained.suppressed) == (6, 20, 36)
    assert explained.between == "6 untouched, 36 fully suppressed"
    assert explained.contributions is None
    assert json.loads(json.dumps(explained.to_mapping())) == {
        "measure": "discernability",
        "score": 20.0,
        "untouched": 6.0,
        "suppressed": 36.0,
        "contributions": None,
    }


def test_counts_are_enough() -> None:
    """No class is looked at: the suppressed rows per label say it all."""
    table = people()
    lost = [np.array([1, 1]), np.array([1, 1])]
    explained = explain(shoal.Loss(), table, cells_at(table, (1, 0)), lost, score=0.5)
    by_node = explain_node(shoal.Loss(), node_at(table, (1, 0), classes_of_two))
    assert explained.contributions == by_node.contributions
    assert explained.score == 0.5


@given(table=tables(), data=st.data())
def test_rows_find_their_classes(table: CodedTable, data: st.DataObject) -> None:
    node = data.draw(nodes(table))
    rows = zip(
        *(
            column.maps[level][column.codes].tolist()
            for column, level in zip(table.columns, node.levels, strict=True)
        ),
        strict=True,
    )
    assert [node.labels[place] for place in node.class_of_rows().tolist()] == list(rows)


@given(table=tables())
def test_the_untouched_classes(table: CodedTable) -> None:
    of_rows, sizes = untouched_classes(table)
    node = node_at(table, [0] * len(table.columns))
    assert sorted(sizes.tolist()) == sorted(node.sizes)
    assert len(set(zip(of_rows.tolist(), node.class_of_rows().tolist(), strict=True))) == len(sizes)


def test_the_untouched_classes_of_very_many_columns() -> None:
    """More bits than fit into one key of the kernel."""
    rows = 40
    random = np.random.default_rng(7)
    columns = []
    for place in range(30):
        codes = random.integers(0, 3, rows).astype(np.uint32)
        columns.append(wide_column(f"c{place}", codes))
    columns.append(wide_column("twins", (np.arange(rows) // 2).astype(np.uint32)))
    of_rows, sizes = untouched_classes(CodedTable(tuple(columns), rows))
    expected = len(set(zip(*(column.codes.tolist() for column in columns), strict=True)))
    assert len(sizes) == expected == len(set(of_rows.tolist()))
    assert sizes.sum() == rows


def wide_column(name: str, codes: UIntArray) -> CodedColumn:
    """Make a column with many values that no row has."""
    values = 5000
    counts = np.bincount(codes, minlength=values)
    levels = Suppress().levels(pa.array(range(values)))
    return CodedColumn(
        name,
        codes,
        counts,
        (np.arange(values, dtype=np.uint32), np.zeros(values, dtype=np.uint32)),
        tuple(levels.labels),
        tuple(levels.leaves),
        values,
    )
