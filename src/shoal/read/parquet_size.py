"""The memory that the columns of a Parquet file need, before they are read.

A repeating value takes almost no space in such a file: a few kilobytes may contain a billion rows, or a text
of a megabyte in each of a thousand rows. The sizes in the file's metadata do not count these.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import InputError
from shoal.read.sql import file_text, quoted, reading_parquet

_LARGE_BYTES = 1 << 30
_BYTES_PER_VALUE = 8
_DIFFERENCES = {"DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"}
_PAGES_OF_ROWS = (b"\x15\x00", b"\x15\x06")
"""How the header of a page of rows begins in Thrift's compact protocol, of version 1 and of version 2."""
_MOST_PACKED = 200
"""As in `shoal.read.delimited`: tables of people are packed to a tenth or a fiftieth."""


def check_size(path: Path, file: Any, name: str) -> None:
    """Refuse a column that is large in memory and takes almost no space in the file.

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
            "If you expect that, use DuckDB: --engine duckdb (in Python engine='duckdb')."
        )


def check_groups(path: Path) -> None:
    """Refuse a file with a part that is large in memory, by its number of values, and tiny in the file.

    It is for reading a file part by part, with repeating texts read once.

    Raises
    ------
    InputError
        A part is too large.
    """
    from pyarrow import parquet

    about, packed = parquet.read_metadata(path), path.stat().st_size
    groups = [about.row_group(group) for group in range(about.num_row_groups)]
    values = (group.column(index).num_values for group in groups for index in range(about.num_columns))
    size = max(values, default=0) * _BYTES_PER_VALUE
    if size > max(_LARGE_BYTES, _MOST_PACKED * packed):
        raise InputError(
            f"File {path.name!r} unpacks to more than {_MOST_PACKED} times its size.\n"
            f"Found: {packed / 1e6:,.1f} MB, and {size / 1e6:,.0f} MB for a column of one row group.\n"
            "Ask for it with smaller row groups."
        )


def without_dictionaries(path: Path) -> set[int]:
    """Return the positions of columns whose texts are differences, without a dictionary.

    Arrow does not read these as dictionaries. Those inside lists and structs do not count: nobody says how
    long their texts are before they are read.
    """
    from pyarrow import parquet

    about = parquet.read_metadata(path)
    groups = [about.row_group(group) for group in range(about.num_row_groups)]
    found = set()
    with path.open("rb") as file:
        for position in range(about.num_columns):
            chunks = [group.column(position) for group in groups]
            used = {encoding for chunk in chunks for encoding in chunk.encodings}
            nested = "." in about.schema.column(position).path
            plain = not nested and bool(used & _DIFFERENCES)
            if plain and all(_begins_with_rows(file, chunk) for chunk in chunks):
                found.add(position)
    return found


def _begins_with_rows(file: BinaryIO, chunk: Any) -> bool:
    """Return whether a column begins with a page of rows, whatever the footer says of a dictionary."""
    file.seek(chunk.data_page_offset)
    return not chunk.has_dictionary_page and file.read(2) in _PAGES_OF_ROWS


def check_texts(path: Path) -> None:
    """Refuse a file with texts `without_dictionaries` that are large in memory and tiny in the file.

    Raises
    ------
    InputError
        Some column is too large.
    """
    import duckdb
    from pyarrow import parquet

    about, packed = parquet.read_metadata(path).schema, path.stat().st_size
    allowed = max(_LARGE_BYTES, _MOST_PACKED * packed)
    for name in (about.column(position).path for position in without_dictionaries(path)):
        # DuckDB reads some thousand values at a time, and fails where these are too large.
        with duckdb.connect(config={"threads": 1, "memory_limit": "1GiB"}) as connection:
            query = f"SELECT sum(octet_length({quoted(name)}::BLOB)) FROM {reading_parquet(file_text(path))}"
            try:
                (size,) = connection.execute(query).fetchone() or (0,)
            except duckdb.Error:
                size = allowed + 1
        if (size or 0) > allowed:
            raise InputError(
                f"Column {name!r} of file {path.name!r} unpacks to more than {_MOST_PACKED} times the file's "
                f"size.\nFound: {packed / 1e6:,.1f} MB, and {allowed / 1e6:,.0f} MB or more unpacked.\n"
                "Ask for it with dictionaries, as most programs write texts."
            )


def _least_size(path: Path, file: Any, name: str, allowed: int) -> int:
    """Return how many bytes a column takes in memory at least."""
    kind = file.schema_arrow.field(name).type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    try:
        return int(file.metadata.num_rows * kind.bit_width // 8)
    except ValueError:  # texts, bytes, lists, structs
        pass
    paths = [file.schema.column(index).path for index in range(len(file.schema))]
    own = [index for index, inner in enumerate(paths) if inner == name or inner.startswith(f"{name}.")]
    nested, size = pa.types.is_nested(kind), 0
    for index in own:
        chunks = [file.metadata.row_group(group).column(index) for group in range(file.num_row_groups)]
        if nested:
            size += sum(chunk.num_values for chunk in chunks) * _BYTES_PER_VALUE // 2
        # No text is longer than what a part of the file takes before it is packed.
        longest = sum(chunk.num_values * chunk.total_uncompressed_size for chunk in chunks)
        if file.schema.column(index).physical_type == "BYTE_ARRAY" and size <= allowed < longest:
            size += _inner_length(path, index) if nested else _length(path, name)
    return size


def _inner_length(path: Path, index: int) -> int:
    """Return how long the texts or bytes inside lists and structs are together, each read once."""
    from pyarrow import parquet

    name = parquet.read_metadata(path).schema.column(index).path
    size = 0
    with parquet.ParquetFile(path, read_dictionary=[name]) as file:
        for group in range(file.num_row_groups):
            column = inner_values(file.reader.read_row_group(group, column_indices=[index]).column(0))
            for chunk in column.chunks if pa.types.is_dictionary(column.type) else ():
                size += pc.sum(pc.binary_length(chunk.dictionary).take(chunk.indices)).as_py() or 0
    return size


def inner_values(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the values inside lists and structs, which have one field where one column is read."""
    while pa.types.is_nested(column.type):
        inside = pa.types.is_struct(column.type)
        column = pc.struct_field(column, [0]) if inside else pc.list_flatten(column)
    return column


def _length(path: Path, name: str) -> int:
    """Return how long the texts or bytes of a column are together. DuckDB adds it up without copies."""
    import duckdb

    with duckdb.connect() as connection:
        source = reading_parquet(file_text(path))
        try:
            (kind,) = connection.sql(f"SELECT {quoted(name)} FROM {source}").types
            length = "octet_length" if kind == "BLOB" else "strlen"
            query = f"SELECT sum({length}({quoted(name)})) FROM {source}"
            found = connection.execute(query).fetchone()
        except duckdb.Error:  # of which Arrow says what it is
            return 0
    return 0 if found is None else int(found[0] or 0)
