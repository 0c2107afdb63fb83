"""A hierarchy for a quasi-identifier, chosen by the kind and number of its values."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from math import floor, log10
from typing import Final

from shoal.suggestions.concepts import Concept
from shoal.suggestions.kinds import Kind
from shoal.suggestions.profile import ColumnProfile

RARE: Final = 20
"""Rows that a category needs before a spec may name it: a rare value would reveal those who have it."""

_FEW = 5
_INTERVALS = 16
_LONGEST_CODE = 12
_SKEW = 4
_OLDEST = 90
_KEPT = (20, 10, 5, 2)


@dataclass(frozen=True, slots=True)
class HierarchyProposal:
    """A hierarchy as in a spec, with a note on it.

    Attributes
    ----------
    written
        The value of `hierarchy:`.
    height
        Number of levels above the values.
    remark
        A note for readers of the spec.
    """

    written: object
    height: int
    remark: str = ""


SUPPRESS: Final = HierarchyProposal("suppress", 1)


def propose_hierarchy(
    column: ColumnProfile, about: Concept | None, categories: tuple[str, ...] = ()
) -> HierarchyProposal:
    """Propose a hierarchy.

    Parameters
    ----------
    about
        The concept that the column's name matched.
    categories
        Its values in order, if they have an order and the spec may name them.

    Examples
    --------
    >>> from shoal.suggestions.profile import profile
    >>> import pyarrow as pa
    >>> people = profile(pa.table({"age": range(18, 80), "zip": ["01234", "53711"] * 31}))
    >>> propose_hierarchy(people["age"], None).written
    {'intervals': [5, 10, 20, 40]}
    """
    hint = about.hint if about else None
    if column.distinct <= 2 or column.kind is Kind.BOOLEAN:
        return SUPPRESS
    if column.kind in (Kind.DATE, Kind.TIMESTAMP):
        return _dates(column, about)
    if _is_code(column, hint):
        return _code(column)
    if column.kind in (Kind.INTEGER, Kind.DECIMAL):
        return _numbers(column, hint)
    if categories:
        return _order(categories)
    return _categories(column)


def _dates(column: ColumnProfile, about: Concept | None) -> HierarchyProposal:
    long_ago = about is not None and about.what == "when somebody was born"
    levels = ["month", "year", "decade"] if long_ago else ["month", "quarter", "year"]
    if column.format == "%Y-%m":
        levels = levels[1:]
    elif column.kind is Kind.TIMESTAMP:
        levels = ["day", *levels]
    remark = ""
    if column.other_format:
        remark = f"Dates fit {column.format} and {column.other_format}: check which is right."
    settings: dict[str, object] = {"levels": levels}
    if column.format not in (None, "%Y-%m-%d"):
        settings["format"] = column.format
    if column.zoned:
        settings["zone"] = "UTC"
        remark = "Times become days in UTC: set the time zone in which the people live."
    return HierarchyProposal({"dates": settings if len(settings) > 1 else levels}, len(levels) + 1, remark)


def _is_code(column: ColumnProfile, hint: str | None) -> bool:
    if column.longest > _LONGEST_CODE:
        return False
    postcodes = column.pattern is not None and column.pattern.what == "postcodes"
    digits = column.leading_zeros and column.shortest == column.longest
    return hint == "code" or postcodes or digits


def _code(column: ColumnProfile) -> HierarchyProposal:
    length = column.longest
    if column.kind is Kind.INTEGER and column.shortest < length:
        keep = list(range(length - 1, 0, -1))
        written = {"mask": {"keep": keep, "pad": length}}
        return HierarchyProposal(written, length, "Shorter values are assumed to have lost leading zeros.")
    return HierarchyProposal({"prefix": length}, length)


def _numbers(column: ColumnProfile, hint: str | None) -> HierarchyProposal:
    if hint == "coordinate":
        return HierarchyProposal({"intervals": [0.01, 0.1, 1, 10]}, 5)
    if not column.quantiles:
        return SUPPRESS
    least, low, _, middle, _, high, most = column.quantiles
    if hint == "age" and most - least > 10:
        return _ages(least, most)
    if column.distinct > _INTERVALS and high - middle > _SKEW * (middle - low):
        groups = [number for number in (16, 8, 4, 2) if number * 2 <= column.distinct]
        return HierarchyProposal({"quantiles": groups}, len(groups) + 1, "Groups of about equal size.")
    spread = high - low or most - least
    first = _nice(spread / _INTERVALS)
    if column.kind is Kind.INTEGER:
        first = max(first, Decimal(2))
    widths = [first * times for times in (1, 2, 4, 8) if first * times < spread]
    if not widths:
        return SUPPRESS
    return HierarchyProposal({"intervals": [_plain(width) for width in widths]}, len(widths) + 1)


def _ages(youngest: float, oldest: float) -> HierarchyProposal:
    widths = [width for width in (5, 10, 20, 40) if width < oldest - youngest]
    if oldest < _OLDEST:
        return HierarchyProposal({"intervals": widths}, len(widths) + 1)
    written = {"intervals": {"widths": widths, "top": _OLDEST}}
    return HierarchyProposal(written, len(widths) + 1, "Ages of 90 and more are one group, as in HIPAA (C).")


def _order(categories: tuple[str, ...]) -> HierarchyProposal:
    runs = [length for length in (2, 4, 8) if length < len(categories)]
    written = {"order": {"values": list(categories), "runs": runs}}
    return HierarchyProposal(written, len(runs) + 1, "Neighbours are merged: check their order.")


def _categories(column: ColumnProfile) -> HierarchyProposal:
    if column.distinct <= _FEW:
        return SUPPRESS
    kept = [number for number in _KEPT if number <= 0.8 * column.distinct]
    remark = "The most frequent values stay, the rest becomes `other`; a `taxonomy` of your own keeps more."
    return HierarchyProposal({"priority": kept}, len(kept) + 1, remark)


def _nice(width: float) -> Decimal:
    """Return the next larger of 1, 2 and 5 times a power of ten.

    Examples
    --------
    >>> [str(_nice(width)) for width in (4.4, 0.03, 1, 700)]
    ['5', '0.05', '1', '1000']
    """
    power = Decimal(10) ** floor(log10(width)) if width > 0 else Decimal(1)
    return next(power * step for step in (1, 2, 5, 10) if power * step >= Decimal(width) * Decimal("0.999"))


def _plain(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else float(number)
