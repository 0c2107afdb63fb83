"""Each sensitive value in a bucket of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.partition.buckets.bucketizer import BucketizerDefaults
from shoal.partition.buckets.buckets import Buckets
from shoal.partition.sensitive_values import SensitiveValues


@dataclass(frozen=True, slots=True)
class ValueBuckets(BucketizerDefaults):
    """Each value is a bucket.

    A class that has its share of each bucket is then distributed like the table, as far as whole rows can
    be. The buckets have no bounds of their own: the models of the spec judge each class.

    Examples
    --------
    >>> import numpy as np
    >>> buckets = ValueBuckets().buckets(SensitiveValues(np.array([3, 0, 1])))
    >>> buckets.of_value.tolist(), buckets.bounds.tolist()
    ([0, -1, 1], [1.0, 1.0])
    """

    name: ClassVar[str] = "value"
    summary: ClassVar[str] = "Each sensitive value in a bucket of its own."

    def buckets(self, values: SensitiveValues) -> Buckets:
        return Buckets.of((([value], 1.0) for value in values.occurring.tolist()), values.counts)
