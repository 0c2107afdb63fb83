"""Flash: paths up the lattice, decided by bisection, each branching off the last."""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import ClassVar

import numpy as np

from shoal.search.algorithms.total_order import stable_ranks
from shoal.search.build_result import result_of_decided
from shoal.search.capabilities import refuse_large, require_serves
from shoal.search.node_checker import Framework, NodeChecker
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchListener, SearchResult
from shoal.search.status import Node, Status


@dataclass(frozen=True, slots=True)
class Flash:
    """Build paths of undecided nodes greedily towards the top, and bisect each.

    Failing nodes that were checked on a path are where the next paths begin, so that their frequency sets are
    of use. Wherever nodes are enumerated, it is in one total order, so the work does not depend on the order
    of the columns.

    References
    ----------
    F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper, K. A. Kuhn, "Flash: Efficient, Stable and Optimal
    K-Anonymity", PASSAT 2012, section V.
    """

    framework: Framework = field(default_factory=Framework)
    name: ClassVar[str] = "flash"
    summary: ClassVar[str] = "Bisect paths from bottom to top, in an order free of the columns' order."
    exact: ClassVar[bool] = True
    complete: ClassVar[bool] = True
    absorbing_only: ClassVar[bool] = True
    sizes_only: ClassVar[bool] = False
    measures: ClassVar[tuple[str, ...]] = ()

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
        status = Status(checker.levels)
        checker.progress = lambda: (status.size, status.decided)
        ranks = stable_ranks(problem.table)
        _Flash(checker, status, ranks.tolist()).run(np.argsort(ranks).tolist())
        return result_of_decided(checker, status, all_nodes=all_nodes)


class _Flash:
    def __init__(self, checker: NodeChecker, status: Status, ranks: list[int]) -> None:
        self.checker = checker
        self.status = status
        self.ranks = ranks
        self.steps = [(column, stride) for column, stride in enumerate(status.strides)]
        self.tops = tuple(levels - 1 for levels in status.levels)

    def run(self, order: list[int]) -> None:
        """Algorithm 1: begin paths at undecided nodes, lowest first, and then where the last path failed."""
        known = self.status.known
        heap: list[tuple[int, Node, int]] = []
        for index in order:
            if known[index]:
                continue
            lowest = tuple(map(int, np.unravel_index(index, self.status.levels)))
            self.check_path(self.find_path(lowest, index), heap)
            while heap:
                _, node, at = heappop(heap)
                for _, step, column in sorted(self.successors(node, at)):
                    if not known[step]:
                        above = (*node[:column], node[column] + 1, *node[column + 1 :])
                        self.check_path(self.find_path(above, step), heap)

    def successors(self, node: Node, index: int) -> list[tuple[int, int, int]]:
        """Return the undecided direct generalizations: rank, index, and the column that goes up."""
        known, ranks, tops = self.status.known, self.ranks, self.tops
        return [
            (ranks[index + stride], index + stride, column)
            for column, stride in self.steps
            if node[column] < tops[column] and not known[index + stride]
        ]

    def find_path(self, node: Node, index: int) -> list[tuple[Node, int]]:
        """Algorithm 2: from a node on, always to the first undecided generalization."""
        path = [(node, index)]
        while found := self.successors(node, index):
            _, index, column = min(found)
            node = (*node[:column], node[column] + 1, *node[column + 1 :])
            path.append((node, index))
        return path

    def check_path(self, path: list[tuple[Node, int]], heap: list[tuple[int, Node, int]]) -> None:
        """Algorithm 3: bisect for the lowest satisfying node of a path."""
        low, high = 0, len(path) - 1
        while low <= high:
            middle = (low + high) // 2
            node, index = path[middle]
            satisfies = self.checker.check(node).satisfies
            self.status.tag(node, satisfies=satisfies)
            if satisfies:
                high = middle - 1
            else:
                heappush(heap, (self.ranks[index], node, index))
                low = middle + 1
