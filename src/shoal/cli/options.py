"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal import registry
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.describe.roles import Role
    from shoal.read.source import InputFormat
    from shoal.search.result import SearchAlgorithm

_CSV = "File format (detected by default)"

SpecFile = Annotated[
    Path,
    typer.Option("--spec", "-s", help="YAML file: roles, hierarchies, privacy, suppression, quality."),
]
Delimiter = Annotated[str | None, typer.Option(help="Cell separator; \\t for a tab.", rich_help_panel=_CSV)]
Quote = Annotated[str | None, typer.Option(help="Quote character around cells.", rich_help_panel=_CSV)]
Encoding = Annotated[
    str | None, typer.Option(help="Text encoding, such as utf-8 or cp1252.", rich_help_panel=_CSV)
]
NullValues = Annotated[
    list[str] | None,
    typer.Option(
        "--null-value",
        metavar="TEXT",
        help="Text that means NULL, quoted or not. Repeatable. By default, only an empty cell without quotes "
        "is NULL.",
        rich_help_panel=_CSV,
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Sheet of an Excel file. [dim]\\[default: the first][/dim]", rich_help_panel=_CSV
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first row contains the column names. Without a header, columns are named column_1, "
        "column_2 and so on. [dim]\\[default: refuse a first row that looks like data][/dim]",
        show_default=False,
        rich_help_panel=_CSV,
    ),
]
AcceptLinkable = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Release this sensitive or insensitive column, or this pseudonym, even though it singles people "
        "out. Shoal otherwise refuses a column that is unique in more than 20% of the rows. Use it only for "
        "values that nobody outside can know. Repeatable. [dim]\\[default: the spec's][/dim]",
    ),
]
_ROLES = "Roles that you choose (NAME, a list NAME,NAME, or a pattern such as 'diag_*'; repeatable)"
QuasiIdentifiers = Annotated[
    list[str] | None,
    typer.Option(
        "--qi",
        metavar="NAME[=HIERARCHY[:ARGS]]",
        help="Quasi-identifiers, which others may know: age,zip, or one with its hierarchy, "
        "age=intervals:5,10.",
        rich_help_panel=_ROLES,
    ),
]
SensitiveColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--sensitive", metavar="NAME", help="Columns that nobody should learn.", rich_help_panel=_ROLES
    ),
]
Identifiers = Annotated[
    list[str] | None,
    typer.Option(
        "--identifier",
        metavar="NAME",
        help="Columns that identify a person, which are not released.",
        rich_help_panel=_ROLES,
    ),
]
DroppedColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        metavar="NAME",
        help="Columns to leave out although they identify nobody.",
        rich_help_panel=_ROLES,
    ),
]
InsensitiveColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--insensitive", metavar="NAME", help="Columns to release unchanged.", rich_help_panel=_ROLES
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
ShowValues = Annotated[
    bool,
    typer.Option("--show-values", help="Let error messages show values from the table."),
]


def any_of(kind: registry.Kind) -> str:
    """List all that is registered, for help texts.

    Examples
    --------
    >>> any_of("engines")
    'duckdb, memory, postgres or spark'
    """
    *others, last = registry.names(kind)
    return f"{', '.join(others)} or {last}" if others else last


def input_format(
    delimiter: str | None,
    quote: str | None,
    encoding: str | None,
    null_values: list[str] | None = None,
    sheet: str | None = None,
    header: bool | None = None,
) -> InputFormat:
    """Return how a file is written, as far as the options say."""
    from shoal.read.source import InputFormat

    nulls = tuple(null_values) if null_values else None
    return InputFormat("\t" if delimiter == r"\t" else delimiter, quote, encoding, nulls, sheet, header)


def chosen_roles(
    qi: list[str] | None,
    sensitive: list[str] | None,
    identifier: list[str] | None,
    insensitive: list[str] | None,
    drop: list[str] | None,
) -> dict[Role | str, list[str]]:
    """Return what the options for roles name, by role."""
    from shoal.describe.roles import Role

    wanted = {
        Role.QUASI_IDENTIFIER: qi,
        Role.SENSITIVE: sensitive,
        Role.IDENTIFIER: identifier,
        Role.INSENSITIVE: insensitive,
        Role.DROP: drop,
    }
    return {role: texts for role, texts in wanted.items() if texts}


def within_budget(
    algorithm: str | None, seconds: float | None, checks: int | None
) -> str | SearchAlgorithm | None:
    """Return the algorithm that the options name; if they give a budget, the one that keeps it."""
    if seconds is None and checks is None:
        return algorithm
    from shoal.search.algorithms.best_first import BestFirst

    if algorithm not in (None, BestFirst.name):
        options = {"--seconds": seconds, "--checks": checks}
        given = " and ".join(option for option, value in options.items() if value is not None)
        raise InputError(
            f"Only the algorithm '{BestFirst.name}' has a budget.\n"
            f"Found: {given} with the algorithm {algorithm!r}.\n"
            f"Use --algorithm {BestFirst.name}, or leave {given} out."
        )
    return BestFirst(seconds=seconds, checks=checks)
