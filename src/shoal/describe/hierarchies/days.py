"""Dates of a column as days since 1970, of any Arrow type or text that says dates.

Time zones are kept out. A date or time without a zone is taken as it stands: its day is the one that it
says. A time with a zone or an offset is a moment, which is on different days in different places. It has
a day only in a zone that is named.
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
    def of(cls, values: pa.Array, written: DateFormat | None = None, zone: str | None = None) -> Self:
        """Find the day of each value.

        Parameters
        ----------
        written
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
            numbers = "\nFor numbers such as 20261116 give a format, here %Y%m%d."
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


def months_of(days: IntArray) -> IntArray:
    """Return the months since January 1970 in which days are."""
    months: IntArray = days.astype("M8[D]").astype("M8[M]").astype(np.int64)
    return months
