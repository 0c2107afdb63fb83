"""A table in DuckDB, whatever its source: all of it, or a sample where all would take too long.

CSV files are read as everywhere in Shoal: as text, in the detected dialect, with NULL and the empty string
distinct. DuckDB reads Parquet files itself; everything else arrives as Arrow columns.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.describe.roles import MOST_COLUMNS
from shoal.errors import InputError
from shoal.read.source import InputFormat, open_source
from shoal.sql.relation import Relation, open_relation

SEED = 1
_MOST_CELLS = 400_000_000
_SAMPLED_CELLS = 50_000_000
_LARGEST_SAMPLE = 1_000_000
_LOADED = "loaded"
_PARQUET = (".parquet", ".pq")


@dataclass(frozen=True, slots=True)
class Table:
    """A table to query.

    Attributes
    ----------
    name
        Its name in messages.
    columns
        Column names -> quoted SQL identifiers.
    types
        Column names -> DuckDB types.
    rows
        Number of rows of the table.
    loaded
        Number of rows that queries see: all, or a sample.
    dialect
        The format of a text file.
    """

    relation: Relation
    name: str
    columns: Mapping[str, str]
    types: Mapping[str, str]
    rows: int
    loaded: int
    dialect: InputFormat | None

    @property
    def sampled(self) -> bool:
        return self.loaded < self.rows

    def fetch_row(self, sql: str) -> tuple[Any, ...]:
        """Return the single row that a query gives; `{table}` in it is replaced by this table."""
        return self.relation.fetch_row(sql.replace("{table}", _LOADED))

    def fetch_row_of_all(self, sql: str) -> tuple[Any, ...]:
        """Return the single row that a query over all rows gives, even where queries see only a sample."""
        return self.relation.fetch_row(sql.replace("{table}", self.relation.source))

    def values(self, name: str) -> pa.Array:
        """Return the distinct values of a column without NULL, always in the same order."""
        column = self.columns[name]
        return self._fetch(
            f"SELECT DISTINCT {column} AS value FROM {_LOADED} WHERE {column} IS NOT NULL ORDER BY value"
        )["value"]

    def codes(self, names: list[str], rows: int, seed: int = SEED) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return some rows as codes, one column per name: equal codes are equal values, NULL is a value.

        Parameters
        ----------
        rows
            Largest number of rows; the seed draws them where there are more.
        """
        where = ""
        if self.loaded > rows:
            drawn = np.sort(np.random.default_rng(seed).choice(self.loaded, size=rows, replace=False))
            self.relation.connection.register("drawn", pa.table({"row": drawn}))
            where = " WHERE rowid IN (SELECT row FROM drawn)"
        count = min(rows, self.loaded)
        codes = np.empty((count, len(names)), dtype=np.int64)
        for start in range(0, len(names), 50):
            some = names[start : start + 50]
            picked = ", ".join(f"{self.columns[name]} AS c{index}" for index, name in enumerate(some))
            found = self._fetch(f"SELECT {picked} FROM {_LOADED}{where} ORDER BY rowid")
            for index, array in enumerate(found.values()):
                coded = array.dictionary_encode(null_encoding="encode").indices
                codes[:, start + index] = coded.to_numpy(zero_copy_only=False)
        return codes

    def _fetch(self, sql: str) -> dict[str, pa.Array]:
        table = self.relation.connection.sql(sql).to_arrow_table()
        return {name: table[name].combine_chunks() for name in table.column_names}


@contextmanager
def open_table(data: object, input_format: InputFormat = InputFormat()) -> Iterator[Table]:  # noqa: B008
    """Open a file or a data frame for queries about its columns.

    Examples
    --------
    >>> with open_table(pa.table({"age": [31, 33, 31]})) as table:
    ...     table.rows, table.fetch_row("SELECT count(DISTINCT age) FROM {table}")
    (3, (2,))
    """
    source = open_source(data, input_format)
    if len(source.columns) > MOST_COLUMNS:
        raise InputError(
            f"{source.name!r} has too many columns for a proposal, which measures each of them.\n"
            f"Columns: {len(source.columns):,}; at most {MOST_COLUMNS:,}.\n"
            "Give a table with only the columns to release, or write the spec by hand: "
            "--drop-undeclared drops the columns that it does not name."
        )
    by_itself = isinstance(data, str | os.PathLike) and (
        source.dialect is not None
        or (
            Path(data).suffix.lower() in _PARQUET and not input_format.null_values
        )  # DuckDB does not support NULL values of Parquet files
    )
    held = Path(data) if by_itself else source.read(source.columns, ())  # type: ignore[arg-type]
    with open_relation(held, input_format, source.name, what="table") as relation:
        (rows,) = relation.fetch_row(f"SELECT count(*) FROM {relation.source}")
        loaded = _load(relation, rows, len(source.columns))
        described = relation.connection.execute(f"DESCRIBE {_LOADED}").fetchall()
        types = {name: str(row[1]) for name, row in zip(source.columns, described, strict=True)}
        yield Table(relation, source.name, relation.columns, types, rows, loaded, source.dialect)


def _load(relation: Relation, rows: int, columns: int) -> int:
    """Load the rows into a table for repeated queries; return their number."""
    connection = relation.connection
    connection.execute("SET preserve_insertion_order = true")  # rows keep their numbers in each run
    wanted = min(rows, _LARGEST_SAMPLE, max(1000, _SAMPLED_CELLS // columns))
    if rows * columns <= _MOST_CELLS or wanted == rows:
        relation.fetch_row(f"CREATE TEMP TABLE {_LOADED} AS SELECT * FROM {relation.source}")
        return rows
    (threads,) = relation.fetch_row("SELECT current_setting('threads')")
    connection.execute("SET threads = 1")  # several threads would draw other rows by the same seed
    relation.fetch_row(
        f"CREATE TEMP TABLE {_LOADED} AS SELECT * FROM {relation.source} "
        f"USING SAMPLE reservoir({wanted} ROWS) REPEATABLE ({SEED})"
    )
    connection.execute(f"SET threads = {threads}")
    return wanted
