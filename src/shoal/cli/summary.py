"""A release in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.cli.console import print_table
from shoal.cli.terminal import echo

if TYPE_CHECKING:
    from shoal.release import Release


def print_release(release: Release, more: Sequence[tuple[str, str]] = ()) -> None:
    """Print what was chosen and what came of it, with more such as the files that were written."""
    print_table(release.choices(), header=release.choice_header)
    echo()
    print_table([*release.facts(), *more])


def written(path: Path, *, report: bool = False, signed: bool = False) -> list[tuple[str, str]]:
    """Return the release and the files beside it, by what they are."""
    from shoal.write.evidence_paths import (
        checker_path,
        internal_report_path,
        manifest_path,
        report_path,
        signature_path,
    )

    files = {
        "Release": path,
        "Manifest": manifest_path(path),
        "Signature": signature_path(path) if signed else None,
        "Checker": checker_path(path),
        "Report": report_path(path) if report else None,
        "Internal report": internal_report_path(path) if report else None,
    }
    return [(what, str(file)) for what, file in files.items() if file is not None and file.exists()]
