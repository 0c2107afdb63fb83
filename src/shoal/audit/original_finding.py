"""Whether a table is the one that a release was made of, as far as both tell."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.audit.finding import Finding
from shoal.audit.manifest_file import Evidence
from shoal.audit.original_rows import OriginalRows
from shoal.audit.reference import Claim
from shoal.privacy.model import Tables
from shoal.sql.relation import Relation


def original_table(
    relation: Relation,
    original: OriginalRows | None,
    tables: tuple[Tables, Tables],
    to_check: Sequence[Claim],
    evidence: Evidence | None,
) -> list[Finding]:
    """Compare the original table with the release and with what the manifest says of it.

    A release has the sensitive values of the original, or fewer of them: a value that it has more often
    comes from elsewhere. Without a manifest nothing is said of a table that may be the one.
    """
    columns = dict.fromkeys(
        claim.model.column for claim in to_check if claim.checkable and claim.reads.original
    )
    if original is None or not columns:
        return []
    wrong, queries = [], []
    run, shown_tables = tables
    for column in filter(None, columns):
        (values,) = relation.fetch_row(_more_often(run.columns[column], relation.source, run.original))
        queries.append(
            relation.shown_query(
                _more_often(shown_tables.columns[column], relation.shown, shown_tables.original)
            )
        )
        if values:
            wrong.append(f"{values:,} values of {column} are more often in the release")
    rows = original.rows
    if evidence is not None and rows != evidence.manifest.rows.before:
        wrong.insert(0, f"{evidence.manifest.rows.before:,} by the manifest")
    if evidence is None and not wrong:
        return []
    measured = f"{rows:,} rows; {'; '.join(wrong) or 'all released values are among theirs'}"
    return [Finding("original table", not wrong, measured, ";\n".join(queries), figure=rows)]


def _more_often(column: str, release: str, original: str) -> str:
    counted = f"(SELECT {column} AS value, count(*) AS c FROM "
    return (
        "SELECT count(*) AS more_often\n"
        f"FROM {counted}{release} GROUP BY 1) AS r\n"
        f"LEFT JOIN {counted}{original} GROUP BY 1) AS o ON r.value IS NOT DISTINCT FROM o.value\n"
        "WHERE r.c > coalesce(o.c, 0)"
    )
