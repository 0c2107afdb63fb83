"""Released rows that wait for their place: a hidden table, or hidden files beside where they go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from shoal.errors import InputError, OutputError, ShoalError
from shoal.files.atomic import check_link, check_place
from shoal.files.temporary import private_folder, remove_private
from shoal.write.files import suffix_of
from shoal.write.output import FileOutput


@dataclass(slots=True)
class StoredTable:
    """A table that nobody else looks for yet, or a temporary one.

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
        The place cannot be written to, or something else is there.
    """
    path = output.path
    if not output.folder and suffix_of(path) == ".xlsx":
        raise InputError(
            f"The file '{path.name}' cannot be written from a database.\n"
            "An Excel workbook holds too few rows.\n"
            "End its name in .csv, .csv.gz or .parquet, or give the name of a table: --output-table."
        )
    if not output.folder:
        check_place(path, apart_from=[file for file in inputs if file.exists()])
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
            "It would be a folder, and a file of that name is there.\n"
            "Choose another name, or end it in .parquet."
        )
    check_place(path.with_name(f".{path.name}"))


def hidden_beside(path: Path) -> Path:
    """Return a path of the same name in a folder beside it that nobody else may enter."""
    with explained(path):
        return private_folder(path.parent) / path.name


def put_into_place(hidden: Path, output: Path) -> None:
    """Rename a file or folder to what it is to be called; a folder that is there goes only then."""
    with explained(output):
        check_link(output)
        if output.is_dir():
            old = hidden.with_name(f"old.{hidden.name}")
            output.rename(old)
            try:
                hidden.rename(output)
            except OSError:
                old.rename(output)
                raise
        else:
            hidden.replace(output)
        remove(hidden)


@contextmanager
def explained(output: Path) -> Iterator[None]:
    """Tell what the system refuses."""
    try:
        yield
    except ShoalError:
        raise
    except OSError as error:
        raise OutputError(
            f"Writing '{output}' failed.\n"
            f"The system says: {error.strerror or type(error).__name__}.\n"
            "Nothing was changed there; check the free space and the permissions."
        ) from None


def remove(hidden: Path) -> None:
    """Remove a hidden file or folder, if it is there, with the folder that it is in."""
    remove_private(hidden.parent)
