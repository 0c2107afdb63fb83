"""A table in memory as an unpublished file, audited as written."""

from __future__ import annotations

from typing import NoReturn

import pyarrow as pa

from shoal.audit import Audit, References, audit_release
from shoal.errors import InputError
from shoal.files.atomic import explained
from shoal.read.formulas import escaped, opens_in_spreadsheets
from shoal.write.manifest import Releasable
from shoal.write.output import Output, TableOutput
from shoal.write.publish import Stage
from shoal.write.table_formats import check_writable, write_table
from shoal.write.unpublished import UnpublishedFiles


def write_table_file(
    table: pa.Table, references: References, release: Releasable, output: Output, stage: Stage
) -> tuple[UnpublishedFiles, Audit]:
    """Write the rows of a release to an unpublished file; return it with the audit of that file.

    Parameters
    ----------
    table
        The rows.
    references
        What their audit compares with.

    Raises
    ------
    InputError
        The output is a table, or no kind of file that Shoal writes.
    OutputError
        The file cannot be written there.
    AuditError
        The release does not keep what it claims.
    """
    if isinstance(output, TableOutput):
        refuse_table(output)
    path, spec = output.path, release.spec
    check_writable(path)
    file = UnpublishedFiles(output)
    try:
        with stage("write"), explained(path):
            escapes = spec.escape_formulas and opens_in_spreadsheets(path)
            write_table(escaped(table) if escapes else table, file.hidden, output.dialect)
        with stage("audit"):
            audit = audit_release(
                file.hidden,
                spec,
                output.dialect,
                name=path.name,
                original=references.original,
                populations=references.populations,
                levels=release.recoding.levels,
                earlier=release.audit,
            ).require(table.num_rows)
    except BaseException:
        file.discard()
        raise
    return file, audit


def refuse_table(output: TableOutput) -> NoReturn:
    """Raise: no database holds the rows that could make a table of them."""
    raise InputError(
        f"A release that is made in memory goes to a file, not to a table.\nFound: {output.name!r}.\n"
        "Give the path of a file: --output FILE (in Python output=...)."
    )
