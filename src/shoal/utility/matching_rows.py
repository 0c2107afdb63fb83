"""Whether a release was made of an original, row by row, without row numbers.

Where every value has one label, each row of the original becomes one tuple of labels, beside the columns that
are released unchanged. The release has no tuple more often than that. What it lacks was suppressed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.describe.label_cover import BoolArray, IntArray
from shoal.errors import InputError, Problem
from shoal.utility.recoded_column import RecodedColumn

_WIDEST = 2**62


@dataclass(frozen=True, slots=True)
class Belonging:
    """What became of the rows of an original.

    Attributes
    ----------
    kept
        For each row of the original whether the release has its class; None where values have several labels,
        so that nobody can tell.
    starred_rows
        Suppressed rows that are in the release with `*` in every quasi-identifier.
    suppressed_rows
        All suppressed rows, removed or starred.
    """

    kept: BoolArray | None
    starred_rows: int
    suppressed_rows: int


def require_belonging(
    quasi_identifiers: Sequence[RecodedColumn], others: Sequence[RecodedColumn], rows: int, released: int
) -> Belonging:
    """Return which rows of the original the release has, or raise if it was made of other rows.

    Parameters
    ----------
    rows, released
        Rows of the original and of the release.

    Raises
    ------
    InputError
        The release has rows that no row of the original can have become.
    """
    found = [f"the release has {released:,} rows, the original {rows:,}"] if released > rows else []
    found += [
        f"{count:,} of {released:,} rows by column {column.name!r} alone"
        for column in (*quasi_identifiers, *others)
        if (count := column.excess)
    ]
    if found:
        raise InputError(_other_rows("; ".join(found)))
    starred = _all_starred(quasi_identifiers, released)
    if any(column.label_of is None for column in quasi_identifiers) or _torn(quasi_identifiers, starred):
        count = int(starred.sum())
        return Belonging(None, count, rows - released + count)
    return _by_rows(quasi_identifiers, others, rows, starred)


def _by_rows(
    quasi_identifiers: Sequence[RecodedColumn], others: Sequence[RecodedColumn], rows: int, starred: BoolArray
) -> Belonging:
    classes = _joined(quasi_identifiers)
    tuples = _joined(others, classes)
    before, after = tuples[:rows], tuples[rows:][~starred]
    size = int(tuples.max(initial=-1)) + 1
    excess = np.bincount(after, minlength=size) - np.bincount(before, minlength=size)
    if count := int(np.maximum(excess, 0).sum()):
        raise InputError(_other_rows(f"{count:,} of {len(starred):,} rows by all columns together"))
    has = np.bincount(classes[rows:][~starred], minlength=int(classes.max(initial=-1)) + 1) > 0
    # Where all quasi-identifiers are `*` by their level, a row of stars is a class like any other.
    generalized = np.ones(rows, dtype=np.bool_)
    for column in quasi_identifiers:
        generalized &= (_label(column) == column.star) & (column.star >= 0)
    stars = max(int(starred.sum()) - int(generalized.sum()), 0)
    kept: BoolArray = has[classes[:rows]] | (generalized & bool(starred.any()))
    return Belonging(kept, stars, rows - len(starred) + stars)


def _all_starred(columns: Sequence[RecodedColumn], released: int) -> BoolArray:
    """Return which rows of the release have `*` in every quasi-identifier."""
    starred = np.full(released, bool(columns), dtype=np.bool_)
    for column in columns:
        starred &= (column.after == column.star) & (column.star >= 0)
    return starred


def _torn(columns: Sequence[RecodedColumn], starred: BoolArray) -> bool:
    """Return whether single cells were suppressed, so that a row has stars beside labels."""
    for column in columns:
        assert column.label_of is not None
        alone = column.star >= 0 and not (column.label_of == column.star).any()
        if alone and ((column.after == column.star) & ~starred).any():
            return True
    return False


def _joined(columns: Sequence[RecodedColumn], start: IntArray | None = None) -> IntArray:
    """Number the tuples of labels of all rows, those of the original first, from 0 without gaps."""
    keys = start
    largest = 0 if keys is None else int(keys.max(initial=0))
    for column in columns:
        codes = np.concatenate([_label(column), column.after]) + 1
        width = len(column.labels) + 1
        if keys is None:
            keys, largest = codes, width
            continue
        if (largest + 1) * width >= _WIDEST:
            keys = np.unique(keys, return_inverse=True)[1]
            largest = int(keys.max(initial=0))
        keys = keys * width + codes
        largest = (largest + 1) * width
    if keys is None:
        return np.zeros(0, dtype=np.int64)
    numbers: IntArray = np.unique(keys, return_inverse=True)[1]
    return numbers


def _label(column: RecodedColumn) -> IntArray:
    """Return for each row of the original the label that its value has in the release."""
    assert column.label_of is not None, "values with several labels were set aside"
    labels: IntArray = column.label_of[column.before]
    return labels


def _other_rows(found: str) -> Problem:
    return Problem(
        "The release was not made of this original: it has rows that no row of it can have become.\n"
        f"Found: {found}.\n"
        "Give the table that the release was made of, and the spec with which it was made."
    )
