"""What a class must meet, as data: all that the kernel needs of a privacy model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

ROUNDING = 1e-12
"""A figure this much beyond its bound, relative to it, still meets it: the rest is rounding."""

Source: TypeAlias = Literal["attribute", "units", "population"]


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """One test of a class with n people (or rows) whose values have the counts c.

    Where people are counted and have several values, the counts add up to more than n. Then `entropy` and
    `recursive` are about the worst reading of them (`shoal.privacy.people.worst_reading`), whose counts r add
    up to n; with one value per person r is c.

    Attributes
    ----------
    kind
        `distinct`: at least `least` values occur.
        `cover`: the `least` - 1 largest counts add up to less than n.
        `entropy`: n ln n - sum of r ln r >= n times `bound`.
        `recursive`: the largest count is less than `bound` times the sum of r without the `least` - 1
        largest.
        `shares`: lower n <= c <= upper n for every value, those that do not occur included.
        `equal`, `ordered`, `tree`: the earth mover's distance to the whole table is at most `bound`; where
        people have several values, the distance of `shoal.privacy.people.total_distance`.
        `population`: the population has at least `least` rows in the class, and n is between `lower` and
        `upper` times as many.
    source, name
        What is counted: an attribute of the table by its name, the units, or a population by its key.
    level
        Of an attribute, the level of its hierarchy whose labels are counted in place of its values.
    lower, upper
        Per value; for `population` one each.
    totals
        For distances: how many people have each value, one each, if not compared with the whole table.
    order
        For `ordered`: the position of each value in the order.
    tree
        For `tree`: per level from 1 on, the label of each value; the last level has a single label.
    absorbing
        A class that meets it still does after merging with any other.
    """

    kind: Literal[
        "distinct", "cover", "entropy", "recursive", "shares", "equal", "ordered", "tree", "population"
    ]
    source: Source
    name: str = ""
    level: int = 0
    least: int = 0
    bound: float = 0.0
    lower: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    upper: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    totals: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    order: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, dtype=np.uint32))
    tree: tuple[NDArray[np.uint32], ...] = ()
    absorbing: bool = False
