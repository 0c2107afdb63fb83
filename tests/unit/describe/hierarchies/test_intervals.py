"""Every number is in the interval that its label says."""

import re
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.describe.hierarchies.intervals import Intervals, intervals
from shoal.describe.hierarchy import HierarchyError, check_nested
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


def label_of(number, cuts, bottom, top, is_open):
    """Write the label of a number by looking at one interval after the other; None if there is none."""
    if bottom is not None and number < bottom:
        return f"< {bottom}"
    if top is not None and number >= top:
        return f">= {top}"
    cuts = [cut for cut in cuts if (bottom is None or cut > bottom) and (top is None or cut < top)]
    cuts = [*([] if bottom is None else [bottom]), *cuts, *([] if top is None else [top])]
    for low, high in pairwise(cuts):
        if low <= number < high:
            return f"[{low}, {high})"
    if not is_open:
        return None
    return f"< {cuts[0]}" if number < cuts[0] else f">= {cuts[-1]}"


@given(
    st.lists(st.integers(-30, 30), min_size=2, unique=True).map(sorted),
    st.sets(st.integers(0, 20)),
    st.none() | st.integers(-35, 0),
    st.none() | st.integers(1, 35),
    st.booleans(),
    st.lists(st.integers(-50, 50), unique=True),
)
def test_cuts_by_their_definition(cuts, left_out, bottom, top, is_open, values):
    wider = [cut for place, cut in enumerate(cuts) if place not in left_out or place in (0, len(cuts) - 1)]
    try:
        hierarchy = intervals(
            cuts=[cuts, wider], bottom=bottom, top=top, ends="open" if is_open else "closed"
        )
    except InputError as error:
        # Whatever is between bottom and top may be too little.
        assert "needs two cuts" in str(error) and not is_open and None in (bottom, top)
        return
    expected = [[label_of(value, level, bottom, top, is_open) for value in values] for level in (cuts, wider)]
    known = [label is not None for label in expected[0]]
    array = pa.array(values, pa.int64())
    assert hierarchy.knows(array).to_pylist() == known
    if not all(known):
        with pytest.raises(HierarchyError, match="outside the cuts") as caught:
            hierarchy.levels(array)
        assert len(caught.value.problems[0].values) == known.count(False)
        array = array.filter(pa.array(known, pa.bool_()))
    levels = hierarchy.levels(array)
    assert check_nested(levels.labels) == []
    for level in (0, 1):
        kept = [label for label, keep in zip(expected[level], known, strict=True) if keep]
        assert levels.labels[level + 1].to_pylist() == kept


@given(
    st.integers(1, 9),
    st.integers(1, 4),
    st.integers(-5, 5),
    st.none() | st.integers(-40, 0),
    st.none() | st.integers(1, 40),
    st.lists(st.integers(-60, 60), unique=True),
)
def test_widths_with_bottom_and_top_by_their_definition(width, factor, origin, bottom, top, values):
    hierarchy = intervals(width, width * factor, origin=origin, bottom=bottom, top=top)
    levels = hierarchy.levels(pa.array(values, pa.int64()))
    assert check_nested(levels.labels) == []
    for level, size in ((1, width), (2, width * factor)):
        cuts = [origin + size * step for step in range(-100, 101)]
        assert levels.labels[level].to_pylist() == [
            label_of(value, cuts, bottom, top, False) for value in values
        ]


def test_cuts_between_which_decimals_and_huge_numbers_are():
    values = pa.array(["0.3", "0.29999999999999999999", "1e30", "-7"])
    hierarchy = intervals(cuts=[[0.3, Decimal("1e30")]], ends="open")
    assert labels(hierarchy, values) == [
        "[0.3, 1000000000000000000000000000000)",
        "< 0.3",
        ">= 1000000000000000000000000000000",
        "< 0.3",
    ]


def test_bottom_and_top_clip_the_intervals():
    values = pa.array([17, 18, 19, 20, 88, 89, 90])
    assert labels(intervals(5, 10, bottom=18, top=89), values, level=2) == [
        "< 18",
        "[18, 20)",
        "[18, 20)",
        "[20, 30)",
        "[80, 89)",
        ">= 89",
        ">= 89",
    ]


def test_everything_wrong_with_the_values_at_once():
    with pytest.raises(HierarchyError) as caught:
        intervals(cuts=[0, 10]).levels(pa.array(["5", "?", "10", "-1"]))
    assert [set(problem.values) for problem in caught.value.problems] == [{"?"}, {"10", "-1"}]
    assert "cuts from 0 to 10" in str(caught.value)
    assert intervals(cuts=[0, 10]).knows(pa.array(["5", "?", "10", "-1"])).to_pylist() == [
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"cuts": [18, 30, 30, 20]}, ["must increase.\nFound: 30 after 30, 20 after 30."]),
        ({"cuts": [[1, 2, 3], [1, 2.5, 3]]}, ["level 1 lacks.\nFound: 2.5."]),
        ({"cuts": [[1, 2, 3], [1, 2]]}, ["level 2 of intervals cover another range"]),
        ({"cuts": [18]}, ["needs two cuts"]),
        ({"cuts": [[]]}, ["needs two cuts"]),
        ({"cuts": [1, [2]]}, ["Cut (2,)"]),
        ({"cuts": [1, "x", True, None]}, ["Cut 'x'", "Cut True", "Cut None"]),
        ({"cuts": 5}, ["needs two cuts"]),
        ({"cuts": [1, 2], "widths": [5]}, ["widths and cuts"]),
        ({"cuts": [1, 2], "origin": 3}, ["have an origin"]),
        ({"widths": [5], "ends": "open"}, ["have ends"]),
        ({"widths": [5], "ends": "shut"}, ["'closed' or 'open'"]),
        ({"widths": [5], "bottom": 9, "top": 9}, ["bottom of intervals must be below"]),
        (
            {"widths": [-1, "x"], "bottom": "a", "top": True},
            ["Width -1", "Width 'x'", "Bottom 'a'", "Top True"],
        ),
        ({"widths": [Decimal("1e5000"), 10**2000]}, ["Width"]),
        ({"width": [5], "tops": 3}, ["Unknown key 'width'", "Did you mean 'top'?"]),
    ],
)
def test_everything_wrong_with_the_settings_at_once(settings, words):
    with pytest.raises(InputError) as caught:
        Intervals.from_spec(settings, Path())
    for word in words:
        assert word in str(caught.value)


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


def test_digits_that_a_float_has_not_survive_a_spec():
    fine = intervals(cuts=[Decimal("0.1"), Decimal("0.10000000000000000000001")])
    assert fine.to_spec() == {"intervals": {"cuts": [0.1, "0.10000000000000000000001"]}}
    assert Intervals.from_spec(fine.to_spec()["intervals"], Path()) == fine


def test_forms():
    coded = intervals(cuts=[[18, 30, 65], [18, 65]], bottom=18, top=65.0)
    written = {"intervals": {"cuts": [[18, 30, 65], [18, 65]], "bottom": 18, "top": 65}}
    assert coded.to_spec() == written
    assert Intervals.from_spec(written["intervals"], Path()) == coded
    assert intervals(cuts=range(3)) == intervals(cuts=[[0, 1, 2]])
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


@pytest.mark.parametrize(
    "argument", [None, "5", b"5", {5}, {"width": [5]}, [[5]], {"widths": [5], "origin": "x"}, {"cuts": b"59"}]
)
def test_wrong_argument(argument):
    with pytest.raises(InputError):
        Intervals.from_spec(argument, Path())
