"""All columns in one table: what became of each, and how much of its information is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from markupsafe import Markup

from shoal.describe.roles import Role
from shoal.draw.svg import shortened
from shoal.report.markup import columns
from shoal.report.number_format import percent
from shoal.report.sections.verdict import averaged

if TYPE_CHECKING:
    from shoal.release import Release
    from shoal.report.sections.requirements import RequirementsSection
    from shoal.utility import ColumnUtility, UtilityAssessment

Row = TypeVar("Row")

_OTHERS_SHOWN = 10
"""Columns beside the quasi-identifiers that are listed before the others are folded away."""
_LABELS_LENGTH = 90
_ORDER = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.PSEUDONYM, Role.INSENSITIVE)


@dataclass(frozen=True, slots=True)
class ColumnRow:
    """A column: what was chosen for it, what the release has of it, and the share of its information."""

    name: str
    role: Markup
    chosen: str
    released: str
    kept: float | None
    words: str


@dataclass(frozen=True, slots=True)
class ColumnsSection:
    """The table of all columns, and what is folded away of it.

    Attributes
    ----------
    labels
        Whether quasi-identifiers have labels, or not all of them averages.
    squared, others
        The columns of means and medians, and those of modes.
    """

    origin: Markup
    header: str
    shown: tuple[ColumnRow, ...]
    folded: tuple[ColumnRow, ...]
    labels: bool
    squared: Markup
    others: Markup


def columns_section(
    release: Release, required: RequirementsSection, found: UtilityAssessment
) -> ColumnsSection:
    """List the quasi-identifiers, then the columns that are released unchanged, then the rest."""
    roles = release.spec.roles
    choices = {choice.column: choice for choice in release.choices()}
    rows = []
    for each in sorted(required.columns, key=lambda each: place(roles.get(each.name))):
        kept, words = _kept(found.columns.get(each.name))
        choice = choices.get(each.name)
        rows.append(
            ColumnRow(
                each.name,
                each.role,
                "-" if choice is None else choice.chosen,
                each.fate if choice is None else shortened(choice.labels, _LABELS_LENGTH),
                kept,
                words,
            )
        )
    shown, folded = folded_beyond(rows, len(choices))
    squared, others = averaged(release.averages)
    return ColumnsSection(
        required.origin,
        release.choice_header[1],
        shown,
        folded,
        len(release.averages) < len(choices),
        columns(squared),
        columns(others),
    )


def folded_beyond(rows: Sequence[Row], quasi_identifiers: int = 0) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """Return the rows that are shown, and those that are folded away: never one alone.

    Examples
    --------
    >>> [tuple(map(len, folded_beyond(range(rows), 3))) for rows in (3, 13, 14, 15)]
    [(3, 0), (13, 0), (14, 0), (13, 2)]
    """
    end = quasi_identifiers + _OTHERS_SHOWN
    end = len(rows) if len(rows) == end + 1 else end
    return tuple(rows[:end]), tuple(rows[end:])


def place(role: Role | None) -> int:
    """Return where columns of a role are in the table."""
    return _ORDER.index(role) if role in _ORDER else len(_ORDER)


def _kept(column: ColumnUtility | None) -> tuple[float | None, str]:
    """Return the share of a column's entropy that is left; a column of one value has none to compare with."""
    if column is None:
        return None, "-"
    if not column.entropy_before:
        return None, "one value"
    return min(column.entropy_kept, 1.0), percent(column.entropy_kept)
