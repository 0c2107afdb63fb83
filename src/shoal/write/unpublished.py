"""Rows that are written and not published yet: closed to others, beside the output where they will go."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import Protocol

from shoal.errors import OutputError
from shoal.files.atomic import check_link, explained
from shoal.files.folder import digests
from shoal.files.temporary import private_folder, remove_private
from shoal.write.output import FileOutput


class State(Enum):
    """What has become of released rows."""

    WAITING = auto()
    PUBLISHED = auto()
    GONE = auto()


class Unpublished(Protocol):
    """Released rows that wait for their audit and their evidence."""

    @property
    def files(self) -> Sequence[Path]:
        """The local files that they consist of, as they are called now; none for tables."""
        ...

    def check(self) -> None:
        """Raise an OutputError if they are gone, or no longer those that were published."""
        ...

    def publish(self) -> None:
        """Move them to their output at once; what was there before is replaced.

        Files that are published may be so again, with other evidence, if they are still the same.
        """
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
    state: State = field(default=State.WAITING, init=False, repr=False)
    _sha256: Mapping[str, str] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        path = self.output.path
        with explained(path):
            self.hidden = private_folder(path.parent) / path.name
        weakref.finalize(self, remove_private, self.hidden.parent)  # where nobody publishes or discards it

    @property
    def current(self) -> Path:
        """Where it is now."""
        return self.output.path if self.state is State.PUBLISHED else self.hidden

    @property
    def files(self) -> Sequence[Path]:
        return sorted(self.current.iterdir()) if self.current.is_dir() else [self.current]

    def check(self) -> None:
        if self.state is State.GONE:
            raise gone()
        if self.state is State.PUBLISHED and found_digests(self.files) != self._sha256:
            raise replaced(self.output.title)

    def publish(self) -> None:
        self.check()
        if self.state is State.PUBLISHED:
            return
        path = self.output.path
        with explained(path):
            check_link(path)
            self._sha256 = digests(self.files)
            if self.hidden.is_dir() and path.is_dir():
                self._replace_folder(path)
            else:
                self.hidden.replace(path)
        self.state = State.PUBLISHED
        remove_private(self.hidden.parent)

    def discard(self) -> None:
        if self.state is State.WAITING:
            self.state = State.GONE
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


def found_digests(files: Sequence[Path]) -> Mapping[str, str]:
    """Return by name the SHA-256 of files; of none if one of them cannot be read."""
    try:
        return digests(files)
    except OSError:
        return {}


def gone() -> OutputError:
    return OutputError(
        "The rows of the release are gone.\n"
        "They were not published, or the database has removed them since.\n"
        "Make the release again."
    )


def replaced(title: str) -> OutputError:
    return OutputError(
        f"The rows of the release {title!r} are gone.\n"
        "What has this name now was changed or replaced after the release was published.\n"
        "Make the release again."
    )


def published_table(title: str) -> OutputError:
    return OutputError(
        f"The release is published already, as the table {title!r}.\n"
        "The evidence of a table is written together with it, and only then.\n"
        "Make the release again."
    )
