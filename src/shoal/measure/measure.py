"""What every quality measure declares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shoal.encode.table import CodedTable


@dataclass(frozen=True, slots=True)
class Costs:
    """A measure as data, which is all that the kernel needs of it.

    The score of a node is the weighted sum over columns of ``level_costs[column][level]``, or a term of
    the class sizes. Where ``label_costs[column][level][label]`` is given, it is the cost of one
    cell with that label, already part of the level's cost, and a cell of a suppressed row costs 1 instead.
    """

    term: Literal["none", "squares", "kept-squares", "mean-size"] = "none"
    divisor: float = 1.0
    weights: tuple[float, ...] = ()
    level_costs: tuple[tuple[float, ...], ...] = ()
    label_costs: tuple[tuple[tuple[float, ...], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """A node with its classes, for scoring it by the definition.

    ``labels[i]`` are the label numbers of class i, ``sizes[i]`` its rows, ``kept[i]`` whether it is
    released.
    """

    table: CodedTable
    levels: tuple[int, ...]
    labels: Sequence[tuple[int, ...]]
    sizes: Sequence[int]
    kept: Sequence[bool]
    k: int | None = None

    @property
    def suppressed_rows(self) -> int:
        return sum(size for size, kept in zip(self.sizes, self.kept, strict=True) if not kept)


@runtime_checkable
class Measure(Protocol):
    """A quality measure; smaller is better.

    `monotone` says that generalizing never lowers the score. `weighted` says that it averages over columns,
    so that column weights count.
    """

    name: ClassVar[str]
    monotone: ClassVar[bool]
    weighted: ClassVar[bool]

    def score(self, node: Node) -> float:
        """Score a node by the definition: the reference for the kernel."""
        ...

    def costs(self, table: CodedTable, k: int | None) -> Costs: ...


def shares(table: CodedTable) -> tuple[float, ...]:
    """Column weights as shares that sum to 1."""
    total = sum(column.weight for column in table.columns)
    return tuple(column.weight / total for column in table.columns)


def canonical(score: float) -> float:
    """Round a score to 40 bits (12 digits) for comparing, so that scores which differ by rounding alone tie.

    Whole numbers stay as they are.

    Examples
    --------
    >>> canonical(0.1 + 0.2) == canonical(0.3)
    True
    >>> canonical(7220555.0)
    7220555.0
    """
    if score == 0 or not math.isfinite(score) or score == round(score):
        return score
    mantissa, exponent = math.frexp(score)
    return math.ldexp(round(math.ldexp(mantissa, 40)), exponent - 40)


def canonical_all(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round many scores as `canonical` rounds one."""
    mantissas, exponents = np.frexp(scores)
    rounded = np.ldexp(np.rint(np.ldexp(mantissas, 40)), exponents - 40)
    return np.where(np.isfinite(scores) & (scores != np.rint(scores)), rounded, scores)
