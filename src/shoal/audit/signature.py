"""A signature of the manifest, by which others tell that it comes from whoever holds the key.

Ed25519: 64 bytes in a file beside the manifest, of all its bytes. The manifest holds the SHA-256 of the
release, so what is signed is that too. Keys are PEM files, and `openssl` checks a signature without Shoal.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from shoal.audit.finding import Finding
from shoal.errors import OutputError
from shoal.read.key_file import private_key, public_key
from shoal.read.source import check_installed

_LENGTH = 64
"""Bytes of a signature."""


def public_key_path(path: Path) -> Path:
    """Return where the public half of a key goes.

    Examples
    --------
    >>> public_key_path(Path("steward.pem")).name
    'steward.pub.pem'
    """
    return path.parent / (f"{path.stem}.pub.pem" if path.suffix.lower() == ".pem" else f"{path.name}.pub.pem")


def make_keys(path: str | Path) -> tuple[Path, Path]:
    """Write a new private key, for its owner's eyes only, and its public half beside it.

    Raises
    ------
    OutputError
        One of the files is there already: no key is ever replaced. Or it cannot be written.
    """
    check_installed("cryptography", "sign", "A signature")
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private = Path(path)
    public = public_key_path(private)
    key = Ed25519PrivateKey.generate()
    texts = {
        private: key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ),
        public: key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        ),
    }
    made: list[Path] = []
    try:
        for file, text in texts.items():
            # Never an existing file, and from the beginning for nobody else to read.
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            handle = os.open(file, flags, 0o600 if file == private else 0o644)
            made.append(file)
            with os.fdopen(handle, "wb") as stream:
                stream.write(text)
    except OSError as error:
        for file in made:
            with suppress(OSError):
                file.unlink()
        found = (
            "It already exists"
            if isinstance(error, FileExistsError)
            else f"The system says: {error.strerror}"
        )
        raise OutputError(
            f"The key '{error.filename or private}' cannot be written.\n{found}.\nChoose another name."
        ) from None
    return private, public


def signer(path: str | Path) -> Callable[[bytes], bytes]:
    """Return what signs with the private key in a file.

    Raises
    ------
    InputError
        The file is no such key.
    """
    return private_key(Path(path)).sign


def signature_finding(manifest: Path, written: bytes, key_path: str | Path) -> Finding:
    """Find whether the manifest was signed with the private half of a key, and is as it was then.

    Parameters
    ----------
    manifest
        Its path, beside which the signature is.
    written
        Its bytes, as they were read for the audit.
    """
    from cryptography.exceptions import InvalidSignature

    key = public_key(Path(key_path))
    signature = manifest.with_name(f"{manifest.name}.sig")
    if not signature.is_file():
        return Finding("signature", False, f"there is none: no file {signature.name!r}", "")
    try:
        with signature.open("rb") as file:
            signed = file.read(_LENGTH + 1)  # whoever sends the file chooses how long it is
        key.verify(signed, written)
    except OSError as error:
        return Finding("signature", False, f"it cannot be read: {error.strerror}", "")
    except InvalidSignature:
        return Finding("signature", False, "of another manifest, or by another key", "")
    return Finding("signature", True, f"Ed25519, by the key {Path(key_path).name!r}", "")
