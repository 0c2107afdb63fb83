"""Numbers in groups of about equal size, built from the table."""

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
from shoal.describe.hierarchies.exact_numbers import ExactNumbers, are_numbers
from shoal.describe.hierarchies.intervals import Intervals
from shoal.describe.hierarchy import ColumnData, HierarchyDefaults, HierarchyError, IntArray, Levels
from shoal.errors import InputError

_NEED = "quantiles need"
_MOST = 10_000
_EXAMPLE = "For example: quantiles(8, 4, 2)."


@dataclass(frozen=True, slots=True)
class Quantiles(HierarchyDefaults):
    """Level i has the i-th number of groups, of about as many rows each; the last level is `*`.

    Each number is a multiple of the next, which makes the levels nested. Groups are intervals with open ends,
    so they cover every number. Rows that share a value share a group, so a very frequent value leaves fewer
    groups.
    """

    groups: tuple[int, ...]

    name: ClassVar[str] = "quantiles"
    summary: ClassVar[str] = "Puts numbers of the table into groups of about equal size."
    parameters: ClassVar[Mapping[str, str]] = {
        "groups": "number of groups of each level, each a multiple of the next; the key may be omitted",
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
                f"Each number of groups of quantiles must be a larger multiple of the next.\n"
                f"Found: {upper} after {lower}.\n{_EXAMPLE}"
                for lower, upper in pairwise(self.groups)
                if lower % upper or lower == upper
            )
        if problems:
            raise InputError(problems)

    @property
    def target(self) -> None:
        """It uses no other column."""
        return

    def knows(self, values: pa.Array) -> pa.BooleanArray:
        return are_numbers(values, _NEED)

    def fit(self, column: ColumnData) -> Intervals:
        """Return the intervals whose cuts split the rows of a column most evenly.

        A cut is the roundest number between the values on either side of it.
        """
        numbers = ExactNumbers.of(column.values, _NEED)
        if problems := numbers.problems(column.values, _NEED):
            raise HierarchyError(problems)
        values, rows = _rows_by_number(numbers.whole, column.counts)
        below = np.cumsum(rows)
        cuts = []
        for groups in self.groups:
            after = _cut_indices(below, groups)
            short = (_roundest(int(values[index]), int(values[index + 1])) for index in after)
            cuts.append(tuple(map(numbers.number, short)))
        return Intervals(cuts=tuple(cuts), ends="open")

    def levels(self, values: pa.Array) -> Levels:
        raise HierarchyError(
            "quantiles are built from a table, and there is none here.\n"
            "Use them with `shoal anonymize`, or write them to a file with `shoal hierarchy build`."
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
    """Put numbers into groups of about equal size, fewer and larger ones at each level.

    Parameters
    ----------
    *groups
        Number of groups of each level. Each number is a multiple of the next.

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
    """Return the distinct numbers in ascending order and their rows; several texts may be the same number."""
    used = counts > 0
    values, codes = np.unique(numbers[used], return_inverse=True)
    rows = np.zeros(len(values), dtype=np.int64)
    np.add.at(rows, codes, counts[used])
    return values, rows


def _cut_indices(below: IntArray, groups: int) -> list[int]:
    """Return the indices of the numbers after which to cut, given the rows up to each number.

    All levels that cut at a share of the rows cut after the same number.
    """
    indices = set()
    inner, total = below[:-1], int(below[-1]) if len(below) else 0
    for group in range(1, groups if len(inner) else 0):
        # The wanted number of rows is a fraction, so everything is multiplied by the number of groups.
        wanted = group * total
        above = min(int(np.searchsorted(inner, -(-wanted // groups))), len(inner) - 1)
        indices.add(
            min(
                (index for index in (above - 1, above) if index >= 0),
                key=lambda index: abs(int(inner[index]) * groups - wanted),
            )
        )
    return sorted(indices)


def _roundest(low: int, high: int) -> int:
    """Return a number above low, at most high, that ends in as many zeros as possible.

    Of several it is the one nearest to the middle, which is rarely the value of a person.

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
