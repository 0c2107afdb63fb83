"""What every kind of input offers, and the one door to all of them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from shoal.errors import InputError, MissingFileError, Problem, nearest

if TYPE_CHECKING:
    import pyarrow as pa

_TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".dat", ".data", "")
_PARQUET_SUFFIXES = (".parquet", ".pq")


@dataclass(frozen=True, slots=True)
class InputFormat:
    """How a CSV file is written. What is None is found out from the file's beginning."""

    delimiter: str | None = None
    quote: str | None = None
    encoding: str | None = None


class Source(Protocol):
    """A table that can be read, column by column."""

    @property
    def name(self) -> str:
        """What messages call it: the file's name or the kind of frame."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """The names in order: text, none empty, none twice."""
        ...

    @property
    def dialect(self) -> InputFormat | None:
        """How it is written, if it is a text file: as given or found out."""
        ...

    def read(self, columns: Sequence[str], coded: Collection[str]) -> pa.Table:
        """Return the wanted columns in that order, each in one chunk.

        Those in `coded` come as dictionary arrays with int32 indices. Their dictionary holds each value
        that occurs once and no NULL. The others are plain columns of their own type.
        """
        ...

    def restore(self, table: pa.Table) -> Any:
        """Return a table as the kind of frame that went in; for files the Arrow table itself."""
        ...


def open_source(data: object, input_format: InputFormat = InputFormat()) -> Source:  # noqa: B008 (frozen)
    """Open a file (its path) or a data frame.

    Parameters
    ----------
    data
        Path of a CSV (`.csv`, `.tsv`, `.txt`, also with `.gz`) or Parquet file, or a pandas, polars or
        Arrow table.
    input_format
        How the CSV is written, where it should not be found out.

    Examples
    --------
    >>> import pyarrow as pa
    >>> source = open_source(pa.table({"zip": ["01234", None], "age": [34, 51]}))
    >>> source.columns
    ('zip', 'age')
    >>> source.read(["zip"], coded=["zip"])["zip"].chunk(0).dictionary.to_pylist()
    ['01234']
    """
    if not isinstance(data, str | os.PathLike):
        from shoal.read.frames import Frame

        return Frame(data)
    path = Path(data)
    check_file(path)
    suffix = path.suffix.lower()
    if suffix in _PARQUET_SUFFIXES:
        from shoal.read.parquet_file import ParquetFile

        return ParquetFile(path)
    if suffix in _TEXT_SUFFIXES or (
        suffix == ".gz" and path.with_suffix("").suffix.lower() in _TEXT_SUFFIXES
    ):
        from shoal.read.csv_file import CsvFile

        return CsvFile(path, input_format)
    raise InputError(
        f"File {path.name!r} is of a kind that is not read: {suffix!r}.\n"
        "Accepted: .csv, .tsv, .txt (also with .gz), .parquet."
    )


def check_file(path: Path) -> None:
    """Raise unless a path leads to a file that may be read."""
    try:
        is_folder, exists = path.is_dir(), path.exists()
    except OSError as error:  # a name too long, a folder that may not be entered
        raise MissingFileError(
            f"File {str(path)!r} cannot be reached.\nThe system says: {error.strerror}.\nCheck the path."
        ) from None
    if is_folder:
        raise MissingFileError(f"{str(path)!r} is a folder.\nGive the path of a file.")
    if not exists:
        folder = path.parent
        if not folder.is_dir():
            raise MissingFileError(f"File {str(path)!r} does not exist.\nNor does its folder.")
        advice = nearest(path.name, [entry.name for entry in folder.iterdir()]).strip()
        message = f"File {str(path)!r} does not exist.\n{advice or 'Check the path.'}"
        raise MissingFileError(message)
    if not path.is_file():
        raise MissingFileError(
            f"{str(path)!r} is not an ordinary file.\nIt is read more than once: save it first."
        )
    if not os.access(path, os.R_OK):
        raise MissingFileError(f"File {str(path)!r} may not be read.\nCheck its permissions.")


def check_names(names: Iterable[object], source: str) -> tuple[str, ...]:
    """Return column names as they are, or raise with all that is wrong about them."""
    names = list(names)
    texts = [name for name in names if isinstance(name, str)]
    problems = []
    if not names:
        problems.append(Problem(f"{source} has no columns."))
    if others := [name for name in names if not isinstance(name, str)]:
        listed = ", ".join(map(repr, others))
        problems.append(
            Problem(f"{source} has column names that are not text: {listed}.\nRename the columns.")
        )
    if empty := [str(place) for place, name in enumerate(names, start=1) if name == ""]:
        problems.append(
            Problem(f"{source} has columns without a name: number {', '.join(empty)}.\nName them.")
        )
    if twice := [f"{name!r} ({count} times)" for name, count in Counter(texts).items() if name and count > 1]:
        problems.append(
            Problem(f"{source} has column names more than once: {', '.join(twice)}.\nRename them.")
        )
    if problems:
        raise InputError(problems)
    return tuple(texts)


def check_wanted(columns: Sequence[str], known: Sequence[str], source: str) -> None:
    """Raise with every wanted column that a source lacks."""
    missing = [name for name in columns if name not in set(known)]
    if missing and len(missing) == len(columns) and not any(nearest(name, known) for name in missing):
        # The first line of a file without a header is somebody's: it is not shown.
        raise InputError(
            f"None of the columns that are looked for is in {source}.\n"
            f"Looked for: {', '.join(missing)}.\n"
            "Check that its first line is a header, and its delimiter."
        )
    if missing:
        raise InputError(
            Problem(
                f"Column {name!r} is not in {source}.\nColumns: {', '.join(known)}.\n"
                f"{nearest(name, known).strip()}".rstrip()
            )
            for name in missing
        )
