"""What every search returns, and what every search algorithm offers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shoal.search.problem import SearchProblem


@dataclass(frozen=True, slots=True)
class Counters:
    """How much work a search did.

    A node is checked when its frequency set was computed; tagged when its status followed from others.
    """

    lattice: int
    checked: int
    rollups: int

    @property
    def tagged(self) -> int:
        return self.lattice - self.checked


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best node, or none where no node satisfies.

    Attributes
    ----------
    satisfying
        All satisfying nodes, one per row with a level per column, sorted; only if asked for.
    fewest_suppressed
        Rows that even the top of the lattice would suppress.
    """

    levels: tuple[int, ...] | None
    score: float | None
    suppressed_rows: int
    classes: int
    fewest_suppressed: int
    counters: Counters
    satisfying: NDArray[np.uint8] | None = None
    optimal: bool = True


SearchListener = Callable[[int, int, float | None], None]
"""Called with nodes in the lattice, nodes decided, and the best score so far."""


@runtime_checkable
class SearchAlgorithm(Protocol):
    """A way through the lattice. All give the same answer; they differ in the work."""

    name: ClassVar[str]
    exact: ClassVar[bool]

    def search(
        self,
        problem: SearchProblem,
        *,
        all_nodes: bool = False,
        threads: int = 1,
        listener: SearchListener | None = None,
    ) -> SearchResult: ...


def border(satisfying: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the minimal satisfying nodes: those with no satisfying specialization.

    A node is minimal when none of its direct specializations satisfies.

    Examples
    --------
    >>> border(np.array([[0, 1], [1, 1], [2, 0], [2, 1]], dtype=np.uint8)).tolist()
    [[0, 1], [2, 0]]
    """
    if not len(satisfying):
        return satisfying
    shape = tuple(int(m) + 2 for m in satisfying.max(axis=0))
    strides = np.cumprod((1, *shape[:0:-1]))[::-1].astype(np.int64)
    # Levels shifted by one, so that the specialization of level 0 is a number of its own that is never there.
    keys = (satisfying.astype(np.int64) + 1) @ strides
    minimal = np.ones(len(keys), dtype=bool)
    for stride in strides:
        minimal &= ~np.isin(keys - stride, keys)
    return satisfying[minimal]
