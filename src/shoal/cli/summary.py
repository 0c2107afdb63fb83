"""A release, told to people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from shoal.cli.console import print_table

if TYPE_CHECKING:
    from shoal.release import Release


def print_release(release: Release, path: Path, nodes: Path | None = None) -> None:
    """Print what was chosen, what came of it, and where it and all satisfying nodes were written."""
    from shoal.write.release import manifest_path

    choices = [(name, f"{level} of {height}", labels) for name, level, height, labels in release.choices()]
    print_table(choices, header=("Column", "Level", "Labels"))
    typer.echo()
    written = [("Release", str(path)), ("Evidence", str(manifest_path(path)))]
    if nodes is not None and release.satisfying_nodes is not None:
        written.append(("Nodes", f"{nodes}, {len(release.satisfying_nodes):,} that satisfy"))
    print_table([*release.facts(), *written])
