"""Numbers in intervals, wider at each level.

The arithmetic is exact: values and widths are turned into whole numbers of the smallest decimal place that
occurs, so that 0.3 is in `[0.3, 0.4)` although the binary number nearest to it is smaller.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Any, Self, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.describe.hierarchy import ANYTHING, HierarchyError, Levels, as_text
from shoal.errors import InputError, Problem

Number: TypeAlias = int | float | Decimal

_NUMBER = r"^[+-]?([0-9]{1,400}\.?[0-9]{0,400}|\.[0-9]{1,400})([eE][+-]?[0-9]{1,3})?$"
_SHORT_INTEGER = r"^-?[0-9]{1,18}$"
_SAFE = 2**61  # sums of a value and a width below it stay within 64 bits
_EXAMPLE = "For example: intervals(5, 10, 20)."


@dataclass(frozen=True, slots=True)
class Intervals:
    """Level i has the half-open intervals `[origin + n * width, origin + (n + 1) * width)` of the i-th width.

    Each width is a multiple of the one before, which makes the levels nested. The last level is `*`.
    """

    widths: tuple[Number, ...]
    origin: Number = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "widths", tuple(self.widths))
        problems = []
        if not self.widths:
            problems.append(f"intervals needs at least one width.\n{_EXAMPLE}")
        for width in self.widths:
            if not _is_number(width) or width <= 0:
                problems.append(f"Width {width!r} of intervals is not a positive number.\n{_EXAMPLE}")
        if not problems:
            exact = [Fraction(str(width)) for width in self.widths]
            problems.extend(
                f"Width {self.widths[i + 1]} of intervals is not a multiple of the one before, "
                f"{self.widths[i]}.\n{_EXAMPLE}"
                for i in range(len(exact) - 1)
                if (exact[i + 1] / exact[i]).denominator != 1
            )
        if not _is_number(self.origin):
            problems.append(f"Origin {self.origin!r} of intervals is not a number.")
        if problems:
            raise InputError(problems)

    def levels(self, values: pa.Array) -> Levels:
        parameters = [Decimal(str(number)) for number in (self.origin, *self.widths)]
        numbers, places = _whole_numbers(values, min_places=max(map(_places, parameters)))
        origin, *widths = (_shift(number, places) for number in parameters)
        if numbers.dtype != object and max(abs(origin), *widths) >= _SAFE:
            numbers = numbers.astype(object)
        labels = []
        for width in widths:
            lows, codes = np.unique((numbers - origin) // width, return_inverse=True)
            texts = [
                f"[{_plain(origin + low * width, places)}, {_plain(origin + (low + 1) * width, places)})"
                for low in lows.tolist()
            ]
            labels.append(pa.array(texts, pa.string()).take(pa.array(codes)))
        return Levels.of(values, [*labels, pa.repeat(ANYTHING, len(values))])

    def to_spec(self) -> object:
        widths = [_plain_number(width) for width in self.widths]
        if self.origin == 0:
            return {"intervals": widths}
        return {"intervals": {"widths": widths, "origin": _plain_number(self.origin)}}

    @classmethod
    def from_spec(cls, argument: object, folder: Path) -> Self:
        origin: Any = 0
        if isinstance(argument, Mapping):
            if unknown := set(argument) - {"widths", "origin"}:
                raise InputError(
                    f"Unknown for intervals: {', '.join(sorted(map(str, unknown)))}.\nKnown: widths, origin."
                )
            origin = argument.get("origin", 0)
            argument = argument.get("widths")
        if argument is None:
            return cls((), origin)
        widths: Any = argument if isinstance(argument, list | tuple) else (argument,)
        return cls(tuple(widths), origin)

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls(tuple(_parse(part.strip()) for part in text.split(",")) if text.strip() else ())


def intervals(*widths: Number, origin: Number = 0) -> Intervals:
    """Put numbers into intervals, wider at each level.

    Parameters
    ----------
    *widths
        The width of each level. Each is a multiple of the one before.
    origin
        A number at which intervals begin.

    Examples
    --------
    >>> levels = intervals(5, 10, 20).levels(pa.array([34, -3]))
    >>> [labels[0].as_py() for labels in levels.labels]
    [34, '[30, 35)', '[30, 40)', '[20, 40)', '*']
    >>> levels.labels[1][1].as_py()
    '[-5, 0)'
    """
    return Intervals(widths, origin)


def _whole_numbers(values: pa.Array, min_places: int) -> tuple[NDArray[Any], int]:
    """Return values times 10**places, as whole numbers, and the number of decimal places."""
    if min_places == 0 and (integers := _integers(values)) is not None:
        return integers, 0
    if pa.types.is_floating(values.type):
        values = values.cast(pa.float64())
    if pa.types.is_boolean(values.type) or pa.types.is_temporal(values.type):
        raise HierarchyError(f"intervals need numbers.\nFound: values of type {values.type}.")
    text = pc.utf8_trim_whitespace(as_text(values))
    numeric = pc.match_substring_regex(text, _NUMBER)
    if (good := pc.sum(numeric).as_py() or 0) < len(values):
        count = len(values) - good
        found = "1 value that is not a number" if count == 1 else f"{count:,} values that are not numbers"
        raise HierarchyError(
            Problem(
                f"intervals need numbers.\nFound: {found}.",
                tuple(as_text(values.filter(pc.invert(numeric))).to_pylist()),
            )
        )
    decimals = [Decimal(number) for number in text.to_pylist()]
    places = max((_places(number) for number in decimals), default=0)
    places = max(places, min_places)
    whole = [_shift(number, places) for number in decimals]
    fits = all(-_SAFE < number < _SAFE for number in whole)
    return np.array(whole, dtype=np.int64 if fits else object), places


def _integers(values: pa.Array) -> NDArray[np.int64] | None:
    """Return values as 64-bit integers where they safely are, without a loop over them."""
    if pa.types.is_string(values.type):
        if not (pc.all(pc.match_substring_regex(values, _SHORT_INTEGER)).as_py() and len(values)):
            return None
    elif not pa.types.is_integer(values.type) or pa.types.is_uint64(values.type):
        return None
    integers: NDArray[np.int64] = values.cast(pa.int64()).to_numpy(zero_copy_only=False)
    safe = len(integers) == 0 or (integers.min() > -_SAFE and integers.max() < _SAFE)
    return integers if safe else None


def _places(number: Decimal) -> int:
    """Count the decimal places that a number needs."""
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    return max(-exponent, 0)


def _shift(number: Decimal, places: int) -> int:
    """Return number * 10**places, which is whole. Contexts would round: the digits are put together."""
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    whole: int = int("".join(map(str, digits))) * 10 ** (exponent + places)
    return -whole if sign else whole


def _plain(whole: int, places: int) -> str:
    """Write whole / 10**places without an exponent and without needless zeros."""
    if places == 0:
        return str(whole)
    digits = str(abs(whole)).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}".rstrip("0").rstrip(".")
    return f"-{text}" if whole < 0 else text


def _plain_number(number: Number) -> int | float:
    return int(number) if number == int(number) else float(number)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool) and isfinite(value)


def _parse(text: str) -> Any:
    """Return a number, or the text itself for the constructor to complain about."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
