"""Ranges of numbers or dates from a file.

Other tools list ranges where Shoal has rules. A range includes its ends, `lo <= value <= hi`, except an end
at which the next range begins: such a value belongs to the next range, and the label shows it.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.describe.hierarchies.exact_numbers import ExactNumbers, texts
from shoal.describe.hierarchy import HierarchyError, Levels, as_text
from shoal.errors import Problem

Kind: TypeAlias = Literal["number", "date"]

NUMBER = r"[0-9]{1,300}(?:\.[0-9]{0,300})?(?:[eE][+-]?[0-9]{1,3})?"
_NUMBER = re.compile(rf"\s*[+-]?(?:{NUMBER}|\.[0-9]{{1,300}})\s*")
_DAY = re.compile(
    r"\s*(?:([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})|([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ].*)?)\s*"
)


@dataclass(frozen=True, slots=True)
class ValueRange:
    """A range from `low` to `high`, including `high` unless it is `half_open`; None means no bound.

    Dates are day numbers as of `date.toordinal`.
    """

    low: Decimal | None
    high: Decimal | None
    half_open: bool = False

    def label(self, kind: Kind) -> str:
        """Return its label.

        Examples
        --------
        >>> ValueRange(Decimal(0), Decimal("2.50"), half_open=True).label("number")
        '[0, 2.5)'
        >>> ValueRange(Decimal(730120), Decimal(730485)).label("date")
        '[2000-01-01, 2000-12-31]'
        """
        low, high = (None if end is None else _plain(end, kind) for end in (self.low, self.high))
        if low is None or high is None:
            below = f"{'<' if self.half_open else '<='} {high}"
            return "*" if low is high else (below if low is None else f">= {low}")
        return f"[{low}, {high}{')' if self.half_open else ']'}"


@dataclass(frozen=True, slots=True)
class Ranges:
    """Ranges that do not overlap, each with its labels.

    Attributes
    ----------
    ranges
        In ascending order.
    labels
        For each range its labels from level 1 up.
    alone
        The text of values that are not numbers or dates, with their labels.
    where
        Its name in messages, such as `the hierarchy 'age.txt'`.
    """

    ranges: tuple[ValueRange, ...]
    labels: tuple[tuple[str, ...], ...]
    kind: Kind
    where: str
    alone: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def knows(self, values: pa.Array) -> pa.BooleanArray:
        return pa.array(self._rows(values) >= 0, pa.bool_())

    def levels(self, values: pa.Array) -> Levels:
        rows = self._rows(values)
        strange = rows < 0
        if count := int(strange.sum()):
            are = "1 value is" if count == 1 else f"{count:,} values are"
            raise HierarchyError(
                Problem(
                    f"{are} in none of the ranges of {self.where}.\nAdd ranges for them.",
                    texts(values, strange),
                )
            )
        columns = zip(*self.labels, *self.alone.values(), strict=True)
        indices = pa.array(rows)
        levels = Levels.of(values, [pa.array(column, pa.string()).take(indices) for column in columns])
        return replace(levels, notes=self.notes)

    def whole(self) -> Levels:
        """Return the ranges with their labels, as if they were values."""
        rows = [*self.labels, *((code, *labels) for code, labels in self.alone.items())]
        height = max(map(len, rows))
        rows = list(dict.fromkeys((row[0],) * (height - len(row)) + row for row in rows))
        columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
        return replace(Levels.of(columns[0], columns[1:]), notes=self.notes)

    def _rows(self, values: pa.Array) -> NDArray[np.int64]:
        """Return for each value its index among the ranges followed by the single values, or -1."""
        numbers = self._numbers(values)
        starts = [each.low for each in self.ranges if each.low is not None]
        first = len(self.ranges) - len(starts)  # the first range may have no start
        rows = np.searchsorted(numbers.array(starts), numbers.whole, side="right")
        rows = rows.astype(np.int64) - 1 + first
        ends = numbers.array(each.high or Decimal(0) for each in self.ranges)
        beyond = ~numbers.known | (rows < 0)
        if len(ends):
            half_open = np.array([each.half_open for each in self.ranges])[rows]
            endless = np.array([each.high is None for each in self.ranges])[rows]
            above = (numbers.whole > ends[rows]) | (half_open & (numbers.whole == ends[rows]))
            beyond |= above.astype(np.bool_) & ~endless
        rows[beyond] = -1
        if self.alone:
            found = pc.index_in(as_text(values), pa.array(list(self.alone), pa.string()))
            alone = found.fill_null(-1).to_numpy(zero_copy_only=False)
            rows = np.where(alone >= 0, len(self.ranges) + alone, rows)
        return rows

    def _numbers(self, values: pa.Array) -> ExactNumbers:
        need = f"{self.where} needs"
        if self.kind == "number":
            ends = (end for each in self.ranges for end in (each.low, each.high) if end is not None)
            return ExactNumbers.of(values, need, ends)
        if pa.types.is_timestamp(values.type) and values.type.tz is not None:
            raise HierarchyError(
                f"{self.where} has ranges of days, but the day of a time with a zone depends on the zone.\n"
                "Turn the column into dates."
            )
        days = [day_from(text) for text in as_text(values).to_pylist()]
        whole = np.array([0 if day is None else int(day) for day in days], dtype=np.int64)
        return ExactNumbers(whole, np.array([day is not None for day in days], dtype=np.bool_), 0)


def number_from(text: str) -> Decimal | None:
    """Return the number in a text, or None.

    Examples
    --------
    >>> number_from("1.50"), number_from("?")
    (Decimal('1.50'), None)
    """
    return Decimal(text.strip()) if _NUMBER.fullmatch(text) else None


def day_from(text: str) -> Decimal | None:
    """Return the day of `2026-01-31`, of `31/01/2026`, or of a time after the former; otherwise None.

    Examples
    --------
    >>> day_from("2000-01-01") == day_from("1/1/2000") == day_from("2000-01-01 10:30:00") == Decimal(730120)
    True
    """
    found = _DAY.fullmatch(text)
    if found is None:
        return None
    day, month, year = found.group(1, 2, 3) if found[1] else found.group(6, 5, 4)
    try:
        return Decimal(date(int(year), int(month), int(day)).toordinal())
    except ValueError:
        return None


def last_day(year: int, month: int) -> int:
    """Return the number of days of a month."""
    return calendar.monthrange(year, month)[1]


def _plain(end: Decimal, kind: Kind) -> str:
    if kind == "date":
        return datetime.fromordinal(int(end)).date().isoformat()
    text = f"{end:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def joined(ranges: Sequence[ValueRange]) -> list[ValueRange | None]:
    """Return sorted ranges, half-open where the next range begins at their end.

    A range that overlaps the next one becomes None.

    Examples
    --------
    >>> ends = [(Decimal(0), Decimal(10)), (Decimal(10), Decimal(20)), (Decimal(15), None)]
    >>> [each and each.label("number") for each in joined([ValueRange(*pair) for pair in ends])]
    ['[0, 10)', None, '>= 15']
    """
    result: list[ValueRange | None] = []
    for index, each in enumerate(ranges):
        following = ranges[index + 1] if index + 1 < len(ranges) else None
        if following is None or (
            each.high is not None and following.low is not None and each.high < following.low
        ):
            result.append(each)
        elif each.high is not None and each.high == following.low and each.low != each.high:
            result.append(ValueRange(each.low, each.high, half_open=True))
        else:
            result.append(None)
    return result
