"""What the footer of a Parquet file says of its columns, compared with their rows and with itself, and bytes
that it omits.

Readers skip row groups by the least and greatest values in the footer, and never read bytes that it does not
point to. An original value can be in either.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.read.parquet_size import inner_values, without_dictionaries

_ARROW = "parquet-cpp-arrow version "
_DUCKDB = "DuckDB version "
_SPARK = "parquet-mr version "
_SHORTEST_CUT = 16  # Iceberg's; others keep 64 bytes, which are 16 characters or more
_AROUND = 12  # "PAR1" at the start and at the end, and the length of the footer


def wrong_statistics(path: Path) -> Sequence[str]:
    """Return the columns with statistics that their rows do not have, in some row group."""
    from pyarrow import parquet

    found: dict[str, None] = {}
    stored = parquet.read_metadata(path).schema
    leaves = [stored.column(position) for position in range(len(stored))]
    # Texts are read once each, since one that repeats takes next to no room in the file.
    plain = without_dictionaries(path)
    texts = [
        leaf.path
        for position, leaf in enumerate(leaves)
        if leaf.physical_type == "BYTE_ARRAY" and position not in plain
    ]
    with parquet.ParquetFile(path, read_dictionary=texts) as file:
        about = file.metadata
        for group in range(about.num_row_groups):
            for position in range(about.num_columns):
                chunk = about.row_group(group).column(position)
                if chunk.path_in_schema in found or not chunk.is_stats_set:
                    continue
                # by its position, as names with dots in them also mean fields inside a column
                column = file.reader.read_row_group(group, column_indices=[position]).column(0)
                if not _fit(chunk, column):
                    found[chunk.path_in_schema] = None
    return list(found)


def misplaced(about: Any) -> bool:
    """Return whether a footer says twice where a column or how many rows are, and not the same.

    Spark finds a column by the path beside its bytes, where DuckDB and Arrow go by its position; and some
    programs take the number of rows from the file, others from its row groups. Columns that share bytes leave
    others that nobody reads, whose size is accounted for.
    """
    groups = [about.row_group(group) for group in range(about.num_row_groups)]
    leaves = [about.schema.column(position) for position in range(about.num_columns)]
    chunks = [(group.column(position), leaf) for group in groups for position, leaf in enumerate(leaves)]
    starts = [chunk.dictionary_page_offset or chunk.data_page_offset for chunk, _ in chunks]
    ends = [start + chunk.total_compressed_size for start, (chunk, _) in zip(starts, chunks, strict=True)]
    return (
        about.num_rows != sum(group.num_rows for group in groups)
        or any(end > start for end, start in zip(sorted(ends), sorted(starts)[1:], strict=False))
        or any(
            chunk.path_in_schema != leaf.path
            or chunk.physical_type != leaf.physical_type
            or chunk.file_path
            or (start > chunk.data_page_offset and chunk.num_values)
            for start, (chunk, leaf) in zip(starts, chunks, strict=True)
        )
    )


def has_gaps(path: Path, *, written_by_shoal: bool) -> bool:
    """Return whether a file has bytes that belong to no column, filter or footer.

    Spark writes page indexes, whose lengths Arrow does not give, and other writers count differently. So this
    is always False for files of Spark; for those of other tools, unless DuckDB or Arrow wrote them without
    page indexes; and for those of DuckDB, if this version of Arrow does not see its Bloom filters.
    """
    from pyarrow import parquet

    about = parquet.read_metadata(path)
    groups = [about.row_group(group) for group in range(about.num_row_groups)]
    chunks = [group.column(position) for group in groups for position in range(about.num_columns)]
    writer = about.created_by or ""
    indexed = any(chunk.has_offset_index or chunk.has_column_index for chunk in chunks)
    if writer.startswith(_SPARK) or (
        not written_by_shoal and (indexed or not writer.startswith((_ARROW, _DUCKDB)))
    ):
        return False
    if writer.startswith(_DUCKDB) and not all(hasattr(chunk, "bloom_filter_length") for chunk in chunks):
        return False
    known = sum(
        chunk.total_compressed_size + (getattr(chunk, "bloom_filter_length", None) or 0) for chunk in chunks
    )
    return bool(path.stat().st_size != known + about.serialized_size + _AROUND)


def _fit(chunk: Any, column: pa.ChunkedArray) -> bool:
    """Return whether the statistics of a column in a row group are those of its rows."""
    nested, nulls, column = pa.types.is_nested(column.type), column.null_count, _leaf(column)
    try:
        stated = chunk.statistics
        if stated.has_null_count and not nested and stated.null_count != nulls:
            return False
        if stated.has_min_max and chunk.physical_type != "INT96" and not _has_ends(stated, column):
            return False  # INT96 has no defined order
        return bool(
            not stated.has_distinct_count or stated.distinct_count == pc.count_distinct(column).as_py()
        )
    except NotImplementedError:
        return True  # a type whose values Arrow does not compare, such as float16
    except (ValueError, OverflowError):
        return False  # no value of the column's type


def _has_ends(stated: Any, column: pa.ChunkedArray) -> bool:
    """Return whether statistics have the least and the greatest value of a column."""
    if pa.types.is_temporal(column.type):  # as numbers: Python has no nanoseconds, nor years after 9999
        numbers = column.cast(pa.int32() if column.type.bit_width == 32 else pa.int64())
        real = pc.min_max(numbers).as_py()
        return bool((stated.min_raw, stated.max_raw) == (real["min"], real["max"]))
    real = pc.min_max(column).as_py()
    return _is_least(stated.min, real["min"]) and _is_greatest(stated.max, real["max"])


def _leaf(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the values inside a column in a type that Arrow compares; those of a dictionary once each."""
    column = inner_values(column)
    if pa.types.is_dictionary(column.type):
        used = [chunk.dictionary.take(pc.unique(chunk.indices.drop_null())) for chunk in column.chunks]
        column = pa.chunked_array(used, column.type.value_type)
    if pa.types.is_string_view(column.type) or pa.types.is_binary_view(column.type):
        column = column.cast(pa.string() if pa.types.is_string_view(column.type) else pa.binary())
    return column


def _is_least(stated: Any, real: Any) -> bool:
    """Return whether a value is the least one, or the beginning of it."""
    return bool(stated == real or (_is_cut(stated, real) and real.startswith(stated)))


def _is_greatest(stated: Any, real: Any) -> bool:
    """Return whether a value is the greatest one, or the beginning of it with a greater last character."""
    if stated == real or not _is_cut(stated, real):
        return bool(stated == real)
    last = len(stated) - 1
    codes = [text[last] if isinstance(text, bytes) else ord(text[last]) for text in (stated, real)]
    return bool(stated[:last] == real[:last] and codes[0] == codes[1] + 1)


def _is_cut(stated: Any, real: Any) -> bool:
    """Return whether a text may be one that a writer cut; shorter ones could be other people's values."""
    if not isinstance(stated, str | bytes) or not isinstance(real, type(stated)):
        return False
    return _SHORTEST_CUT <= len(stated) < len(real)
