"""Codes are numbered in the order of values: nothing inside shows the order of rows."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from shoal.describe import intervals, suppress
from shoal.encode.column import code_column


@pytest.mark.parametrize(
    ("values", "ordered"),
    [
        ([30, 4, 100], [4, 30, 100]),
        (["30", "4", "100"], ["4", "30", "100"]),
        (["30", "04", "100"], ["04", "100", "30"]),
        (["30.5", "-4", "100"], ["-4", "30.5", "100"]),
        (["b", None, "a", "10"], ["10", "a", "b", None]),
    ],
)
def test_values_stand_in_order(values: list[object], ordered: list[object]) -> None:
    for seed in range(3):
        shuffled = random.Random(seed).sample(values, len(values))
        column = code_column("x", pa.array(shuffled).dictionary_encode(), suppress())
        assert column.labels[0].to_pylist() == ordered
        assert [ordered[code] for code in column.codes] == shuffled


def test_labels_stand_in_the_order_of_their_values() -> None:
    column = code_column("age", pa.array(["85", "9", "31", "100"]).dictionary_encode(), intervals(10, 50))
    assert column.labels[0].to_pylist() == ["9", "31", "85", "100"]
    assert column.labels[1].to_pylist() == ["[0, 10)", "[30, 40)", "[80, 90)", "[100, 110)"]
