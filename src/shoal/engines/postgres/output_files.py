"""Released rows in files: the server sends them, and they are written here."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from shoal.engines.relational.output import QueryableFiles, UnpublishedTable
from shoal.files.atomic import explained
from shoal.write.output import FileOutput
from shoal.write.table_formats import write_csv
from shoal.write.unpublished import UnpublishedFiles


def write_files(
    tables: Iterable[pa.Table], schema: pa.Schema, table: UnpublishedTable, output: FileOutput
) -> QueryableFiles:
    """Write rows to unpublished files; whatever fails, they are removed."""
    stored = QueryableFiles(output, lambda _: table.relation, table.rows, table)
    try:
        with explained(output.path):
            if output.folder:
                stored.hidden.mkdir()
                _write_parquet(tables, schema, stored.hidden / "part-0.parquet")
            elif output.is_csv:
                write_csv(stored.hidden, tables, header=schema.names, dialect=output.dialect)
            else:
                _write_parquet(tables, schema, stored.hidden)
    except BaseException:
        UnpublishedFiles.discard(stored)  # the table is removed with the transaction
        raise
    return stored


def _write_parquet(tables: Iterable[pa.Table], schema: pa.Schema, path: Path) -> None:
    from pyarrow import parquet

    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for table in tables:
            writer.write_table(table)
