"""Distributed Incognito's buckets: Table I of the paper, groups of the taxonomy, what overlapping breaks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

from shoal.partition.buckets.beta_likeness import BetaLikenessBuckets
from shoal.partition.buckets.incognito import IncognitoBuckets
from shoal.partition.sensitive_values import SensitiveValues
from shoal.privacy.beta_likeness import BetaLikeness
from shoal.privacy.grouped import group
from shoal.testing.bucketizers import sensitive_values
from tests.unit.partition.drawn import BETAS, upper

# In the order of the paper: FF0000, FF00F3, FF00AF, 0004FF, 00ABFF, 00FFFF.
TABLE_1 = SensitiveValues(np.array([1, 2, 2, 1, 2, 1]), (np.array([0, 0, 0, 1, 1, 1], dtype=np.uint32),))


def test_table_1_has_the_buckets_of_the_paper() -> None:
    buckets = IncognitoBuckets(3, overlapping=True).buckets(TABLE_1)
    assert buckets.overlapping == ({0: 1, 1: 2}, {2: 2, 4: 1}, {3: 1, 4: 1, 5: 1})
    assert buckets.rows.tolist() == [3, 3, 3]
    assert buckets.bounds.tolist() == pytest.approx([upper(1, 9, 3)] * 3)
    assert buckets.describe() == "3 buckets of 3 rows, which overlap"


def test_the_figures_of_the_example_need_a_larger_beta_than_it_says() -> None:
    printed = [0.35, 0.56, 0.88]
    assert [upper(rows, 9, 3) for rows in (1, 2, 5)] == pytest.approx(printed, abs=0.01)
    assert [upper(rows, 9, 1.2) for rows in (1, 2)] == pytest.approx([0.244, 0.489], abs=0.001)
    assert IncognitoBuckets(1.2, overlapping=True).buckets(TABLE_1).rows.tolist() != [3, 3, 3]


def test_what_overlapping_buckets_allow_breaks_the_bound() -> None:
    """Table II: one row of each bucket, two of which have the same value."""
    colours = ["FF00F3", "00ABFF", "00ABFF", "FF0000", "0004FF", "FF00AF", "FF00F3", "00FFFF", "FF00AF"]
    table_2 = group([1, 1, 1, 2, 2, 2, 3, 3, 3], colour=colours)
    assert BetaLikeness("colour", 3).holds(table_2).tolist() == [False, True, True]
    buckets = IncognitoBuckets(3, overlapping=True).buckets(TABLE_1)
    first = {1: 1, 4: 2}  # FF00F3 from one bucket, 00ABFF from both others
    assert [sum(value in taken for taken in buckets.overlapping) for value in first] == [1, 2]
    assert buckets.allows(np.array([1, 1, 1]))


def test_without_overlap_each_value_has_one_bucket() -> None:
    buckets = IncognitoBuckets(3).buckets(TABLE_1)
    assert buckets.of_value.tolist() == [0, 0, 1, 2, 1, 2]
    assert buckets.bounds.tolist() == pytest.approx([upper(rows, 9, 3) for rows in (1, 2, 1)])


@given(values=sensitive_values(), beta=BETAS)
def test_every_value_keeps_its_bound_whatever_a_class_takes(values: SensitiveValues, beta: float) -> None:
    buckets = IncognitoBuckets(beta).buckets(values)
    for number in range(len(buckets)):
        rarest = int(values.counts[buckets.values(number)].min())
        assert buckets.bounds[number] == pytest.approx(upper(rarest, values.rows, beta))
        assert buckets.rows[number] / values.rows <= buckets.bounds[number] + 1e-9


@given(values=sensitive_values(), beta=BETAS)
def test_no_two_buckets_that_are_neighbours_fit_together(values: SensitiveValues, beta: float) -> None:
    buckets = IncognitoBuckets(beta).buckets(values)
    in_order = sorted(zip(buckets.bounds.tolist(), buckets.rows.tolist(), strict=True))
    for (bound, rows), (_, others) in pairwise(in_order):
        assert rows + others > bound * values.rows


@given(values=sensitive_values(), beta=BETAS)
def test_under_one_label_they_are_burels(values: SensitiveValues, beta: float) -> None:
    flat = SensitiveValues(values.counts, (np.zeros(len(values.counts), dtype=np.uint32),))
    mine, burels = IncognitoBuckets(beta).buckets(flat), BetaLikenessBuckets(beta).buckets(flat)
    assert mine.of_value.tolist() == burels.of_value.tolist()
    assert mine.bounds.tolist() == burels.bounds.tolist()


def test_values_of_one_group_go_together_first() -> None:
    labels = np.array([0, 0, 1, 1], dtype=np.uint32), np.zeros(4, dtype=np.uint32)
    counts = np.array([5, 6, 5, 6])
    assert IncognitoBuckets(1.5).buckets(SensitiveValues(counts, labels)).of_value.tolist() == [0, 0, 1, 1]
    assert BetaLikenessBuckets(1.5).buckets(SensitiveValues(counts)).of_value.tolist() == [0, 1, 0, 1]


def test_what_is_left_in_a_group_goes_with_what_is_left_in_another() -> None:
    labels = (np.array([0, 0, 0, 1, 1, 1], dtype=np.uint32),)
    buckets = IncognitoBuckets(1).buckets(SensitiveValues(np.full(6, 4), labels))
    assert sorted(buckets.rows.tolist()) == [8, 8, 8]
    assert len({int(labels[0][value]) for value in buckets.values(buckets.of_value[0])}) == 2


@given(values=sensitive_values(), beta=BETAS)
def test_overlapping_buckets_take_every_row_once(values: SensitiveValues, beta: float) -> None:
    buckets = IncognitoBuckets(beta, overlapping=True).buckets(values)
    taken = np.zeros(len(values.counts), dtype=np.int64)
    for number, rows in enumerate(buckets.overlapping):
        assert sum(rows.values()) == buckets.rows[number] <= buckets.bounds[number] * values.rows + 1e-9
        assert all(count > 0 for count in rows.values())
        assert buckets.values(number).tolist() == sorted(rows)
        rarest = min(int(values.counts[value]) for value in rows)
        assert buckets.bounds[number] <= upper(rarest, values.rows, beta) + 1e-9
        for value, count in rows.items():
            taken[value] += count
    assert taken.tolist() == values.counts.tolist()
    assert ((buckets.of_value >= 0) == (values.counts > 0)).all()


def test_the_bucket_of_an_overlapping_value_has_most_of_its_rows() -> None:
    labels = (np.zeros(3, dtype=np.uint32),)
    buckets = IncognitoBuckets(1, overlapping=True).buckets(SensitiveValues(np.array([4, 5, 20]), labels))
    assert buckets.overlapping == ({0: 4, 1: 4}, {1: 1, 2: 1}, {2: 19})
    assert buckets.of_value.tolist() == [0, 0, 2]
