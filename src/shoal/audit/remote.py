"""An audit in the database that has the release: the same queries, in that database's SQL.

Queries are written for DuckDB. sqlglot puts them into PostgreSQL's or Spark's words; the few things that it
cannot know are here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import pyarrow as pa

from shoal.read.sql import quoted
from shoal.sql.connection import SqlDatabase
from shoal.sql.relation import Relation

Tree: TypeAlias = Any
"""A query or a part of it as sqlglot holds it; what the class is called depends on its version."""

_RELEASE, _SHOWN, _ORIGINAL = "shoal_release", "shoal_shown", "shoal_original"
"""What stands in DuckDB's SQL for texts that only the database itself can read."""

_NAMES = {"duckdb": "duckdb", "postgres": "postgres", "pyspark": "spark"}
"""Dialects as Ibis calls them -> as sqlglot does."""


@dataclass(frozen=True)
class InDatabase:
    """Runs the queries of an audit in a database.

    Attributes
    ----------
    spelled
        What stands in a query -> what the database has for it.
    shown_dialect
        The dialect in which queries are told, as Ibis calls it.
    """

    database: SqlDatabase
    shown_dialect: str
    spelled: Mapping[str, str]
    made: list[str] = field(default_factory=list)

    @property
    def dialect(self) -> str:
        return self.database.dialect

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        if self.dialect == "duckdb":
            return self.database.rows(sql)
        query, fields = _flattened(_parsed(sql))
        found = self.database.rows(translated(query, self.dialect, self.spelled))
        return [_nested(row, fields) for row in found]

    def fetch(self, sql: str) -> pa.Table:
        return self.database.fetch(self._translated(sql))

    def put(self, table: pa.Table, name: str) -> str:
        columns = [
            column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
            for column in table.columns
        ]
        made = self.database.put(pa.table(columns, names=table.column_names), name)
        self.made.append(made)
        return made

    def keep(self, sql: str, name: str) -> str:
        made = self.database.keep(self._translated(sql), name)
        self.made.append(made)
        return made

    def shown_query(self, sql: str) -> str:
        if self.shown_dialect == "duckdb":
            return sql
        if sql.startswith("DESCRIBE "):
            sql = f"{sql.removeprefix('DESCRIBE ')} LIMIT 0"
        query, _ = _flattened(_parsed(sql))
        return translated(query, self.shown_dialect, self.spelled, shown=True)

    def drop_all(self) -> None:
        """Drop what was made."""
        while self.made:
            self.database.drop(self.made.pop())

    def _translated(self, sql: str) -> str:
        return sql if self.dialect == "duckdb" else translated(_parsed(sql), self.dialect, self.spelled)


@dataclass(frozen=True)
class OriginalInDatabase:
    """The original table, in the same database."""

    runner: InDatabase
    source: str
    columns: Mapping[str, str]

    @property
    def names(self) -> Sequence[str]:
        return list(self.columns)

    @cached_property
    def rows(self) -> int:
        ((rows,),) = self.runner.rows(f"SELECT count(*) FROM {self.source}")
        return int(rows)

    def values(self, name: str) -> pa.ChunkedArray:
        return self.runner.fetch(f"SELECT DISTINCT {self.columns[name]} AS value FROM {self.source}").column(
            0
        )

    def kind(self, name: str) -> pa.DataType:
        return self._kinds[name]

    @cached_property
    def _kinds(self) -> dict[str, pa.DataType]:
        return _types(self.runner, self.source, self.columns)

    def add(self, relation: Relation, identifiers: Mapping[str, str], as_text: Collection[str]) -> str:
        columns = ", ".join(
            f"{self._as_text(name) if name in as_text else self.columns[name]} AS {identifier}"
            for name, identifier in identifiers.items()
        )
        return f"(SELECT {columns} FROM {self.source}) AS original"

    def _as_text(self, name: str) -> str:
        """Return a column as text, with one text for 0.0 and -0.0, which are one value."""
        column = self.columns[name]
        if pa.types.is_floating(self.kind(name)):
            column = f"CASE WHEN {column} = 0 THEN abs({column}) ELSE {column} END"
        return f"({column})::VARCHAR"


@contextmanager
def database_relation(
    database: SqlDatabase,
    source: str,
    columns: Sequence[str] | Mapping[str, str],
    *,
    name: str,
    shown: str,
    shown_columns: Mapping[str, str] | None = None,
    shown_dialect: str | None = None,
    original: str | None = None,
    original_columns: Sequence[str] | Mapping[str, str] = (),
    hidden: Sequence[str] = (),
    shown_text: Sequence[str] | None = None,
) -> Iterator[tuple[Relation, OriginalInDatabase | None]]:
    """Let an audit ask about a release where it is; temporary tables that it makes go with it.

    Parameters
    ----------
    database
        Where it is.
    source
        What stands after FROM to read the release there.
    columns
        The names of its columns, or by name the identifiers that they have there, in double quotes where
        they need quotes (whatever the database has).
    name
        What messages call the release.
    shown
        What stands after FROM for somebody who has the release in front of them.
    shown_columns
        By name the identifiers there, where they are others.
    shown_dialect
        The dialect of `shown`, in which queries are told, as Ibis calls it: `duckdb` for files; if not given,
        the database's own.
    original, original_columns
        What stands after FROM to read the original table in the same database, and those of its columns that
        claims compare with (`reference.original_columns`).
    hidden
        Further columns of the source that are no part of the release, as SQL: who a row is about.
    shown_text
        Those of its columns that are text in `shown`, where they are others than in the database.
    """
    shown_dialect = shown_dialect or database.dialect
    spelled, texts = {}, []
    for mark, text, dialect in (
        (_RELEASE, source, database.dialect),
        (_SHOWN, shown, shown_dialect),
        (_ORIGINAL, original or "original", database.dialect),
    ):
        spelled[mark] = text
        # DuckDB's own text can stand in its SQL as it is.
        texts.append(text if dialect == "duckdb" else mark)
    runner = InDatabase(database, shown_dialect, spelled)
    identifiers = _identifiers(columns)
    try:
        types = _types(runner, texts[0], identifiers)
        relation = Relation(
            runner,
            name,
            texts[0],
            texts[1],
            identifiers,
            frozenset(column for column, kind in types.items() if _is_text(kind)),
            shown_columns=shown_columns,
            hidden=tuple(hidden),
            shown_text=shown_text,
        )
        own = (
            None if original is None else OriginalInDatabase(runner, texts[2], _identifiers(original_columns))
        )
        yield relation, own
    finally:
        runner.drop_all()


def translated(query: Tree, dialect: str, spelled: Mapping[str, str], *, shown: bool = False) -> str:
    """Return a query of DuckDB in another dialect, as Ibis calls it.

    Parameters
    ----------
    spelled
        Tables -> the text that stands for each.
    shown
        Whether it is for people to read, and not only to be run.
    """
    from sqlglot import exp

    def other(node: Tree) -> Tree:
        if isinstance(node, exp.Table) and node.name in spelled and not node.db:
            node.set("this", exp.Var(this=spelled[node.name]))
        elif isinstance(node, exp.Anonymous) and node.name.lower() == "hash":
            return _hash(node, dialect)
        elif isinstance(node, exp.Window) and _counts_rows(node) and dialect == "pyspark":
            return exp.Anonymous(this="monotonically_increasing_id")
        elif isinstance(node, exp.NullSafeEQ) and dialect == "postgres" and not shown:
            return _joinable(node)
        elif isinstance(node, exp.Order) and dialect == "postgres":
            _sort_by_bytes(node)
        return node

    if dialect == "pyspark":
        _name_parts_apart(query)
    return str(query.transform(other, copy=False).sql(dialect=_NAMES[dialect], pretty=shown))


def _name_parts_apart(query: Tree) -> None:
    """Give each part of a query (`WITH name AS`) a name of its own: for Spark all go to its beginning."""
    from sqlglot import exp

    used: dict[str, int] = {}
    for parts in list(query.find_all(exp.With)):
        for part in parts.expressions:
            name = part.alias
            used[name] = used.get(name, 0) + 1
            if used[name] == 1:
                continue
            own = f"{name}_{used[name]}"
            for table in parts.parent.find_all(exp.Table):
                if table.name == name and not table.db:
                    alias = table.alias or name
                    table.set("this", exp.to_identifier(own))
                    table.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
            part.set("alias", exp.TableAlias(this=exp.to_identifier(own)))


def _hash(node: Tree, dialect: str) -> Tree:
    """Return what makes one number of several values. Where two have the same, the audit finds out."""
    from sqlglot import exp

    if dialect == "postgres":
        values = exp.Anonymous(this="ROW", expressions=node.expressions)
        return exp.Anonymous(this="hash_record_extended", expressions=[values, exp.Literal.number(0)])
    return exp.Anonymous(this="xxhash64", expressions=node.expressions)


def _counts_rows(window: Tree) -> bool:
    """Return whether a window numbers the rows in any order: Spark has other words for that."""
    from sqlglot import exp

    ordered = any(window.args.get(part) for part in ("order", "partition_by", "alias"))
    return isinstance(window.this, exp.RowNumber) and not ordered


def _joinable(node: Tree) -> Tree:
    """Return that two values are equal or both NULL, so that PostgreSQL can join by it without loops.

    As JSON, numbers are equal whatever their types, and NULL is a value.
    """
    from sqlglot import exp

    def value(side: Tree) -> Tree:
        null = exp.cast(exp.Literal.string("null"), "jsonb")
        return exp.func("COALESCE", exp.func("TO_JSONB", side.copy()), null)

    return exp.EQ(this=value(node.this), expression=value(node.expression))


def _sort_by_bytes(order: Tree) -> None:
    """Have PostgreSQL put texts in the order of their bytes, as the others do, whatever its locale."""
    from sqlglot import exp, parse_one

    keys = []
    for key in order.expressions:
        if isinstance(key.this, exp.Column) and key.this.name == "value":
            by_bytes = (
                "CASE WHEN CAST(pg_typeof(value) AS TEXT) IN ('text', 'character varying') "
                'THEN CAST(value AS TEXT) END COLLATE "C"'
            )
            keys.append(exp.Ordered(this=parse_one(by_bytes, read="postgres"), nulls_first=False))
        keys.append(key)
    order.set("expressions", keys)


def _parsed(sql: str) -> Tree:
    import sqlglot

    return sqlglot.parse_one(sql, read="duckdb")


def _flattened(query: Tree) -> tuple[Tree, list[tuple[str, ...] | None]]:
    """Return a query with a column for each part of what it gives, and the names of the parts.

    Not every database has rows within rows.
    """
    from sqlglot import exp

    columns: list[Tree] = []
    parts: list[tuple[str, ...] | None] = []
    for column in query.selects:
        inner = column.unalias()
        if isinstance(inner, exp.Struct):
            parts.append(tuple(part.name for part in inner.expressions))
            columns += [exp.alias_(part.expression, part.name) for part in inner.expressions]
        else:
            parts.append(None)
            columns.append(column)
    return query.select(*columns, append=False) if any(parts) else query, parts


def _nested(row: Sequence[Any], parts: Sequence[tuple[str, ...] | None]) -> tuple[Any, ...]:
    """Return a row with its parts put together again.

    Examples
    --------
    >>> _nested((0, 5, 0.2), [None, ("size", "share")])
    (0, {'size': 5, 'share': 0.2})
    """
    if not any(parts):
        return tuple(row)
    values = iter(row)
    return tuple(
        [next(values) if names is None else {name: next(values) for name in names} for names in parts]
    )


def _identifiers(columns: Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    return dict(columns) if isinstance(columns, Mapping) else {name: quoted(name) for name in columns}


def _types(runner: InDatabase, source: str, columns: Mapping[str, str]) -> dict[str, pa.DataType]:
    """Return the types of columns."""
    if not columns:
        return {}
    chosen = ", ".join(f"{column} AS t{number}" for number, column in enumerate(columns.values()))
    schema = runner.fetch(f"SELECT {chosen} FROM {source} LIMIT 0").schema
    return dict(zip(columns, schema.types, strict=True))


def _is_text(kind: pa.DataType) -> bool:
    """Return whether a type is one of text; DuckDB gives labels that it holds as numbers by a dictionary."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
