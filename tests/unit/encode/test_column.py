"""Coding: leaf order, NULL as a value, values that do not occur, levels out of reach."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

from shoal.describe import hierarchy_file, intervals, prefix, suppress
from shoal.describe.hierarchy import HierarchyError
from shoal.describe.roles import QuasiIdentifier
from shoal.encode.column import CodedColumn, code_column
from shoal.encode.table import CodedTable, code_table
from shoal.errors import InputError
from shoal.testing.tables import coded_tables


def decoded(column: CodedColumn, level: int) -> list[object]:
    labels = column.labels[level].to_pylist()
    return [labels[number] for number in column.maps[level][column.codes].tolist()]


@given(table=coded_tables(max_rows=30))
def test_codes_are_in_leaf_order(table: CodedTable) -> None:
    for column in table.columns:
        assert column.maps[0].tolist() == list(range(len(column.labels[0])))
        assert np.bincount(column.codes, minlength=len(column.counts)).tolist() == column.counts.tolist()
        assert (column.counts > 0).all()
        for level, numbers in enumerate(column.maps):
            assert np.isin(np.diff(numbers.astype(int)), [0, 1]).all()
            assert len(column.labels[level]) == numbers.max() + 1
            assert column.label_counts(level).sum() == table.rows


def test_every_row_gets_its_label_at_every_level() -> None:
    values = ["53715", "53710", None, "53706", "53715", "90210"]
    column = code_column("zip", pa.array(values).dictionary_encode(), prefix(5))
    assert column.height == 5
    assert decoded(column, 0) == values
    assert decoded(column, 1) == ["5371*", "5371*", None, "5370*", "5371*", "9021*"]
    assert decoded(column, 4) == ["5****", "5****", None, "5****", "5****", "9****"]
    assert decoded(column, 5) == ["*"] * 6


def test_null_is_a_leaf_of_its_own_until_the_top() -> None:
    column = code_column("sex", pa.array(["m", None, "f"]).dictionary_encode(), suppress())
    assert column.total_leaves == 3
    assert sorted(column.leaves[0].tolist()) == [1, 1, 1]
    assert column.leaves[1].tolist() == [3]


def test_null_takes_no_label_that_does_not_cover_the_whole_hierarchy(tmp_path: Path) -> None:
    file = tmp_path / "city.csv"
    file.write_text("Paris;France\nLyon;France\nRome;Italy\n", encoding="utf-8")
    values = pa.array(["Paris", "Lyon", None, None]).dictionary_encode()
    column = code_column("city", values, hierarchy_file(file))
    assert decoded(column, 1) == ["France", "France", None, None]
    assert column.total_leaves == 4


def test_a_column_of_nulls_only() -> None:
    column = code_column("age", pa.array([None, None], pa.int64()).dictionary_encode(), intervals(5))
    assert decoded(column, 0) == [None, None]
    assert decoded(column, column.height) == ["*", "*"]


def test_values_that_no_row_has_do_not_matter() -> None:
    values = pa.DictionaryArray.from_arrays(
        pa.array([0, 2, 0], pa.int32()), pa.array(["7", "not a number", "12"])
    )
    column = code_column("age", values, intervals(5, 10))
    assert decoded(column, 1) == ["[5, 10)", "[10, 15)", "[5, 10)"]
    assert column.total_leaves == 2


def test_levels_that_the_hierarchy_does_not_have() -> None:
    values = pa.array(["m", "f"]).dictionary_encode()
    with pytest.raises(HierarchyError, match="levels 0 to 1"):
        code_column("sex", values, suppress(), max_level=2)


def test_problems_of_all_columns_come_at_once_without_values() -> None:
    table = pa.table(
        {
            "age": pa.array(["31", "secret"]).dictionary_encode(),
            "size": pa.array(["hidden", "4"]).dictionary_encode(),
            "sex": pa.array(["m", None]).dictionary_encode(),
        }
    )
    with pytest.raises(InputError) as caught:
        code_table(
            table,
            {
                "age": QuasiIdentifier(hierarchy=intervals(5)),
                "size": QuasiIdentifier(hierarchy=intervals(2)),
                "sex": QuasiIdentifier(hierarchy=suppress(), null="forbid"),
            },
        )
    message = str(caught.value)
    assert all(name in message for name in ("'age'", "'size'", "'sex'"))
    assert "secret" not in message
    assert "hidden" not in message
    assert "secret" in caught.value.render(show_values=True)
