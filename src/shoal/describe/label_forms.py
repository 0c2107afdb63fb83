"""Labels that tell by their form what they stand for: `[20, 30)`, `>= 80`, `20-29`, `{a, b}`, `537**`.

This is for releases whose hierarchies are not at hand. A form says less than a hierarchy: `50` is the number
itself, whether or not somebody rounded to it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from math import inf
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
_INTERVAL = re.compile(rf"([\[\](])\s*({_NUMBER})\s*(?:[,;]|\.\.|-)\s*({_NUMBER})\s*([\[\])])")
_SPAN = re.compile(rf"({_NUMBER})\s*(?:-|\.\.)\s*({_NUMBER})")
_BOUND = re.compile(rf"(<=|>=|<|>|≤|≥)\s*({_NUMBER})")
_FROM = re.compile(rf"({_NUMBER})\s*\+")
_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}[^,]*"
_DATES = re.compile(rf"\[({_DATE}), ({_DATE})\]")
_CALENDAR = re.compile("[0-9]{4}(-([0-9]{2}|Q[1-4]|W[0-9]{2}))?")
_DECADE = re.compile(r"([0-9]{3}0)s")
_SET = re.compile(r"\{(.*)\}", re.DOTALL)
_NOT_ALL = re.compile(r" and [0-9,]+ more$|\.\.\.")
_STARS = re.compile(r"\*+")


NULL_IN_SETS = "NULL"
"""How sets list NULL: `{1, NULL}`."""


class Range(NamedTuple):
    """Numbers from `low` to `high`, and which of the two belong to it."""

    low: float
    high: float
    with_low: bool = True
    with_high: bool = True

    @property
    def middle(self) -> float:
        """The number halfway between the ends; the end that there is where one is open."""
        if self.low == -inf:
            return self.high
        return self.low if self.high == inf else (self.low + self.high) / 2

    def positions(self, numbers: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the positions of numbers that are in it."""
        above = numbers >= self.low if self.with_low else numbers > self.low
        below = numbers <= self.high if self.with_high else numbers < self.high
        return np.flatnonzero(above & below)


def read_range(label: str) -> Range | None:
    """Return the numbers that a label stands for, if it has the form of a range.

    Examples
    --------
    >>> read_range("[20, 30)")
    Range(low=20.0, high=30.0, with_low=True, with_high=False)
    >>> read_range(">= 80").middle, read_range("20-29").middle, read_range("1990s").high
    (80.0, 24.5, 2000.0)
    >>> read_range("Bachelors") is None
    True
    """
    label = label.strip()
    span: Range | None = None
    if found := _INTERVAL.fullmatch(label):
        opens, low, high, closes = found.groups()
        span = Range(float(low), float(high), opens == "[", closes == "]")
    elif found := _SPAN.fullmatch(label):
        span = Range(float(found[1]), float(found[2]))
    elif found := _BOUND.fullmatch(label):
        sign, number = found[1], float(found[2])
        closed = sign in ("<=", ">=", "≤", "≥")
        below = sign in ("<", "<=", "≤")
        span = Range(-inf, number, with_high=closed) if below else Range(number, inf, with_low=closed)
    elif found := _FROM.fullmatch(label):
        span = Range(float(found[1]), inf)
    elif found := _DECADE.fullmatch(label):
        span = Range(float(found[1]), float(found[1]) + 10, with_high=False)
    # Where the ends are the wrong way round it is something else, such as the month 1990-05.
    return span if span is not None and span.low <= span.high else None


def read_dates(label: str) -> tuple[str, str] | None:
    """Return the first and the last of the dates that a label stands for, if it has the form of their range.

    Examples
    --------
    >>> read_dates("[1990-05-01, 1991-02-28]"), read_dates("[1990, 1991]")
    (('1990-05-01', '1991-02-28'), None)
    """
    found = _DATES.fullmatch(label.strip())
    return None if found is None else (found[1], found[2])


def is_calendar(label: str) -> bool:
    """Return whether a label has the form of a year, or of a month, quarter or week of one.

    Examples
    --------
    >>> [is_calendar(label) for label in ("1990", "1990-05", "1990-Q2", "1990-W18", "1990-05-01")]
    [True, True, True, True, False]
    """
    return _CALENDAR.fullmatch(label) is not None


def read_set(label: str, known: Collection[str] = ()) -> tuple[str, ...] | None:
    """Return the values that a label lists, if it lists them all.

    Parameters
    ----------
    known
        The values that there may be, if some have commas. The label is then read as a list of these, in the
        only way in which that is possible.

    Examples
    --------
    >>> read_set("{clerk, cook}"), read_set("{clerk, cook and 3 more}"), read_set("clerk")
    (('clerk', 'cook'), None, None)
    >>> read_set("{nurse, night, cook}", {"cook", "nurse, day", "nurse, night"})
    ('nurse, night', 'cook')
    >>> read_set("{nurse, night}", {"night", "nurse", "nurse, night"}) is None
    True
    """
    found = _SET.fullmatch(label.strip())
    if found is None or _NOT_ALL.search(found[1]):
        return None
    if known:
        return _members(found[1].split(", "), known)
    return tuple(part.strip() for part in found[1].split(","))


def _members(parts: list[str], known: Collection[str]) -> tuple[str, ...] | None:
    """Return the known values that some parts are put together from, if only one list of them fits."""
    longest = max(value.count(", ") for value in known) + 1
    ways = [1] + [0] * len(parts)
    begins = [0] * len(ways)
    for end in range(1, len(ways)):
        for start in range(max(0, end - longest), end):
            if ways[start] and ", ".join(parts[start:end]) in known:
                ways[end] = min(ways[end] + ways[start], 2)
                begins[end] = start
    if ways[-1] != 1:
        return None
    members, end = [], len(parts)
    while end:
        members.append(", ".join(parts[begins[end] : end]))
        end = begins[end]
    return tuple(reversed(members))


def is_everything(label: str | None) -> bool:
    """Return whether a label says nothing: `*`, or stars alone."""
    return label is not None and _STARS.fullmatch(label) is not None


def is_mask(label: str) -> bool:
    """Return whether a label has stars in place of characters, and others that it keeps."""
    return "*" in label and not is_everything(label)


def read_mask(label: str, texts: pa.Array) -> NDArray[np.intp]:
    """Return the positions of the texts that a mask may have been.

    A star stands for one character, at either end also for none: codes may be shorter than others. A single
    one there stands for any number of them.

    Examples
    --------
    >>> read_mask("537**", pa.array(["53715", "5371", "53", "54715"])).tolist()
    [0, 1]
    >>> read_mask("53*", pa.array(["53715", "5371", "53", "54715"])).tolist()
    [0, 1, 2]
    """
    kept = label.strip("*")
    before = len(label) - len(label.lstrip("*"))
    after = len(label) - len(label.rstrip("*"))
    inner = ".".join(re.escape(part) for part in kept.split("*"))
    pattern = rf"(?s)^{_any_of(before)}{inner}{_any_of(after)}$"
    found: NDArray[np.bool_] = pc.match_substring_regex(texts, pattern).to_numpy(zero_copy_only=False)
    return np.flatnonzero(found)


def _any_of(stars: int) -> str:
    return ".*" if stars == 1 else f".{{0,{stars}}}"
