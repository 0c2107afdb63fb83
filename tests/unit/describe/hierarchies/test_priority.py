"""Frequent values kept longest."""

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.describe.hierarchies.priority import Priority, priority
from shoal.describe.hierarchy import ColumnData, HierarchyError, check_nested
from shoal.errors import InputError

TOWNS = ColumnData(pa.array(["Bonn", "Rome", "Ulm", "Bari"]), np.array([5, 90, 40, 5]))


def labels(made, values):
    return [level.to_pylist() for level in made.levels(pa.array(values)).labels]


def test_the_most_frequent_are_kept_and_ties_go_by_text():
    made = priority(3, 1).fit(TOWNS)
    assert labels(made, ["Bonn", "Rome", "Ulm", "Bari"]) == [
        ["Bonn", "Rome", "Ulm", "Bari"],
        ["other", "Rome", "Ulm", "Bari"],
        ["other", "Rome", "other", "other"],
        ["*"] * 4,
    ]


def test_half_as_many_at_each_level_if_nothing_is_said():
    kept = [len(set(level) - {"other", "*"}) for level in labels(priority().fit(TOWNS), TOWNS.values)]
    assert kept == [4, 2, 1, 0]
    one = ColumnData(pa.array(["Bonn"]), np.array([5]))
    assert labels(priority().fit(one), ["Bonn"]) == [["Bonn"], ["*"]]
    none = ColumnData(pa.array([], pa.string()), np.array([], np.int64))
    assert len(priority().fit(none).levels(none.values).labels) == 2


def test_values_that_the_table_did_not_have_are_the_rest():
    assert labels(priority(2).fit(TOWNS), ["Oslo", "Rome"])[1] == ["other", "Rome"]


def test_a_value_called_like_the_rest_is_never_kept():
    column = ColumnData(pa.array(["other", "a", "b"]), np.array([100, 2, 1]))
    assert labels(priority(2, 1).fit(column), ["other", "a", "b"]) == [
        ["other", "a", "b"],
        ["other", "a", "b"],
        ["other", "a", "other"],
        ["*"] * 3,
    ]
    assert labels(priority(1, rest="elsewhere").fit(column), ["other", "a"])[1] == ["other", "elsewhere"]


def test_other_types():
    column = ColumnData(pa.array([10, 20, 30]), np.array([1, 3, 2]))
    assert labels(priority(1).fit(column), [10, 20, 30])[1] == ["other", "20", "other"]


@given(st.lists(st.sampled_from(["a", "b", "c", "d", "other", "*"]), min_size=1, max_size=30), st.randoms())
def test_nested_and_the_same_for_any_order_of_the_values(rows, random):
    counted = Counter(rows)
    values = list(counted)
    hierarchy = priority(3, 2, 1)
    made = hierarchy.fit(ColumnData(pa.array(values), np.array([counted[value] for value in values])))
    paths = list(zip(*labels(made, values), strict=True))
    assert not check_nested(made.levels(pa.array(values)).labels)
    for kept, level in zip([3, 2, 1], range(1, 4), strict=True):
        frequent = sorted(set(values) - {"other"}, key=lambda value: (-counted[value], value))[:kept]
        assert {path[0] for path in paths if path[level] == path[0] != "other"} == set(frequent)
    random.shuffle(values)
    again = hierarchy.fit(ColumnData(pa.array(values), np.array([counted[value] for value in values])))
    assert sorted(zip(*labels(again, values), strict=True)) == sorted(paths)


def test_without_a_table():
    with pytest.raises(HierarchyError, match="built from a table"):
        priority().levels(pa.array(["a"]))


def test_forms():
    assert priority().to_spec() == "priority"
    assert priority(20, 10).to_spec() == {"priority": [20, 10]}
    assert priority(20, rest="rare").to_spec() == {"priority": {"keep": [20], "rest": "rare"}}
    assert priority(rest="rare").to_spec() == {"priority": {"rest": "rare"}}
    assert Priority.from_spec({"rest": "rare"}, Path()) == priority(rest="rare")
    assert Priority.from_text("") == Priority.from_spec(None, Path()) == priority()
    assert Priority.from_text("20,10") == priority(20, 10)


@pytest.mark.parametrize(
    "argument", [[0], ["x"], [2, 2], [2, 3], {"rest": ""}, {"rest": 5}, {"kept": [1]}, "x", [1.5]]
)
def test_wrong_arguments(argument):
    with pytest.raises(InputError):
        Priority.from_spec(argument, Path())
