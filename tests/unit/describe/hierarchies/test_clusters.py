"""Values grouped by how a target behaves, compared with a search by the definition."""

from itertools import combinations
from math import log
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.describe.hierarchies import clusters as module
from shoal.describe.hierarchies.clusters import Clusters, clusters, stages_of
from shoal.describe.hierarchy import ColumnData, HierarchyError, check_nested
from shoal.errors import InputError


def column(values, by_target, target_values=("high", "low")):
    counts = np.array(by_target, dtype=np.int64).reshape(len(values), len(target_values))
    return ColumnData(pa.array(values), counts.sum(axis=1), pa.array(target_values), counts)


def labels(made, values):
    return [level.to_pylist() for level in made.levels(pa.array(values)).labels]


def information(counts, partition):
    """Mutual information of group and target, by its definition."""
    rows = counts.sum()
    found = 0.0
    for group in partition:
        joint = counts[group].sum(axis=0)
        for target, number in enumerate(joint):
            if number:
                share = number / rows
                found += share * log(share / (joint.sum() / rows * counts[:, target].sum() / rows))
    return found


tables = st.integers(2, 7).flatmap(
    lambda size: st.integers(2, 3).flatmap(
        lambda targets: st.lists(
            st.lists(st.integers(0, 6), min_size=targets, max_size=targets), min_size=size, max_size=size
        )
    )
)


@given(tables)
def test_each_merge_loses_the_least(table):
    counts = np.array(table)
    counts[0, 0] += 1  # there are rows
    before = [[place] for place in range(len(counts))]
    for after in stages_of(counts, range(len(counts) - 1, 0, -1)):
        assert sorted(place for group in after for place in group) == list(range(len(counts)))
        best = max(
            information(counts, [*(group for group in before if group not in pair), pair[0] + pair[1]])
            for pair in combinations(before, 2)
        )
        assert len(after) == len(before) - 1
        assert all(any(set(group) <= set(other) for other in after) for group in before)
        assert information(counts, after) == pytest.approx(best, abs=1e-9)
        before = after


def test_equal_losses_go_by_place():
    counts = np.array([[1, 0], [0, 1], [1, 0], [0, 1]])
    assert stages_of(counts, [3, 2]) == [[[0, 2], [1], [3]], [[0, 2], [1, 3]]]


def test_values_that_behave_alike_come_together():
    made = clusters("income", [3, 2]).fit(
        column(["judge", "cook", "pilot", "clerk", "nurse"], [[9, 1], [1, 9], [8, 2], [2, 8], [5, 5]])
    )
    assert labels(made, ["clerk", "cook", "judge", "nurse", "pilot"]) == [
        ["clerk", "cook", "judge", "nurse", "pilot"],
        ["{clerk, cook}", "{clerk, cook}", "{judge, pilot}", "nurse", "{judge, pilot}"],
        [*["{clerk, cook, nurse}"] * 2, "{judge, pilot}", "{clerk, cook, nurse}", "{judge, pilot}"],
        ["*"] * 5,
    ]


def test_half_as_many_groups_at_each_level_if_nothing_is_said():
    values = [f"v{number}" for number in range(9)]
    made = clusters("t").fit(column(values, [[number, 9 - number] for number in range(9)]))
    assert [len(set(level)) for level in labels(made, values)] == [9, 5, 3, 2, 1]


def test_more_groups_than_values():
    made = clusters("t", [8, 2]).fit(column(["a", "b", "c"], [[1, 0], [1, 0], [0, 1]]))
    assert labels(made, ["a", "b", "c"])[1:3] == [["a", "b", "c"], ["{a, b}", "{a, b}", "c"]]


@pytest.mark.parametrize("size", [0, 1])
def test_hardly_any_values(size):
    made = clusters("t").fit(column(["a"][:size], [[1, 2]][:size]))
    assert len(made.labels) == 2


@given(tables, st.randoms())
def test_nested_and_the_same_for_any_order(table, random):
    values = [f"v{number}" for number in range(len(table))]
    targets = [f"t{number}" for number in range(len(table[0]))]
    made = clusters("t").fit(column(values, table, targets))
    assert not check_nested(made.labels)
    expected = sorted(zip(*labels(made, values), strict=True))
    rows, columns = list(range(len(table))), list(range(len(targets)))
    random.shuffle(rows)
    random.shuffle(columns)
    again = clusters("t").fit(
        column(
            [values[row] for row in rows],
            [[table[row][place] for place in columns] for row in rows],
            [targets[place] for place in columns],
        )
    )
    assert sorted(zip(*labels(again, values), strict=True)) == expected


def test_labels_are_no_value_and_no_other_label():
    made = clusters("t", [3]).fit(
        column(
            ["a", "b", "{a, b}", "c, d", "e", "c", "d, e"],
            [[9, 0], [9, 0], [5, 5], [0, 9], [0, 9], [2, 1], [2, 1]],
        )
    )
    level = made.labels[1].to_pylist()
    assert len(set(level)) == 3
    alone = dict(zip(made.labels[0].to_pylist(), level, strict=True))
    assert alone["a"] == alone["b"] == "{a, b} (2)"


def test_long_labels_are_shortened_and_stay_different():
    values = [f"{'x' * 30}{number:03}" for number in range(40)]
    made = clusters("t", [2]).fit(column(values, [[9, 0]] * 20 + [[0, 9]] * 20))
    level = made.labels[1]
    assert len(level.unique()) == 2
    assert max(map(len, level.to_pylist())) < 100
    assert "more" in level[0].as_py()


def bins_of(targets, rows):
    """Return which targets are told apart: a value has all of its rows in one of them."""
    by_target = np.diag(rows)
    counts = module._binned(by_target, targets)
    return [int(np.flatnonzero(row)[0]) for row in counts]


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.string(), pa.date32()])
def test_many_numbers_are_put_into_ten_bins(kind):
    numbers = pa.array(range(100), pa.int32())
    targets = numbers.cast(pa.date32()) if kind == pa.date32() else numbers.cast(kind)
    assert bins_of(targets, [1] * 100) == [number // 10 for number in range(100)]


def test_few_numbers_and_null_stay_apart():
    assert len(set(bins_of(pa.array([1.5, 2.5, None]), [1, 1, 1]))) == 3
    assert len(set(bins_of(pa.array([*range(30), None]), [1] * 31))) == 11


def test_of_many_other_targets_the_rare_ones_count_as_one():
    targets = pa.array([f"t{number}" for number in range(80)])
    bins = bins_of(targets, [100 - number for number in range(80)])
    assert len(set(bins[:50])) == 50
    assert len(set(bins[50:])) == 1


def test_values_that_the_table_did_not_have():
    made = clusters("t", [2]).fit(column(["a", "b", "c"], [[1, 0], [1, 0], [0, 1]]))
    assert made.knows(pa.array(["a", "z"])).to_pylist() == [True, False]
    with pytest.raises(HierarchyError, match="lacks 1 value"):
        made.levels(pa.array(["z"]))


def test_too_many_values():
    values = [str(number) for number in range(3001)]
    with pytest.raises(HierarchyError, match=r"at most 3,000 values\.\nFound: 3,001"):
        clusters("t").fit(column(values, [[1, 0]] * 3001))


def test_without_a_table():
    with pytest.raises(HierarchyError, match="built from a table"):
        clusters("t").levels(pa.array(["a"]))
    with pytest.raises(HierarchyError, match="'t'"):
        clusters("t").fit(ColumnData(pa.array(["a"]), np.array([1])))


def test_forms():
    assert clusters("income").to_spec() == {"clusters": {"target": "income"}}
    written = {"target": "income", "groups": [8, 4]}
    assert Clusters.from_spec(written, Path()).to_spec() == {"clusters": written}
    assert Clusters.from_text("income") == clusters("income")


@pytest.mark.parametrize(
    "argument",
    [
        None,
        "",
        5,
        ["income"],
        {"groups": [2]},
        {"target": "t", "groups": [1]},
        {"target": "t", "groups": [2, 2]},
        {"target": "t", "groups": ["x"]},
        {"target": "t", "group": [2]},
    ],
)
def test_wrong_arguments(argument):
    with pytest.raises(InputError):
        Clusters.from_spec(argument, Path())
