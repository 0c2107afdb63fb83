"""`shoal anonymize`: from a table to a release."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import reporting, unless_written, without_pandas
from shoal.cli.options import (
    AcceptLinkable,
    AsJson,
    Delimiter,
    Encoding,
    Header,
    NullValues,
    Quote,
    Sheet,
    ShowValues,
    any_of,
    input_format,
    within_budget,
)
from shoal.cli.progress import progress
from shoal.cli.short_form import accepting, adjusted, named, overridden, spec_from
from shoal.cli.summary import print_release, written
from shoal.cli.terminal import echo
from shoal.errors import InputError

EPILOG = """
[bold]Examples[/bold]

shoal anonymize people.csv --spec spec.yaml --output release.csv

shoal anonymize people.csv -k 5 --qi age=intervals:5,10,20 --qi zip=prefix --qi sex --sensitive disease
--output out.csv

shoal anonymize people.csv -k 5 --privacy 'l-diversity: {column: disease, l: 3}' --qi age=intervals:5,10,20
--qi zip=prefix --sensitive disease --output out.csv

shoal anonymize people.csv -k 5 --qi age=intervals:5,10 --qi zip=prefix --recoding cells --output out.csv

shoal anonymize visits.csv -k 5 --unit patient --qi age=intervals:5,10 --sensitive disease --output out.csv

shoal anonymize people.csv --spec spec.yaml --levels sex=0 --weight age=3 --output release.csv

shoal anonymize people.parquet --spec spec.yaml --suppression 0.05 --json --output out.parquet | jq .levels

shoal anonymize 'visits/*.parquet' --spec spec.yaml --memory 2GB --output release.parquet

shoal anonymize postgresql://server/clinic --table visits --spec spec.yaml --output-table visits_release
"""

_FORM = "Short form, instead of --spec"
_RELEASE = "The release"
_SEARCH = "The search"
_ENGINE = "Where it runs"


def anonymize(
    input: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help="The table: a CSV (also .gz), Parquet, Excel, Stata, SPSS or SAS file; several CSV or "
            "Parquet files as a quoted pattern, 'visits/*.parquet', or their folder; with --table, a DuckDB "
            "file or the URL of a PostgreSQL database, postgresql://server/clinic.",
        ),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Output file: .csv, .csv.gz, .parquet or .xlsx. Engines other than memory also write a "
            "folder of Parquet files: give a name without a suffix.",
        ),
    ] = None,
    spec: Annotated[
        Path | None,
        typer.Option("--spec", "-s", help="YAML file: roles, hierarchies, privacy, suppression, quality."),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(
            "-k", help="k-anonymity: rows per class, or people per class with --unit.", rich_help_panel=_FORM
        ),
    ] = None,
    privacy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL",
            help="A privacy model, written as in a spec: 'l-diversity: {column: disease, l: 3}', "
            "'t-closeness: {column: disease, t: 0.2}', 'k-map: {k: 5, population: census.csv}'. "
            f"One of {any_of('models')}; `shoal models` explains them. Repeatable; all must hold, including "
            "-k.",
            rich_help_panel=_FORM,
        ),
    ] = None,
    qi: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[=HIERARCHY[:ARGS]]",
            help="A quasi-identifier: age=intervals:5,10,20, zip=prefix:5, job=file:job.csv. A name alone is "
            "either kept or suppressed. Repeatable, like the next five options.",
            rich_help_panel=_FORM,
        ),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[=HIERARCHY[:ARGS]]",
            help="A sensitive column; add a hierarchy if a model needs distances between its values.",
            rich_help_panel=_FORM,
        ),
    ] = None,
    identifier: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A column that identifies people; it is not released.", rich_help_panel=_FORM
        ),
    ] = None,
    insensitive: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A column to release unchanged.", rich_help_panel=_FORM),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A column to leave out although it identifies nobody.",
            rich_help_panel=_FORM,
        ),
    ] = None,
    pseudonym: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A column to replace by keyed tokens, the same for the same value. Needs --key.",
            rich_help_panel=_FORM,
        ),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The column that identifies the person a row is about, such as patient. Models then count "
            "people, not rows. The column is released only if it has a role too. Beside --spec it takes the "
            "place of the spec's; `none` if each row is another person.",
            rich_help_panel=_FORM,
        ),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The private key that makes the tokens of pseudonyms, from `shoal key FILE`. One key for "
            "all tables of a project gives a person the same token in all of them. "
            "[dim]\\[default: the spec's][/dim]",
            rich_help_panel=_RELEASE,
        ),
    ] = None,
    suppression: Annotated[
        float | None,
        typer.Option(
            help="Share of rows that may be suppressed, 0 to 1. [dim]\\[default: the spec's, or 0][/dim]",
            rich_help_panel=_RELEASE,
        ),
    ] = None,
    quality: Annotated[
        str | None,
        typer.Option(
            metavar="MEASURE",
            help=f"The quality measure to optimize: {any_of('measures')}. "
            "Settings are written as in a spec: 'classification: {target: disease}'. "
            "`shoal measures` explains them. [dim]\\[default: the spec's, or loss][/dim]",
            rich_help_panel=_RELEASE,
        ),
    ] = None,
    recoding: Annotated[
        str | None,
        typer.Option(
            metavar="RECODING",
            help=f"How values become labels: {any_of('strategies')}. "
            "Settings are written as in a spec: 'mondrian: {cut: median}'. "
            "`shoal recodings` explains them. [dim]\\[default: the spec's, or full-domain][/dim]",
            rich_help_panel=_RELEASE,
        ),
    ] = None,
    levels: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=LEVEL|MIN..MAX",
            help="Levels allowed for a quasi-identifier: sex=0 keeps sex unchanged, age=1..3 allows 1 to 3, "
            "age=1.. 1 and above, age=..3 up to 3. Repeatable. [dim]\\[default: the spec's, or all][/dim]",
            rich_help_panel=_RELEASE,
        ),
    ] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=NUMBER",
            help="Importance of a quasi-identifier in measures that average over columns: age=3. Repeatable. "
            "[dim]\\[default: the spec's, or 1][/dim]",
            rich_help_panel=_RELEASE,
        ),
    ] = None,
    missing_values: Annotated[
        str | None,
        typer.Option(
            metavar="error|top|own",
            help="How to treat values that a hierarchy does not cover: stop with an error, hide them at "
            "every level above 0, or keep each as its own label below the top. "
            "[dim]\\[default: the spec's, or error][/dim]",
            rich_help_panel=_RELEASE,
        ),
    ] = None,
    suppressed: Annotated[
        str | None,
        typer.Option(
            metavar="remove|star",
            help="Remove suppressed rows, or replace their quasi-identifiers with *. "
            "[dim]\\[default: the spec's, or remove][/dim]",
            rich_help_panel=_RELEASE,
        ),
    ] = None,
    remember_people: Annotated[
        bool,
        typer.Option(
            "--remember-people",
            help="Keep keyed hashes of the unit and the identifiers in your own folder, so that `shoal "
            "extend` can check whether new rows are about the same people. They are never "
            "part of the release.",
            rich_help_panel=_RELEASE,
        ),
    ] = False,
    choose_by: Annotated[
        str | None,
        typer.Option(
            metavar="everything|quasi-identifiers",
            help="What the search may use. With quasi-identifiers alone, the chosen levels and suppressed "
            "rows reveal nothing about sensitive columns. If a model then fails, nothing is released; try a "
            "larger k. [dim]\\[default: the spec's, or everything][/dim]",
            rich_help_panel=_RELEASE,
        ),
    ] = None,
    escape_formulas: Annotated[
        bool,
        typer.Option(
            "--escape-formulas",
            help="Put an apostrophe before cells that spreadsheets would compute, such as =1+1, in a CSV or "
            "Excel file. Otherwise a note counts them.",
            rich_help_panel=_RELEASE,
        ),
    ] = False,
    accept_linkable: AcceptLinkable = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Reproduce the same release, byte for byte, on this machine: the seed is mixed with a "
            "secret that never leaves it. [dim]\\[default: a new order each time][/dim]",
            rich_help_panel=_RELEASE,
        ),
    ] = None,
    keep_order: Annotated[
        bool,
        typer.Option("--keep-order", help="Do not shuffle the rows.", rich_help_panel=_RELEASE),
    ] = False,
    keep_undeclared: Annotated[
        bool,
        typer.Option(
            "--keep-undeclared", help="Release columns without a role unchanged.", rich_help_panel=_RELEASE
        ),
    ] = False,
    drop_undeclared: Annotated[
        bool,
        typer.Option("--drop-undeclared", help="Drop columns without a role.", rich_help_panel=_RELEASE),
    ] = False,
    report: Annotated[
        bool,
        typer.Option(
            "--report",
            help="Also write two reports: OUTPUT.report.html to publish with the release, and "
            "OUTPUT.internal.html to keep, which compares it with the original: risk, utility, and why "
            "these levels were chosen.",
            rich_help_panel=_RELEASE,
        ),
    ] = False,
    models: Annotated[
        bool,
        typer.Option(
            "--models/--no-models",
            help="For the internal report: whether to train machine learning models, its slowest part.",
            rich_help_panel=_RELEASE,
        ),
    ] = True,
    sampling_fraction: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="For the internal report: the share of the population that is in the table, from 0 to 1.",
            rich_help_panel=_RELEASE,
        ),
    ] = None,
    sign: Annotated[
        Path | None,
        typer.Option(
            metavar="KEY",
            help="Sign the manifest with this private key, made by `shoal key`.",
            rich_help_panel=_RELEASE,
        ),
    ] = None,
    delimiter: Delimiter = None,
    quote: Quote = None,
    encoding: Encoding = None,
    null_value: NullValues = None,
    sheet: Sheet = None,
    header: Header = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The search algorithm. All exact ones give the same release; `shoal algorithms` lists them. "
            "[dim]\\[default: box, or best-first if there are too many choices of levels][/dim]",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            help="Search best-first, and stop after this many seconds. [dim]\\[default: 10][/dim]",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    checks: Annotated[
        int | None,
        typer.Option(
            help="Search best-first, and stop after this many checks: the answer is then the same on every "
            "computer.",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(help="Threads to use. [dim]\\[default: all processors][/dim]", rich_help_panel=_SEARCH),
    ] = None,
    all_nodes: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Also write every choice of levels that satisfies the spec, best first, with its suppressed "
            "rows and score.",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The database table: visits, clinic.visits, or a query in parentheses.",
            rich_help_panel=_ENGINE,
        ),
    ] = None,
    output_table: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Write the release to this database table instead of --output, replacing any table of that "
            "name. The manifest goes to NAME.manifest.json unless --manifest is given.",
            rich_help_panel=_ENGINE,
        ),
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File for the manifest of --output-table.",
            rich_help_panel=_ENGINE,
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"Where rows are counted and recoded: {any_of('engines')}; auto chooses by the input. "
            "All give the same release. [dim]\\[default: the spec's, or auto][/dim]",
            rich_help_panel=_ENGINE,
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Memory that an engine may use on this computer, such as 2GB; the rest goes to temporary "
            "files. [dim]\\[default: half of what there is][/dim]",
            rich_help_panel=_ENGINE,
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Count the rows, explain how the search would run and how large its parts are, and write "
            "nothing.",
            rich_help_panel=_ENGINE,
        ),
    ] = False,
    as_json: AsJson = False,
    show_values: ShowValues = False,
) -> None:
    """Find the release that loses the least information, audit it and write it.

    A spec file, or the short form, declares the columns and the privacy models. Options for the release and
    the input override the spec. Nothing is written unless the written file passes its audit. The evidence
    goes beside it, to OUTPUT.manifest.json; for CSV, OUTPUT.checker.py checks both without Shoal.
    """
    interrupted = (
        unless_written(output or manifest)
        if output_table is None or manifest is not None
        else "Interrupted; the table is as it was, or replaced as a whole."
    )
    with reporting(show_values=show_values, interrupted=interrupted):
        without_pandas()
        from shoal.files.atomic import atomic, check_path
        from shoal.flow import anonymize as run
        from shoal.flow import plan
        from shoal.write.output import FileOutput, TableOutput
        from shoal.write.table_formats import check_writable, write_table

        _check_paths(input, output, output_table, manifest, explain)
        if sampling_fraction is not None and not report:
            raise InputError(
                "--sampling-fraction applies only to the report.\nFound: no --report.\n"
                "Add --report, or leave it out."
            )
        if not models and not report:
            raise InputError(
                "--no-models applies only to the report.\nFound: no --report.\nAdd --report, or leave it out."
            )
        if sign is not None:
            from shoal.audit.signature import signer

            signer(sign)  # check the key before the run starts
        if all_nodes is not None:
            check_writable(all_nodes, apart_from=[*filter(None, (output, _file(input)))])
        spec_used = overridden(
            spec_from(
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
            ),
            input_format(delimiter, quote, encoding, null_value, sheet, header),
            suppression=suppression,
            quality=None if quality is None else named(quality, "--quality"),
            recoding=None if recoding is None else named(recoding, "--recoding"),
            suppressed=suppressed,
            choose_by=choose_by,
            escape_formulas=escape_formulas or None,
            key=key,
        )
        spec_used = accepting(spec_used, accept_linkable or [])
        spec_used = adjusted(
            spec_used, levels=levels or [], weights=weight or [], missing_values=missing_values
        )
        if key is not None and not spec_used.pseudonyms:
            raise InputError(
                "--key makes the tokens of pseudonyms.\nFound: a key, and no pseudonym.\n"
                "Name the column: --pseudonym NAME, or its role in the spec. Or leave the key out."
            )
        for path in filter(None, (output, all_nodes, manifest)):
            if path == output and path.is_dir():
                continue  # of files that an engine wrote before: it says whether they may be replaced
            check_path(path, apart_from=[*filter(None, (spec, sign)), *spec_used.files])
        with progress() as listener:
            if explain:
                planned = plan(
                    input,
                    spec_used,
                    engine=engine,
                    table=table,
                    memory=memory,
                    keep_undeclared=keep_undeclared,
                    drop_undeclared=drop_undeclared,
                    listener=listener,
                )
                echo(json.dumps(planned.to_mapping(), indent=2) if as_json else planned.render())
                return
            release = run(
                input,
                spec_used,
                output=output,
                output_table=output_table,
                publish=False,
                engine=engine,
                table=table,
                memory=memory,
                algorithm=within_budget(algorithm, seconds, checks),
                threads=threads,
                seed=seed,
                keep_order=keep_order,
                keep_undeclared=keep_undeclared,
                drop_undeclared=drop_undeclared,
                all_nodes=all_nodes is not None,
                listener=listener,
            )
            target = TableOutput(output_table or "") if output is None else FileOutput(output)
            with ExitStack() as nodes:
                if all_nodes is not None and release.satisfying_nodes is not None:
                    (hidden,) = nodes.enter_context(atomic(all_nodes))
                    write_table(release.satisfying_nodes.table, hidden)
                release.write(
                    target,
                    report=report,
                    models=models,
                    sampling_fraction=sampling_fraction,
                    sign=sign,
                    manifest=manifest,
                    remember_people=remember_people,
                )
    with reporting(interrupted="Interrupted; the release was written before."):
        if as_json:
            echo(json.dumps(release.to_mapping(), indent=2))
        else:
            files = written(target, manifest=manifest, report=report, signed=sign is not None)
            if all_nodes is not None and release.satisfying_nodes is not None:
                files.append(("Nodes", f"{all_nodes}, {len(release.satisfying_nodes):,} that satisfy"))
            print_release(release, files)


def _check_paths(
    input: str, output: Path | None, output_table: str | None, manifest: Path | None, explain: bool
) -> None:
    """Refuse places that are missing, two, or no places, before any work."""
    from shoal.files.atomic import check_path
    from shoal.write.output import as_output

    as_output(output, output_table)
    if output is None and output_table is None and not explain:
        raise InputError(
            "No output given.\n"
            "Use --output FILE, --output-table NAME for a database, or --explain to write nothing."
        )
    if manifest is not None and output_table is None:
        raise InputError(
            "--manifest applies only with --output-table; the manifest of a file goes beside it.\n"
            "Leave it out."
        )
    for path in filter(None, (output, manifest)):
        if path.suffix and not (path == output and path.is_dir()):
            check_path(path, apart_from=[*filter(None, [_file(input)])])


def _file(input: str) -> Path | None:
    """Return the input as a path, if it is one."""
    return None if "://" in input else Path(input)
