"""`shoal stream`: rows that come in batches."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.console import reporting, without_pandas
from shoal.cli.options import AsJson, ShowValues
from shoal.cli.terminal import echo, secho
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.stream.outcome import Outcome

EPILOG = """
[bold]Examples[/bold]

shoal stream visits.yaml monday.csv --state state --output released --delay 2 --reference last-year.csv

shoal stream visits.yaml tuesday.csv wednesday.csv --state state --output released --delay 2

shoal stream visits.yaml inbox --state state --output released --delay 2

shoal stream visits.yaml --state state --output released --finish
"""

ALARM = 5
"""The exit code where rows were settled, and more of them suppressed than the spec allows."""


def stream(
    spec: Annotated[
        Path, typer.Argument(metavar="SPEC", help="YAML file: roles, hierarchies, privacy, suppression.")
    ],
    batches: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="BATCH...",
            help="Files with new rows, in the order in which they came; of a folder all files, by name. The "
            "name of a file is the id of its batch.",
        ),
    ] = None,
    *,
    state: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER",
            help="What the stream remembers: waiting rows, and which batches came. It is made on first use, "
            "for its owner alone. Keep it.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="Folder for the emissions, one folder each."),
    ],
    delay: Annotated[
        int,
        typer.Option(help="How many further batches a row may wait for; 0 releases each batch by itself."),
    ] = 0,
    whole: Annotated[
        bool,
        typer.Option(
            "--whole",
            help="Release all rows that are due, or none: nothing follows from which are missing.",
        ),
    ] = False,
    reference: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Table whose sensitive values classes are compared with, where the spec has no "
            "`distribution:`. It is measured once, and then fixed.",
        ),
    ] = None,
    finish: Annotated[
        bool,
        typer.Option("--finish", help="Let no row wait after these batches: the stream ends, or pauses."),
    ] = False,
    drop_undeclared: Annotated[
        bool, typer.Option("--drop-undeclared", help="Drop columns without a role.")
    ] = False,
    keep_undeclared: Annotated[
        bool, typer.Option("--keep-undeclared", help="Release columns without a role unchanged.")
    ] = False,
    as_json: AsJson = False,
    show_values: ShowValues = False,
) -> None:
    """Release rows that come in batches, each row once.

    Rows wait until the oldest can wait no longer. Then all rows that satisfy the spec are released in one
    emission: a folder with release.csv, its manifest and its checker. Where sensitive values of a region do
    not satisfy, all rows of that region are suppressed, never single ones; with --whole, all rows. Rows of a
    region that has too few wait for more, unless they cannot.

    Classes are never compared with the batch they came in, but with a distribution that is declared once: in
    the spec, or by --reference.

    Run the command again whenever new files have come, from cron for example. A batch that came before is
    skipped. After a crash or a power cut the same command finishes what was begun.

    If more rows of an emission are suppressed than the spec allows, the command prints an alarm, goes on, and
    ends with the exit code 5: the sensitive values are no longer distributed as declared, or too few rows
    came.
    """
    with reporting(show_values=show_values, interrupted="Interrupted; batches without a line are not done."):
        without_pandas()
        from shoal.events import Drifted, Event
        from shoal.stream.stream import Stream

        alarms: list[str] = []
        notes: list[str] = []

        def listen(event: Event) -> None:
            if isinstance(event, Drifted):
                alarms.append(event.alarm)
                secho("Alarm: ", fg="red", bold=True, err=True, nl=False)
                echo(event.alarm, err=True)

        def show(outcome: Outcome) -> None:
            if as_json:
                echo(json.dumps(outcome.to_mapping()))
                return
            echo(_line(outcome))
            new = [note for note in outcome.notes if note not in notes]
            notes.extend(new)
            for note in new:
                echo(f"Note: {note}")

        files = _files(batches or ())
        if not files and not finish:
            raise InputError("No batch given.\nName files or folders with new rows, or use --finish.")
        opened = Stream(
            spec,
            state=state,
            output=output,
            delay=delay,
            whole=whole,
            reference=reference,
            keep_undeclared=keep_undeclared,
            drop_undeclared=drop_undeclared,
            listener=listen,
        )
        for file in files:
            show(opened.add(file, file.name))
        if finish:
            show(opened.finish())
        if alarms:
            raise typer.Exit(ALARM)


def _files(given: Sequence[Path]) -> list[Path]:
    """Return the files that were named, and those of folders by name; hidden ones may be half written."""
    files: list[Path] = []
    for path in given:
        inside = (
            [file for file in path.iterdir() if file.is_file() and file.name[0] not in "._"]
            if path.is_dir()
            else [path]
        )
        files += sorted(inside, key=lambda file: file.name)
    names = [file.name for file in files]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(
            f"Several batches have one name.\nFound: {', '.join(twice)}.\n"
            "The name of a file is the id of its batch: rename one of them."
        )
    return files


def _line(outcome: Outcome) -> str:
    start = outcome.batch or "finish"
    if outcome.repeated:
        return f"{start}: came before; {outcome.waiting:,} rows wait"
    parts = [f"{outcome.rows:,} rows"] if outcome.batch else []
    if outcome.emission is not None:
        parts.append(f"{outcome.released:,} released in {outcome.emission}")
    if outcome.suppressed:
        parts.append(f"{outcome.suppressed:,} suppressed")
    return f"{start}: {', '.join([*parts, f'{outcome.waiting:,} wait'])}"
