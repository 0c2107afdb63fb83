"""Date formats: ISO 8601, or a format such as `%d.%m.%Y`, and reading text by them.

A format becomes a pattern, whose parts are named by the directives: Y or y, m or b, d, j, H or I, M, S, f, p,
z.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import InputError

BoolArray: TypeAlias = NDArray[np.bool_]
IntArray: TypeAlias = NDArray[np.int64]

_ISO = (
    r"^(?P<Y>[0-9]{4})-(?P<m>0[1-9]|1[0-2])-(?P<d>0[1-9]|[12][0-9]|3[01])"
    r"(?:[T ](?P<H>[01][0-9]|2[0-3]):(?P<M>[0-5][0-9])(?::(?P<S>[0-5][0-9]|60)(?:[.,][0-9]+)?)?"
    r"(?P<z>Z|[+-](?:0[0-9]|1[0-9]|2[0-3])(?::?[0-5][0-9])?)?)?$"
)

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    "January|February|March|April|May|June|July|August|September|October|November|December|"
    "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
)
_WEEKDAY = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Mon|Tue|Wed|Thu|Fri|Sat|Sun"

_DIRECTIVES = {
    "Y": ("Y", "[0-9]{4}"),
    "y": ("y", "[0-9]{2}"),
    "m": ("m", "1[0-2]|0[1-9]|[1-9]"),
    "b": ("b", _MONTH),
    "B": ("b", _MONTH),
    "d": ("d", "3[01]|[12][0-9]|0[1-9]|[1-9]| [1-9]"),
    "j": ("j", "36[0-6]|3[0-5][0-9]|[12][0-9][0-9]|0[1-9][0-9]|00[1-9]|[1-9][0-9]|0[1-9]|[1-9]"),
    "a": ("", _WEEKDAY),
    "A": ("", _WEEKDAY),
    "H": ("H", "2[0-3]|[01][0-9]|[0-9]"),
    "I": ("I", "1[0-2]|0[1-9]|[1-9]"),
    "p": ("p", "AM|PM"),
    "M": ("M", "[0-5][0-9]|[0-9]"),
    "S": ("S", "60|[0-5][0-9]|[0-9]"),
    "f": ("f", "[0-9]{1,9}"),
    "z": ("z", r"Z|[+-](?:0[0-9]|1[0-9]|2[0-3])(?::?[0-5][0-9])?"),
}
"""For each directive its part, if it affects the moment, and its pattern."""

_TOKEN = re.compile(r"%(.?)|\s+|[^%\s]+", re.DOTALL)
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Moments:
    """Text read as dates or times.

    Attributes
    ----------
    known
        Whether each text is a date or time; if not, all else is 0.
    seconds
        Seconds since 1970 by the stated clock, in the proleptic Gregorian calendar.
    nanoseconds
        Nanoseconds within the second. A leap second has a billion and more.
    offset
        Offset of the clock from UTC in seconds.
    zoned
        Whether each text has an offset.
    """

    known: BoolArray
    seconds: IntArray
    nanoseconds: IntArray
    offset: IntArray
    zoned: BoolArray


@dataclass(frozen=True)
class DateFormat:
    """A format of dates and times.

    Names of months and days are English. As in Python, a space matches one or more spaces, and case is
    ignored.

    Attributes
    ----------
    text
        The format, such as `%d.%m.%Y`; None means ISO 8601.

    Raises
    ------
    InputError
        With every problem of the format.

    Examples
    --------
    >>> read = DateFormat("%d.%m.%Y").read(pa.array(["16.11.2026", "31.2.2026"]))
    >>> read.seconds.astype("M8[s]").astype("M8[D]").tolist()[0], read.known.tolist()
    (datetime.date(2026, 11, 16), [True, False])
    """

    text: str | None

    def __post_init__(self) -> None:
        _ = self.pattern

    @cached_property
    def pattern(self) -> str:
        """The pattern for the format."""
        return _ISO if self.text is None else _pattern(self.text)

    @cached_property
    def parts(self) -> frozenset[str]:
        """The parts that the pattern extracts."""
        return frozenset(re.findall(r"\(\?P<(\w)>", self.pattern))

    @property
    def has_day(self) -> bool:
        """Whether dates contain the day."""
        return bool(self.parts & {"d", "j"})

    @property
    def has_month(self) -> bool:
        """Whether dates contain the month."""
        return bool(self.parts & {"m", "b", "j"})

    def times_of(self, texts: pa.Array) -> bool:
        """Return whether texts have a time of day."""
        if self.text is not None:
            return bool(self.parts & {"H", "I"})
        hours = pc.extract_regex(texts, self.pattern).field("H")
        return bool(pc.any(pc.not_equal(hours, "")).as_py())

    def read(self, texts: pa.Array) -> Moments:
        """Read texts without NULL."""
        found = pc.extract_regex(texts, self.pattern)
        known: BoolArray = found.is_valid().to_numpy(zero_copy_only=False).astype(np.bool_)
        found = found.filter(pa.array(known, pa.bool_()))
        text = {name: found.field(name) for name in self.parts}
        days, real = _days(text, len(found))
        second, nanoseconds = _second(text, len(found))
        offset, zoned = np.zeros(len(found), dtype=np.int64), np.zeros(len(found), dtype=np.bool_)
        if "z" in text:
            offset, zoned = _offset(text["z"])

        def spread(values: NDArray[np.int64]) -> IntArray:
            everywhere = np.zeros(len(known), dtype=np.int64)
            everywhere[known] = np.where(real, values, 0)
            return everywhere

        seconds = spread(days * _DAY + second)
        zoned_everywhere = spread(zoned.astype(np.int64)).astype(np.bool_)
        nanoseconds, offset = spread(nanoseconds), spread(offset)
        known[known] = real
        return Moments(known, seconds, nanoseconds, offset, zoned_everywhere)


def _pattern(text: str) -> str:
    problems, found, pieces = [], set(), []
    for token in _TOKEN.finditer(text):
        directive = token[1]
        if directive is None:
            pieces.append(r"\s+" if token[0].isspace() else re.escape(token[0]))
        elif directive == "%":
            pieces.append("%")
        elif directive == "Z":
            problems.append(
                f"Names of time zones do not determine the instant.\nFound: {text!r}.\n"
                "Read offsets, such as +01:00, with %z, or remove the zone."
            )
        elif directive not in _DIRECTIVES:
            known = ", ".join(f"%{known}" for known in _DIRECTIVES)
            problems.append(
                f"The date format {text!r} has the unknown part {token[0]!r}.\nKnown: {known}, %%."
            )
        else:
            part, form = _DIRECTIVES[directive]
            if part in found:
                problems.append(f"The date format {text!r} repeats {token[0]!r}.\nUse each part once.")
            found.update({part} - {""})
            pieces.append(f"(?P<{part}>{form})" if part else f"(?:{form})")
    if not problems:
        problems = _lacking(text, found)
    if problems:
        raise InputError(problems)
    return f"(?i)^{''.join(pieces)}$"


def _lacking(text: str, found: set[str]) -> list[str]:
    problems = []
    if not text.isascii() and any("\ud800" <= sign <= "\udfff" for sign in text):
        problems.append(f"The date format {text!r} has invalid characters.\nWrite it again.")
    if len(found & {"Y", "y"}) != 1:
        problems.append(f"The date format {text!r} must have exactly one of %Y and %y.")
    if {"m", "b"} <= found:
        problems.append(f"The date format {text!r} has the month twice.\nUse each part once.")
    if "j" in found and found & {"m", "b", "d"}:
        problems.append(f"The date format {text!r} has the day twice.\nUse %j, or month and day.")
    if "d" in found and not found & {"m", "b", "j"}:
        problems.append(f"The date format {text!r} has a day but no month.\nAdd %m or %b.")
    if found & {"H", "I", "z"} and not found & {"d", "j"}:
        problems.append(f"The date format {text!r} has a time but no day.\nAdd %d.")
    if {"H", "I"} <= found or ("I" in found) != ("p" in found):
        problems.append(f"The date format {text!r} needs %H, or both %I and %p.")
    return problems


def _days(text: dict[str, pa.Array], count: int) -> tuple[IntArray, BoolArray]:
    """Return the days since 1970 of year, month and day, and whether they exist in the calendar."""
    year = _numbers(text["Y"]) if "Y" in text else _full_year(_numbers(text["y"]))
    if "j" in text:
        days = (year - 1970).astype("M8[Y]").astype("M8[D]").astype(np.int64) + _numbers(text["j"]) - 1
        return days, days.astype("M8[D]").astype("M8[Y]").astype(np.int64) == year - 1970
    month = np.ones(count, dtype=np.int64)
    if "m" in text:
        month = _numbers(text["m"])
    elif "b" in text:
        short = pc.utf8_slice_codeunits(pc.ascii_lower(text["b"]), 0, 3)
        month = pc.index_in(short, pa.array(_MONTHS)).to_numpy(zero_copy_only=False).astype(np.int64) + 1
    day = _numbers(text["d"]) if "d" in text else np.ones(count, dtype=np.int64)
    months = (year - 1970) * 12 + month - 1
    days = months.astype("M8[M]").astype("M8[D]").astype(np.int64) + day - 1
    return days, days.astype("M8[D]").astype("M8[M]").astype(np.int64) == months


def _full_year(year: IntArray) -> IntArray:
    """Return years of two digits in full, by the rule of POSIX: 1969 to 2068."""
    return np.where(year < 69, 2000 + year, 1900 + year)


def _second(text: dict[str, pa.Array], count: int) -> tuple[IntArray, IntArray]:
    """Return the seconds since midnight and the nanoseconds. A leap second is in the minute before it."""
    hour = np.zeros(count, dtype=np.int64)
    if "H" in text:
        hour = _numbers(text["H"])
    elif "I" in text:
        afternoon = pc.equal(pc.ascii_lower(text["p"]), "pm").to_numpy(zero_copy_only=False)
        hour = _numbers(text["I"]) % 12 + 12 * afternoon.astype(np.int64)
    minute = _numbers(text["M"]) if "M" in text else 0
    second = _numbers(text["S"]) if "S" in text else np.zeros(count, dtype=np.int64)
    fraction = np.zeros(count, dtype=np.int64)
    if "f" in text:
        fraction = _numbers(pc.utf8_rpad(text["f"], 9, "0"))
    leap = second // 60
    return hour * 3600 + minute * 60 + second - leap, fraction + leap * 10**9


def _offset(text: pa.Array) -> tuple[IntArray, BoolArray]:
    """Return offsets in seconds, and which values have one."""
    digits = pc.replace_substring_regex(text, "[^0-9]", "")
    hour = _numbers(pc.utf8_slice_codeunits(digits, 0, 2))
    minute = _numbers(pc.utf8_slice_codeunits(digits, 2, 4))
    west = pc.starts_with(text, "-").to_numpy(zero_copy_only=False).astype(np.bool_)
    seconds = hour * 3600 + minute * 60
    there: BoolArray = pc.not_equal(text, "").to_numpy(zero_copy_only=False).astype(np.bool_)
    return np.where(west, -seconds, seconds), there


def _numbers(text: pa.Array) -> IntArray:
    """Return digits as numbers; empty text is 0."""
    digits = pc.if_else(pc.equal(text, ""), "0", pc.utf8_ltrim(text, " "))
    numbers: IntArray = digits.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return numbers
