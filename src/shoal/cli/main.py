"""`shoal`: where the commands come together."""

from __future__ import annotations

import gc
import sys
from typing import Annotated

import typer

from shoal.cli.algorithms import algorithms
from shoal.cli.anonymize import EPILOG, anonymize
from shoal.cli.apply import EPILOG as APPLY_EPILOG
from shoal.cli.apply import apply
from shoal.cli.audit import EPILOG as AUDIT_EPILOG
from shoal.cli.audit import audit
from shoal.cli.bench import ABOUT, PARTITION_EPILOG, SEARCH_EPILOG, partition, search
from shoal.cli.compare import EPILOG as COMPARE_EPILOG
from shoal.cli.compare import compare
from shoal.cli.demo import demo
from shoal.cli.extend import EPILOG as EXTEND_EPILOG
from shoal.cli.extend import extend
from shoal.cli.hierarchy import ABOUT as HIERARCHY_ABOUT
from shoal.cli.hierarchy import EPILOGS as HIERARCHY_EPILOGS
from shoal.cli.hierarchy import build, check, convert, list_, show
from shoal.cli.import_ import import_
from shoal.cli.init import EPILOG as INIT_EPILOG
from shoal.cli.init import init
from shoal.cli.key import key
from shoal.cli.measures import measures
from shoal.cli.models import models
from shoal.cli.recodings import recodings
from shoal.cli.risk import EPILOG as RISK_EPILOG
from shoal.cli.risk import risk
from shoal.cli.sample import sample
from shoal.cli.spec import EPILOG as SPEC_EPILOG
from shoal.cli.spec import spec
from shoal.cli.standard_output import keep_printing
from shoal.cli.stream import EPILOG as STREAM_EPILOG
from shoal.cli.stream import stream
from shoal.cli.terminal import echo
from shoal.cli.utility import EPILOG as UTILITY_EPILOG
from shoal.cli.utility import utility
from shoal.errors import OutputError

app = typer.Typer(
    name="shoal",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="rich",
    # A traceback with local variables would show people's data.
    pretty_exceptions_show_locals=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        import shoal

        echo(f"shoal {shoal.__version__}")
        raise typer.Exit


@app.callback(
    epilog="""
[bold]To begin[/bold]

shoal demo

shoal init people.csv

shoal risk people.csv --spec people.spec.yaml

shoal anonymize people.csv --spec people.spec.yaml --output release.csv --report

shoal audit release.csv

shoal sample census --rows 10000 --output census
"""
)
def shoal(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Hide every person in a crowd of at least k, and keep as much information as possible.

    Exit codes: 0 done, 2 wrong use or input, 3 infeasible, 4 audit failed, 5 alarm of a stream, 130
    interrupted.
    """


def _unwrapped(text: str | None) -> str:
    """Join the lines of each paragraph, which the help would otherwise break where the source does."""
    return "\n\n".join(" ".join(part.split()) for part in (text or "").split("\n\n"))


_EPILOGS = {
    init: INIT_EPILOG,
    anonymize: EPILOG,
    apply: APPLY_EPILOG,
    audit: AUDIT_EPILOG,
    compare: COMPARE_EPILOG,
    extend: EXTEND_EPILOG,
    risk: RISK_EPILOG,
    spec: SPEC_EPILOG,
    stream: STREAM_EPILOG,
    utility: UTILITY_EPILOG,
}

for command in (
    init,
    spec,
    anonymize,
    compare,
    audit,
    extend,
    apply,
    stream,
    risk,
    utility,
    models,
    measures,
    recodings,
    algorithms,
    key,
    sample,
    demo,
):
    app.command(help=_unwrapped(command.__doc__), epilog=_unwrapped(_EPILOGS.get(command)))(command)

bench = typer.Typer(no_args_is_help=True, rich_markup_mode="rich", help=ABOUT)
bench.command(help=_unwrapped(search.__doc__), epilog=_unwrapped(SEARCH_EPILOG))(search)
bench.command(help=_unwrapped(partition.__doc__), epilog=_unwrapped(PARTITION_EPILOG))(partition)
app.add_typer(bench, name="bench")

hierarchy = typer.Typer(no_args_is_help=True, rich_markup_mode="rich", help=HIERARCHY_ABOUT)
for part in (build, show, check, convert, list_):
    hierarchy.command(
        part.__name__.rstrip("_"),
        help=_unwrapped(part.__doc__),
        epilog=_unwrapped(HIERARCHY_EPILOGS.get(part.__name__)),
    )(part)
app.add_typer(hierarchy, name="hierarchy")
app.command("import", help=_unwrapped(import_.__doc__))(import_)


def main() -> None:
    """Run the command line."""
    gc.set_threshold(100_000)  # a tenth of a short run would go into looking over what imports leave behind
    keep_printing()
    try:
        app(prog_name="shoal")
    except OutputError as error:  # of help, which no command prints
        echo(f"Error: {error}", err=True)
        sys.exit(error.exit_code)
