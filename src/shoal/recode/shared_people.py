"""People of a population whom the labels of several classes cover."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal import _kernel
from shoal.describe.covered_people import covered_people
from shoal.describe.hierarchy import ANYTHING
from shoal.describe.label_cover import Cover, cover_of
from shoal.encode.cells import Cells
from shoal.encode.column import CodedColumn, IntArray
from shoal.encode.readable_values import values_and_levels
from shoal.privacy.classes import Classes
from shoal.read.spelling import in_one_spelling


def shared_classes(classes: Classes, cells: Sequence[Cells], key: str, *, starred: bool) -> NDArray[np.bool_]:
    """For each class with rows, whether its labels cover somebody of a population who is in another class.

    Labels are read as recipients read them. What cannot be read covers everybody.

    Parameters
    ----------
    starred
        Whether suppressed rows are released with `*` for every label. That class is for whoever is in no
        other, so it shares nobody.
    """
    table, of_population = classes.table, classes.of_population[key]
    there = np.flatnonzero(classes.sizes > 0)
    entry = np.zeros(classes.count, dtype=np.int64)
    entry[classes.of_rows] = np.arange(len(classes.of_rows))
    numbers = [of_column.numbers[entry[there]].astype(np.int64) for of_column in cells]
    if starred:
        stars = [
            pc.equal(_texts(column, each), ANYTHING).fill_null(False).to_numpy(zero_copy_only=False)
            for column, each in zip(table.columns, cells, strict=True)
        ]
        alike = np.all([are[of] for are, of in zip(stars, numbers, strict=True)], axis=0)
        there, numbers = there[~alike], [of[~alike] for of in numbers]
    codes = table.populations[key].codes
    tuples = _kernel.index_rows(list(codes), [len(column.counts) for column in table.columns])
    one = np.zeros(len(tuples), dtype=np.int64)
    one[tuples.tuple_of_row] = np.arange(len(of_population))
    covers = [_cover(column, of_column) for column, of_column in zip(table.columns, cells, strict=True)]
    values = [of_column[one].astype(np.int64) for of_column in codes]
    shared = np.zeros(classes.count, dtype=bool)
    for people, of in covered_people(values, covers, numbers):
        shared[there[of[there[of] != of_population[one[people]]]]] = True
    return shared


def _texts(column: CodedColumn, cells: Cells) -> pa.Array:
    return in_one_spelling(cells.labels, column.labels[0].type)


def _cover(column: CodedColumn, cells: Cells) -> Cover:
    """Return which codes each label covers."""
    order, domain, levels = values_and_levels(column)
    found = cover_of(_texts(column, cells), domain, levels)
    codes: IntArray = order[found.positions]
    return Cover.of(found.owners, codes, len(cells.labels), found.unknown)
