"""A release that is a folder of files, as engines write it that work in parallel."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from shoal.errors import InputError, MissingFileError

_SUFFIXES = (".parquet", ".csv.gz", ".csv")


def check_folder(folder: Path) -> None:
    """Raise unless a folder may be read."""
    try:
        next(iter(folder.iterdir()), None)
    except OSError as error:
        raise MissingFileError(
            f"Folder {str(folder)!r} cannot be read.\nThe system says: {error.strerror}.\nCheck the path."
        ) from None


def by_name(path: Path) -> Path:
    """Return a path that ends in a name: that of the folder, where it is `.` or `..`."""
    return path.resolve() if path.name in ("", "..") else path


def data_files(folder: Path) -> tuple[str, list[Path]]:
    """Return the files of a release by name, and how the names of all of them end.

    Raises
    ------
    InputError
        There are none, or of several kinds.
    """
    check_folder(folder)
    found: dict[str, list[Path]] = {}
    for file in sorted(folder.iterdir()):
        suffix = next((suffix for suffix in _SUFFIXES if file.name.lower().endswith(suffix)), None)
        if suffix is not None and file.is_file() and not _is_checksum(file):
            found.setdefault(suffix, []).append(file)
    if len(found) != 1:
        kinds = ", ".join(f"{len(files):,} {suffix}" for suffix, files in found.items()) or "none of them"
        raise InputError(
            f"A release in a folder is Parquet or CSV files, all of one kind.\nFound in {folder.name!r}: "
            f"{kinds}.\nGive the folder that was written, and nothing else in it."
        )
    ((suffix, files),) = found.items()
    return suffix, files


def left_out(folder: Path) -> list[str]:
    """Return the files of a release that some programs do not read, for their names.

    Spark takes what begins with a dot or `_` for hidden, and `*.csv` leaves `part-1.CSV` out. Whoever reads
    the others alone finds smaller classes.
    """
    suffix, files = data_files(folder)
    return [file.name for file in files if file.name.startswith((".", "_")) or not file.name.endswith(suffix)]


def has_folders(folder: Path) -> bool:
    """Return whether a release has folders with files in them: Arrow and Spark read some, DuckDB none."""
    inside = (entry for entry in folder.iterdir() if entry.is_dir())
    return any(file.is_file() and file.stat().st_size for entry in inside for file in entry.rglob("*"))


def digests(files: Iterable[Path]) -> dict[str, str]:
    """Return by name the SHA-256 of files."""
    found = {}
    for path in files:
        with path.open("rb") as file:
            found[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def differing_files(folder: Path, recorded: Mapping[str, str]) -> list[str]:
    """Return how the files of a folder differ from those that a manifest names, with their SHA-256.

    What others leave there must be empty, such as `_SUCCESS`: hidden files are handed on with the rest.
    """
    check_folder(folder)
    there = {
        entry.name: entry
        for entry in sorted(folder.iterdir())
        if entry.name in recorded or _has_content(entry)
    }
    wrong = [f"without {name}" for name in recorded if name not in there or not there[name].is_file()]
    wrong += [f"{name} is not in the manifest" for name in there if name not in recorded]
    wrong += [f"{name} is no part of a table" for name in recorded if not name.lower().endswith(_SUFFIXES)]
    known = [there[name] for name in recorded if name in there and there[name].is_file()]
    wrong += [f"another {name}" for name, digest in digests(known).items() if digest != recorded[name]]
    return wrong


def _has_content(entry: Path) -> bool:
    """Return whether something in a folder is more than a name that begins with a dot or `_`."""
    hidden = entry.name.startswith((".", "_")) and not entry.name.lower().endswith(_SUFFIXES)
    return not (hidden and entry.is_file() and entry.stat().st_size == 0)


def _is_checksum(file: Path) -> bool:
    """Return whether a file is one that Hadoop keeps beside data: `.part-0.parquet.crc`."""
    return file.name.startswith(".") and file.name.endswith(".crc")
