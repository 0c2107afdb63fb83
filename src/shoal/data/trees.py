"""Made-up hierarchies with given numbers of labels per level, nested by construction.

`groups`, `numbers` and `digits` return a `Plan`: given the name of a column, it grows the tree. Plans cost
nothing, so a module can define a table of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.describe.hierarchy import ANYTHING

IntArray: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GrownTree:
    """A hierarchy as numbers; leaves and labels are numbered in the order of a depth-first walk.

    Attributes
    ----------
    labels
        ``labels[level][number]``; level 0 are the leaves.
    maps
        ``maps[level][leaf]`` is the number of the leaf's label.
    ranked
        The leaves in the order in which they are drawn: most frequent first, or rising if they are numbers.
    """

    labels: tuple[Sequence[str], ...]
    maps: tuple[IntArray, ...]
    ranked: IntArray

    @property
    def height(self) -> int:
        return len(self.maps) - 1

    def rows(self) -> list[tuple[str, ...]]:
        """Return one row per leaf, with its label at each level, as in hierarchy files."""
        texts = (
            [labels[number] for number in numbers.tolist()]
            for labels, numbers in zip(self.labels, self.maps, strict=True)
        )
        return list(zip(*texts, strict=True))


Plan: TypeAlias = Callable[[str], GrownTree]


def groups(values: int, *counts: int) -> Plan:
    """Plan categories, most frequent first, in `counts` groups per level.

    Values are dealt to the groups in turn, so that each group has frequent and rare ones, as in life.

    Examples
    --------
    >>> for row in groups(5, 2)("race").rows():
    ...     print(*row, sep="; ")
    race 1; race group 1 of 2; *
    race 3; race group 1 of 2; *
    race 5; race group 1 of 2; *
    race 2; race group 2 of 2; *
    race 4; race group 2 of 2; *
    """

    def grow(name: str) -> GrownTree:
        dealt = [np.arange(values)]
        for count in counts:
            dealt.append(dealt[-1] % count)
        dealt.append(np.zeros(values, np.int64))
        order = np.lexsort(dealt)
        labels: list[list[str]] = []
        maps = []
        for level, numbers in enumerate(dealt):
            walked = numbers[order]
            starts = np.flatnonzero(np.diff(walked, prepend=-1))
            maps.append(np.repeat(np.arange(len(starts)), np.diff(starts, append=values)))
            numbered = (walked[starts] + 1).tolist()
            if level == 0:
                labels.append([f"{name} {number}" for number in numbered])
            elif level <= len(counts):
                labels.append([f"{name} group {number} of {counts[level - 1]}" for number in numbered])
        return GrownTree((*labels, [ANYTHING]), tuple(maps), np.argsort(order))

    return grow


def numbers(first: int, count: int, *widths: int, unknown: bool = False) -> Plan:
    """Plan `count` numbers from `first` on, in intervals; each width is a multiple of the one before.

    With `unknown`, there is one more value that no interval holds.

    Examples
    --------
    >>> numbers(0, 100, 5, 10, 20)("age").rows()[37]
    ('37', '35-39', '30-39', '20-39', '*')
    >>> numbers(0, 100, 5, unknown=True)("age").rows()[-1]
    ('unknown', 'unknown', '*')
    """

    def grow(name: str) -> GrownTree:
        values = np.arange(count)
        maps = [values // width for width in (1, *widths)]
        labels = [[str(first + value) for value in range(count)]]
        for width, numbers in zip(widths, maps[1:], strict=True):
            starts = range(first, first + width * (int(numbers[-1]) + 1), width)
            labels.append([f"{start}-{start + width - 1}" for start in starts])
        if unknown:
            maps = [np.append(numbers, numbers[-1] + 1) for numbers in maps]
            labels = [[*texts, "unknown"] for texts in labels]
        leaves = len(maps[0])
        return GrownTree((*labels, [ANYTHING]), (*maps, np.zeros(leaves, np.int64)), np.arange(leaves))

    return grow


def digits(length: int) -> Plan:
    """Plan all numbers of a length; each level masks one more digit, from the right.

    Examples
    --------
    >>> digits(3)("zip").rows()[537]
    ('537', '53*', '5**', '*')
    """

    def grow(name: str) -> GrownTree:
        values = np.arange(10**length)
        labels = [
            [f"{value:0{shown}}" + ANYTHING * (length - shown) for value in range(10**shown)]
            for shown in range(length, 0, -1)
        ]
        maps = tuple(values // 10**hidden for hidden in range(length + 1))
        return GrownTree((*labels, [ANYTHING]), maps, values)

    return grow


Occurring: TypeAlias = Callable[[GrownTree], IntArray]
"""The leaves of a tree that occur in a table, in the order in which they are drawn."""


def everything(tree: GrownTree) -> IntArray:
    """Let all leaves occur."""
    return tree.ranked


def span(first: int, end: int) -> Occurring:
    """Let the leaves from `first` up to but excluding `end` occur."""
    return lambda tree: tree.ranked[first:end]


def crowded(count: int, power: float) -> Occurring:
    """Let `count` numbers occur: nearly all of the low ones, few of the high ones.

    Examples
    --------
    >>> crowded(8, 3)(numbers(0, 100)("amount")).tolist()
    [0, 1, 4, 10, 21, 38, 63, 99]
    """

    def choose(tree: GrownTree) -> IntArray:
        rank = np.arange(count)
        gaps = (len(tree.ranked) - count) * (rank / (count - 1)) ** power
        leaves: IntArray = rank + gaps.astype(np.int64)
        return leaves

    return choose


def clustered(*counts: int) -> Occurring:
    """Let the given numbers of labels occur per level, from the leaves to below the top, drawn once for all.

    Examples
    --------
    >>> tree = digits(3)("zip")
    >>> leaves = clustered(40, 12, 5)(tree)
    >>> [len(np.unique(numbers[leaves])) for numbers in tree.maps]
    [40, 12, 5, 1]
    """

    def choose(tree: GrownTree) -> IntArray:
        random = np.random.default_rng(0)
        chosen = np.zeros(1, np.int64)
        for level in reversed(range(tree.height)):
            _, first_leaf = np.unique(tree.maps[level], return_index=True)
            parent = tree.maps[level + 1][first_leaf]
            mixed = random.permutation(np.flatnonzero(np.isin(parent, chosen)))
            # Every label chosen above keeps a child; which others there are is chance.
            _, one_each = np.unique(parent[mixed], return_index=True)
            others = np.delete(mixed, one_each)[: counts[level] - len(one_each)]
            chosen = np.sort(np.concatenate([mixed[one_each], others]))
        return chosen

    return choose
