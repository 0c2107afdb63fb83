"""Keys in PEM files, as `shoal key` writes them: to sign, to check signatures, and to make pseudonyms."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from shoal.errors import InputError
from shoal.read.source import check_file, check_installed

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

_LARGEST = 1 << 16


def private_key(path: Path, what: str = "A signature") -> Ed25519PrivateKey:
    """Return the private key in a file.

    Parameters
    ----------
    what
        What needs it, in messages.

    Raises
    ------
    InputError
        The file is no such key.
    """
    check_installed("cryptography", "sign", what)
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    text = _read(path)
    try:
        key = load_pem_private_key(text, password=None)
    except TypeError:
        raise _no_key(path, "private", "It is protected by a password") from None
    except Exception:  # of many kinds, none of which says more
        found = "It is a public key" if b"PUBLIC KEY" in text else "It is not a PEM file of a private key"
        raise _no_key(path, "private", found) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise _no_key(path, "private", "It is not an Ed25519 key")
    return key


def public_key(path: Path) -> Ed25519PublicKey:
    """Return the public key in a file.

    Raises
    ------
    InputError
        The file is no such key.
    """
    check_installed("cryptography", "sign", "A signature")
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    text = _read(path)
    try:
        key = load_pem_public_key(text)
    except Exception:  # of many kinds, none of which says more
        raise _no_key(path, "public", "It is not a PEM file of a public key") from None
    if not isinstance(key, Ed25519PublicKey):
        raise _no_key(path, "public", "It is not an Ed25519 key")
    return key


def check_private(path: Path) -> None:
    """Refuse a file that others on this machine may read, as ssh does.

    Raises
    ------
    InputError
        Its permissions say so. Windows has none of this kind.
    """
    mode = stat.S_IMODE(path.stat().st_mode)
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise InputError(
            f"The key {path.name!r} is open to other users.\nIts permissions are {mode:o}.\n"
            "Run chmod 600 on it, or make another if others may have read it."
        )


def _read(path: Path) -> bytes:
    check_file(path)
    with path.open("rb") as file:
        return file.read(_LARGEST)


def _no_key(path: Path, half: Literal["private", "public"], found: str) -> InputError:
    return InputError(
        f"File {path.name!r} is not a {half} key.\n{found}.\n"
        f"Give the {half} key that `shoal key FILE` wrote, or one of Ed25519 made by openssl."
    )
