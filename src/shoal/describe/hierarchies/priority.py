"""Frequent values are kept longest; the others share one label, more of them at each level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import pyarrow as pa
import pyarrow.compute as pc

from shoal.describe.hierarchies.arguments import falling_problems, halves, keyed, parts_of, several
from shoal.describe.hierarchy import (
    ANYTHING,
    ColumnData,
    HierarchyDefaults,
    HierarchyError,
    Levels,
    as_text,
    check_height,
)
from shoal.errors import InputError

_EXAMPLE = "For example: priority: [20, 10, 5]."


@dataclass(frozen=True, slots=True)
class Priority(HierarchyDefaults):
    """Level i keeps the `keep[i - 1]` most frequent values of the table; the others become the rest.

    The last level is `*`. Of equally frequent values, the first in the order of their text are kept. A value
    equal to the label of the rest always belongs to the rest.

    Attributes
    ----------
    keep
        Number of values that each level keeps, fewer at each. Default: half as many as the level below.
    rest
        The label of all others.
    """

    keep: tuple[int, ...] | None = None
    rest: str = "other"

    name: ClassVar[str] = "priority"
    summary: ClassVar[str] = "Keeps the most frequent values of the table, fewer at each level."
    parameters: ClassVar[Mapping[str, str]] = {
        "keep": "number of values that each level keeps; default: half as many as the level below",
        "rest": "the label of the others; default: other",
    }
    examples: ClassVar[tuple[object, ...]] = (None, [3, 1], {"keep": [2], "rest": "elsewhere"})
    sample: ClassVar[tuple[object, ...]] = ("DE", "FR", "IT", "JP", "SE", "other", "1")

    def __post_init__(self) -> None:
        problems = []
        if self.keep is not None:
            object.__setattr__(self, "keep", several(self.keep))
            problems += falling_problems("priority", "The values to keep", self.keep, _EXAMPLE)
        if not isinstance(self.rest, str) or not self.rest:
            problems.append(f"The label of the rest must be text.\nFound: {self.rest!r}.")
        if problems:
            raise InputError(problems)

    @property
    def target(self) -> None:
        return None

    def levels(self, values: pa.Array) -> Levels:
        raise HierarchyError(
            "priority is built from a table, and there is none here.\n"
            "Use it with `shoal anonymize`, or write it to a file with `shoal hierarchy build`."
        )

    def fit(self, column: ColumnData) -> Ranked:
        text = as_text(column.values)
        listed = pa.table({"text": text, "count": column.counts})
        listed = listed.filter(pc.not_equal(listed["text"], self.rest))
        ranked = listed.sort_by([("count", "descending"), ("text", "ascending")])["text"].combine_chunks()
        keep = halves(len(text), least=1) if self.keep is None else self.keep
        check_height(len(keep) + 1)
        return Ranked(ranked, keep, self.rest)

    def to_spec(self) -> object:
        keep = None if self.keep is None else list(self.keep)
        if self.rest == "other":
            return "priority" if keep is None else {"priority": keep}
        return {"priority": {"rest": self.rest} if keep is None else {"keep": keep, "rest": self.rest}}

    @classmethod
    def from_spec(cls, argument: object, folder: Path) -> Self:
        if isinstance(argument, Mapping):
            return cls(**keyed("priority", argument, list(cls.parameters)))
        return cls(argument)  # type: ignore[arg-type]  # the constructor checks it

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls(tuple(parts_of(text)) or None)


@dataclass(frozen=True, slots=True)
class Ranked:
    """Values in the order in which they are kept; all other values are the rest.

    Attributes
    ----------
    ranked
        The values as text, the most frequent first.
    """

    ranked: pa.Array
    keep: tuple[int, ...]
    rest: str

    def levels(self, values: pa.Array) -> Levels:
        text = as_text(values)
        ranks = pc.index_in(text, self.ranked).fill_null(len(self.ranked)).to_numpy(zero_copy_only=False)
        labels = [
            pc.if_else(pa.array(ranks < min(kept, len(self.ranked))), text, self.rest) for kept in self.keep
        ]
        return Levels.of(values, [*labels, pa.repeat(ANYTHING, len(values))])


def priority(*keep: int, rest: str = "other") -> Priority:
    """Keep frequent values longest, and give the others one label.

    Parameters
    ----------
    *keep
        Number of values that each level keeps. Default: half as many as the level below.
    rest
        The label of all others.

    Examples
    --------
    >>> import numpy as np
    >>> towns = ColumnData(pa.array(["Bonn", "Rome", "Ulm"]), np.array([5, 90, 40]))
    >>> made = priority(2, 1).fit(towns)
    >>> for labels in made.levels(towns.values).labels:
    ...     print(labels.to_pylist())
    ['Bonn', 'Rome', 'Ulm']
    ['other', 'Rome', 'Ulm']
    ['other', 'Rome', 'other']
    ['*', '*', '*']
    """
    return Priority(keep or None, rest)
