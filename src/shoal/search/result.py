"""What every search returns, and what every search algorithm offers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shoal.search.problem import SearchProblem


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """How much work a search did.

    Attributes
    ----------
    lattice
        Nodes of the lattice that the spec allows.
    checked
        Nodes judged by their frequency set. Incognito also judges nodes of smaller sets of columns.
    tagged_satisfying, tagged_failing
        Nodes whose status followed from that of others.
    pruned
        Nodes left undecided, since they could not be better than the best found.
    rollups, scans
        Frequency sets computed from a finer one, and from F0 itself.
    touched
        Tuples, cells of dense sets or words of bitmaps that were read for it.
    snapshots, evicted
        Frequency sets put into the history, and dropped from it again.
    peak_bytes
        The most that all frequency sets held at one time, F0 included.
    seconds
        Wall time of the search, F0 included.
    """

    lattice: int
    checked: int = 0
    tagged_satisfying: int = 0
    tagged_failing: int = 0
    pruned: int = 0
    rollups: int = 0
    scans: int = 0
    touched: int = 0
    snapshots: int = 0
    evicted: int = 0
    peak_bytes: int = 0
    seconds: float = 0.0

    @property
    def tagged(self) -> int:
        """Nodes of the lattice that were settled without judging them."""
        return self.tagged_satisfying + self.tagged_failing + self.pruned

    def to_mapping(self) -> dict[str, int | float]:
        """Return all of them by name."""
        return {"lattice": self.lattice, "checked": self.checked, "tagged": self.tagged, **asdict(self)}


@dataclass(frozen=True, slots=True)
class Check:
    """One node that a search judged: its levels, None for a column that took no part."""

    levels: tuple[int | None, ...]
    satisfies: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The best node, or none where no node satisfies.

    Attributes
    ----------
    satisfying
        All satisfying nodes, one per row with a level per column, sorted; only if asked for.
    subsets
        From Incognito: the satisfying nodes of every set of columns, by the names of the columns.
    checks
        The nodes in the order in which they were judged, where the algorithm was told to record them.
    optimal
        Whether the best node is proved to be the best.
    bound
        What no satisfying node scores less than, where that is not proved.
    """

    levels: tuple[int, ...] | None
    score: float | None
    suppressed_rows: int
    classes: int
    counters: Counters
    satisfying: NDArray[np.uint8] | None = None
    subsets: Mapping[tuple[str, ...], NDArray[np.uint8]] | None = None
    checks: tuple[Check, ...] = ()
    optimal: bool = True
    bound: float | None = None


SearchListener = Callable[[int, int, float | None], None]
"""Called with nodes in the lattice, nodes decided, and the best score so far."""


@runtime_checkable
class SearchAlgorithm(Protocol):
    """A way through the lattice. All that are exact give the same answer; they differ in the work.

    Attributes
    ----------
    summary
        What it does, in one line.
    exact
        It proves its optimum; others are heuristics.
    complete
        It can give all satisfying nodes.
    absorbing_only
        It concludes from one node to others, so where rows may be suppressed it needs privacy models under
        which a class that passes still passes after merging with another.
    sizes_only
        It judges classes by their size alone.
    measures
        The only quality measures that it can serve; none where it serves all.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    exact: ClassVar[bool]
    complete: ClassVar[bool]
    absorbing_only: ClassVar[bool]
    sizes_only: ClassVar[bool]
    measures: ClassVar[tuple[str, ...]]

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
