"""Class sizes: rows add up, halves are even, allowed and never empty; by all places of spare rows."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.encode.column import IntArray
from shoal.partition.buckets.beta_likeness import BetaLikenessBuckets
from shoal.partition.buckets.bucketizer import Bucketizer
from shoal.partition.buckets.buckets import Buckets
from shoal.partition.buckets.incognito import IncognitoBuckets
from shoal.partition.buckets.t_closeness import TClosenessBuckets
from shoal.partition.buckets.value import ValueBuckets
from shoal.partition.sensitive_values import SensitiveValues
from shoal.partition.sizes import class_sizes, halve
from shoal.testing.bucketizers import sensitive_values
from tests.unit.partition.drawn import upper
from tests.unit.partition.test_incognito import TABLE_1

BUCKETIZERS: list[Bucketizer] = [
    ValueBuckets(),
    BetaLikenessBuckets(1),
    BetaLikenessBuckets(3),
    IncognitoBuckets(2),
    IncognitoBuckets(3, overlapping=True),
    TClosenessBuckets(0.3),
    TClosenessBuckets(0.2, "ordered"),
    TClosenessBuckets(0.4, "hierarchical"),
]


@st.composite
def bounded(draw: st.DrawFn) -> Buckets:
    """Draw buckets with bounds at or above their shares."""
    rows = np.array(draw(st.lists(st.integers(1, 30), min_size=1, max_size=7)))
    factors = draw(
        st.lists(st.sampled_from([1.0, 1.1, 1.4, 2.0, 5.0]), min_size=len(rows), max_size=len(rows))
    )
    bounds = np.minimum(rows / rows.sum() * factors, 1.0)
    return Buckets.of((([value], bound) for value, bound in enumerate(bounds.tolist())), rows)


def test_table_1_has_three_classes_of_a_row_from_each_bucket() -> None:
    buckets = IncognitoBuckets(3, overlapping=True).buckets(TABLE_1)
    halves = halve(buckets.rows, buckets)
    assert halves is not None
    assert [half.tolist() for half in halves] == [[2, 2, 2], [1, 1, 1]]
    assert class_sizes(buckets).tolist() == [[1, 1, 1]] * 3


@given(
    values=sensitive_values(most_rows=40), bucketizer=st.sampled_from(BUCKETIZERS), least=st.integers(0, 4)
)
def test_sizes_add_up_and_every_class_is_allowed(
    values: SensitiveValues, bucketizer: Bucketizer, least: int
) -> None:
    buckets = bucketizer.buckets(values)
    sizes = class_sizes(buckets, least=least)
    assert sizes.sum(axis=0).tolist() == buckets.rows.tolist()
    assert all(buckets.allows(of_class) for of_class in sizes)
    assert len(sizes) == 1 or sizes.sum(axis=1).min() >= max(least, 1)
    assert all(halve(of_class, buckets, least=least) is None for of_class in sizes)


@given(values=sensitive_values(most_rows=40), beta=st.sampled_from([0.5, 1, 3]))
def test_a_class_of_one_value_per_bucket_keeps_the_bound_of_each(
    values: SensitiveValues, beta: float
) -> None:
    for bucketizer in (BetaLikenessBuckets(beta), IncognitoBuckets(beta)):
        buckets = bucketizer.buckets(values)
        for sizes in class_sizes(buckets):
            for value in np.flatnonzero(values.counts):
                share = sizes[buckets.of_value[value]] / sizes.sum()
                assert share <= upper(int(values.counts[value]), values.rows, beta) + 1e-9


def allowed(half: IntArray, buckets: Buckets, least: int) -> bool:
    total = half.sum()
    return bool(total >= max(least, 1) and (half <= buckets.bounds * total + 1e-9).all())


@given(buckets=bounded(), least=st.integers(0, 6))
def test_halves_are_found_wherever_there_are_any(buckets: Buckets, least: int) -> None:
    low, odd = buckets.rows // 2, buckets.rows % 2
    differences = []
    for spare in product(*[range(one + 1) for one in odd]):
        halves = low + np.array(spare), low + odd - np.array(spare)
        if all(allowed(half, buckets, least) for half in halves):
            differences.append(abs(int(halves[0].sum() - halves[1].sum())))
    found = halve(buckets.rows, buckets, least=least)
    assert (found is None) == (not differences)
    if found is not None:
        first, second = found
        assert (first + second).tolist() == buckets.rows.tolist()
        assert np.abs(first - second).max() <= 1
        assert first.sum() - second.sum() == min(differences)


def test_spare_rows_alternate() -> None:
    free = ValueBuckets().buckets(SensitiveValues(np.array([3, 5, 2, 7, 9, 1])))
    halves = halve(free.rows, free)
    assert halves is not None
    assert [half.tolist() for half in halves] == [[2, 2, 1, 4, 4, 1], [1, 3, 1, 3, 5, 0]]


def test_spare_rows_go_to_one_half_where_closeness_needs_it() -> None:
    """Halves of 2, 1, 2 and 1, 2, 1 rows are not like the table; those of 2, 2, 2 and 1, 1, 1 are."""
    buckets = TClosenessBuckets(0.05).buckets(SensitiveValues(np.array([3, 3, 3])))
    assert len(buckets) == 3
    assert class_sizes(buckets).tolist() == [[1, 1, 1]] * 3


@pytest.mark.parametrize(("least", "classes"), [(1, 8), (2, 4), (3, 2), (5, 1), (9, 1)])
def test_a_class_has_the_least_number_of_rows(least: int, classes: int) -> None:
    buckets = ValueBuckets().buckets(SensitiveValues(np.array([4, 4])))
    assert len(class_sizes(buckets, least=least)) == classes


def test_a_single_row_is_a_class() -> None:
    buckets = ValueBuckets().buckets(SensitiveValues(np.array([1])))
    assert class_sizes(buckets).tolist() == [[1]]


def test_no_rows_are_no_classes() -> None:
    assert class_sizes(ValueBuckets().buckets(SensitiveValues(np.array([0])))).shape == (0, 0)


def test_a_rare_value_keeps_classes_large() -> None:
    """One row of 3,000 may be in a class of 750 at the least, with beta = 3."""
    counts = np.array([1, 999, 1000, 1000])
    buckets = BetaLikenessBuckets(3).buckets(SensitiveValues(counts))
    sizes = class_sizes(buckets)
    with_rare = sizes[sizes[:, buckets.of_value[0]] > 0]
    assert len(with_rare) == 1
    assert with_rare[0].sum() == 750
