"""Rows in an order that tells nothing of the one they had.

`ORDER BY rand()` will not do. If an executor is lost, Spark computes its part of the rows again, with other
random numbers, while the rest of the rows stays where it is: some rows may then be written twice and others
never (SPARK-38160). And a sort over all partitions computes all rows twice, at first only to find out where
to cut.

Here a row's position is a function of what is released of it:

- Its part file is chosen by a hash of its cells between two random numbers, 126 bits together. Each of the
  run's few pairs of them belongs to some partitions of the input, so that equal rows, of which there may be
  millions, do not all end up in one file. Computed again, the row goes to the same file.
- Within its file, rows are sorted by a hash of their cells. Such an order says nothing that the cells do not,
  even to somebody who knows the hash.

The random numbers are drawn from the system's secrets and forgotten. A row is computed and sent over once.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 (as everybody calls it)

_SALTS = 64
"""Equal rows are spread over so many files at most."""


def shuffled(frame: DataFrame, columns: Sequence[str]) -> DataFrame:
    """Return the rows of a frame, shuffled.

    Parameters
    ----------
    columns
        Those of the frame.
    """
    cells = [F.col(name) for name in columns]
    first, last = _salt(), _salt()
    parted = frame.repartition(F.xxhash64(first, *cells, last))
    return parted.sortWithinPartitions(F.xxhash64(F.lit(_number()), *cells, F.lit(_number())))


def _salt() -> Column:
    """Return a random number that depends on the partition of the input."""
    salts = F.array(*(F.lit(_number()) for _ in range(_SALTS)))
    return F.element_at(salts, F.spark_partition_id() % _SALTS + 1)


def _number() -> int:
    return secrets.randbits(63)
