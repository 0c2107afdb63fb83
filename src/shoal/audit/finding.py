"""What an audit finds: one verdict for each claim, with the figure, the words and the query."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from shoal.audit.linkable import Linkability
from shoal.audit.linked_people import LinkedPeople
from shoal.errors import AuditError

Figure = int | float | str | Mapping[str, Any] | None
"""A number, or several by name. Infinity is a text, since JSON has no such number; None is no figure."""

COLUMNS_PRESENT = "columns present"


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of one claim, and the query that anybody can repeat."""

    claim: str
    holds: bool
    measured: str
    sql: str
    checkable: bool = True
    """Whether the released values tell. They do not where people were counted who are not in them."""
    figure: Figure = None
    """What was measured, as plain numbers."""

    @property
    def verdict(self) -> str:
        fails = "FAILS" if self.checkable else "NOT CHECKABLE by a recipient"
        return f"{'holds' if self.holds else fails}, {self.measured}"

    def render(self) -> str:
        return f"{self.claim}: {self.verdict}"


@dataclass(frozen=True, slots=True)
class Audit:
    """All findings on one release."""

    findings: tuple[Finding, ...]
    rows: int
    """Rows found, starred ones included."""
    starred_rows: int
    """Rows found with `*` in every quasi-identifier: a class like any other."""
    class_sizes: Mapping[int, int] = field(default_factory=dict)
    """For each size that occurs, the number of classes of that many rows."""
    linkable: Linkability | None = None
    """How many rows the columns that are released unchanged single out; None without such columns."""
    linked: tuple[LinkedPeople, ...] = ()
    """How many people each pseudonym singles out by their classes together."""

    @property
    def holds(self) -> bool:
        """Whether all claims were checked and hold."""
        return all(finding.holds for finding in self.findings)

    @property
    def fails(self) -> bool:
        """Whether a claim was checked and does not hold."""
        return any(finding.checkable and not finding.holds for finding in self.findings)

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        from shoal.notebook import audit_html

        return audit_html(self)

    def extended(self, findings: Iterable[Finding]) -> Self:
        """Return the audit with further findings."""
        return replace(self, findings=(*self.findings, *findings))

    def require(self, rows: int) -> Self:
        """Return the audit itself, or raise unless all claims hold on exactly this many rows.

        Raises
        ------
        AuditError
            With every claim that fails.
        """
        problems = [
            f"The release does not satisfy its claim '{finding.claim}'.\n"
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
            "fails": self.fails,
            "rows": self.rows,
            "starred_rows": self.starred_rows,
            "class_sizes": {str(size): count for size, count in sorted(self.class_sizes.items())},
            "linkable": None if self.linkable is None else self.linkable.to_mapping(),
            "linked": {linked.column: linked.to_mapping() for linked in self.linked},
            "claims": [asdict(finding) for finding in self.findings],
        }

    def render(self) -> str:
        """Return the audit as text, one line per claim."""
        return "\n".join([*(finding.render() for finding in self.findings), f"rows: {self.counted()}"])

    def counted(self) -> str:
        """Describe how many rows there are, and how many of them have `*` in every quasi-identifier."""
        if not self.starred_rows:
            return f"{self.rows:,}"
        have = "has" if self.starred_rows == 1 else "have"
        return (
            f"{self.rows:,}, of which {self.starred_rows:,} {have} * in every quasi-identifier, "
            "checked as a class"
        )


def plain(measured: Any) -> Figure:
    """Return what a query measured as JSON can hold it.

    Examples
    --------
    >>> plain(5), plain({"size": 3, "share": 0.5}), plain(float("inf")), plain(None)
    (5, {'size': 3, 'share': 0.5}, 'infinity', None)
    """
    if isinstance(measured, Mapping):
        return {str(name): plain(value) for name, value in measured.items()}
    if measured is None or isinstance(measured, int | str):
        return measured
    number = float(measured)
    return number if math.isfinite(number) else str(number).replace("inf", "infinity")
