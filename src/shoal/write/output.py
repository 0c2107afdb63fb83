"""The output of a release: a file, a folder of files, or a table of a database."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, TypeAlias

from shoal.errors import InputError
from shoal.read.source import InputFormat


@dataclass(frozen=True, slots=True)
class FileOutput:
    """A file that ends in `.parquet`, `.csv` or `.csv.gz`; without a suffix, a folder of Parquet files.

    Attributes
    ----------
    delimiter
        Of a CSV file. Outputs that differ only in it are equal.
    quote
        Of every CSV file, whatever the input has: it is what all programs take for one unless told otherwise.
    """

    path: Path
    delimiter: str = field(default=",", compare=False)
    quote: ClassVar[str] = '"'

    def __post_init__(self) -> None:
        if self.path.name in ("", ".."):
            raise InputError(
                "A release needs a name of its own.\n"
                f"Found: {str(self.path)!r}.\nGive the path of a new file or folder."
            )

    def like(self, found: InputFormat | None, requested: InputFormat) -> FileOutput:
        """Return it with the delimiter of the input, as found or asked for, if it is a common one."""
        return replace(self, delimiter=(found or requested).of_release().delimiter or ",")

    @property
    def title(self) -> str:
        return self.path.name

    @property
    def folder(self) -> bool:
        """Whether it is a folder of files."""
        return not self.path.suffix

    @property
    def replaces_folder(self) -> bool:
        """Whether a folder will be or is there, as the engines that write folders give it any suffix."""
        return self.folder or self.path.is_dir()

    @property
    def is_csv(self) -> bool:
        """Whether all values in it are text."""
        return is_csv(self.path)

    @property
    def dialect(self) -> InputFormat:
        """How a CSV file is written."""
        return InputFormat(delimiter=self.delimiter, quote=self.quote, encoding="utf-8", header=True)


@dataclass(frozen=True, slots=True)
class TableOutput:
    """A table of the database, such as `visits_release` or `public.visits_release`."""

    name: str

    @property
    def title(self) -> str:
        return self.name


Output: TypeAlias = FileOutput | TableOutput


def is_csv(path: Path) -> bool:
    """Return whether a release of that name is CSV.

    Examples
    --------
    >>> is_csv(Path("release.CSV.gz")), is_csv(Path("release.parquet"))
    (True, False)
    """
    return path.name.lower().endswith((".csv", ".csv.gz"))


def as_output(output: str | Path | None, table: str | None) -> Output | None:
    """Return the output that a path or the name of a table gives, if one of them is given.

    Examples
    --------
    >>> as_output("release.csv", None).title, as_output(None, "visits_release").title
    ('release.csv', 'visits_release')
    """
    if output is not None and table is not None:
        raise InputError(
            f"A release has one output.\nFound: the file {Path(output).name!r} and the table {table!r}.\n"
            "Give one of --output and --output-table (in Python output and output_table)."
        )
    if table is not None:
        return TableOutput(table)
    if output is not None and (scheme := re.match(r"[A-Za-z][\w+.-]+:(?=/)", Path(output).as_posix())):
        # An object store has no place for the evidence: it is written by this program, to a disk.
        raise InputError(
            "A release goes to a disk, with its evidence beside it.\n"
            f"Found: an address that begins with {scheme[0]!r}.\n"
            "Give the path of a folder that is reached from here, or a table: --output-table (in Python "
            "output_table=...)."
        )
    return None if output is None else FileOutput(Path(output))
