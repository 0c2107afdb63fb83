"""Rows out of a server and into it, by COPY: the fastest way that PostgreSQL has."""

from __future__ import annotations

import selectors
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGconn

from shoal.engines.postgres.types import ResultColumn
from shoal.errors import InputError
from shoal.read.columns import text_of

_BLOCK = 1 << 24
"""Bytes of text that are parsed in one go."""
_PARSED_AT_ONCE = 1 << 20
"""Bytes that one thread parses in one go."""
_ROWS_AT_ONCE = 1 << 14
_LARGE_TEXT = pa.large_string()
_ESCAPES = (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"))


def copy_out(
    connection: psycopg.Connection[tuple[Any, ...]], sql: str, columns: Sequence[ResultColumn]
) -> Iterator[pa.Table]:
    """Yield what a query gives, in tables of many rows.

    NULL is an empty cell without quotes in what the server sends, and the empty text has quotes.
    """
    names = [f"x{position}" for position in range(len(columns))]
    inner = ", ".join(names)
    outer = ", ".join(column.copied(name) for column, name in zip(columns, names, strict=True))
    statement = f"COPY (SELECT {outer} FROM ({sql}\n) AS q ({inner})) TO STDOUT (FORMAT csv)"
    for block in _blocks(connection, statement):
        yield _parsed(block, columns)


def copy_in(connection: psycopg.Connection[tuple[Any, ...]], name: str, tables: Iterable[pa.Table]) -> None:
    """Append rows to a table."""
    # In the text format: in CSV, servers before 18 take a line `\.` inside of a text for the end of the data.
    with connection.cursor() as cursor, cursor.copy(f"COPY {name} FROM STDIN (FORMAT text)") as copy:
        for table in tables:
            for start in range(0, table.num_rows, _ROWS_AT_ONCE):
                copy.write(_lines(table.slice(start, _ROWS_AT_ONCE)))


def _blocks(connection: psycopg.Connection[tuple[Any, ...]], statement: str) -> Iterator[bytes]:
    """Yield what COPY sends, in blocks of whole rows.

    The server sends a message for each row. psycopg's own way to read one costs three times what the
    server's work does; this asks libpq for all that have come.
    """
    pgconn = connection.pgconn
    with _readable(pgconn) as wait:
        pgconn.send_query(statement.encode())
        while pgconn.flush():
            pass  # it is short: it has gone at once, but for a busy network
        _ready(pgconn, wait, ExecStatus.COPY_OUT)
        block = bytearray()
        next_row = pgconn.get_copy_data
        while True:
            length, row = next_row(1)
            if length > 0:
                block += row
            elif length == 0:
                # All that has come is read: now and then is often enough to look at the size.
                if len(block) >= _BLOCK:
                    yield bytes(block)
                    block.clear()
                wait()
            else:
                break
        _ready(pgconn, wait, ExecStatus.COMMAND_OK)
        while pgconn.get_result() is not None:
            pass
    if block:
        yield bytes(block)


@contextmanager
def _readable(pgconn: PGconn) -> Iterator[Callable[[], None]]:
    """Give a function that waits until the server has sent something."""
    with selectors.DefaultSelector() as selector:
        selector.register(pgconn.socket, selectors.EVENT_READ)

        def wait() -> None:
            # With a limit: on Windows a wait without one does not notice Ctrl-C.
            while not selector.select(0.1):
                pass
            pgconn.consume_input()

        yield wait


def _ready(pgconn: PGconn, wait: Callable[[], None], expected: ExecStatus) -> None:
    """Wait for the next result, and raise if it is an error."""
    while pgconn.is_busy():
        wait()
    result = pgconn.get_result()
    if result is None or result.status != expected:
        while pgconn.get_result() is not None:
            pass
        if result is None:
            raise psycopg.OperationalError("no result")
        raise psycopg.errors.error_from_result(result)


def _parsed(block: bytes, columns: Sequence[ResultColumn]) -> pa.Table:
    names = [f"x{position}" for position in range(len(columns))]
    # Only text, and what is shown as text, has line ends in it.
    parse = pa.csv.ParseOptions(
        newlines_in_values=any(column.text for column in columns), ignore_empty_lines=False
    )

    def read(only: Sequence[str], at_once: int) -> pa.Table:
        convert = pa.csv.ConvertOptions(
            column_types={name: _in_text(column) for name, column in zip(names, columns, strict=True)},
            include_columns=list(only),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            true_values=["t"],
            false_values=["f"],
        )
        options = pa.csv.ReadOptions(column_names=names, block_size=at_once)
        return pa.csv.read_csv(pa.BufferReader(block), options, parse, convert)

    try:
        table = read(names, _PARSED_AT_ONCE)
    except pa.ArrowInvalid:
        # A row may be longer than what is parsed at once; otherwise a value is to blame.
        try:
            table = read(names, len(block) + 1)
        except pa.ArrowInvalid:
            raise UnreadableError(
                [column for name, column in zip(names, columns, strict=True) if _fails(read, name, block)]
            ) from None
    arrays = [values.cast(column.arrow) for values, column in zip(table.columns, columns, strict=True)]
    return pa.table(arrays, names=[column.name for column in columns])


def _in_text(column: ResultColumn) -> pa.DataType:
    """Return the type that the text of a column is read as: instants come in UTC, and do not say so."""
    return pa.timestamp("us") if pa.types.is_timestamp(column.arrow) else column.arrow


def _fails(read: Callable[[Sequence[str], int], pa.Table], name: str, block: bytes) -> bool:
    try:
        read([name], len(block) + 1)
    except pa.ArrowInvalid:
        return True
    return False


class UnreadableError(Exception):
    """Columns hold values that have no form in Arrow."""

    def __init__(self, columns: Sequence[ResultColumn]) -> None:
        super().__init__()
        self.columns = columns

    def explain(self, title: str, names: Sequence[str]) -> InputError:
        """Return what is raised in its place; `names` are those of the columns c0, c1, ..."""
        called = {f"c{position}": name for position, name in enumerate(names)}
        listed = ", ".join(
            f"{called[column.name]!r} ({_SHORT.get(str(column.arrow), str(column.arrow))})"
            if column.name in called
            else f"a column of the type {column.arrow}"
            for column in self.columns
        )
        return InputError(
            f"{title!r} has values that are not supported.\n"
            f"Found in: {listed or 'a column'}.\n"
            "Dates and times are from the year 1 to 9999 and not infinite, decimals are numbers and not NaN, "
            "text is UTF-8. Leave such rows out with a query, or turn them into NULL or text there."
        )


_SHORT = {"date32[day]": "date", "timestamp[us]": "timestamp", "timestamp[us, tz=UTC]": "timestamp"}


def _lines(table: pa.Table) -> bytes:
    r"""Return rows in COPY's text format: cells apart by tabs, NULL as `\N`, line ends as `\n`."""
    cells = [_cells(column) for column in table.columns]
    tab, nothing = pa.scalar("\t", _LARGE_TEXT), pa.scalar("", _LARGE_TEXT)
    rows = pc.binary_join_element_wise(*cells, tab)
    lines = pc.binary_join_element_wise(rows, nothing, pa.scalar("\n", _LARGE_TEXT))
    whole: bytes = pa.concat_arrays(lines.chunks).buffers()[2].to_pybytes()
    return whole


def _cells(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    text = text_of(column, _LARGE_TEXT)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        for plain, escaped in _ESCAPES:
            text = pc.replace_substring(text, plain, escaped)
    return pc.fill_null(text, "\\N")
