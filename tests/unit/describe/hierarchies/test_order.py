"""Ordered categories, merged in runs."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.describe.hierarchies.order import Order, order
from shoal.describe.hierarchy import HierarchyError, check_nested
from shoal.errors import InputError

GRADES = ["none", "low", "mid", "high", "top"]


def labels(hierarchy, values):
    return [level.to_pylist() for level in hierarchy.levels(pa.array(values)).labels]


def test_runs_of_neighbours():
    assert labels(order(GRADES, [2, 4]), GRADES) == [
        GRADES,
        ["none..low", "none..low", "mid..high", "mid..high", "top"],
        ["none..high"] * 4 + ["top"],
        ["*"] * 5,
    ]


def test_twice_as_many_at_each_level_if_nothing_is_said():
    assert labels(order(GRADES), ["low"]) == [["low"], ["none..low"], ["none..high"], ["*"]]
    assert labels(order(["a", "b"]), ["b"]) == [["b"], ["*"]]
    assert labels(order(["a"]), ["a"]) == [["a"], ["*"]]


@pytest.mark.parametrize(
    ("values", "first"),
    [
        ([3, 2, 1, 0], "3..2"),
        ([0.5, 1.0, 1.5], "0.5..1"),
        ([False, True], "false..true"),
        ([Decimal("1.50"), Decimal("2.25")], "1.50..2.25"),
        ([date(2026, 1, 31), date(2026, 2, 1)], "2026-01-31..2026-02-01"),
    ],
)
def test_values_are_known_by_their_text(values, first):
    assert labels(order(values, [2]), values[:1])[1] == [first]


def test_values_that_are_not_listed():
    hierarchy = order(GRADES)
    assert hierarchy.knows(pa.array(["low", "secret"])).to_pylist() == [True, False]
    with pytest.raises(HierarchyError, match="the order lacks 1 value") as caught:
        hierarchy.levels(pa.array(["low", "secret"]))
    assert "secret" not in str(caught.value)


def test_leaves_are_all_that_is_listed():
    levels = order(GRADES, [2]).levels(pa.array(["mid", "top"]))
    assert [counts.tolist() for counts in levels.leaves] == [[1, 1], [2, 1], [5, 5]]


@given(
    st.lists(st.text("ab.", max_size=5), unique=True, min_size=1, max_size=9),
    st.lists(st.integers(2, 3), max_size=3),
)
def test_nested_or_refused(values, factors):
    runs, size = [], 1
    for factor in factors:
        size *= factor
        runs.append(size)
    try:
        hierarchy = order(values, runs)
    except InputError as error:
        assert "same label" in str(error)
        return
    levels = hierarchy.levels(pa.array(values))
    assert not check_nested(levels.labels)
    for size, level in zip(runs, levels.labels[1:], strict=False):
        assert len(level.unique()) == -(-len(values) // size)


def test_a_value_that_looks_like_a_run():
    with pytest.raises(InputError, match="same label"):
        order(["a", "b", "a..b"], [2])


def test_forms():
    assert Order.from_spec(GRADES, Path()).to_spec() == {"order": GRADES}
    written = {"values": GRADES, "runs": [2]}
    assert Order.from_spec(written, Path()).to_spec() == {"order": written}
    assert Order.from_text("none, low,mid,high,top") == order(GRADES)


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (None, "needs its values"),
        ([], "needs its values"),
        ("low", "must be a list"),
        ({"runs": [2]}, "needs its values"),
        (["a", "a"], "repeat 1 value"),
        (["never", False], "truth values"),
        (["a", None], "text or numbers"),
        (["a", ["b"]], "text or numbers"),
        (["a", 2**80], "text or numbers"),
        (["\ud800"], "text or numbers"),
        ({"values": ["a", "b"], "runs": [1]}, "at least 2"),
        ({"values": ["a", "b"], "runs": ["x"]}, "at least 2"),
        ({"values": ["a", "b"], "runs": [2, 3]}, "multiple"),
        ({"values": ["a", "b"], "runs": [4, 4]}, "multiple"),
        ({"values": ["a", "b"], "run": [4]}, "Did you mean 'runs'"),
    ],
)
def test_wrong_arguments(argument, message):
    with pytest.raises(InputError, match=message):
        Order.from_spec(argument, Path())
