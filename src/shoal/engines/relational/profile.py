"""The columns of a table in a database, each counted by itself: small, however many rows there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import ibis
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.describe.hierarchy import ColumnData, FromData
from shoal.describe.roles import QuasiIdentifier
from shoal.encode.column import CodedColumn
from shoal.encode.table import CountedColumns, code_table
from shoal.engines.relational.counts import DatabaseCounts
from shoal.engines.relational.database import Database
from shoal.engines.relational.recode import RecodeQueries
from shoal.engines.relational.rows import DatabaseRows
from shoal.engines.relational.star_schema import Dimension, Star, sql, type_of
from shoal.errors import InputError, Problem
from shoal.prepare.fit import column_data, fitted_by
from shoal.prepare.pseudonyms import pseudonyms_of
from shoal.prepare.read_rows import read_populations
from shoal.read.columns import coded as as_coded
from shoal.read.source import Source
from shoal.read.typed_tables import typed
from shoal.recode.recoding import LooksBeside
from shoal.recode.released_classes import Verdict
from shoal.spec.spec import Spec
from shoal.write.output import Output

IntArray = NDArray[np.int64]
Counted = tuple[pa.Array, IntArray]
"""The different values of a column, and how many rows have each."""

_FIRST_ROWS = 20_000
_FEW_TUPLES = 4_096
_MOST_TUPLES = 1 << 18
_PLAIN = ("string", "int", "bool", "date")


class DatabaseProfile:
    """The values of columns with the rows that have them, and from these the dimension tables."""

    def __init__(
        self,
        database: Database,
        raw: Mapping[str, pa.Array],
        columns: CountedColumns,
        populations: Mapping[str, pa.Table],
        attributes: Sequence[str],
    ) -> None:
        self._attributes = attributes
        self._database = database
        self._raw = raw
        self._columns = columns
        self._populations = populations
        self._positions = {name: position for position, name in enumerate(database.columns)}
        self._dimensions: dict[str, Dimension] = {}

    @classmethod
    def of(
        cls, database: Database, spec: Spec, populations: Mapping[str, Source], attributes: Sequence[str]
    ) -> DatabaseProfile:
        """Count the values of each column that is coded, or that is to be of another type."""
        positions = {name: position for position, name in enumerate(database.columns)}
        targets = [
            qi.hierarchy.target
            for qi in spec.quasi_identifiers.values()
            if isinstance(qi.hierarchy, FromData) and qi.hierarchy.target
        ]
        retyped = [name for name in spec.types if name in spec.released]
        wanted = dict.fromkeys(
            (*spec.quasi_identifiers, *spec.sensitive, *attributes, *targets, *retyped, *spec.pseudonyms)
        )
        passed = [name for name in spec.sensitive if name not in (*attributes, *targets, *retyped)]
        # Of what only passes through it is enough to know whether there is NULL.
        found = {positions[name]: _count_nulls(database, positions[name]) for name in passed}
        for together in _scans(database, [positions[name] for name in wanted if name not in passed]):
            found |= _count(database, together)
        raw = {name: found[positions[name]][0] for name in wanted}
        counts = {name: found[positions[name]][1] for name in wanted}
        rows = int(next(iter(counts.values())).sum())
        larger = read_populations(spec, populations)
        if rows == 0:
            raise InputError(f"{database.title!r} has no rows.\nThere is nothing to anonymize.")
        tokens = {}
        if spec.pseudonyms:
            made = pseudonyms_of(spec)
            tokens = {name: _chunked(made.of(raw[name], name)) for name in spec.pseudonyms}
        values, larger = _typed(spec, {name: raw[name] for name in raw if name not in tokens}, larger)
        values |= tokens
        _check_sizes(database, values)
        return cls(database, raw, CountedColumns(values, counts, rows), larger, attributes)

    def encode(self, spec: Spec) -> tuple[Spec, DatabaseCounts]:
        spec = fitted_by(spec, lambda name, qi: self._column_data(spec, name, qi))
        coded = code_table(
            self._columns,
            spec.quasi_identifiers,
            sensitive=spec.sensitive,
            attributes=self._attributes,
            populations=self._populations,
            models=spec.privacy,  # which may declare values that no row has
            judged=False,
        )
        for column in (*coded.columns, *coded.attributes.values()):
            self._dimensions.setdefault(column.name, self._put(column))
        domain = replace(
            coded,
            columns=tuple(map(_without_codes, coded.columns)),
            attributes={name: _without_codes(column) for name, column in coded.attributes.items()},
            units=None if spec.unit is None else np.zeros(0, dtype=np.uint32),
            weights=np.zeros(0, dtype=np.uint64),
        )
        counts = DatabaseCounts(
            database=self._database,
            star=Star.of(self._database),
            domain=domain,
            dimensions=tuple(self._dimensions[column.name] for column in coded.columns),
            attributes={name: self._dimensions[name] for name in coded.attributes},
            unit=None if spec.unit is None else self._units(spec.unit),
            models=spec.privacy,
        )
        return spec, counts

    def recode(
        self, spec: Spec, verdict: Verdict, *, output: Output | None, seed: int | None, keep_order: bool
    ) -> DatabaseRows:
        if spec.escape_formulas:
            output = None  # cells are escaped when the rows are written to their place
        retyped = {
            name: (self._raw[name], self._columns.column(name))
            for name in (*spec.types, *spec.pseudonyms)
            if name in spec.released and name not in spec.quasi_identifiers
        }
        looks = verdict.recoding
        beside = looks.columns_beside if isinstance(looks, LooksBeside) else ()
        queries = RecodeQueries(
            self._database,
            spec,
            verdict,
            [self._dimensions[name] for name in verdict.coded.names],
            [self._dimensions[name] for name in beside],
            retyped,
        )
        stored = self._database.store(queries.query, queries.columns, output, shuffle=not queries.by_classes)
        return DatabaseRows(queries, stored, output, self._populations)

    def _put(self, column: CodedColumn) -> Dimension:
        return Dimension.put(
            self._database, self._positions[column.name], column, self._raw[column.name], column.codes
        )

    def _units(self, name: str) -> Dimension:
        """Number the units in the database, however many they are."""
        position = self._positions[name]
        table = Star.of(self._database).input
        unit = table[f"c{position}"]
        counted = table.aggregate(nobody=unit.isnull().sum(), rows=table.count())
        ((nobody, rows),) = self._database.rows(sql(self._database, counted))
        if nobody:
            raise InputError(
                f"Column {name!r}, the unit, is NULL in {nobody:,} of {rows:,} rows.\n"
                "The people of these rows are unknown.\n"
                "Fill the column in, or remove these rows."
            )
        distinct = table.select(value=unit).distinct()
        numbered = distinct.mutate(l0=ibis.row_number().over(order_by=distinct.value).cast("int32"))
        kept = self._database.keep(sql(self._database, numbered), "units")
        ((units,),) = self._database.rows(
            sql(self._database, ibis.table({"l0": "int32"}, name=kept).count().as_table())
        )
        return Dimension(position, kept, type_of(self._database, position), (), (int(units),))

    def _column_data(self, spec: Spec, name: str, qi: QuasiIdentifier) -> ColumnData:
        hierarchy = qi.hierarchy
        target = hierarchy.target if isinstance(hierarchy, FromData) else None
        if target is None:
            return column_data(self._columns.column(name), qi, self._columns, self._columns.counts[name])
        table = Star.of(self._database).input
        pair = table.group_by(
            a=table[f"c{self._positions[name]}"], b=table[f"c{self._positions[target]}"]
        ).aggregate(n=ibis._.count())
        found = self._database.fetch(sql(self._database, pair))
        values, _ = _typed(spec, {name: found.column("a"), target: found.column("b")}, {})
        together = CountedColumns(values, {}, found.num_rows)
        return column_data(together.column(name), qi, together, found.column("n").to_numpy())


def _scans(database: Database, positions: Sequence[int]) -> list[list[int]]:
    """Divide columns into those that are counted together: in the first rows they have few tuples."""
    alone = [[position] for position in positions if not database.schema[f"c{position}"].startswith(_PLAIN)]
    others = [position for position in positions if [position] not in alone]
    if len(others) < 2:
        return [*alone, *([position] for position in others)]
    first = Star.of(database).input.limit(_FIRST_ROWS)
    counts = first.aggregate(**{f"n{position}": first[f"c{position}"].nunique() for position in others})
    (values,) = database.rows(sql(database, counts))
    scans: list[list[int]] = [[]]
    tuples = 1
    for number, position in sorted(zip(map(int, values), others, strict=True)):
        tuples *= max(number, 1)
        if tuples > _FEW_TUPLES and scans[-1]:
            scans.append([])
            tuples = number
        scans[-1].append(position)
    return [*alone, *scans]


def _count(database: Database, positions: Sequence[int]) -> dict[int, Counted]:
    """Count the values of columns in one scan, if they have few tuples after all."""
    table = Star.of(database).input
    tuples = table.group_by([f"c{position}" for position in positions]).aggregate(n=ibis._.count())
    if len(positions) > 1:
        tuples = tuples.limit(_MOST_TUPLES)
    found = database.fetch(sql(database, tuples))
    if len(positions) > 1 and (found.num_rows == _MOST_TUPLES or not all(map(_summable, found.schema.types))):
        return {position: _count(database, [position])[position] for position in positions}
    counted = {}
    for position in positions:
        own = found if len(positions) == 1 else _summed(found, f"c{position}")
        counted[position] = _array(own.column(f"c{position}")), own.column("n").to_numpy().astype(np.int64)
    return counted


def _count_nulls(database: Database, position: int) -> Counted:
    """Count the rows of a column with NULL, and those without: one value stands for all others."""
    table = Star.of(database).input
    value = ibis.ifelse(table[f"c{position}"].isnull(), ibis.null("int32"), ibis.literal(1, "int32"))
    grouped = table.select(value=value).group_by("value").aggregate(n=ibis._.count())
    found = database.fetch(sql(database, grouped))
    return _array(found.column("value")), found.column("n").to_numpy().astype(np.int64)


def _summable(kind: pa.DataType) -> bool:
    """Return whether Arrow groups values of a type, and finds those equal that the database does."""
    checks = (pa.types.is_string, pa.types.is_integer, pa.types.is_boolean, pa.types.is_date)
    return any(is_kind(kind) for is_kind in checks)


def _summed(tuples: pa.Table, column: str) -> pa.Table:
    """Return the values of one column of tuples, and the rows that have each."""
    return tuples.group_by(column).aggregate([("n", "sum")]).rename_columns([column, "n"])


def _array(column: pa.ChunkedArray) -> pa.Array:
    values = column.combine_chunks()
    return pa.concat_arrays(values.chunks) if isinstance(values, pa.ChunkedArray) else values


def _typed(
    spec: Spec, raw: Mapping[str, pa.Array | pa.ChunkedArray], populations: Mapping[str, pa.Table]
) -> tuple[dict[str, pa.ChunkedArray], dict[str, pa.Table]]:
    """Return the values coded and in the types of the spec, those of populations too."""
    names = list(raw)
    tables = [("", pa.table({name: as_coded(_chunked(raw[name]), name)})) for name in names]
    titles = [f" of the population {spec.populations[key].name!r}" for key in populations]
    # Where a column has a type, a population has it in the same.
    found, strange = typed(
        [*tables, *zip(titles, populations.values(), strict=True)],
        {n: t for n, t in spec.types.items() if n in raw},
    )
    if strange:
        raise InputError(strange)
    values = {name: table.column(name) for name, table in zip(names, found, strict=False)}
    return values, dict(zip(populations, found[len(names) :], strict=True))


def _check_sizes(database: Database, values: Mapping[str, pa.ChunkedArray]) -> None:
    """Refuse whole numbers that only DuckDB has a type for."""
    if database.dialect == "duckdb":
        return
    large = [name for name, column in values.items() if pa.types.is_uint64(_type_of(column))]
    if large:
        raise InputError(
            [
                Problem(
                    f"Column {name!r} is of the type integer, and has numbers above {2**63 - 1:,}.\n"
                    f"The engine {database.name!r} has no whole numbers of that size.\n"
                    "Give it the type text or decimal, or use the engine memory or duckdb."
                )
                for name in large
            ]
        )


def _type_of(column: pa.ChunkedArray) -> pa.DataType:
    return column.type.value_type if pa.types.is_dictionary(column.type) else column.type


def _chunked(values: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    return values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])


def _without_codes(column: CodedColumn) -> CodedColumn:
    return replace(column, codes=np.zeros(0, dtype=np.uint32))
