"""Datafly: generalize the column with the most distinct values until the table satisfies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from shoal.search.bound import lower_bound
from shoal.search.build_result import build_result
from shoal.search.capabilities import require_serves
from shoal.search.node_checker import Framework, NodeChecker
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchListener, SearchResult


@dataclass(frozen=True, slots=True)
class Datafly:
    """A greedy walk up the lattice: always the column with the most distinct values next.

    It stops at the first node that satisfies within the suppression limit. That one is a valid release, but
    there may be better ones, below it or elsewhere: a heuristic, here as a baseline. The result has a bound
    that tells how much better at most.

    References
    ----------
    L. Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression", IJUFKS
    10(5), 2002.
    """

    framework: Framework = field(default_factory=Framework)
    name: ClassVar[str] = "datafly"
    summary: ClassVar[str] = "Generalize the column with the most values until it satisfies: a heuristic."
    exact: ClassVar[bool] = False
    complete: ClassVar[bool] = False
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
        checker = NodeChecker(problem, self.framework, listener)
        columns = problem.table.columns
        node = [0] * len(columns)
        height = sum(checker.levels) - len(node)
        checker.progress = lambda: (height + 1, sum(node))
        while not checker.check(tuple(node)).satisfies:
            able = [column for column, level in enumerate(node) if level + 1 < checker.levels[column]]
            if not able:
                break
            values = [len(columns[column].labels[checker.lowest[column] + node[column]]) for column in able]
            node[able[values.index(max(values))]] += 1
        bound = lower_bound(problem) if checker.best else None
        untouched = checker.lattice - len(checker.scored) - checker.failed
        return build_result(checker, pruned=untouched, optimal=False, bound=bound)
