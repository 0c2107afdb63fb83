"""`shoal bench`: compare the search algorithms, and the bucketizers of partition."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from shoal.cli.console import reporting, without_pandas
from shoal.cli.terminal import echo, echo_styled
from shoal.errors import InputError, ShoalError, nearest

if TYPE_CHECKING:
    from rich.progress import Progress

    from shoal.bench.runs import Bench, Case, ComparedRun, Setting
    from shoal.search.result import SearchAlgorithm

T = TypeVar("T")

ABOUT = "Compare algorithms with each other, and with what is published about them."

SEARCH_EPILOG = """
[bold]Reading the table[/bold]

One table for each data set, k and suppression limit, one row for each algorithm. [bold]checks[/bold]: nodes
judged by their frequency set. [bold]tagged[/bold]: nodes decided without. [bold]roll-ups[/bold] and
[bold]scans[/bold]: frequency sets made from a finer one, and from the rows. [bold]touched[/bold]: tuples read
for that. [bold]time[/bold]: of the search with one thread, grouping the rows included. [bold]memory[/bold]:
the most that all frequency sets held at once. [bold]ratio[/bold]: the time over that of box, the default.
[bold]optimum[/bold]: the same node and score as box, or how much worse the score of a heuristic is. Exact
algorithms must agree; if one does not, that is said and the exit code is 4.

[bold]Examples[/bold]

shoal bench search --data adult --k 2,5,10 --suppression 0,0.02,0.04

shoal bench search --data cup,fars --algorithms flash,ola,incognito --optimizations none,projection,rollup,all

shoal bench search --data ihis --rows 20000 --quality loss --csv > runs.csv

shoal bench search --data adult --k 2-10 --algorithms flash --figures figures
"""

PARTITION_EPILOG = """
[bold]Figures[/bold]

[bold]phases[/bold]: seconds of each phase, by the number of rows (Fig. 5 of the paper). [bold]workers[/bold]:
seconds by the number of threads (Fig. 6). [bold]gains[/bold]: how much more likely wages are in classes, by
level of their taxonomy (Fig. 7). [bold]errors[/bold]: the mean absolute percentage error of five models that
learn from the original, from partition and from full-domain (Fig. 8; needs shoal\\[utility]). Under each is
what the paper says of it, and whether that holds here.

[bold]Examples[/bold]

shoal bench partition --only gains

shoal bench partition --rows 1000000 --figures figures
"""

_ASK = "Comparisons"
_WHO = "Algorithms"
_OUT = "Output"


class _DisagreementError(ShoalError, AssertionError):
    """What must be the same in all runs is not: something is wrong."""

    exit_code = 4


def search(
    data: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="adult, adult45222, cup, fars, atus, ihis, lands-end: the real files where the folder "
            "SHOAL_DATA has them, otherwise generated with the published shape.",
            rich_help_panel=_ASK,
        ),
    ] = "adult",
    k: Annotated[
        str,
        typer.Option(
            "--k", "-k", metavar="NUMBERS", help="Values of k, such as 2,5,10 or 2-10.", rich_help_panel=_ASK
        ),
    ] = "5",
    suppression: Annotated[
        str,
        typer.Option(
            metavar="SHARES", help="Share of rows that may be suppressed, from 0 to 1.", rich_help_panel=_ASK
        ),
    ] = "0.02",
    quality: Annotated[
        str, typer.Option(metavar="MEASURE", help="The quality measure to optimize.", rich_help_panel=_ASK)
    ] = "discernability-monotone",
    rows: Annotated[
        int | None,
        typer.Option(help="Generate this many rows instead of reading files.", rich_help_panel=_ASK),
    ] = None,
    algorithms: Annotated[
        str, typer.Option(metavar="NAMES", help="Beside box, the default.", rich_help_panel=_WHO)
    ] = "all",
    optimizations: Annotated[
        str,
        typer.Option(
            metavar="STEPS",
            help="none, projection, rollup, history: each with those before it, as in Fig. 9 of the Flash "
            "paper. all: what the algorithm does by itself.",
            rich_help_panel=_WHO,
        ),
    ] = "all",
    repeat: Annotated[
        int,
        typer.Option(
            help="Take the median time of at least this many runs; short ones are repeated up to 9 times.",
            rich_help_panel=_WHO,
        ),
    ] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=_OUT)] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV.", rich_help_panel=_OUT)] = False,
    figures: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Also draw the papers' figures from our own runs, with k from 2 to 10, into this folder: "
            "SVG, PNG, the numbers, and an index.html with the published numbers beside. Takes some "
            "minutes for adult. Needs shoal\\[figures].",
            rich_help_panel=_OUT,
        ),
    ] = None,
) -> None:
    """Let the search algorithms answer the same questions, and show the work that each did.

    All exact algorithms find the same optimum, by different ways. This shows what the ways cost.
    """
    finished: list[ComparedRun] = []
    with reporting():
        if json and csv:
            raise InputError(
                "--json and --csv cannot be used together.\nFound: both.\nLeave one of them out."
            )
        without_pandas()
        from shoal.bench.gallery import prepare
        from shoal.bench.runs import Bench
        from shoal.bench.table import disagreements

        for number, option in ((rows, "--rows"), (repeat, "--repeat")):
            if number is not None and number < 1:
                raise InputError(f"{option} is a whole number of at least 1.\nFound: {number}.")
        bench = Bench(rows=rows, repeat=repeat)
        settings = _questions(bench, data, k, suppression, quality)
        chosen = _algorithms(algorithms)
        steps = _steps(optimizations)
        show = not (json or csv)
        wrong: list[str] = []
        if figures is not None:
            prepare(figures)
        try:
            _compare(bench, settings, chosen, steps, finished, show=show)
            if figures is not None:
                wrong += _draw(bench, settings, figures)
        except KeyboardInterrupt:
            echo(f"Interrupted; {len(finished)} runs of the comparison were finished.", err=True)
            raise typer.Exit(130) from None
        finally:
            if not show:
                _print_records(bench, finished, json=json)
        if differing := disagreements(finished):
            wrong[:0] = ["Exact algorithms disagree, so at least one is wrong.", *differing]
        if wrong:
            raise _DisagreementError(wrong)


def partition(
    rows: Annotated[
        int,
        typer.Option(
            help="Rows of the largest table whose runs are timed; others have 10,000, 100,000, ... rows.",
            rich_help_panel=_ASK,
        ),
    ] = 100_000,
    only: Annotated[
        str, typer.Option(metavar="NAMES", help="phases, workers, gains, errors.", rich_help_panel=_ASK)
    ] = "all",
    figures: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Also draw the figures into this folder: SVG, PNG, the numbers, and an index.html with what "
            "the paper says beside. Needs shoal\\[figures].",
            rich_help_panel=_OUT,
        ),
    ] = None,
) -> None:
    """Let the bucketizers of recoding: partition divide the same table, and measure it as their paper does.

    The Wage data of ISLR are taken where the folder SHOAL_DATA has wage.csv, otherwise rows of the same shape
    are generated; the figures say which. All of it takes some minutes.
    """
    with reporting():
        names = _figures(only)
        if rows < 1000:
            raise InputError(f"--rows is a whole number of at least 1,000.\nFound: {rows}.")
        without_pandas()
        if "errors" in names:
            from shoal.read.source import check_installed

            check_installed("sklearn", "utility", "Training models")
        from shoal.bench.gallery import Gallery
        from shoal.bench.partition_figures import LEAD, TITLE, plan
        from shoal.bench.table import figure_table
        from shoal.data.wage import load_wages

        gallery = None if figures is None else Gallery(figures, TITLE, LEAD)
        problems: list[str] = []
        for figure in plan(load_wages(), rows, names):
            numbers = figure.measure()
            _print(figure_table(figure, numbers))
            problems += numbers.problems
            if gallery is not None:
                gallery.add(figure, numbers)
        if gallery is not None:
            echo(f"Figures: {gallery.index}", err=True)
        if problems:
            raise _DisagreementError(problems)


def _figures(text: str) -> list[str]:
    known = ["phases", "workers", "gains", "errors"]
    wanted = _list(text, "--only")
    for name in wanted:
        if name not in (*known, "all"):
            raise InputError(f"Unknown figure '{name}'.\nKnown: {', '.join(known)}.{nearest(name, known)}")
    return known if "all" in wanted else [name for name in known if name in wanted]


def _compare(
    bench: Bench,
    settings: Sequence[Setting],
    chosen: Sequence[SearchAlgorithm],
    steps: Sequence[str],
    finished: list[ComparedRun],
    *,
    show: bool,
) -> None:
    """Run everything, and print each table as soon as it is complete, or as far as it is when interrupted."""
    from shoal.bench.runs import cases, compare, default_case
    from shoal.bench.table import comparison

    plan = [(setting, cases(setting, chosen, steps)) for setting in settings]
    runs = {case for setting, some in plan for case in (default_case(setting), *some)}
    with _progress(bench, len(runs)) as bar:
        for setting, some in plan:
            rows: list[ComparedRun] = []
            try:
                for row in compare(bench, setting, some):
                    rows.append(row)
                    finished.append(row)
            finally:
                if show and rows:
                    if bar is not None:
                        bar.stop()
                    _print(comparison(bench.data(setting.data), rows, optimizations=len(steps) > 1))
                    if bar is not None:
                        bar.start()


def _draw(bench: Bench, settings: Sequence[Setting], folder: Path) -> Sequence[str]:
    """Draw the figures, and return what in them should not be."""
    from shoal.bench.figures import plan
    from shoal.bench.gallery import draw

    planned = plan(bench, settings)
    runs = {case for figure in planned for case in figure.cases if not bench.known(case)}
    with _progress(bench, len(runs)):
        gallery = draw(bench, planned, folder)
    echo(f"Figures: {gallery.index}", err=True)
    return gallery.problems


def _print(table: object) -> None:
    from rich.console import Console

    # In a pipe or a file a table is as wide as it must be, and lines end where their text does.
    console = Console(width=None if sys.stdout.isatty() else 200)
    with console.capture() as captured:
        console.print(table)
    echo_styled("\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n")


def _print_records(bench: Bench, rows: Sequence[ComparedRun], *, json: bool) -> None:
    from shoal.bench.table import as_csv, as_json

    names = dict.fromkeys(row.setting.data for row in rows)
    echo(as_json(map(bench.data, names), rows) if json else as_csv(rows), nl=json)


@contextmanager
def _progress(bench: Bench, total: int) -> Iterator[Progress | None]:
    """Show on stderr, if that is a terminal, which case runs and how many are left."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    # Drawn between the runs only: a thread that draws meanwhile would take part in what is timed.
    with Progress(
        BarColumn(20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
        console=Console(stderr=True),
        transient=True,
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as bar:
        task = bar.add_task("", total=total)
        begun = 0

        def show(case: Case) -> None:
            nonlocal begun
            bar.update(task, completed=begun, description=str(case))
            bar.refresh()
            begun += 1

        bench.listener = show
        try:
            yield bar
        finally:
            bench.listener = None


def _questions(bench: Bench, data: str, k: str, suppression: str, quality: str) -> list[Setting]:
    from shoal import registry
    from shoal.bench.runs import Setting

    names = _list(data, "--data")
    for name in names:
        bench.find(name)
    registry.resolve("measures", quality).from_spec(None)
    sizes = [number for text in _list(k, "--k") for number in _range(text)]
    shares = [_share(text) for text in _list(suppression, "--suppression")]
    return [
        Setting(data=name, k=size, suppression=share, quality=quality)
        for name in names
        for size in dict.fromkeys(sizes)
        for share in dict.fromkeys(shares)
    ]


def _algorithms(text: str) -> list[SearchAlgorithm]:
    from shoal import registry
    from shoal.bench.runs import algorithm

    settings = _list(text, "--algorithms")
    return [algorithm(name) for name in (registry.names("algorithms") if "all" in settings else settings)]


def _steps(text: str) -> list[str]:
    from shoal.bench.runs import OPTIMIZATIONS

    known = [*OPTIMIZATIONS, "all"]
    settings = _list(text, "--optimizations")
    for name in settings:
        if name not in known:
            raise InputError(
                f"Unknown optimizations '{name}'.\nKnown: {', '.join(known)}.{nearest(name, known)}"
            )
    return settings


def _list(text: str, option: str) -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise InputError(f"{option} needs one or more entries, separated by commas.\nFound: '{text}'.")
    return list(dict.fromkeys(parts))


def _range(text: str) -> range:
    first, dash, last = text.partition("-")
    low = _number(first, int)
    high = _number(last, int) if dash else low
    if low is None or high is None or not 1 <= low <= high:
        raise InputError(f"k is a whole number of at least 1, or a range such as 2-10.\nFound: '{text}'.")
    return range(low, high + 1)


def _share(text: str) -> float:
    number = _number(text, float)
    if number is None or not 0 <= number <= 1:
        raise InputError(f"Suppression must be a share of the rows, from 0 to 1.\nFound: '{text}'.")
    return number


def _number(text: str, kind: Callable[[str], T]) -> T | None:
    try:
        return kind(text)
    except ValueError:
        return None
