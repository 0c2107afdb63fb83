"""The default search: exact, on the native kernel.

It bisects the undecided region of the lattice; cpp/include/shoal/box_search.hpp tells how.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar

from shoal import _kernel
from shoal.search.capabilities import MOST_LISTED, refuse_large, require_serves
from shoal.search.problem import SearchProblem
from shoal.search.result import Counters, SearchListener, SearchResult


@dataclass(frozen=True, slots=True)
class Box:
    """Decide boxes of nodes by their corners; prune by score unless all nodes are wanted.

    Below `least_shared_work`, tuples times undecided nodes, further threads are not started: that would take
    longer than it saves.
    """

    least_shared_work: int = _kernel.least_shared_work
    name: ClassVar[str] = "box"
    summary: ClassVar[str] = "Decide boxes of nodes by their corners, on all processors; the default."
    exact: ClassVar[bool] = True
    complete: ClassVar[bool] = True
    absorbing_only: ClassVar[bool] = False
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
        if all_nodes:
            refuse_large(problem, most=MOST_LISTED)
        start = perf_counter()
        problem.ground.reset_peak_bytes()
        found = problem.ground.search(
            requirement=problem.requirement,
            objective=problem.objective,
            all_nodes=all_nodes,
            threads=threads,
            least_shared_work=self.least_shared_work,
            progress=listener,
        )
        return SearchResult(
            levels=found.levels,
            score=found.score,
            suppressed_rows=found.suppressed_rows,
            classes=found.classes,
            counters=Counters(
                lattice=problem.lattice.size,
                checked=found.checked,
                tagged_satisfying=found.tagged_satisfying,
                tagged_failing=found.tagged_failing,
                pruned=problem.lattice.size - found.checked - found.tagged_satisfying - found.tagged_failing,
                rollups=found.rollups,
                scans=found.scans,
                touched=found.touched,
                peak_bytes=problem.ground.peak_bytes,
                seconds=perf_counter() - start,
            ),
            satisfying=None if found.satisfying is None else problem.lattice.expand(found.satisfying),
        )
