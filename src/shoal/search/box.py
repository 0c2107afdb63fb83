"""The default search: exact, on the native kernel.

It bisects the undecided region of the lattice; cpp/include/shoal/box_search.hpp tells how.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal import _kernel
from shoal.errors import InputError
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
    exact: ClassVar[bool] = True

    def search(
        self,
        problem: SearchProblem,
        *,
        all_nodes: bool = False,
        threads: int = 1,
        listener: SearchListener | None = None,
    ) -> SearchResult:
        for model in problem.models:
            if not model.absorbing:
                raise InputError(f"The box search cannot serve {model.describe()}: it is not absorbing.")
        found = problem.ground.search(
            k=problem.threshold,
            limit=problem.limit,
            objective=problem.objective,
            all_nodes=all_nodes,
            threads=threads,
            least_shared_work=self.least_shared_work,
            progress=listener,
        )
        return SearchResult(
            levels=tuple(found["levels"]) if found["found"] else None,
            score=found.get("score"),
            suppressed_rows=found.get("suppressed_rows", 0),
            classes=found.get("classes", 0),
            fewest_suppressed=found["fewest_suppressed"],
            counters=Counters(problem.lattice.size, found["checked"], found["rollups"]),
            satisfying=problem.lattice.expand(found["satisfying"]) if all_nodes else None,
        )
