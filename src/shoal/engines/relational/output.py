"""Released rows that a database wrote, not published yet: a table nobody else knows, or hidden files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from shoal.errors import InputError, OutputError
from shoal.files.atomic import check_link, check_path
from shoal.write.output import FileOutput
from shoal.write.table_formats import suffix_of
from shoal.write.unpublished import UnpublishedFiles


@dataclass(slots=True)
class UnpublishedTable:
    """A table whose name nobody else knows yet, or a temporary one.

    Attributes
    ----------
    rename
        Gives it the name of the output and returns that as SQL; a temporary table keeps its own.
    remove
        Drops it.
    """

    relation: str
    rows: int
    rename: Callable[[], str] | None
    remove: Callable[[], None]
    files: Sequence[Path] = ()
    done: bool = field(default=False, repr=False)

    def publish(self) -> None:
        if not self.done and self.rename is not None:
            self.relation = self.rename()
        self.done = True

    def discard(self) -> None:
        if not self.done:
            self.done = True
            self.remove()


@dataclass(slots=True)
class QueryableFiles(UnpublishedFiles):
    """Unpublished files that a database wrote and can query.

    Attributes
    ----------
    reading
        Returns what stands after FROM, for the path that they have now.
    table
        The temporary table that they were written from, if there is one.
    """

    reading: Callable[[Path], str]
    rows: int = 0
    table: UnpublishedTable | None = None

    @property
    def relation(self) -> str:
        return self.reading(self.current)

    def discard(self) -> None:
        UnpublishedFiles.discard(self)
        if self.table is not None and not self.done:
            self.table.discard()


def check_files(output: FileOutput, inputs: Sequence[Path] = ()) -> None:
    """Refuse files that could not be written later, or that would replace what they must not.

    Parameters
    ----------
    inputs
        The files that the rows come from.

    Raises
    ------
    InputError
        They would be of a kind that no database writes.
    OutputError
        The output cannot be written, or something else is there.
    """
    path = output.path
    if not output.folder and suffix_of(path) == ".xlsx":
        raise InputError(
            f"The file '{path.name}' cannot be written from a database.\n"
            "An Excel workbook holds too few rows.\n"
            "End its name in .csv, .csv.gz or .parquet, or give the name of a table: --output-table."
        )
    if not output.folder:
        check_path(path, apart_from=[file for file in inputs if file.exists()])
        return
    check_link(path)
    if any(path.resolve() in file.resolve().parents for file in inputs):
        raise OutputError(
            f"The output '{path}' cannot be written.\nThe input is in that folder.\nChoose another name."
        )
    if path.is_dir() and not all(entry.is_file() and entry.suffix == ".parquet" for entry in path.iterdir()):
        raise OutputError(
            f"The output folder '{path}' has files that are not Parquet.\n"
            "All that is in it would be replaced.\nChoose another folder, or empty this one."
        )
    if path.is_file():
        raise OutputError(
            f"The output '{path}' cannot be written.\n"
            "It would be a folder, and a file of that name already exists.\n"
            "Choose another name, or end it in .parquet."
        )
    check_path(path.with_name(f".{path.name}"))
