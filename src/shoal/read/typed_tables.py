"""Tables with the column types of the spec.

Values that are not of the type are reported, for all columns at once; they never become NULL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import InputError, Problem
from shoal.read.columns import values_shown
from shoal.read.types import ColumnType, with_marks


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of one table: its distinct values, and for each row the index of its value."""

    where: str
    table: int
    values: pa.Array
    indices: pa.Array
    coded: bool

    @classmethod
    def of(cls, table: pa.Table, name: str, where: str, number: int) -> Self:
        column = table.column(name).combine_chunks()
        array = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
        coded = pa.types.is_dictionary(array.type)
        array = array if coded else array.dictionary_encode()
        return cls(where, number, array.dictionary, array.indices, coded)

    def with_values(self, values: pa.Array) -> pa.Array:
        if not self.coded:
            return values.take(self.indices)
        # Values that differ as text may be equal as numbers.
        distinct = values.dictionary_encode()
        return pa.DictionaryArray.from_arrays(distinct.indices.take(self.indices), distinct.dictionary)


def typed(
    tables: Sequence[tuple[str, pa.Table]], types: Mapping[str, ColumnType]
) -> tuple[list[pa.Table], list[Problem]]:
    """Return tables with the typed columns converted, and the problems.

    A column that several tables have gets one Arrow type.

    Parameters
    ----------
    tables
        Each with the text after the column's name in messages, such as `` of the population 'census.csv'``.

    Examples
    --------
    >>> from shoal.read.types import Integer
    >>> (table,), problems = typed([("", pa.table({"age": ["34", "034"]}))], {"age": Integer()})
    >>> table["age"].to_pylist(), problems
    ([34, 34], [])
    """
    done = [table for _, table in tables]
    problems: list[Problem] = []
    for name, kind in types.items():
        found = {_value_type(table.schema.field(name).type) for table in done if name in table.column_names}
        if not found or (len(found) == 1 and kind.keeps(*found)):
            continue
        parts = [
            _Column.of(table, name, where, number)
            for number, (where, table) in enumerate(tables)
            if name in table.column_names
        ]
        try:
            columns, strange = _as_values(name, parts, kind)
        except InputError as error:
            problems += [Problem(f"Column {name!r}: {p.message}", p.values) for p in error.problems]
            continue
        problems += strange
        for part, column in zip(parts, columns, strict=True):
            index = done[part.table].schema.get_field_index(name)
            done[part.table] = done[part.table].set_column(index, name, column)
    return done, problems


def _as_values(name: str, parts: Sequence[_Column], kind: ColumnType) -> tuple[list[pa.Array], list[Problem]]:
    """Return a column of several tables as values of a type, and the problems."""
    alike = len({part.values.type for part in parts}) == 1
    try:
        written = pa.concat_arrays(
            [part.values if alike else with_marks(part.values, kind) for part in parts]
        )
        read = kind.read(written)
    except pa.ArrowException:
        found = ", ".join(dict.fromkeys(str(part.values.type) for part in parts))
        raise InputError(
            f"its values have no text form, so they cannot be read as {kind.meaning}.\nFound: {found}.\n"
            "Turn the column into text, or remove its type."
        ) from None
    columns, problems, start = [], [], 0
    for part in parts:
        values = read.slice(start, len(part.values))
        start += len(part.values)
        columns.append(part.with_values(values))
        if values.null_count:
            strange = part.values.filter(values.is_null())
            rows = pc.sum(values.is_null().take(part.indices)).as_py() or 0
            problems.append(_not_of_type(f"Column {name!r}{part.where}", strange, rows, kind))
    return columns, problems


def _not_of_type(what: str, strange: pa.Array, rows: int, kind: ColumnType) -> Problem:
    values = "1 value is" if len(strange) == 1 else f"{len(strange):,} different values are"
    declared = kind.to_spec()
    declared = f"{{{kind.name}: ...}}" if isinstance(declared, Mapping) else declared
    return Problem(
        f"{what}: {values} not of the type {kind.name}, in {rows:,} {'row' if rows == 1 else 'rows'}.\n"
        f"The spec says `type: {declared}`: {kind.meaning}.\n"
        "Correct the type or the values, or list missing values under `input:` as `null-values`.",
        values_shown(strange),
    )


def _value_type(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind
