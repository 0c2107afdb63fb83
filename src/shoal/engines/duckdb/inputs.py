"""What DuckDB reads: CSV and Parquet files, many at once, its own databases, and relations of Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

from shoal.engines.duckdb.database import DuckDB, exact, placed
from shoal.engines.duckdb.names import DATABASES, PARQUET, REMOTE, TEXT, WILDCARDS
from shoal.errors import InputError, MissingFileError, nearest
from shoal.read.delimited import Delimited, open_delimited
from shoal.read.header import names_of
from shoal.read.source import InputFormat, check_content, check_file
from shoal.read.sql import (
    csv_options,
    files,
    in_utf8,
    line_end_of,
    quoted,
    reading_csv,
    reading_parquet,
    splits_well,
    text,
    unique_names,
)

_FIRST_ROWS = 200


def open_duckdb(
    data: object,
    input_format: InputFormat,
    *,
    table: str | None = None,
    memory: int,
    writing: bool = False,
) -> tuple[DuckDB, InputFormat | None]:
    """Open files, a table of a database file, or a relation; return how text is written, too.

    Parameters
    ----------
    data
        A path, with wildcards for several files, or a folder of them; the path of a database; a relation.
    table
        The table of a database, or a query in parentheses.
    memory
        How many bytes queries may use.
    writing
        Whether a table is to be written into the database.
    """
    if isinstance(data, duckdb.DuckDBPyRelation):
        return _relation(data, memory), None
    origin = str(data)
    if origin.lower().endswith(DATABASES):
        return _database(Path(origin), input_format, table, memory, writing=writing), None
    if table is not None:
        raise InputError(
            f"Only a database has tables, and {Path(origin).name!r} is not one.\n"
            f"Found: the table {table!r}.\n"
            f"Leave it out, or give a database: a file that ends in {', '.join(DATABASES)}, or a URL."
        )
    if REMOTE.match(origin):
        return _remote(origin, input_format, memory), None
    paths = files_of(origin)
    title = paths[0].name if len(paths) == 1 else f"{len(paths):,} files like {paths[0].name}"
    database = DuckDB(title, memory)
    try:
        if paths[0].name.lower().endswith(PARQUET):
            for path in paths:
                check_content(path, b"PAR1")
            names, alike = _parquet_columns(paths)
            source = reading_parquet(files(paths), alike=alike)
            database.open(source, names, _nulls(input_format), paths)
            return database, None
        dialect = _open_text(database, paths, input_format)
        return database, dialect
    except BaseException:
        database.close()
        raise


def files_of(origin: str) -> list[Path]:
    """Return the files that a path with wildcards, a folder or a plain path stands for.

    Raises
    ------
    MissingFileError
        There are none.
    """
    path = Path(origin)
    if path.is_dir():
        found = sorted(
            p for p in path.iterdir() if p.name.lower().endswith((*PARQUET, *TEXT)) and p.is_file()
        )
        found = [p for p in found if not p.name.startswith((".", "_"))]
    elif WILDCARDS.search(origin) and not path.exists():
        pattern = path.relative_to(path.anchor) if path.anchor else path
        found = sorted(p for p in Path(path.anchor).glob(str(pattern)) if p.is_file())
    else:
        check_file(path)
        return [path]
    if not found:
        raise MissingFileError(
            f"There are no files in {origin!r}.\nLooked for: {', '.join((*PARQUET, *TEXT))}.\nCheck the path."
        )
    kinds = {p.name.lower().endswith(PARQUET) for p in found}
    if len(kinds) > 1:
        raise InputError(
            f"The files of {origin!r} are of two kinds: Parquet and text.\n"
            "Use a pattern that selects one kind."
        )
    return found


def _parquet_columns(paths: Sequence[Path]) -> tuple[list[str], bool]:
    """Return the names of the columns, the same in all files, and whether these have the same types too."""
    import pyarrow as pa
    from pyarrow import parquet

    schemas: list[pa.Schema] = []
    for path in paths:
        check_file(path)
        try:
            schemas.append(parquet.read_schema(path))
        except (pa.ArrowException, OSError):
            raise InputError(f"File {path.name!r} is not a complete Parquet file.\nGet it again.") from None
        names, first = schemas[-1].names, schemas[0].names
        if sorted(names) != sorted(first):
            raise InputError(
                f"The files {paths[0].name!r} and {path.name!r} have different columns.\n"
                f"Columns: {', '.join(first)}; and {', '.join(names)}.\nGive files of one table."
            )
    types = [dict(zip(schema.names, schema.types, strict=True)) for schema in schemas]
    return schemas[0].names, all(own == types[0] for own in types)


def _open_text(database: DuckDB, paths: Sequence[Path], input_format: InputFormat) -> InputFormat:
    first = open_delimited(paths[0], input_format)
    named = names_of(
        first.first, first.below, header=input_format.header, source=f"The first row of {paths[0].name!r}"
    )
    names, database.doubtful = named.columns, named.doubtful
    readable, texts = [], []
    for number, path in enumerate(paths):
        check_file(path)
        own = open_delimited(path, InputFormat(first.delimiter, first.quote, input_format.encoding))
        texts.append(own)
        _check_same_columns(first, own, input_format.header)
        readable.append(in_utf8(path, own.encoding, database.scratch / f"{number}.csv"))
    if len({line_end_of(path, first.quote) for path in readable}) > 1:
        raise InputError(
            "The files have different line endings.\nFound: several kinds.\nSave them all with the same one."
        )
    dialect = InputFormat(first.delimiter, first.quote, first.encoding, header=input_format.header)
    options = csv_options(readable[0], unique_names(names), dialect, input_format.null_values)
    source = reading_csv(files(readable), options, parallel=splits_well(readable, first.quote))
    database.open(source, names, (), paths, texts)
    ((rows,),) = database.rows(f"SELECT count(*) FROM (SELECT * FROM {database.input} LIMIT 1)")
    if rows == 0 and first.more:
        raise InputError(
            f"{database.title!r} cannot be read.\n"
            "It has lines after the header, but they contain no rows.\n"
            "Check that all lines have the same ending."
        )
    return dialect


def _check_same_columns(first: Delimited, other: Delimited, header: bool | None) -> None:
    """Refuse files that are not parts of one table; what their first rows hold is not shown."""
    if header is False:
        if len(other.first) != len(first.first):
            raise InputError(
                f"The files {first.path.name!r} and {other.path.name!r} differ in their columns.\n"
                f"Columns: {len(first.first):,}; and {len(other.first):,}.\nGive files of one table."
            )
    elif other.first != first.first:
        raise InputError(
            f"The files {first.path.name!r} and {other.path.name!r} have different headers.\n"
            "Their first rows differ.\n"
            "Give files of one table, each with the same header; or use --no-header if none has one."
        )


def _database(
    path: Path, input_format: InputFormat, table: str | None, memory: int, *, writing: bool
) -> DuckDB:
    check_file(path)
    database = DuckDB(f"{path.name}, {table}" if table else path.name, memory)
    try:
        database.attach(path, writing=writing)
        known = [
            row[0] if row[1] == "main" else f"{row[1]}.{row[0]}"
            for row in database.rows(
                "SELECT table_name, table_schema FROM information_schema.tables "
                "WHERE table_catalog = 'shoal_source' ORDER BY 1"
            )
        ]
        if table is None and len(known) == 1:
            table = known[0]
        if table is None:
            raise InputError(
                f"No table of {path.name!r} given.\n"
                f"Tables: {', '.join(known) or 'none'}.\nName one: --table NAME (in Python table=...)."
            )
        if table.lstrip().startswith("("):
            database.run("USE shoal_source")
            source = f"{table} AS shoal_query"
        elif table in known:
            schema, name = database.table = placed(table)
            source = f"shoal_source.{quoted(schema)}.{quoted(name)}"
        else:
            raise InputError(
                f"There is no table {table!r} in {path.name!r}.\nTables: {', '.join(known) or 'none'}."
                f"{nearest(table, known)}"
            )
        database.open(source, None, _nulls(input_format))
    except BaseException:
        database.close()
        raise
    return database


def _relation(relation: Any, memory: int) -> DuckDB:
    """Spool what a relation gives into a file: it belongs to a connection that is somebody else's."""
    database = DuckDB("DuckDB relation", memory)
    try:
        spooled = database.scratch / "relation.parquet"
        cells = zip(relation.columns, map(str, relation.types), strict=True)
        exactly = ", ".join(f"{exact(quoted(name), kind)[0]} AS {quoted(name)}" for name, kind in cells)
        relation.project(exactly).write_parquet(str(spooled), compression="zstd")
        database.open(reading_parquet(text(str(spooled))), list(relation.columns), ())
    except duckdb.Error as error:
        database.close()
        raise InputError(
            f"The relation cannot be read.\nDuckDB says {type(error).__name__}.\n"
            "Run the query by itself to see what is wrong with it."
        ) from None
    except BaseException:
        database.close()
        raise
    return database


def _remote(origin: str, input_format: InputFormat, memory: int) -> DuckDB:
    title = origin.rpartition("/")[2] or origin
    database = DuckDB(title, memory, remote=True)
    try:
        if "parquet" in origin.lower():
            database.open(f"read_parquet({text(origin)})", None, _nulls(input_format))
            return database
        form = f"read_csv({text(origin)}, all_varchar = true, allow_quoted_nulls = false, header = "
        rows = database.rows(f"SELECT * FROM {form}false) LIMIT {_FIRST_ROWS}")
        first, *below = [["" if cell is None else cell for cell in row] for row in rows] or [[]]
        named = names_of(first, below, header=input_format.header, source=f"The first row of {title!r}")
        header = str(input_format.header is not False).lower()
        database.doubtful = named.doubtful
        database.open(f"{form}{header})", named.columns, _nulls(input_format))
    except BaseException:
        database.close()
        raise
    return database


def _nulls(input_format: InputFormat) -> tuple[str, ...]:
    return input_format.null_values or ()
