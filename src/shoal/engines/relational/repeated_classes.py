"""A release of quasi-identifiers alone: its classes are all there is to tell, each as often as it has rows.

No row of the input is read again, and nothing is left to shuffle but the classes.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.describe.hierarchy import ANYTHING
from shoal.engines.relational.database import Database
from shoal.recode.released_classes import Verdict
from shoal.recode.row_order import new_key, random_order

_COPIES = {
    "duckdb": "unnest(range(n))",
    "postgres": "generate_series(1, n)",
    "pyspark": "explode(sequence(1L, n))",
}
"""What gives a row n times, in the words of each dialect."""

_MOST_COPIES = 10_000
"""Of one row at a time, as some databases list them all before they go on."""

_ROWS_OF_A_CLASS = 8
"""Where a class has fewer on average, it costs less to join the rows with their labels."""


def worthwhile(verdict: Verdict) -> bool:
    """Return whether classes are few beside rows."""
    return int(verdict.kept.sum()) * _ROWS_OF_A_CLASS <= verdict.coded.rows


def repeated(
    database: Database, verdict: Verdict, columns: list[str], *, star: bool, typed: Collection[str] = ()
) -> str:
    """Return a query that gives the rows of all released classes, its columns called r0, r1, ...

    Parameters
    ----------
    columns
        The names of the released columns, all of them quasi-identifiers.
    star
        Whether suppressed rows are released too, with a star for every label.
    typed
        Columns whose type was found out from their values.
    """
    numbers, sizes = verdict.released_classes()
    class_of, copies = pieces(np.append(sizes, verdict.suppressed_rows if star else 0))
    order = random_order(len(copies), new_key())
    table: dict[str, pa.Array] = {"n": pa.array(copies[order])}
    chosen = zip(verdict.coded.columns, verdict.cells, numbers, strict=True)
    for position, (column, cells, number) in enumerate(chosen):
        labels = cells.labels
        if star:
            # The last class is that of the suppressed rows.
            texts = verdict.label_texts(position, typed=column.name in typed)
            labels = pa.concat_arrays([texts, pa.array([ANYTHING], pa.string())])
        label_of = np.append(number, len(labels) - 1)[class_of[order]]
        values = labels.take(pa.array(label_of))
        text = pa.types.is_string(values.type)
        table[f"r{columns.index(column.name)}"] = values.dictionary_encode() if text else values
    name = database.put(pa.table(table), "classes")
    released = ", ".join(f"r{position}" for position in range(len(columns)))
    return f"SELECT {released} FROM (SELECT *, {_COPIES[database.dialect]} AS copy FROM {name}) AS copies"


def pieces(sizes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Divide classes into pieces that are not too large: the class of each piece, and its rows.

    Examples
    --------
    >>> class_of, rows = pieces(np.array([3, 25_000, 0, 10_000]))
    >>> class_of.tolist(), rows.tolist()
    ([0, 1, 1, 1, 3], [3, 10000, 10000, 5000, 10000])
    """
    count = -(-sizes // _MOST_COPIES)
    class_of = np.repeat(np.arange(len(sizes)), count)
    before = np.arange(len(class_of)) - np.repeat(np.cumsum(count) - count, count)
    return class_of, np.minimum(sizes[class_of] - before * _MOST_COPIES, _MOST_COPIES)
