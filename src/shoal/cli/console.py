"""What all commands share at the terminal: errors, tables, and a lean process."""

from __future__ import annotations

import shutil
import signal
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from shoal.cli.terminal import echo, echo_styled, secho, visible
from shoal.errors import ShoalError


@contextmanager
def reporting(
    *, show_values: bool | None = None, interrupted: str | Callable[[], str] = "Interrupted."
) -> Iterator[None]:
    """Turn what Shoal refuses, and Ctrl-C, into a message on stderr and an exit code.

    Where `show_values` is False, and not None, a command has the option, and the message tells of it.
    `interrupted` is what Ctrl-C prints, or returns it then. SIGTERM ends a command in the same way.
    """
    try:
        with _interruptible():
            yield
    except ShoalError as error:
        secho("Error: ", fg="red", bold=True, err=True, nl=False)
        echo(error.render(show_values=bool(show_values)), err=True)
        if show_values is False and any(problem.values for problem in error.problems):
            echo("--show-values shows the values.", err=True)
        raise typer.Exit(error.exit_code) from None
    except (KeyboardInterrupt, RuntimeError) as error:
        if not _is_interrupt(error):
            raise
        echo(interrupted if isinstance(interrupted, str) else interrupted(), err=True)
        raise typer.Exit(130) from None


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let signals that would end the process at once raise KeyboardInterrupt: nothing half-written stays."""
    before = []
    if threading.current_thread() is threading.main_thread():
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = [number for number in numbers if signal.getsignal(number) == signal.SIG_DFL]
    for number in before:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in before:
            signal.signal(number, signal.SIG_DFL)


def _is_interrupt(error: BaseException | None) -> bool:
    """Return whether it is Ctrl-C; before Python 3.12 an import that it ends may raise another error."""
    return isinstance(error, KeyboardInterrupt) or (error is not None and _is_interrupt(error.__cause__))


def unless_written(file: Path | None) -> Callable[[], str]:
    """Return what returns the words after Ctrl-C: they depend on whether `file` is another one by then."""
    from shoal.files.atomic import identity

    before = identity(file)

    def words() -> str:
        same = identity(file) == before
        return "Interrupted; nothing was written." if same else "Interrupted; the release was written before."

    return words


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

    table = Table(box=None, pad_edge=False, show_header=bool(header), header_style="bold")
    for name in header:
        table.add_column(Text(visible(name, keep="")))
    for row in rows:
        # Not as markup, which labels such as [0, 5) look like.
        table.add_row(*(Text(visible(cell, keep="")) for cell in row))
    # In a pipe nothing is folded, and lines end where their text does.
    console = Console(width=None if sys.stdout.isatty() else 10_000)
    with console.capture() as captured:
        console.print(table)
    echo_styled("\n".join(line.rstrip() for line in captured.get().splitlines()))


def print_entries(
    rows: Sequence[Sequence[str]], *, header: Sequence[str], wide: int = 50, width: int | None = None
) -> None:
    """Print a table whose last two columns are long; in a terminal too narrow for them, below each row.

    Parameters
    ----------
    wide
        How much the last column must have to stand beside the others.
    width
        That of the terminal. In a pipe there is no limit.
    """
    from rich.cells import cell_len

    if width is None and sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
    rows = [[visible(cell, keep="") for cell in row] for row in rows]
    widths = [max(map(cell_len, cells)) for cells in zip(header, *rows, strict=True)]
    if width is None or sum(widths[:-1]) + 2 * len(widths[:-1]) + min(wide, widths[-1]) <= width:
        print_table(rows, header=header)
        return
    for number, row in enumerate((header, *rows)):
        cells = (cell + " " * (size - cell_len(cell)) for cell, size in zip(row, widths[:-2], strict=False))
        secho("  ".join(cells).rstrip(), bold=number == 0)
        for text in row[-2:] if number else ():
            if text != "-":
                lines = textwrap.wrap(text, width - 2, initial_indent="  ", subsequent_indent="  ")
                echo("\n".join(lines))
