"""Released rows that wait for their place: a table of an open transaction, or hidden files."""

from __future__ import annotations

import secrets
import shutil
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from shoal.engines.target import FileTarget
from shoal.errors import InputError, OutputError, ShoalError
from shoal.read.source import InputFormat
from shoal.write.atomic import check_place
from shoal.write.files import suffix_of, write_csv


@dataclass(slots=True)
class StoredTable:
    """A table that nobody else sees yet, or a temporary one.

    Attributes
    ----------
    place
        Puts it into its place and returns its name there; a temporary one has none.
    remove
        Drops it.
    """

    relation: str
    rows: int
    place: Callable[[], str] | None
    remove: Callable[[], None]
    files: Sequence[Path] = ()
    done: bool = field(default=False, repr=False)

    def publish(self) -> None:
        if not self.done and self.place is not None:
            self.relation = self.place()
        self.done = True

    def discard(self) -> None:
        if not self.done:
            self.done = True
            self.remove()


@dataclass(slots=True, weakref_slot=True)
class StoredFiles:
    """Hidden files beside the place where they go, and the temporary table that they were written from."""

    table: StoredTable
    target: Path
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
        now = self.target if self.done else self.hidden
        return sorted(now.iterdir()) if now.is_dir() else [now]

    def publish(self) -> None:
        if self.done:
            return
        with _explained(self.target):
            if self.target.is_dir():
                old = self.target.with_name(f".{secrets.token_hex(4)}.{self.target.name}")
                self.target.rename(old)
                try:
                    self.hidden.rename(self.target)
                except OSError:
                    old.rename(self.target)
                    raise
                shutil.rmtree(old)
            else:
                self.hidden.replace(self.target)
        self.done = True

    def discard(self) -> None:
        if self.done:
            return
        _remove(self.hidden)
        self.table.discard()


def check_files(target: FileTarget) -> None:
    """Refuse files that could not be written later.

    Raises
    ------
    InputError
        They would be of a kind that is not written from a database.
    OutputError
        The place cannot be written to.
    """
    if not target.folder and suffix_of(target.path) == ".xlsx":
        raise InputError(
            f"The file '{target.path.name}' cannot be written from a database.\n"
            "An Excel workbook holds too few rows.\n"
            "End its name in .csv, .csv.gz or .parquet, or give the name of a table: --output-table."
        )
    if target.folder and target.path.is_dir():
        others = [entry.name for entry in target.path.iterdir() if entry.suffix != ".parquet"]
        if others:
            raise OutputError(
                f"The output folder '{target.path}' has files that are not Parquet.\n"
                "All that is in it would be replaced.\nChoose another folder, or empty this one."
            )
    check_place(target.path.with_name(f"{target.path.name}.parquet") if target.folder else target.path)


def write_files(
    tables: Iterable[pa.Table], schema: pa.Schema, table: StoredTable, target: FileTarget
) -> StoredFiles:
    """Write rows to hidden files; whatever fails, they go."""
    hidden = target.path.with_name(f".{secrets.token_hex(4)}.{target.path.name}")
    try:
        with _explained(target.path):
            if target.folder:
                hidden.mkdir()
                _write_parquet(tables, schema, hidden / "part-0.parquet")
            elif suffix_of(target.path) == ".parquet":
                _write_parquet(tables, schema, hidden)
            else:
                dialect = InputFormat(delimiter=target.delimiter, quote=target.quote)
                write_csv(hidden, tables, header=schema.names, dialect=dialect)
    except BaseException:
        _remove(hidden)
        raise
    stored = StoredFiles(table, target.path, hidden)
    weakref.finalize(stored, _remove, hidden)  # where nobody publishes or discards it
    return stored


def _write_parquet(tables: Iterable[pa.Table], schema: pa.Schema, path: Path) -> None:
    from pyarrow import parquet

    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for table in tables:
            writer.write_table(table)


@contextmanager
def _explained(target: Path) -> Iterator[None]:
    try:
        yield
    except ShoalError:
        raise
    except OSError as error:
        raise OutputError(
            f"Writing '{target}' failed.\n"
            f"The system says: {error.strerror or type(error).__name__}.\n"
            "Nothing was changed there; check the free space and the permissions."
        ) from None


def _remove(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
