"""The rows of a table, recoded: labels for values, and the classes that fail suppressed.

What leaves this file holds nothing of a suppressed row but, where it is starred, its other columns: labels
that only suppressed rows had are not in the dictionaries either.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.describe.hierarchy import ANYTHING
from shoal.read.types import narrowest
from shoal.recode.released_classes import Numbers, Verdict
from shoal.recode.row_order import random_order
from shoal.spec.spec import SuppressedRows

IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Recoded:
    """The released rows.

    Attributes
    ----------
    rows
        For each released row which row of the input it is. Nothing that is released may tell.
    """

    table: pa.Table
    rows: IntArray


def recode(
    verdict: Verdict,
    others: pa.Table,
    *,
    columns: Sequence[str],
    suppressed: SuppressedRows = "remove",
    key: bytes | None = None,
    typed: Collection[str] = (),
) -> Recoded:
    """Generalize the quasi-identifiers, suppress the classes that fail, and shuffle the rows.

    Parameters
    ----------
    verdict
        The cells of the table, whose entries are its rows, and which classes are kept.
    others
        The columns that are released as they are.
    columns
        Names of all released columns, in the order of the release.
    suppressed
        Remove the rows of failing classes, or put `*` into all their quasi-identifiers.
    key
        Shuffles the rows; without it they stay in order.
    typed
        Columns whose type was found out from their values: where rows are suppressed, they get the type that
        the released ones need, or its text.

    Returns
    -------
    Recoded
        Quasi-identifiers that are text, as all are that were generalized or starred, come as
        dictionary arrays. The others keep their type.
    """
    keep = verdict.entries_kept
    rows = np.arange(len(keep)) if suppressed == "star" else np.flatnonzero(keep)
    if key is not None:
        rows = rows[random_order(len(rows), key)]
    starred = ~keep[rows] if suppressed == "star" else None
    recoded = {
        column.name: _starred(
            verdict.label_texts(position, typed=column.name in typed), cells.numbers[rows], starred
        )
        if starred is not None
        else _labels(cells.labels, cells.numbers[rows])
        for position, (column, cells) in enumerate(zip(verdict.coded.columns, verdict.cells, strict=True))
    }
    passed = others.take(pa.array(rows))
    released = [recoded[name] if name in recoded else passed.column(name) for name in columns]
    if len(rows) < len(keep):
        released = [
            narrowest(column) if name in typed else column
            for name, column in zip(columns, released, strict=True)
        ]
    return Recoded(pa.table(released, names=list(columns)), rows)


def _labels(labels: pa.Array, numbers: Numbers) -> pa.Array:
    return _dictionary(labels, numbers) if pa.types.is_string(labels.type) else labels.take(pa.array(numbers))


def _starred(texts: pa.Array, numbers: Numbers, starred: NDArray[np.bool_]) -> pa.DictionaryArray:
    star = pc.index(texts, ANYTHING).as_py()
    if star < 0:
        star, texts = len(texts), pa.concat_arrays([texts, pa.array([ANYTHING])])
    return _dictionary(texts, np.where(starred, np.uint32(star), numbers))


def _dictionary(labels: pa.Array, numbers: Numbers) -> pa.DictionaryArray:
    """Return the labels of all rows as a dictionary array of those that occur; NULL is a null index.

    The dictionary is sorted: its own order is that of the input's rows, which a release must not tell.
    """
    used = np.bincount(numbers, minlength=len(labels)) > 0
    used &= labels.is_valid().to_numpy(zero_copy_only=False)
    occurring = np.flatnonzero(used)
    order = occurring[pc.array_sort_indices(labels.take(pa.array(occurring))).to_numpy()]
    positions = np.full(len(labels), -1, dtype=np.int32)
    positions[order] = np.arange(len(order), dtype=np.int32)
    indices = positions[numbers]
    return pa.DictionaryArray.from_arrays(pa.array(indices, mask=indices < 0), labels.take(pa.array(order)))
