"""The claims with what was measured, the queries, and how anybody can repeat them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from shoal.audit.reference import claims as claims_of
from shoal.audit.reference import original_columns
from shoal.report.number_format import listed

if TYPE_CHECKING:
    from shoal.audit import Audit, Finding
    from shoal.spec.spec import Spec

POPULATION = "the population that the spec names"


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim and its finding.

    Attributes
    ----------
    checkable
        Whether the released values alone are enough to check it.
    words
        The finding in words.
    """

    claim: str
    holds: bool
    checkable: bool
    words: str
    measured: str
    sql: str

    @classmethod
    def of(cls, claim: str, holds: bool, checkable: bool, measured: str, sql: str) -> Self:
        words = "FAILS" if checkable else "CANNOT BE CHECKED"
        if holds:
            words = "holds" if checkable else "held when the release was made; a recipient cannot check it"
        return cls(claim, holds, checkable, words, measured, sql)


@dataclass(frozen=True, slots=True)
class Claims:
    """All claims, and the commands that check them."""

    findings: tuple[CheckedClaim, ...]
    checker_command: str | None
    audit_command: str
    needs: str

    @property
    def unchecked(self) -> int:
        """Claims of which it is not known whether they hold."""
        return sum(not each.holds and not each.checkable for each in self.findings)


def checked(findings: Iterable[Finding]) -> tuple[CheckedClaim, ...]:
    """Return the findings of an audit in words."""
    return tuple(
        CheckedClaim.of(each.claim, each.holds, each.checkable, each.measured, each.sql) for each in findings
    )


def claims(audit: Audit, spec: Spec, name: str) -> Claims:
    """Return what was checked on the file of this name."""
    needs = []
    if original_columns(spec, claims_of(spec)):
        needs.append("the original table (--original FILE), with which some claims compare")
    if spec.populations:
        needs.append(POPULATION)
    return Claims(
        findings=checked(audit.findings),
        checker_command=checker_command(name),
        audit_command=audit_command(name),
        needs=needed(needs),
    )


def needed(what: Sequence[str]) -> str:
    """Describe what an audit needs beside the release."""
    return f"It also needs {listed(what)}." if what else ""


def audit_command(name: str) -> str:
    """Return how a release is audited."""
    return shlex.join(["shoal", "audit", name])


def checker_command(name: str) -> str | None:
    """Return how the checker is run, which reads CSV only."""
    if not name.lower().endswith((".csv", ".csv.gz")):
        return None
    return shlex.join(["python", f"{name}.checker.py", name, f"{name}.manifest.json"])
