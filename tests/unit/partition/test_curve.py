"""The order of rows along the curve, against one that is worked out row by row in plain Python."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.encode.table import CodedTable
from shoal.partition.buckets.value import ValueBuckets
from shoal.partition.divide.curve import Curve
from shoal.partition.divide.divider import DivisionTask
from shoal.partition.entries import EntryProblem
from shoal.partition.sensitive_values import SensitiveValues


def bins(codes: list[int]) -> list[int]:
    """Return which 256th of the rows, by value, the middle row of each value is in."""
    if max(codes) < 256:
        return codes
    below = {value: sum(other < value for other in codes) for value in set(codes)}
    return [int((below[value] + codes.count(value) / 2) * 256 / len(codes)) for value in codes]


def place(point: tuple[int, ...]) -> int:
    """Return where the point is on the curve: its bits are a number in Gray's code."""
    bits = "".join(str(value >> bit & 1) for bit in range(7, -1, -1) for value in point)
    ones = [bits[: position + 1].count("1") % 2 for position in range(len(bits))]
    return int("".join(map(str, ones)), 2)


@pytest.mark.parametrize("counted", [False, True])
def test_rows_are_in_the_order_of_the_curve(counted: bool) -> None:
    draw = np.random.default_rng(3)
    table = pa.table(
        {
            "age": draw.integers(0, 700, 900),
            "zip": draw.integers(0, 30, 900),
            "job": draw.integers(0, 5, 900),
            "disease": draw.choice(["flu", "cold"], 900),
        }
    )
    spec = shoal.Spec(
        quasi_identifiers=dict.fromkeys(("age", "zip", "job"), "suppress"),
        sensitive=["disease"],
        privacy=[shoal.BetaLikeness("disease", 1)],
        recoding={"partition": {"divide": "curve"}},
    )
    with shoal.Session(table, spec) as session:
        problem = session.problem(spec)
    if counted:
        problem = replace(problem, table=twice(problem.table))
    coded = problem.table
    rows = np.ones(coded.entries, int) if coded.weights is None else coded.weights.astype(int)
    points = [bins(np.repeat(column.codes, rows).tolist()) for column in coded.columns]
    expected = [place(point) for point in zip(*points, strict=True)]
    values = SensitiveValues.of(coded.attributes["disease"])
    task = DivisionTask(EntryProblem(problem), "disease", ValueBuckets().buckets(values), "ranges")
    ((along, _),) = Curve().divide(task)
    assert along.key is not None
    found = np.repeat(along.key, rows)
    assert found.tolist() == np.unique(expected, return_inverse=True)[1].tolist()


def twice(table: CodedTable) -> CodedTable:
    """Return the entries of a table, every other one as two rows."""
    return replace(table, weights=(1 + np.arange(table.entries) % 2).astype(np.uint64))
