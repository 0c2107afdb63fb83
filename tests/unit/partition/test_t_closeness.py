"""SABRE's buckets: no class is farther than t, whichever values it takes; by linear programs."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.partition.buckets.t_closeness import BucketDistance, TClosenessBuckets
from shoal.partition.sensitive_values import SensitiveValues
from shoal.partition.sizes import class_sizes
from shoal.privacy.t_closeness import Distance
from shoal.testing.bucketizers import sensitive_values
from tests.unit.partition.drawn import distances, earth_moved, set_partitions

GROUNDS: list[Distance] = ["equal", "ordered", "hierarchical"]
TS = st.sampled_from([0.02, 0.1, 0.2, 0.35, 0.6, 1.0])


def worst_classes(values: SensitiveValues, of_value: list[int], shares: list[float]) -> list[list[float]]:
    """Return the classes with these shares of the buckets that take one value of each bucket alone."""
    members = [[v for v, bucket in enumerate(of_value) if bucket == number] for number in range(len(shares))]
    found = []
    for chosen in product(*members):
        q = [0.0] * len(values.counts)
        for value, share in zip(chosen, shares, strict=True):
            q[value] = share
        found.append(q)
    return found


@given(values=sensitive_values(most_values=5), distance=st.sampled_from(GROUNDS), t=TS)
def test_no_class_in_proportion_is_farther_than_t(
    values: SensitiveValues, distance: Distance, t: float
) -> None:
    buckets = TClosenessBuckets(t, distance).buckets(values)
    p = (values.counts / values.rows).tolist()
    apart = distances(values, distance)
    in_proportion = (buckets.rows / values.rows).tolist()
    farthest = max(
        earth_moved(q, p, apart) for q in worst_classes(values, buckets.of_value.tolist(), in_proportion)
    )
    assert farthest <= t + 1e-7


@given(values=sensitive_values(most_values=6), distance=st.sampled_from(GROUNDS), t=TS)
def test_one_bucket_is_split_only_if_one_value_alone_is_too_far(
    values: SensitiveValues, distance: Distance, t: float
) -> None:
    p = (values.counts / values.rows).tolist()
    apart = distances(values, distance)
    alone = np.eye(len(p))[values.counts > 0].tolist()
    farthest = max(earth_moved(q, p, apart) for q in alone)
    if abs(farthest - t) > 1e-7:
        assert (len(TClosenessBuckets(t, distance).buckets(values)) == 1) == (farthest <= t)


@given(values=sensitive_values(most_values=5), distance=st.sampled_from(GROUNDS), t=TS)
def test_no_class_of_any_allowed_sizes_is_farther_than_t(
    values: SensitiveValues, distance: Distance, t: float
) -> None:
    buckets = TClosenessBuckets(t, distance).buckets(values)
    p = (values.counts / values.rows).tolist()
    apart = distances(values, distance)
    for sizes in np.unique(class_sizes(buckets), axis=0):
        shares = (sizes / sizes.sum()).tolist()
        for q in worst_classes(values, buckets.of_value.tolist(), shares):
            assert earth_moved(q, p, apart) <= t + 1e-7


@given(
    values=sensitive_values(most_values=4, most_rows=6),
    distance=st.sampled_from(GROUNDS),
    t=TS,
    data=st.data(),
)
def test_a_class_of_any_sizes_is_no_farther_than_is_said(
    values: SensitiveValues, distance: Distance, t: float, data: st.DataObject
) -> None:
    buckets = TClosenessBuckets(t, distance).buckets(values)
    sizes = np.array(data.draw(st.tuples(*[st.integers(0, 5) for _ in buckets.rows]).filter(any)))
    p = (values.counts / values.rows).tolist()
    apart = distances(values, distance)
    assert isinstance(buckets.together, BucketDistance)
    farthest = buckets.together.farthest(sizes)
    worst = max(
        earth_moved(q, p, apart)
        for q in worst_classes(values, buckets.of_value.tolist(), (sizes / sizes.sum()).tolist())
    )
    assert worst <= farthest + 1e-7
    if distance != "hierarchical":
        assert worst >= farthest - 1e-7


@given(values=sensitive_values(), distance=st.sampled_from(GROUNDS), t=TS, data=st.data())
def test_what_is_within_the_distance_is_within_the_bounds(
    values: SensitiveValues, distance: Distance, t: float, data: st.DataObject
) -> None:
    buckets = TClosenessBuckets(t, distance).buckets(values)
    sizes = np.array(data.draw(st.tuples(*[st.integers(0, int(rows)) for rows in buckets.rows]).filter(any)))
    assert buckets.together is not None
    if buckets.together.allows(sizes):
        assert (sizes / sizes.sum() <= buckets.bounds + 1e-9).all()


@given(values=sensitive_values(most_values=6), t=TS)
def test_with_equal_distances_no_other_buckets_are_fewer(values: SensitiveValues, t: float) -> None:
    counts = [count for count in values.counts.tolist() if count]
    fewest = min(
        len(groups)
        for groups in set_partitions(range(len(counts)))
        if sum(sum(counts[v] for v in members) - min(counts[v] for v in members) for members in groups)
        <= t * values.rows + 1e-9
    )
    assert len(TClosenessBuckets(t).buckets(values)) == fewest


@given(values=sensitive_values(), t=TS)
def test_ordered_buckets_are_neighbours_and_the_first_cut_is_the_best(
    values: SensitiveValues, t: float
) -> None:
    buckets = TClosenessBuckets(t, "ordered").buckets(values)
    assert values.order is not None
    occurring = np.flatnonzero(values.counts)
    in_order = occurring[np.argsort(values.order[occurring])].tolist()
    runs = [buckets.of_value[value] for value in in_order]
    assert sum(a != b for a, b in pairwise(runs)) == len(buckets) - 1
    if len(buckets) != 2:
        return
    apart = distances(values, "ordered")

    def cost(members: list[int]) -> float:
        return max(sum(values.counts[w] * apart[v, w] for w in members) for v in members)

    cuts = [cost(in_order[:cut]) + cost(in_order[cut:]) for cut in range(1, len(in_order))]
    mine = sum(cost(buckets.values(number).tolist()) for number in range(2))
    assert mine == pytest.approx(min(cuts))


@given(values=sensitive_values(), t=TS)
def test_hierarchical_buckets_are_all_that_is_under_a_label(values: SensitiveValues, t: float) -> None:
    buckets = TClosenessBuckets(t, "hierarchical").buckets(values)
    occurring = np.flatnonzero(values.counts)
    levels = [np.arange(len(values.counts)), *values.tree]
    under = {
        tuple(occurring[labels[occurring] == label].tolist())
        for labels in levels
        for label in labels[occurring]
    }
    for number in range(len(buckets)):
        assert tuple(buckets.values(number).tolist()) in under


def test_the_split_that_lowers_the_sum_most_is_the_first() -> None:
    labels = np.array([0, 0, 1, 1, 2], dtype=np.uint32), np.zeros(5, dtype=np.uint32)
    values = SensitiveValues(np.array([10, 10, 30, 30, 20]), labels)
    # Within the two groups 0.05 and 0.15 may have to be moved half the height: 0.1 and 0.3, times 1/2.
    assert TClosenessBuckets(0.2, "hierarchical").buckets(values).of_value.tolist() == [0, 0, 1, 1, 2]
    assert TClosenessBuckets(0.19, "hierarchical").buckets(values).of_value.tolist() == [0, 0, 1, 2, 3]
    assert TClosenessBuckets(0.04, "hierarchical").buckets(values).of_value.tolist() == [0, 1, 2, 3, 4]


def test_a_bucket_is_split_into_the_labels_below_its_own() -> None:
    labels = [0, 0, 1, 1, 2, 2, 3, 3], [0, 0, 0, 0, 1, 1, 1, 1], [0] * 8
    values = SensitiveValues(np.full(8, 5), tuple(np.array(of, dtype=np.uint32) for of in labels))
    # In each half one eighth a third of the height away, and two eighths two thirds: 5/24.
    assert TClosenessBuckets(0.42, "hierarchical").buckets(values).of_value.tolist() == [0] * 4 + [1] * 4
    more = TClosenessBuckets(0.41, "hierarchical").buckets(values)
    assert more.of_value.tolist() == [0, 0, 1, 1, 2, 2, 2, 2]


def test_levels_at_which_nothing_parts_are_passed() -> None:
    labels = tuple(np.array(of, dtype=np.uint32) for of in ([0, 0, 1], [0, 0, 0], [0, 0, 0]))
    values = SensitiveValues(np.array([5, 5, 5]), labels)
    assert TClosenessBuckets(0.2, "hierarchical").buckets(values).of_value.tolist() == [0, 0, 1]


def test_equal_cuts_are_made_where_the_halves_are_most_even() -> None:
    values = SensitiveValues(np.full(4, 5))
    assert TClosenessBuckets(0.5).buckets(values).of_value.tolist() == [0, 0, 1, 1]
