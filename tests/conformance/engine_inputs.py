"""Inputs for every engine: each stores an Arrow table and returns the arguments of `anonymize` for it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.testing.engines import EngineInput
from shoal.write.table_formats import write_table


class InMemory:
    engine, text = "memory", False

    def put(self, table: pa.Table) -> dict[str, Any]:
        return {"data": table, "engine": "memory"}


class ParquetFiles:
    """Two files that are one table."""

    engine, text = "duckdb", False

    def __init__(self, folder: Path) -> None:
        self._folders = (folder / f"parquet-{number}" for number in itertools.count())

    def put(self, table: pa.Table) -> dict[str, Any]:
        folder = next(self._folders)
        folder.mkdir()
        half = table.num_rows // 2
        pq.write_table(table.slice(0, half), folder / "part-1.parquet")
        pq.write_table(table.slice(half), folder / "part-2.parquet")
        return {"data": f"{folder}/*.parquet", "engine": "duckdb"}


class CsvFile:
    engine, text = "duckdb", True

    def __init__(self, folder: Path) -> None:
        self._files = (folder / f"table-{number}.csv" for number in itertools.count())

    def put(self, table: pa.Table) -> dict[str, Any]:
        path = next(self._files)
        write_table(table, path)
        return {"data": path, "engine": "duckdb"}


class DuckDBTable:
    engine, text = "duckdb", False

    def __init__(self, folder: Path) -> None:
        self._files = (folder / f"clinic-{number}.duckdb" for number in itertools.count())

    def put(self, table: pa.Table) -> dict[str, Any]:
        import duckdb

        path = next(self._files)
        with duckdb.connect(path) as connection:
            connection.register("given", table)
            connection.execute("CREATE TABLE visits AS FROM given")
        return {"data": str(path), "table": "visits"}


class PostgresTable:
    engine, text = "postgres", False

    _TYPES = (
        (pa.types.is_boolean, "boolean"),
        (pa.types.is_integer, "bigint"),
        (pa.types.is_floating, "double precision"),
        (pa.types.is_decimal, "numeric(8, 2)"),
        (pa.types.is_date, "date"),
        (pa.types.is_timestamp, "timestamp"),
        (pa.types.is_string, "text"),
    )

    def __init__(self, clinic: Any) -> None:
        self._clinic = clinic
        self._names = (f"visits_{number}" for number in itertools.count())

    def put(self, table: pa.Table) -> dict[str, Any]:
        name = next(self._names)
        cells = ", ".join(f"{_quoted(field.name)} {self._type(field.type)}" for field in table.schema)
        with self._clinic.server.connect(self._clinic.database) as connection:
            connection.execute(f"CREATE TABLE {name} ({cells})")
            marks = ", ".join(["%s"] * table.num_columns)
            with connection.cursor() as cursor:
                rows = [tuple(row[name] for name in table.column_names) for row in table.to_pylist()]
                cursor.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
        return {"data": self._clinic.url, "table": name}

    def _type(self, kind: pa.DataType) -> str:
        return next(name for fits, name in self._TYPES if fits(kind))


class SparkFrame:
    engine, text = "spark", False

    def __init__(self, session: Any) -> None:
        self._session = session

    def put(self, table: pa.Table) -> dict[str, Any]:
        return {"data": self._session.createDataFrame(table)}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


Opened = Callable[[str], EngineInput]
_SPARK = pytest.param("spark", marks=pytest.mark.xdist_group("spark"))
NAMES = ("memory", "parquet", "csv", "duckdb-table", "postgres", _SPARK)


@pytest.fixture
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    """Return an input by its name; servers and sessions start with the first test that needs them."""

    def open_input(name: str) -> EngineInput:
        kinds: dict[str, Any] = {"parquet": ParquetFiles, "csv": CsvFile, "duckdb-table": DuckDBTable}
        found: Any
        if name == "memory":
            found = InMemory()
        elif name == "postgres":
            found = PostgresTable(request.getfixturevalue("clinic"))
        elif name == "spark":
            found = SparkFrame(request.getfixturevalue("quick_spark"))
        else:
            found = kinds[name](tmp_path)
        return EngineInput(found.engine, found.put, found.text)

    return open_input
