"""A bucketizer puts every sensitive value into one bucket, within bounds that the table itself keeps."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from shoal.partition.buckets.bucketizer import Bucketizer
from shoal.partition.sensitive_values import SensitiveValues
from shoal.testing.promises import draw_and_check, promise, require, require_equal

TREES = ("one level", "two levels", "several at the top", "uneven")


@st.composite
def sensitive_values(draw: st.DrawFn, most_values: int = 8, most_rows: int = 12) -> SensitiveValues:
    """Draw values, some without rows, with a taxonomy and an order."""
    counts = draw(st.lists(st.integers(0, most_rows), min_size=1, max_size=most_values).filter(any))
    places = np.arange(len(counts), dtype=np.uint32)
    trees = {
        "one level": (places * 0,),
        "two levels": (places // 3, places * 0),
        "several at the top": (places // 2, places // 4),
        "uneven": (np.minimum(places, 3), np.minimum(places, 1), places * 0),
    }
    order = draw(st.permutations(range(len(counts))))
    return SensitiveValues(
        np.array(counts), trees[draw(st.sampled_from(TREES))], np.array(order, dtype=np.uint32)
    )


def check_bucketizer(bucketizer: Bucketizer, *, values: int = 8, rows: int = 12, examples: int = 40) -> None:
    """Raise AssertionError with the first promise that a bucketizer breaks.

    Every value that rows have is in one bucket; where buckets overlap, every row is. They are numbered
    without gaps, a bucket keeps its bound in the table itself, and the same values give the same buckets. A
    table without rows has none.

    Parameters
    ----------
    values, rows, examples
        How many values are drawn at most, with how many rows each, and how often.

    Examples
    --------
    >>> from shoal.partition.buckets.value import ValueBuckets
    >>> check_bucketizer(ValueBuckets(), examples=5)
    """
    whose = f"The bucketizer {getattr(bucketizer, 'name', type(bucketizer).__name__)!r}"
    with promise(whose, "it has all that a bucketizer has"):
        require(isinstance(bucketizer, Bucketizer), "It lacks name, summary, require, buckets or more.")
        require(bucketizer.summary.endswith(".") and "\n" not in bucketizer.summary, bucketizer.summary)
    with promise(whose, "a table without rows has no buckets"):
        places = np.arange(2, dtype=np.uint32)
        none = bucketizer.buckets(SensitiveValues(np.zeros(2, dtype=np.int64), (places * 0,), places))
        require_equal((len(none), none.of_value.tolist()), (0, [-1, -1]))

    def check(drawn: SensitiveValues) -> None:
        with promise(whose, "it serves values with a taxonomy and an order"):
            bucketizer.require(drawn, "disease")
            buckets = bucketizer.buckets(drawn)
        occurs = drawn.counts > 0
        with promise(whose, "every value that rows have is in one bucket, and no other"):
            require_equal((buckets.of_value >= 0).tolist(), occurs.tolist())
        with promise(whose, "every row is in one bucket"):
            require_equal(int(buckets.rows.sum()), drawn.rows)
            taken = np.zeros(len(drawn.counts), dtype=np.int64)
            for number in range(len(buckets)):
                own = buckets.values(number)
                of_own = (
                    [buckets.overlapping[number][value] for value in own.tolist()]
                    if (buckets.overlapping)
                    else drawn.counts[own]
                )
                require_equal(int(np.sum(of_own)), int(buckets.rows[number]))
                taken[own] += of_own
            require_equal(taken.tolist(), drawn.counts.tolist())
        with promise(whose, "buckets are numbered by their first values, without gaps"):
            first = [int(buckets.values(number).min()) for number in range(len(buckets))]
            require_equal(first, sorted(first))
        with promise(whose, "the table itself is within the bounds, which are shares"):
            require(buckets.allows(buckets.rows), f"Found: {buckets.rows} within {buckets.bounds}.")
            require((buckets.bounds <= 1).all(), f"Found: {buckets.bounds}.")
        with promise(whose, "the same values give the same buckets"):
            again = bucketizer.buckets(drawn)
            require_equal(again.of_value.tolist(), buckets.of_value.tolist())
            require_equal(again.bounds.tolist(), buckets.bounds.tolist())

    draw_and_check(check, sensitive_values(values, rows), examples=examples)
