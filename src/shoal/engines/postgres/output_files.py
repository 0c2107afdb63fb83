"""Released rows in files: the server sends them, and they are written here."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from shoal.engines.relational.output import StoredTable, explained, hidden_beside, put_into_place, remove
from shoal.read.source import InputFormat
from shoal.write.files import suffix_of, write_csv
from shoal.write.output import FileOutput


@dataclass(slots=True, weakref_slot=True)
class StoredFiles:
    """Hidden files beside the place where they go, and the temporary table that they were written from."""

    table: StoredTable
    output: Path
    hidden: Path
    done: bool = field(default=False, repr=False)

    @property
    def relation(self) -> str:
        return self.table.relation

    @property
    def rows(self) -> int:
        return self.table.rows

    @property
    def files(self) -> Sequence[Path]:
        now = self.output if self.done else self.hidden
        return sorted(now.iterdir()) if now.is_dir() else [now]

    def publish(self) -> None:
        if self.done:
            return
        put_into_place(self.hidden, self.output)
        self.done = True

    def discard(self) -> None:
        if self.done:
            return
        remove(self.hidden)
        self.table.discard()


def write_files(
    tables: Iterable[pa.Table], schema: pa.Schema, table: StoredTable, output: FileOutput
) -> StoredFiles:
    """Write rows to hidden files; whatever fails, they go."""
    hidden = hidden_beside(output.path)
    try:
        with explained(output.path):
            if output.folder:
                hidden.mkdir()
                _write_parquet(tables, schema, hidden / "part-0.parquet")
            elif suffix_of(output.path) == ".parquet":
                _write_parquet(tables, schema, hidden)
            else:
                dialect = InputFormat(delimiter=output.delimiter, quote=output.quote)
                write_csv(hidden, tables, header=schema.names, dialect=dialect)
    except BaseException:
        remove(hidden)
        raise
    stored = StoredFiles(table, output.path, hidden)
    weakref.finalize(stored, remove, hidden)  # where nobody publishes or discards it
    return stored


def _write_parquet(tables: Iterable[pa.Table], schema: pa.Schema, path: Path) -> None:
    from pyarrow import parquet

    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for table in tables:
            writer.write_table(table)
