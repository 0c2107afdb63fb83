"""Ordered categories: neighbours are merged, more of them at each level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Self

import pyarrow as pa

from shoal.describe.hierarchies.arguments import is_whole, keyed, several
from shoal.describe.hierarchies.listed_values import Listed
from shoal.describe.hierarchy import ANYTHING, HierarchyDefaults, Levels, as_text
from shoal.errors import InputError, Problem

_EXAMPLE = "For example: {values: [low, mid, high, top], runs: [2]}."


@dataclass(frozen=True)
class Order(HierarchyDefaults):
    """Level i has runs of `runs[i - 1]` neighbours, labelled by their ends: `low..mid`; the last is `*`.

    Each number is a multiple of the one before, which makes the levels nested. A last run of a single value
    is that value.

    Attributes
    ----------
    values
        All values in order, as text: `7` for 7 and 7.0, `true` for True.
    runs
        Number of neighbours that each level merges. Default: 2, 4, 8 and so on.
    """

    values: tuple[str, ...]
    runs: tuple[int, ...] | None = None

    name: ClassVar[str] = "order"
    summary: ClassVar[str] = "Merges neighbours of ordered categories, more of them at each level."
    parameters: ClassVar[Mapping[str, str]] = {
        "values": "all values in order",
        "runs": "number of neighbours that each level merges; default: 2, 4, 8 and so on",
    }
    examples: ClassVar[tuple[object, ...]] = (
        ["low", "mid", "high", "top", "1"],
        {"values": ["low", "mid", "high", "top", "1"], "runs": [2, 4]},
    )
    sample: ClassVar[tuple[object, ...]] = ("low", "mid", "high", "top", "1")

    def __post_init__(self) -> None:
        values, problems = _texts(self.values)
        object.__setattr__(self, "values", values)
        if twice := [value for value, count in Counter(values).items() if count > 1]:
            have = "1 value" if len(twice) == 1 else f"{len(twice):,} values"
            problems.append(Problem(f"The values of order repeat {have}.\nKeep one of each.", tuple(twice)))
        if not values and not problems:
            problems.append(Problem(f"order needs its values.\n{_EXAMPLE}"))
        if self.runs is not None:
            object.__setattr__(self, "runs", several(self.runs))
            problems += map(Problem, _run_problems(self.runs))
        if not problems:
            problems += self._label_problems()
        if problems:
            raise InputError(problems)

    @property
    def _chosen(self) -> tuple[int, ...]:
        if self.runs is not None:
            return self.runs
        return tuple(2**power for power in range(1, (len(self.values) - 1).bit_length()))

    def _runs(self, size: int) -> list[str]:
        """Return the label of each run."""
        starts = range(0, len(self.values), size)
        runs = [self.values[start : start + size] for start in starts]
        return [run[0] if len(run) == 1 else f"{run[0]}..{run[-1]}" for run in runs]

    def _label_problems(self) -> list[Problem]:
        torn = [
            label
            for size in self._chosen
            if len(set(labels := self._runs(size))) < len(labels)
            for label, count in Counter(labels).items()
            if count > 1
        ]
        if not torn:
            return []
        return [
            Problem(
                "Two runs of order have the same label, because a value looks like a run (`a..b`).\n"
                "Rename the value, or use `taxonomy`, whose labels you choose.",
                tuple(dict.fromkeys(torn)),
            )
        ]

    @cached_property
    def _listed(self) -> Listed:
        levels = [pa.array(self.values, pa.string())]
        for size in self._chosen:
            labels = self._runs(size)
            levels.append(pa.array([labels[index // size] for index in range(len(self.values))], pa.string()))
        return Listed((*levels, pa.repeat(ANYTHING, len(self.values))), "the order")

    def levels(self, values: pa.Array) -> Levels:
        return replace(self._listed.levels(values), in_order=True)

    def knows(self, values: pa.Array) -> pa.BooleanArray:
        return self._listed.knows(values)

    @property
    def steady(self) -> bool:
        return True

    def to_spec(self) -> object:
        if self.runs is None:
            return {"order": list(self.values)}
        return {"order": {"values": list(self.values), "runs": list(self.runs)}}

    @classmethod
    def from_spec(cls, argument: object, folder: Path) -> Self:
        if isinstance(argument, Mapping):
            return cls(**{"values": (), **keyed("order", argument, list(cls.parameters))})
        return cls(argument)  # type: ignore[arg-type]  # the constructor checks it

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls(tuple(part.strip() for part in text.split(",")) if text.strip() else ())


def order(values: Sequence[Any], runs: Sequence[int] | None = None) -> Order:
    """Merge neighbours of ordered categories, more of them at each level.

    Parameters
    ----------
    values
        All values in order.
    runs
        Number of neighbours that each level merges, each a multiple of the one before. Default: 2, 4, 8 and
        so on.

    Examples
    --------
    >>> grades = order(["low", "mid", "high", "top"], runs=[2])
    >>> [labels[1].as_py() for labels in grades.levels(pa.array(["mid", "top"])).labels]
    ['top', 'high..top', '*']
    """
    return Order(values, runs)  # type: ignore[arg-type]  # the constructor makes tuples of them


def _texts(values: object) -> tuple[tuple[str, ...], list[Problem]]:
    """Return values as text, and their problems."""
    if values is None:
        values = ()
    if not isinstance(values, list | tuple):
        return (), [Problem(f"The values of order must be a list.\nFound: {values!r}.\n{_EXAMPLE}")]
    problems = []
    truths = sum(isinstance(value, bool) for value in values)
    if 0 < truths < len(values):
        problems.append(
            Problem(f"Some but not all values of order are truth values.\nPut them in quotes.\n{_EXAMPLE}")
        )
    if any(isinstance(value, Mapping | list | tuple | None) for value in values):
        problems.append(Problem(f"The values of order must be text or numbers.\n{_EXAMPLE}"))
    if problems:
        return (), problems
    try:
        return tuple(as_text(pa.array([value]))[0].as_py() for value in values), []
    except (pa.ArrowException, InputError, UnicodeError, OverflowError):
        return (), [Problem(f"The values of order must be text or numbers.\n{_EXAMPLE}")]


def _run_problems(runs: Sequence[Any]) -> list[str]:
    problems = [
        f"The runs of order must be whole numbers, at least 2.\nFound: {size!r}.\n{_EXAMPLE}"
        for size in runs
        if not is_whole(size, least=2)
    ]
    if not problems:
        problems = [
            f"Each of the runs of order must be a larger multiple of the one before.\n"
            f"Found: {upper} after {lower}.\n{_EXAMPLE}"
            for lower, upper in pairwise(runs)
            if upper % lower or upper == lower
        ]
    return problems
