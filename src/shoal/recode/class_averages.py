"""The mean, the median or the mode of a class, as a value of the column's own type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from math import inf, isnan
from typing import Literal, Self, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.describe.hierarchy import as_text
from shoal.encode.column import IntArray, UIntArray, comparable, is_ordered

Average: TypeAlias = Literal["mean", "median", "mode"]
"""What may be released of a class in place of a label that covers its values. Only numbers and dates have a
mean and a median."""

_Middle: TypeAlias = Literal["mean", "median"]

_EXACT = Context(prec=1000)  # more digits than a decimal or a float can have
_MOST = 1 << 60
_DECIMALS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


@dataclass(frozen=True, slots=True)
class Numbers:
    """Values as whole numbers of a common unit, such as cents or days, so that sums are exact.

    Attributes
    ----------
    kind
        Their type.
    whole
        For each value its number, 0 for NULL: Python's own where 64 bits might not do.
    known
        For each value whether it is not NULL.
    decimals
        How many decimals of the values the unit has.
    places
        For each value how many of these it needs.
    """

    kind: pa.DataType
    whole: NDArray[np.int64] | NDArray[np.object_]
    known: NDArray[np.bool_]
    decimals: int
    places: IntArray

    @classmethod
    def of(cls, values: pa.Array) -> Self | None:
        """Return numbers, dates and times, also numbers that are text; None where values are none of these.

        Examples
        --------
        >>> prices = Numbers.of(pa.array(["10.50", "7", None]))
        >>> prices.whole.tolist(), prices.decimals, prices.places.tolist()
        ([105, 70, 0], 1, [1, 0, 0])
        """
        kind = values.type
        if not is_ordered(comparable(values).type):
            return None
        if pa.types.is_floating(kind) and pc.any(pc.invert(pc.is_finite(values))).as_py():
            return None
        known = values.is_valid().to_numpy(zero_copy_only=False)
        decimals, places = 0, np.zeros(len(values), dtype=np.int64)
        if pa.types.is_date(kind):
            found = values.cast(pa.date32()).cast(pa.int32()).to_pylist()
        elif pa.types.is_timestamp(kind):
            found, decimals = values.cast(pa.int64()).to_pylist(), _DECIMALS[kind.unit]
            for fewer in range(0, decimals, 3):
                places += [number is not None and number % 10 ** (decimals - fewer) != 0 for number in found]
            places *= 3
        elif pa.types.is_integer(kind):
            found = values.to_pylist()
        else:
            exact = [Decimal(text or 0) for text in as_text(values).to_pylist()]
            places = np.array([_places(number) for number in exact], dtype=np.int64)
            decimals = int(places.max(initial=0))
            found = [int(_EXACT.scaleb(number, decimals)) for number in exact]
        numbers = [0 if number is None else number for number in found]
        large = max(map(abs, numbers), default=0) >= _MOST
        return cls(kind, np.array(numbers, dtype=object if large else np.int64), known, decimals, places)

    @property
    def floats(self) -> NDArray[np.float64]:
        """The numbers in their own unit, as near as floats are; 0 for NULL."""
        found: NDArray[np.float64] = (self.whole / 10**self.decimals).astype(np.float64)
        return found

    def averages(
        self, value_of: UIntArray, rows: IntArray, class_of: UIntArray, average: _Middle
    ) -> pa.Array:
        """Return the mean or the median of each class, of its known values; NULL where it has none.

        A mean has no more decimals than the values of its class, and is rounded half to even. A median is
        that of the lower half: a value of the class. So nothing depends on other classes.

        Parameters
        ----------
        value_of, rows, class_of
            For each tuple the number of its value, its rows, and its class.

        Examples
        --------
        >>> ages = Numbers.of(pa.array([20, 23, 40, None]))
        >>> value_of, class_of = np.array([0, 1, 2, 3], np.uint32), np.array([0, 0, 1, 1], np.uint32)
        >>> for average in ("mean", "median"):
        ...     print(ages.averages(value_of, np.array([1, 2, 1, 1]), class_of, average).to_pylist())
        [22, 40]
        [23, 40]
        """
        found: list[int | None] = [None] * (int(class_of.max(initial=0)) + 1 if len(class_of) else 0)
        chosen = np.flatnonzero(self.known[value_of])
        if len(chosen):
            grouped = _Grouped.of(class_of[chosen], value_of[chosen], rows[chosen], self._ranks)
            middle = self._means(grouped) if average == "mean" else self.whole[grouped.medians]
            for number, each in zip(grouped.classes.tolist(), middle.tolist(), strict=True):
                found[number] = each
        return self._as_values(found)

    @property
    def _ranks(self) -> IntArray:
        order = np.argsort(self.whole, kind="stable")
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.arange(len(order))
        return ranks

    def _means(self, grouped: _Grouped) -> NDArray[np.int64] | NDArray[np.object_]:
        rows = int(grouped.rows.sum())
        largest = rows * max(int(np.abs(self.whole).max(initial=0)), 10**self.decimals)
        kind = object if largest >= _MOST else np.int64
        whole, weights = self.whole[grouped.values].astype(kind), grouped.rows.astype(kind)
        steps = np.array([10**place for place in range(self.decimals + 1)], dtype=kind)
        needed = np.maximum.reduceat(self.places[grouped.values], grouped.starts)
        step = steps[self.decimals - needed]
        divisors = np.add.reduceat(weights, grouped.starts) * step
        sums = np.add.reduceat(whole * weights, grouped.starts)
        quotients = sums // divisors
        rests = sums - quotients * divisors
        half = 2 * rests == divisors
        up = (2 * rests > divisors).astype(bool) | (half.astype(bool) & (quotients % 2 == 1).astype(bool))
        return (quotients + up) * step  # type: ignore[no-any-return]

    def _as_values(self, numbers: Sequence[int | None]) -> pa.Array:
        """Return whole numbers of the unit as values of the type."""
        kind = self.kind
        if pa.types.is_date(kind):
            return pa.array(numbers, pa.int32()).cast(pa.date32()).cast(kind)
        if pa.types.is_timestamp(kind):
            return pa.array(numbers, pa.int64()).cast(kind)
        if pa.types.is_integer(kind):
            return pa.array(numbers, kind)
        if pa.types.is_floating(kind):
            unit = 10**self.decimals
            return pa.array([None if n is None else n / unit for n in numbers], pa.float64()).cast(kind)
        exact = [None if n is None else _EXACT.scaleb(Decimal(n), -self.decimals) for n in numbers]
        if pa.types.is_decimal(kind):
            return pa.array(exact, kind)
        texts = [None if n is None else f"{_EXACT.normalize(n):f}" for n in exact]
        return pa.array(texts, kind)


@dataclass(frozen=True, slots=True)
class _Grouped:
    """Tuples sorted by class, and in each by value.

    Attributes
    ----------
    starts
        Where each class begins.
    classes
        The number of each.
    values, rows
        Of each tuple.
    """

    starts: IntArray
    classes: UIntArray
    values: UIntArray
    rows: IntArray

    @classmethod
    def of(cls, class_of: UIntArray, values: UIntArray, rows: IntArray, ranks: IntArray) -> Self:
        order = np.lexsort((ranks[values], class_of))
        classes = class_of[order]
        starts = np.flatnonzero(np.diff(classes.astype(np.int64), prepend=-1))
        return cls(starts, classes[starts], values[order], rows[order])

    @property
    def medians(self) -> UIntArray:
        """The value of each class up to which it has half of its rows or more, and below which fewer."""
        so_far = np.cumsum(self.rows)
        ends = np.append(self.starts[1:], len(self.rows)) - 1
        before = so_far[self.starts] - self.rows[self.starts]
        positions = np.searchsorted(2 * so_far, before + so_far[ends])
        found: UIntArray = self.values[positions]
        return found


def modes(values: pa.Array, value_of: UIntArray, rows: IntArray, class_of: UIntArray) -> pa.Array:
    """Return the most frequent of the known values of each class; NULL where it has none.

    Of values that are equally frequent it is the middle one, of two the lower: numbers in their order, and
    then texts. So it is at no end of the class without need, and nothing depends on other classes.

    Parameters
    ----------
    value_of, rows, class_of
        For each tuple the number of its value, its rows, and its class.

    Examples
    --------
    >>> ages = pa.array([30, 34, 39, None])
    >>> value_of, class_of = np.array([0, 1, 3, 0, 1, 2], np.uint32), np.array([0, 0, 0, 1, 1, 1], np.uint32)
    >>> modes(ages, value_of, np.array([2, 1, 9, 1, 1, 1]), class_of).to_pylist()
    [30, 34]
    """
    in_order = sorted(zip(map(_in_order, as_text(values).to_pylist()), range(len(values)), strict=True))
    order = np.array([number for _, number in in_order], dtype=np.int64)
    rank = np.empty(len(order), dtype=np.uint64)
    rank[order] = np.arange(len(order), dtype=np.uint64)
    chosen = np.flatnonzero(values.is_valid().to_numpy(zero_copy_only=False)[value_of])
    pairs, pair_of = np.unique(
        class_of[chosen].astype(np.uint64) << np.uint64(32) | rank[value_of[chosen]], return_inverse=True
    )
    counts = np.zeros(len(pairs), dtype=np.int64)
    np.add.at(counts, pair_of, rows[chosen])
    classes = (pairs >> np.uint64(32)).astype(np.int64)
    most = np.zeros(int(class_of.max(initial=0)) + 1 if len(class_of) else 0, dtype=np.int64)
    np.maximum.at(most, classes, counts)
    # Pairs are sorted by class and then by value, and so are the most frequent ones.
    frequent = np.flatnonzero(counts == most[classes])
    starts = np.flatnonzero(np.diff(classes[frequent], prepend=-1))
    ends = np.append(starts[1:], len(frequent))
    middle = frequent[(starts + ends - 1) // 2]
    found = np.full(len(most), -1, dtype=np.int64)
    found[classes[middle]] = order[(pairs[middle] & np.uint64(2**32 - 1)).astype(np.int64)]
    return values.take(pa.array(found, mask=found < 0))


def _in_order(text: str | None) -> tuple[float, str]:
    """Return what a value is ordered by: numbers by number, before all else.

    It is the same whatever the other values are, of which some may be in suppressed rows alone.
    """
    try:
        number = inf if text is None else float(text)
    except ValueError:
        number = inf
    return (inf if isnan(number) else number, text or "")


def _places(number: Decimal) -> int:
    exponent = _EXACT.normalize(number).as_tuple().exponent
    return max(-int(exponent), 0)
