"""What all commands share at the terminal: errors, tables, and a lean process."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer

from shoal.errors import ShoalError


@contextmanager
def reporting(*, show_values: bool = False, interrupted: str = "Interrupted.") -> Iterator[None]:
    """Turn what Shoal refuses, and Ctrl-C, into a message on stderr and an exit code."""
    try:
        yield
    except ShoalError as error:
        typer.secho("Error: ", fg="red", bold=True, err=True, nl=False)
        typer.echo(error.render(show_values=show_values), err=True)
        raise typer.Exit(error.exit_code) from None
    except KeyboardInterrupt:
        typer.echo(interrupted, err=True)
        raise typer.Exit(130) from None


def without_pandas() -> None:
    """Keep Arrow from importing pandas, which files do not need: it takes half a second and 60 MB.

    Arrow looks for pandas when it first makes an array, and remembers if there is none.
    """
    import pyarrow as pa

    class NoPandas:
        @staticmethod
        def find_spec(name: str, path: object = None, target: object = None) -> None:
            if name == "pandas":
                raise ImportError(name)

    finder: Any = NoPandas
    sys.meta_path.insert(0, finder)
    try:
        pa.scalar(0)
    finally:
        sys.meta_path.remove(finder)


def print_table(rows: Sequence[Sequence[str]], *, header: Sequence[str] = ()) -> None:
    """Print a table for people on stdout."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*header, box=None, pad_edge=False, show_header=bool(header), header_style="bold")
    for row in rows:
        table.add_row(*map(Text, row))  # not as markup, which labels such as [0, 5) look like
    # In a pipe nothing is folded, and lines end where their text does.
    console = Console(width=None if sys.stdout.isatty() else 10_000)
    with console.capture() as captured:
        console.print(table)
    typer.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))
