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

_ASKED = "What it is to satisfy, if not the same"
_PEOPLE = "Who the new rows are about"


def extend(
    manifest: Annotated[
        Path, typer.Argument(metavar="MANIFEST", help="Of the earlier release: RELEASE.manifest.json.")
    ],
    new_rows: Annotated[
        Path,
        typer.Argument(
            metavar="NEW_ROWS", help="File with the new rows alone, and the columns of the original table."
        ),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Where the extended release goes, in the format of the earlier one."
        ),
    ] = None,
    original: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="The table that the earlier release was made of, so that rows that were suppressed can come "
            "in now. Models such as t-closeness and some hierarchies need it. Repeatable: if the release was "
            "extended before, all tables in their order.",
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
            help="Where the hierarchies are that stand in files. [dim]\\[default: beside the manifest][/dim]",
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Tell whether it can be done, and write nothing.")
    ] = False,
    suppression: Annotated[
        float | None,
        typer.Option(help="Share of all rows that may be suppressed or wait.", rich_help_panel=_ASKED),
    ] = None,
    k: Annotated[int | None, typer.Option("-k", help="k-anonymity.", rich_help_panel=_ASKED)] = None,
    accept_linkable: AcceptLinkable = None,
    drop_undeclared: Annotated[
        bool, typer.Option("--drop-undeclared", help="Leave columns without a role out.")
    ] = False,
    shared: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="An identifier that different people share, such as the telephone of a family: people are "
            "not compared by it. Repeatable.",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    new_people: Annotated[
        bool,
        typer.Option(
            "--new-people",
            help="Assert that nobody of the earlier table has new rows, where it cannot be compared. The "
            "manifest says that you did.",
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
        typer.Option(metavar="KEY", help="Sign the manifest with this private key, as `shoal key` makes it."),
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
    """Add new rows to a release, at its levels, if the difference between the two gives nobody away.

    Whoever has both releases sees which rows were added: so what is added to a class must satisfy the claims
    by itself, as the whole must. New rows of which that is not true wait, and count as suppressed. If these
    are too many, nothing is written, the exit code is 3, and the message tells what must change.

    The new rows must be about people of whom the earlier table has none. That is compared by unit and
    identifiers, which are read for this alone: with the tables of --original, or with what `shoal anonymize
    --remember-people` kept. Rows are only added: corrections and withdrawals are not covered.

    A manifest does not say how the original table was written. If that could not be found out then, say it
    again: --no-header, --encoding and so on are about the tables of --original and the new rows alike.

    The extended release says in its manifest what it extends; keep both files, since whoever checks the one
    needs the other.
    """
    with reporting(show_values=show_values, interrupted=unless_written(output)):
        without_pandas()
        from shoal.files.atomic import check_place
        from shoal.incremental.extend import extend as run

        if (output is None) != check:
            raise InputError(
                "Say where the extended release goes, or that it is only to be checked.\n"
                f"Found: {'both' if check else 'neither'}.\nGive --output FILE or --check."
            )
        if sign is not None:
            from shoal.audit.signature import signer

            signer(sign)  # a key that is none is better told before the work than after it
        if output is not None:
            check_place(output, apart_from=[new_rows, *(original or []), *filter(None, [sign])])
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
                remember_people=remember_people,
                input_format=input_format(delimiter, quote, encoding, null_value, sheet, header),
                sign=sign,
                listener=listener,
            )
    with reporting(interrupted="Interrupted; the release was written before."):
        if as_json:
            echo(json.dumps(extension.to_mapping(), indent=2))
            return
        beside = [] if output is None else written(output, signed=sign is not None)
        print_table([*extension.facts(), *beside])
        if check:
            echo("\nThe levels can be kept. Nothing was written.")
