"""Full-domain recoding: one level per column, for the whole table.

What leaves this file holds nothing of a suppressed row but, where it is starred, its other columns: labels
that only suppressed rows had are not in the dictionaries either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal import _kernel
from shoal.describe.hierarchy import ANYTHING, as_text
from shoal.describe.spec import SuppressedRows
from shoal.encode.column import CodedColumn
from shoal.encode.table import CodedTable
from shoal.privacy.classes import Classes
from shoal.privacy.judge import passing
from shoal.privacy.model import PrivacyModel

IntArray = NDArray[np.int64]
Numbers = NDArray[np.uint32]
"""A label's number per row."""


@dataclass(frozen=True, slots=True)
class Recoded:
    """The released rows, and what became of the classes.

    Attributes
    ----------
    rows
        For each released row which row of the input it is. Nothing that is released may tell.
    class_sizes
        For each size that occurs, the number of kept classes of that many rows.
    lost
        For each quasi-identifier, how many suppressed rows had each label of its level.
    """

    table: pa.Table
    rows: IntArray
    suppressed_rows: int
    class_sizes: dict[int, int]
    lost: tuple[IntArray, ...]


def recode(
    coded: CodedTable,
    others: pa.Table,
    levels: Sequence[int],
    models: Sequence[PrivacyModel],
    *,
    columns: Sequence[str],
    suppressed: SuppressedRows = "remove",
    random: np.random.Generator | None = None,
) -> Recoded:
    """Generalize the quasi-identifiers, suppress the classes that fail, and shuffle the rows.

    Parameters
    ----------
    coded
        The quasi-identifiers, and what the models look at beside them.
    others
        The columns that are released as they are.
    levels
        The level of each quasi-identifier, in the order of `coded`.
    models
        A class is kept when all of them hold.
    columns
        Names of all released columns, in the order of the release.
    suppressed
        Remove the rows of failing classes, or put `*` into all their quasi-identifiers.
    random
        Shuffles the rows; without it they stay in order.

    Returns
    -------
    Recoded
        Quasi-identifiers that are text, as all are above level 0 and where rows are starred, come as
        dictionary arrays. The others keep their type.
    """
    chosen = list(zip(coded.columns, levels, strict=True))
    numbers = [_numbers(column, level, column.codes) for column, level in chosen]
    classes = _classes(coded, chosen, numbers)
    kept = passing(models, classes)
    keep = kept[classes.of_rows]

    rows = np.arange(coded.rows) if suppressed == "star" else np.flatnonzero(keep)
    if random is not None:
        random.shuffle(rows)
    starred = ~keep[rows] if suppressed == "star" else None
    recoded = {
        column.name: _labels(column, level, number[rows], starred)
        for (column, level), number in zip(chosen, numbers, strict=True)
    }
    passed = others.take(pa.array(rows))
    released = [recoded[name] if name in recoded else passed.column(name) for name in columns]
    found, counts = np.unique(classes.sizes[kept & (classes.sizes > 0)], return_counts=True)
    return Recoded(
        table=pa.table(released, names=list(columns)),
        rows=rows,
        suppressed_rows=coded.rows - int(np.count_nonzero(keep)),
        class_sizes=dict(zip(found.tolist(), counts.tolist(), strict=True)),
        lost=tuple(
            np.bincount(number[~keep], minlength=len(column.labels[level]))
            for (column, level), number in zip(chosen, numbers, strict=True)
        ),
    )


def _numbers(column: CodedColumn, level: int, codes: Numbers) -> Numbers:
    return codes if level == 0 else column.maps[level][codes]


def _classes(coded: CodedTable, chosen: Sequence[tuple[CodedColumn, int]], numbers: list[Numbers]) -> Classes:
    """Group the rows of the table, and of its populations, that have the same labels."""
    if coded.populations:
        numbers = [
            np.concatenate(
                [number, *(_numbers(column, level, other.codes[i]) for other in coded.populations.values())]
            )
            for i, ((column, level), number) in enumerate(zip(chosen, numbers, strict=True))
        ]
    class_of, sizes = _kernel.index_rows(numbers, [len(column.labels[level]) for column, level in chosen])
    of_population, start = {}, coded.rows
    for key, other in coded.populations.items():
        of_population[key] = class_of[start : start + other.rows]
        start += other.rows
    classes = Classes(coded, class_of[: coded.rows], len(sizes), of_population)
    if not coded.populations:
        classes.sizes = sizes.astype(np.int64)  # known already, so that the rows need not be counted again
    return classes


def _labels(column: CodedColumn, level: int, numbers: Numbers, starred: NDArray[np.bool_] | None) -> pa.Array:
    labels = column.labels[level]
    if starred is not None:
        labels = as_text(labels)
        star = pc.index(labels, ANYTHING).as_py()
        if star < 0:
            star, labels = len(labels), pa.concat_arrays([labels, pa.array([ANYTHING])])
        numbers = np.where(starred, np.uint32(star), numbers)
    elif not pa.types.is_string(labels.type):
        return labels.take(pa.array(numbers))
    return _dictionary(labels, numbers)


def _dictionary(labels: pa.Array, numbers: Numbers) -> pa.DictionaryArray:
    """Return the labels of all rows as a dictionary array of those that occur; NULL is a null index.

    The dictionary is sorted: its own order is that of the input's rows, which a release must not tell.
    """
    used = np.bincount(numbers, minlength=len(labels)) > 0
    used &= labels.is_valid().to_numpy(zero_copy_only=False)
    occurring = np.flatnonzero(used)
    order = occurring[pc.array_sort_indices(labels.take(pa.array(occurring))).to_numpy()]
    places = np.full(len(labels), -1, dtype=np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    indices = places[numbers]
    return pa.DictionaryArray.from_arrays(pa.array(indices, mask=indices < 0), labels.take(pa.array(order)))
