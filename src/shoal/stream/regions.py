"""Which rows of a buffer can be released: those of the largest regions that satisfy all models.

Regions are cut by quasi-identifiers alone, in the middle, and never into fewer rows than any class needs. So
whoever is left out is among that many others, all of whom are left out, whatever their values are. To leave
out single rows would help more, and tell that these have the values that fit nowhere.

All the same a cut says something: the region satisfies without the rows that are left out, and not with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.encode.column import IntArray
from shoal.encode.table import CodedTable
from shoal.privacy.classes import Classes
from shoal.privacy.model import PrivacyModel
from shoal.privacy.passing_classes import holding

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Regions:
    """What becomes of each row.

    Attributes
    ----------
    holding
        Rows in regions that satisfy all models.
    too_few
        Rows in regions that have too few, whatever their values are.
    """

    holding: BoolArray
    too_few: BoolArray

    @property
    def at_fault(self) -> BoolArray:
        """Rows in regions that have enough, and whose values do not satisfy."""
        return ~self.holding & ~self.too_few


def find_regions(
    table: CodedTable,
    models: Sequence[PrivacyModel],
    least: int,
    strange: BoolArray | None = None,
    *,
    whole: bool = False,
) -> Regions:
    """Divide the rows of a table into regions, until all that fail cannot be cut any more.

    Parameters
    ----------
    least
        The rows that a region needs.
    strange
        Rows for which no model holds, whatever else is in their region.
    whole
        Cut nothing: a region satisfies, or none of its rows is released.

    Examples
    --------
    >>> from shoal.privacy.alpha_k import AlphaK
    >>> from shoal.privacy.grouped import group
    >>> diseases = ["HIV", "HIV", "HIV", "HIV", "flu", "cold", "gout", "ulcer"]
    >>> table = group([31, 32, 33, 34, 41, 42, 43, 44], disease=diseases).table
    >>> find_regions(table, [AlphaK("disease", 0.4, 3)], 3).holding.astype(int).tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    """
    kept, too_few = np.zeros(table.rows, dtype=bool), np.zeros(table.rows, dtype=bool)
    waiting = _widest(table)
    while waiting:
        rows = np.concatenate(waiting)
        of_rows = np.repeat(np.arange(len(waiting)), list(map(len, waiting)))
        passing = holding(models, Classes(table, of_rows, len(waiting), rows=rows))
        if strange is not None:
            passing &= np.bincount(of_rows[strange[rows]], minlength=len(waiting)) == 0
        failing = [region for region, passes in zip(waiting, passing, strict=True) if not passes]
        kept[rows[passing[of_rows]]] = True
        waiting = []
        for region in failing:
            if len(region) < least:
                too_few[region] = True
            elif not whole:
                waiting += _halves(table, region, least)
    return Regions(kept, too_few)


def _widest(table: CodedTable) -> list[IntArray]:
    """Return the rows of each of the widest classes: one, unless a column may not get a single label."""
    of_rows = np.zeros(table.rows, dtype=np.int64)
    for column in table.columns:
        labels = column.maps[column.max_level][column.codes]
        _, of_rows = np.unique(of_rows * len(column.counts) + labels, return_inverse=True)
    order = np.argsort(of_rows, kind="stable").astype(np.int64)
    return [part for part in np.split(order, np.flatnonzero(np.diff(of_rows[order])) + 1) if len(part)]


def _halves(table: CodedTable, region: IntArray, least: int) -> list[IntArray]:
    """Cut a region between two values of the column that spans most, as near its middle as it can be."""
    best: tuple[float, BoolArray] | None = None
    for column in table.columns:
        codes = column.codes[region]
        ends, counts = np.unique(codes, return_counts=True)
        below = np.cumsum(counts)[:-1]
        allowed = np.flatnonzero((below >= least) & (len(region) - below >= least))
        if not len(allowed):
            continue
        cut = allowed[np.argmin(np.abs(2 * below[allowed] - len(region)))]
        span = (int(ends[-1]) - int(ends[0])) / max(len(column.counts) - 1, 1)
        if best is None or span > best[0]:
            best = span, codes <= ends[cut]
    return [] if best is None else [region[best[1]], region[~best[1]]]
