"""What bucketizers see of a column: values are as far apart as the model t-closeness has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.partition.buckets.t_closeness import TClosenessBuckets
from shoal.partition.sensitive_values import SensitiveValues
from shoal.privacy.grouped import group
from shoal.privacy.t_closeness import Distance, TCloseness
from shoal.testing.people import TAXONOMIES, Labels

VALUES = ["a", "b", "4", "30", "-1.5", None]


@given(
    drawn=st.lists(st.sampled_from(VALUES), min_size=1, max_size=12),
    taxonomy=st.sampled_from(TAXONOMIES[:3]),
    distance=st.sampled_from(["equal", "ordered", "hierarchical"]),
    t=st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9]),
)
def test_one_bucket_serves_where_the_model_accepts_classes_of_one_value(
    drawn: list[str | None], taxonomy: Mapping[str, Sequence[str]], distance: Distance, t: float
) -> None:
    of_one_value = group(drawn, hierarchies={"value": Labels(taxonomy)}, value=drawn)
    values = SensitiveValues.of(of_one_value.attribute("value"))
    bucketizer = TClosenessBuckets(t, distance)
    bucketizer.require(values, "value")
    one = len(bucketizer.buckets(values)) == 1
    assert one == TCloseness("value", t, distance=distance).holds(of_one_value).all()


def test_an_order_of_their_own() -> None:
    column = group([1, 1, 1], size=["large", "medium", "small"]).attribute("size")
    assert column.labels[0].to_pylist() == ["large", "medium", "small"]
    values = SensitiveValues.of(column, ["small", "medium", "large"])
    assert values.order is not None
    assert values.order.tolist() == [2, 1, 0]
    assert SensitiveValues.of(column).counts.tolist() == [1, 1, 1]


def test_a_level_of_several_labels_has_one_above() -> None:
    labels = np.array([0, 0, 1], dtype=np.uint32)
    values = SensitiveValues(np.array([1, 0, 2]), (labels,))
    assert [level.tolist() for level in values.tree] == [[0, 0, 1], [0, 0, 0]]
    assert (values.rows, values.occurring.tolist()) == (3, [0, 2])
