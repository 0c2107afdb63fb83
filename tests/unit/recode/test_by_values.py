"""Recodings by values: labels of blocks, other rows of the same values, words and manifests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.describe import intervals
from shoal.encode.column import CodedColumn, code_column
from shoal.encode.table import CodedPopulation, CodedTable
from shoal.errors import InputError
from shoal.recode.by_values import ByValues
from shoal.testing import check_recoding


def coded(values: list[int | None], *, min_level: int = 0) -> CodedColumn:
    return code_column(
        "age", pa.array(values).dictionary_encode(), intervals(10, 20, 40), min_level=min_level
    )


def blocks(*numbers: int) -> tuple[np.ndarray, ...]:
    return (np.array(numbers, dtype=np.uint32),)


def labels(recoding: ByValues, table: CodedTable) -> list[str | int | None]:
    (cells,) = recoding.cells(table)
    return cells.labels.take(pa.array(cells.numbers)).to_pylist()


@pytest.mark.parametrize("finest", [False, True])
def test_promises(finest: bool) -> None:
    def by_top_labels(table: CodedTable) -> ByValues:
        chosen = []
        for column in table.columns:
            top = column.step(column.min_level, column.max_level)
            chosen.append(np.arange(len(top), dtype=np.uint32) if finest else top)
        return ByValues("test", blocks=tuple(chosen))

    check_recoding(by_top_labels)


def test_labels_in_every_form() -> None:
    table = CodedTable((coded([21, 24, 29, 38, 52, 24]),), 6)
    by = blocks(0, 1, 1, 1, 2)
    assert labels(ByValues("test", blocks=by), table) == ["21", *["[20, 40)"] * 3, "52", "[20, 40)"]
    assert labels(ByValues("test", labels="ranges", blocks=by), table)[1] == "[24, 38]"
    assert labels(ByValues("test", labels="sets", blocks=by), table)[1] == "{24, 29, 38}"
    assert labels(ByValues("test", blocks=by, forms=["sets"]), table)[1] == "{24, 29, 38}"


def test_values_that_stay_keep_their_type() -> None:
    table = CodedTable((coded([21, None, 52]),), 3)
    (cells,) = ByValues("test", blocks=blocks(0, 1, 2)).cells(table)
    assert cells.labels.type == pa.int64()
    assert cells.labels.take(pa.array(cells.numbers)).to_pylist() == [21, None, 52]


def test_null_has_a_block() -> None:
    table = CodedTable((coded([21, None, 52, None]),), 4)
    assert labels(ByValues("test", blocks=blocks(0, 1, 2)), table) == [21, None, 52, None]
    assert labels(ByValues("test", labels="ranges", blocks=blocks(0, 1, 1)), table) == ["21", "*", "*", "*"]
    assert labels(ByValues("test", labels="sets", blocks=blocks(0, 1, 1)), table)[1] == "{52, NULL}"


def test_values_are_labels_of_the_lowest_level() -> None:
    table = CodedTable((coded([21, 24, 38, 52], min_level=1),), 4)
    assert labels(ByValues("test", blocks=blocks(0, 0, 1)), table) == [*["[20, 40)"] * 3, "[50, 60)"]


def test_rows_of_a_population_get_the_labels_of_their_values() -> None:
    column = coded([21, 24, 38, 52])
    codes = np.array([3, 0, 0], dtype=np.uint32)
    table = CodedTable((column,), 4, populations={"all": CodedPopulation((codes,), 3)})
    (cells,) = ByValues("test", blocks=blocks(0, 0, 1, 2)).cells(table)
    assert cells.labels.take(pa.array(cells.of_population["all"])).to_pylist() == ["52", *["[20, 30)"] * 2]


def test_words() -> None:
    table = CodedTable((coded([21, 24, 38, 52]),), 4)
    words = {(0, 1, 2, 3): "unchanged", (0, 0, 0, 0): "suppressed", (0, 0, 1, 1): "4 in 2 labels"}
    for numbers, expected in words.items():
        choices = ByValues("test", blocks=blocks(*numbers)).choices(table)
        assert (choices.title, dict(choices.of_columns)) == ("Values", {"age": expected})
    whole = ByValues("test", labels="ranges", blocks=blocks(0, 0, 0, 0)).choices(table)
    assert whole.of_columns == {"age": "4 in 1 label"}
    higher = CodedTable((coded([21, 24, 38, 52], min_level=1),), 4)
    assert ByValues("test", blocks=blocks(0, 1, 2)).choices(higher).of_columns == {"age": "at level 1"}


def test_manifests_have_no_values() -> None:
    recoding = ByValues("ordered-set", {"seconds": 3}, "ranges", blocks(0, 1))
    said = recoding.to_manifest()
    assert said == {"kind": "ordered-set", "labels": "ranges", "seconds": 3}
    assert ByValues.from_manifest(said).to_manifest() == said
    with pytest.raises(InputError, match="has a kind and a form of labels"):
        ByValues.from_manifest({"kind": "ordered-set", "labels": "other"})


def test_other_values_are_refused() -> None:
    recoding = ByValues("test", blocks=blocks(0, 0, 1))
    table = CodedTable((coded([21, 24, 38, 52]),), 4)
    with pytest.raises(InputError, match="chosen for other values"):
        recoding.cells(table)
    with pytest.raises(InputError, match="chosen for other values"):
        replace(recoding, blocks=()).choices(table)


def test_nodes_with_one_label_stay_one_class_where_rows_are_suppressed() -> None:
    """Under the label `g` are a1 and a2, and `g` is also the value beside: the suppressed a2 is not seen."""
    rows = {"town": ["a1", "a1", "a2", "g", "g"], "sex": ["F", "F", "M", "F", "F"]}
    towns = shoal.by_function(lambda town: "g" if town[0] == "a" else "h")
    spec = shoal.Spec(
        quasi_identifiers={
            "town": shoal.QuasiIdentifier(hierarchy=towns, max_level=1),
            "sex": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0),
        },
        privacy=[shoal.KAnonymity(4)],
        suppression=0.3,
        recoding="subtree",
    )
    assert shoal.anonymize(pa.table(rows), spec).table["town"].to_pylist() == ["g"] * 4
