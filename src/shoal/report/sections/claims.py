"""The claims with what was measured, the queries, and how anybody can repeat them."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.audit.reference import claims as claims_of
from shoal.audit.reference import original_columns
from shoal.report.words import listed

if TYPE_CHECKING:
    from shoal.audit import Audit
    from shoal.describe.spec import Spec


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim and what became of it."""

    claim: str
    holds: bool
    words: str
    measured: str
    sql: str


@dataclass(frozen=True, slots=True)
class Claims:
    """All claims, and the commands that check them."""

    findings: tuple[CheckedClaim, ...]
    checker_command: str | None
    audit_command: str
    needs: str


def claims(audit: Audit, spec: Spec, name: str) -> Claims:
    """Tell what was checked on the file of this name."""
    needs = []
    if original_columns(spec, claims_of(spec)):
        needs.append("the original table (--original FILE), with which some claims compare")
    if spec.populations:
        needs.append("the population that the spec names")
    return Claims(
        findings=tuple(
            CheckedClaim(
                finding.claim,
                finding.holds,
                "holds" if finding.holds else "FAILS" if finding.checkable else "NOT CHECKABLE",
                finding.measured,
                finding.sql,
            )
            for finding in audit.findings
        ),
        checker_command=_checker_command(name),
        audit_command=shlex.join(["shoal", "audit", name]),
        needs=f"It also needs {listed(needs)}." if needs else "",
    )


def _checker_command(name: str) -> str | None:
    """Return how the checker is run, which reads CSV only."""
    if not name.lower().endswith((".csv", ".csv.gz")):
        return None
    return shlex.join(["python", f"{name}.checker.py", name, f"{name}.manifest.json"])
