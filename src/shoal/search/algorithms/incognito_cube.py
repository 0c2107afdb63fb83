"""Cube Incognito: the zero-level frequency sets of all sets of columns come first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from shoal import _kernel
from shoal.search.algorithms.breadth_first import Roots
from shoal.search.algorithms.incognito import Columns, Sources, search_subsets, subsets
from shoal.search.capabilities import require_serves
from shoal.search.node_checker import Framework, NodeChecker
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchListener, SearchResult
from shoal.search.status import Node


@dataclass(frozen=True, slots=True)
class CubeIncognito:
    """Incognito on a data cube.

    Before the search, the frequency set at the lowest levels is made for every set of columns, each from the
    smallest one with a column more. Then no lattice has to go back to F0.

    References
    ----------
    K. LeFevre, D. DeWitt, R. Ramakrishnan, "Incognito: Efficient Full-Domain K-Anonymity", SIGMOD 2005,
    section 3.3.2.
    """

    framework: Framework = field(default_factory=Framework)
    name: ClassVar[str] = "incognito-cube"
    summary: ClassVar[str] = "Incognito that first makes the finest frequency set of every set of columns."
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
        return search_subsets(problem, self.framework, Cube, all_nodes=all_nodes, listener=listener)


class Cube(Sources):
    """Roots are rolled up from the cell of the cube that has their columns."""

    def __init__(self, checker: NodeChecker) -> None:
        super().__init__(checker)
        self.cells: dict[Columns, _kernel.Checked | None] = {}
        width = len(checker.levels)
        for columns in reversed(subsets(width)[:-1]):
            self.cells[columns] = checker.prepare(
                self.everywhere(columns, (0,) * len(columns)), self._smallest_above(columns, width)
            )

    def _smallest_above(self, columns: Columns, width: int) -> _kernel.Checked | None:
        """Return the smallest cell with a column more; the one of all columns is F0 itself."""
        one_more = (tuple(sorted((*columns, other))) for other in range(width) if other not in columns)
        above = [cell for more in one_more if (cell := self.cells.get(more)) is not None]
        return min(above, key=lambda cell: cell.classes, default=None)

    def of(self, columns: Columns, roots: Sequence[Node]) -> Roots:
        return dict.fromkeys(roots, self.cells.pop(columns, None))
