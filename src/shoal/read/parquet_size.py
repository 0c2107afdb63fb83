"""How much memory the columns of a Parquet file take, before they are read.

A value that repeats takes next to no place in such a file: a few kilobytes may hold a billion rows, or a text
of a megabyte in each of a thousand rows. What the file says of its size does not count these.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import InputError
from shoal.read.sql import file_text, quoted, reading_parquet

_LARGE_BYTES = 1 << 30
_MOST_PACKED = 200
"""As in `shoal.read.delimited`: tables of people are packed to a tenth or a fiftieth."""


def check_size(path: Path, file: Any, name: str) -> None:
    """Refuse a column that is large in memory and takes next to no place in the file.

    Parameters
    ----------
    file
        The open file, Arrow's `ParquetFile`.
    name
        The column.

    Raises
    ------
    InputError
        It is too large.
    """
    packed = path.stat().st_size
    allowed = max(_LARGE_BYTES, _MOST_PACKED * packed)
    if (size := _least_size(path, file, name, allowed)) > allowed:
        raise InputError(
            f"Column {name!r} of file {path.name!r} unpacks to more than {_MOST_PACKED} times the file's "
            "size.\n"
            f"Found: {packed / 1e6:,.1f} MB, and {size / 1e6:,.0f} MB unpacked.\n"
            "If it is what you expect, let DuckDB read it: --engine duckdb (in Python engine='duckdb')."
        )


def _least_size(path: Path, file: Any, name: str, allowed: int) -> int:
    """Return how many bytes a column takes in memory at least."""
    kind = file.schema_arrow.field(name).type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        try:
            return int(file.metadata.num_rows * kind.bit_width // 8)
        except ValueError:  # bytes, lists, structs
            return 0
    paths = [file.schema.column(place).path for place in range(len(file.schema))]
    place = paths.index(name)
    chunks = [file.metadata.row_group(group).column(place) for group in range(file.num_row_groups)]
    # No text is longer than what a part of the file takes before it is packed.
    longest = sum(chunk.num_values * chunk.total_uncompressed_size for chunk in chunks)
    return 0 if longest <= allowed else _length(path, name)


def _length(path: Path, name: str) -> int:
    """Return how long the texts of a column are together. DuckDB adds it up without a copy of each."""
    import duckdb

    with duckdb.connect() as connection:
        query = f"SELECT sum(strlen({quoted(name)})) FROM {reading_parquet(file_text(path))}"
        try:
            found = connection.execute(query).fetchone()
        except duckdb.Error:  # of which Arrow says what it is
            return 0
    return 0 if found is None else int(found[0] or 0)
