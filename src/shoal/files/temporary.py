"""Folders for rows that nobody may read yet: a release that is not audited, or what a query spills.

Each is a folder of mode 0700 from the start, so that whatever is written into it, by whichever engine, is
closed to others until it is renamed into its place; there it has the permissions of any new file. The name
of the folder has the process that made it. If that was killed, the next run that writes there removes it.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

_NAME = re.compile(r"\.shoal-([0-9a-f]{12})-([0-9]{1,10})-[0-9a-f]{8}")


def private_folder(parent: Path) -> Path:
    """Make a folder that only its owner may enter, and remove those that dead processes left beside it.

    Examples
    --------
    >>> import tempfile
    >>> folder = private_folder(Path(tempfile.mkdtemp()))
    >>> is_private(folder), folder.name.startswith(".shoal-")
    (True, True)
    """
    remove_stale(parent)
    folder = parent / f".shoal-{_machine()}-{os.getpid()}-{secrets.token_hex(4)}"
    folder.mkdir(mode=0o700)
    return folder


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Give a private folder among the system's temporary ones, as long as the block runs."""
    folder = private_folder(Path(tempfile.gettempdir()))
    try:
        yield folder
    finally:
        remove_private(folder)


def is_private(folder: Path) -> bool:
    """Return whether a folder is one that `private_folder` made."""
    return _NAME.fullmatch(folder.name) is not None


def remove_private(folder: Path) -> None:
    """Remove a folder that `private_folder` made, with what is in it."""
    if is_private(folder):
        shutil.rmtree(folder, ignore_errors=True)


def remove_stale(parent: Path) -> None:
    """Remove the folders of processes that are dead. Those of other machines, users and containers stay."""
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            found = _NAME.fullmatch(entry.name)
            if found is None or found[1] != _machine():
                continue
            with suppress(OSError):  # another run removed it at this moment
                if _is_ours(entry) and _is_dead(int(found[2])):
                    shutil.rmtree(entry.path, ignore_errors=True)


def _is_ours(entry: os.DirEntry[str]) -> bool:
    """Return whether it is a folder, not a link, of this user, which nobody else may enter."""
    if not hasattr(os, "getuid"):
        return False
    about = entry.stat(follow_symlinks=False)
    return stat.S_ISDIR(about.st_mode) and about.st_uid == os.getuid() and not about.st_mode & 0o077


def _is_dead(process: int) -> bool:
    if os.name == "nt":  # there, to send no signal ends a process
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


@cache
def _machine() -> str:
    """Return a mark of the space in which process numbers are unique: the machine, or a container on it."""
    space = ""
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii")
        space = f"{Path('/proc/self/ns/pid').readlink()} {boot}"
    return hashlib.sha256(f"{platform.node()} {space}".encode()).hexdigest()[:12]
