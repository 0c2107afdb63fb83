"""Numbers of a column as whole numbers, so that arithmetic on them is exact.

Values and parameters are counted in the smallest decimal place that occurs among them: 0.3 is in
`[0.3, 0.4)` although the binary number nearest to it is smaller.
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
class Numbers:
    """Values times `10**places`, which are whole.

    Attributes
    ----------
    whole
        One per value, of 64 bits or Python's own; 0 where a value is not a number.
    known
        Whether each value is a number. NaN and the infinities are none.
    places
        Decimal places that the values and the parameters need.
    """

    whole: NDArray[Any]
    known: BoolArray
    places: int

    @classmethod
    def of(cls, values: pa.Array, need: str, parameters: Iterable[Number] = ()) -> Self:
        """Count values in the smallest decimal place of them and of the parameters.

        Parameters
        ----------
        need
            How a message begins: whose values these are, such as `intervals need`.

        Raises
        ------
        HierarchyError
            Values of this type are no numbers.

        Examples
        --------
        >>> numbers = Numbers.of(pa.array(["7", "0.25", "?"]), "intervals need")
        >>> numbers.whole.tolist(), numbers.known.tolist(), numbers.places
        ([700, 25, 0], [True, True, False], 2)
        """
        exact = [Decimal(str(number)) for number in parameters]
        places = max(map(_places, exact), default=0)
        if pa.types.is_integer(values.type):
            known = np.ones(len(values), dtype=np.bool_)
            whole = _times_ten(_integers(values), places)
        else:
            text = _text(values, need)
            known = _are_numbers(text)
            whole = np.zeros(len(values), dtype=np.int64)
            found, places = _from_text(text.filter(pa.array(known)), places)
            whole = whole.astype(found.dtype)
            whole[known] = found
        if whole.dtype != object and any(abs(_shift(number, places)) >= _SAFE for number in exact):
            whole = whole.astype(object)
        return cls(whole, known, places)

    def count(self, number: Number) -> int:
        """Return a parameter as `whole` counts."""
        return _shift(Decimal(str(number)), self.places)

    def array(self, numbers: Iterable[Number]) -> NDArray[Any]:
        """Return parameters as `whole` counts, in an array of the same kind."""
        return np.array([self.count(number) for number in numbers], dtype=self.whole.dtype)

    def number(self, whole: int) -> Number:
        """Return the number that a whole number stands for."""
        found: Number = tidy(Decimal(plain(whole, self.places)))
        return found

    def texts(self, whole: NDArray[Any]) -> pa.Array:
        """Write whole numbers as the numbers that they stand for."""
        if self.places == 0 and whole.dtype != object:
            return pa.array(whole).cast(pa.string())
        return pa.array([plain(number, self.places) for number in whole.tolist()], pa.string())

    def problems(self, values: pa.Array, need: str) -> list[Problem]:
        """Tell of the values that are not numbers."""
        count = int((~self.known).sum())
        if not count:
            return []
        found = "1 value that is not a number" if count == 1 else f"{count:,} values that are not numbers"
        advice = "Correct them, or list texts that stand for NULL as `null-values`."
        return [Problem(f"{need} numbers.\nFound: {found}.\n{advice}", texts(values, ~self.known))]


def are_numbers(values: pa.Array, need: str) -> pa.BooleanArray:
    """Tell which values are numbers, or raise if none of this type are."""
    if pa.types.is_integer(values.type):
        return pa.repeat(True, len(values))
    return pa.array(_are_numbers(_text(values, need)), pa.bool_())


def texts(values: pa.Array, chosen: BoolArray) -> tuple[str, ...]:
    """Return some values as a `Problem` has them."""
    return tuple(as_text(values.filter(pa.array(chosen, pa.bool_()))).to_pylist())


def is_number(value: object) -> bool:
    """Tell whether a parameter is a finite number that can be written out."""
    if isinstance(value, Decimal):
        exponent = value.as_tuple().exponent
        return isinstance(exponent, int) and exponent >= -_LONGEST and value.adjusted() <= _LONGEST
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**_LONGEST


def tidy(value: Any) -> Any:
    """Return a parameter as it is written into specs: whole, else a float, or a decimal that is no float.

    What is not a number is returned as it is, for the constructor to complain about.

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
    """Return a number for a spec: as text where YAML would not keep all of its digits."""
    return str(number) if isinstance(number, Decimal) else number


def read(value: Any) -> Any:
    """Return the number behind a text, or what is not one as it is, for the constructor to complain about."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    return tidy(Decimal(text)) if pc.match_substring_regex(text, _NUMBER).as_py() else value


def plain(whole: int, places: int) -> str:
    """Write `whole / 10**places` without an exponent and without needless zeros.

    Examples
    --------
    >>> plain(-250, 2), plain(3, 2), plain(700, 2)
    ('-2.5', '0.03', '7')
    """
    if places == 0:
        return str(whole)
    digits = str(abs(whole)).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}".rstrip("0").rstrip(".")
    return f"-{text}" if whole < 0 else text


def _text(values: pa.Array, need: str) -> pa.Array:
    """Return values that may be numbers as text."""
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    if pa.types.is_boolean(kind) or pa.types.is_temporal(kind):
        dated = pa.types.is_date(kind) or pa.types.is_timestamp(kind)
        advice = "\nFor dates there is the hierarchy `dates`." if dated else ""
        raise HierarchyError(f"{need} numbers.\nFound: values of type {values.type}.{advice}")
    return pc.utf8_trim_whitespace(as_text(values))


def _are_numbers(text: pa.Array) -> BoolArray:
    known: BoolArray = pc.match_substring_regex(text, _NUMBER).to_numpy(zero_copy_only=False)
    return known.astype(np.bool_)


def _from_text(text: pa.Array, places: int) -> tuple[NDArray[Any], int]:
    """Return numbers in at least so many decimal places, and in how many; no loop where they are short."""
    if pc.all(pc.match_substring_regex(text, _SHORT_INTEGER)).as_py() is not False:
        return _times_ten(_integers(text.cast(pa.int64())), places), places
    parts = pc.extract_regex(text, _DIGITS)
    if not parts.null_count:
        whole, part = parts.field("whole"), parts.field("part")
        places = max(places, pc.max(pc.binary_length(part)).as_py())
        padded = pc.binary_join_element_wise(whole, pc.ascii_rpad(part, places, "0"), "")
        if pc.max(pc.binary_length(whole)).as_py() + places <= _MOST_DIGITS:
            return padded.cast(pa.int64()).to_numpy(zero_copy_only=False), places
        return narrow([int(number) for number in padded.to_pylist()]), places
    decimals = [Decimal(number) for number in text.to_pylist()]
    places = max(places, max(map(_places, decimals), default=0))
    return narrow([_shift(number, places) for number in decimals]), places


def _integers(values: pa.Array) -> NDArray[Any]:
    """Return integers of any width, with 64 bits if that is safe."""
    if len(values):
        ends = pc.min_max(values).as_py()
        if ends["min"] <= -_SAFE or ends["max"] >= _SAFE:
            return np.array(values.to_pylist(), dtype=object)
    integers: NDArray[np.int64] = values.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return integers


def _times_ten(integers: NDArray[Any], places: int) -> NDArray[Any]:
    """Return integers times `10**places`."""
    if not places:
        return integers
    largest = max(int(np.abs(integers).max(initial=0)), 1)
    if integers.dtype != object and largest * 10**places < _SAFE:
        return integers * np.int64(10**places)
    return narrow([number * 10**places for number in integers.tolist()])


def narrow(whole: list[int]) -> NDArray[Any]:
    """Return whole numbers in 64 bits if they fit, which is much quicker than Python's own."""
    fits = not whole or (min(whole) > -_SAFE and max(whole) < _SAFE)
    return np.array(whole, dtype=np.int64 if fits else object)


def _places(number: Decimal) -> int:
    """Count the decimal places that a number needs."""
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    return max(-exponent, 0)


def _shift(number: Decimal, places: int) -> int:
    """Return `number * 10**places`, which is whole. Contexts would round: the digits are put together."""
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    whole: int = int("".join(map(str, digits))) * 10 ** (exponent + places)
    return -whole if sign else whole
