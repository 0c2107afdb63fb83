"""`shoal utility`: what a release can still be used for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from shoal.cli.short_form import overridden
from shoal.cli.terminal import echo, secho

if TYPE_CHECKING:
    from shoal.utility.assessment import UtilityAssessment

EPILOG = """
[bold]Examples[/bold]

shoal utility people.csv release.csv --spec people.spec.yaml

shoal utility people.csv release.csv --spec people.spec.yaml --target disease --json

shoal utility people.csv other-tool.csv --qi age --qi zip --no-models
"""


def utility(
    original: Annotated[
        Path,
        typer.Argument(
            metavar="ORIGINAL",
            help="The original table: a CSV (also .gz), Parquet, Excel, Stata, SPSS or SAS file.",
        ),
    ],
    release: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="The release: CSV (also .gz), Parquet or Excel.")
    ],
    *,
    spec: Annotated[
        Path | None,
        typer.Option(
            "--spec",
            "-s",
            help="The spec of the release, whose hierarchies define its labels. "
            "[dim]\\[default: infer them from the form of the labels][/dim]",
        ),
    ] = None,
    quasi_identifier: Annotated[
        list[str] | None,
        typer.Option(
            "--qi",
            metavar="NAME",
            help="Without a spec: a column that may be generalized. Repeatable. "
            "[dim]\\[default: columns whose values differ in the release][/dim]",
        ),
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A column for models to predict. Repeatable. [dim]\\[default: sensitive columns with 2 to "
            "50 values, or with numbers, at most 3][/dim]",
        ),
    ] = None,
    models: Annotated[
        bool,
        typer.Option("--models/--no-models", help="Whether to train models, the slowest step."),
    ] = True,
    queries: Annotated[int, typer.Option(min=0, help="Number of random count queries.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed for queries, held-out rows and models.")] = 0,
    delimiter: Delimiter = None,
    quote: Quote = None,
    encoding: Encoding = None,
    null_value: NullValues = None,
    sheet: Sheet = None,
    header: Header = None,
    show_values: ShowValues = False,
    as_json: AsJson = False,
) -> None:
    """Compare a release with its original: what each column lost, and what can still be counted and learned.

    Reports the loss and the entropy kept in every column, pairs of columns (Cramer's V before and after), the
    errors of random count queries, and how well models trained on the release predict held-out original rows.
    Prints columns and figures, never values.
    """
    with reporting(show_values=show_values):
        without_pandas()
        from shoal.spec.spec import Spec
        from shoal.utility.assess import assess_utility

        written = input_format(delimiter, quote, encoding, null_value, sheet, header)
        with progress() as listener:
            found = assess_utility(
                original,
                release,
                None if spec is None else overridden(Spec.from_yaml(spec), written),
                quasi_identifiers=quasi_identifier or None,
                target=target or None,
                models=models,
                queries=queries,
                seed=seed,
                input_format=written,
                listener=listener,
            )
    if as_json:
        echo(json.dumps(found.to_mapping(), indent=2))
    else:
        _show(found)


def _show(found: UtilityAssessment) -> None:
    echo(found.summary())
    for section in found.sections():
        echo()
        secho(section.title, bold=True)
        print_table(section.rows, header=section.header)
    if found.notes:
        echo()
        print_table([("Note", note) for note in found.notes])
