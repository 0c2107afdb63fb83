"""BUREL's buckets: as few as brute force finds among neighbours, and no value above its own bound."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from shoal.partition.buckets.beta_likeness import BetaLikenessBuckets
from shoal.partition.sensitive_values import SensitiveValues
from shoal.testing.bucketizers import sensitive_values
from tests.unit.partition.drawn import BETAS, in_runs, set_partitions, upper


def fits(group: list[int], rows: int, beta: float) -> bool:
    return sum(group) / rows <= upper(min(group), rows, beta) + 1e-9


@given(values=sensitive_values(most_values=9), beta=BETAS)
def test_they_are_the_fewest_and_the_most_even_of_neighbours(values: SensitiveValues, beta: float) -> None:
    buckets = BetaLikenessBuckets(beta).buckets(values)
    ascending = sorted(count for count in values.counts.tolist() if count)
    best = min(
        (len(runs), sum(sum(run) ** 2 for run in runs))
        for runs in in_runs(ascending)
        if all(fits(list(run), values.rows, beta) for run in runs)
    )
    assert (len(buckets), int((buckets.rows**2).sum())) == best


@given(values=sensitive_values(), beta=BETAS)
def test_a_bucket_of_one_value_alone_keeps_its_bound(values: SensitiveValues, beta: float) -> None:
    buckets = BetaLikenessBuckets(beta).buckets(values)
    for value in np.flatnonzero(values.counts):
        of_value = upper(int(values.counts[value]), values.rows, beta)
        assert buckets.bounds[buckets.of_value[value]] <= of_value + 1e-9
    for number in range(len(buckets)):
        rarest = int(values.counts[buckets.values(number)].min())
        assert buckets.bounds[number] == pytest.approx(upper(rarest, values.rows, beta))


def test_buckets_of_neighbours_are_not_the_fewest_of_all() -> None:
    counts = [6, 7, 7, 7, 8, 9, 11]
    assert len(BetaLikenessBuckets(2).buckets(SensitiveValues(np.array(counts)))) == 4
    fewest = min(
        len(groups)
        for groups in set_partitions(range(7))
        if all(fits([counts[value] for value in group], 55, 2) for group in groups)
    )
    assert fewest == 3


def test_of_equal_counts_the_first_values_go_together() -> None:
    buckets = BetaLikenessBuckets(1).buckets(SensitiveValues(np.array([5, 0, 5, 5, 5])))
    assert buckets.of_value.tolist() == [0, -1, 0, 1, 1]


def test_a_frequent_value_is_bounded_by_its_logarithm() -> None:
    buckets = BetaLikenessBuckets(50).buckets(SensitiveValues(np.array([20, 1])))
    assert buckets.bounds.tolist() == pytest.approx([upper(20, 21, 50), (1 / 21) * (1 + np.log(21))])


def test_many_values_of_one_row_are_done_at_once() -> None:
    buckets = BetaLikenessBuckets(3).buckets(SensitiveValues(np.ones(20_000, dtype=np.int64)))
    assert set(buckets.rows.tolist()) == {4}
