"""Which releases were extended, kept with the publisher: two extensions of one release give people away.

Whoever is new in both stands in the difference of each to the release, and nowhere else. The few rows that
fit both times are theirs. So a release is extended once, and then its extension is.

A file for each extension, in a folder for the release that it extends, in the folder of the publisher's
secret. It holds the name of the extension and a hash of its rows: to make the same one again is no second.
"""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa

from shoal import secret
from shoal.errors import InputError, OutputError
from shoal.files.folder import digests
from shoal.incremental.earlier_release import Earlier
from shoal.read.source import InputFormat
from shoal.sql.relation import open_relation

_FOLDER = "extensions"


def require_only_extension(earlier: Earlier, table: pa.Table) -> None:
    """Raise if a release was extended before, and not by these rows.

    Raises
    ------
    InputError
        It was.
    """
    rows = _rows(table)
    for path in sorted(_folder(earlier).glob("*.json")):
        try:
            kept = json.loads(path.read_bytes())
            name, same = kept["name"], kept["rows"] == rows
        except (OSError, ValueError, LookupError, TypeError):
            name, same = "a file that is not known any more", False
        if not same:
            raise InputError(
                f"The release {earlier.name!r} was extended before, to {name!r}.\n"
                "Whoever has two extensions of one release finds the people who are new in both.\n"
                f"Extend the newest release only, with the manifest of {name!r}. If nobody else has that "
                "file and nobody will, say so: --replace-extension (in Python replace_extension=True)."
            )


def record_extension(earlier: Earlier, path: Path, table: pa.Table) -> None:
    """Keep that a release was extended, to the file at a path.

    Raises
    ------
    OutputError
        It cannot be kept.
    """
    folder = secret.home()
    for part in _folder(earlier).relative_to(folder).parts:
        folder = secret.private_folder(folder) / part
    secret.private_folder(folder)
    (sha256,) = digests([path]).values()
    content = json.dumps({"name": path.name, "rows": _rows(table)}).encode()
    try:
        secret.keep(folder / f"{sha256}.json", content)
    except OSError as error:
        raise OutputError(
            f"The release was written, but that it extends {earlier.name!r} cannot be kept in '{folder}'.\n"
            f"The system says: {error.strerror or type(error).__name__}.\n"
            f"Set {secret.HOME} to a folder that you can write to and only you can read, and write it again."
        ) from error


def _folder(earlier: Earlier) -> Path:
    return secret.home() / _FOLDER / earlier.sha256


def _rows(table: pa.Table) -> str:
    """Return what tells rows from others, whatever their order."""
    with open_relation(table, InputFormat()) as relation:
        cells = ", ".join(relation.columns.values())
        count, total = relation.fetch_row(f"SELECT count(*), sum(hash({cells})) FROM {relation.source}")
    return f"{count} {total}"
