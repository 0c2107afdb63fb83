"""What the parts of an anytime search share: the best node so far, what is known, and the budget."""

from __future__ import annotations

from time import perf_counter

from shoal import _kernel
from shoal.measure.measure import canonical
from shoal.search.algorithms.anytime.budget import Budget
from shoal.search.algorithms.anytime.hopeless_nodes import Hopeless
from shoal.search.algorithms.box import Box
from shoal.search.bound import Bounds
from shoal.search.lattice_part import Part
from shoal.search.node_checker import Best, Framework, NodeChecker
from shoal.search.problem import SearchProblem
from shoal.search.result import Counters, SearchListener, SearchResult
from shoal.search.status import Node

_REPORT_EVERY = 0.05  # seconds


class Exploration:
    """A lattice that is explored by whoever checks its nodes, or has a part of it searched.

    Nodes are given by positions in `levels`.

    Attributes
    ----------
    levels
        Per column, the levels that differ on the values at hand.
    top
        The node with the highest of them.
    best
        The best satisfying node so far.
    solved
        That no node is better is proved.
    progress
        Nodes in all, and nodes that were decided.
    """

    def __init__(
        self,
        problem: SearchProblem,
        budget: Budget,
        *,
        threads: int = 1,
        listener: SearchListener | None = None,
    ) -> None:
        self.problem = problem
        self.budget = budget
        self.levels = problem.lattice.levels
        self.top = tuple(len(levels) - 1 for levels in self.levels)
        self.bounds = Bounds(problem)
        self.best: Best | None = None
        self.solved = False
        self.progress = (1, 0)
        self._checker = NodeChecker(problem, Framework())
        self._steps = [
            [level - lowest for level in levels]
            for levels, lowest in zip(self.levels, self._checker.lowest, strict=True)
        ]
        self._known = Hopeless([len(levels) for levels in self.levels])
        self._whole = Part.whole(problem)
        self._relaxed = Part.relaxed(problem) if self.bounds.additive else self._whole
        self._threads = threads
        self._listener = listener
        self._reported = self._checker.started
        self._parts = Counters(lattice=0)

    def look(self, node: Node) -> _kernel.Checked:
        """Check a node, whatever is left of the budget."""
        checked = self._checker.kernel.check(tuple(map(list.__getitem__, self._steps, node)))
        self._known.add(node, hopeless=checked.hopeless)
        if checked.satisfies:
            self._offer(self.declared(node), checked.score, checked.suppressed_rows, checked.classes)
        return checked

    def check(self, node: Node) -> _kernel.Checked:
        """Check a node, and take it for the best if it is."""
        self.budget.spend()
        self._report()
        return self.look(node)

    def hopeless(self, node: Node) -> bool:
        """Return whether neither a node nor any of its specializations satisfies."""
        known = self._known.get(node)
        return self.check(node).hopeless if known is None else known

    def search(self, low: Node, high: Node) -> Best | None:
        """Return the best node between two, if one satisfies."""
        found = self._search(self._whole, low, high)
        if found.levels is None or found.score is None:
            return None
        return self._offer(found.levels, found.score, found.suppressed_rows, found.classes)

    def cheapest(self, low: Node, high: Node) -> Node | None:
        """Return the node between two whose levels cost the least of all that may be above a satisfying one.

        None if there is no satisfying node below them.
        """
        found = self._search(self._relaxed, low, high)
        return None if found.levels is None else self.position(found.levels)

    def dominated(self, node: Node, floor: float) -> bool:
        """Return whether the best is better than the node and all above it, which score at least `floor`."""
        if self.best is None:
            return False
        if (least := canonical(floor)) != self.best.rank[0]:
            return least > self.best.rank[0]
        return self.problem.rank(self.declared(node), floor) >= self.best.rank

    def declared(self, node: Node) -> Node:
        """Return the levels of a node."""
        return tuple(map(tuple.__getitem__, self.levels, node))

    def position(self, levels: Node) -> Node:
        """Return the node with these levels."""
        return tuple(map(tuple.index, self.levels, levels))

    def result(self, *, bound: float) -> SearchResult:
        """Return the answer: the best node, and what no satisfying node scores less than."""
        best = self.best
        own, parts = self._checker.kernel.counters, self._parts
        lattice = self._checker.lattice
        # Parts may have checked a node of a small lattice more than once.
        checked = min(own.checked + parts.checked, lattice)
        optimal = self.solved or (best is not None and canonical(bound) >= best.rank[0])
        return SearchResult(
            levels=best.rank[-1] if best else None,
            score=best.score if best else None,
            suppressed_rows=best.suppressed_rows if best else 0,
            classes=best.classes if best else 0,
            counters=Counters(
                lattice=lattice,
                checked=checked,
                pruned=lattice - checked,
                rollups=own.rollups + parts.rollups,
                scans=own.scans + parts.scans,
                touched=own.touched + parts.touched,
                snapshots=own.snapshots,
                evicted=own.evicted,
                peak_bytes=self._checker.ground.peak_bytes + parts.peak_bytes,
                seconds=perf_counter() - self._checker.started,
            ),
            optimal=optimal,
            bound=None if optimal or best is None else min(self.bounds.claim(bound), best.score),
        )

    def _search(self, problem: Part, low: Node, high: Node) -> SearchResult:
        part = problem.between(self.declared(low), self.declared(high))
        found = Box().search(part, threads=self._threads, listener=self._wait)
        # What takes more than is left of the budget does not count, so that a larger one never does worse.
        self.budget.spend(found.counters.checked)
        sums, more = self._parts, found.counters
        self._parts = Counters(
            lattice=0,
            checked=sums.checked + more.checked,
            rollups=sums.rollups + more.rollups,
            scans=sums.scans + more.scans,
            touched=sums.touched + more.touched,
            peak_bytes=max(sums.peak_bytes, more.peak_bytes),
        )
        return found

    def _offer(self, levels: Node, score: float, suppressed_rows: int, classes: int) -> Best:
        node = Best(self.problem.rank(levels, score), score, suppressed_rows, classes)
        if self.best is None or node.rank < self.best.rank:
            self.best = node
        return node

    def _wait(self, nodes: int, decided: int, best: float | None) -> None:
        self.budget.look_at_the_clock()
        self._report()

    def _report(self) -> None:
        if self._listener is not None and (now := perf_counter()) - self._reported > _REPORT_EVERY:
            self._reported = now
            self._listener(*self.progress, self.best.score if self.best else None)
