"""Where a release goes when an engine writes it itself: files, or a table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class FileTarget:
    """A file that ends in `.parquet`, `.csv` or `.csv.gz`; without a suffix, a folder of Parquet files.

    Attributes
    ----------
    delimiter, quote
        Of a CSV file.
    """

    path: Path
    delimiter: str = ","
    quote: str = '"'

    @property
    def title(self) -> str:
        return self.path.name

    @property
    def folder(self) -> bool:
        """Whether it is a folder of files."""
        return not self.path.suffix


@dataclass(frozen=True, slots=True)
class TableTarget:
    """A table of the database, such as `visits_release` or `public.visits_release`."""

    name: str

    @property
    def title(self) -> str:
        return self.name


Target: TypeAlias = FileTarget | TableTarget
