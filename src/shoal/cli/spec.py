"""`shoal spec`: change the roles in a spec, and try it on its table."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import print_table, reporting, without_pandas
from shoal.cli.options import (
    AsJson,
    Delimiter,
    DroppedColumns,
    Encoding,
    Header,
    Identifiers,
    InsensitiveColumns,
    NullValues,
    QuasiIdentifiers,
    Quote,
    SensitiveColumns,
    Sheet,
    chosen_roles,
    input_format,
)
from shoal.cli.progress import progress
from shoal.cli.short_form import named, overridden
from shoal.cli.summary import print_trial
from shoal.cli.terminal import echo
from shoal.errors import InputError

EPILOG = """
[bold]Examples[/bold]

shoal spec people.spec.yaml --sensitive 'diag_*' --drop '*_code'

shoal spec people.spec.yaml --qi age=intervals:5,10 --qi zip,sex --data people.csv

shoal spec people.spec.yaml --unit patient_id -k 10 --suppression 0.05

shoal spec people.spec.yaml --data people.csv
"""


def spec(
    path: Annotated[Path, typer.Argument(metavar="SPEC", help="The YAML file to change.")],
    *,
    qi: QuasiIdentifiers = None,
    sensitive: SensitiveColumns = None,
    identifier: Identifiers = None,
    insensitive: InsensitiveColumns = None,
    drop: DroppedColumns = None,
    unit: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column that identifies the person, or `none` if each row is another person.",
        ),
    ] = None,
    k: Annotated[int | None, typer.Option("-k", help="The k of the spec's k-anonymity.")] = None,
    suppression: Annotated[
        float | None, typer.Option(help="Share of rows that may be suppressed, 0 to 1.")
    ] = None,
    recoding: Annotated[
        str | None,
        typer.Option(metavar="RECODING", help="How values become labels; `shoal recodings` explains them."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="TABLE",
            help="The table of the spec: new quasi-identifiers get a hierarchy that fits, patterns also find "
            "columns without a role, and the spec is tried on it.",
        ),
    ] = None,
    delimiter: Delimiter = None,
    quote: Quote = None,
    encoding: Encoding = None,
    null_value: NullValues = None,
    sheet: Sheet = None,
    header: Header = None,
    as_json: AsJson = False,
) -> None:
    """Change roles and settings in a spec; its comments, order and layout stay.

    The file is replaced at once, after the new spec was checked. With --data alone nothing changes: the spec
    is tried on the table, to say what would come out.
    """
    written = input_format(delimiter, quote, encoding, null_value, sheet, header)
    with reporting(interrupted="Interrupted; the spec is as it was, or replaced as a whole."):
        without_pandas()
        from shoal.files.atomic import atomic, check_path
        from shoal.suggestions.edit_spec import edit_spec
        from shoal.trial.try_spec import try_spec

        wanted = chosen_roles(qi, sensitive, identifier, insensitive, drop)
        further = {
            "suppression": suppression,
            "recoding": None if recoding is None else named(recoding, "--recoding"),
        }
        further = {key: value for key, value in further.items() if value is not None}
        edits = bool(wanted or further or unit is not None or k is not None)
        if not edits and data is None:
            raise InputError(
                "Nothing to change.\nFound: no role and no setting.\n"
                "Use --qi, --sensitive, --unit and so on, or --data TABLE to try the spec as it is."
            )
        check_path(path, apart_from=[] if data is None else [data])
        with progress() as listener:
            changed = edit_spec(
                path,
                roles=wanted,
                unit=unit,
                further=further,
                k=k,
                data=data if edits else None,
                input=written,
                listener=listener,
            )
            if changed.text is not None:
                with atomic(path) as (hidden,):
                    hidden.write_text(changed.text, encoding="utf-8", newline="")
                    shutil.copymode(path, hidden)
            trial = None
            if data is not None and changed.spec is not None:
                trial = try_spec(data, overridden(changed.spec, written), listener=listener)
    if as_json:
        roles = {
            one.name: {"before": one.before, "now": one.now, "remark": one.remark or None}
            for one in changed.roles
        }
        mapping = {"spec": str(path), "roles": roles, "trial": None if trial is None else trial.to_mapping()}
        echo(json.dumps(mapping, indent=2))
        return
    if changed.roles:
        rows = [(one.name, one.before or "-", one.now.value, one.remark or "-") for one in changed.roles]
        print_table(rows, header=("Column", "Before", "Now", "Remark"))
        echo()
    if changed.spec is None:
        echo("Nobody has decided who a row is about, so no command runs by this spec: use --unit COLUMN.")
    if trial is not None:
        print_trial(trial)
    if edits:
        echo(f"Changed {path}." if changed.text is not None else f"{path} says so already.")
