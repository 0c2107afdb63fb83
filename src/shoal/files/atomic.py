"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.errors import OutputError, ShoalError
from shoal.files.temporary import private_folder, remove_private


def check_path(path: Path, *, apart_from: Iterable[Path] = ()) -> None:
    """Refuse a path where no file could be written later; call this before any work is done.

    Parameters
    ----------
    path
        Where the file is to go.
    apart_from
        Files that it must not replace, such as the input.

    Raises
    ------
    OutputError
        The folder is missing or not writable, a folder is where the file should go, or the file is one of
        those that must stay.
    """
    try:
        _check_folder(path.parent)
        _check_file(path)
        for other in apart_from:
            _check_apart(path, other)
    except ShoalError:
        raise
    except OSError as error:  # a name too long, a folder that may not be entered
        raise OutputError(
            f"The output '{path}' cannot be written.\n"
            f"The system says: {error.strerror or type(error).__name__}.\n"
            "Choose another name."
        ) from error


@contextmanager
def atomic(
    *paths: Path,
    first: Callable[[], object] | None = None,
    first_name: str | None = None,
    gone: Iterable[Path] = (),
) -> Iterator[tuple[Path, ...]]:
    """Give a hidden file for each path to write to; all are renamed to their paths when the block ends well.

    Whatever ends it otherwise, an interrupt included, the hidden files are removed and the paths stay as they
    were. A hidden file has the name of its path, in a folder beside it that nobody else may enter. An
    interrupt between the renames waits until all are done.

    Parameters
    ----------
    first
        Called when the hidden files are on the disk, before the first of them is renamed.
    first_name
        What messages call that which `first` changes.
    gone
        Files that are removed together with what was at the paths before, if they are there.

    Examples
    --------
    >>> path = Path(tempfile.mkdtemp()) / "notes.txt"
    >>> with atomic(path) as (hidden,):
    ...     _ = hidden.write_text("whole", encoding="utf-8")
    ...     path.exists()
    False
    >>> path.read_text(encoding="utf-8")
    'whole'
    """
    folders: dict[Path, Path] = {}
    changed = False
    try:
        for path in paths:
            _check_file(path)
            if path.parent not in folders:
                folders[path.parent] = private_folder(path.parent)
        hidden = tuple(folders[path.parent] / path.name for path in paths)
        yield hidden
        for file in hidden:
            flush(file)
        with uninterrupted():
            if first is not None:
                first()
                changed = True
            for file, path in zip(hidden, paths, strict=True):
                file.replace(path)
                changed = True
            for path in gone:
                path.unlink(missing_ok=True)
    except ShoalError:
        raise
    except OSError as error:
        raise _failure([*([] if first_name is None else [first_name]), *paths], error, changed) from error
    finally:
        for folder in folders.values():
            remove_private(folder)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Raise as an OutputError what the system refuses, when nothing was changed at a path."""
    try:
        yield
    except ShoalError:
        raise
    except OSError as error:
        raise _failure([path], error, changed=False) from None


def _failure(paths: Iterable[Path | str], error: OSError, changed: bool) -> OutputError:
    names = ", ".join(f"'{path}'" for path in paths)
    state = (
        "Some of these files are new and others are not: they do not belong together. Check the "
        "permissions, and write them again."
        if changed
        else "Nothing was changed there; check the free space and the permissions."
    )
    return OutputError(
        f"Writing {names} failed.\nThe system says: {error.strerror or type(error).__name__}.\n{state}"
    )


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C, and what else ends a run in an orderly way, wait until the block has ended."""
    came: list[int] = []
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if callable(handler := signal.getsignal(number)):
                before[number] = handler
                signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        signal.raise_signal(came[0])


def identity(path: Path | None) -> tuple[int, int] | None:
    """Return what tells a file or folder from another of the same name; None if there is none."""
    try:
        about = None if path is None else path.stat(follow_symlinks=False)
    except OSError:
        return None
    return None if about is None else (about.st_ino, about.st_mtime_ns)


def flush(path: Path) -> None:
    """Wait until what was written to a file is on the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        found = "A file of that name already exists" if folder.exists() else "It does not exist"
        raise OutputError(
            f"The output folder '{folder}' cannot be written to.\n"
            f"{found}.\n"
            "Create the folder first, or choose another."
        )
    try:
        # Asking beats predicting: permission bits do not tell for every file system and platform.
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OutputError(
            f"The output folder '{folder}' cannot be written to.\n"
            f"The system says: {error.strerror or type(error).__name__}.\n"
            "Choose another folder, or change its permissions."
        ) from error


def check_link(path: Path) -> None:
    """Refuse to write to a link, whatever engine writes and whatever it leads to."""
    if path.is_symlink():
        # To follow it would write where whoever made it wants; to replace it would surprise its owner.
        raise OutputError(
            f"The output '{path}' cannot be written.\nIt is a link to another place.\n"
            "Give the path that it leads to, or remove it."
        )


def _check_file(path: Path) -> None:
    check_link(path)
    if path.is_dir():
        raise OutputError(
            f"The output '{path}' cannot be written.\n"
            "A folder of that name already exists.\n"
            "Choose another name."
        )


def _check_apart(path: Path, other: Path) -> None:
    if path.resolve() == other.resolve() or (path.exists() and other.exists() and path.samefile(other)):
        raise OutputError(
            f"The output '{path}' cannot be written.\n"
            f"It is the same file as '{other}', which is in use.\n"
            "Choose another name."
        )
