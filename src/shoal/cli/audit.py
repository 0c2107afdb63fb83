"""`shoal audit`: check a release from its file alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import print_table, reporting, without_pandas
from shoal.cli.options import AsJson, Delimiter, Encoding, Quote, SpecFile, input_format
from shoal.errors import AuditError


def audit(
    release: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="CSV (also .gz) or Parquet file with the release.")
    ],
    *,
    spec: SpecFile,
    delimiter: Delimiter = None,
    quote: Quote = None,
    encoding: Encoding = None,
    as_json: AsJson = False,
) -> None:
    """Check a release against its spec, by plain SQL on the file: exit 0 if all claims hold, 4 if not."""
    with reporting():
        without_pandas()
        from shoal.audit import audit_release
        from shoal.describe.spec import Spec

        found = audit_release(release, Spec.from_yaml(spec), input_format(delimiter, quote, encoding))
    if as_json:
        typer.echo(json.dumps(found.to_mapping(), indent=2))
    else:
        print_table([(finding.claim, finding.verdict) for finding in found.findings])
        typer.echo(f"\n{found.rows:,} rows, of which {found.suppressed_rows:,} suppressed.")
    if not found.holds:
        raise typer.Exit(AuditError.exit_code)
