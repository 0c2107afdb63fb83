"""BUREL's buckets: as few as keep beta-likeness, of values that are about as frequent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.partition.buckets.bucketizer import BucketizerDefaults
from shoal.partition.buckets.buckets import Buckets
from shoal.partition.buckets.likeness import fewest_groups, most_rows
from shoal.partition.sensitive_values import SensitiveValues
from shoal.privacy.arguments import Parameters


@dataclass(frozen=True, slots=True)
class BetaLikenessBuckets(BucketizerDefaults):
    """The fewest buckets of neighbours by frequency whose share is at most U of their rarest value.

    U(p) = p (1 + min(`beta`, -ln p)) is what enhanced beta-likeness allows a value with the share p. A class
    may have any of a bucket's values in all rows that it takes of the bucket. If these are at most U of the
    rarest, every value of the bucket keeps its own bound.

    Values are in ascending order of frequency, and in leaf order where that is the same. Of the divisions
    into so few buckets the most even is taken: with the least sum of squared rows. They are the fewest
    among buckets of neighbours alone: for 6, 7, 7, 7, 8, 9 and 11 rows at beta = 2 these are four, though
    three are possible.

    It says nothing about groups of values in a taxonomy, which need a bound of their own.

    Parameters
    ----------
    beta
        How much more likely a value may become, relative to its share: above 0.

    References
    ----------
    J. Cao, P. Karras, "Publishing microdata with a robust privacy guarantee", PVLDB 5(11), 2012. That the
    most even division is taken is ours.

    Examples
    --------
    Of nine rows a value with one may become 3.2, and one with two may become 5: -ln p is below 3 for both.

    >>> values = SensitiveValues(np.array([1, 2, 2, 1, 2, 1]))
    >>> buckets = BetaLikenessBuckets(3).buckets(values)
    >>> buckets.of_value.tolist(), buckets.bounds.round(3).tolist()
    ([0, 1, 2, 0, 2, 1], [0.355, 0.355, 0.556])
    """

    beta: float

    name: ClassVar[str] = "beta-likeness"
    summary: ClassVar[str] = (
        "BUREL: the fewest buckets of about equally frequent values (Cao and Karras 2012)."
    )
    parameters: ClassVar[dict[str, str]] = {
        "beta": "a number above 0: how much more likely a value may become, relative to its share"
    }
    examples: ClassVar[tuple[object, ...]] = ({"beta": 3},)

    def __post_init__(self) -> None:
        given = Parameters(self)
        given.number("beta", "above 0", lambda beta: beta > 0)
        given.settle()

    def buckets(self, values: SensitiveValues) -> Buckets:
        ascending = values.occurring[np.argsort(values.counts[values.occurring], kind="stable")]
        counts = values.counts[ascending]
        most = most_rows(counts, values.rows, self.beta)
        groups = fewest_groups(counts.tolist(), most.tolist())
        return Buckets.of(
            ((ascending[group], float(most[group.start]) / values.rows) for group in groups), values.counts
        )
