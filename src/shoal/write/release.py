"""A release on disk: written, audited as written, and only then in its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from shoal.audit import audit_release
from shoal.read.source import InputFormat
from shoal.write.atomic import atomic, check_writable
from shoal.write.files import write_table
from shoal.write.manifest import Releasable, manifest


def manifest_path(path: Path) -> Path:
    """Return where the manifest of a release goes.

    Examples
    --------
    >>> manifest_path(Path("release.csv")).name
    'release.csv.manifest.json'
    """
    return path.with_name(f"{path.name}.manifest.json")


def write_release(
    release: Releasable,
    path: str | Path,
    *,
    stage: Callable[[str], AbstractContextManager[object]] = nullcontext,
) -> Path:
    """Write a release with its manifest beside it, once the audit of the written file holds.

    Parameters
    ----------
    release
        The result of an anonymization.
    path
        Ends in `.csv`, `.csv.gz`, `.parquet` or `.xlsx`. A file that is there already is replaced.
    stage
        Called with `write` and `audit`, it gives the context in which each runs: a stopwatch, say.

    Raises
    ------
    OutputError
        The file cannot be written there.
    AuditError
        The release does not keep what it claims. Nothing is written.
    """
    path = Path(path)
    check_writable(path)
    asked = release.spec.input
    found = release.dialect or asked
    dialect = InputFormat(delimiter=found.delimiter or ",", quote=asked.quote or '"', encoding="utf-8")
    with atomic(path, manifest_path(path)) as (data, evidence):
        with stage("write"):
            write_table(release.table, data, dialect)
        with stage("audit"):
            audit = audit_release(
                data,
                release.spec,
                dialect,
                name=path.name,
                original=release.references.original,
                populations=release.references.populations,
                levels=release.levels,
                earlier=release.audit,
                starred_rows=release.suppressed_rows if release.spec.suppressed == "star" else 0,
            ).require(release.table.num_rows)
        text = json.dumps(manifest(release, audit, data, name=path.name), indent=2, ensure_ascii=False)
        evidence.write_text(text + "\n", encoding="utf-8", newline="\n")
    return path
