"""Every number is in the interval that its label says."""

import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.describe.hierarchies.intervals import Intervals, intervals
from shoal.describe.hierarchy import HierarchyError
from shoal.errors import InputError


def labels(hierarchy, values, level=1):
    return hierarchy.levels(values).labels[level].to_pylist()


def test_half_open():
    assert labels(intervals(10), pa.array([19, 20, 29, 30])) == [
        "[10, 20)",
        "[20, 30)",
        "[20, 30)",
        "[30, 40)",
    ]


def test_negative_numbers_and_origin():
    assert labels(intervals(5), pa.array([-5, -1, 0])) == ["[-5, 0)", "[-5, 0)", "[0, 5)"]
    assert labels(intervals(10, origin=5), pa.array([4, 5, 15])) == ["[-5, 5)", "[5, 15)", "[15, 25)"]


def test_text_that_reads_as_a_number():
    values = pa.array(["007", "10", "+12", " 5 ", "1e1", "9.99"])
    assert labels(intervals(10), values) == [
        "[0, 10)",
        "[10, 20)",
        "[10, 20)",
        "[0, 10)",
        "[10, 20)",
        "[0, 10)",
    ]


def test_decimal_widths_are_exact():
    values = pa.array([i / 10 for i in range(-20, 21)])
    expected = [
        f"[{i / 10:.1f}, {(i + 1) / 10:.1f})".replace(".0", "").replace("-0,", "0,") for i in range(-20, 21)
    ]
    assert labels(intervals(0.1), values) == expected


@pytest.mark.parametrize(
    "values",
    [
        pa.array([2**62, -(2**63), 2**63 - 1]),
        pa.array([2**64 - 1, 0], pa.uint64()),
        pa.array([Decimal("12345678901234567890.12"), Decimal("0.05")]),
        pa.array([1e300, 5e-324, -0.0]),
        pa.array([0.5, 1.5], pa.float32()),
        pa.array([3, 4], pa.int8()),
        pa.array(["9" * 40, "-1"]),
        pa.array([], pa.int64()),
    ],
    ids=str,
)
def test_all_kinds_of_numbers(values):
    for value, label in zip(values.to_pylist(), labels(intervals(0.25, 5), values), strict=True):
        assert contains(label, Fraction(str(value)))


@given(
    st.lists(st.decimals(allow_nan=False, allow_infinity=False, places=3), unique=True),
    st.decimals("0.001", 1000, places=3),
    st.integers(1, 9),
    st.decimals(-10, 10, places=2),
)
def test_every_number_is_in_its_interval(values, width, factor, origin):
    hierarchy = intervals(width, width * factor, origin=origin)
    levels = hierarchy.levels(pa.array([str(value) for value in values], pa.string()))
    for level, size in ((1, width), (2, width * factor)):
        for value, label in zip(values, levels.labels[level].to_pylist(), strict=True):
            assert contains(label, Fraction(value))
            low, high = bounds(label)
            assert high - low == Fraction(size)
            assert ((low - Fraction(origin)) / Fraction(size)).denominator == 1


def bounds(label):
    return map(Fraction, re.fullmatch(r"\[(\S+), (\S+)\)", label).groups())


def contains(label, number):
    low, high = bounds(label)
    return low <= number < high


@pytest.mark.parametrize(
    "values",
    [
        pa.array(["1", "secret", "", "NaN", "inf", "1_000", "0x10", "1e9999"]),
        pa.array([1.0, float("nan"), float("inf")]),
    ],
)
def test_what_is_not_a_number_is_counted_and_not_shown(values):
    with pytest.raises(HierarchyError, match="intervals need numbers") as caught:
        intervals(5).levels(values)
    (problem,) = caught.value.problems
    assert f"{len(values) - 1} values that are not numbers" in problem.message
    assert len(problem.values) == len(values) - 1
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("values", [pa.array([True]), pa.array([0], pa.date32())])
def test_other_types_are_refused(values):
    with pytest.raises(HierarchyError, match="intervals need numbers"):
        intervals(5).levels(values)


def test_all_wrong_widths_at_once():
    with pytest.raises(InputError) as caught:
        intervals(5, 12, 20)
    assert len(caught.value.problems) == 2
    with pytest.raises(InputError) as caught:
        intervals(0, -5, "x", True, float("nan"), float("inf"))
    assert len(caught.value.problems) == 6
    with pytest.raises(InputError, match="at least one width"):
        intervals()
    assert intervals(0.1, 0.3, 3).widths == (0.1, 0.3, 3)


def test_forms():
    assert Intervals.from_text("5, 10,20") == intervals(5, 10, 20)
    assert Intervals.from_text("0.5") == intervals(0.5)
    assert Intervals.from_spec(5, Path()) == intervals(5)
    assert Intervals.from_spec({"widths": [5, 10], "origin": 2}, Path()) == intervals(5, 10, origin=2)
    assert intervals(Decimal("0.5"), 1.0).to_spec() == {"intervals": [0.5, 1]}
    assert intervals(5, origin=2).to_spec() == {"intervals": {"widths": [5], "origin": 2}}


@pytest.mark.parametrize("text", ["", "x", "5,,10", "5;10"])
def test_wrong_text(text):
    with pytest.raises(InputError):
        Intervals.from_text(text)


@pytest.mark.parametrize("argument", [None, "5", {"width": [5]}, [[5]], {"widths": [5], "origin": "x"}])
def test_wrong_argument(argument):
    with pytest.raises(InputError):
        Intervals.from_spec(argument, Path())
