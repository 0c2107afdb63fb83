"""Numbers in intervals, wider at each level."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.describe.hierarchies.arguments import keyed, several
from shoal.describe.hierarchies.exact_numbers import (
    BoolArray,
    ExactNumbers,
    Number,
    is_number,
    narrow,
    plain,
    read,
    texts,
    tidy,
    written,
)
from shoal.describe.hierarchy import ANYTHING, HierarchyDefaults, HierarchyError, Levels
from shoal.errors import InputError, Problem

Ends = Literal["closed", "open"]

_NEED = "intervals need"
_EXAMPLE = "For example: intervals(5, 10, 20)."
_CUTS_EXAMPLE = "For example: cuts=[[18, 30, 45, 65], [18, 45, 65]]."


@dataclass(frozen=True, slots=True)
class Intervals(HierarchyDefaults):
    """Half-open intervals `[low, high)` of several widths, or between cuts. The last level is `*`.

    With widths, level i has the intervals `[origin + n * width, origin + (n + 1) * width)` of the i-th width.
    Each width is a multiple of the one before. With cuts, level i has the intervals between the i-th cuts.
    The cuts of each level are among those of the level before. Either way the levels are nested.

    Numbers below a bottom are `< bottom` at every level, and no interval reaches below it; numbers from a
    top on are `>= top`. Open ends do the same at the first and the last cut of each level. Otherwise numbers
    outside the cuts are unknown.
    """

    widths: tuple[Number, ...] = ()
    origin: Number = 0
    cuts: tuple[tuple[Number, ...], ...] = ()
    bottom: Number | None = None
    top: Number | None = None
    ends: Ends = "closed"

    name: ClassVar[str] = "intervals"
    summary: ClassVar[str] = "Puts numbers into half-open intervals, wider at each level."
    parameters: ClassVar[Mapping[str, str]] = {
        "widths": "the width of each level, each a multiple of the one before; the key may be omitted",
        "origin": "a number at which intervals of a width begin; default: 0",
        "cuts": "instead of widths: the ends of the intervals, in one list or in one for each level",
        "bottom": "numbers below it are `< bottom` at every level",
        "top": "numbers from it on are `>= top` at every level",
        "ends": "`open`: accept numbers below the first and from the last cut on; default: `closed`",
    }
    examples: ClassVar[tuple[object, ...]] = (
        [5, 10, 20],
        {"widths": [5, 10], "origin": 3, "bottom": 20, "top": 90},
        {"cuts": [0, 18, 30, 65, 120]},
        {"cuts": [[18, 30, 45, 65], [18, 65]], "bottom": 18, "top": 65},
        {"cuts": [[18, 30, 45, 65], [30]], "ends": "open"},
    )
    sample: ClassVar[tuple[object, ...]] = (4, 17, 18, 23, 29, 30, 44, 65, 81, 97)

    def __post_init__(self) -> None:
        object.__setattr__(self, "widths", tuple(map(tidy, self.widths)))
        object.__setattr__(self, "cuts", _by_level(self.cuts))
        for name in ("origin", "bottom", "top"):
            object.__setattr__(self, name, tidy(getattr(self, name)))
        if problems := [*self._form_problems(), *self._width_problems(), *self._cut_problems()]:
            raise InputError(problems)

    def knows(self, values: pa.Array) -> pa.BooleanArray:
        numbers = ExactNumbers.of(values, _NEED, self._numbers)
        return pa.array(numbers.known & ~self._outside(numbers), pa.bool_())

    def levels(self, values: pa.Array) -> Levels:
        numbers = ExactNumbers.of(values, _NEED, self._numbers)
        problems = numbers.problems(values, _NEED)
        outside = self._outside(numbers)
        if count := int(outside.sum()):
            are = "1 value is" if count == 1 else f"{count:,} values are"
            problems.append(
                Problem(
                    f"{are} outside the cuts of its intervals.\n"
                    f"Found: cuts {self._range()}.\n"
                    "Add cuts, set `bottom` and `top`, or set `ends: open`.",
                    texts(values, outside),
                )
            )
        if problems:
            raise HierarchyError(problems)
        by_level = (
            [self._between(numbers, cuts) for cuts in self._all_cuts()]
            if self.cuts
            else [self._of_width(numbers, width) for width in self.widths]
        )
        return Levels.of(values, [*by_level, pa.repeat(ANYTHING, len(values))])

    @property
    def steady(self) -> bool:
        return True

    def to_spec(self) -> object:
        widths = [written(width) for width in self.widths]
        cuts: list[Any] = [[written(cut) for cut in level] for level in self.cuts]
        if len(cuts) == 1 and cuts[0]:
            (cuts,) = cuts
        given = {
            "widths": widths,
            "origin": written(self.origin) if self.origin else None,
            "cuts": cuts,
            "bottom": None if self.bottom is None else written(self.bottom),
            "top": None if self.top is None else written(self.top),
            "ends": self.ends if self.ends != "closed" else None,
        }
        settings = {key: value for key, value in given.items() if value not in (None, [])}
        return {"intervals": widths if list(settings) == ["widths"] else settings}

    @classmethod
    def from_spec(cls, argument: object, folder: Path) -> Self:
        if not isinstance(argument, Mapping):
            return cls(_read_all(argument))
        settings = keyed(cls.name, argument, list(cls.parameters))
        for key in ("widths", "cuts"):
            if key in settings:
                settings[key] = _read_all(settings[key])
        for key in ("origin", "bottom", "top"):
            if key in settings:
                settings[key] = read(settings[key])
        return cls(**settings)

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls(tuple(read(part) for part in text.split(",")) if text.strip() else ())

    @property
    def _numbers(self) -> Iterator[Number]:
        yield from self.widths
        yield self.origin
        for level in self.cuts:
            yield from level
        yield from (end for end in (self.bottom, self.top) if end is not None)

    @property
    def _open(self) -> tuple[bool, bool]:
        """Whether an interval lies below the first cut, and whether one begins at the last."""
        is_open = self.ends == "open" or not self.cuts
        return is_open or self.bottom is not None, is_open or self.top is not None

    def _all_cuts(self) -> list[tuple[Number, ...]]:
        """Return the cuts of each level between bottom and top, including these."""
        found = []
        for level in self.cuts:
            cuts = [
                cut
                for cut in level
                if (self.bottom is None or _exact(cut) > _exact(self.bottom))
                and (self.top is None or _exact(cut) < _exact(self.top))
            ]
            first = [] if self.bottom is None else [self.bottom]
            last = [] if self.top is None else [self.top]
            found.append((*first, *cuts, *last))
        return found

    def _outside(self, numbers: ExactNumbers) -> BoolArray:
        """Return which numbers are in no interval: the same at every level, like the closed ends."""
        outside = np.zeros(len(numbers.whole), dtype=np.bool_)
        below, above = self._open
        if below and above:
            return outside
        first, *_, last = map(numbers.count, self._all_cuts()[0])
        if not below:
            outside |= (numbers.whole < first).astype(np.bool_)
        if not above:
            outside |= (numbers.whole >= last).astype(np.bool_)
        return outside & numbers.known

    def _between(self, numbers: ExactNumbers, level: Sequence[Number]) -> pa.Array:
        """Return the label of each number at a level of cuts."""
        if not level:
            return pa.repeat(ANYTHING, len(numbers.whole))
        cuts = numbers.array(level)
        first, last = (plain(int(cut), numbers.decimals) for cut in cuts[[0, -1]])
        inner = _names(numbers, cuts[:-1], cuts[1:])
        names = pa.concat_arrays([pa.array([f"< {first}"]), inner, pa.array([f">= {last}"])])
        return names.take(pa.array(np.searchsorted(cuts, numbers.whole, side="right")))

    def _of_width(self, numbers: ExactNumbers, size: Number) -> pa.Array:
        """Return the label of each number at a level of intervals of the same width."""
        whole, width, origin = numbers.whole, numbers.count(size), numbers.count(self.origin)
        bottom = None if self.bottom is None else numbers.count(self.bottom)
        top = None if self.top is None else numbers.count(self.top)
        below = np.zeros(len(whole), dtype=np.bool_) if bottom is None else (whole < bottom).astype(np.bool_)
        above = np.zeros(len(whole), dtype=np.bool_) if top is None else (whole >= top).astype(np.bool_)
        inside = ~(below | above)
        quotients = (whole[inside] - origin) // width
        if quotients.dtype == object:
            quotients = narrow(quotients.tolist())
        steps, positions = np.unique(quotients, return_inverse=True)
        steps = steps.astype(whole.dtype)
        lows, highs = origin + steps * width, origin + (steps + 1) * width
        if bottom is not None:
            lows = np.maximum(lows, bottom)
        if top is not None:
            highs = np.minimum(highs, top)
        names = _names(numbers, lows, highs)
        codes = np.empty(len(whole), dtype=np.int64)
        codes[inside] = positions
        for sign, end, chosen in (("<", bottom, below), (">=", top, above)):
            if end is not None:
                codes[chosen] = len(names)
                names = pa.concat_arrays([names, pa.array([f"{sign} {plain(end, numbers.decimals)}"])])
        return names.take(pa.array(codes))

    def _range(self) -> str:
        first, *_, last = self._all_cuts()[0]
        below, above = self._open
        if below:
            return f"that end at {last}"
        return f"that begin at {first}" if above else f"from {first} to {last}"

    def _form_problems(self) -> Iterator[str]:
        if not self.widths and not self.cuts:
            yield f"intervals needs at least one width, or cuts.\n{_EXAMPLE}"
        if self.widths and self.cuts:
            yield "intervals has both widths and cuts.\nKeep one of them."
        if not is_number(self.origin):
            yield f"Origin {self.origin!r} of intervals is not a number."
        elif self.origin and not self.widths:
            yield "Only intervals with widths have an origin.\nRemove `origin`, or give widths."
        for name, end in (("Bottom", self.bottom), ("Top", self.top)):
            if end is not None and not is_number(end):
                yield f"{name} {end!r} of intervals is not a number."
        if is_number(self.bottom) and is_number(self.top) and not _exact(self.bottom) < _exact(self.top):
            yield f"The bottom of intervals must be below the top.\nFound: {self.bottom} and {self.top}."
        if self.ends not in get_args(Ends):
            yield f"The ends of intervals are 'closed' or 'open'.\nFound: {self.ends!r}."
        elif self.ends == "open" and not self.cuts:
            yield "Only intervals between cuts have ends.\nRemove `ends`, or give cuts."

    def _width_problems(self) -> Iterator[str]:
        wrong = [width for width in self.widths if not is_number(width) or width <= 0]
        for width in wrong:
            yield f"Width {width!r} of intervals is not a positive number.\n{_EXAMPLE}"
        for lower, upper in pairwise(() if wrong else self.widths):
            if (_exact(upper) / _exact(lower)).denominator != 1:
                yield (
                    f"Width {upper} of intervals is not a multiple of the one before, {lower}.\n{_EXAMPLE}"
                )

    def _cut_problems(self) -> Iterator[str]:
        wrong = [cut for level in self.cuts for cut in level if not is_number(cut)]
        for cut in wrong:
            yield f"Cut {cut!r} of intervals is not a number.\n{_CUTS_EXAMPLE}"
        if wrong or not all(end is None or is_number(end) for end in (self.bottom, self.top)):
            return
        for number, level in enumerate(self.cuts, start=1):
            if falls := [
                f"{high} after {low}" for low, high in pairwise(level) if _exact(high) <= _exact(low)
            ]:
                yield f"The cuts of level {number} of intervals must increase.\nFound: {', '.join(falls)}."
        for number, (finer, level) in enumerate(pairwise(self.cuts), start=2):
            if alone := set(map(_exact, level)) - set(map(_exact, finer)):
                new = ", ".join(str(cut) for cut in level if _exact(cut) in alone)
                yield (
                    f"Level {number} of intervals has cuts that level {number - 1} lacks.\nFound: {new}.\n"
                    f"Wider intervals must consist of narrower ones.\n{_CUTS_EXAMPLE}"
                )
        yield from self._end_problems()

    def _end_problems(self) -> Iterator[str]:
        below, above = self._open
        by_level = self._all_cuts()
        if below and above:
            return
        for number, level in enumerate(by_level, start=1):
            if len(level) < 2:
                yield (
                    f"Level {number} of intervals has no interval: it needs two cuts.\n"
                    f"Found: {len(level)}.\nAdd cuts, or set `ends: open`."
                )
            elif len(by_level[0]) >= 2 and (
                (not below and level[0] != by_level[0][0]) or (not above and level[-1] != by_level[0][-1])
            ):
                yield (
                    f"The cuts of level {number} of intervals cover another range than those of level 1.\n"
                    f"Found: {level[0]} to {level[-1]}, and {by_level[0][0]} to {by_level[0][-1]}.\n"
                    "Begin and end all levels with the same cuts, or set `ends: open`."
                )


def intervals(
    *widths: Number,
    origin: Number = 0,
    cuts: Iterable[Number] | Iterable[Iterable[Number]] = (),
    bottom: Number | None = None,
    top: Number | None = None,
    ends: Ends = "closed",
) -> Intervals:
    """Put numbers into intervals, wider at each level.

    Parameters
    ----------
    *widths
        The width of each level. Each is a multiple of the one before.
    origin
        A number at which intervals of a width begin.
    cuts
        Instead of widths, the numbers at which intervals begin and end: one list, or one for each level,
        whose numbers are among those of the level before.
    bottom, top
        Numbers below the bottom form one group at every level, and so do those from the top on.
    ends
        Whether numbers outside the cuts are refused (`closed`), or form a group below the first cut and one
        from the last cut on (`open`).

    Examples
    --------
    >>> levels = intervals(5, 10, 20).levels(pa.array([34, -3]))
    >>> [labels[0].as_py() for labels in levels.labels]
    [34, '[30, 35)', '[30, 40)', '[20, 40)', '*']
    >>> levels.labels[1][1].as_py()
    '[-5, 0)'
    >>> coded = intervals(cuts=[[18, 30, 65], [30]], bottom=18, top=65)
    >>> print(coded.levels(pa.array([4, 18, 29, 30, 99])).table())
    value  level 1   level 2   level 3
    4      < 18      < 18      *
    18     [18, 30)  [18, 30)  *
    29     [18, 30)  [18, 30)  *
    30     [30, 65)  [30, 65)  *
    99     >= 65     >= 65     *
    """
    return Intervals(widths, origin, cuts, bottom, top, ends)  # type: ignore[arg-type]  # it sorts them out


def _names(numbers: ExactNumbers, lows: NDArray[Any], highs: NDArray[Any]) -> pa.Array:
    """Return the labels of intervals."""
    return pc.binary_join_element_wise("[", numbers.texts(lows), ", ", numbers.texts(highs), ")", "")


def _by_level(cuts: Any) -> tuple[Any, ...]:
    """Return cuts by level; a flat list is one level."""
    given = tuple(cuts) if _is_list(cuts) else (cuts,)
    if given and all(_is_list(level) for level in given):
        return tuple(tuple(map(tidy, level)) for level in given)
    return (tuple(map(tidy, given)),) if given else ()


def _read_all(argument: object) -> tuple[Any, ...]:
    """Return the numbers of a spec in their lists; a single item must not be text."""
    if isinstance(argument, str):
        return (argument,)
    return tuple(
        _read_all(part) if isinstance(part, list | tuple) else read(part) for part in several(argument)
    )


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _exact(number: Any) -> Fraction:
    return Fraction(str(number) if isinstance(number, float | Decimal) else number)
