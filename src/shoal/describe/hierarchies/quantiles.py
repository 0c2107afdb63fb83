"""Numbers in groups of about as many rows each, made from the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.describe.hierarchies.arguments import is_whole, keyed, parts_of, several
from shoal.describe.hierarchies.intervals import Intervals
from shoal.describe.hierarchies.numbers import Numbers, are_numbers
from shoal.describe.hierarchy import ColumnData, HierarchyDefaults, HierarchyError, IntArray, Levels
from shoal.errors import InputError

_NEED = "quantiles need"
_MOST = 10_000
_EXAMPLE = "For example: quantiles(8, 4, 2)."


@dataclass(frozen=True, slots=True)
class Quantiles(HierarchyDefaults):
    """Level i has as many groups as the i-th number says, each with about as many rows; the last is `*`.

    Each number is a multiple of the next, which makes the levels nested. Groups are intervals whose ends are
    open, so that they have a place for every number. Rows that share a value share a group: where one
    value has many rows there are fewer groups.
    """

    groups: tuple[int, ...]

    name: ClassVar[str] = "quantiles"
    summary: ClassVar[str] = "Puts numbers into groups of about as many rows each, made from the table."
    parameters: ClassVar[Mapping[str, str]] = {
        "groups": "how many groups each level has, each a multiple of the next; may stand alone",
    }
    examples: ClassVar[tuple[object, ...]] = ([8, 4, 2], 3, {"groups": [4, 2]})
    sample: ClassVar[tuple[object, ...]] = (17, 19, 23, 31, 38, 39, 44, 52, 60, 71, 90)

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", tuple(self.groups))
        problems = []
        if not self.groups:
            problems.append(f"quantiles needs at least one number of groups.\n{_EXAMPLE}")
        wrong = [number for number in self.groups if not is_whole(number, 2) or number > _MOST]
        problems.extend(
            f"quantiles needs whole numbers of groups, from 2 to {_MOST:,}.\nFound: {number!r}.\n{_EXAMPLE}"
            for number in wrong
        )
        if not wrong:
            object.__setattr__(self, "groups", tuple(map(int, self.groups)))
            problems.extend(
                f"Each number of groups of quantiles is a multiple of the next, and not the same.\n"
                f"Found: {upper} after {lower}.\n{_EXAMPLE}"
                for lower, upper in pairwise(self.groups)
                if lower % upper or lower == upper
            )
        if problems:
            raise InputError(problems)

    @property
    def target(self) -> None:
        """It looks at no other column."""
        return

    def knows(self, values: pa.Array) -> pa.BooleanArray:
        return are_numbers(values, _NEED)

    def fit(self, column: ColumnData) -> Intervals:
        """Return the intervals whose cuts split the rows of a column most evenly.

        A cut is the roundest number between the values on either side of it.
        """
        numbers = Numbers.of(column.values, _NEED)
        if problems := numbers.problems(column.values, _NEED):
            raise HierarchyError(problems)
        values, rows = _rows_by_number(numbers.whole, column.counts)
        below = np.cumsum(rows)
        cuts = []
        for groups in self.groups:
            after = _nearest_places(below, groups)
            short = (_roundest(int(values[place]), int(values[place + 1])) for place in after)
            cuts.append(tuple(map(numbers.number, short)))
        return Intervals(cuts=tuple(cuts), ends="open")

    def levels(self, values: pa.Array) -> Levels:
        raise HierarchyError(
            "quantiles are made from the table, and there is none here.\n"
            "Anonymize with them, or make a file of them with `shoal hierarchy build`."
        )

    def to_spec(self) -> object:
        return {"quantiles": list(self.groups)}

    @classmethod
    def from_spec(cls, argument: object, folder: Path) -> Self:
        if isinstance(argument, Mapping):
            argument = keyed(cls.name, argument, list(cls.parameters)).get("groups")
        return cls(several(argument))

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls(tuple(parts_of(text)))


def quantiles(*groups: int) -> Quantiles:
    """Put numbers into groups of about as many rows each, fewer and larger ones at each level.

    Parameters
    ----------
    *groups
        How many groups each level has. Each number is a multiple of the next.

    Examples
    --------
    >>> ages = ColumnData(pa.array([17, 25, 38, 61]), counts=np.array([10, 10, 30, 10]))
    >>> print(quantiles(4, 2).fit(ages).levels(ages.values).table())
    value  level 1   level 2  level 3
    17     < 20      < 30     *
    25     [20, 30)  < 30     *
    38     [30, 50)  >= 30    *
    61     >= 50     >= 30    *
    """
    return Quantiles(groups)


def _rows_by_number(numbers: NDArray[Any], counts: IntArray) -> tuple[NDArray[Any], IntArray]:
    """Return the different numbers, rising, and how many rows each has; several texts may say the same."""
    used = counts > 0
    values, places = np.unique(numbers[used], return_inverse=True)
    rows = np.zeros(len(values), dtype=np.int64)
    np.add.at(rows, places, counts[used])
    return values, rows


def _nearest_places(below: IntArray, groups: int) -> list[int]:
    """Return after which numbers to cut, given how many rows there are up to each.

    Of every level that has a cut at this share of the rows it is the same one.
    """
    places = set()
    inner, total = below[:-1], int(below[-1]) if len(below) else 0
    for group in range(1, groups if len(inner) else 0):
        # The wanted number of rows is a fraction: all is multiplied by the number of groups.
        wanted = group * total
        above = min(int(np.searchsorted(inner, -(-wanted // groups))), len(inner) - 1)
        places.add(
            min(
                (place for place in (above - 1, above) if place >= 0),
                key=lambda place: abs(int(inner[place]) * groups - wanted),
            )
        )
    return sorted(places)


def _roundest(low: int, high: int) -> int:
    """Return a number above low, at most high, that ends in as many zeros as possible.

    Of several it is that nearest to the middle, which is rarely a value of somebody's.

    Examples
    --------
    >>> _roundest(49_870, 50_120), _roundest(37, 38), _roundest(-3, 12), _roundest(1450, 1480)
    (50000, 38, 0, 1470)
    """
    if low < 0 <= high:
        return 0
    step = 1
    while high // (10 * step) * 10 * step > low:
        step *= 10
    middle = (low + high + step) // (2 * step) * step
    return min(max(middle, (low // step + 1) * step), high // step * step)
