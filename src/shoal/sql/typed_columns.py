"""Columns of a release that the spec gives a type: compared by their values, however these are spelled.

A file of text may say `True` where the original table says `true`, and `1000.0` for 1000. What claims look at
is cast in the query itself, so that whoever repeats it does the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import pyarrow as pa

from shoal.errors import InputError, Problem
from shoal.read.formulas import restoring_sql, unescaped_sql
from shoal.read.typed_tables import typed
from shoal.read.types import ColumnType, Date, Decimal, Float, Text, Timestamp
from shoal.spec.spec import Spec
from shoal.sql.relation import Relation


def with_types(relation: Relation, spec: Spec) -> tuple[Relation, list[Problem]]:
    """Return a release whose typed columns are values, as far as claims look at them, and tell what is not.

    Quasi-identifiers stay as they are: above level 0 they are labels.
    """
    return cast_columns(relation, {name: spec.types[name] for name in _looked_at(spec) if name in spec.types})


def restored_cells(relation: Relation, unescaped: Mapping[str, int]) -> Relation:
    """Return a release without the apostrophes that were put before cells like formulas.

    So they are compared with those of other tables. No two cells are the same only with or only without
    apostrophes, so queries that compare nothing else give the same on the file as it is, and are shown so.
    A column in which some cell has none, although it is like a formula, stays as it is: there `=x` and `'=x`
    would become one, and their classes too.

    Parameters
    ----------
    unescaped
        How many such cells each column of text has.
    """
    cells = [
        f"{restoring_sql(column, 'duckdb')} AS {column}"
        for name, column in relation.columns.items()
        if unescaped.get(name) == 0
    ]
    if not cells:
        return relation
    return replace(relation, source=f"(SELECT * REPLACE ({', '.join(cells)}) FROM {relation.source})")


def unescaped_cells(relation: Relation) -> dict[str, int]:
    """Return for each column of text how many of its cells are like formulas, without an apostrophe."""
    texts = [name for name in relation.columns if name in relation.text]
    if not texts:
        return {}
    counts = ", ".join(unescaped_sql(relation.columns[name], "duckdb") for name in texts)
    found = relation.fetch_row(f"SELECT {counts} FROM {relation.source}")
    return {name: int(count or 0) for name, count in zip(texts, found, strict=True)}


def cast_columns(
    relation: Relation, types: Mapping[str, ColumnType], *, released: bool = True
) -> tuple[Relation, list[Problem]]:
    """Return a table whose columns of text are values of these types, and tell what is not.

    Parameters
    ----------
    released
        Whether the values are written as Shoal writes them, as far as possible; else in the form of the type.
    """
    problems: list[Problem] = []
    casts: dict[str, Callable[[str], str]] = {}
    for name, kind in types.items():
        if isinstance(kind, Text) or (name not in relation.text and name not in relation.text_as_shown):
            continue
        try:
            casts[name] = _cast(relation, name, kind, released)
        except InputError as error:
            problems += error.problems
    if not casts:
        return relation, problems
    run = {name: cast(relation.columns[name]) for name, cast in casts.items() if name in relation.text}
    shown_casts = [
        cast(relation.columns_as_shown[name])
        for name, cast in casts.items()
        if name in relation.text_as_shown
    ]
    source, shown = relation.source, relation.shown
    if run and relation.runner.dialect == "duckdb":
        source = f"(SELECT * REPLACE ({', '.join(run.values())}) FROM {source})"
    elif run:  # others have no such words, and want a name
        kept = [column for name, column in relation.columns.items() if name not in run]
        source = f"(SELECT {', '.join([*kept, *relation.hidden, *run.values()])} FROM {source}) AS typed"
    if shown_casts:
        shown = f"(SELECT * REPLACE ({', '.join(shown_casts)}) FROM {shown})"
    text = [name for name in relation.text if name not in casts]
    return replace(relation, source=source, shown=shown, text=text), problems


def _looked_at(spec: Spec) -> Iterator[str]:
    """Return the columns beside the quasi-identifiers that claims are about."""
    columns = dict.fromkeys((*(model.column for model in spec.privacy), spec.unit))
    return (name for name in columns if name and name not in spec.quasi_identifiers)


def _cast(relation: Relation, name: str, kind: ColumnType, released: bool) -> Callable[[str], str]:
    """Return what casts a column of text; of a release the form applies where not all is as Shoal writes it.

    So `1.288` is 1.288 in a release, where the original has `1,288` for it.
    """
    column = relation.columns[name]
    written = column if name in relation.text else f"CAST({column} AS VARCHAR)"
    found = relation.rows(f"SELECT DISTINCT {written} FROM {relation.source} WHERE {column} IS NOT NULL")
    values = pa.table({name: pa.array([value for (value,) in found], pa.string())})
    where = f" of the {relation.what}"
    own = _as_written(kind)
    in_form = False
    (table,), problems = typed([(where, values)], {name: own if released else kind})
    if own != kind and (problems or not released):
        (table,), problems = typed([(where, values)], {name: kind})
        in_form = True
    if problems:
        raise InputError(problems)
    into = _sql_type(table.column(name).type)

    def cast(column: str) -> str:
        text = f"trim({column})"
        return f"CAST({_in_form(text, kind) if in_form else text} AS {into}) AS {column}"

    return cast


def _as_written(kind: ColumnType) -> ColumnType:
    """Return the type in the form in which Shoal writes its values, whatever form the original has."""
    if isinstance(kind, Date | Timestamp):
        return replace(kind, format=None)
    return replace(kind, mark=".") if isinstance(kind, Decimal | Float) else kind


def _in_form(text: str, kind: ColumnType) -> str:
    """Return the SQL of a text in the type's own form, so that it can be cast.

    Examples
    --------
    >>> print(_in_form("x", Decimal(",")), _in_form("x", Date("%d.%m.%Y")))
    replace(replace(x, '.', ''), ',', '.') strptime(x, '%d.%m.%Y')
    """
    if isinstance(kind, Decimal | Float):
        return f"replace(replace({text}, '.', ''), ',', '.')"
    assert isinstance(kind, Date | Timestamp), "no other type has a form"
    return f"strptime({text}, '{(kind.format or '').replace(chr(39), chr(39) * 2)}')"


def _sql_type(kind: pa.DataType) -> str:
    """Return the name that an Arrow type has in SQL.

    Examples
    --------
    >>> _sql_type(pa.int64()), _sql_type(pa.decimal128(6, 2)), _sql_type(pa.timestamp("s", "UTC"))
    ('BIGINT', 'DECIMAL(6, 2)', 'TIMESTAMPTZ')
    """
    if pa.types.is_decimal(kind):
        return f"DECIMAL({kind.precision}, {kind.scale})"
    if pa.types.is_timestamp(kind):
        if kind.tz is not None:
            return "TIMESTAMPTZ"
        return "TIMESTAMP_NS" if kind.unit == "ns" else "TIMESTAMP"
    names = {pa.int64(): "BIGINT", pa.uint64(): "UBIGINT", pa.bool_(): "BOOLEAN", pa.date32(): "DATE"}
    return names.get(kind, "DOUBLE")
