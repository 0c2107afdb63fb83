"""What single columns keep: loss, entropy, and the distribution of their values."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import fsum, log2

import numpy as np

from shoal.describe.label_cover import FloatArray, IntArray
from shoal.utility.recoded_column import RecodedColumn


@dataclass(frozen=True, slots=True)
class ColumnUtility:
    """What is left of one column.

    N rows of the original; n(v) of them have the value v, and n(l) a value that the label l covers.

    Attributes
    ----------
    loss
        The mean over all N cells of (values under the label - 1) / (values of the column - 1), and 1 for the
        cells of rows that were removed: from 0 (untouched) to 1 (all suppressed). Values are the leaves of
        the hierarchy where there is one, as in the measure `loss`. Of a column of means or medians, it is
        their squared error as a share of the variance, which may exceed 1 where they are medians; of modes
        the share of the rows that have another value.
    entropy_before
        Bits that a cell of the original tells: the mean of log2(N / n(v)).
    entropy_after
        Bits that a cell of the release tells: the sum over released cells of log2(N / n(l)), divided by N. A
        suppressed cell tells nothing. A mean or a median tells log2(1 / loss) / 2 bits, as if numbers were
        normally distributed, a mode what Fano's inequality guarantees, and either no more than before, nor
        than tells the labels apart.
    distinct_before, distinct_after
        Different values, and different labels, NULL counted.
    total_variation
        Half the sum over values of | share in the original - share estimated from the release |, where each
        label is spread evenly over the values that it covers: from 0 (the same distribution) to 1.
    """

    loss: float
    entropy_before: float
    entropy_after: float
    distinct_before: int
    distinct_after: int
    total_variation: float

    @property
    def entropy_kept(self) -> float:
        """The share of the bits that is kept; 1 where there were none."""
        return self.entropy_after / self.entropy_before if self.entropy_before else 1.0

    def to_mapping(self) -> dict[str, float]:
        """Return it as plain values, ready for JSON."""
        return {**asdict(self), "entropy_kept": self.entropy_kept}


def column_utility(column: RecodedColumn) -> ColumnUtility:
    """Measure one column.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from shoal.utility.recoded_column import recode_column
    >>> ages = pa.array([21, 21, 25, 34]).dictionary_encode()
    >>> found = recode_column("age", ages, pa.array(["[20, 30)"] * 3 + ["34"]).dictionary_encode())
    >>> utility = column_utility(found)
    >>> utility.loss, utility.entropy_before, round(utility.entropy_after, 3)
    (0.375, 1.5, 0.811)
    >>> round(utility.total_variation, 3)
    0.125
    """
    rows = len(column.before)
    removed = rows - len(column.after)
    before = column.counts / rows
    bits = _bits(column.counts, column.counts.astype(np.float64), rows)
    loss = (float((column.rows * column.breadth).sum()) + removed) / rows
    if column.average is not None:
        bits_after = min(bits, _bits_of_labels(column))
        if loss:
            told = bits - _unknown_bits(column, loss) if column.average == "mode" else log2(1 / loss) / 2
            bits_after = min(bits_after, max(told, 0.0))
    else:
        bits_after = _bits(column.rows, column.cover.sums(column.counts), rows)
    return ColumnUtility(
        loss=loss,
        entropy_before=bits,
        entropy_after=bits_after,
        distinct_before=int((column.counts > 0).sum()),
        distinct_after=int((column.rows > 0).sum()),
        total_variation=float(np.abs(before - column.estimate()).sum() / 2),
    )


def _unknown_bits(column: RecodedColumn, error: float) -> float:
    """Return the most that is not known of a value beside a guess that errs so often: Fano's inequality."""
    error = min(error, 1.0)
    others = max(int((column.counts > 0).sum()) - 1, 1)
    either = sum(-share * log2(share) for share in (error, 1 - error) if share)
    return either + error * log2(others)


def _bits_of_labels(column: RecodedColumn) -> float:
    """Return what it takes to tell the labels apart, but for `*`, per row of the original."""
    rows = np.delete(column.rows, column.star) if column.star >= 0 else column.rows
    return _bits(rows, rows.astype(np.float64), int(rows.sum())) * int(rows.sum()) / len(column.before)


def _bits(cells: IntArray, under: FloatArray, rows: int) -> float:
    """Return the sum over cells of log2(rows / rows under what they show), per row of the original."""
    pairs = zip(cells.tolist(), under.tolist(), strict=True)
    return fsum(count * log2(rows / n) for count, n in pairs if count) / max(rows, 1)
