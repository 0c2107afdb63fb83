"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from shoal.read.source import InputFormat

_CSV = "How the CSV file is written, if it should not be found out"

SpecFile = Annotated[
    Path,
    typer.Option("--spec", "-s", help="YAML file: roles, hierarchies, privacy, suppression, quality."),
]
Delimiter = Annotated[str | None, typer.Option(help="Between cells; \\t for a tab.", rich_help_panel=_CSV)]
Quote = Annotated[str | None, typer.Option(help="Around cells.", rich_help_panel=_CSV)]
Encoding = Annotated[
    str | None, typer.Option(help="Of the text, such as utf-8 or cp1252.", rich_help_panel=_CSV)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
ShowValues = Annotated[
    bool,
    typer.Option("--show-values", help="Let error messages show people's values, such as unknown ones."),
]


def input_format(delimiter: str | None, quote: str | None, encoding: str | None) -> InputFormat:
    """Return how a CSV file is written, as far as the options say."""
    from shoal.read.source import InputFormat

    return InputFormat("\t" if delimiter == r"\t" else delimiter, quote, encoding)
