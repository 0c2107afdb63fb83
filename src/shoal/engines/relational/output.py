"""Released rows that a database wrote, not published yet: a table nobody else knows, or hidden files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from shoal.errors import InputError, OutputError
from shoal.files.atomic import check_link, check_path
from shoal.write.output import FileOutput
from shoal.write.table_formats import suffix_of
from shoal.write.unpublished import State, UnpublishedFiles, gone, published_table, replaced


@dataclass(slots=True)
class UnpublishedTable:
    """A table whose name nobody else knows yet, or a temporary one.

    Attributes
    ----------
    rename
        Gives it the name of the output and returns that as SQL; a temporary table keeps its own.
    remove
        Drops it.
    mark
        Asks for what differs if its rows are others, such as a hash of them.
    title
        What messages call it when it is published.
    """

    relation: str
    rows: int
    rename: Callable[[], str] | None
    remove: Callable[[], None]
    mark: Callable[[str], object]
    title: str = ""
    files: Sequence[Path] = ()
    state: State = field(default=State.WAITING, repr=False)
    _published: object = field(default=None, repr=False)

    def check(self) -> None:
        if self.state is State.GONE:
            raise gone()
        if self.state is State.PUBLISHED and self.mark(self.relation) != self._published:
            raise replaced(self.title)

    def publish(self) -> None:
        self.check()
        if self.state is State.PUBLISHED:
            raise published_table(self.title)
        if self.rename is not None:
            self._published = self.mark(self.relation)
            self.relation = self.rename()
            self.state = State.PUBLISHED

    def discard(self) -> None:
        if self.state is State.WAITING:
            self.state = State.GONE
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
        if self.table is not None:
            self.table.check()
        return self.reading(self.current)

    def discard(self) -> None:
        UnpublishedFiles.discard(self)
        if self.table is not None and self.state is State.GONE:
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
