"""Where a release stands in each hierarchy and where suppressed rows were, told by released labels alone."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.encode.cells import Cells
from shoal.encode.table import CodedTable
from shoal.read.columns import values_shown

IntArray = NDArray[np.int64]
_SHOWN = 6
_BEGINS_WITH_A_NUMBER = re.compile(r"(?:\[|< |>= )?(-?[0-9]+(?:\.[0-9]+)?)")


@dataclass(frozen=True, slots=True)
class Ladder:
    """The levels of one hierarchy and the chosen one among them.

    Attributes
    ----------
    labels_per_level
        How many labels each level has that occur in the table, suppressed rows included.
    released
        How many labels of the chosen level released rows have.
    shown
        Some labels of the chosen level and of those above it, by level: those that released rows have. Of
        lower levels none is shown, since the release does not tell them.
    """

    column: str
    level: int
    labels_per_level: tuple[int, ...]
    released: int
    shown: dict[int, tuple[str, ...]]

    @property
    def height(self) -> int:
        return len(self.labels_per_level) - 1


@dataclass(frozen=True, slots=True)
class LabelLoss:
    """How many rows with a label were kept and how many suppressed; without a label, those of all others."""

    label: str | None
    kept: int
    suppressed: int


def ladders(coded: CodedTable, levels: Sequence[int], lost: Sequence[IntArray]) -> tuple[Ladder, ...]:
    """Return where each quasi-identifier stands in its hierarchy.

    Parameters
    ----------
    lost
        ``lost[column][label]`` counts the suppressed rows that have this label, at the column's level.
    """
    found = []
    for column, level, missing in zip(coded.columns, levels, lost, strict=True):
        released = np.flatnonzero(column.label_counts(level) > missing)
        shown = {}
        for above in range(level, column.height + 1):
            texts = _texts(column.labels[above], np.unique(column.step(level, above)[released]))
            shown[above] = tuple(nsmallest(_SHOWN, texts, key=in_order))
        found.append(Ladder(column.name, level, tuple(map(len, column.labels)), len(released), shown))
    return tuple(found)


def losses(
    coded: CodedTable, cells: Sequence[Cells], lost: Sequence[IntArray], least: int
) -> dict[str, tuple[LabelLoss, ...]]:
    """Return for each quasi-identifier which labels the suppressed rows had, the most frequent first.

    A suppressed row is one that stands out, so it must not be found out from this: labels that no released
    row has, and those of fewer suppressed rows than `least`, are only counted together, as the last. If
    these together are fewer than that too, the last of the others joins them.
    """
    return {
        name: tuple(_losses(of_column.labels, of_column.label_counts(coded), missing, least))
        for name, of_column, missing in zip(coded.names, cells, lost, strict=True)
    }


def _losses(labels: pa.Array, counts: IntArray, missing: IntArray, least: int) -> Iterator[LabelLoss]:
    kept = counts - missing
    positions = np.flatnonzero((kept > 0) & (missing >= least))
    # Their own order is that of the input's rows, which nothing must tell.
    orders = map(in_order, _texts(labels, positions))
    ranked = sorted(zip(-missing[positions], orders, positions.tolist(), strict=True))
    positions = np.array([position for _, _, position in ranked], dtype=np.intp)
    while len(positions) and 0 < missing.sum() - missing[positions].sum() < least:
        positions = positions[:-1]
    texts = _texts(labels, positions)
    for position, text in zip(positions.tolist(), texts, strict=True):
        yield LabelLoss(text, int(kept[position]), int(missing[position]))
    if rest := int(missing.sum() - missing[positions].sum()):
        yield LabelLoss(None, int(kept.sum() - kept[positions].sum()), rest)


def in_order(label: str) -> tuple[float, str]:
    """Return what labels are ordered by: those that begin with a number, or are an interval, by that.

    Examples
    --------
    >>> sorted(["other", "[100, 120)", ">= 120", "[20, 40)", "< 20", "1990s"], key=in_order)
    ['< 20', '[20, 40)', '[100, 120)', '>= 120', '1990s', 'other']
    """
    number = _BEGINS_WITH_A_NUMBER.match(label)
    return (float(number[1]) if number else math.inf, label)


def _texts(labels: pa.Array, positions: NDArray[np.integer[Any]]) -> tuple[str, ...]:
    shown: tuple[str | None, ...] = values_shown(labels.take(pa.array(positions)))
    return tuple("NULL" if text is None else text for text in shown)
