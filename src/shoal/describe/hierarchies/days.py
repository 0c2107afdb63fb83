"""Dates of a column as days since 1970, from Arrow types or text.

A date or time without a zone has the day that it states. A time with a zone or an offset is a moment, whose
day depends on the time zone: it has a day only in a given zone.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Self, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.describe.hierarchy import HierarchyError, IntArray, as_text
from shoal.errors import Problem
from shoal.read.date_format import DateFormat

BoolArray: TypeAlias = NDArray[np.bool_]

_DAY = 86_400
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ARROW_ENDS = int(datetime(2037, 1, 1, tzinfo=UTC).timestamp())
_FIRST, _LAST = (int(np.datetime64(day, "D").astype(np.int64)) for day in ("0000-01-01", "9999-12-31"))


@dataclass(frozen=True, slots=True)
class Days:
    """The day of each value.

    Attributes
    ----------
    days
        Days since 1970-01-01 in the proleptic Gregorian calendar; 0 for values that are not dates.
    known
        Whether each value is a date, of the years 0000 to 9999.
    timed
        Whether values have, or may have, a time of day.
    """

    days: IntArray
    known: BoolArray
    timed: bool

    @classmethod
    def of(cls, values: pa.Array, written: DateFormat | None = None, zone: str | None = None) -> Self:
        """Find the day of each value.

        Parameters
        ----------
        written
            Format of text. Default: ISO 8601.
        zone
            Time zone for the days of moments.

        Raises
        ------
        HierarchyError
            Values of this type are not dates, or they are moments and no zone is given.

        Examples
        --------
        >>> Days.of(pa.array(["1970-01-02", "1970-02-30", "?"])).days.tolist()
        [1, 0, 0]
        >>> Days.of(pa.array(["1970-01-01T23:30Z"]), zone="Europe/Berlin").days.tolist()
        [1]
        """
        written = written or DateFormat(None)
        kind = values.type
        if pa.types.is_dictionary(kind):
            return cls.of(values.dictionary_decode(), written, zone)
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
        if not is_text and not (written.text and pa.types.is_integer(kind)):
            numbers = "\nFor numbers such as 20261116 give a format, for example %Y%m%d."
            advice = numbers if pa.types.is_integer(kind) else ""
            raise HierarchyError(f"dates need dates or text.\nFound: values of type {kind}.{advice}")
        return cls._of_text(values, written, zone)

    @classmethod
    def _of_text(cls, values: pa.Array, written: DateFormat, zone: str | None) -> Self:
        texts = pc.utf8_trim_whitespace(as_text(values))
        found = written.read(texts)
        local = _local(found.seconds - found.offset, zone, values, found.zoned)
        seconds = np.where(found.zoned, local, found.seconds)
        return cls._within(seconds // _DAY, found.known, timed=written.times_of(texts))

    @classmethod
    def _within(cls, days: IntArray, known: BoolArray, *, timed: bool) -> Self:
        known = known & (days >= _FIRST) & (days <= _LAST)
        return cls(np.where(known, days, 0), known, timed)

    def problems(self, values: pa.Array, written: str | None) -> list[Problem]:
        """Return a problem if some values are not dates in the format `written`."""
        count = int((~self.known).sum())
        if not count:
            return []
        form = f"in the format {written!r}" if written else "in the format 2026-11-16"
        found = "1 other value" if count == 1 else f"{count:,} other values"
        strange = as_text(values.filter(pa.array(~self.known, pa.bool_())))
        return [
            Problem(
                f"dates need dates of the years 0000 to 9999; as text, {form}.\nFound: {found}.\n"
                'If they are dates in another format, give it: `{dates: {format: "%d.%m.%Y"}}`.',
                tuple(strange.to_pylist()),
            )
        ]


def zone_exists(zone: str) -> bool:
    """Return whether this machine knows a time zone of this name."""
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
                f"{have} a time zone or an offset, so the day depends on the time zone.\n"
                "Set the time zone for days: `zone: Europe/Berlin`, or `zone: UTC`.",
                tuple(as_text(values.filter(pa.array(moments, pa.bool_()))).to_pylist()),
            )
        )
    # Years beyond these have no label, so their clock need not be right.
    sane = np.clip(seconds, (_FIRST - 2) * _DAY, (_LAST + 2) * _DAY)
    clock = pc.local_timestamp(pa.array(sane, pa.timestamp("s", zone))).cast(pa.int64())
    local: IntArray = clock.to_numpy(zero_copy_only=False)
    late = moments & (sane >= _ARROW_ENDS)
    if late.any() and not zone.startswith(("+", "-")):
        local = local.copy()
        local[late] = _by_rules(sane[late], zone)
    return local


def _by_rules(seconds: IntArray, zone: str) -> IntArray:
    """Return moments as seconds of the clock in a zone, whose last rule continues forever.

    Arrow knows clock changes only until 2037.
    """
    try:
        zone_info = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError):
        raise HierarchyError(
            f"some times are after 2036, and Python does not know the zone {zone!r}.\n"
            "Install the package tzdata, or remove these times."
        ) from None
    ends = np.clip(seconds, None, _LAST * _DAY)  # the limit of Python's dates
    offsets = [
        (_EPOCH + timedelta(seconds=moment)).astimezone(zone_info).utcoffset() for moment in ends.tolist()
    ]
    local: IntArray = seconds + np.array(
        [int((offset or timedelta()).total_seconds()) for offset in offsets], dtype=np.int64
    )
    return local


def months_of(days: IntArray) -> IntArray:
    """Return the months of days, counted from January 1970."""
    months: IntArray = days.astype("M8[D]").astype("M8[M]").astype(np.int64)
    return months
