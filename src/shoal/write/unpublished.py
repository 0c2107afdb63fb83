"""Rows that are written and not published yet: closed to others, beside the output where they will go."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from shoal.files.atomic import check_link, explained
from shoal.files.temporary import private_folder, remove_private
from shoal.write.output import FileOutput


class Unpublished(Protocol):
    """Released rows that wait for their audit and their evidence."""

    @property
    def files(self) -> Sequence[Path]:
        """The local files that they consist of, as they are called now; none for tables."""
        ...

    def publish(self) -> None:
        """Move them to their output at once; what was there before is replaced."""
        ...

    def discard(self) -> None:
        """Remove them; the output stays as it was. Does nothing once they are published."""
        ...


@dataclass(slots=True, weakref_slot=True)
class UnpublishedFiles:
    """A file, or a folder of files, in a private folder beside its output.

    Attributes
    ----------
    hidden
        Where it is written first; it has the name of the output.
    """

    output: FileOutput
    hidden: Path = field(init=False)
    done: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        path = self.output.path
        with explained(path):
            self.hidden = private_folder(path.parent) / path.name
        weakref.finalize(self, remove_private, self.hidden.parent)  # where nobody publishes or discards it

    @property
    def current(self) -> Path:
        """Where it is now."""
        return self.output.path if self.done else self.hidden

    @property
    def files(self) -> Sequence[Path]:
        return sorted(self.current.iterdir()) if self.current.is_dir() else [self.current]

    def publish(self) -> None:
        if self.done:
            return
        path = self.output.path
        with explained(path):
            check_link(path)
            if self.hidden.is_dir() and path.is_dir():
                self._replace_folder(path)
            else:
                self.hidden.replace(path)
        self.done = True
        remove_private(self.hidden.parent)

    def discard(self) -> None:
        if not self.done:
            remove_private(self.hidden.parent)

    def _replace_folder(self, path: Path) -> None:
        """Rename the folder; the one that was there is removed only after that."""
        old = self.hidden.with_name(f"old.{self.hidden.name}")
        path.rename(old)
        try:
            self.hidden.rename(path)
        except OSError:
            old.rename(path)
            raise
