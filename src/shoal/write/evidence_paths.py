"""Where the files beside a release go: manifest, signature, checker and reports."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from shoal.audit.manifest_file import manifest_path
from shoal.write.output import FileOutput, Output, is_csv

__all__ = [
    "EvidencePaths",
    "checker_path",
    "internal_report_path",
    "manifest_path",
    "report_path",
]


@dataclass(frozen=True, slots=True)
class EvidencePaths:
    """Where each file beside a release goes.

    Attributes
    ----------
    checker
        None where no checker can read the release.
    """

    manifest: Path
    signature: Path
    checker: Path | None
    internal_report: Path
    report: Path

    @classmethod
    def of(cls, output: Output, manifest: Path | None = None) -> EvidencePaths:
        """Return the paths for an output; those of a table are in the current folder, by its name.

        Parameters
        ----------
        manifest
            Where the manifest goes instead, and its signature.
        """
        base = output.path if isinstance(output, FileOutput) else Path(_file_name(output.name))
        manifest = manifest_path(base) if manifest is None else manifest
        return cls(
            manifest=manifest,
            signature=manifest.with_name(f"{manifest.name}.sig"),
            checker=checker_path(base) if isinstance(output, FileOutput) else None,
            internal_report=internal_report_path(base),
            report=report_path(base),
        )


def checker_path(path: Path) -> Path | None:
    """Return where the program goes that checks a release without Shoal; it reads CSV only.

    Examples
    --------
    >>> checker_path(Path("release.csv.gz")).name
    'release.csv.gz.checker.py'
    >>> checker_path(Path("release.parquet"))
    """
    return path.with_name(f"{path.name}.checker.py") if is_csv(path) else None


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


def _file_name(table: str) -> str:
    """Return a table's name as one of a file.

    Examples
    --------
    >>> _file_name('clinic."a/b"')
    'clinic.a_b'
    """
    return re.sub(r"[^\w.-]+", "_", table.replace('"', "")).strip("_") or "release"
