"""The people of releases, kept with the publisher: never beside a release, so that nobody hands them on.

One file per release, named by its SHA-256, in the folder of the publisher's secret. It holds keyed hashes
(`shoal.incremental.people`), sorted, 16 bytes each: a million people with two identifiers take 32 MB.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from shoal import secret
from shoal.errors import InputError, OutputError
from shoal.files.folder import digests
from shoal.incremental.people import HASH_BYTES, HashedPeople, Trait, identifying
from shoal.read.source import Source
from shoal.spec.spec import Spec

_FOLDER = "people"
_PACKED = (zipfile.BadZipFile, zlib.error)


def key() -> bytes:
    """Return the key under which people are hashed."""
    return secret.derived("people")


def remember(release: Path, people: HashedPeople) -> Path:
    """Keep the people of a release, by the SHA-256 of its file. Only their publisher may read them.

    Raises
    ------
    OutputError
        They cannot be written.
    """
    folder = secret.private_folder(secret.private_folder(secret.home()) / _FOLDER)
    (sha256,) = digests([release]).values()
    path = folder / f"{sha256}.npz"
    about = {
        "secret": _mark(),
        "traits": [[trait.columns, trait.people, trait.sharing, trait.missing] for trait in people.traits],
    }
    arrays: dict[str, Any] = {
        f"hashes{position}": trait.hashes for position, trait in enumerate(people.traits)
    }
    content = io.BytesIO()
    np.savez(content, about=np.frombuffer(json.dumps(about).encode(), dtype=np.uint8), **arrays)
    try:
        secret.keep(path, content.getvalue())
    except OSError as error:
        raise OutputError(
            f"The release was written, but its people cannot be remembered in '{folder}'.\n"
            f"The system says: {error.strerror or type(error).__name__}.\n"
            f"Set {secret.HOME} to a folder that you can write to and only you can read, and write it again."
        ) from error
    return path


def recall(sha256: str) -> HashedPeople | None:
    """Return the people of a release; None if they were not remembered here.

    Raises
    ------
    InputError
        They were, but not with this secret, or the file is damaged.
    """
    path = _file(sha256)
    if not path.exists():
        return None
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            about = json.loads(arrays["about"].tobytes())
            mark = about["secret"]
            traits = tuple(
                Trait(tuple(columns), arrays[f"hashes{position}"].astype(f"S{HASH_BYTES}"), *counts)
                for position, (columns, *counts) in enumerate(about["traits"])
            )
    except (OSError, EOFError, ValueError, LookupError, TypeError, NotImplementedError, *_PACKED):
        raise InputError(
            f"The remembered people of the release cannot be read.\nFound: '{path}'.\n"
            "Restore the file, or give the original table: --original FILE (in Python original=...)."
        ) from None
    if mark != _mark():
        raise InputError(
            "The people of the release were remembered with another secret.\n"
            f"The secret in '{secret.home()}' is not the one of then: nobody can be compared.\n"
            "Restore it, or give the original table: --original FILE (in Python original=...)."
        )
    return HashedPeople(traits)


def is_remembered(sha256: str) -> bool:
    """Return whether the people of a release were remembered here."""
    return _file(sha256).exists()


def people_of(source: Source, spec: Spec) -> HashedPeople:
    """Return the people of a table, as they are remembered. Its identifiers are read for this alone.

    Raises
    ------
    InputError
        The spec names no column that tells people apart.
    """
    columns = identifying(spec)
    if not columns:
        raise nobody_to_remember()
    return HashedPeople.of([source.read(columns, coded=())], spec, key())


def nobody_to_remember() -> InputError:
    return InputError(
        "There are no people to remember.\nThe spec names no unit and no identifiers.\n"
        "Name the columns that distinguish people, or leave --remember-people out."
    )


def _file(sha256: str) -> Path:
    return secret.home() / _FOLDER / f"{sha256}.npz"


def _mark() -> str:
    """Return what tells secrets apart and says nothing about them."""
    return secret.derived("which secret").hex()[:32]
