"""`shoal init`: a spec to start from."""

from __future__ import annotations

import json
import re
import shlex
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.console import print_entries, print_table, reporting, without_pandas
from shoal.cli.options import AsJson, Delimiter, Encoding, Header, NullValues, Quote, Sheet, input_format
from shoal.cli.progress import progress
from shoal.cli.terminal import echo, secho
from shoal.errors import InputError, OutputError

if TYPE_CHECKING:
    from shoal.suggestions.suggestion import ColumnSuggestion, Suggestion

EPILOG = """
[bold]Examples[/bold]

shoal init people.csv

shoal init people.csv --output spec.yaml -k 10

shoal init people.parquet --interactive

shoal init visits.csv --unit patient_id

shoal init people.csv --json | jq '.columns[] | select(.sure | not) | .name'
"""

_HEADER = ("Column", "Type", "Distinct", "NULL", "Unique", "Role", "Hierarchy", "Why")
_VALUE = re.compile(r"[+-]?[0-9]+([.,:/-][0-9]+)*")
_MANY = 12
_MOST_ANSWERS = 5
_SUFFIXES = (".gz", ".csv", ".tsv", ".txt", ".parquet", ".pq", ".xlsx", ".dta", ".sav", ".sas7bdat")


def init(
    data: Annotated[
        Path,
        typer.Argument(metavar="DATA", help="The table: CSV (also .gz), Parquet, Excel, Stata, SPSS or SAS."),
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
        typer.Option("--interactive", "-i", help="Ask about each column; Enter keeps the proposal."),
    ] = False,
    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            "--k",
            help="k-anonymity: rows per class. [dim]\\[default: 5, or 2 for fewer than 50 rows][/dim]",
        ),
    ] = None,
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
    shown nor written.
    """
    with reporting(interrupted="Interrupted; nothing was written."):
        without_pandas()
        from shoal.files.atomic import atomic, check_path
        from shoal.suggestions.suggestion import suggest

        target = output or Path(f"{_stem(data)}.spec.yaml")
        check_path(target, apart_from=[data])
        if target.exists() and not force:
            raise OutputError(
                f"The spec '{target}' already exists.\nIt may hold somebody's decisions.\n"
                "Use --force to replace it, or --output for another name."
            )
        with progress() as listener:
            suggestion = suggest(
                data,
                k=k,
                unit=unit,
                input=input_format(delimiter, quote, encoding, null_value, sheet, header),
                listener=listener,
            )
        if not as_json:
            _show(suggestion)
        if interactive:
            suggestion = _confirmed(suggestion, prompt_k=k is None, err=as_json)
        text = suggestion.to_yaml()
        with atomic(target) as (hidden,):
            hidden.write_text(text, encoding="utf-8", newline="\n")
    if as_json:
        echo(json.dumps({**suggestion.to_mapping(), "spec": str(target)}, indent=2))
        return
    echo()
    if suggestion.undecided:
        given = [["--output", str(output)]] * (output is not None) + [["-k", str(k)]] * (k is not None)
        _ask(suggestion, ["shoal", "init", str(data), *(each for pair in given for each in pair)], target)
        return
    confirm = "" if suggestion.confirmed else ", remove the line `proposed: true`"
    echo(f"Wrote {target}. Read it, change what is wrong{confirm}, and then:")
    release = f"{_stem(data)}.release{'.parquet' if data.suffix.lower() in ('.parquet', '.pq') else '.csv'}"
    commands = [["anonymize", str(data), "--spec", str(target), "--output", release]]
    if suggestion.unit is None:  # a release lacks the unit's column, so an audit cannot count people by it
        commands.append(["audit", release, "--spec", str(target)])
    for command in commands:
        echo("  " + shlex.join(["shoal", *command]))


def _ask(suggestion: Suggestion, again: list[str], target: Path) -> None:
    """Print the question that the spec needs an answer to, and the commands that answer it."""
    from shoal.suggestions.unit import NO_UNIT

    echo(f"Wrote {target}, which does not run before you answer: {suggestion.question}.")
    for answer in (*suggestion.undecided[:_MOST_ANSWERS], NO_UNIT):
        echo("  " + shlex.join([*again, "--unit", answer, "--force"]))


def _stem(path: Path) -> str:
    name = path.name
    while Path(name).suffix.lower() in _SUFFIXES and Path(name).stem:
        name = Path(name).stem
    return name


def _show(suggestion: Suggestion) -> None:
    from shoal.suggestions.draft import in_one_line
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


def _confirmed(suggestion: Suggestion, *, prompt_k: bool, err: bool) -> Suggestion:
    """Ask about each column on the terminal; questions go to stderr if `err`."""
    from shoal.describe.roles import Role
    from shoal.suggestions.draft import in_one_line
    from shoal.suggestions.words import count, printable

    echo(
        "\nFor each column: identifier (id), quasi-identifier (q), sensitive (s) or insensitive (in). "
        "Enter keeps the value in brackets; Ctrl-C stops without writing.\n",
        err=err,
    )
    try:
        if suggestion.undecided:
            echo(suggestion.question, err=err)
            suggestion = _decided(suggestion, err)
        for column in suggestion.columns:
            values = count(column.profile.distinct, "value")
            echo(f"{printable(column.name)}, {values}\n  {column.reason}", err=err)
            suggestion = _again(suggestion, column, "  role", column.role.value, _with_role, err)
            decided = suggestion[column.name]
            if decided.role is Role.QUASI_IDENTIFIER:
                default = in_one_line(decided.hierarchy)
                suggestion = _again(suggestion, decided, "  hierarchy", default, _with_hierarchy, err)
        if prompt_k:
            wanted = 0
            while wanted < 1:
                wanted = typer.prompt("k, people per class", default=suggestion.k, type=int, err=err)
            suggestion = replace(suggestion, k=wanted)
    except (EOFError, typer.Abort):
        raise KeyboardInterrupt from None
    return replace(suggestion, confirmed=True)


def _decided(suggestion: Suggestion, err: bool) -> Suggestion:
    """Ask who a row is about until the answer can be used."""
    from shoal.suggestions.unit import NO_UNIT

    while True:
        answer: str = typer.prompt(f"  the person's column, or {NO_UNIT}", err=err)
        names = [column.name for column in suggestion.columns]
        try:
            is_none = answer == NO_UNIT and NO_UNIT not in names
            return suggestion.with_unit(None if is_none else answer)
        except InputError as error:
            secho(textwrap.indent(error.render(), "  "), fg="red", err=err)


def _again(
    suggestion: Suggestion,
    column: ColumnSuggestion,
    what: str,
    default: str,
    use: Callable[[Suggestion, ColumnSuggestion, str], Suggestion],
    err: bool,
) -> Suggestion:
    """Ask until the answer can be used."""
    while True:
        answer: str = typer.prompt(what, default=default, err=err)
        try:
            return use(suggestion, column, answer.strip())
        except InputError as error:
            secho(textwrap.indent(error.render(), "  "), fg="red", err=err)


def _with_role(suggestion: Suggestion, column: ColumnSuggestion, answer: str) -> Suggestion:
    from shoal.describe.roles import Role

    meant = [role for role in Role if role.value.startswith(answer.lower())]
    return suggestion.with_column(column.name, role=meant[0] if len(meant) == 1 else answer)


def _with_hierarchy(suggestion: Suggestion, column: ColumnSuggestion, answer: str) -> Suggestion:
    from shoal.spec.spec import hierarchy_from_text

    return suggestion.with_column(column.name, hierarchy=hierarchy_from_text(answer).to_spec())
