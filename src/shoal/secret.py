"""The publisher's secret: made on first use, kept private, and mixed into whatever must not be guessed.

A seed such as a date can be found by trying all dates, and a hash of a name by trying all names. Mixed with
a secret of 256 bits neither can. The secret stays in a folder of the user and is never part of a release.
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
import sys
import time
from pathlib import Path

from shoal.errors import InputError, OutputError

HOME = "SHOAL_HOME"
"""The environment variable that names the folder, for pipelines and for several publishers on one machine."""

_FILE = "secret"
_BYTES = 32
_PRIVATE = 0o600
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_WAIT = 1.0


def home() -> Path:
    """Return the folder that the secret and what is derived from it are kept in. It need not exist."""
    if named := os.environ.get(HOME):
        return Path(named)
    try:
        return _settings() / "shoal"
    except RuntimeError:  # a user without a home, as in some containers
        raise OutputError(
            "The publisher's secret has no folder.\n"
            f"This user has no home folder, and {HOME} is not set.\n"
            f"Set {HOME} to a folder that only you can read."
        ) from None


def derived(purpose: str, *parts: bytes) -> bytes:
    """Return 256 bits that whoever has the secret gets again, and that nobody else can compute.

    Parameters
    ----------
    purpose
        What they are for. What is derived for one purpose says nothing about another.
    parts
        What they depend on.

    Raises
    ------
    OutputError
        The secret cannot be made.
    InputError
        It cannot be read, is damaged, or others may read it.
    """
    mixed = hmac.new(_secret(), digestmod="sha256")
    for part in (purpose.encode(), *parts):
        # With their lengths, so that no two lists of parts are the same bytes.
        mixed.update(len(part).to_bytes(8, "big"))
        mixed.update(part)
    return mixed.digest()


def private_folder(folder: Path) -> Path:
    """Make a folder that only its owner may enter, unless it is there.

    Raises
    ------
    OutputError
        It cannot be made.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise _not_made(folder, error) from error
    return folder


def _settings() -> Path:
    """Return the folder in which programs of this platform keep what is the user's."""
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    named = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    return named if named.is_absolute() else Path.home() / ".config"


def _secret() -> bytes:
    path = home() / _FILE
    if not path.exists():
        _make(path)
    return _read(path)


def _make(path: Path) -> None:
    """Make the secret. Whoever comes first makes it: all others read that one."""
    private_folder(path.parent)
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
    except FileExistsError:
        return
    except OSError as error:
        raise _not_made(path.parent, error) from error
    try:
        with os.fdopen(file, "w", encoding="ascii") as writing:
            writing.write(secrets.token_hex(_BYTES) + "\n")
            writing.flush()
            os.fsync(writing.fileno())
    except OSError as error:  # a full disk: half a secret would be taken for a damaged one
        path.unlink(missing_ok=True)
        raise _not_made(path.parent, error) from error


def _read(path: Path) -> bytes:
    """Read the secret, which another process may be writing at this moment."""
    until = time.monotonic() + _WAIT
    try:
        if sys.platform != "win32" and path.stat().st_mode & _OTHERS:
            raise InputError(
                f"The publisher's secret '{path}' is open to other users.\n"
                f"Its permissions are {stat.S_IMODE(path.stat().st_mode):o}.\n"
                "Run chmod 600 on it, or remove it if others may have read it: the next use makes a new one."
            )
        while not (text := path.read_bytes()).endswith(b"\n") and time.monotonic() < until:
            time.sleep(0.01)
    except OSError as error:
        raise InputError(
            f"The publisher's secret '{path}' cannot be read.\n"
            f"The system says: {error.strerror or type(error).__name__}.\n"
            f"Change its permissions, or set {HOME} to another folder."
        ) from error
    try:
        secret = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        secret = b""
    if len(secret) != _BYTES:
        raise InputError(
            f"The publisher's secret '{path}' is damaged.\n"
            f"It must be {2 * _BYTES} hexadecimal digits.\n"
            "Restore it from a backup, or remove it: a new one is made on the next use, and what depended on "
            "the old one cannot be made again."
        )
    return secret


def _not_made(folder: Path, error: OSError) -> OutputError:
    return OutputError(
        "The publisher's secret cannot be saved.\n"
        f"The folder '{folder}' cannot be written to: {error.strerror or type(error).__name__}.\n"
        f"Set {HOME} to a folder that you can write to and only you can read."
    )
