"""Super-roots Incognito: one scan for all roots of a lattice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from shoal.search.algorithms.breadth_first import Roots
from shoal.search.algorithms.incognito import Columns, Sources, search_subsets
from shoal.search.capabilities import require_serves
from shoal.search.node_checker import Framework
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchListener, SearchResult
from shoal.search.status import Node


@dataclass(frozen=True, slots=True)
class SuperRootsIncognito:
    """Incognito that counts the roots of a lattice from F0 together.

    A lattice that lost its lower part can have several roots. Instead of one scan each, the frequency set of
    their super-root is counted, and the roots are rolled up from it. The super-root takes the lowest level of
    the roots in every column: their greatest lower bound (the paper says least upper bound). It is below
    the candidates, so it is known to fail and is not checked.

    References
    ----------
    K. LeFevre, D. DeWitt, R. Ramakrishnan, "Incognito: Efficient Full-Domain K-Anonymity", SIGMOD 2005,
    section 3.3.1.
    """

    framework: Framework = field(default_factory=Framework)
    name: ClassVar[str] = "incognito-super-roots"
    summary: ClassVar[str] = "Incognito with one pass over the data per set of columns."
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
        return search_subsets(problem, self.framework, SuperRoots, all_nodes=all_nodes, listener=listener)


class SuperRoots(Sources):
    """Roots are rolled up from their super-root."""

    def of(self, columns: Columns, roots: Sequence[Node]) -> Roots:
        if len(roots) < 2:
            return dict.fromkeys(roots)
        super_root = tuple(map(min, *roots))
        return dict.fromkeys(roots, self.checker.prepare(self.everywhere(columns, super_root)))
