"""How a release of text spells numbers and times: engines write `7` or `7.0`, `Z` or `+00`.

Queries compare texts, so what the original has is written as the release has it.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from shoal.read.columns import text_of
from shoal.read.typed_tables import typed
from shoal.read.types import ColumnType, Float, Timestamp
from shoal.sql.relation import Relation


def as_spelled(column: pa.ChunkedArray, name: str, relation: Relation) -> pa.Array | pa.ChunkedArray:
    """Return the values of an original as text, as a release spells them.

    What the release spells in two ways, or not at all, is spelled as Shoal does.
    """
    values = _whole(column)
    texts = text_of(values, pa.large_string())
    kind = _reading(values.type)
    if kind is None:
        return texts
    cell = relation.columns[name]
    found = relation.rows(f"SELECT DISTINCT {cell} FROM {relation.source} WHERE {cell} IS NOT NULL")
    spellings = pa.array([text for (text,) in found], pa.string())
    (table,), problems = typed([("", pa.table({name: spellings}))], {name: kind})
    if problems:
        return texts
    try:
        own = text_of(_whole(table.column(name)).cast(values.type), pa.large_string())
    except pa.ArrowInvalid:  # they have more digits than the original, so they are not its values
        return texts
    counted = pc.value_counts(own)
    several = counted.field("values").filter(pc.greater(counted.field("counts"), 1))
    positions = pc.if_else(pc.is_in(texts, several), None, pc.index_in(texts, own))
    return pc.coalesce(spellings.cast(pa.large_string()).take(positions), texts)


def _reading(kind: pa.DataType) -> ColumnType | None:
    if pa.types.is_floating(kind):
        return Float()
    return Timestamp() if pa.types.is_timestamp(kind) else None


def _whole(column: pa.ChunkedArray) -> pa.Array:
    """Return a column without codes, in one piece."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return pa.concat_arrays([chunk.cast(kind) for chunk in column.chunks] or [pa.array([], kind)])
