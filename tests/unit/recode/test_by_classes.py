"""Recodings by classes: labels in all forms by plain Python, other rows of the same values, manifests."""

from __future__ import annotations

from dataclasses import replace
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
from shoal.errors import InputError
from shoal.privacy.k_anonymity import KAnonymity
from shoal.recode.by_classes import ByClasses
from shoal.recode.class_labels import NO_CLASS, LabelForm
from shoal.recode.released_classes import Verdict
from shoal.testing import check_recoding
from shoal.testing.tables import coded_tables


def coded(values: list[Any], *, min_level: int = 0) -> CodedTable:
    column = code_column(
        "age", pa.array(values).dictionary_encode(), intervals(10, 20, 40), min_level=min_level
    )
    return CodedTable((column,), len(values))


def by_classes(table: CodedTable, *of_rows: int, labels: LabelForm = "nodes") -> ByClasses:
    """Put the rows of a table into classes; -1 is none."""
    column = table.columns[0]
    values, first = np.unique(column.maps[column.min_level][column.codes], return_index=True)
    class_of = np.array([NO_CLASS if of_rows[row] < 0 else of_rows[row] for row in first], dtype=np.uint32)
    return ByClasses("test", labels=labels, values=(values.astype(np.uint32),), class_of=class_of)


def labels(recoding: ByClasses, table: CodedTable) -> list[Any]:
    (cells,) = recoding.cells(table)
    return cells.labels.take(pa.array(cells.numbers)).to_pylist()


def lowest_label(column: CodedColumn, codes: set[int]) -> tuple[Any, int]:
    """Return the lowest label that covers some values, and its leaves, by looking at all levels."""
    for level in range(column.min_level, column.max_level + 1):
        found = {int(column.maps[level][code]) for code in codes}
        if len(found) == 1:
            number = found.pop()
            return column.labels[level][number].as_py(), int(column.leaves[level][number])
    raise AssertionError("no label covers them")


def by_top_labels(table: CodedTable, form: LabelForm = "nodes") -> ByClasses:
    """Put rows together whose labels at the highest levels are the same, but for the first of them."""
    at_base = [column.maps[column.min_level][column.codes] for column in table.columns]
    tuples, first = np.unique(np.stack(at_base), axis=1, return_index=True)
    tops = np.stack([column.maps[column.max_level][column.codes[first]] for column in table.columns])
    class_of = np.unique(tops, axis=1, return_inverse=True)[1].reshape(-1).astype(np.uint32)
    return ByClasses("test", {}, form, tuple(tuples.astype(np.uint32)), class_of)


@pytest.mark.parametrize("form", ["nodes", "ranges", "sets"])
def test_promises(form: LabelForm) -> None:
    check_recoding(lambda table: by_top_labels(table, form), examples=30)


@given(coded_tables(20, 2))
def test_nodes_are_the_lowest_labels_that_cover_a_class(table: CodedTable) -> None:
    recoding = by_top_labels(table)
    verdict = Verdict.of(table, recoding, [KAnonymity(1)])
    tops = list(zip(*(column.maps[column.max_level][column.codes] for column in table.columns), strict=True))
    for column, cells in zip(table.columns, verdict.cells, strict=True):
        texts = cells.labels.to_pylist()
        for row, number in enumerate(cells.numbers.tolist()):
            codes = {int(code) for code, top in zip(column.codes, tops, strict=True) if top == tops[row]}
            label, leaves = lowest_label(column, codes)
            assert str(texts[number]) == str(label)
            assert cells.leaves[number] >= leaves


def test_labels_in_every_form() -> None:
    table = coded([21, 24, 38, 52, 58, 59])
    for form, expected in {
        "nodes": ["[20, 40)", "*", "[20, 40)", "*", "[50, 60)", "[50, 60)"],
        "ranges": ["[21, 38]", "[24, 52]", "[21, 38]", "[24, 52]", "[58, 59]", "[58, 59]"],
        "sets": ["{21, 38}", "{24, 52}", "{21, 38}", "{24, 52}", "{58, 59}", "{58, 59}"],
    }.items():
        form: LabelForm
        assert labels(by_classes(table, 0, 1, 0, 1, 2, 2, labels=form), table) == expected


def test_a_value_that_stays_keeps_its_type_only_where_all_stay() -> None:
    table = coded([21, 24, 38])
    assert by_classes(table, 0, 1, 2).cells(table)[0].labels.type == pa.int64()
    assert labels(by_classes(table, 0, 0, 1), table) == ["[20, 30)", "[20, 30)", "38"]


def test_null_is_in_no_range_and_in_sets_by_name() -> None:
    table = coded([21, None, 24])
    assert labels(by_classes(table, 0, 0, 0, labels="ranges"), table) == ["*"] * 3
    assert labels(by_classes(table, 0, 1, 0, labels="ranges"), table) == ["[21, 24]", None, "[21, 24]"]
    table = coded([21, None, 24, 58])
    assert labels(by_classes(table, 0, 0, 1, 1, labels="sets"), table)[1] == "{21, NULL}"


def test_labels_are_never_below_the_lowest_level_that_is_allowed() -> None:
    table = coded([21, 24, 38, 52], min_level=1)
    assert labels(by_classes(table, 0, 0, 1, 2), table) == ["[20, 30)", "[20, 30)", "[30, 40)", "[50, 60)"]
    ranges = by_classes(table, 0, 0, 0, 1, labels="ranges")
    assert labels(ranges, table) == ["[20, 40)"] * 3 + ["[50, 60)"]
    sets = by_classes(table, 0, 0, 0, 0, labels="sets")
    assert labels(sets, table) == ['{"[20, 30)", "[30, 40)", "[50, 60)"}'] * 4


def test_rows_in_no_class_keep_their_values_and_are_suppressed() -> None:
    table = coded([21, 21, 24, 24, 58])
    recoding = by_classes(table, 0, 0, 0, 0, -1)
    verdict = Verdict.of(table, recoding, [KAnonymity(2)])
    assert labels(recoding, table)[-1] == "58"
    assert verdict.suppressed_rows == 1 and verdict.kept.sum() == 1


def test_a_text_that_names_several_nodes_is_charged_as_the_widest() -> None:
    tree = shoal.by_function(lambda value: "x" if value in ("a", "b") else "y")
    column = code_column("job", pa.array(["a", "b", "x", "c"]).dictionary_encode(), tree)
    table = CodedTable((column,), 4)
    classes = np.array([0, 0, 1, 2], dtype=np.uint32)
    order = column.codes  # values in the order a, b, x, c
    recoding = ByClasses("test", values=(order,), class_of=classes)
    (cells,) = recoding.cells(table)
    texts = cells.labels.take(pa.array(cells.numbers)).to_pylist()
    assert texts[:3] == ["x", "x", "x"]
    assert cells.leaves[cells.numbers[2]] == 2
    assert Verdict.of(table, recoding, [KAnonymity(1)]).class_sizes == {3: 1, 1: 1}


def test_other_rows_need_values_that_it_knows() -> None:
    table = coded([21, 24, 38])
    recoding = by_classes(table, 0, 0, 1)
    fewer = replace(
        recoding, values=tuple(values[:2] for values in recoding.values), class_of=recoding.class_of[:2]
    )
    with pytest.raises(InputError, match="1 rows with values that it has no class for"):
        fewer.cells(table)


@given(st.dictionaries(st.sampled_from(["kind", "labels", "levels"]), st.integers()))
def test_what_is_no_manifest_of_classes_is_refused(written: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="has a kind and a form of labels"):
        ByClasses.from_manifest(written)


def test_choices_say_how_many_rows_keep_their_value() -> None:
    table = coded([21, 24, 38, 38])
    assert by_classes(table, 0, 0, 1, 1).choices(table).of_columns == {"age": "50% of the rows"}
