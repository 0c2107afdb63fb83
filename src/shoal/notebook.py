"""How results show themselves in a notebook: small tables, everything in them escaped, no scripts.

Each function is what the `_repr_html_` of an object calls; it is imported when a notebook asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.describe.roles import Role
from shoal.draw.html import framed, heading, paragraph, table

if TYPE_CHECKING:
    from shoal.audit import Audit
    from shoal.explore.nodes import Nodes
    from shoal.release import Release
    from shoal.risk import RiskAssessment, RiskComparison
    from shoal.suggestions.suggestion import Suggestion
    from shoal.utility.assessment import UtilityAssessment

_NODES_SHOWN = 10


def release_html(release: Release) -> str:
    """Show a release: what was chosen for each column, and what came of it. Its rows are in `data`."""
    facts = [(name, words) for name, words in release.facts() if name != "Note"]
    return framed(
        heading(f"Release of {_rows(release.released.count)}"),
        table(release.choice_header, release.choices()),
        table((), facts),
        *(paragraph(note, note=True) for note in release.notes),
    )


def nodes_html(nodes: Nodes) -> str:
    """Show the best of all choices of levels that satisfy."""
    best = nodes[:_NODES_SHOWN]
    columns = list(best.table.column_names[:-2])
    rows = [
        (*map(str, node.levels.values()), f"{node.suppressed_rows:,}", f"{node.score:.6g}") for node in best
    ]
    left = len(nodes) - len(rows)
    return framed(
        heading(f"{len(nodes):,} choices of levels that satisfy, the best first by {nodes.quality}"),
        table((*columns, "suppressed rows", "score"), rows, numbers=range(len(columns) + 2)),
        *([paragraph(f"{left:,} more follow.", note=True)] if left else []),
    )


def audit_html(audit: Audit) -> str:
    """Show the findings of an audit."""
    verdict = "All claims hold" if audit.holds else "Not all claims hold"
    if not audit.holds and not audit.fails:
        verdict = "No claim fails, but not all can be checked"
    return framed(
        heading(f"{verdict}: {_rows(audit.rows)}, of which {audit.starred_rows:,} starred"),
        table(("Claim", "Verdict"), [(finding.claim, finding.verdict) for finding in audit.findings]),
    )


def risk_html(found: RiskAssessment | RiskComparison) -> str:
    """Show how well people can be found, of two tables side by side."""
    header = getattr(found, "header", ())
    return framed(
        heading("Risk before and after" if header else "Risk"),
        table(header, found.facts(), numbers=range(1, len(header))),
        *(paragraph(note, note=True) for note in found.notes),
    )


def utility_html(found: UtilityAssessment) -> str:
    """Show what a release can still be used for."""
    tables = [
        part
        for section in found.sections()
        for part in (
            heading(section.title),
            table(section.header, section.rows, numbers=range(1, len(section.header))),
        )
    ]
    return framed(paragraph(found.summary()), *tables, *(paragraph(note, note=True) for note in found.notes))


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number:,} rows"


def suggestion_html(suggestion: Suggestion) -> str:
    """Show what is proposed for a table."""
    rows = [
        (
            column.name,
            column.role.value + ("" if column.sure else " ?"),
            "" if column.role is not Role.QUASI_IDENTIFIER else str(column.hierarchy or "suppress"),
            column.reason,
        )
        for column in suggestion.columns
    ]
    settings = f"k = {suggestion.k}, at most {suggestion.suppression:.1%} of the rows suppressed"
    return framed(
        heading(f"Proposed for {suggestion.table}: {settings}"),
        table(("Column", "Role", "Hierarchy", "Why"), rows),
        paragraph(f"People: {suggestion.people}."),
        *(
            [paragraph("? marks roles that are unsure: check these first.", note=True)]
            if suggestion.unsure
            else []
        ),
    )
