"""Pairs of columns, beside SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats.contingency import association

from shoal.utility.associations import associations, cramers_v
from shoal.utility.groups import grouped
from tests.unit.utility.tables import column, people


def crosstab(first, second) -> np.ndarray:
    table = np.zeros((len(set(first)), len(set(second))))
    rows, columns = sorted(set(first), key=str), sorted(set(second), key=str)
    for one, two in zip(first, second, strict=True):
        table[rows.index(one), columns.index(two)] += 1
    return table


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=2, max_size=40))
def test_cramers_v_is_that_of_scipy(pairs):
    first, second = zip(*pairs, strict=True)
    table = crosstab(first, second)
    if min(table.shape) < 2:
        assert cramers_v(table) == 0
        return
    assert cramers_v(table) == pytest.approx(association(table.astype(int), method="cramer"), abs=1e-9)


def test_an_untouched_pair():
    table = people()
    ages, jobs, ill = (table[name].to_pylist() for name in ("age", "job", "ill"))
    columns = [column(ages, ages), column(jobs, jobs, name="job"), column(ill, ill, name="ill")]
    found = associations(columns[:2], columns[2:])
    assert [pair.columns for pair in found] == [("age", "job"), ("age", "ill"), ("job", "ill")]
    assert all(pair.total_variation == pytest.approx(0) for pair in found)
    assert all(pair.before == pytest.approx(pair.after) for pair in found)
    expected = association(crosstab(jobs, ill).astype(int), method="cramer")
    assert found[2].before == pytest.approx(expected)


def test_pairs_of_columns_that_are_released_as_they_are_are_left_out():
    found = associations(
        [column(["a", "b"], ["a", "b"])],
        [column(["x", "y"], ["x", "y"], name="one"), column(["x", "y"], ["x", "y"], name="two")],
    )
    assert [pair.columns for pair in found] == [("age", "one"), ("age", "two")]


def test_nothing_is_left_of_a_pair_that_is_suppressed():
    for cells in (["*"] * 4, []):
        first = column(["a", "a", "b", "b"], cells)
        second = column(["x", "x", "y", "y"], cells, name="job")
        (pair,) = associations([first, second], [])
        assert (pair.before, pair.after) == (1, pytest.approx(0))
        assert pair.total_variation == pytest.approx(0.5)


def test_labels_are_spread_evenly_by_hand():
    # [20, 30) is half 21 and half 25: of the four rows, two thirds of the pairs are as they were.
    first = column([21, 25, 40, 40], ["[20, 30)", "[20, 30)", "40", "40"])
    second = column(["x", "y", "x", "x"], ["x", "y", "x", "x"], name="job")
    (pair,) = associations([first], [second])
    before = np.array([[1, 0], [0, 1], [2, 0]]) / 4
    after = np.array([[0.5, 0.5], [0.5, 0.5], [2, 0]]) / 4
    assert pair.total_variation == pytest.approx(np.abs(before - after).sum() / 2)
    assert pair.before == pytest.approx(association(np.array([[1, 0], [0, 1], [2, 0]]), method="cramer"))
    assert pair.after == pytest.approx(association(np.array([[1, 1], [1, 1], [4, 0]]), method="cramer"))


@given(st.lists(st.tuples(st.integers(0, 29), st.sampled_from("xyz")), min_size=2, max_size=30))
def test_against_rows(rows):
    """Spread every released row over what it may have been, one by one."""
    ages, jobs = map(list, zip(*rows, strict=True))
    if len(set(ages)) < 2 or len(set(jobs)) < 2:
        return
    labels = [f"[{age // 10 * 10}, {age // 10 * 10 + 10})" for age in ages]
    first, second = column(ages, labels), column(jobs, jobs, name="job")
    (pair,) = associations([first], [second])
    groups = grouped(first).of_position
    group = {int(text): int(groups[position]) for position, text in enumerate(first.domain.texts.to_pylist())}
    order = sorted(set(jobs))
    before, after = np.zeros((2, max(group.values()) + 1, len(order)))
    for age, job in rows:
        before[group[age], order.index(job)] += 1 / len(rows)
        under = [other for other in set(ages) if other // 10 == age // 10]
        for other in under:
            after[group[other], order.index(job)] += 1 / len(under) / len(rows)
    assert pair.total_variation == pytest.approx(np.abs(before - after).sum() / 2)
    assert pair.after == pytest.approx(cramers_v(after))


def test_many_values_are_grouped():
    numbers = column(list(range(100)), list(range(100)))
    groups = grouped(numbers)
    assert groups.count == 20
    assert np.bincount(groups.of_position).tolist() == [5] * 20
    names = [f"n{number}" for number in range(30)] + ["n7", "n7", "n9", None]
    found = grouped(column(names, names))
    assert found.count == 20
    assert found.of_position[-1] == 19
    assert len({found.of_position[7], found.of_position[9]}) == 2
    assert np.bincount(found.of_position)[18] == 30 - 18


def test_one_number_in_most_rows():
    ages = [0] * 1000 + list(range(1, 60))
    groups = grouped(column(ages, ages))
    assert 2 <= groups.count <= 20
    assert set(groups.of_position.tolist()) == set(range(groups.count))
