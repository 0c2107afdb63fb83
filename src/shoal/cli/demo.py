"""`shoal demo`: the whole flow on a made-up census."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import print_table, reporting, without_pandas
from shoal.cli.progress import progress
from shoal.cli.summary import print_release, written
from shoal.cli.terminal import echo


def demo(
    folder: Annotated[Path, typer.Option(help="Folder for the files.")] = Path("shoal-demo"),
    rows: Annotated[int, typer.Option(help="Number of people.")] = 100_000,
) -> None:
    """Make up a census, anonymize it, audit the release, write the reports, and print each step's command."""
    with reporting():
        without_pandas()
        from shoal.audit import audit_release
        from shoal.data import write_sample
        from shoal.flow import anonymize

        sample = write_sample("census", rows, folder=folder)
        echo(f"Made up a census of {rows:,} people: {sample.data}\n")
        with progress() as listener:
            release = anonymize(sample.data, sample.spec, listener=listener)
            output = release.write(folder / "release.csv", report=True)
        print_release(release)
        found = audit_release(output, release.spec).require(release.released.count)
        echo("\nAudited the written file with plain SQL:")
        print_table([(finding.claim, finding.verdict) for finding in found.findings])
        echo("\nThe same by hand:")
        data, spec = str(sample.data), str(sample.spec)
        for command in (
            ["sample", "census", "--rows", str(rows), "--output", str(folder)],
            ["risk", data, "--spec", spec],
            ["anonymize", data, "--spec", spec, "--output", str(output), "--report"],
            ["audit", str(output)],
            ["utility", data, str(output), "--spec", spec],
        ):
            echo("  " + shlex.join(["shoal", *command]))
        echo("\nWhat was written:")
        print_table(written(output, report=True))
