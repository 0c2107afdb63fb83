"""The ways in which the values of one column may be put into blocks of neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.encode.column import IntArray
from shoal.search.single_dimensional.tuples import Blocks, Floats, Groups, Judge, Tuples

Decisions: TypeAlias = NDArray[np.int8]
"""For each choice of a column: `SPLIT`, `MERGED` or `OPEN`."""

OPEN, SPLIT, MERGED = 0, 1, -1


@dataclass(frozen=True)
class Failing:
    """What becomes of the rows of each candidate block while the other columns have given blocks.

    Attributes
    ----------
    rows
        The rows in classes that fail.
    extra
        What these cost beyond their cells in this column, if they are suppressed.
    """

    rows: Floats
    extra: Floats


@dataclass(frozen=True)
class Cheapest:
    """The cheapest way to put the values of a column into candidate blocks.

    Attributes
    ----------
    cost
        What it costs; infinite where there is none.
    blocks
        The candidates that it takes.
    split, merged
        For each choice, what the cheapest way costs in which it is made so.
    """

    cost: float
    blocks: NDArray[np.intp]
    split: Floats
    merged: Floats


class Partitions(Protocol):
    """All ways to put the values of a column into blocks, by candidates and by choices.

    A choice says whether some neighbours are in one block or not. Splitting makes blocks finer, merging makes
    them coarser, and all ways that decisions allow are between the finest and the coarsest of them.

    Attributes
    ----------
    costs
        For each candidate block, what a cell costs that has its label.
    spans
        The first value of each candidate, and the one after its last.
    monotone
        Whether no candidate costs less than one inside of it.
    whole
        Whether the candidates are all blocks that the kind of recoding allows.
    """

    @property
    def costs(self) -> Floats: ...
    @property
    def spans(self) -> tuple[IntArray, IntArray]: ...
    @property
    def monotone(self) -> bool: ...
    @property
    def whole(self) -> bool: ...

    def begin(self) -> Decisions:
        """Return the decisions before any was made; choices without an alternative are decided."""
        ...

    def finest(self, decisions: Decisions) -> Blocks: ...
    def coarsest(self, decisions: Decisions) -> Blocks: ...

    def decide(self, decisions: Decisions, choice: int, decision: int) -> Decisions:
        """Return decisions with one more, and those that follow from it."""
        ...

    def candidates(self, blocks: Blocks) -> NDArray[np.intp]:
        """Return the candidate of each block."""
        ...

    def blocks(self, candidates: NDArray[np.intp]) -> Blocks:
        """Return the blocks that are these candidates."""
        ...

    def failing(
        self, judge: Judge, tuples: Tuples, values: Blocks, groups: Groups, extra: Floats, blocks: Blocks
    ) -> Failing:
        """Judge the classes that candidates make.

        Parameters
        ----------
        values
            The value of each tuple.
        groups
            The tuples by their blocks in all other columns.
        extra
            By group, what a row costs beyond its cell in this column, if it is suppressed.
        blocks
            Where it takes too long to judge all candidates, those that differ little from these are judged;
            the others are said to have infinitely many failing rows.
        """
        ...

    def surely_failing(
        self, judge: Judge, tuples: Tuples, values: Blocks, groups: Groups, extra: Floats, blocks: Blocks
    ) -> Failing:
        """Return no more failing rows than there are, for all candidates."""
        ...

    def cheapest(self, costs: Floats, decisions: Decisions) -> Cheapest:
        """Return the cheapest way by what each candidate costs, infinite for those that may not be taken."""
        ...


def total(spans: tuple[IntArray, IntArray], of_values: Floats) -> Floats:
    """Add up by candidate what is given by value.

    Examples
    --------
    >>> total((np.array([0, 1]), np.array([1, 3])), np.array([5.0, 1.0, 2.0])).tolist()
    [5.0, 3.0]
    """
    before = np.append(0.0, np.cumsum(of_values))
    first, after = spans
    sums: Floats = np.maximum(before[after] - before[first], 0.0)
    return sums


def numbered(starts: NDArray[np.bool_]) -> Blocks:
    """Number blocks by the values that begin them.

    Examples
    --------
    >>> numbered(np.array([True, False, True])).tolist()
    [0, 0, 1]
    """
    return (np.cumsum(starts) - 1).astype(np.uint32)


def starts(blocks: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
    """Return the first value of each block."""
    return np.flatnonzero(np.diff(blocks.astype(np.int64), prepend=-1))
