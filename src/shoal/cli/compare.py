"""`shoal compare`: several specs on one table, and the curve to choose from."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from shoal.cli.console import print_table, reporting, without_pandas
from shoal.cli.options import (
    AsJson,
    Delimiter,
    Encoding,
    Header,
    NullValues,
    Quote,
    Sheet,
    ShowValues,
    input_format,
)
from shoal.cli.progress import progress
from shoal.cli.terminal import echo
from shoal.errors import InputError

EPILOG = """
[bold]Examples[/bold]

shoal compare people.csv people.spec.yaml -k 2,3,5,10,20

shoal compare people.csv people.spec.yaml -k 5,10 --suppression 0,0.02,0.05 --chart curve.svg

shoal compare people.csv strict.yaml loose.yaml --risk highest --chart curve.html

shoal compare people.csv people.spec.yaml -k 2,5,10 --recoding all --chart recodings.svg

shoal compare people.csv people.spec.yaml -k 2,5,10 --json | jq .front
"""

_CHART_SUFFIXES = (".svg", ".html")


def compare(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA", help="The table: a CSV (also .gz), Parquet, Excel, Stata, SPSS or SAS file."
        ),
    ],
    specs: Annotated[
        list[Path],
        typer.Argument(
            metavar="SPEC...", help="YAML files: roles, hierarchies, privacy, suppression, quality."
        ),
    ],
    *,
    k: Annotated[
        str | None,
        typer.Option(
            "-k",
            metavar="K,K,...",
            help="Try every spec with each of these k. They replace its k-anonymity, or add to its other "
            "models.",
        ),
    ] = None,
    suppression: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE,...",
            help="Try every spec with each of these suppression limits: 0,0.02,0.05.",
        ),
    ] = None,
    recoding: Annotated[
        str | None,
        typer.Option(
            metavar="all|RECODING,...",
            help="Try every spec with each of these recodings instead of its own; `shoal recodings` lists "
            "them.",
        ),
    ] = None,
    quality: Annotated[
        str | None,
        typer.Option(
            metavar="MEASURE",
            help="Quality measure to optimize instead of the specs'; `shoal measures` explains them.",
        ),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The column that identifies the person, instead of the specs'; `none` if each row is "
            "another person.",
        ),
    ] = None,
    keep_undeclared: Annotated[
        bool,
        typer.Option(
            "--keep-undeclared",
            help="Columns without a role are released unchanged; a note says if such a release would be "
            "refused. By default they are dropped.",
        ),
    ] = False,
    risk: Annotated[
        str,
        typer.Option(
            metavar="average|highest",
            help="The risk on the Pareto front: of re-identifying a person drawn at random, or the one at "
            "highest risk.",
        ),
    ] = "average",
    chart: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also draw the curve: .svg, or .html with the table below it. With several recodings and "
            "several k, it shows the loss by k.",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            help="Seconds to search for each, if there are too many choices for an exact search. "
            "[dim]\\[default: 10][/dim]"
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Threads to use. [dim]\\[default: all processors][/dim]")
    ] = None,
    delimiter: Delimiter = None,
    quote: Quote = None,
    encoding: Encoding = None,
    null_value: NullValues = None,
    sheet: Sheet = None,
    header: Header = None,
    as_json: AsJson = False,
    show_values: ShowValues = False,
) -> None:
    """Compare several specs, or several k, on one table by their risk and their loss.

    Choose k from the curve. Where it is flat, a larger k costs little, so take it; stop before it gets
    steep. [bold]*[/bold] marks the Pareto front. Ignore the rest: for each of them, a choice on the front has
    no more risk and no more loss, and less of at least one.

    Nothing is released. An infeasible spec gets a row that says so. The table is read once for all specs
    whose quasi-identifiers have the same hierarchies.
    """
    with reporting(show_values=show_values):
        without_pandas()
        from shoal.cli.short_form import named
        from shoal.files.atomic import atomic, check_path
        from shoal.tradeoff.compare import compare as run

        if chart is not None:
            _check_chart(chart)
            check_path(chart, apart_from=[data, *specs])
        with progress() as listener:
            found = run(
                data,
                specs,
                ks=_numbers(k, int),
                suppressions=_numbers(suppression, float),
                recodings=_recodings(recoding),
                quality=None if quality is None else named(quality, "--quality"),
                unit=unit,
                keep_undeclared=keep_undeclared,
                risk=cast("Any", risk),
                seconds=seconds,
                threads=threads,
                input_format=input_format(delimiter, quote, encoding, null_value, sheet, header),
                listener=listener,
            )
        if chart is not None:
            drawn = found.html() if chart.suffix.lower() == ".html" else found.canvas.standalone()
            with atomic(chart) as (hidden,):
                hidden.write_text(drawn, encoding="utf-8", newline="\n")
    if as_json:
        echo(json.dumps(found.to_mapping(), indent=2))
        return
    names, rows = found.cells()
    print_table(rows, header=names)
    echo()
    for remark in found.remarks():
        echo(remark)
    if chart is not None:
        echo(f"Chart: {chart}")


def _recodings(text: str | None) -> str | list[str]:
    """Return the names between commas, or `all`."""
    if text is None:
        return []
    return "all" if text.strip() == "all" else [part.strip() for part in text.split(",")]


def _numbers(text: str | None, kind: Callable[[str], float]) -> list[Any]:
    """Return what stands between commas, as numbers where it is one; what is not is refused with all else.

    Examples
    --------
    >>> _numbers("2, 5,x", int)
    [2, 5, 'x']
    """
    found: list[Any] = []
    for part in (text or "").split(","):
        written = part.strip()
        try:
            found.append(kind(written))
        except ValueError:
            found.append(written)
    return found if text is not None else []


def _check_chart(chart: Path) -> None:
    if chart.suffix.lower() not in _CHART_SUFFIXES:
        raise InputError(
            f"The name of a chart must end in {' or '.join(_CHART_SUFFIXES)}.\nFound: {chart.name!r}.\n"
            "Rename it: a browser opens both, and .html includes the table."
        )
