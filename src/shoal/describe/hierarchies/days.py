"""Dates of a column as days since 1970, of any Arrow type or text that says dates.

Time zones are kept out. A date or time without a zone is taken as it stands: its day is the one that it
says. A time with a zone or an offset is a moment, which is on different days in different places. It has
a day only in a zone that is named.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Self, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.describe.hierarchies.date_format import ISO, MONTHS, parts
from shoal.describe.hierarchy import HierarchyError, IntArray, as_text
from shoal.errors import Problem

BoolArray: TypeAlias = NDArray[np.bool_]

_DAY = 86_400
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ARROW_ENDS = int(datetime(2037, 1, 1, tzinfo=UTC).timestamp())
_FIRST, _LAST = (int(np.datetime64(day, "D").astype(np.int64)) for day in ("0000-01-01", "9999-12-31"))


@dataclass(frozen=True, slots=True)
class Days:
    """For each value its day.

    Attributes
    ----------
    days
        Days since 1970-01-01, by the calendar of today at all times; 0 where a value is not a date.
    known
        Whether each value is a date, of the years 0000 to 9999.
    timed
        Whether values have a time of day, or may have.
    """

    days: IntArray
    known: BoolArray
    timed: bool

    @classmethod
    def of(cls, values: pa.Array, pattern: str | None = None, zone: str | None = None) -> Self:
        """Find the day of each value.

        Parameters
        ----------
        pattern
            How text is written, ISO 8601 if not given.
        zone
            Where moments become days.

        Raises
        ------
        HierarchyError
            Values of this type are no dates, or they are moments and no zone is given.

        Examples
        --------
        >>> Days.of(pa.array(["1970-01-02", "1970-02-30", "?"])).days.tolist()
        [1, 0, 0]
        >>> Days.of(pa.array(["1970-01-01T23:30Z"]), zone="Europe/Berlin").days.tolist()
        [1]
        """
        kind = values.type
        if pa.types.is_dictionary(kind):
            return cls.of(values.dictionary_decode(), pattern, zone)
        if pa.types.is_date(kind):
            days = values.cast(pa.date32(), safe=False).cast(pa.int32()).to_numpy().astype(np.int64)
            return cls._within(days, np.ones(len(days), dtype=np.bool_), timed=False)
        if pa.types.is_timestamp(kind):
            whole = values.cast(pa.int64()).to_numpy(zero_copy_only=False)
            seconds = whole // _PER_SECOND[kind.unit]
            known = np.ones(len(seconds), dtype=np.bool_)
            if kind.tz is not None:
                seconds = _local(seconds, zone, values, known)
            return cls._within(seconds // _DAY, known, timed=True)
        is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind)
        if not is_text and not (pattern and pa.types.is_integer(kind)):
            numbers = "\nFor numbers such as 20261116 give a format, here %Y%m%d."
            advice = numbers if pa.types.is_integer(kind) else ""
            raise HierarchyError(f"dates need dates or text.\nFound: values of type {kind}.{advice}")
        return cls._of_text(values, pattern or ISO, zone)

    @classmethod
    def _of_text(cls, values: pa.Array, pattern: str, zone: str | None) -> Self:
        found = pc.extract_regex(pc.utf8_trim_whitespace(as_text(values)), pattern)
        named = parts(pattern)
        known: BoolArray = found.is_valid().to_numpy(zero_copy_only=False).astype(np.bool_)
        found = found.filter(pa.array(known, pa.bool_()))
        text = {name: found.field(name) for name in named}
        days, real = _calendar_days(text, len(found))
        seconds = days * _DAY + _time_of_day(text, len(found))
        timed = bool(text.keys() & {"H", "I"}) and (pattern != ISO or _any_filled(text["H"]))
        if "z" in text:
            offset, moment = _offset(text["z"])
            chosen = values.filter(pa.array(known, pa.bool_()))
            seconds = np.where(moment, _local(seconds - offset, zone, chosen, moment & real), seconds)
        at, there = np.zeros(len(values), dtype=np.int64), known.copy()
        at[known], there[known] = seconds // _DAY, real
        return cls._within(at, there, timed=timed)

    @classmethod
    def _within(cls, days: IntArray, known: BoolArray, *, timed: bool) -> Self:
        known = known & (days >= _FIRST) & (days <= _LAST)
        return cls(np.where(known, days, 0), known, timed)

    def problems(self, values: pa.Array, written: str | None) -> list[Problem]:
        """Tell of the values that are not dates; `written` is the format that they should have."""
        count = int((~self.known).sum())
        if not count:
            return []
        form = f"written as {written!r}" if written else "written as 2026-11-16"
        found = "1 value that is none" if count == 1 else f"{count:,} values that are none"
        strange = as_text(values.filter(pa.array(~self.known, pa.bool_())))
        return [
            Problem(
                f"dates need dates of the years 0000 to 9999; as text, {form}.\nFound: {found}.\n"
                'If they are dates in another form, give it: `{dates: {format: "%d.%m.%Y"}}`.',
                tuple(strange.to_pylist()),
            )
        ]


def zone_exists(zone: str) -> bool:
    """Tell whether a zone is known by this name on this machine."""
    try:
        pc.local_timestamp(pa.array([0], pa.timestamp("s", zone)))
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        return False
    return bool(zone)


def _local(seconds: IntArray, zone: str | None, values: pa.Array, moments: BoolArray) -> IntArray:
    """Return moments as seconds of the clock in a zone."""
    count = int(moments.sum())
    if not count:
        return seconds
    if zone is None:
        have = "1 value has" if count == 1 else f"{count:,} values have"
        raise HierarchyError(
            Problem(
                f"{have} a time zone or an offset, so that the day depends on the place.\n"
                "Name the zone in which days are meant: `zone: Europe/Berlin`, or `zone: UTC`.",
                tuple(as_text(values.filter(pa.array(moments, pa.bool_()))).to_pylist()),
            )
        )
    # Years beyond these have no label; that far from them the clock need not be right.
    sane = np.clip(seconds, (_FIRST - 2) * _DAY, (_LAST + 2) * _DAY)
    clock = pc.local_timestamp(pa.array(sane, pa.timestamp("s", zone))).cast(pa.int64())
    local: IntArray = clock.to_numpy(zero_copy_only=False)
    late = moments & (sane >= _ARROW_ENDS)
    if late.any() and not zone.startswith(("+", "-")):
        local = local.copy()
        local[late] = _by_rules(sane[late], zone)
    return local


def _by_rules(seconds: IntArray, zone: str) -> IntArray:
    """Return moments as seconds of the clock in a zone, whose last rule goes on for ever.

    Arrow knows the changes of the clock until 2037 only.
    """
    try:
        place = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError):
        raise HierarchyError(
            f"there are times after 2036, and Python does not know the zone {zone!r}.\n"
            "Install the package tzdata, or leave these times out."
        ) from None
    ends = np.clip(seconds, None, _LAST * _DAY)  # what Python's dates can do
    offsets = [(_EPOCH + timedelta(seconds=moment)).astimezone(place).utcoffset() for moment in ends.tolist()]
    local: IntArray = seconds + np.array(
        [int((offset or timedelta()).total_seconds()) for offset in offsets], dtype=np.int64
    )
    return local


def _calendar_days(text: dict[str, pa.Array], count: int) -> tuple[IntArray, BoolArray]:
    """Return the days of year, month and day, and whether there are such days."""
    year = _numbers(text["Y"]) if "Y" in text else _full_year(_numbers(text["y"]))
    month = np.ones(count, dtype=np.int64)
    if "m" in text:
        month = _numbers(text["m"])
    elif "b" in text:
        short = pc.utf8_slice_codeunits(pc.ascii_lower(text["b"]), 0, 3)
        month = pc.index_in(short, pa.array(MONTHS)).to_numpy(zero_copy_only=False).astype(np.int64) + 1
    day = _numbers(text["d"]) if "d" in text else np.ones(count, dtype=np.int64)
    months = (year - 1970) * 12 + month - 1
    days = months.astype("M8[M]").astype("M8[D]").astype(np.int64) + day - 1
    return days, months_of(days) == months


def months_of(days: IntArray) -> IntArray:
    """Return the months since January 1970 in which days are."""
    months: IntArray = days.astype("M8[D]").astype("M8[M]").astype(np.int64)
    return months


def _full_year(year: IntArray) -> IntArray:
    """Return years of two digits in full, as POSIX has it: 1969 to 2068."""
    return np.where(year < 69, 2000 + year, 1900 + year)


def _time_of_day(text: dict[str, pa.Array], count: int) -> IntArray:
    """Return the seconds since midnight. A leap second is in the minute before it."""
    hour = np.zeros(count, dtype=np.int64)
    if "H" in text:
        hour = _numbers(text["H"])
    elif "I" in text:
        afternoon = pc.equal(pc.ascii_lower(text["p"]), "pm").to_numpy(zero_copy_only=False)
        hour = _numbers(text["I"]) % 12 + 12 * afternoon.astype(np.int64)
    minute = _numbers(text["M"]) if "M" in text else 0
    second = np.minimum(_numbers(text["S"]), 59) if "S" in text else 0
    return hour * 3600 + minute * 60 + second


def _offset(text: pa.Array) -> tuple[IntArray, BoolArray]:
    """Return offsets in seconds, and which values have one."""
    digits = pc.replace_substring_regex(text, "[^0-9]", "")
    hour = _numbers(pc.utf8_slice_codeunits(digits, 0, 2))
    minute = _numbers(pc.utf8_slice_codeunits(digits, 2, 4))
    west = pc.starts_with(text, "-").to_numpy(zero_copy_only=False).astype(np.bool_)
    seconds = hour * 3600 + minute * 60
    there: Any = pc.not_equal(text, "").to_numpy(zero_copy_only=False)
    return np.where(west, -seconds, seconds), there.astype(np.bool_)


def _any_filled(text: pa.Array) -> bool:
    return bool(pc.any(pc.not_equal(text, "")).as_py())


def _numbers(text: pa.Array) -> IntArray:
    """Return digits as numbers; what is not said is 0."""
    digits = pc.if_else(pc.equal(text, ""), "0", text)
    numbers: IntArray = digits.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return numbers
