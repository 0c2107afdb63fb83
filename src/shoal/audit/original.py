"""Whether a table is the one that a release was made of, as far as both tell."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from shoal.audit.evidence import Evidence
from shoal.audit.finding import Finding
from shoal.audit.reference import Claim
from shoal.audit.relation import Relation


def original_table(
    relation: Relation, original: pa.Table | None, asked: Sequence[Claim], evidence: Evidence | None
) -> list[Finding]:
    """Compare the original table with the release and with what the manifest says of it.

    A release has the sensitive values of the original, or fewer of them: a value that it has more often
    comes from elsewhere. Without a manifest nothing is said of a table that may be the one.
    """
    columns = dict.fromkeys(claim.model.column for claim in asked if claim.checkable and claim.original)
    if original is None or not columns:
        return []
    wrong, queries = [], []
    for column in filter(None, columns):
        query = _more_often(relation.columns[column])
        (values,) = relation.ask(query.format(release=relation.source))
        queries.append(query.format(release=relation.shown))
        if values:
            wrong.append(f"{values:,} values of {column} are more often in the release")
    rows = original.num_rows
    if evidence is not None and rows != evidence.said.rows.before:
        wrong.insert(0, f"{evidence.said.rows.before:,} by the manifest")
    if evidence is None and not wrong:
        return []
    measured = f"{rows:,} rows; {'; '.join(wrong) or 'all released values are among theirs'}"
    return [Finding("original table", not wrong, measured, ";\n".join(queries), figure=rows)]


def _more_often(column: str) -> str:
    counted = f"(SELECT {column.replace('{', '{{').replace('}', '}}')} AS value, count(*) AS c FROM "
    return (
        "SELECT count(*) AS more_often\n"
        f"FROM {counted}{{release}} GROUP BY 1) AS r\n"
        f"LEFT JOIN {counted}original GROUP BY 1) AS o ON r.value IS NOT DISTINCT FROM o.value\n"
        "WHERE r.c > coalesce(o.c, 0)"
    )
