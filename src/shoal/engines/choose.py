"""Which engine a table is for: by what it is, how large it is, and what is asked for."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import finalize

from shoal.engines.memory import Memory
from shoal.errors import InputError, nearest
from shoal.read.source import InputFormat, check_installed, open_source
from shoal.spec.spec import ENGINES

if TYPE_CHECKING:
    from shoal.engines.engine import Engine
    from shoal.engines.relational.database import Database

_POSTGRES = re.compile(r"(?i)postgres(ql)?(\+\w+)?://")
_SHARE_OF_FILE = 8
"""A file of text or Parquet may need so many times its size in memory."""
_BYTES_PER_ENTRY = 320
"""What the search needs for an entry of a frequency set, the arrays that it came in included."""


def open_engine(
    data: object,
    input_format: InputFormat,
    *,
    engine: str = "auto",
    table: str | None = None,
    memory: str | None = None,
    writing: bool = False,
) -> Engine:
    """Open a table where it lives.

    Parameters
    ----------
    engine
        One of `ENGINES`; `auto` goes by what the data is.
    table
        The table of a database.
    memory
        How much may be used, such as `4GB`.
    writing
        Whether a table is to be written into the database.
    """
    if engine not in ENGINES:
        raise InputError(
            f"There is no engine {engine!r}.\nEngines: {', '.join(ENGINES)}.{nearest(engine, ENGINES)}"
        )
    limit = bytes_of(memory)
    found: Any
    found, engine = _found(data, engine, table, limit)
    if engine == "memory":
        if table is not None:
            raise InputError(
                f"A table is one of a database.\nFound: the table {table!r}, and data that is none.\n"
                "Leave it out, or give the URL or the file of a database."
            )
        return Memory(open_source(found, input_format))
    if engine == "duckdb":
        from shoal.engines.duckdb.inputs import open_duckdb

        own, dialect = open_duckdb(found, input_format, table=table, memory=int(limit * 0.6), writing=writing)
        return _relational(own, limit, dialect)
    if engine == "postgres":
        check_installed("psycopg", "postgres", "The engine 'postgres'")
        from shoal.engines.postgres import open_postgres

        return _relational(
            open_postgres(found, table=table, null_values=input_format.null_values or ()), limit
        )
    check_installed("pyspark", "spark", "The engine 'spark'")
    from shoal.engines.spark import open_spark

    opened = open_spark(
        found,
        null_values=input_format.null_values or (),
        delimiter=input_format.delimiter,
        quote=input_format.quote,
        encoding=input_format.encoding,
        header=input_format.header,
    )
    return _relational(opened, limit)


def bytes_of(memory: str | None) -> int:
    """Return how many bytes a text such as `4GB` means; without one, half of what the computer has.

    Examples
    --------
    >>> bytes_of("2GiB"), bytes_of("500 MB")
    (2147483648, 500000000)
    """
    if memory is None:
        return _physical() // 2
    found = re.fullmatch(r"(?i)([0-9]+(?:\.[0-9]+)?) ?([KMGT])(i?)B", memory)
    if found is None:
        raise InputError(f"Memory is a number with its unit.\nFound: {memory!r}.\nWrite for example 4GB.")
    size = float(found[1]) * (1024 if found[3] else 1000) ** ("KMGT".index(found[2].upper()) + 1)
    if size < 200e6:
        raise InputError(f"An engine needs some memory.\nFound: {memory!r}.\nGive it at least 200MB.")
    return int(size)


def _physical() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows tells it elsewhere
        return 8 * 2**30


def _relational(database: Database, limit: int, dialect: InputFormat | None = None) -> Engine:
    from shoal.engines.relational.engine import Relational, TableSource

    source = TableSource(database, dialect)
    finalize(source, database.close)  # whatever may ask for rows holds the source
    return Relational(database, source, max(int(limit * 0.3) // _BYTES_PER_ENTRY, 1000))


def _found(data: object, engine: str, table: str | None, limit: int) -> tuple[Any, str]:
    """Return the data and the engine that it is for."""
    kind = type(data).__module__.partition(".")[0]
    if kind == "ibis":
        data = _of_ibis(data)
        kind = type(data).__module__.partition(".")[0]
        engine = "duckdb" if kind != "pyspark" and engine == "auto" else engine
    if kind == "sqlalchemy":
        url: Any = getattr(data, "url", data)
        data = url.render_as_string(hide_password=False)
    if kind == "pyspark":
        natural = "spark"
    elif isinstance(data, str) and _POSTGRES.match(data):
        natural = "postgres"
    elif isinstance(data, str | os.PathLike):
        natural = _of_path(str(data), table, limit)
    else:
        natural = "memory"
    if engine == "auto":
        return data, natural
    if engine in ("duckdb", "spark") and natural == "memory" and not _is_place(data, engine):
        # By its type alone: a table shows its values.
        raise InputError(
            f"The engine '{engine}' cannot take a table in memory.\n"
            f"Found: data of type '{kind} {type(data).__name__}'.\n"
            "Leave the engine out, or give the path of a file or the table of a database."
        )
    only = {"postgres": "postgres", "spark": "spark"}.get(natural)
    if (only or engine == "postgres") and engine != natural:
        raise InputError(
            f"The engine '{engine}' cannot take this data.\nIt is for the engine '{natural}'.\n"
            "Leave the engine out, or say 'auto'."
        )
    return data, engine


def _is_place(data: object, engine: str) -> bool:
    """Return whether data is where rows are, not the rows themselves."""
    kind = type(data)
    relation = kind.__name__ == "DuckDBPyRelation" and "duckdb" in kind.__module__
    return isinstance(data, str | os.PathLike) or (engine == "duckdb" and relation)


def _of_path(place: str, table: str | None, limit: int) -> str:
    from shoal.engines.duckdb.names import DATABASES, REMOTE, WILDCARDS

    path = Path(place)
    if place.lower().endswith(DATABASES) or REMOTE.match(place) or table is not None:
        return "duckdb"
    if path.is_dir() or (WILDCARDS.search(place) and not path.exists()):
        return "duckdb"
    readable = path.suffix.lower() in (".csv", ".parquet", ".pq", ".tsv", ".gz")
    large = readable and path.is_file() and _size(path) * _SHARE_OF_FILE > limit
    return "duckdb" if large else "memory"


def _size(path: Path) -> int:
    """Return the size of a file; of a Parquet file a byte for each cell at least, which may be packed."""
    size = path.stat().st_size
    if path.suffix.lower() in (".parquet", ".pq"):
        import pyarrow as pa
        import pyarrow.parquet

        with suppress(pa.ArrowException, OSError):  # whoever reads it says what it is
            about = pyarrow.parquet.read_metadata(path)
            size = max(size, about.num_rows * about.num_columns)
    return size


def _of_ibis(table: Any) -> Any:
    """Return what an Ibis table is in its own database."""
    backend = table.get_backend()
    if backend.name == "duckdb":
        return backend.con.sql(str(backend.compile(table)))
    if backend.name == "pyspark":
        return backend._session.sql(str(backend.compile(table)))
    if backend.name == "postgres":
        raise InputError(
            "An Ibis table of PostgreSQL does not tell how to reach its server again.\n"
            "Found: a table of the back end 'postgres'.\nGive the server's URL, and the table's name."
        )
    raise InputError(
        f"Ibis tables of the back end {backend.name!r} are not read.\nRead: duckdb, pyspark.\n"
        "Save the table as Parquet files."
    )
