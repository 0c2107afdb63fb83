"""`shoal init`: a spec to start from."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.console import print_entries, print_table, reporting, without_pandas
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
from shoal.cli.summary import print_trial
from shoal.cli.terminal import echo
from shoal.errors import InputError, OutputError, nearest

if TYPE_CHECKING:
    from shoal.describe.roles import Role
    from shoal.events import Listener
    from shoal.read.source import InputFormat
    from shoal.suggestions.related import Join
    from shoal.suggestions.suggestion import Suggestion
    from shoal.trial.trial import Trial

EPILOG = """
[bold]Examples[/bold]

shoal init people.csv

shoal init people.csv --output spec.yaml -k 10

shoal init people.parquet --interactive

shoal init visits.csv --unit patient_id

shoal init people.csv --qi age=intervals:5,10 --qi zip,sex --sensitive 'diag_*' --drop '*_code'

shoal init patients.csv visits.csv

shoal init people.csv --json | jq '.columns[] | select(.sure | not) | .name'
"""

_HEADER = ("Column", "Type", "Distinct", "NULL", "Unique", "Role", "Hierarchy", "Why")
_VALUE = re.compile(r"[+-]?[0-9]+([.,:/-][0-9]+)*")
_MANY = 12
_MOST_ANSWERS = 5
_SUFFIXES = (".gz", ".csv", ".tsv", ".txt", ".parquet", ".pq", ".xlsx", ".dta", ".sav", ".sas7bdat")


def init(
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="DATA...",
            help="The table: CSV (also .gz), Parquet, Excel, Stata, SPSS or SAS. Two tables about the same "
            "people get a spec each, with roles that agree.",
        ),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="SPEC",
            help="File for the spec. [dim]\\[default: DATA's name with .spec.yaml, in this folder][/dim]",
        ),
    ] = None,
    interactive: Annotated[
        bool,
        typer.Option(
            "--interactive", "-i", help="Ask about each column; Enter keeps the proposal, `back` goes back."
        ),
    ] = False,
    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            "--k",
            help="k-anonymity: rows per class. [dim]\\[default: 5, or 2 for fewer than 50 rows][/dim]",
        ),
    ] = None,
    qi: QuasiIdentifiers = None,
    sensitive: SensitiveColumns = None,
    identifier: Identifiers = None,
    insensitive: InsensitiveColumns = None,
    drop: DroppedColumns = None,
    unit: Annotated[
        str | None,
        typer.Option(
            "--unit",
            metavar="COLUMN",
            help="The column that identifies the person, or `none` if each row is another person.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the spec if it exists.")] = False,
    delimiter: Delimiter = None,
    quote: Quote = None,
    encoding: Encoding = None,
    null_value: NullValues = None,
    sheet: Sheet = None,
    header: Header = None,
    as_json: AsJson = False,
) -> None:
    """Profile a table, propose a role for each column, and write a spec to start from.

    Each role comes with its reason: the column's name, the form of its values, their number, and how many
    rows a few columns together single out. Unsure roles are marked. Values that few people have are neither
    shown nor written. The spec is then tried on the table, to say what would come out.
    """
    written = input_format(delimiter, quote, encoding, null_value, sheet, header)
    with reporting(interrupted="Interrupted; nothing was written."):
        without_pandas()
        from shoal.files.atomic import atomic

        targets = _targets(data, output, force=force)
        with progress() as listener:
            suggestions, join = _proposed(data, k, unit, written, listener)
        suggestions = _with_roles(suggestions, chosen_roles(qi, sensitive, identifier, insensitive, drop))
        if not as_json:
            for suggestion in suggestions:
                if len(suggestions) > 1:
                    echo(f"{suggestion.table}\n")
                _show(suggestion)
                if len(suggestions) > 1:
                    echo()
            if len(suggestions) > 1:
                print_table(_together(join))
        if interactive:
            suggestions = [
                _asked(path, suggestion, written, prompt_k=k is None, err=as_json, named=len(data) > 1)
                for path, suggestion in zip(data, suggestions, strict=True)
            ]
        texts = [suggestion.to_yaml() for suggestion in suggestions]
        with atomic(*targets) as hidden:
            for file, text in zip(hidden, texts, strict=True):
                file.write_text(text, encoding="utf-8", newline="\n")
    with reporting(interrupted=f"Interrupted; {', '.join(map(str, targets))} was written before."):
        from shoal.trial.try_spec import try_spec

        with progress() as listener:
            trials = [
                try_spec(path, suggestion, listener=listener)
                for path, suggestion in zip(data, suggestions, strict=True)
            ]
    if as_json:
        mappings = [
            {**suggestion.to_mapping(), "trial": trial.to_mapping(), "spec": str(target)}
            for suggestion, trial, target in zip(suggestions, trials, targets, strict=True)
        ]
        both = {"tables": mappings, "join": None if join is None else join.to_mapping()}
        echo(json.dumps(mappings[0] if len(mappings) == 1 else both, indent=2))
        return
    for path, suggestion, trial, target in zip(data, suggestions, trials, targets, strict=True):
        echo()
        _next_steps(path, suggestion, trial, target)


def _targets(data: list[Path], output: Path | None, *, force: bool) -> list[Path]:
    """Return where the specs go, if they may be written there."""
    from shoal.files.atomic import check_path

    if len(data) > 2:
        raise InputError(
            f"Roles are proposed for at most two tables together.\nFound: {len(data)} tables.\n"
            "Give two related ones."
        )
    if output is not None and len(data) > 1:
        raise InputError(
            "One --output cannot hold two specs.\nFound: two tables.\n"
            "Leave it out: each spec is named after its table."
        )
    targets = [output or Path(f"{_stem(path)}.spec.yaml") for path in data]
    if len(set(targets)) < len(targets):
        raise InputError(
            f"Both specs would be '{targets[0]}', named after their tables.\nRename one of the tables."
        )
    for target in targets:
        check_path(target, apart_from=data)
        if target.exists() and not force:
            raise OutputError(
                f"The spec '{target}' already exists.\nIt may hold somebody's decisions.\n"
                "Use --force to replace it, --output for another name, or `shoal spec` to change it."
            )
    return targets


def _proposed(
    data: list[Path], k: int | None, unit: str | None, written: InputFormat, listener: Listener | None
) -> tuple[list[Suggestion], Join | None]:
    """Return a proposal for each table, and what joins two."""
    from shoal.describe.roles import NO_UNIT, unit_of
    from shoal.suggestions.related import relate
    from shoal.suggestions.suggestion import suggest

    if len(data) == 1:
        return [suggest(data[0], k=k, unit=unit, input=written, listener=listener)], None
    first, second = (suggest(path, k=k, input=written, listener=listener) for path in data)
    (first, second), join = relate((first, second), (data[0], data[1]), written)
    suggestions = [first, second]
    if unit is not None:
        known = [column.name for each in suggestions for column in each.columns]
        if unit not in known and unit != NO_UNIT:
            raise InputError(
                f"Column {unit!r}, by which to count people, is in neither table.\n"
                f"Columns: {', '.join(dict.fromkeys(known))}.{nearest(unit, known)}"
            )
        column = unit_of(unit, known)
        suggestions = [
            each.with_unit(column) if column is None or column in [one.name for one in each.columns] else each
            for each in suggestions
        ]
    return suggestions, join


def _with_roles(suggestions: list[Suggestion], roles: dict[Role | str, list[str]]) -> list[Suggestion]:
    from shoal.suggestions.related import with_roles

    return with_roles(suggestions, roles) if roles else suggestions


def _asked(
    path: Path, suggestion: Suggestion, written: InputFormat, *, prompt_k: bool, err: bool, named: bool
) -> Suggestion:
    """Ask about each column on the terminal, of the table that is `named` if there are two."""
    from shoal.cli.init_dialog import confirmed
    from shoal.suggestions.table import open_table

    if named:
        echo(f"\n{suggestion.table}", err=err)
    with open_table(path, written) as table:
        return confirmed(suggestion, table, prompt_k=prompt_k, err=err)


def _together(join: Join | None) -> list[tuple[str, str]]:
    """Return what two tables have to do with each other."""
    if join is None:
        return [("Join", "no column of one has the values of a key in the other")]
    return [
        ("Join", join.words),
        (
            "",
            "each release has its own k-anonymity: whoever has both can combine what they know of a person",
        ),
    ]


def _next_steps(data: Path, suggestion: Suggestion, trial: Trial, target: Path) -> None:
    """Print what the spec would give, and the commands that follow."""
    if suggestion.undecided:
        _ask(suggestion, data, target)
        return
    print_trial(trial)
    confirm = "" if suggestion.confirmed else ", remove the line `proposed: true`"
    echo(f"Wrote {target}. Read it, change what is wrong{confirm}, and then:")
    release = f"{_stem(data)}.release{'.parquet' if data.suffix.lower() in ('.parquet', '.pq') else '.csv'}"
    commands = [["anonymize", str(data), "--spec", str(target), "--output", release]]
    if suggestion.unit is None:  # a release lacks the unit's column, so an audit cannot count people by it
        commands.append(["audit", release, "--spec", str(target)])
    for command in commands:
        echo("  " + shlex.join(["shoal", *command]))


def _ask(suggestion: Suggestion, data: Path, target: Path) -> None:
    """Print the question that the spec needs an answer to, and the commands that answer it.

    They change the spec, since another proposal would lack the roles that a person or another table gave.
    """
    from shoal.describe.roles import NO_UNIT

    echo(f"Wrote {target}, which does not run before you answer: {suggestion.question}.")
    for answer in (*suggestion.undecided[:_MOST_ANSWERS], NO_UNIT):
        echo("  " + shlex.join(["shoal", "spec", str(target), "--unit", answer, "--data", str(data)]))


def _stem(path: Path) -> str:
    name = path.name
    while Path(name).suffix.lower() in _SUFFIXES and Path(name).stem:
        name = Path(name).stem
    return name


def _show(suggestion: Suggestion) -> None:
    from shoal.spec.yaml_edit import in_one_line
    from shoal.suggestions.words import printable, shortened

    rows = []
    for column in suggestion.columns:
        profile = column.profile
        rows.append(
            (
                printable(column.name),
                profile.kind.value,
                f"{'' if profile.exact else '~'}{profile.distinct:,}",
                _share(profile.nulls, profile.rows),
                _share(profile.once, profile.rows),
                column.role.value + ("" if column.sure else " ?"),
                shortened(in_one_line(column.hierarchy)) if column.hierarchy else "-",
                column.reason,
            )
        )
    print_entries(rows, header=_HEADER)
    echo()
    print_table(list(_facts(suggestion)))


def _facts(suggestion: Suggestion) -> Iterator[tuple[str, str]]:
    """Yield the facts about the table as a whole."""
    from shoal.suggestions.words import listed, percent

    sampled = (
        "" if suggestion.sampled_rows is None else f", of which {suggestion.sampled_rows:,} were sampled"
    )
    yield "Rows", f"{suggestion.rows:,}{sampled}"
    for number, one in enumerate(suggestion.separations):
        alone = f"{percent(one.unique_rows)} of the rows are unique"
        pairs = f"{percent(one.separation)} of the pairs differ"
        yield "" if number else "Uniqueness", f"{listed(one.columns)}: {alone}, {pairs}"
    yield "People", suggestion.people
    yield from _overruled(suggestion)
    yield from _sensitive(suggestion)
    yield from _null_like(suggestion)
    names = [column.name for column in suggestion.columns]
    values = [name for name in names if _VALUE.fullmatch(name)]
    if 2 * len(values) >= len(names):
        yield "Header", f"{listed(values)}: if these are values, use --no-header"
    if len(suggestion.unsure) > _MANY:
        yield "Unsure (?)", f"check the {len(suggestion.unsure):,} columns marked ? first"
    elif suggestion.unsure:
        yield "Unsure (?)", f"check {listed(suggestion.unsure)} first"


def _overruled(suggestion: Suggestion) -> Iterator[tuple[str, str]]:
    """Yield the columns of which a person wants to reveal more than was proposed."""
    from shoal.suggestions.draft import overruled
    from shoal.suggestions.words import printable

    chosen = [each for each in suggestion.columns if each.overruled is not None]
    for number, column in enumerate(chosen):
        sentence = overruled(column)
        yield (
            "" if number else "Your choice",
            f"{printable(column.name)}: {sentence[0].lower()}{sentence[1:-1]}",
        )


def _sensitive(suggestion: Suggestion) -> Iterator[tuple[str, str]]:
    """Yield what k-anonymity does not protect."""
    from shoal.suggestions.words import listed

    sensitive = [each for each in suggestion.columns if each.role.value == "sensitive"]
    if several := [each.name for each in sensitive if each.profile.categories > 1]:
        yield (
            "Sensitive",
            f"{listed(several)}: k-anonymity does not hide a value that a whole class shares; "
            "the spec has l-diversity as a comment",
        )
    if same := [each.name for each in sensitive if each.profile.categories == 1]:
        yield (
            "" if several else "Sensitive",
            f"{listed(same)}: the same in every row, so everybody known to be in the table has this value "
            "(`shoal models delta-presence`)",
        )


def _null_like(suggestion: Suggestion) -> Iterator[tuple[str, str]]:
    """Yield the texts that may mean NULL, and the options that make them NULL."""
    from shoal.suggestions.words import count, listed, written

    about = "" if suggestion.sampled_rows is None else "~"
    found = [
        f"{written(one.text)} in {listed(list(one.columns))} ({about}{count(one.cells, 'cell')})"
        for one in suggestion.null_like
    ]
    if found:
        yield "Possible NULLs", "; ".join(found)
        options = " ".join(f"--null-value {shlex.quote(text)}" for text in suggestion.null_values)
        yield "", f"if so, add {options}"


def _share(part: int, rows: int) -> str:
    from shoal.suggestions.words import percent

    return percent(part / rows) if part else "-"
