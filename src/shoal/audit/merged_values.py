"""Values in a Parquet file that are one for DuckDB, which audits it, and several for other programs.

DuckDB takes the times that Parquet calls INT96 for microseconds, which may be nanoseconds, and numbers of
more than 38 digits for floats, and -0.0 equals 0.0. A month equals 30 days, and in a column of variants 1
equals 1.0. So a class of four for the audit can be four people who
stand alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.read.sql import file_text, reading_parquet

_MOST_DIGITS = 38
_FINER = 1000  # nanoseconds in a microsecond


def merged_values(path: Path, *, written_by_shoal: bool) -> Sequence[str]:
    """Return the columns with such values. Those inside lists and structs are not looked at.

    Shoal writes no -0.0; other tools do, and most programs take it for 0.0 as well.
    """
    import duckdb
    from pyarrow import parquet

    with duckdb.connect() as connection, parquet.ParquetFile(path) as file:
        queried = connection.sql(f"SELECT * FROM {reading_parquet(file_text(path))}").types
        kinds = {
            field.name: (_plain(field.type), str(kind))
            for field, kind in zip(file.schema_arrow, queried, strict=True)
        }
        leaves = [file.schema.column(position).path for position in range(len(file.schema))]
        return [
            name
            for position, name in enumerate(leaves)
            if name in kinds
            and _may_be_merged(*kinds[name], zeros=written_by_shoal)
            and _are_merged(file, position)
        ]


def is_merging(kind: Any) -> bool:
    """Return whether DuckDB finds different values of a type equal: a month and 30 days, or 1 and 1.0.

    Parameters
    ----------
    kind
        A type of DuckDB; one inside lists and structs counts too.
    """
    if kind.id in ("interval", "variant"):
        return True
    nested = kind.id in ("list", "array", "struct", "map", "union")
    return nested and any(is_merging(inner) for _, inner in kind.children if hasattr(inner, "id"))


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _may_be_merged(kind: pa.DataType, queried: str, *, zeros: bool) -> bool:
    """Return whether a type has values that DuckDB's does not tell apart."""
    if pa.types.is_decimal(kind):
        return bool(kind.precision > _MOST_DIGITS)
    if pa.types.is_floating(kind):
        return zeros
    moments = pa.types.is_timestamp(kind) or pa.types.is_time(kind)
    return bool(moments and kind.unit == "ns" and "NS" not in queried)


def _are_merged(file: Any, position: int) -> bool:
    groups = range(file.num_row_groups)
    # by its position, as names with dots in them also mean fields inside a column
    columns = (file.reader.read_row_group(group, column_indices=[position]).column(0) for group in groups)
    return any(map(_has_merged, columns))


def _has_merged(column: pa.ChunkedArray) -> bool:
    kind = _plain(column.type)
    if pa.types.is_floating(kind):
        numbers = column.cast(kind).to_numpy()
        return bool(((numbers == 0) & np.signbit(numbers)).any())
    if pa.types.is_temporal(kind):
        numbers = column.cast(kind).cast(pa.int64())
        whole = pc.multiply(pc.divide(numbers, _FINER), _FINER)
        return bool(pc.any(pc.not_equal(numbers, whole)).as_py())
    return bool(len(column) > column.null_count)
