"""`shoal import`: take a project of another tool apart."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import reporting, without_pandas
from shoal.cli.terminal import echo, secho


def import_(
    project: Annotated[Path, typer.Argument(metavar="PROJECT", help="An ARX project file, .deid.")],
    *,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="Folder for the files."),
    ],
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
) -> None:
    """Convert an ARX project to a spec, a table and hierarchies.

    What the project states as text is taken over: roles, hierarchies, privacy criteria, the limit of
    suppression, the measure and weights. What cannot be read is listed, with the reason.
    """
    from shoal.spec.arx_import import import_arx_project

    with reporting():
        without_pandas()
        imported = import_arx_project(project, output, force=force)
    secho("Read", bold=True)
    for each in imported.read:
        echo(f"  {each}")
    secho("\nNot imported", bold=True)
    for each in imported.unread or ("nothing: everything was read",):
        echo(f"  {each}")
    secho("\nWritten", bold=True)
    files = [imported.spec, *filter(None, [imported.data]), *imported.hierarchies.values()]
    for file in files:
        echo(f"  {file}")
