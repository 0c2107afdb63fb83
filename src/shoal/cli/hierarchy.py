"""`shoal hierarchy`: build, look at, check and convert hierarchies."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.console import print_table, reporting, without_pandas
from shoal.cli.hierarchy_input import HierarchyInput, check_output
from shoal.cli.options import AsJson, Delimiter, Encoding, Header, NullValues, Quote, Sheet, input_format
from shoal.cli.terminal import echo
from shoal.errors import InputError, Problem

if TYPE_CHECKING:
    from shoal.describe.hierarchy import Levels
    from shoal.prepare.hierarchy_check import HierarchyCheck

ABOUT = "Build, show, check and convert hierarchies; list their kinds."

EPILOGS = {
    "build": """
[bold]Examples[/bold]

shoal hierarchy build intervals:5,10,20 --data people.csv --column age --output age.csv

shoal hierarchy build '{quantiles: \\[8, 4, 2]}' --data people.csv --column age --output age.csv
""",
    "show": """
[bold]Examples[/bold]

shoal hierarchy show age.csv

shoal hierarchy show intervals:5,10,20 --data people.csv --column age --tree
""",
    "check": """
[bold]Examples[/bold]

shoal hierarchy check age.csv

shoal hierarchy check age.csv --data people.csv --column age

shoal hierarchy check --spec spec.yaml --data people.csv --show-values
""",
    "convert": """
[bold]Examples[/bold]

shoal hierarchy convert age.txt age.csv

shoal hierarchy convert ranges.txt age.csv --from amnesia --data people.csv --column age
""",
}

_LISTED = "The file lists all values of the column: do not publish it with a release."

HierarchyText = Annotated[
    str,
    typer.Argument(
        metavar="HIERARCHY", help="NAME or NAME:ARGUMENTS, or as in a spec: '{intervals: \\[5, 10]}'."
    ),
]
Data = Annotated[Path | None, typer.Option(metavar="DATA", help="File with a table.")]
Column = Annotated[str | None, typer.Option(metavar="NAME", help="The column of the table.")]
FromFormat = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FORMAT",
        help="amnesia, anjana, argus, arx or nested. [dim]\\[default: detected][/dim]",
    ),
]
Missing = Annotated[
    str,
    typer.Option(metavar="error|top|own", help="Treatment of values that the hierarchy does not cover."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace the output if it exists.")]
ShowValues = Annotated[bool, typer.Option("--show-values", help="Show the values of the table.")]


def build(
    hierarchy: HierarchyText,
    *,
    data: Annotated[Path, typer.Option(metavar="DATA", help="File with the table.")],
    column: Annotated[str, typer.Option(metavar="NAME", help="The column of the table.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File for the hierarchy: .csv, .yaml or .json.")
    ],
    force: Force = False,
    target: Annotated[
        str | None, typer.Option(metavar="NAME", help="For clusters: the target column.")
    ] = None,
    missing_values: Missing = "error",
    delimiter: Delimiter = None,
    quote: Quote = None,
    encoding: Encoding = None,
    null_value: NullValues = None,
    sheet: Sheet = None,
    header: Header = None,
    show_values: ShowValues = False,
) -> None:
    """Write the labels that a hierarchy gives the values of a column, as a CSV file in ARX's form.

    Other tools can use the file, and people can edit it. Hierarchies that are made from the table, such as
    quantiles, become labels that stay as they are. The file lists all values of the column, including those
    of rows that a release suppresses: do not publish it.
    """
    from shoal.describe.formats import write_file

    with reporting(show_values=show_values):
        without_pandas()
        check_output(output, data, force=force)
        written = input_format(delimiter, quote, encoding, null_value, sheet, header)
        source = HierarchyInput(hierarchy, None, target, data, column, written, missing_values)
        found = source.finding()
        levels = found.require()
        write_file(levels, output)
    echo(f"{output}: {_sizes(levels)}")
    _print_notes([*levels.notes, _LISTED])
    if found.nulls:
        echo("Note: NULL has no row. It keeps its own label below the top in every hierarchy.")


def show(
    hierarchy: Annotated[
        str,
        typer.Argument(metavar="FILE|HIERARCHY", help="A file in any format, or a hierarchy as for build."),
    ],
    *,
    data: Data = None,
    column: Column = None,
    tree: Annotated[bool, typer.Option("--tree", help="Draw a tree.")] = False,
    lines: Annotated[int, typer.Option(help="About how many lines to print.", min=1)] = 30,
    from_format: FromFormat = None,
    target: Annotated[
        str | None, typer.Option(metavar="NAME", help="For clusters: the target column.")
    ] = None,
    missing_values: Missing = "error",
    delimiter: Delimiter = None,
    quote: Quote = None,
    encoding: Encoding = None,
    null_value: NullValues = None,
    sheet: Sheet = None,
    header: Header = None,
    show_values: ShowValues = False,
) -> None:
    """Print a hierarchy as a table, or as a tree.

    A file is shown as it is. With a table it is shown for the values of a column: their labels, and how
    many values each has; the values themselves only with --show-values. A hierarchy that is no file and has
    no table is shown for made-up values.
    """
    from shoal.describe import hierarchy_drawing

    with reporting(show_values=show_values):
        without_pandas()
        written = input_format(delimiter, quote, encoding, null_value, sheet, header)
        source = HierarchyInput(hierarchy, from_format, target, data, column, written, missing_values)
        shown = data is None or show_values
        if data is not None:
            levels = source.finding().require()
        else:
            levels = source.read().whole() if source.is_file else source.sample()
    if tree:
        ascii = not _draws(sys.stdout.encoding)
        echo(hierarchy_drawing.tree(levels, lines, values=shown, ascii=ascii))
    else:
        echo(hierarchy_drawing.table(levels, lines, values=shown))
    _print_notes(levels.notes)


def check(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A hierarchy in any format.", show_default=False)
    ] = None,
    *,
    data: Data = None,
    column: Column = None,
    spec: Annotated[
        Path | None, typer.Option("--spec", "-s", help="Check all hierarchies of this spec instead.")
    ] = None,
    from_format: FromFormat = None,
    delimiter: Delimiter = None,
    quote: Quote = None,
    encoding: Encoding = None,
    null_value: NullValues = None,
    sheet: Sheet = None,
    header: Header = None,
    show_values: ShowValues = False,
) -> None:
    """List every error of a hierarchy, alone or for a column; or of all hierarchies of a spec.

    Errors: values that are missing, labels with more than one parent, rows that contradict each other or are
    ragged. The exit code is 2 then. Notes: rows that stand there twice, more than one label at the top,
    entries that the table does not use.
    """
    with reporting(show_values=show_values):
        without_pandas()
        if (file is None) == (spec is None):
            raise InputError("Nothing to check given.\nUse FILE, or --spec SPEC with --data DATA.")
        written = input_format(delimiter, quote, encoding, null_value, sheet, header)
        if spec is not None:
            from shoal.cli.short_form import overridden
            from shoal.prepare.hierarchy_check import check_spec
            from shoal.spec.spec import Spec

            if data is None:
                raise InputError("Checking the hierarchies of a spec needs a table.\nUse --data DATA.")
            source = overridden(Spec.from_yaml(spec), written)
            _report(check_spec(source, data))
        elif data is not None:
            _report([HierarchyInput(str(file), from_format, None, data, column, written).finding()])
        else:
            read = HierarchyInput(str(file), from_format, column=column).read()
            echo(f"{file}: {_sizes(read.whole())}\nNo errors.")
            _print_notes(read.notes)


def convert(
    input: Annotated[Path, typer.Argument(metavar="INPUT", help="A hierarchy in any format.")],
    output: Annotated[
        Path, typer.Argument(metavar="OUTPUT", help="ARX's form (.csv), or a taxonomy (.yaml, .json).")
    ],
    *,
    from_format: FromFormat = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DATA", help="A table that lists the values; needed if the file has ranges."),
    ] = None,
    column: Column = None,
    force: Force = False,
    missing_values: Missing = "error",
    delimiter: Delimiter = None,
    quote: Quote = None,
    encoding: Encoding = None,
    null_value: NullValues = None,
    sheet: Sheet = None,
    header: Header = None,
    show_values: ShowValues = False,
) -> None:
    """Convert a hierarchy from another tool to ARX's form, or to a nested taxonomy.

    A file with ranges of numbers or dates has no values of its own: it takes those of a table.
    """
    from shoal.describe.formats import write_file
    from shoal.describe.hierarchies.listed_values import Listed

    with reporting(show_values=show_values):
        without_pandas()
        check_output(output, input, data, force=force)
        written = input_format(delimiter, quote, encoding, null_value, sheet, header)
        source = HierarchyInput(str(input), from_format, None, data, column, written, missing_values)
        if data is not None:
            levels = source.finding().require()
        else:
            read = source.read()
            if not isinstance(read, Listed):
                raise InputError(
                    f"{input.name!r} has ranges, which hold any number of values.\n"
                    "Give a column that lists the values: --data DATA --column NAME."
                )
            levels = read.whole()
        write_file(levels, output)
    echo(f"{output}: {_sizes(levels)}")
    _print_notes([*levels.notes, *([] if data is None else [_LISTED])])


def list_(
    name: Annotated[str | None, typer.Argument(help="Explain this kind.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """List the kinds of hierarchies for `hierarchy:` in a spec; or explain one."""
    import json

    from shoal import registry

    with reporting():
        wanted = registry.names("hierarchies") if name is None else (name,)
        kinds = [registry.resolve("hierarchies", each) for each in wanted]
    if as_json:
        listed = [
            {
                "name": kind.name,
                "summary": kind.summary,
                "parameters": dict(kind.parameters),
                "spec": [_spec_form(kind, example) for example in kind.examples],
            }
            for kind in kinds
        ]
        echo(json.dumps(listed if name is None else listed[0], indent=2, ensure_ascii=False))
    elif name is not None:
        _page(kinds[0])
    else:
        print_table(
            [(kind.name, ", ".join(kind.parameters) or "-", kind.summary) for kind in kinds],
            header=("Hierarchy", "Parameters", "What"),
        )


def _page(kind: Any) -> None:
    import shoal
    from shoal.cli.plugins import in_one_line, show_page
    from shoal.describe import formats

    facts = []
    if kind.name == "file":
        facts = [(f"Format {name}", formats.find(name).SUMMARY) for name in formats.names()]
    forms = [(f"hierarchy: {in_one_line(_spec_form(kind, example))}",) for example in kind.examples]
    makers = [name for name in shoal.__all__ if name.islower() and _home(name) == kind.__module__]
    show_page(kind, facts, forms, getattr(shoal, makers[0]) if makers else None)


def _home(name: str) -> str | None:
    import shoal

    return getattr(getattr(shoal, name), "__module__", None)


def _spec_form(kind: Any, example: object) -> object:
    return kind.name if example is None else {kind.name: example}


def _report(findings: list[HierarchyCheck]) -> None:
    """Print what was found of each column; raise if there is an error."""
    from shoal.cli.plugins import in_one_line

    rows = []
    for each in findings:
        sizes = "-" if each.levels is None else _counts(each.levels)
        errors = len(each.problems)
        verdict = "fine" if not errors else "1 error" if errors == 1 else f"{errors} errors"
        written = in_one_line(each.hierarchy.to_spec())
        rows.append((each.column, _cut(written), f"{each.values:,}", f"{each.nulls:,}", sizes, verdict))
    print_table(rows, header=("Column", "Hierarchy", "Values", "NULLs", "Labels by level", "Verdict"))
    for each in findings:
        _print_notes(f"column {each.column!r}: {note}" for note in each.notes)
    problems: list[str | Problem] = [problem for each in findings for problem in each.problems]
    if problems:
        raise InputError(problems)


def _print_notes(notes: Iterable[str]) -> None:
    for note in notes:
        echo(f"Note: {note}")


def _cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."


def _counts(levels: Levels) -> str:
    return ", ".join(f"{len(labels.unique()):,}" for labels in levels.labels)


def _sizes(levels: Levels) -> str:
    height = len(levels.labels) - 1
    above = "1 level" if height == 1 else f"{height} levels"
    return f"{above} above the values, labels by level: {_counts(levels)}"


def _draws(encoding: str | None) -> bool:
    """Return whether a terminal can show the lines of a tree."""
    try:
        "├└│─…".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
