"""Whether a release keeps what its spec claims.

The audit reads the released values, and what a claim compares them with (`reference.py`): no codes, no
result of the search. NULL is a value like any other (GROUP BY keeps it). Rows with `*` in every
quasi-identifier are suppressed rows that were left in the file: they are absent, not a class. If there are
more of them than the spec lets be suppressed, or than are known to be, they cannot all be that, and are a
class like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Self

import pyarrow as pa

from shoal.audit.reference import (
    Claim,
    add_references,
    claims,
    read_references,
    with_hierarchies,
    without_units,
)
from shoal.audit.relation import Relation, open_relation
from shoal.audit.typed_columns import with_types
from shoal.describe.spec import Spec
from shoal.errors import AuditError, InputError, Problem, nearest
from shoal.privacy.model import Tables
from shoal.read.source import InputFormat

_ROUNDING = 1e-6  # of a row: 0.29 times 100 is a little less than 29


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of one claim, and the query that anybody can repeat."""

    claim: str
    holds: bool
    measured: str
    sql: str
    checkable: bool = True
    """Whether the released values tell. They do not where people were counted who are not in them."""

    @property
    def verdict(self) -> str:
        fails = "FAILS" if self.checkable else "NOT CHECKABLE"
        return f"{'holds' if self.holds else fails}, {self.measured}"

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
    original: object = None,
    populations: Mapping[str, object] | None = None,
    levels: Mapping[str, int] | None = None,
    units: pa.Array | None = None,
    earlier: Audit | None = None,
    starred_rows: int | None = None,
) -> Audit:
    """Check a release against the claims of its spec.

    Parameters
    ----------
    release
        A CSV file (also `.gz`), a Parquet or Excel file or a table. A file is read as Shoal writes it: the
        spec's `null-values` and `sheet` are about the original.
    spec
        Its privacy models are the claims; its roles say which columns are which.
    input_format
        Delimiter, quote and encoding of a CSV file. What it leaves open is the spec's; then the delimiter
        is sniffed and the quote is `"`, since `'x'` and `x` would be the same value for a wrong guess. The
        encoding is never the spec's, since releases are written in UTF-8.
    name
        The file's name in messages and queries, where it is to be another than its own.
    original
        The table that the release was made of, as a file or a frame: needed by models that compare classes
        with it, such as t-closeness.
    populations
        By key the populations that models compare with, where these are not the spec's own.
    levels
        The levels of the release: needed with a population, which is generalized in the same way.
    units
        For a release that is a table: who each of its rows is about, where the release does not tell.
    earlier
        An audit of the same rows that knew the units: its findings stand where the file cannot show them.
    starred_rows
        How many rows were suppressed and left in, where that is known. If there are more rows like them, some
        are a class, and all that look alike are judged as one.

    Raises
    ------
    InputError
        The release cannot be read, a column that claims are about is not in it, or what they compare with is
        not given. All of that comes at once.

    Examples
    --------
    >>> from shoal.describe.hierarchies.suppress import Suppress
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
    release, hidden = _with_units(release, units)
    with open_relation(release, dialect, name) as opened:
        columns = {column: quoted for column, quoted in opened.columns.items() if column != hidden}
        relation, strange = with_types(replace(opened, columns=columns), spec)
        unit = _released_unit(relation, spec) if hidden is None else opened.columns[hidden]
        asked = claims(spec, unit_known=unit is not None)
        references, problems = read_references(spec, asked, original, populations, levels)
        problems = [*map(Problem, _missing_columns(relation, spec)), *strange, *problems]
        if unit is not None:
            (nobody,) = relation.ask(f"SELECT count(*) - count({unit}) FROM {relation.source}")
            if nobody:
                problems.append(Problem(without_units("the release", spec.unit, nobody)))
        if problems:
            raise InputError(problems)
        made = with_hierarchies(spec, references)
        tables = add_references(relation, made, asked, references, levels or {}, unit)
        starred = " AND ".join(f"{relation.columns[qi]}::VARCHAR = '*'" for qi in spec.quasi_identifiers)
        rows, suppressed = relation.ask(
            f"SELECT count(*), count(*) FILTER (WHERE {starred}) FROM {relation.source}"
        )
        # Where a class that is missing tells something, nothing may be suppressed.
        limit = spec.suppression if all(model.suppressible for model in spec.privacy) else 0.0
        too_many = suppressed > limit * rows + _ROUNDING
        if too_many or starred_rows not in (None, suppressed):
            starred, suppressed = "false", 0
        findings = (
            *_privacy(relation, spec, asked, tables, starred, earlier, vacuous=rows == suppressed),
            _identifiers_removed(relation, spec),
            _columns_present(relation, spec),
        )
    return Audit(findings, rows, suppressed)


def _with_units(
    release: str | Path | pa.Table, units: pa.Array | None
) -> tuple[str | Path | pa.Table, str | None]:
    """Put the units beside the released rows, in a column that has none of their names."""
    if units is None:
        return release, None
    if not isinstance(release, pa.Table) or len(units) != release.num_rows:
        raise InputError(
            "Units are given for the rows of a table, one for each.\n"
            f"Found: {len(units):,} units.\nLeave them out for a file."
        )
    name = "unit"
    while name in map(str.lower, release.column_names):
        name += "_"
    return release.append_column(name, units), name


def _released_unit(relation: Relation, spec: Spec) -> str | None:
    """Return the column that says who a row is about, as SQL, if it is in the release as it was."""
    if spec.unit is None or spec.unit in spec.quasi_identifiers or spec.unit in spec.withheld:
        return None
    return relation.columns.get(spec.unit)


def _missing_columns(relation: Relation, spec: Spec) -> Iterator[str]:
    present = list(relation.columns)
    for qi in spec.quasi_identifiers:
        if qi not in relation.columns:
            yield (
                f"Column '{qi}', a quasi-identifier of the spec, is not in the release '{relation.name}'.\n"
                f"Columns: {', '.join(present)}.{nearest(qi, present)}"
            )
    for column in dict.fromkeys(model.column for model in spec.privacy):
        if column is not None and column not in relation.columns:
            yield (
                f"Column '{column}', which a claim is about, is not in the release '{relation.name}'.\n"
                f"Columns: {', '.join(present)}.{nearest(column, present)}"
            )


def _privacy(
    relation: Relation,
    spec: Spec,
    asked: Sequence[Claim],
    tables: Tables,
    starred: str,
    earlier: Audit | None,
    *,
    vacuous: bool,
) -> list[Finding]:
    findings = []
    for place, claim in enumerate(asked):
        model = claim.model
        if not claim.checkable:
            findings.append(_from_before(claim, spec, None if earlier is None else earlier.findings[place]))
            continue
        query = model.sql(tables)
        failing, figure = relation.ask(_kept(relation.source, starred) + query)
        measured = model.wording(figure)
        if failing:
            measured += f", {failing:,} {'class fails' if failing == 1 else 'classes fail'}"
        if claim.unit:
            measured += f", counted by {spec.unit!r}"
        if vacuous:
            measured += " (nothing to check: no rows but suppressed ones)"
        findings.append(
            Finding(model.describe(), failing == 0, measured, _kept(relation.shown, starred) + query)
        )
    return findings


def _from_before(claim: Claim, spec: Spec, finding: Finding | None) -> Finding:
    """Return the finding on a claim about people who cannot be told in the release."""
    if finding is not None:
        done = "generalized" if spec.unit in spec.quasi_identifiers else "removed"
        measured = f"{finding.measured} before it was {done}"
        return replace(finding, measured=measured, checkable=False)
    return Finding(
        claim.model.describe(),
        holds=False,
        measured=f"it counts people by {spec.unit!r}, which the release does not have",
        sql="",
        checkable=False,
    )


def _kept(source: str, starred: str) -> str:
    """Return the beginning of a query on the rows that are not suppressed; with NULL a row is not."""
    return f"WITH kept AS (\n  SELECT * FROM {source}\n  WHERE NOT coalesce({starred}, false)\n)\n"


def _identifiers_removed(relation: Relation, spec: Spec) -> Finding:
    left = [column for column in spec.withheld if column in relation.columns]
    measured = f"{len(spec.withheld) - len(left)} of {len(spec.withheld)}{_named('; still there', left)}"
    return Finding("identifiers removed", not left, measured, _describe(relation))


def _columns_present(relation: Relation, spec: Spec) -> Finding:
    missing = [column for column in spec.released if column not in relation.columns]
    extra = [column for column in relation.columns if column not in (*spec.roles, *spec.withheld)]
    measured = (
        f"{len(spec.released) - len(missing)} of {len(spec.released)}"
        f"{_named('; missing', missing)}{_named('; not in the spec', extra)}"
    )
    return Finding("columns present", not missing, measured, _describe(relation))


def _describe(relation: Relation) -> str:
    return f"DESCRIBE SELECT * FROM {relation.shown}"


def _named(what: str, columns: list[str]) -> str:
    return f"{what}: {', '.join(columns)}" if columns else ""
