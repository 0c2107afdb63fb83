"""A table in PostgreSQL, and what is made of it: one transaction from the first query to the release."""

from __future__ import annotations

import math
import re
import secrets
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import psycopg
import pyarrow as pa
import pyarrow.compute as pc
from psycopg.sql import Literal

from shoal.engines.postgres.copy import UnreadableError, copy_in, copy_out
from shoal.engines.postgres.failure import Doing
from shoal.engines.postgres.hashes import HashedColumn, Numbers, Words, hash_of
from shoal.engines.postgres.names import quoted
from shoal.engines.postgres.numbers import fetch_numbers
from shoal.engines.postgres.output_files import write_files
from shoal.engines.postgres.output_table import ReleaseTable, find_release_table
from shoal.engines.postgres.selection import InputRows
from shoal.engines.postgres.types import ResultColumn, sql_type
from shoal.engines.relational.output import QueryableFiles, UnpublishedTable, check_files
from shoal.engines.relational.star_schema import Dimension
from shoal.errors import InputError, OutputError
from shoal.read.source import check_names
from shoal.write.output import FileOutput, Output, TableOutput
from shoal.write.unpublished import State

_MEMORY = 256  # MiB
_SETTINGS = (
    "SET LOCAL DateStyle = 'ISO'",  # leaves alone how the user's queries read dates
    "SET LOCAL extra_float_digits = 1",
    "SET LOCAL standard_conforming_strings = on",
    "SET LOCAL jit = off",  # costs more than it brings here
    "SET LOCAL parallel_tuple_cost = 0.001",  # to hand a row on costs little beside seven joins
    "SET LOCAL idle_in_transaction_session_timeout = 0",  # it waits while the search runs
    # What the address or PGOPTIONS say stands.
    f"SELECT set_config(name, '{_MEMORY}MB', true) FROM pg_settings "
    f"WHERE name = 'work_mem' AND setting::bigint < {_MEMORY * 1024} AND source <> 'client'",
)
# A star is joined by hashing. The planner thinks that next to no row is left of an outer join in which
# something is NULL, and then goes through a dimension table once for each row.
_HASHING = ("SET LOCAL enable_nestloop = off", "SET LOCAL enable_mergejoin = off")
_AS_USUAL = ("SET LOCAL enable_nestloop TO DEFAULT", "SET LOCAL enable_mergejoin TO DEFAULT")
# Rows that are nearly all different are not grouped by the server: they are fetched as quickly one by one.
_MOST_SINGLE_ROWS = 20_000_000
_SAMPLE = 20_000
_LEAST_PAGES = 1_000
_KEEPING = Doing(
    "Temporary tables cannot be created in the database.",
    "Ask for the right to create them: GRANT TEMPORARY ON DATABASE the database. They disappear after the "
    "run.",
)


class Postgres:
    """A table, view or query of a server, opened for one release.

    See `shoal.engines.relational.database.Database`. All is done in one transaction, which sees the tables as
    they were when it began. The release is part of it: it is there for others once it is published, whole,
    and never if anything fails before.
    """

    name: ClassVar[str] = "postgres"
    dialect: ClassVar[str] = "postgres"
    dictionaries: ClassVar[bool] = False
    doubtful: ClassVar[bool] = False
    files: ClassVar[tuple[Path, ...]] = ()

    def __init__(
        self,
        connection: psycopg.Connection[tuple[Any, ...]],
        rows: InputRows,
        null_values: Sequence[str] = (),
    ) -> None:
        self._connection = connection
        self._rows = rows
        self._null_values = tuple(null_values)
        self._input: str | None = None
        self._made: list[str] = []
        self._stored: list[UnpublishedTable | QueryableFiles] = []
        # Whoever forgets to close it closes it in the end.
        weakref.finalize(self, connection.close)
        with self._guard(rows.reading):
            self._begin()
            # Not by the simple protocol, which would run a second command after a semicolon.
            self._described = self._describe(f"SELECT * FROM {rows.source}", query=rows.title == "query")
        named = f"Table {rows.title!r}" if rows.title != "query" else "The query"
        self._columns = check_names([column.name for column in self._described], named)
        with self._guard(_KEEPING):
            ((may,),) = self._execute(
                "SELECT has_database_privilege(current_database(), 'TEMPORARY')"
            ).fetchall()
        if not may:
            raise InputError(f"{_KEEPING.failed}\nThe user lacks the permission.\n{_KEEPING.right}")

    def __repr__(self) -> str:
        return f"Postgres({self.title!r})"

    @property
    def title(self) -> str:
        return self._rows.title

    @property
    def columns(self) -> tuple[str, ...]:
        return self._columns

    @property
    def schema(self) -> Mapping[str, str]:
        return {f"c{position}": column.ibis for position, column in enumerate(self._described)}

    @property
    def input(self) -> str:
        if self._input is None:
            self._input = self._made_input()
        return self._input

    def run(self, sql: str) -> None:
        with self._guard(self._rows.reading):
            self._execute(sql)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with self._guard(self._rows.reading):
            return [tuple(map(_plain, row)) for row in self._execute(sql).fetchall()]

    def fetch(self, sql: str) -> pa.Table:
        with self._guard(self._rows.reading):
            columns = self._describe(sql)
            if all(column.arrow == pa.int64() and not column.whole for column in columns):
                numbers = fetch_numbers(self._connection, [sql], len(columns))
                if numbers is not None:
                    return pa.table(numbers, names=[column.name for column in columns])
            schema = pa.schema([(column.name, column.arrow) for column in columns])
            tables = [schema.empty_table(), *copy_out(self._connection, sql, columns)]
        table = pa.concat_tables(tables)
        for position, column in enumerate(columns):
            if column.whole:
                table = table.set_column(position, column.name, _number(table.column(position)))
        return table

    def row_codes(self, dimensions: Sequence[Dimension], rows: int) -> list[Numbers] | None:
        labels = [dimension.labels[0] for dimension in dimensions]
        if rows > _MOST_SINGLE_ROWS or max(labels, default=rows) > rows // 2 or math.prod(labels) < rows // 2:
            return None
        columns = []
        for dimension in dimensions:
            hashed = self.fetch(f"SELECT {hash_of('value')} AS hash, l0 FROM {dimension.table}")
            null = dimension.null[0] if dimension.null else None
            column = HashedColumn.of(f"c{dimension.position}", hashed, null)
            if column is None:
                return None
            columns.append(column)
        words = Words(columns)
        with self._guard(self._rows.reading):
            first = f"SELECT {words.sql} FROM {self.input} LIMIT {_SAMPLE}"
            ((different, sample),) = self._execute(
                f"SELECT count(DISTINCT q), count(*) FROM ({first}) AS q"
            ).fetchall()
            if 2 * different < sample:
                return None
            selects = [f"SELECT {words.sql} FROM {part}" for part in self._input_in_parts()]
            found = fetch_numbers(self._connection, selects, len(words))
        return None if found is None else words.decoded(found)

    def put(self, table: pa.Table, name: str) -> str:
        made = _made_up(name)
        names = ", ".join(f"{quoted(field.name)} {sql_type(field.type)}" for field in table.schema)
        with self._guard(_KEEPING):
            self._make(made, f"({names})")
            copy_in(self._connection, made, [table])
            self._execute(f"ANALYZE {made}")
        return made

    def keep(self, sql: str, name: str) -> str:
        made = _made_up(name)
        with self._guard(_KEEPING):
            self._make(made, f"AS {sql}")
            self._execute(f"ANALYZE {made}")
        return made

    def drop(self, name: str) -> None:
        with self._guard(_KEEPING):
            found = self._execute(
                f"SELECT relkind::text FROM pg_class WHERE oid = to_regclass({self._literal(quoted(name))})"
            ).fetchone()
            if found is not None:
                self._execute(f"DROP {'VIEW' if found[0] == 'v' else 'TABLE'} {quoted(name)}")
            if name in self._made:
                self._made.remove(name)

    def check(self, output: Output) -> None:
        """Refuse an output that could not be written; call this before any work is done.

        Raises
        ------
        InputError, OutputError
            There is no such schema, the user lacks a right, something that is no table has the name, views
            depend on the table that is there, or it is one that the input is read from.
        """
        if isinstance(output, FileOutput):
            check_files(output)
        else:
            self._release_table(output)

    def store(
        self, sql: str, columns: Sequence[str], output: Output | None, *, shuffle: bool = True
    ) -> UnpublishedTable | QueryableFiles:
        made = _made_up("release")
        if output is not None:
            self.check(output)
        release_table = self._release_table(output) if isinstance(output, TableOutput) else None
        doing = _KEEPING if release_table is None else release_table.writing
        names = ", ".join(map(quoted, columns))
        with self._guard(doing):
            # In the order of the database's language, as other tables have it; inside it is that of bytes.
            inner = [f"r{number}" for number in range(len(columns))]
            outer = ", ".join(
                f'{column} COLLATE "default"' if described.collated else column
                for column, described in zip(inner, self._describe(sql), strict=True)
            )
            # Drawn for each row from the server's strong randomness; the state of random() can be found
            # from a column that was sorted.
            order = " ORDER BY gen_random_uuid()" if shuffle else ""
            rows = f"AS SELECT {outer} FROM ({sql}\n) AS q ({', '.join(inner)}){order}"
            if release_table is None:
                relation = made
                done = self._execute(f"CREATE TEMPORARY TABLE {made} ({names}) ON COMMIT DROP {rows}")
            else:
                relation = quoted(release_table.schema, made)
                done = self._execute(f"CREATE TABLE {relation} ({names}) {rows}")
            self._execute(f"ANALYZE {relation}")
        table = UnpublishedTable(
            relation,
            done.rowcount,
            None if release_table is None else partial(self._publish, release_table, made),
            partial(self._remove, relation),
            partial(self._mark, doing),
            "" if release_table is None else release_table.title,
        )
        stored: UnpublishedTable | QueryableFiles = table
        if isinstance(output, FileOutput):
            stored = self._write(table, output)
        self._stored.append(stored)
        return stored

    def cancel(self) -> None:
        self._connection.cancel_safe(timeout=5)

    def close(self) -> None:
        self._take_back()
        self._connection.close()

    def _make(self, made: str, content: str) -> None:
        """Make a table that is gone after the run.

        PostgreSQL does not let several processes read a temporary table. So it is an ordinary one where the
        user may make such: nobody sees it before the transaction ends, and then it is dropped.
        """
        ((may,),) = self._execute(
            "SELECT coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)"
        ).fetchall()
        if may:
            self._execute(f"CREATE UNLOGGED TABLE {made} {content}")
            self._made.append(made)
        elif content.startswith("AS "):
            self._execute(f"CREATE TEMPORARY TABLE {made} ON COMMIT DROP {content}")
        else:
            self._execute(f"CREATE TEMPORARY TABLE {made} {content} ON COMMIT DROP")

    def _input_in_parts(self) -> list[str]:
        """Return what stands after FROM for parts of the input, each for a process of its own."""
        table = self._rows.table
        if table is None:
            return [self.input]
        ((pages, workers),) = self._execute(
            f"SELECT pg_relation_size({self._literal(table)}) / current_setting('block_size')::bigint, "
            "current_setting('max_parallel_workers_per_gather')::int"
        ).fetchall()
        if pages < _LEAST_PAGES:
            return [self.input]
        cuts = [pages * part // (workers + 1) for part in range(workers + 1)]
        parts = []
        for begin, end in zip(cuts, [*cuts[1:], None], strict=True):
            # Pages that are added meanwhile are in the last part.
            until = "" if end is None else f" AND ctid < '({end},0)'"
            rows = f"{self._select} WHERE ctid >= '({begin},0)'{until}"
            parts.append(f"({rows}) AS part ({', '.join(self.schema)})")
        return parts

    @property
    def _select(self) -> str:
        cells = ", ".join(self._settled(column) for column in self._described)
        return f"SELECT {cells} FROM {self._rows.source}"

    def _made_input(self) -> str:
        made = _made_up("input")
        names = ", ".join(self.schema)
        with self._guard(self._rows.reading):
            if self._rows.table is not None:
                self._execute(f"CREATE TEMPORARY VIEW {made} ({names}) AS {self._select}")
            else:
                # A view or query of the user's may be anything.
                self._begin()
                self._set(_AS_USUAL)
                self._execute(f"CREATE TEMPORARY TABLE {made} ({names}) ON COMMIT DROP AS {self._select}")
                self._set(_HASHING)
                self._execute(f"ANALYZE {made}")
        return made

    def _settled(self, column: ResultColumn) -> str:
        sql = column.settled(quoted(column.name))
        if not (column.text and self._null_values):
            return sql
        texts = ", ".join(map(self._literal, self._null_values))
        return f"CASE WHEN {sql} IN ({texts}) THEN NULL ELSE {sql} END"

    def _literal(self, text: str) -> str:
        return Literal(text).as_string(self._connection)

    def _write(self, table: UnpublishedTable, output: FileOutput) -> QueryableFiles:
        sql = f"SELECT * FROM {table.relation}"
        with self._guard(self._rows.reading):
            columns = self._describe(sql)
            schema = pa.schema([(column.name, column.arrow) for column in columns])
            return write_files(copy_out(self._connection, sql, columns), schema, table, output)

    def _release_table(self, output: TableOutput) -> ReleaseTable:
        with self._guard(Doing("The output table cannot be checked.", "Ask the administrator.", OutputError)):
            self._begin()
            return find_release_table(self._connection, output.name)

    def _publish(self, output: ReleaseTable, made: str) -> str:
        """Give a new table the name of the output, and end the transaction; the next query begins another."""
        with self._guard(output.writing):
            relation = quoted(output.schema, output.table)
            for other in self._stored:
                # Others that are not published yet would be committed too, under their present names.
                if isinstance(other, UnpublishedTable) and other.relation != quoted(output.schema, made):
                    other.discard()
                elif isinstance(other, QueryableFiles) and other.table is not None:
                    other.table.discard()
            self._execute(f"DROP TABLE IF EXISTS {relation}")
            self._execute(f"ALTER TABLE {quoted(output.schema, made)} RENAME TO {quoted(output.table)}")
            if self._rows.table is not None and self._input is not None:
                self._execute(f"DROP VIEW {self._input}")
            for name in self._made:
                self._execute(f"DROP TABLE {name}")
        try:
            self._connection.execute("COMMIT")
        except psycopg.Error as error:
            if self._connection.closed:
                raise OutputError(
                    f"The connection to the server was lost while {output.title!r} was published.\n"
                    "Either the new table is there, or nothing has changed.\n"
                    "Check whether the table is there, and run again if it is not."
                ) from None
            raise output.writing.explain(error, lost=False) from None
        finally:
            self._forget()
        return relation

    def _mark(self, doing: Doing, relation: str) -> object:
        """Return which table has a name and which transactions wrote its rows; nothing if there is none."""
        writers = "min(xmin::text::bigint), max(xmin::text::bigint)"
        with self._guard(doing):
            ((there,),) = self._execute(
                f"SELECT to_regclass({self._literal(relation)}) IS NOT NULL"
            ).fetchall()
            if not there:
                return None
            return self._execute(
                f"SELECT min(tableoid::bigint), count(*), {writers} FROM {relation}"
            ).fetchall()

    def _remove(self, relation: str) -> None:
        if self._connection.closed or self._idle:
            return  # gone with its transaction
        with self._guard(_KEEPING):
            self._execute(f"DROP TABLE IF EXISTS {relation}")

    @property
    def _idle(self) -> bool:
        return self._connection.pgconn.transaction_status == psycopg.pq.TransactionStatus.IDLE

    def _begin(self) -> None:
        """Begin a transaction, unless one is open."""
        if not self._idle:
            return
        self._connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE")
        if self._rows.table is not None:
            # Before the first query, which takes the snapshot: nobody changes the columns in between.
            self._connection.execute(f"LOCK TABLE {self._rows.table} IN ACCESS SHARE MODE")
        self._set((*_SETTINGS, *_HASHING))

    def _set(self, settings: Sequence[str]) -> None:
        for setting in settings:
            self._connection.execute(setting)

    def _execute(self, sql: str) -> psycopg.Cursor[tuple[Any, ...]]:
        self._begin()
        return self._connection.execute(sql)

    def _describe(self, sql: str, *, query: bool = False) -> list[ResultColumn]:
        """Return the columns of a query, without its rows."""
        self._begin()
        try:
            found = self._connection.execute(f"SELECT * FROM ({sql}\n) AS q LIMIT 0", binary=True)
        except psycopg.Error as error:
            # These name what stands in the query, which is the user's own; no cell is read yet.
            if query and (error.sqlstate or "").startswith("42") and error.sqlstate != "42501":
                says = error.diag.message_primary
                raise InputError(
                    f"{self._rows.reading.failed}\nPostgreSQL says: {says}.\nCorrect the query."
                ) from None
            raise
        result = found.pgresult
        if result is None or found.description is None:
            raise InputError(f"{self._rows.reading.failed}\nIt gives no rows.\nWrite a SELECT.")
        return [
            ResultColumn(column.name, result.ftype(position), result.fmod(position))
            for position, column in enumerate(found.description)
        ]

    @contextmanager
    def _guard(self, doing: Doing) -> Iterator[None]:
        """Take the transaction back whatever fails, and tell what it was."""
        try:
            yield
        except psycopg.Error as error:
            lost = self._connection.closed
            self._take_back()
            raise doing.explain(error, lost=lost) from None
        except UnreadableError as error:
            self._take_back()
            raise error.explain(self.title, self.columns) from None
        except BaseException:
            self._take_back()
            raise

    def _take_back(self) -> None:
        """End the transaction as if it had never been; cancel what still runs."""
        for stored in self._stored:
            if isinstance(stored, QueryableFiles):
                if stored.table is not None:
                    stored.table.state = State.GONE
                stored.discard()
            elif stored.state is State.WAITING:
                stored.state = State.GONE
        if not self._connection.closed:
            with suppress(psycopg.Error):
                if self._connection.pgconn.transaction_status == psycopg.pq.TransactionStatus.ACTIVE:
                    self._connection.cancel_safe(timeout=5)
                    self._connection.close()
                else:
                    self._connection.execute("ROLLBACK")
        self._forget()

    def _forget(self) -> None:
        self._input = None
        self._made = []
        self._stored = [
            stored
            for stored in self._stored
            if isinstance(stored, QueryableFiles) and stored.state is State.WAITING
        ]


def _made_up(name: str) -> str:
    """Return a name that no other table has."""
    plain = re.sub(r"\W", "_", name.lower(), flags=re.ASCII)[:30]
    return f"shoal_{plain}_{secrets.token_hex(6)}"


def _plain(value: Any) -> Any:
    """Return a number that PostgreSQL has as `numeric`, such as a sum, as an int where it is one."""
    if isinstance(value, Decimal) and value.is_finite() and value == value.to_integral_value():
        return int(value)
    return value


def _number(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return numbers of any size as int64, or as what holds them."""
    for kind in (pa.int64(), pa.decimal128(38, 0), pa.float64()):
        with suppress(pa.ArrowInvalid):
            return pc.cast(column, kind)
    return column
