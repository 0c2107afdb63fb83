"""A release that a database wrote: put into its place together with its evidence, or not at all."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.audit import Audit
from shoal.files.atomic import atomic
from shoal.read.source import InputFormat
from shoal.write.manifest import Releasable, manifest
from shoal.write.output import FileOutput, Output
from shoal.write.release import (
    CHECKER,
    Pages,
    checker_path,
    internal_report_path,
    manifest_path,
    report_path,
    write_pages,
)

if TYPE_CHECKING:
    from shoal.engines.relational.database import Stored


def write_placed(
    release: Releasable,
    stored: Stored,
    output: Output,
    audit: Audit,
    *,
    sign: str | Path | None,
    report: Callable[[Audit, Mapping[str, Any]], Pages] | None,
    stage: Callable[[str], AbstractContextManager[object]],
    manifest_at: Path | None,
) -> Path:
    """Publish stored rows, with the manifest and what else is asked for beside them.

    Parameters
    ----------
    stored
        The rows, as audited.
    manifest_at
        Where the manifest of a table goes; if not given, into the current folder.

    Returns
    -------
    Path
        That of the release, or of the manifest where the release is a table.
    """
    signed = None
    if sign is not None:
        from shoal.audit.signature import signer

        signed = signer(sign)
    base = output.path if isinstance(output, FileOutput) else Path(_file_name(output.name))
    own = manifest_path(base) if manifest_at is None else manifest_at
    checker = checker_path(base) if isinstance(output, FileOutput) else None
    signature = own.with_name(f"{own.name}.sig")
    reports = {"internal": internal_report_path(base), "report": report_path(base)}
    wanted = {
        "manifest": own,
        "checker": checker,
        "signature": None if signed is None else signature,
        **({} if report is None else reports),
    }
    # A signature and reports of an earlier release in the same place are not about this one.
    gone = [*([signature] if signed is None else []), *(reports.values() if report is None else [])]

    def publish() -> None:
        with stage("write"):
            stored.publish()

    beside = {what: place for what, place in wanted.items() if place is not None}
    with ExitStack() as stack:
        stack.callback(stored.discard)
        files = stack.enter_context(atomic(*beside.values(), first=publish, gone=gone))
        hidden = dict(zip(beside, files, strict=True))
        dialect = None
        if isinstance(output, FileOutput) and checker is not None:
            dialect = InputFormat(
                delimiter=output.delimiter, quote=output.quote, encoding="utf-8", header=True
            )
        evidence = manifest(release, audit, stored.files, output=output, dialect=dialect)
        text = (json.dumps(evidence, indent=2, ensure_ascii=False) + "\n").encode()
        hidden["manifest"].write_bytes(text)
        if checker is not None:
            hidden["checker"].write_bytes(CHECKER.read_bytes())
        if signed is not None:
            hidden["signature"].write_bytes(signed(text))
        if report is not None:
            with stage("report"):
                write_pages(report(audit, evidence), hidden["internal"], hidden["report"])
    return base if isinstance(output, FileOutput) else own


def _file_name(table: str) -> str:
    """Return a table's name as one of a file.

    Examples
    --------
    >>> _file_name('clinic."a/b"')
    'clinic.a_b'
    """
    return re.sub(r"[^\w.-]+", "_", table.replace('"', "")).strip("_") or "release"
