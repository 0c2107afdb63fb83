"""`shoal extend`: new rows for a release that is published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import print_table, reporting, unless_written, without_pandas
from shoal.cli.options import (
    AcceptLinkable,
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
from shoal.cli.summary import written
from shoal.cli.terminal import echo
from shoal.errors import InputError

EPILOG = """
[bold]Examples[/bold]

shoal extend release.csv.manifest.json june.csv --original people.csv --check

shoal extend release.csv.manifest.json june.csv --original people.csv --output extended.csv

shoal extend extended.csv.manifest.json july.csv --original people.csv --original june.csv --output third.csv
"""

_ASKED = "Requirements, if they differ from the earlier ones"
_PEOPLE = "People in the new rows"


def extend(
    manifest: Annotated[
        Path,
        typer.Argument(metavar="MANIFEST", help="The earlier release's RELEASE.manifest.json."),
    ],
    new_rows: Annotated[
        Path,
        typer.Argument(
            metavar="NEW_ROWS", help="File with only the new rows, and the columns of the original table."
        ),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="File for the extended release, in the format of the earlier one."
        ),
    ] = None,
    original: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="The original table of the earlier release, so that rows suppressed then can be released "
            "now. Models such as t-closeness and some hierarchies need it. Repeatable: if the release was "
            "extended before, give all tables in order.",
        ),
    ] = None,
    release: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The earlier release, if it is not beside its manifest."),
    ] = None,
    files: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder with the hierarchy files. [dim]\\[default: the manifest's folder][/dim]",
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Check whether the release can be extended, and write nothing.")
    ] = False,
    suppression: Annotated[
        float | None,
        typer.Option(help="Share of all rows that may be suppressed or wait.", rich_help_panel=_ASKED),
    ] = None,
    k: Annotated[int | None, typer.Option("-k", help="k-anonymity.", rich_help_panel=_ASKED)] = None,
    accept_linkable: AcceptLinkable = None,
    drop_undeclared: Annotated[
        bool, typer.Option("--drop-undeclared", help="Drop columns without a role.")
    ] = False,
    shared: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="An identifier that different people share, such as a family's telephone number. Shoal does "
            "not compare people by it. Repeatable.",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    new_people: Annotated[
        bool,
        typer.Option(
            "--new-people",
            help="Assert that no new row is about somebody in the earlier table, if Shoal cannot compare "
            "them. The manifest records your assertion.",
            rich_help_panel=_PEOPLE,
        ),
    ] = False,
    replace_extension: Annotated[
        bool,
        typer.Option(
            "--replace-extension",
            help="Assert that nobody else has, or will have, the file to which this release was extended "
            "before. Otherwise extend that one.",
            rich_help_panel=_PEOPLE,
        ),
    ] = False,
    remember_people: Annotated[
        bool,
        typer.Option(
            "--remember-people",
            help="Keep keyed hashes of the people of the extended release in your own folder, so that it can "
            "be extended without the original tables.",
            rich_help_panel=_PEOPLE,
        ),
    ] = False,
    sign: Annotated[
        Path | None,
        typer.Option(metavar="KEY", help="Sign the manifest with this private key, made by `shoal key`."),
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
    """Add new rows to a release, at its levels, if the difference between the two reveals nobody.

    Anybody with both releases sees which rows were added, so the rows added to a class must satisfy the
    claims by themselves, as the whole class must. New rows that do not satisfy them wait, and count as
    suppressed. If too many wait, nothing is written, the exit code is 3, and the message says what to change.

    The new rows must be about people who are not in the earlier table. Shoal compares them by unit and
    identifiers, which it reads only for this purpose: with the tables of --original, or with the hashes that
    `shoal anonymize --remember-people` kept. Corrections and withdrawals of rows are not covered.

    A manifest does not record the file format of the original table. If you had to give it then, give it
    again: --no-header, --encoding and so on apply to the tables of --original and to the new rows.

    The manifest of the extended release names the release that it extends. Keep both: checking one needs the
    other.
    """
    with reporting(show_values=show_values, interrupted=unless_written(output)):
        without_pandas()
        from shoal.files.atomic import check_path
        from shoal.incremental.extend import extend as run
        from shoal.write.output import FileOutput

        if (output is None) != check:
            raise InputError(
                f"{'Both an output and --check' if check else 'No output'} given.\n"
                "Use --output FILE to write the extended release, or --check to write nothing."
            )
        if sign is not None:
            from shoal.audit.signature import signer

            signer(sign)  # a key that is none is better told before the work than after it
        if output is not None:
            check_path(output, apart_from=[new_rows, *(original or []), *filter(None, [sign])])
        with progress() as listener:
            extension = run(
                manifest,
                new_rows,
                original=original,
                release=release,
                output=output,
                files=files,
                suppression=suppression,
                k=k,
                accept=dict.fromkeys(accept_linkable or [], "linkable"),
                drop_undeclared=drop_undeclared,
                shared=shared or (),
                new_people=new_people,
                replace_extension=replace_extension,
                remember_people=remember_people,
                input_format=input_format(delimiter, quote, encoding, null_value, sheet, header),
                sign=sign,
                listener=listener,
            )
    with reporting(interrupted="Interrupted; the release was written before."):
        if as_json:
            echo(json.dumps(extension.to_mapping(), indent=2))
            return
        beside = [] if output is None else written(FileOutput(output), signed=sign is not None)
        print_table([*extension.facts(), *beside])
        if check:
            echo("\nThe levels can be kept. Nothing was written.")
