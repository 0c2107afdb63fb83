"""Recoding in a database: one join with the labels, one projection, in the database's own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ibis
import numpy as np
import pyarrow as pa

from shoal.describe.hierarchy import ANYTHING
from shoal.encode.column import CodedColumn
from shoal.engines.relational.database import Database
from shoal.engines.relational.repeated_classes import repeated, worthwhile
from shoal.engines.relational.star_schema import (
    Beside,
    Dimension,
    Joined,
    Star,
    key,
    packed,
    sql,
    type_of,
    with_null,
)
from shoal.engines.relational.tuple_labels import TupleLabels
from shoal.read.types import ColumnType, Decimal, Integer, Timestamp, narrowest
from shoal.recode.released_classes import Verdict
from shoal.spec.spec import Spec

_SAME_THERE = ("string", "bool", "int", "float", "date")
"""How the names of types begin whose values come back from Arrow in the type that they had."""


@dataclass(frozen=True)
class RecodeQueries:
    """A table and what becomes of it, as queries.

    Attributes
    ----------
    dimensions
        Those of the quasi-identifiers, in order.
    beside
        Those of the columns that the recoding looks at beside them.
    retyped
        For other columns that the spec gives a type, and for pseudonyms: their values, and what these become.
    """

    database: Database
    spec: Spec
    verdict: Verdict
    dimensions: Sequence[Dimension]
    beside: Sequence[Dimension]
    retyped: Mapping[str, tuple[pa.Array, pa.ChunkedArray]]

    @property
    def columns(self) -> list[str]:
        """The names of the released columns, in the order of the input."""
        return [name for name in self.database.columns if name in set(self.spec.released)]

    @cached_property
    def query(self) -> str:
        """The release, its columns called r0, r1, ...: labels for values, without the classes that fail."""
        if self.by_classes:
            star = self.spec.suppressed == "star"
            classes = repeated(self.database, self.verdict, self.columns, star=star, typed=self.spec.types)
            return self._narrowed(classes)
        return self._narrowed(sql(self.database, self._released(None)))

    def with_units(self, unit: str) -> str:
        """Return the same with one more column, `unit`, which says who a row is about."""
        return sql(self.database, self._released(unit))

    def original(self, names: Sequence[str]) -> str:
        """Return the values before, in the types of the spec, of columns that are called o0, o1, ..."""
        labels, positions = self._others, self._positions
        joined = Star.of(self.database).joined([], labels.tables)
        columns = {f"o{i}": labels.value(name, joined, positions[name]) for i, name in enumerate(names)}
        return sql(self.database, joined.table.select(**columns))

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.database.columns)}

    @cached_property
    def _others(self) -> _Labels:
        labels = _Labels(self.database)
        for name, (raw, values) in self.retyped.items():
            labels.of_values(name, self._positions[name], raw, values)
        return labels

    @cached_property
    def _labels(self) -> _Labels:
        labels = self._others.copied()
        for position, (column, level, dimension) in enumerate(self._chosen):
            known = column.labels[level]
            if self.spec.suppressed == "star":
                known = self.verdict.label_texts(position, typed=column.name in self.spec.types)
            labels.of_quasi_identifier(column, level, dimension, known, numbered=self._gone)
        return labels

    @cached_property
    def by_classes(self) -> bool:
        """Whether nothing is released but the labels of classes, which are few: so rows need not be read."""
        as_they_are = [
            (self.database.schema[f"c{dimension.position}"], dimension.values.type)
            for cells, dimension in zip(self.verdict.cells, self.dimensions, strict=True)
            if not cells.level and cells.labels.type == dimension.values.type
        ]
        return (
            self.spec.unit is None
            and set(self.columns) == set(self.spec.quasi_identifiers)
            and all(
                kind.startswith(_SAME_THERE) and (kind != "string" or pa.types.is_string(values))
                for kind, values in as_they_are
            )
            and worthwhile(self.verdict)
        )

    def _narrowed(self, query: str) -> str:
        """Return a release whose typed columns are as narrow as its rows allow, where some are removed.

        Places, signs and units of what is in a file of text are found out from all rows.
        """
        if not self._gone or self.spec.suppressed == "star":
            return query
        recoded = dict(zip(self.verdict.coded.names, self.verdict.cells, strict=True))
        cells = []
        for number, name in enumerate(self.columns):
            own = self.database.schema[f"c{self._positions[name]}"]
            cell = f"r{number}"
            generalized = name in recoded and pa.types.is_string(recoded[name].labels.type)
            if isinstance(self.spec.types.get(name), self._inferred) and not (
                generalized or own.startswith("decimal")
            ):
                distinct = f"SELECT DISTINCT {cell} AS value FROM ({query}) AS shoal_rows"
                values = self.database.fetch(distinct).column(0)
                if into := _narrower(values.type, narrowest(values).type):
                    cell = f"CAST({cell} AS {into}) AS {cell}"
            cells.append(cell)
        narrow = any(cell.startswith("CAST") for cell in cells)
        return f"SELECT {', '.join(cells)} FROM ({query}) AS shoal_rows" if narrow else query

    @property
    def _inferred(self) -> tuple[type[ColumnType], ...]:
        """The types whose width is found out; other databases have one for all whole numbers and times."""
        return (Decimal, Integer, Timestamp) if self.database.dialect == "duckdb" else (Decimal,)

    @property
    def _gone(self) -> bool:
        """Whether there are classes that fail."""
        return self.verdict.suppressed_rows > 0

    @cached_property
    def _levels(self) -> tuple[int, ...]:
        levels = self.verdict.recoding.levels
        assert levels is not None, "an engine that joins on levels is not given other recodings"
        return tuple(levels[name] for name in self.verdict.coded.names)

    @property
    def _chosen(self) -> list[tuple[CodedColumn, int, Dimension]]:
        verdict = self.verdict
        return list(zip(verdict.coded.columns, self._levels, self.dimensions, strict=True))

    @cached_property
    def _varied(self) -> list[int]:
        """The positions of the quasi-identifiers with more than one label."""
        return [
            position
            for position, (_, level, dimension) in enumerate(self._chosen)
            if dimension.labels[level] > 1
        ]

    @cached_property
    def _counts(self) -> list[int]:
        """How many labels each of these has."""
        return [self.dimensions[position].labels[self._levels[position]] for position in self._varied]

    @cached_property
    def _failing(self) -> tuple[str, str]:
        """The table of the database with the keys of the classes that fail, and the type of a key."""
        numbers = self.verdict.suppressed_classes()
        keys = packed([numbers[position] for position in self._varied], self._counts, len(numbers[0]))
        marks = pa.array(np.ones(len(keys), dtype=np.int32))
        name = self.database.put(pa.table({"key": keys, "fails": marks}), "suppressed")
        return name, "string" if pa.types.is_string(keys.type) else "int64"

    def _released(self, unit: str | None) -> Any:
        if self.verdict.recoding.levels is None:
            return self._released_by_tuples(unit)
        star = self.spec.suppressed == "star"
        labels = self._labels
        joined = Star.of(self.database).joined([], labels.tables)
        table: Any = joined.table
        failing: Any = None
        if self._gone:
            # NULL for the rows of classes that are kept.
            name, kind = self._failing
            side = ibis.table({"key": kind, "fails": "int32"}, name=name)
            numbers = [labels.number(self._chosen[position], joined) for position in self._varied]
            table, failing = table.left_join(side, key(numbers, self._counts) == side.key), side.fails
        columns = {}
        for number, name in enumerate(self.columns):
            label = labels.value(name, joined, self._positions[name])
            if star and self._gone and name in self.spec.quasi_identifiers:
                label = ibis.ifelse(failing.notnull(), ibis.literal(ANYTHING), label)
            columns[f"r{number}"] = label
        if unit is not None:
            columns["unit"] = joined.input[f"c{self._positions[unit]}"]
        if self._gone and not star:
            marked = table.select(**columns, fails=failing)
            return marked.filter(marked.fails.isnull()).drop("fails")
        return table.select(**columns)

    @cached_property
    def _tuple_labels(self) -> TupleLabels:
        return TupleLabels.put(
            self.database,
            self.verdict,
            [*self.dimensions, *self.beside],
            star=self.spec.suppressed == "star",
            typed=self.spec.types,
        )

    def _released_by_tuples(self, unit: str | None) -> Any:
        labels, tuples = self._others, self._tuple_labels
        joined = tuples.star(self.database).joined(tuples.needed, labels.tables)
        table, recoded = tuples.join(joined)
        of_column = dict(zip(self.verdict.coded.names, recoded, strict=True))
        columns = {
            f"r{number}": of_column[name]
            if name in of_column
            else labels.value(name, joined, self._positions[name])
            for number, name in enumerate(self.columns)
        }
        if unit is not None:
            columns["unit"] = joined.input[f"c{self._positions[unit]}"]
        return table.select(**columns)


def _narrower(kind: pa.DataType, narrow: pa.DataType) -> str | None:
    """Return the name in SQL of a type that is to be in place of another; None where that may stay."""
    if pa.types.is_decimal(narrow):
        return f"DECIMAL({narrow.precision}, {narrow.scale})"
    if pa.types.is_timestamp(narrow):
        wide = kind.unit == "ns" != narrow.unit and narrow.tz is None
        return "TIMESTAMP" if wide else None
    return "BIGINT" if pa.types.is_uint64(kind) and pa.types.is_int64(narrow) else None


class _Labels:
    """What becomes of each column that is not released as it is."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._constants: dict[str, str] = {}
        self._untouched: set[str] = set()
        self._names: dict[str, str] = {}
        self.tables: dict[str, Beside] = {}

    def copied(self) -> _Labels:
        """Return the same, to be added to."""
        other = _Labels(self._database)
        other._names.update(self._names)
        other.tables.update(self.tables)
        return other

    def of_quasi_identifier(
        self, column: CodedColumn, level: int, dimension: Dimension, labels: pa.Array, *, numbered: bool
    ) -> None:
        """Let a value become its label at a level; with `numbered`, its number is told too."""
        if level and len(labels) == 1 and labels.null_count == 0:
            self._constants[column.name] = labels[0].as_py()
            return
        # What is not found there is NULL, which stays NULL but where one label is for everything.
        numbers = column.maps[level][dimension.codes]
        known = labels.take(pa.array(numbers))
        untouched = level == 0 and known.type == dimension.values.type
        if untouched and not (self._database.dictionaries and pa.types.is_string(known.type)):
            self._untouched.add(column.name)
            if not numbered or dimension.labels[level] == 1:
                return
        columns_of_labels = {"number": pa.array(numbers.astype(np.int32))} if numbered else {}
        if column.name not in self._untouched:
            columns_of_labels["label"] = known
        self._put(column.name, dimension.position, dimension.values, columns_of_labels)

    def of_values(self, name: str, position: int, raw: pa.Array, values: pa.ChunkedArray) -> None:
        """Let values become others, of another type."""
        plain = values.cast(values.type.value_type) if pa.types.is_dictionary(values.type) else values
        there = raw.is_valid()
        self._put(name, position, raw.filter(there), {"label": pa.concat_arrays(plain.chunks).filter(there)})

    def value(self, name: str, joined: Joined, position: int) -> Any:
        """Return what is released of a column."""
        if name in self._constants:
            return ibis.literal(self._constants[name])
        if name in self._names and name not in self._untouched:
            return joined.sides[self._names[name]].label
        return joined.input[f"c{position}"]

    def number(self, chosen: tuple[CodedColumn, int, Dimension], joined: Joined) -> Any:
        """Return the number of the label of a quasi-identifier with more than one."""
        column, level, dimension = chosen
        return with_null(joined, dimension, level, joined.sides[self._names[column.name]].number)

    def _put(
        self, name: str, position: int, values: pa.Array, columns_of_labels: Mapping[str, pa.Array]
    ) -> None:
        columns = {
            what: array.dictionary_encode() if pa.types.is_string(array.type) else array
            for what, array in columns_of_labels.items()
        }
        table = self._database.put(pa.table({"value": values, **columns}), f"labels_{position}")
        self._names[name] = table
        self.tables[table] = Beside(position, type_of(self._database, position))
