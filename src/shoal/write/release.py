"""A release on disk: written, audited as written, and only then in its place."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from shoal.audit import Audit, References, audit_release
from shoal.audit.manifest_file import manifest_path
from shoal.files.atomic import atomic
from shoal.read.formulas import escaped, opens_in_spreadsheets
from shoal.read.source import InputFormat
from shoal.write.files import check_writable, write_table
from shoal.write.manifest import Releasable, manifest
from shoal.write.output import FileOutput

__all__ = [
    "Pages",
    "checker_path",
    "internal_report_path",
    "manifest_path",
    "report_path",
    "signature_path",
    "write_release",
]

CHECKER = Path(__file__).with_name("checker.py")
_CHECKED = (".csv", ".csv.gz")


def checker_path(path: Path) -> Path | None:
    """Return where the program goes that checks a release without Shoal; it reads CSV only.

    Examples
    --------
    >>> checker_path(Path("release.csv.gz")).name
    'release.csv.gz.checker.py'
    >>> checker_path(Path("release.parquet"))
    """
    return path.with_name(f"{path.name}.checker.py") if path.name.lower().endswith(_CHECKED) else None


class Pages(NamedTuple):
    """The two reports on a release, as HTML."""

    internal: str
    """For the publisher: it compares the release with the original table."""
    public: str
    """For recipients: it holds nothing that the released rows and the manifest do not."""


def internal_report_path(path: Path) -> Path:
    """Return where the publisher's own report on a release goes, which is not handed on.

    Examples
    --------
    >>> internal_report_path(Path("release.csv")).name
    'release.csv.internal.html'
    """
    return path.with_name(f"{path.name}.internal.html")


def report_path(path: Path) -> Path:
    """Return where the report on a release goes that is handed on with it.

    Examples
    --------
    >>> report_path(Path("release.csv")).name
    'release.csv.report.html'
    """
    return path.with_name(f"{path.name}.report.html")


def signature_path(path: Path) -> Path:
    """Return where the signature of a release's manifest goes.

    Examples
    --------
    >>> signature_path(Path("release.csv")).name
    'release.csv.manifest.json.sig'
    """
    evidence = manifest_path(path)
    return evidence.with_name(f"{evidence.name}.sig")


def write_release(
    release: Releasable,
    references: References,
    path: str | Path,
    *,
    sign: str | Path | None = None,
    report: Callable[[Audit, Mapping[str, Any]], Pages] | None = None,
    stage: Callable[[str], AbstractContextManager[object]] = nullcontext,
    further: Callable[[Path, InputFormat], Mapping[str, Any]] | None = None,
) -> Path:
    """Write a release, once the audit of the written file holds, with its evidence beside it.

    That is the manifest, for CSV the program that checks both, and what is asked for: a signature of the
    manifest, reports. They appear together or not at all.

    Parameters
    ----------
    release
        The result of an anonymization.
    references
        What its audit compares with.
    path
        Ends in `.csv`, `.csv.gz`, `.parquet` or `.xlsx`. A file that is there already is replaced.
    sign
        A file with the private key that signs the manifest. Without it a signature of an earlier release in
        the same place goes, since it is none of this one.
    report
        Called with the audit of the written file and the manifest, it returns the two reports. Without it
        reports on an earlier release in the same place are removed.
    stage
        Called with `write`, `audit` and `report`, it gives the context in which each runs: a stopwatch, say.
    further
        Called with the written file, before it is in its place, and how it is written, it returns what else
        the manifest says, or raises.

    Raises
    ------
    InputError
        The key cannot be read.
    OutputError
        The file cannot be written there.
    AuditError
        The release does not keep what it claims. Nothing is written.
    """
    path = Path(path)
    check_writable(path)
    signed = None
    if sign is not None:
        from shoal.audit.signature import signer

        signed = signer(sign)
    output = FileOutput(path).like(release.dialect, release.spec.input)
    dialect = InputFormat(delimiter=output.delimiter, quote=output.quote, encoding="utf-8", header=True)
    checker = checker_path(path)
    paths = {
        "data": path,
        "manifest": manifest_path(path),
        "checker": checker,
        "signature": None if signed is None else signature_path(path),
        "internal": None if report is None else internal_report_path(path),
        "report": None if report is None else report_path(path),
    }
    wanted = {what: place for what, place in paths.items() if place is not None}
    gone = [
        *([signature_path(path)] if signed is None else []),
        *([internal_report_path(path), report_path(path)] if report is None else []),
    ]
    with atomic(*wanted.values(), gone=gone) as files:
        hidden = dict(zip(wanted, files, strict=True))
        data = hidden["data"]
        with stage("write"):
            write_table(_as_written(release, path), data, dialect)
        with stage("audit"):
            audit = audit_release(
                data,
                release.spec,
                dialect,
                name=path.name,
                original=references.original,
                populations=references.populations,
                levels=release.recoding.levels,
                earlier=release.audit,
            ).require(release.table.num_rows)
        written = None if checker is None else dialect
        evidence = manifest(release, audit, data, name=path.name, dialect=written)
        if further is not None:
            with stage("audit"):
                evidence |= further(data, dialect)
        text = (json.dumps(evidence, indent=2, ensure_ascii=False) + "\n").encode()
        hidden["manifest"].write_bytes(text)
        if checker is not None:
            hidden["checker"].write_bytes(CHECKER.read_bytes())
        if signed is not None:
            hidden["signature"].write_bytes(signed(text))
        if report is not None:
            with stage("report"):
                write_pages(report(audit, evidence), hidden["internal"], hidden["report"])
    return path


def _as_written(release: Releasable, path: Path) -> pa.Table:
    """Return the rows as the file has them."""
    if release.spec.escape_formulas and opens_in_spreadsheets(path):
        return escaped(release.table)
    return release.table


def write_pages(pages: Pages, internal: Path, public: Path) -> None:
    """Write both reports."""
    internal.write_text(pages.internal, encoding="utf-8", newline="\n")
    public.write_text(pages.public, encoding="utf-8", newline="\n")
