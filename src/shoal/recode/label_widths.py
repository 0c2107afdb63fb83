"""How much the labels of a release cover, and how many rows have them, whatever the recoding."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.describe.hierarchy import ANYTHING, as_text
from shoal.encode.cells import Cells
from shoal.encode.column import CodedColumn, IntArray
from shoal.encode.table import CodedTable
from shoal.recode.released_levels import in_order

_EDGES = (1, 2, 6, 21, 101, 1_001, 10_001, 100_001, 1_000_001, 1 << 62)
_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Width:
    """The released rows whose labels cover `least` to `most` values.

    Attributes
    ----------
    unchanged
        Whether these labels are original values.
    everything
        Whether they cover all values of the hierarchy.
    """

    least: int
    most: int
    rows: int
    unchanged: bool = False
    everything: bool = False


@dataclass(frozen=True, slots=True)
class LabelWidths:
    """The labels of one quasi-identifier in the released rows.

    Attributes
    ----------
    rows
        How many rows are released.
    widths
        The rows by how much their labels cover, from unchanged to everything. No row is in two.
    labels
        How many labels the release has.
    frequent
        The most frequent of them, and how many rows have each.
    """

    column: str
    rows: int
    widths: tuple[Width, ...]
    labels: int
    frequent: tuple[tuple[str, int], ...]


def label_widths(
    coded: CodedTable, cells: Sequence[Cells], lost: Sequence[IntArray], *, starred: int = 0
) -> tuple[LabelWidths, ...]:
    """Return for each quasi-identifier how much its released labels cover.

    Parameters
    ----------
    lost
        ``lost[column][label]`` counts the suppressed rows that have this label.
    starred
        How many suppressed rows are released, with `*` in every column.

    Examples
    --------
    >>> from shoal.describe import intervals
    >>> from shoal.encode.cells import cells_at
    >>> from shoal.encode.column import code_column
    >>> ages = code_column("age", pa.array([21, 24, 38, 39, 52]).dictionary_encode(), intervals(10, 20))
    >>> table = CodedTable((ages,), 5)
    >>> (found,) = label_widths(table, cells_at(table, [1]), [np.array([0, 0, 1])])
    >>> [(width.least, width.most, width.rows) for width in found.widths if width.rows], found.frequent
    ([(2, 4, 4)], (('[20, 30)', 2), ('[30, 40)', 2)))
    """
    return tuple(
        _of_column(column, of_column, of_column.label_counts(coded) - missing, starred)
        for column, of_column, missing in zip(coded.columns, cells, lost, strict=True)
    )


def _of_column(column: CodedColumn, cells: Cells, rows: IntArray, starred: int) -> LabelWidths:
    texts = as_text(cells.labels)
    stars = pc.equal(texts, ANYTHING).fill_null(False).to_numpy(zero_copy_only=False)
    leaves, unchanged = cells.charged_leaves, cells.unchanged(column)
    everything = ~unchanged & (stars | (leaves == column.total_leaves))
    between = ~unchanged & ~everything
    there = np.flatnonzero(rows)
    by_label: Counter[str] = Counter()
    for label, count in zip(texts.take(pa.array(there)).to_pylist(), rows[there].tolist(), strict=True):
        by_label["NULL" if label is None else label] += count
    if starred:
        by_label[ANYTHING] += starred
    frequent = nsmallest(_SHOWN, by_label.items(), key=lambda each: (-each[1], *in_order(each[0])))
    widths = (
        Width(1, 1, int(rows[unchanged].sum()), unchanged=True),
        *_between(leaves[between], rows[between], column.total_leaves - 1),
        Width(
            column.total_leaves, column.total_leaves, int(rows[everything].sum()) + starred, everything=True
        ),
    )
    return LabelWidths(column.name, sum(by_label.values()), widths, len(by_label), tuple(frequent))


def _between(leaves: NDArray[np.int64] | NDArray[np.float64], rows: IntArray, most: int) -> Iterator[Width]:
    """Yield the widths of labels that cover several values and not all; the first only if it has rows."""
    found = np.zeros(len(_EDGES) - 1, dtype=np.int64)
    np.add.at(found, [bisect_right(_EDGES, covered) - 1 for covered in leaves.tolist()], rows)
    for (least, following), count in zip(pairwise(_EDGES), found.tolist(), strict=True):
        if count or 1 < least <= most:
            yield Width(least, min(following - 1, most), count)
