"""The evidence that travels beside a release.

It says what was asked for, what was done and what was measured, with the queries that check it. It
holds nothing that the release does not tell already: no original values, no folders, no seed (which
would undo the shuffle), no time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path, PureWindowsPath
from typing import Any, Protocol

import pyarrow as pa

from shoal.audit import Audit, References
from shoal.describe.spec import Spec
from shoal.errors import InputError
from shoal.read.source import InputFormat, check_file

FORMAT = "shoal-manifest/1"


class Releasable(Protocol):
    """What a result must know to be written."""

    @property
    def table(self) -> pa.Table: ...
    @property
    def spec(self) -> Spec: ...
    @property
    def levels(self) -> Mapping[str, int]: ...
    @property
    def score(self) -> float: ...
    @property
    def quality(self) -> str: ...
    @property
    def optimal(self) -> bool: ...
    @property
    def bound(self) -> float | None: ...
    @property
    def rows(self) -> int: ...
    @property
    def suppressed_rows(self) -> int: ...
    @property
    def classes(self) -> int: ...
    @property
    def class_sizes(self) -> Mapping[int, int]: ...
    @property
    def shuffled(self) -> bool: ...
    @property
    def dialect(self) -> InputFormat | None: ...
    @property
    def notes(self) -> Sequence[str]: ...
    @property
    def audit(self) -> Audit: ...
    @property
    def references(self) -> References: ...


def manifest(release: Releasable, audit: Audit, path: Path, *, name: str | None = None) -> dict[str, Any]:
    """Return the manifest of the file at `path`, as plain values.

    Parameters
    ----------
    release
        The result that was written.
    audit
        Its audit, of that very file.
    path
        The file: its bytes are what the SHA-256 is of.
    name
        The file's name in the manifest, where it is to be another than its own.
    """
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    spec = release.spec
    return {
        "format": FORMAT,
        "tool": {"name": "shoal", "version": version("shoal")},
        "file": {"name": name or path.name, "sha256": digest},
        "claims": audit.to_mapping()["claims"],
        "rows": {"in": release.rows, "suppressed": release.suppressed_rows, "out": release.table.num_rows},
        "classes": release.classes,
        "class_sizes": {str(size): count for size, count in sorted(release.class_sizes.items())},
        "levels": dict(release.levels),
        "quality": release.quality,
        "score": release.score,
        "optimal": release.optimal,
        "bound": release.score if release.optimal else release.bound,
        "suppressed": spec.suppressed,
        "null": spec.nulls,
        "shuffled": release.shuffled,
        "notes": list(release.notes),
        "spec": _without_folders(spec.to_mapping()),
    }


def _without_folders(value: Any) -> Any:
    """Return a spec's mapping with the files in it by name only."""
    if isinstance(value, Mapping):
        return {
            key: PureWindowsPath(inner).name
            if key in ("file", "path", "population") and isinstance(inner, str)
            else _without_folders(inner)
            for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [_without_folders(inner) for inner in value]
    return value


def levels_in(path: Path) -> dict[str, int]:
    """Return the levels that a manifest tells, by quasi-identifier.

    Raises
    ------
    InputError
        The file is no manifest.
    """
    check_file(path)
    try:
        levels = json.loads(path.read_text(encoding="utf-8"))["levels"]
        whole = all(isinstance(level, int) and level >= 0 for level in levels.values())
    except (ValueError, KeyError, TypeError, AttributeError):
        whole = False
    if not whole:
        raise InputError(
            f"File {path.name!r} is not the manifest of a release.\nIt tells no levels.\n"
            "Give the file that was written beside the release, RELEASE.manifest.json."
        )
    return dict(levels)
