"""Samarati's search: bisect the height of the lattice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from shoal.search.build_result import build_result
from shoal.search.capabilities import refuse_large, require_serves
from shoal.search.node_checker import Framework, NodeChecker
from shoal.search.problem import Rank, SearchProblem
from shoal.search.result import SearchListener, SearchResult
from shoal.search.status import Node


@dataclass(frozen=True, slots=True)
class Samarati:
    """Find the lowest height at which some node satisfies, by bisection.

    If no node of a height satisfies, none of a lower height does. At each height the nodes come in the order
    in which ties break, so the first that satisfies is the answer, should the height be the lowest.

    References
    ----------
    P. Samarati, "Protecting respondents' identities in microdata release", TKDE 13(6), 2001.
    """

    # Nodes of a height roll up from those of a lower one that failed, if the history is wide enough for both.
    framework: Framework = field(default_factory=lambda: Framework(snapshots=2000, snapshot_share=0.5))
    name: ClassVar[str] = "samarati"
    summary: ClassVar[str] = "Bisect the height of the lattice; finds one node of the least height."
    exact: ClassVar[bool] = True
    complete: ClassVar[bool] = False
    absorbing_only: ClassVar[bool] = True
    sizes_only: ClassVar[bool] = False
    measures: ClassVar[tuple[str, ...]] = ("height",)

    def search(
        self,
        problem: SearchProblem,
        *,
        all_nodes: bool = False,
        threads: int = 1,
        listener: SearchListener | None = None,
    ) -> SearchResult:
        require_serves(self, problem, all_nodes=all_nodes)
        refuse_large(problem)
        checker = NodeChecker(problem, self.framework, listener)
        # The first height at which a node satisfies; one above the top stands for none at all.
        low, high = 0, sum(checker.levels) - len(checker.levels) + 1
        heights = high
        checker.progress = lambda: (heights, heights - (high - low))
        while low < high:
            middle = (low + high) // 2
            if any(checker.check(node).satisfies for node in self._nodes(checker, middle)):
                high = middle
            else:
                low = middle + 1
        return build_result(checker, pruned=checker.lattice - len(checker.scored) - checker.failed)

    @staticmethod
    def _nodes(checker: NodeChecker, height: int) -> list[Node]:
        """Return the nodes of a height, in the order in which ties break."""

        def rank(node: Node) -> Rank:
            return checker.problem.rank(tuple(map(int.__add__, node, checker.lowest)), 0)

        return sorted(_of_height(checker.levels, height), key=rank)


def _of_height(levels: Sequence[int], height: int) -> Iterator[Node]:
    """Return all ways to choose a position per column that sum to a height.

    Examples
    --------
    >>> list(_of_height([2, 3], 2))
    [(0, 2), (1, 1)]
    """
    if not levels:
        if height == 0:
            yield ()
        return
    above = sum(levels[1:]) - len(levels[1:])
    for level in range(max(0, height - above), min(levels[0] - 1, height) + 1):
        for rest in _of_height(levels[1:], height - level):
            yield (level, *rest)
