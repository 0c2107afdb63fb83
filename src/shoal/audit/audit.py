"""Whether a release keeps what its spec claims.

The audit reads the released values and nothing else: no codes, no levels, no result of the search.
NULL is a value like any other (GROUP BY keeps it). Rows with `*` in every quasi-identifier are
suppressed rows that were left in the file: they are absent, not a class. If there are more of them than the
spec lets be suppressed, they cannot all be that, and are a class like any other.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

import pyarrow as pa

from shoal.audit.relation import Relation, open_relation
from shoal.describe.spec import Spec
from shoal.errors import AuditError, InputError, nearest
from shoal.read.source import InputFormat

_ROUNDING = 1e-6  # of a row: 0.29 times 100 is a little less than 29


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of one claim, and the query that anybody can repeat."""

    claim: str
    holds: bool
    measured: str
    sql: str

    @property
    def verdict(self) -> str:
        return f"{'holds' if self.holds else 'FAILS'}, {self.measured}"

    def render(self) -> str:
        return f"{self.claim}: {self.verdict}"


@dataclass(frozen=True, slots=True)
class Audit:
    """All findings on one release."""

    findings: tuple[Finding, ...]
    rows: int
    """Rows found, suppressed ones included."""
    suppressed_rows: int
    """Rows found with `*` in every quasi-identifier, if no more than may be suppressed."""

    @property
    def holds(self) -> bool:
        return all(finding.holds for finding in self.findings)

    def require(self, rows: int) -> Self:
        """Return the audit itself, or raise unless all claims hold on exactly this many rows.

        Raises
        ------
        AuditError
            With every claim that fails.
        """
        problems = [
            f"The release does not keep its claim '{finding.claim}'.\n"
            f"Measured: {finding.measured}.\n"
            "Nothing was written."
            for finding in self.findings
            if not finding.holds
        ]
        if self.rows != rows:
            problems.append(
                "The written file does not hold all rows.\n"
                f"Rows of the release: {rows:,}; in the file: {self.rows:,}.\n"
                "Nothing was written."
            )
        if problems:
            raise AuditError(problems)
        return self

    def to_mapping(self) -> dict[str, object]:
        """Return the audit as plain values, ready for JSON."""
        return {
            "holds": self.holds,
            "rows": self.rows,
            "suppressed_rows": self.suppressed_rows,
            "claims": [asdict(finding) for finding in self.findings],
        }

    def render(self) -> str:
        """Return the audit as text, one line per claim."""
        rows = f"rows: {self.rows:,}"
        if self.suppressed_rows:
            rows += f", of which {self.suppressed_rows:,} suppressed"
        return "\n".join([*(finding.render() for finding in self.findings), rows])


def audit_release(
    release: str | Path | pa.Table,
    spec: Spec,
    input_format: InputFormat | None = None,
    *,
    name: str | None = None,
) -> Audit:
    """Check a release against the claims of its spec.

    Parameters
    ----------
    release
        A CSV file (also `.gz`), a Parquet file or a table.
    spec
        Its privacy models are the claims; its roles say which columns are which.
    input_format
        Delimiter, quote and encoding of a CSV file. What it leaves open is the spec's; then the delimiter
        is sniffed and the quote is `"`, since `'x'` and `x` would be the same value for a wrong guess. The
        encoding is never the spec's, since releases are written in UTF-8.
    name
        The file's name in messages and queries, where it is to be another than its own.

    Raises
    ------
    InputError
        The release cannot be read, or a quasi-identifier is not in it.

    Examples
    --------
    >>> from shoal.describe.suppress import Suppress
    >>> from shoal.privacy.k_anonymity import KAnonymity
    >>> spec = Spec(quasi_identifiers={"sex": Suppress()}, identifiers=["name"], privacy=[KAnonymity(2)])
    >>> print(audit_release(pa.table({"sex": ["F", "F", None]}), spec).render())
    k-anonymity 2: FAILS, smallest class 1, 1 class fails
    identifiers removed: holds, 1 of 1
    columns present: holds, 1 of 1
    rows: 3
    """
    given = input_format or InputFormat()
    dialect = InputFormat(
        delimiter=given.delimiter or spec.input.delimiter,
        quote=given.quote or spec.input.quote or '"',
        encoding=given.encoding,
    )
    with open_relation(release, dialect, name) as relation:
        _check_quasi_identifiers(relation, spec)
        starred = " AND ".join(f"{relation.columns[qi]}::VARCHAR = '*'" for qi in spec.quasi_identifiers)
        rows, suppressed = relation.ask(
            f"SELECT count(*), count(*) FILTER (WHERE {starred}) FROM {relation.source}"
        )
        if suppressed > spec.suppression * rows + _ROUNDING:
            starred, suppressed = "false", 0
        findings = (
            *_privacy(relation, spec, starred, vacuous=rows == suppressed),
            _identifiers_removed(relation, spec),
            _columns_present(relation, spec),
        )
    return Audit(findings, rows, suppressed)


def _check_quasi_identifiers(relation: Relation, spec: Spec) -> None:
    present = list(relation.columns)
    problems = [
        f"Column '{qi}', a quasi-identifier of the spec, is not in the release '{relation.name}'.\n"
        f"Columns: {', '.join(present)}.{nearest(qi, present)}"
        for qi in spec.quasi_identifiers
        if qi not in relation.columns
    ]
    if problems:
        raise InputError(problems)


def _privacy(relation: Relation, spec: Spec, starred: str, *, vacuous: bool) -> list[Finding]:
    columns = [relation.columns[qi] for qi in spec.quasi_identifiers]
    findings = []
    for model in spec.privacy:
        query = model.sql("kept", columns)
        failing, figure = relation.ask(_kept(relation.source, starred) + query)
        measured = model.wording(figure)
        if failing:
            measured += f", {failing:,} {'class fails' if failing == 1 else 'classes fail'}"
        if vacuous:
            measured += " (nothing to check: no rows but suppressed ones)"
        findings.append(
            Finding(model.describe(), failing == 0, measured, _kept(relation.shown, starred) + query)
        )
    return findings


def _kept(source: str, starred: str) -> str:
    """Return the beginning of a query on the rows that are not suppressed; with NULL a row is not."""
    return f"WITH kept AS (\n  SELECT * FROM {source}\n  WHERE NOT coalesce({starred}, false)\n)\n"


def _identifiers_removed(relation: Relation, spec: Spec) -> Finding:
    left = [column for column in spec.identifiers if column in relation.columns]
    measured = (
        f"{len(spec.identifiers) - len(left)} of {len(spec.identifiers)}{_named('; still there', left)}"
    )
    return Finding("identifiers removed", not left, measured, _describe(relation))


def _columns_present(relation: Relation, spec: Spec) -> Finding:
    missing = [column for column in spec.released if column not in relation.columns]
    extra = [column for column in relation.columns if column not in spec.roles]
    measured = (
        f"{len(spec.released) - len(missing)} of {len(spec.released)}"
        f"{_named('; missing', missing)}{_named('; not in the spec', extra)}"
    )
    return Finding("columns present", not missing, measured, _describe(relation))


def _describe(relation: Relation) -> str:
    return f"DESCRIBE SELECT * FROM {relation.shown}"


def _named(what: str, columns: list[str]) -> str:
    return f"{what}: {', '.join(columns)}" if columns else ""
