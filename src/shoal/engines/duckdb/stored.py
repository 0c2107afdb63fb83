"""Released rows that DuckDB wrote: hidden files beside their place, or a hidden table."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from shoal.engines.target import FileTarget
from shoal.errors import OutputError


@dataclass
class StoredFiles:
    """A hidden file or folder; the folder of an earlier release is moved away before it takes its place.

    Attributes
    ----------
    reading
        Returns what stands after FROM to read it.
    """

    target: FileTarget
    hidden: Path
    reading: Callable[[Path], str]
    rows: int = 0
    done: bool = field(default=False, repr=False)

    @property
    def relation(self) -> str:
        return self.reading(self.target.path if self.done else self.hidden)

    @property
    def files(self) -> Sequence[Path]:
        place = self.target.path if self.done else self.hidden
        return sorted(place.glob("*.parquet")) if self.target.folder else [place]

    def publish(self) -> None:
        if self.done:
            return
        target = self.target.path
        try:
            if self.target.folder:
                _replace_folder(self.hidden, target)
            else:
                self.hidden.replace(target)
        except OSError as error:
            raise OutputError(
                f"The release cannot be put into its place, {target.name!r}.\n"
                f"The system says: {error.strerror or type(error).__name__}.\n"
                "Nothing was changed there; check the permissions."
            ) from error
        self.done = True

    def discard(self) -> None:
        if self.done:
            return
        self.done = True
        if self.hidden.is_dir():
            shutil.rmtree(self.hidden, ignore_errors=True)
        with suppress(OSError):
            self.hidden.unlink(missing_ok=True)


@dataclass
class StoredTable:
    """A hidden table of the attached database."""

    relation: str
    rows: int
    place: Callable[[], None]
    remove: Callable[[], None]
    files: Sequence[Path] = ()
    done: bool = field(default=False, repr=False)

    def publish(self) -> None:
        if not self.done:
            self.place()
            self.done = True

    def discard(self) -> None:
        if not self.done:
            self.done = True
            self.remove()


def _replace_folder(hidden: Path, target: Path) -> None:
    """Put a folder into the place of another, which goes only once the new one is there."""
    old = hidden.with_name(f"{hidden.name}.old")
    if target.exists():
        target.rename(old)
    try:
        hidden.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    if old.exists():
        shutil.rmtree(old, ignore_errors=True)
