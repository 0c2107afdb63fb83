"""A release in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.cli.console import print_table
from shoal.cli.terminal import echo

if TYPE_CHECKING:
    from shoal.release import Release
    from shoal.trial.trial import Trial
    from shoal.write.output import Output


def print_release(release: Release, more: Sequence[tuple[str, str]] = ()) -> None:
    """Print what was chosen and what came of it, with more such as the files that were written."""
    print_table(release.choices(), header=release.choice_header)
    echo()
    print_table([*release.facts(), *more])


def print_trial(trial: Trial) -> None:
    """Print what would come out, and what would keep more."""
    if trial.outcome is None:
        echo(trial.sentence)
        return
    echo(f"Tried {trial.sentence.rstrip('.')}.")
    if trial.advice:
        print_table(
            [("To keep more:" if not number else "", words) for number, words in enumerate(trial.advice)]
        )


def written(
    output: Output, *, manifest: Path | None = None, report: bool = False, signed: bool = False
) -> list[tuple[str, str]]:
    """Return the release and the files beside it, by what they are; `manifest` is where that went instead."""
    from shoal.write.evidence_paths import EvidencePaths
    from shoal.write.output import TableOutput

    paths = EvidencePaths.of(output, manifest)
    files = {
        "Manifest": paths.manifest,
        "Signature": paths.signature if signed else None,
        "Checker": paths.checker,
        "Report": paths.report if report else None,
        "Internal report": paths.internal_report if report else None,
    }
    place = f"table {output.name}" if isinstance(output, TableOutput) else str(output.path)
    beside = [(what, str(file)) for what, file in files.items() if file is not None and file.exists()]
    return [("Release", place), *beside]
