"""`shoal apply`: further rows with the labels of a release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import reporting, unless_written, without_pandas
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
from shoal.cli.summary import print_release, written
from shoal.cli.terminal import echo

EPILOG = """
[bold]Examples[/bold]

shoal apply release.csv test.csv --output test.release.csv

shoal apply release.parquet.manifest.json test.parquet --output test.release.parquet --json
"""


def apply(
    release: Annotated[
        Path,
        typer.Argument(metavar="RELEASE", help="The release with its manifest beside it, or the manifest."),
    ],
    new_rows: Annotated[
        Path, typer.Argument(metavar="NEW_ROWS", help="File with rows of other people, such as a test set.")
    ],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="File for the release of these rows.")],
    files: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder with the hierarchy files. [dim]\\[default: the manifest's folder][/dim]",
        ),
    ] = None,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The private key that makes the tokens of pseudonyms.")
    ] = None,
    drop_undeclared: Annotated[
        bool, typer.Option("--drop-undeclared", help="Drop columns without a role.")
    ] = False,
    delimiter: Delimiter = None,
    quote: Quote = None,
    encoding: Encoding = None,
    null_value: NullValues = None,
    sheet: Sheet = None,
    header: Header = None,
    as_json: AsJson = False,
    show_values: ShowValues = False,
) -> None:
    """Give other rows the labels that a release has, in a release of their own.

    For a test set beside a training set, or the same form of another year: labels are written alike, so what
    works on one works on the other. The rows must satisfy the claims by themselves; those in classes that do
    not are suppressed, however many these are. To add rows to a release, use `shoal extend`.

    Give rows of other people: whoever is in both releases is in two classes, and may be found where these
    meet.
    """
    with reporting(show_values=show_values, interrupted=unless_written(output)):
        without_pandas()
        from shoal.flow import apply as run
        from shoal.write.output import FileOutput

        with progress() as listener:
            found = run(
                release,
                new_rows,
                output=output,
                files=files,
                key=key,
                drop_undeclared=drop_undeclared,
                input_format=input_format(delimiter, quote, encoding, null_value, sheet, header),
                listener=listener,
            )
    with reporting(interrupted="Interrupted; the release was written before."):
        if as_json:
            echo(json.dumps(found.to_mapping(), indent=2))
        else:
            print_release(found, written(FileOutput(output)))
