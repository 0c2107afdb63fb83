"""`shoal audit`: check a release from its file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.console import print_table, reporting, without_pandas
from shoal.cli.options import AsJson, Delimiter, Encoding, Header, Quote, input_format
from shoal.cli.short_form import overridden, spec_from
from shoal.cli.terminal import echo, visible
from shoal.errors import AuditError, InputError

if TYPE_CHECKING:
    from shoal.audit import Audit
    from shoal.spec.spec import Spec

_CLAIMS = "Claims, if there is no manifest"
_COMPARED = "Tables and releases to compare with"

EPILOG = """
[bold]Examples[/bold]

shoal audit release.csv

shoal audit release.csv --public-key steward.pub.pem

shoal audit release.csv --spec spec.yaml --original people.csv

shoal audit from-another-tool.csv -k 5 --privacy 'l-diversity: {column: disease, l: 3}' --qi age --qi zip
--sensitive disease --keep-undeclared
"""


def audit(
    release: Annotated[
        Path,
        typer.Argument(
            metavar="RELEASE",
            help="The release: a CSV (also .gz), Parquet or Excel file, or a folder of CSV or Parquet files.",
        ),
    ],
    *,
    spec: Annotated[
        Path | None,
        typer.Option(
            "--spec",
            "-s",
            help="YAML file with the claimed roles and models. [dim]\\[default: the manifest's spec][/dim]",
        ),
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The manifest of the release. Everything it states is checked against the file. "
            "[dim]\\[default: RELEASE.manifest.json, if it exists][/dim]",
        ),
    ] = None,
    public_key: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Check the signature of the manifest with this key."),
    ] = None,
    k: Annotated[
        int | None, typer.Option("-k", help="k-anonymity: rows per class.", rich_help_panel=_CLAIMS)
    ] = None,
    privacy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL",
            help="A privacy model, written as in a spec: 'l-diversity: {column: disease, l: 3}'; "
            "`shoal models` explains them. Repeatable.",
            rich_help_panel=_CLAIMS,
        ),
    ] = None,
    qi: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A quasi-identifier. Repeatable, like the next.",
            rich_help_panel=_CLAIMS,
        ),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[=HIERARCHY[:ARGS]]",
            help="A sensitive column; add a hierarchy if a model needs distances between its values.",
            rich_help_panel=_CLAIMS,
        ),
    ] = None,
    identifier: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A column that the release must not have.",
            rich_help_panel=_CLAIMS,
        ),
    ] = None,
    insensitive: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Another column of the release.", rich_help_panel=_CLAIMS),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A column that was left out although it identifies nobody.",
            rich_help_panel=_CLAIMS,
        ),
    ] = None,
    pseudonym: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A column that has tokens in place of its values.",
            rich_help_panel=_CLAIMS,
        ),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The column that identifies the person a row is about: count people, not rows. Beside "
            "--spec it takes the place of the spec's; `none` if each row is another person.",
            rich_help_panel=_CLAIMS,
        ),
    ] = None,
    keep_undeclared: Annotated[
        bool,
        typer.Option(
            "--keep-undeclared",
            help="Accept columns that neither the spec nor an option names. By default they fail.",
            rich_help_panel=_CLAIMS,
        ),
    ] = False,
    original: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The original table, for models that compare with it; `shoal models NAME` lists what a "
            "model needs.",
            rich_help_panel=_COMPARED,
        ),
    ] = None,
    population: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="The population that a model compares with, if it is not where the spec says. Repeatable; "
            "several are matched by file name.",
            rich_help_panel=_COMPARED,
        ),
    ] = None,
    extends: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The release that this one extends, if it is not beside it.",
            rich_help_panel=_COMPARED,
        ),
    ] = None,
    null_value: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="Text that means NULL in these tables; in the release, NULL is as Shoal writes it. "
            "Repeatable. "
            "[dim]\\[default: the spec's][/dim]",
            rich_help_panel=_COMPARED,
        ),
    ] = None,
    delimiter: Delimiter = None,
    quote: Quote = None,
    encoding: Encoding = None,
    header: Header = None,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Memory that the queries may use, such as 4GB; the rest goes to temporary files. "
            "[dim]\\[default: 2GiB][/dim]",
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Also exit with 4 if a recipient of the file cannot check a claim."),
    ] = False,
    sql: Annotated[
        bool,
        typer.Option(
            "--sql",
            help="Print the queries that check the claims, to run by hand. They come from Shoal, never from "
            "the manifest.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check a release with plain SQL on the file: exit 0 if no claim fails, 4 if one does.

    The claims come from the manifest beside the release, from a spec, or from options, so files from other
    tools can be audited too. The audit measures everything that a manifest states about the file, runs none
    of its queries, and opens no file that it names outside its folder. A claim that needs a removed column,
    the original table or a population is reported as not checkable by a recipient; with --strict,
    that exits with 4.
    """
    with reporting():
        without_pandas()
        from shoal.audit import audit_release
        from shoal.audit.manifest_file import Evidence, manifest_path
        from shoal.files.folder import by_name

        claimed = None
        if spec is not None or any(
            [k, privacy, qi, sensitive, identifier, insensitive, drop, pseudonym, unit]
        ):
            claimed = spec_from(
                spec,
                k=k,
                privacy=privacy or [],
                quasi_identifiers=qi or [],
                sensitive=sensitive or [],
                identifiers=identifier or [],
                insensitive=insensitive or [],
                drop=drop or [],
                pseudonyms=pseudonym or [],
                unit=unit,
            )
        beside = manifest_path(by_name(release))
        # The short form is about claims of one's own, whatever a manifest beside the file says.
        if manifest is None and (claimed is None or spec is not None) and beside.exists():
            manifest = beside
        if manifest is not None and claimed is None and (population or null_value):
            claimed = Evidence.read(manifest).spec()
        if claimed is not None:
            claimed = overridden(claimed, input_format(None, None, None, null_value))
        found = audit_release(
            release,
            claimed,
            input_format(delimiter, quote, encoding, header=header),
            manifest=manifest,
            public_key=public_key,
            original=original,
            populations=None if claimed is None else _populations(claimed, population or []),
            extends=extends,
            keep_undeclared=keep_undeclared,
            memory=memory,
        )
    if sql:
        echo("\n\n".join(f"-- {visible(f.claim, keep='')}\n{f.sql};" for f in found.findings if f.sql))
    elif as_json:
        echo(json.dumps(found.to_mapping(), indent=2))
    else:
        print_table([(finding.claim, finding.verdict) for finding in found.findings])
        echo(f"\n{_rows(found)}")
    if found.fails or (strict and not found.holds):
        raise typer.Exit(AuditError.exit_code)


def _rows(found: Audit) -> str:
    """Describe how many rows there are, how many of them have stars only, and what is left unchecked."""
    words = "1 row." if found.rows == 1 else f"{found.rows:,} rows."
    if found.starred_rows:
        stars = f"{found.starred_rows:,} rows have * in every quasi-identifier and are"
        if found.starred_rows == 1:
            stars = "1 row has * in every quasi-identifier and is"
        words += f"\n{stars} checked as a class, because that is what recipients see."
    for linked in found.linked:
        words += f"\nPseudonym: {visible(linked.words(), keep='')}."
    if found.linkable is not None:
        words += f"\nLinkable: {visible(found.linkable.words(), keep='')}."  # names may have line ends
        if not found.linkable.holds:
            words += (
                "\nThat is not a claim, but these columns single people out, and the spec does not accept it "
                "(`accept: linkable`)."
            )
    if unchecked := sum(not finding.checkable for finding in found.findings):
        claims = "1 claim" if unchecked == 1 else f"{unchecked} claims"
        words += f"\n{claims} not checkable by a recipient of the file (--strict makes that a failure)."
    return words


def _populations(spec: Spec, files: list[Path]) -> dict[str, object]:
    """Return by key the populations that are given instead of the spec's."""
    names = [population.name for population in spec.populations.values()]
    if len(names) == 1 and len(files) == 1:
        return dict.fromkeys(spec.populations, files[0])
    if files and len(set(names)) < len(names):
        raise InputError(
            "Several populations of the spec have the same name.\n"
            f"Populations of the spec: {', '.join(names)}.\n"
            "Leave --population out and put them where the spec says, or rename them."
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
