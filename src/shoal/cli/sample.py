"""`shoal sample`: write a built-in sample."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import print_table, reporting, without_pandas


def sample(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="census (made-up people, any number), patients (the six of the literature), or made-up "
            "rows with the shape of published data: adult-shape, cup-shape, fars-shape, atus-shape, "
            "ihis-shape, lands-end-shape.",
        ),
    ],
    rows: Annotated[int | None, typer.Option(help="Number of rows. Each sample has its own default.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same files.")] = 0,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The folder to use.")
    ] = Path(),
) -> None:
    """Write a sample table with its hierarchies and a spec that runs. Files with other contents stay."""
    with reporting(interrupted="Interrupted; nothing was written."):
        without_pandas()
        from shoal.data import write_sample

        written = write_sample(name, rows, seed, output)
    hierarchies = [("Hierarchy", str(path)) for path in written.hierarchies]
    print_table([("Table", str(written.data)), ("Spec", str(written.spec)), *hierarchies])
