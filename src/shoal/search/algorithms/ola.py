"""Optimal Lattice Anonymization: cut sublattices in the middle."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.search.algorithms.total_order import stable_ranks
from shoal.search.build_result import result_of_decided
from shoal.search.capabilities import refuse_large, require_serves
from shoal.search.node_checker import Framework, NodeChecker
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchListener, SearchResult
from shoal.search.status import SATISFIES, Node, Status


@dataclass(frozen=True, slots=True)
class Ola:
    """Decide the nodes half-way up a sublattice, then search below those that satisfy, above those that fail.

    Nodes of a height come in the order of the columns: those that raise the first column most come first.

    References
    ----------
    K. El Emam et al., "A globally optimal k-anonymity method for the de-identification of health data", JAMIA
    16(5), 2009; as in F. Kohlmayer et al., PASSAT 2012, section III-B.
    """

    framework: Framework = field(default_factory=Framework)
    name: ClassVar[str] = "ola"
    summary: ClassVar[str] = "Cut sublattices in the middle, in the order of the columns."
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
        natural = -np.arange(problem.lattice.size)
        return _search(problem, self.framework, natural, all_nodes=all_nodes, listener=listener)


@dataclass(frozen=True, slots=True)
class StableOla:
    """OLA that visits the nodes of a height in Flash's order, whatever the order of the columns."""

    framework: Framework = field(default_factory=Framework)
    name: ClassVar[str] = "ola-stable"
    summary: ClassVar[str] = "Cut sublattices in the middle, in an order free of the columns' order."
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
        stable = stable_ranks(problem.table)
        return _search(problem, self.framework, stable, all_nodes=all_nodes, listener=listener)


def _search(
    problem: SearchProblem,
    framework: Framework,
    ranks: NDArray[np.int64],
    *,
    all_nodes: bool,
    listener: SearchListener | None,
) -> SearchResult:
    checker = NodeChecker(problem, framework, listener)
    status = Status(checker.levels)
    checker.progress = lambda: (status.size, status.decided)
    top = tuple(levels - 1 for levels in checker.levels)
    _Bisection(checker, status, ranks).search((0,) * len(top), top)
    return result_of_decided(checker, status, all_nodes=all_nodes)


class _Bisection:
    def __init__(self, checker: NodeChecker, status: Status, ranks: NDArray[np.int64]) -> None:
        self.checker = checker
        self.status = status
        self.ranks = ranks
        indices = np.arange(status.size)
        self.indices = status.grid_of(indices)
        self.heights = status.grid_of(np.stack(np.unravel_index(indices, status.levels)).sum(axis=0))

    def decide(self, node: Node) -> bool:
        """Return whether a node satisfies, by checking it if need be."""
        known = self.status.known[self.status.index(node)]
        if known:
            return known == SATISFIES
        satisfies = self.checker.check(node).satisfies
        self.status.tag(node, satisfies=satisfies)
        return satisfies

    def search(self, bottom: Node, top: Node) -> None:
        """Decide all nodes between two."""
        # Nothing to check in what is decided: skipping it changes neither the checks nor their order.
        if self.status.settled(bottom, top):
            return
        low, high = sum(bottom), sum(top)
        if high - low < 2:
            self.decide(bottom)
            self.decide(top)
            return
        for node in self.between(bottom, top, (low + high) // 2):
            if self.decide(node):
                self.search(bottom, node)
            else:
                self.search(node, top)

    def between(self, bottom: Node, top: Node, height: int) -> list[Node]:
        """Return the nodes of a height that are between two others, in the order of their ranks."""
        box = self.status.box(bottom, top)
        found = self.indices[box][self.heights[box] == height]
        found = found[np.argsort(self.ranks[found])]
        return list(
            zip(*(levels.tolist() for levels in np.unravel_index(found, self.status.levels)), strict=True)
        )
