"""`shoal audit`: check a release from its file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.console import print_table, reporting, without_pandas
from shoal.cli.options import AsJson, Delimiter, Encoding, Quote, SpecFile, input_format
from shoal.cli.short_form import overridden
from shoal.errors import AuditError, InputError

if TYPE_CHECKING:
    from shoal.describe.spec import Spec

_COMPARED = "What claims are compared with"


def audit(
    release: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="CSV (also .gz), Parquet or Excel file of the release.")
    ],
    *,
    spec: SpecFile,
    original: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The table that the release was made of, for models that compare with it: t-closeness, "
            "beta-likeness, delta-disclosure.",
            rich_help_panel=_COMPARED,
        ),
    ] = None,
    population: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="The population of k-map or delta-presence, if it is not where the spec says. Repeatable; "
            "several are told apart by their names.",
            rich_help_panel=_COMPARED,
        ),
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Tells the levels at which a population is to be generalized. "
            "[dim]\\[default: RELEASE.manifest.json][/dim]",
            rich_help_panel=_COMPARED,
        ),
    ] = None,
    null_value: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="A text that stands for NULL in these; the release has NULL as Shoal writes it. Repeatable. "
            "[dim]\\[default: the spec's][/dim]",
            rich_help_panel=_COMPARED,
        ),
    ] = None,
    delimiter: Delimiter = None,
    quote: Quote = None,
    encoding: Encoding = None,
    as_json: AsJson = False,
) -> None:
    """Check a release against its spec, by plain SQL on the file: exit 0 if all claims hold, 4 if not.

    A claim that counts people by a column that is not in the release cannot be checked from the file. It is
    reported as that, and does not count as holding.
    """
    with reporting():
        without_pandas()
        from shoal.audit import audit_release
        from shoal.describe.spec import Spec
        from shoal.write.manifest import levels_in
        from shoal.write.release import manifest_path

        asked = overridden(Spec.from_yaml(spec), input_format(None, None, None, null_value))
        beside = manifest_path(release)
        found = audit_release(
            release,
            asked,
            input_format(delimiter, quote, encoding),
            original=original,
            populations=_populations(asked, population or []),
            levels=levels_in(manifest or beside)
            if manifest or (asked.populations and beside.exists())
            else None,
        )
    if as_json:
        typer.echo(json.dumps(found.to_mapping(), indent=2))
    else:
        print_table([(finding.claim, finding.verdict) for finding in found.findings])
        typer.echo(f"\n{found.rows:,} rows, of which {found.suppressed_rows:,} suppressed.")
    if not found.holds:
        raise typer.Exit(AuditError.exit_code)


def _populations(spec: Spec, files: list[Path]) -> dict[str, object]:
    """Return by key the populations that are given instead of the spec's."""
    names = [population.name for population in spec.populations.values()]
    if len(names) == 1 and len(files) == 1:
        return dict.fromkeys(spec.populations, files[0])
    if files and len(set(names)) < len(names):
        raise InputError(
            "Populations of the spec have the same name.\n"
            f"Populations of the spec: {', '.join(names)}.\n"
            "Leave --population out and have them where the spec says, or rename them."
        )
    if len({file.name for file in files}) < len(files):
        raise InputError(
            f"A population is given twice.\nFound: {', '.join(file.name for file in files)}.\nGive each once."
        )
    if strange := [file.name for file in files if file.name not in names]:
        raise InputError(
            f"No model of the spec compares with the population {', '.join(strange)}.\n"
            f"Populations of the spec: {', '.join(names) or 'none'}.\n"
            "Give files of these names, or leave --population out."
        )
    given = {file.name: file for file in files}
    return {key: given[p.name] for key, p in spec.populations.items() if p.name in given}
