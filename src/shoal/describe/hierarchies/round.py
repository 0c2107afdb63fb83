"""Rounded numbers: one more digit at each level, or to given multiples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.describe.hierarchies.arguments import keyed, several
from shoal.describe.hierarchies.exact_numbers import (
    ExactNumbers,
    Number,
    are_numbers,
    is_number,
    read,
    tidy,
    written,
)
from shoal.describe.hierarchies.suppress import Suppress
from shoal.describe.hierarchy import (
    ANYTHING,
    HIGHEST_LEVEL,
    Hierarchy,
    HierarchyDefaults,
    HierarchyError,
    Levels,
)
from shoal.errors import InputError, nearest

Direction = Literal["nearest", "down"]

_NEED = "round needs"
_EXAMPLE = "For example: rounding(10, 100, 1000)."


@dataclass(frozen=True, slots=True)
class Rounding(HierarchyDefaults):
    """Level i rounds to multiples of the i-th number, each a multiple of the one before; the last is `*`.

    Without numbers each level removes one more digit, beginning with the last digit that any value has, until
    the largest value has one left.

    A level rounds the label of the level below, not the value itself: 45 becomes 50, and 50 becomes 100.
    Rounded to hundreds at once, 45 would become 0, but 54, which is 50 at the level of tens as well, would
    become 100. Then 50 would have two parents, and the levels would not be nested. Rounding down has no such
    conflict: 45 becomes 40, and then 0 either way.

    Halves are rounded away from zero: 45 to 50 and -45 to -50. Rounding down goes towards smaller numbers:
    -45 to -50.

    With `digitwise` the first number, a power of ten, is reached digit by digit as without numbers, beginning
    with the last digit of a value. Manifests use it to describe a level without numbers.
    """

    to: tuple[Number, ...] = ()
    direction: Direction = "nearest"
    digitwise: bool = False

    name: ClassVar[str] = "round"
    summary: ClassVar[str] = "Rounds numbers, by one more digit at each level or to given multiples."
    parameters: ClassVar[Mapping[str, str]] = {
        "to": "the multiple of each level, itself a multiple of the one before; the key may be omitted",
        "direction": "`nearest` or `down`; default: `nearest`",
        "digitwise": "`true`: reach the first number, a power of ten, digit by digit; default: `false`",
    }
    examples: ClassVar[tuple[object, ...]] = (
        None,
        [10, 100, 1000],
        {"to": [0.5, 5], "direction": "down"},
        {"direction": "down"},
        {"to": [100, 1000], "digitwise": True},
    )
    sample: ClassVar[tuple[object, ...]] = (0, 4, 5, 44, 45, 54, 55, 149, 944, 945, 1050, -45)

    def __post_init__(self) -> None:
        object.__setattr__(self, "to", tuple(map(tidy, self.to)))
        wrong = [number for number in self.to if not is_number(number) or number <= 0]
        problems = [f"round needs positive numbers.\nFound: {number!r}.\n{_EXAMPLE}" for number in wrong]
        problems.extend(
            "Each number to round to must be a multiple of the one before.\n"
            f"Found: {upper} after {lower}.\n{_EXAMPLE}"
            for lower, upper in pairwise(() if wrong else self.to)
            if (Fraction(str(upper)) / Fraction(str(lower))).denominator != 1
        )
        if self.direction not in get_args(Direction):
            near = nearest(str(self.direction), get_args(Direction))
            problems.append(
                f"The direction of round must be 'nearest' or 'down'.\nFound: {self.direction!r}.{near}"
            )
        if self.digitwise not in (True, False) or (
            self.digitwise and not (self.to and not wrong and _is_power_of_ten(self.to[0]))
        ):
            problems.append(
                "round with `digitwise` needs a power of ten as the first number.\n"
                f"Found: {', '.join(map(str, self.to)) or 'no number'}.\nFor example: 100."
            )
        if problems:
            raise InputError(problems)

    def knows(self, values: pa.Array) -> pa.BooleanArray:
        return are_numbers(values, _NEED)

    def levels(self, values: pa.Array) -> Levels:
        numbers = ExactNumbers.of(values, _NEED, self.to)
        if problems := numbers.problems(values, _NEED):
            raise HierarchyError(problems)
        labels = []
        rounded, codes = np.unique(numbers.whole, return_inverse=True)
        for step in self._digits(numbers):
            rounded, merged = np.unique(self._round(rounded, step), return_inverse=True)
            codes = merged[codes]
        for step in self._steps(numbers):
            rounded, merged = np.unique(self._round(rounded, step), return_inverse=True)
            codes = merged[codes]
            labels.append(numbers.texts(rounded).take(pa.array(codes)))
        return Levels.of(values, [*labels, pa.repeat(ANYTHING, len(values))])

    @property
    def steady(self) -> bool:
        return bool(self.to)

    def fixed(self, values: pa.Array, level: int) -> tuple[Hierarchy, int]:
        if self.to or level == 0:
            return self, level
        numbers = ExactNumbers.of(values, _NEED)
        steps = self._steps(numbers)
        if level > len(steps):
            return Suppress(), 1
        return Rounding((numbers.number(steps[level - 1]),), self.direction, digitwise=True), 1

    def may_become(self, stated: Hierarchy) -> bool:
        if self.to or not isinstance(stated, Rounding):
            return False
        return len(stated.to) == 1 and stated.digitwise and stated.direction == self.direction

    def to_spec(self) -> object:
        given: dict[str, object] = {}
        if self.to:
            given["to"] = [written(number) for number in self.to]
        if self.direction != "nearest":
            given["direction"] = self.direction
        if self.digitwise:
            given["digitwise"] = True
        if not given:
            return "round"
        return {"round": given["to"] if list(given) == ["to"] else given}

    @classmethod
    def from_spec(cls, argument: object, folder: Path) -> Self:
        settings: dict[str, Any] = {}
        if isinstance(argument, Mapping):
            settings = keyed(cls.name, argument, list(cls.parameters))
            argument = settings.pop("to", None)
        alone = isinstance(argument, str)
        return cls(tuple(part if alone else read(part) for part in several(argument)), **settings)

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls(tuple(read(part) for part in text.split(",")) if text.strip() else ())

    def _digits(self, numbers: ExactNumbers) -> list[int]:
        """Return the powers of ten below the first number, if it is reached digit by digit."""
        digits = len(str(numbers.count(self.to[0]))) - 1 if self.digitwise else 0
        return [10**power for power in range(1, digits)]

    def _steps(self, numbers: ExactNumbers) -> list[int]:
        """Return the multiples to round to, on the scale of the numbers."""
        if self.to:
            return [numbers.count(number) for number in self.to]
        largest = int(np.abs(numbers.whole).max(initial=0))
        digits = len(str(largest))
        if digits > HIGHEST_LEVEL:
            raise HierarchyError(
                f"its numbers have {digits:,} digits, but at most {HIGHEST_LEVEL} levels are possible.\n"
                "Give the multiples to round to: `round: [1, 10, 100]`."
            )
        return [10**power for power in range(1, digits)]

    def _round(self, whole: NDArray[Any], step: int) -> NDArray[Any]:
        down: NDArray[Any] = whole // step * step
        if self.direction == "down":
            return down
        up = down + step
        # Take the nearer of the two; for halves, the one farther from zero.
        return np.where(2 * whole + (whole >= 0) > down + up, up, down)


def _is_power_of_ten(number: Number) -> bool:
    return Decimal(str(number)).normalize().as_tuple().digits == (1,)


def rounding(*to: Number, direction: Direction = "nearest") -> Rounding:
    """Round numbers, to larger and larger multiples.

    Each level rounds the labels of the level before, so that levels are nested: 45 becomes 50 and then 100,
    as 54 does. Rounded to hundreds at once, 45 would be 0 and 54 would be 100, although both are 50 before.

    Parameters
    ----------
    *to
        The multiple of each level, itself a multiple of the one before. By default each level removes one
        more digit.
    direction
        To the nearest multiple, halves away from zero, or `down`, as is usual for ages.

    Examples
    --------
    >>> print(rounding(10, 100).levels(pa.array([44, 45, 54, 163])).table())
    value  level 1  level 2  level 3
    44     40       0        *
    45     50       100      *
    54     50       100      *
    163    160      200      *
    >>> [labels[0].as_py() for labels in rounding().levels(pa.array([53715, 1000])).labels]
    [53715, '53720', '53700', '54000', '50000', '*']
    """
    return Rounding(to, direction)
