"""`shoal demo`: the whole flow on a made-up census."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import print_table, reporting, without_pandas
from shoal.cli.progress import progress
from shoal.cli.summary import print_release, written
from shoal.cli.terminal import echo

_LINKABLE = "income"
_RELEASE = "release.csv"


def demo(
    folder: Annotated[Path, typer.Option(help="Folder for the files.")] = Path("shoal-demo"),
    rows: Annotated[int, typer.Option(help="Number of people.")] = 100_000,
) -> None:
    """Make up a census, anonymize it, audit the release, write the reports, and print each step's command."""
    with reporting():
        without_pandas()
        from shoal.audit import audit_release
        from shoal.data import write_sample
        from shoal.errors import LinkableError, OutputError
        from shoal.flow import anonymize
        from shoal.spec.spec import Spec
        from shoal.write.output import FileOutput

        if (folder / _RELEASE).exists() and not (folder / "census.csv").exists():
            raise OutputError(
                f"The folder '{folder}' already has a release, which is not the demo's.\n"
                f"Found: {_RELEASE}.\nChoose another folder."
            )
        sample = write_sample("census", rows, folder=folder)
        echo(f"Made up a census of {rows:,} people: {sample.data}\n")
        spec, accepted = Spec.from_yaml(sample.spec), []
        with progress() as listener:
            try:
                release = anonymize(sample.data, spec, listener=listener)
            except LinkableError:
                # In a small table most incomes are unique. Nobody knows those of made-up people.
                accepted = ["--accept-linkable", _LINKABLE]
                spec = replace(spec, accept={_LINKABLE: "linkable"})
                release = anonymize(sample.data, spec, listener=listener)
            output = release.write(folder / _RELEASE, report=True)
        print_release(release)
        found = audit_release(output, release.spec).require(release.released.count)
        echo("\nAudited the written file with plain SQL:")
        print_table([(finding.claim, finding.verdict) for finding in found.findings])
        echo("\nThe same by hand:")
        table, roles = str(sample.data), str(sample.spec)
        for command in (
            ["sample", "census", "--rows", str(rows), "--output", str(folder)],
            ["risk", table, "--spec", roles],
            ["anonymize", table, "--spec", roles, "--output", str(output), "--report", *accepted],
            ["audit", str(output)],
            ["utility", table, str(output), "--spec", roles],
        ):
            echo("  " + shlex.join(["shoal", *command]))
        echo("\nWhat was written:")
        print_table(written(FileOutput(output), report=True))
