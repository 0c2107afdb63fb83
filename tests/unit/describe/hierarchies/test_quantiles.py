"""Groups have about as many rows each, and a place for every number."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.describe.hierarchies.intervals import Intervals
from shoal.describe.hierarchies.quantiles import Quantiles, quantiles
from shoal.describe.hierarchy import ColumnData, FromData, HierarchyError, Partial, check_nested
from shoal.errors import InputError

COLUMNS = st.dictionaries(st.integers(-500, 500), st.integers(1, 30), max_size=25)


def fit(hierarchy, rows):
    values = pa.array(list(rows), pa.int64())
    return hierarchy.fit(ColumnData(values, np.array(list(rows.values()), dtype=np.int64)))


def groups_of(hierarchy, level, values):
    """Return the values of each label, rising."""
    labels = hierarchy.levels(pa.array(values, pa.int64())).labels[level].to_pylist()
    groups = {}
    for value, label in sorted(zip(values, labels, strict=True)):
        groups.setdefault(label, []).append(value)
    return list(groups.values())


@given(COLUMNS, st.sampled_from([(2,), (3,), (8, 4, 2), (9, 3), (20, 10)]))
def test_every_cut_is_where_the_rows_are_split_most_evenly(rows, groups):
    hierarchy = fit(quantiles(*groups), rows)
    numbers = sorted(rows)
    up_to = {number: sum(rows[other] for other in numbers if other <= number) for number in numbers[:-1]}
    total = sum(rows.values())
    for level, count in enumerate(groups, start=1):
        ends = {group[-1] for group in groups_of(hierarchy, level, numbers)[:-1]}
        if not up_to:
            assert ends == set()
            continue
        wanted = [Fraction(total * share, count) for share in range(1, count)]
        nearest = {rowcount: min(abs(up_to[n] - rowcount) for n in up_to) for rowcount in wanted}
        # Each end is the nearest to some share of the rows, and each share has a nearest one among them.
        assert all(any(abs(up_to[end] - w) == nearest[w] for w in wanted) for end in ends)
        assert all(any(abs(up_to[end] - w) == nearest[w] for end in ends) for w in wanted)


@given(COLUMNS, st.lists(st.integers(-2000, 2000), unique=True))
def test_nested_and_total(rows, others):
    hierarchy = fit(quantiles(8, 4, 2), rows)
    values = pa.array(others, pa.int64())
    assert hierarchy.knows(values).to_pylist() == [True] * len(others)
    levels = hierarchy.levels(values)
    assert check_nested(levels.labels) == []
    assert len(levels.labels) == 5
    assert set(levels.labels[-1].to_pylist()) <= {"*"}


def test_without_ties_groups_are_those_of_numpy():
    values = np.random.default_rng(1).permutation(np.arange(800) * 7)
    hierarchy = quantiles(8).fit(ColumnData(pa.array(values), np.ones(800, dtype=np.int64)))
    borders = np.quantile(values, np.arange(1, 8) / 8, method="inverted_cdf")
    sizes = [len(group) for group in groups_of(hierarchy, 1, values.tolist())]
    assert sizes == [100] * 8
    assert [group[-1] for group in groups_of(hierarchy, 1, values.tolist())[:-1]] == borders.tolist()


def test_rows_count_and_not_values():
    assert groups_of(fit(quantiles(2), {1: 97, 2: 1, 3: 1, 4: 1}), 1, [1, 2, 3, 4]) == [[1], [2, 3, 4]]


def test_many_equal_values_make_fewer_groups():
    hierarchy = fit(quantiles(4, 2), {0: 900, 1: 50, 2: 50})
    assert groups_of(hierarchy, 1, [0, 1, 2]) == [[0], [1, 2]]
    assert groups_of(hierarchy, 2, [0, 1, 2]) == [[0], [1, 2]]


def test_one_value_and_none():
    for rows in ({}, {7: 12}):
        hierarchy = fit(quantiles(4, 2), rows)
        assert [labels.to_pylist() for labels in hierarchy.levels(pa.array([7, 99])).labels[1:]] == [
            ["*", "*"]
        ] * 3
        spec = hierarchy.to_spec()
        assert Intervals.from_spec(spec["intervals"], Path()) == hierarchy


def test_cuts_are_round_numbers():
    hierarchy = fit(quantiles(4, 2), {-1870: 5, -12: 5, 49_870: 5, 50_120: 5})
    assert hierarchy.cuts == ((-1000, 0, 50_000), (0,))
    assert hierarchy.ends == "open"


@given(st.integers(-3000, 3000), st.integers(1, 400))
def test_no_number_between_two_values_is_rounder_than_the_cut(low, gap):
    ((cut,),) = fit(quantiles(2), {low: 1, low + gap: 1}).cuts

    def zeros(number):
        return 99 if number == 0 else len(str(number)) - len(str(number).rstrip("0"))

    between = range(low + 1, low + gap + 1)
    assert cut in between
    assert zeros(cut) == max(map(zeros, between))


def test_values_that_no_row_has_do_not_count():
    values = pa.array([1, 2, 3, 4])
    hierarchy = quantiles(2).fit(ColumnData(values, np.array([5, 0, 0, 5])))
    assert groups_of(hierarchy, 1, [1, 4]) == [[1], [4]]


@pytest.mark.parametrize(
    "values",
    [
        pa.array(["1.5", " 2", "30", "1e2"]),
        pa.array([1.5, 2.0, 2.25, 100.0]),
        pa.array([Decimal("1.50"), Decimal("2.00"), Decimal("30.00"), Decimal("1e2")]),
        pa.array([1, 2, 3, 2**64 - 1], pa.uint64()),
        pa.array(["1.5", "2", "2.00000000000000000000001", "1e40"]),
    ],
    ids=lambda values: str(values.type),
)
def test_all_kinds_of_numbers(values):
    hierarchy = quantiles(4, 2).fit(ColumnData(values, np.ones(4, dtype=np.int64)))
    levels = hierarchy.levels(values)
    assert [len(set(labels.to_pylist())) for labels in levels.labels] == [4, 4, 2, 1]
    assert check_nested(levels.labels) == []
    assert Intervals.from_spec(hierarchy.to_spec()["intervals"], Path()) == hierarchy


def test_the_same_number_written_twice_is_in_one_group():
    hierarchy = quantiles(2).fit(ColumnData(pa.array(["2", "2.0"]), np.array([5, 5])))
    assert set(hierarchy.levels(pa.array(["2", "2.0"])).labels[1].to_pylist()) == {"*"}


def test_what_is_not_a_number():
    values = pa.array(["1", "?", "3"])
    assert quantiles(2).knows(values).to_pylist() == [True, False, True]
    with pytest.raises(HierarchyError, match="quantiles need numbers") as caught:
        quantiles(2).fit(ColumnData(values, np.ones(3, dtype=np.int64)))
    assert caught.value.problems[0].values == ("?",)
    with pytest.raises(HierarchyError, match="hierarchy `dates`"):
        quantiles(2).fit(ColumnData(pa.array([0], pa.date32()), np.ones(1, dtype=np.int64)))


def test_without_a_table_there_are_no_levels():
    assert isinstance(quantiles(2), FromData) and isinstance(quantiles(2), Partial)
    assert quantiles(2).target is None
    with pytest.raises(HierarchyError, match="built from a table"):
        quantiles(2).levels(pa.array([1, 2]))


def test_forms():
    assert Quantiles.from_text("8, 4,2") == quantiles(8, 4, 2)
    assert Quantiles.from_spec(4, Path()) == quantiles(4)
    assert Quantiles.from_spec({"groups": [4, 2]}, Path()) == quantiles(4, 2)
    assert quantiles(np.int64(4), 2).to_spec() == {"quantiles": [4, 2]}


@pytest.mark.parametrize(
    ("argument", "problems"),
    [
        (None, 1),
        ([], 1),
        ([8, 3], 1),
        ([4, 4], 1),
        ([2, 4], 1),
        ([1, "x", True, 2.5, 10**9], 5),
        ({"n": 3}, 1),
    ],
)
def test_everything_wrong_at_once(argument, problems):
    with pytest.raises(InputError) as caught:
        Quantiles.from_spec(argument, Path())
    assert len(caught.value.problems) == problems
