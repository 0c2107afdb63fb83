"""Bottom-up breadth-first search of the whole lattice, with and without roll-up."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from shoal.search.algorithms.breadth_first import breadth_first
from shoal.search.build_result import result_of_decided
from shoal.search.capabilities import refuse_large, require_serves
from shoal.search.node_checker import Framework, NodeChecker
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchListener, SearchResult


@dataclass(frozen=True, slots=True)
class BottomUp:
    """Check all nodes from the bottom up, height by height, except generalizations of a satisfying one.

    Each frequency set is rolled up from that of a direct specialization.

    References
    ----------
    K. LeFevre, D. DeWitt, R. Ramakrishnan, "Incognito: Efficient Full-Domain K-Anonymity", SIGMOD 2005,
    section 2.2.
    """

    framework: Framework = field(default_factory=Framework)
    name: ClassVar[str] = "bottom-up"
    summary: ClassVar[str] = "Check the lattice height by height, each node rolled up from one below it."
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
        checker = NodeChecker(problem, self.framework, listener, hand_out=True)
        bottom = (0,) * len(checker.levels)
        status = breadth_first(checker, range(len(bottom)), {bottom: None}, nodes=checker.lattice)
        return result_of_decided(checker, status, all_nodes=all_nodes)


@dataclass(frozen=True, slots=True)
class BottomUpNoRollup:
    """The same, with every frequency set counted from F0: what roll-up is to be compared with."""

    framework: Framework = field(default_factory=Framework.basic)
    name: ClassVar[str] = "bottom-up-no-rollup"
    summary: ClassVar[str] = "Check the lattice height by height, each node counted from the data."
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
        without = replace(self.framework, rollup=False, history=False)
        return BottomUp(without).search(problem, all_nodes=all_nodes, threads=threads, listener=listener)
