"""The one way from released rows to a published release: written, audited as written, then renamed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from shoal.audit import Audit
from shoal.files.atomic import atomic, check_path, flush
from shoal.write.evidence_paths import EvidencePaths
from shoal.write.manifest import Releasable, manifest
from shoal.write.output import FileOutput, Output
from shoal.write.unpublished import Unpublished

_CHECKER = Path(__file__).with_name("recipient_checker.py")

Stage: TypeAlias = Callable[[str], AbstractContextManager[object]]
"""Called with `write`, `audit` or `report`, it gives the context in which that runs: a stopwatch, say."""

WriteRows: TypeAlias = Callable[[Releasable, Output, Stage], tuple[Unpublished, Audit]]
"""Writes the rows of a release beside its output, where nobody else may read them, and audits them there."""


class Pages(NamedTuple):
    """The two reports on a release, as HTML."""

    internal: str
    """For the publisher: it compares the release with the original table."""
    public: str
    """For recipients: it holds nothing that the released rows and the manifest do not."""


def publish(
    release: Releasable,
    write_rows: WriteRows,
    output: Output,
    *,
    sign: str | Path | None = None,
    report: Callable[[Audit, Mapping[str, Any]], Pages] | None = None,
    stage: Stage = nullcontext,
    manifest_at: Path | None = None,
    further: Callable[[Sequence[Path]], Mapping[str, Any]] | None = None,
) -> Path:
    """Publish a release, once the audit of the written rows holds, with its evidence beside it.

    That is the manifest, for CSV the program that checks both, and if required a signature of the manifest
    and reports. Rows and evidence appear together or not at all. What was there before is replaced.

    Parameters
    ----------
    release
        The result of an anonymization.
    write_rows
        Writes and audits its rows.
    output
        Where they go.
    sign
        A file with the private key that signs the manifest. Without it the signature of an earlier release
        is removed, since it does not sign this one.
    report
        Called with the audit of the written rows and the manifest, it returns the two reports. Without it
        reports on an earlier release are removed.
    manifest_at
        Where the manifest goes; if not given, beside the file, and for a table into the current folder.
    further
        Called with the written files, it returns what else the manifest says, or raises.

    Returns
    -------
    Path
        That of the release, or of the manifest where the release is a table.

    Raises
    ------
    InputError
        The key cannot be read.
    OutputError
        The release cannot be written there.
    AuditError
        The release does not keep what it claims. Nothing is written.
    """
    signed = None
    if sign is not None:
        from shoal.audit.signature import signer

        signed = signer(sign)
    paths = EvidencePaths.of(output, manifest_at)
    reports = {"internal": paths.internal_report, "report": paths.report}
    wanted = {
        "manifest": paths.manifest,
        **({} if paths.checker is None else {"checker": paths.checker}),
        **({} if signed is None else {"signature": paths.signature}),
        **({} if report is None else reports),
    }
    # A signature and reports of an earlier release are not about this one.
    gone = [*([paths.signature] if signed is None else []), *(reports.values() if report is None else [])]
    needed = [*release.inputs, *([] if sign is None else [Path(sign)])]
    if isinstance(output, FileOutput) and not output.replaces_folder:
        check_path(output.path, apart_from=needed)
    taken = [output.path] if isinstance(output, FileOutput) else []
    for path in wanted.values():
        check_path(path, apart_from=[*needed, *taken])
        taken.append(path)
    rows, audit = write_rows(release, output, stage)
    published = str(output.path) if isinstance(output, FileOutput) else output.name
    with ExitStack() as ending:
        ending.callback(rows.discard)
        renames = ending.enter_context(ExitStack())
        files = renames.enter_context(
            atomic(*wanted.values(), first=rows.publish, first_name=published, gone=gone)
        )
        hidden = dict(zip(wanted, files, strict=True))
        evidence = manifest(release, audit, rows.files, output)
        if further is not None:
            with stage("audit"):
                evidence |= further(rows.files)
        text = (json.dumps(evidence, indent=2, ensure_ascii=False) + "\n").encode()
        hidden["manifest"].write_bytes(text)
        if "checker" in hidden:
            hidden["checker"].write_bytes(_CHECKER.read_bytes())
        if signed is not None:
            hidden["signature"].write_bytes(signed(text))
        if report is not None:
            with stage("report"):
                pages = report(audit, evidence)
                hidden["internal"].write_text(pages.internal, encoding="utf-8", newline="\n")
                hidden["report"].write_text(pages.public, encoding="utf-8", newline="\n")
        with stage("write"):
            for file in rows.files:
                flush(file)
            renames.close()
    return output.path if isinstance(output, FileOutput) else paths.manifest
