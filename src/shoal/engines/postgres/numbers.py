"""Whole numbers from a server: a few long rows of bytes, which is quick, for millions of short rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

IntArray = NDArray[np.int64]

_PARTS = 64
"""Into which a result is divided, as no value of PostgreSQL has more than 1 GB."""


def fetch_numbers(
    connection: psycopg.Connection[tuple[Any, ...]], queries: Sequence[str], columns: int
) -> list[IntArray] | None:
    """Return the columns of what queries give, one after the other; None if there is NULL.

    Parameters
    ----------
    queries
        All their columns are bigint. Of several, each is run by a process of its own, if the server has some
        to spare, and must give few enough rows for one value.
    columns
        How many they have.
    """
    inner = ", ".join(f"x{position}" for position in range(columns))
    bytes_of = ", ".join(f"string_agg(int8send(x{position}), '')" for position in range(columns))
    divided = f" GROUP BY x0 & {_PARTS - 1}" if len(queries) == 1 else ""
    selects = [f"SELECT {bytes_of}, count(*) FROM ({sql}\n) AS q ({inner}){divided}" for sql in queries]
    found = connection.execute(" UNION ALL ".join(selects), binary=True).fetchall()
    numbers = []
    for position in range(columns):
        parts = [np.frombuffer(row[position] or b"", dtype=">i8") for row in found]
        if any(len(part) != row[-1] for part, row in zip(parts, found, strict=True)):
            return None
        numbers.append(np.concatenate([np.zeros(0, ">i8"), *parts]).astype(np.int64))
    return numbers
