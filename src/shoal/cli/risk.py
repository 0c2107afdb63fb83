"""`shoal risk`: how well people can be found in a table, before and after."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.console import print_table, reporting, without_pandas
from shoal.cli.options import AsJson, Delimiter, Encoding, Header, NullValues, Quote, Sheet, input_format
from shoal.cli.progress import progress
from shoal.cli.short_form import overridden
from shoal.cli.terminal import echo
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.read.source import InputFormat
    from shoal.risk import RiskAssessment, RiskComparison

EPILOG = """
[bold]Examples[/bold]

shoal risk people.csv --qi age --qi zip --qi sex --sensitive disease

shoal risk people.csv --spec spec.yaml --release release.csv

shoal risk people.csv --spec spec.yaml --sampling-fraction 0.05

shoal risk people.csv --spec spec.yaml --population census.csv --threshold 0.09

shoal risk people.csv --spec spec.yaml --json | jq .prosecutor.highest
"""

_COLUMNS = "Columns, instead of --spec"
_POPULATION = "The population"
_RELEASE = "The release"


def risk(
    data: Annotated[
        Path,
        typer.Argument(metavar="DATA", help="The table: CSV (also .gz), Parquet, Excel, Stata, SPSS or SAS."),
    ],
    *,
    spec: Annotated[
        Path | None,
        typer.Option("--spec", "-s", help="YAML file with the roles of the columns and the format of DATA."),
    ] = None,
    quasi_identifiers: Annotated[
        list[str] | None,
        typer.Option(
            "--qi",
            metavar="NAME",
            help="A column whose values others may know. Repeatable.",
            rich_help_panel=_COLUMNS,
        ),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A column that nobody should learn. Repeatable.", rich_help_panel=_COLUMNS
        ),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The column that identifies the person a row is about: count people, not rows. Beside "
            "--spec it takes the place of the spec's; `none` if each row is another person.",
            rich_help_panel=_COLUMNS,
        ),
    ] = None,
    release: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A release of DATA, to compare its risk.", rich_help_panel=_RELEASE
        ),
    ] = None,
    starred: Annotated[
        bool,
        typer.Option(
            "--starred",
            help="Leave out rows with * in every quasi-identifier, which otherwise count as a class.",
            rich_help_panel=_RELEASE,
        ),
    ] = False,
    manifest: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Manifest with the levels of the release, for --population. "
            "[dim]\\[default: RELEASE.manifest.json][/dim]",
            rich_help_panel=_RELEASE,
        ),
    ] = None,
    population: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A table that contains the people of DATA, one row per person.",
            rich_help_panel=_POPULATION,
        ),
    ] = None,
    sampling_fraction: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="The share of the population that is in DATA: above 0, at most 1.",
            rich_help_panel=_POPULATION,
        ),
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(metavar="CHANCE", help="Count rows more likely to be found than this."),
    ] = 0.2,
    largest_subset: Annotated[
        int, typer.Option(metavar="COLUMNS", help="Largest number of columns to combine.")
    ] = 4,
    delimiter: Delimiter = None,
    quote: Quote = None,
    encoding: Encoding = None,
    null_value: NullValues = None,
    sheet: Sheet = None,
    header: Header = None,
    as_json: AsJson = False,
) -> None:
    """Measure how easily people can be found in a table, and what can be learned about them.

    Reports the risk from three attackers (prosecutor, journalist, marketer), the rows unique in the table and
    the people unique in the population, the columns that single them out, and what classes reveal about
    sensitive columns. With --release, reports all of it before and after. NULL counts as a value.
    """
    with reporting(), progress() as listener:
        without_pandas()
        from shoal.risk import assess_risk, compare_risk

        written = input_format(delimiter, quote, encoding, null_value, sheet, header)
        columns = _columns(spec, quasi_identifiers or [], sensitive or [], unit, written)
        if release is None and (starred or manifest):
            raise InputError(
                f"{'--starred' if starred else '--manifest'} applies only to a release.\n"
                "Found: no release.\nUse --release FILE."
            )
        given: dict[str, Any] = {
            **columns,
            "population": population,
            "sampling_fraction": sampling_fraction,
            "threshold": threshold,
            "largest_subset": largest_subset,
            "listener": listener,
        }
        found: RiskAssessment | RiskComparison
        if release is None:
            found = assess_risk(data, **given)
        else:
            levels = _levels(release, manifest) if population else None
            found = compare_risk(data, release, starred=1.0 if starred else None, levels=levels, **given)
    if as_json:
        echo(json.dumps(found.to_mapping(), indent=2))
        return
    print_table(found.facts(), header=getattr(found, "header", ()))
    for note in found.notes:
        echo(f"\n{note}")


def _columns(
    path: Path | None,
    quasi_identifiers: list[str],
    sensitive: list[str],
    unit: str | None,
    written: InputFormat,
) -> dict[str, Any]:
    """Return what says what the columns are: the spec of a file, or their names."""
    from shoal.describe.roles import unit_of
    from shoal.spec.spec import Spec

    named = {"--qi": quasi_identifiers, "--sensitive": sensitive, "--unit": unit}
    given = [option for option, value in named.items() if value]
    if path is not None:
        if others := [option for option in given if option != "--unit"]:
            raise InputError(
                "--spec and columns cannot be used together.\n"
                f"Found: --spec and {', '.join(others)}.\n"
                "Leave one of them out; only --unit can be beside --spec."
            )
        return {"spec": overridden(Spec.from_yaml(path, unit=unit), written)}
    if not quasi_identifiers:
        raise InputError(
            "No quasi-identifiers given.\n"
            f"Found: {', '.join(given) or 'neither a spec nor columns'}.\n"
            "Use --spec SPEC, or at least one --qi NAME."
        )
    return {
        "quasi_identifiers": quasi_identifiers,
        "sensitive": sensitive,
        "unit": None if unit is None else unit_of(unit, [*quasi_identifiers, *sensitive]),
        "input_format": written,
    }


def _levels(release: Path, manifest: Path | None) -> dict[str, int] | None:
    """Return the levels of a release as its manifest tells them, if there is one."""
    from shoal.write.evidence_paths import manifest_path
    from shoal.write.manifest import levels_in

    beside = manifest_path(release)
    if manifest is None and not beside.exists():
        return None
    return levels_in(manifest or beside)
