"""Numbers of a column as scaled integers, so that arithmetic on them is exact.

The unit is the smallest decimal that occurs among values and parameters: 0.3 is in `[0.3, 0.4)` although the
binary number nearest to it is smaller.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from numbers import Integral
from typing import Any, Self, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.describe.hierarchy import HierarchyError, as_text
from shoal.errors import Problem

Number: TypeAlias = int | float | Decimal
BoolArray: TypeAlias = NDArray[np.bool_]

_NUMBER = r"^[+-]?([0-9]{1,400}\.?[0-9]{0,400}|\.[0-9]{1,400})([eE][+-]?[0-9]{1,3})?$"
_SHORT_INTEGER = r"^-?[0-9]{1,18}$"
_DIGITS = r"^\+?(?P<whole>-?[0-9]*)\.?(?P<part>[0-9]*)$"
_MOST_DIGITS = 18  # of 64 bits
_SAFE = 2**61  # twice a value and a parameter below it stay within 64 bits
_LONGEST = 1400  # digits before or after the point of a parameter; those of values are fewer


@dataclass(frozen=True, slots=True)
class ExactNumbers:
    """Values times `10**decimals`, which are whole.

    Attributes
    ----------
    whole
        One per value, of 64 bits or as Python integers; 0 for values that are not numbers.
    known
        Whether each value is a number. NaN and the infinities are not.
    decimals
        Number of decimals that the values and the parameters need.
    """

    whole: NDArray[Any]
    known: BoolArray
    decimals: int

    @classmethod
    def of(cls, values: pa.Array, need: str, parameters: Iterable[Number] = ()) -> Self:
        """Scale values to integers by the decimals that they and the parameters need.

        Parameters
        ----------
        need
            Beginning of a message, such as `intervals need`.

        Raises
        ------
        HierarchyError
            Values of this type are not numbers.

        Examples
        --------
        >>> numbers = ExactNumbers.of(pa.array(["7", "0.25", "?"]), "intervals need")
        >>> numbers.whole.tolist(), numbers.known.tolist(), numbers.decimals
        ([700, 25, 0], [True, True, False], 2)
        """
        exact = [Decimal(str(number)) for number in parameters]
        decimals = max(map(_decimals, exact), default=0)
        if pa.types.is_integer(values.type):
            known = np.ones(len(values), dtype=np.bool_)
            whole = _times_ten(_integers(values), decimals)
        else:
            text = _text(values, need)
            known = _are_numbers(text)
            whole = np.zeros(len(values), dtype=np.int64)
            found, decimals = _from_text(text.filter(pa.array(known)), decimals)
            whole = whole.astype(found.dtype)
            whole[known] = found
        if whole.dtype != object and any(abs(_shift(number, decimals)) >= _SAFE for number in exact):
            whole = whole.astype(object)
        return cls(whole, known, decimals)

    def count(self, number: Number) -> int:
        """Return a parameter on the scale of `whole`."""
        return _shift(Decimal(str(number)), self.decimals)

    def array(self, numbers: Iterable[Number]) -> NDArray[Any]:
        """Return parameters on the scale of `whole`, in an array of the same kind."""
        return np.array([self.count(number) for number in numbers], dtype=self.whole.dtype)

    def number(self, whole: int) -> Number:
        """Return the number that a scaled integer represents."""
        found: Number = tidy(Decimal(plain(whole, self.decimals)))
        return found

    def texts(self, whole: NDArray[Any]) -> pa.Array:
        """Return scaled integers as text of the numbers that they represent."""
        if self.decimals == 0 and whole.dtype != object:
            return pa.array(whole).cast(pa.string())
        return pa.array([plain(number, self.decimals) for number in whole.tolist()], pa.string())

    def problems(self, values: pa.Array, need: str) -> list[Problem]:
        """Return a problem if some values are not numbers."""
        count = int((~self.known).sum())
        if not count:
            return []
        found = "1 value that is not a number" if count == 1 else f"{count:,} values that are not numbers"
        advice = "Correct them, or list missing values as `null-values`."
        return [Problem(f"{need} numbers.\nFound: {found}.\n{advice}", texts(values, ~self.known))]


def are_numbers(values: pa.Array, need: str) -> pa.BooleanArray:
    """Return which values are numbers, or raise if values of this type are not."""
    if pa.types.is_integer(values.type):
        return pa.repeat(True, len(values))
    return pa.array(_are_numbers(_text(values, need)), pa.bool_())


def texts(values: pa.Array, chosen: BoolArray) -> tuple[str, ...]:
    """Return some values as the text for a `Problem`."""
    return tuple(as_text(values.filter(pa.array(chosen, pa.bool_()))).to_pylist())


def is_number(value: object) -> bool:
    """Return whether a parameter is a finite number that can be written out."""
    if isinstance(value, Decimal):
        exponent = value.as_tuple().exponent
        return isinstance(exponent, int) and exponent >= -_LONGEST and value.adjusted() <= _LONGEST
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**_LONGEST


def tidy(value: Any) -> Any:
    """Return a parameter as in specs: an integer, else a float, or a decimal that no float equals.

    Anything else is returned unchanged, for the constructor to refuse.

    Examples
    --------
    >>> tidy(10.0), tidy(Decimal("0.5")), tidy("x")
    (10, 0.5, 'x')
    """
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    if not is_number(value):
        return value
    if value == int(value):
        return int(value)
    nearest = float(value)
    return nearest if Decimal(repr(nearest)) == Decimal(str(value)) else value


def written(number: Number) -> int | float | str:
    """Return a number for a spec: as text if YAML would lose digits."""
    return str(number) if isinstance(number, Decimal) else number


def read(value: Any) -> Any:
    """Return the number in a text; return anything else unchanged, for the constructor to refuse."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    return tidy(Decimal(text)) if pc.match_substring_regex(text, _NUMBER).as_py() else value


def plain(whole: int, decimals: int) -> str:
    """Return `whole / 10**decimals` as text without an exponent and trailing zeros.

    Examples
    --------
    >>> plain(-250, 2), plain(3, 2), plain(700, 2)
    ('-2.5', '0.03', '7')
    """
    if decimals == 0:
        return str(whole)
    digits = str(abs(whole)).rjust(decimals + 1, "0")
    text = f"{digits[:-decimals]}.{digits[-decimals:]}".rstrip("0").rstrip(".")
    return f"-{text}" if whole < 0 else text


def _text(values: pa.Array, need: str) -> pa.Array:
    """Return values that may be numbers as text."""
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    if pa.types.is_boolean(kind) or pa.types.is_temporal(kind):
        dated = pa.types.is_date(kind) or pa.types.is_timestamp(kind)
        advice = "\nFor dates use the hierarchy `dates`." if dated else ""
        raise HierarchyError(f"{need} numbers.\nFound: values of type {values.type}.{advice}")
    return pc.utf8_trim_whitespace(as_text(values))


def _are_numbers(text: pa.Array) -> BoolArray:
    known: BoolArray = pc.match_substring_regex(text, _NUMBER).to_numpy(zero_copy_only=False)
    return known.astype(np.bool_)


def _from_text(text: pa.Array, decimals: int) -> tuple[NDArray[Any], int]:
    """Return numbers scaled by at least so many decimals, and the decimals; fast if they are short."""
    if pc.all(pc.match_substring_regex(text, _SHORT_INTEGER)).as_py() is not False:
        return _times_ten(_integers(text.cast(pa.int64())), decimals), decimals
    parts = pc.extract_regex(text, _DIGITS)
    if not parts.null_count:
        whole, part = parts.field("whole"), parts.field("part")
        decimals = max(decimals, pc.max(pc.binary_length(part)).as_py())
        padded = pc.binary_join_element_wise(whole, pc.ascii_rpad(part, decimals, "0"), "")
        if pc.max(pc.binary_length(whole)).as_py() + decimals <= _MOST_DIGITS:
            return padded.cast(pa.int64()).to_numpy(zero_copy_only=False), decimals
        return narrow([int(number) for number in padded.to_pylist()]), decimals
    numbers = [Decimal(number) for number in text.to_pylist()]
    decimals = max(decimals, max(map(_decimals, numbers), default=0))
    return narrow([_shift(number, decimals) for number in numbers]), decimals


def _integers(values: pa.Array) -> NDArray[Any]:
    """Return integers of any width, in 64 bits if that is safe."""
    if len(values):
        ends = pc.min_max(values).as_py()
        if ends["min"] <= -_SAFE or ends["max"] >= _SAFE:
            return np.array(values.to_pylist(), dtype=object)
    integers: NDArray[np.int64] = values.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return integers


def _times_ten(integers: NDArray[Any], decimals: int) -> NDArray[Any]:
    """Return integers times `10**decimals`."""
    if not decimals:
        return integers
    largest = max(int(np.abs(integers).max(initial=0)), 1)
    if integers.dtype != object and largest * 10**decimals < _SAFE:
        return integers * np.int64(10**decimals)
    return narrow([number * 10**decimals for number in integers.tolist()])


def narrow(whole: list[int]) -> NDArray[Any]:
    """Return whole numbers in 64 bits if they fit, which is much faster than Python integers."""
    fits = not whole or (min(whole) > -_SAFE and max(whole) < _SAFE)
    return np.array(whole, dtype=np.int64 if fits else object)


def _decimals(number: Decimal) -> int:
    """Return the number of decimals that a number needs."""
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    return max(-exponent, 0)


def _shift(number: Decimal, decimals: int) -> int:
    """Return `number * 10**decimals`, which is whole; from the digits, because decimal contexts round."""
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    whole: int = int("".join(map(str, digits))) * 10 ** (exponent + decimals)
    return -whole if sign else whole
