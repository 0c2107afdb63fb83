"""Which releases were extended, kept with the publisher: two extensions of one release give people away.

Whoever is new in both stands in the difference of each to the release, and nowhere else. The few rows that
fit both times are theirs. So a release is extended once, and then its extension is.

A file for each extension, in a folder for the release that it extends, in the folder of the publisher's
secret. It holds the name of the extension. Both are called by a hash of their rows: a release that is made
or written again, in another order or another kind of file, is the same, and to make the same extension again
is no second.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa

from shoal import secret
from shoal.errors import InputError, OutputError
from shoal.files.atomic import identity
from shoal.incremental.earlier_release import Earlier
from shoal.incremental.identifier_spelling import normal
from shoal.read.columns import coded, values_shown

_FOLDER = "extensions"


def require_only_extension(earlier: Earlier, table: pa.Table) -> None:
    """Raise if a release was extended before, and not by these rows.

    Raises
    ------
    InputError
        It was.
    """
    own = _hash(table)
    for path in sorted(_folder(earlier).glob("*.json")):
        if path.stem == own:
            continue
        try:
            name = json.loads(path.read_bytes())["name"]
        except (OSError, ValueError, LookupError, TypeError):
            name = "a file that is not known any more"
        raise InputError(
            f"The release {earlier.name!r} was extended before, to {name!r}.\n"
            "Whoever has two extensions of one release finds the people who are new in both.\n"
            f"Extend the newest release only, with the manifest of {name!r}. If nobody else has that "
            "file and nobody will, say so: --replace-extension (in Python replace_extension=True)."
        )


@contextmanager
def recorded_extension(earlier: Earlier, path: Path, table: pa.Table) -> Iterator[None]:
    """Keep that a release is extended, to the file at a path, unless the block that writes it does not.

    It is kept before the file is there: whatever ends the run, no extension exists of which nobody knows.

    Raises
    ------
    OutputError
        It cannot be kept.
    """
    folder = secret.home()
    for part in _folder(earlier).relative_to(folder).parts:
        folder = secret.private_folder(folder) / part
    record = secret.private_folder(folder) / f"{_hash(table)}.json"
    known, before = record.exists(), identity(path)
    try:
        secret.keep(record, json.dumps({"name": path.name}).encode())
    except OSError as error:
        raise OutputError(
            f"That {earlier.name!r} is extended cannot be kept in '{folder}'.\n"
            f"The system says: {error.strerror or type(error).__name__}. Nothing was written.\n"
            f"Set {secret.HOME} to a folder that you can write to and only you can read."
        ) from error
    try:
        yield
    except BaseException:
        if not known and identity(path) == before:  # Ctrl-C may come when it is written
            record.unlink(missing_ok=True)
        raise


def _folder(earlier: Earlier) -> Path:
    return secret.home() / _FOLDER / _hash(earlier.table)


def _hash(table: pa.Table) -> str:
    """Return what tells rows from others, whatever their order and however a file spells their values."""
    rows = np.zeros(table.num_rows, dtype=np.uint64)
    for name in table.column_names:
        values = coded(table.column(name), name)
        hashes = [_cell(name, normal(text)) for text in values_shown(values.dictionary)]
        numbers = np.array([*hashes, 0], dtype=np.uint64)  # NULL comes last
        rows += numbers[values.indices.fill_null(len(hashes)).to_numpy(zero_copy_only=False)]
    return hashlib.sha256(np.sort(rows).tobytes()).hexdigest()


def _cell(column: str, value: str) -> int:
    """Return 64 bits for a cell; 0 for one without a value, which a file may spell as NULL."""
    return int.from_bytes(hashlib.sha256(f"{column}\0{value}".encode()).digest()[:8], "big") if value else 0
