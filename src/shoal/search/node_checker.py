"""How a search gets its frequency sets: the framework of the Flash paper, with its optimizations as switches.

F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper, K. A. Kuhn, "Flash: Efficient, Stable and Optimal
K-Anonymity", PASSAT 2012, section IV.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from shoal import _kernel
from shoal.errors import InputError
from shoal.search.problem import Rank, SearchProblem, kernel_table
from shoal.search.result import Check, SearchListener
from shoal.search.status import Node

_REPORT_EVERY = 0.05  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Framework:
    """Which optimizations a search may use. Without any, every check scans F0.

    Attributes
    ----------
    projection
        A scan of F0 generalizes only the columns whose level changed since the last scan. (A roll-up does
        so anyway.)
    rollup
        A frequency set is made from that of a finer node, where the search has just seen one.
    history
        Frequency sets of failing nodes are kept for later roll-ups, the least recently used dropped first. (A
        search that goes breadth-first holds those of the height below itself, if it may roll up.)
    snapshot_share
        The history takes sets with at most as many classes as this share of the rows.
    snapshots
        The history holds at most so many.
    kept_share
        No set is kept that takes more bytes than this share of F0's, or 4 KB: it would save little.
    memory
        Bytes of frequency sets of checked nodes that a search may keep for roll-ups, beside F0; what would go
        beyond is made again. (The cube of incognito-cube is held all the same.)
    record
        Also return the nodes in the order in which they were checked.

    Examples
    --------
    >>> Framework.basic().rollup
    False
    """

    projection: bool = True
    rollup: bool = True
    history: bool = True
    snapshot_share: float = 0.2
    snapshots: int = 200
    kept_share: float = 0.5
    memory: int = 2 << 30
    record: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.snapshot_share <= 1:
            raise InputError(f"A snapshot's share of the rows is from 0 to 1.\nFound: {self.snapshot_share}.")
        if min(self.snapshots, self.kept_share, self.memory) < 0:
            raise InputError(
                "The entries of the history, the share of F0 and the memory cannot be negative.\n"
                f"Found: {self.snapshots}, {self.kept_share} and {self.memory}."
            )

    @classmethod
    def basic(cls) -> Framework:
        """Return the framework with all optimizations off."""
        return cls(projection=False, rollup=False, history=False)


@dataclass(frozen=True, slots=True)
class Best:
    """The best satisfying node that a search has seen."""

    rank: Rank
    score: float
    suppressed_rows: int
    classes: int


class NodeChecker:
    """Judges nodes for one search, in the cheapest way that the framework allows, and keeps the counts.

    Attributes
    ----------
    lattice, levels, lowest
        Nodes in all; how many levels each column has, and the lowest of them.
    best
        The best satisfying node so far.
    scored, failed
        The satisfying nodes whose score is known; how many others were checked.
    progress
        Tells nodes in all and nodes decided; set by the search.
    """

    def __init__(
        self,
        problem: SearchProblem,
        framework: Framework,
        listener: SearchListener | None = None,
        *,
        absent: bool = False,
        hand_out: bool = False,
    ) -> None:
        """Group the rows.

        Parameters
        ----------
        absent
            Nodes may leave columns out: those stand one level above the top.
        hand_out
            What `check` returns of a failing node can be given as a source later.
        """
        self.problem = problem
        self.framework = framework
        self.started = perf_counter()
        columns = problem.table.columns
        self.lowest = tuple(column.min_level for column in columns)
        ranges = [range(column.min_level, column.max_level + 1) for column in columns]
        self.levels = tuple(map(len, ranges))
        self.lattice = math.prod(self.levels)
        self.ground = kernel_table(problem.kernel_inputs, ranges, absent=absent)
        self.objective = problem.declared.objective
        self.kernel = self.ground.checker(
            requirement=problem.requirement,
            objective=self.objective,
            project=framework.projection,
            rollup=framework.rollup,
            hand_out=hand_out,
            snapshots=framework.snapshots if framework.history else 0,
            snapshot_classes=int(framework.snapshot_share * problem.table.rows),
            kept_share=framework.kept_share,
            memory=framework.memory,
        )
        self.best: Best | None = None
        self.scored: set[Node] = set()
        self.failed = 0
        self.checks: list[Check] = []
        self.progress: Callable[[], tuple[int, int]] = lambda: (1, 0)
        self._listener = listener
        self._reported = self.started

    def check(self, node: Node, source: _kernel.Checked | None = None) -> _kernel.Checked:
        """Compute the frequency set of a node of which nothing is known yet, and judge it.

        Parameters
        ----------
        source
            What the search itself has at hand to roll up from, a node below.
        """
        checked = self.kernel.check(node, source)
        self._count(node, checked)
        return checked

    def prepare(self, node: Node, source: _kernel.Checked | None = None) -> _kernel.Checked | None:
        """Make a frequency set to roll up from, if rolling up is allowed."""
        return self.kernel.prepare(node, source) if self.framework.rollup else None

    def _count(self, node: Node, checked: _kernel.Checked) -> None:
        # Of a node that leaves columns out only the search itself makes something.
        if all(map(int.__lt__, node, self.levels)):
            if checked.satisfies:
                self.offer(node, checked.score, checked.suppressed_rows, checked.classes)
            else:
                self.failed += 1
        if self.framework.record:
            positions = zip(node, self.levels, self.lowest, strict=True)
            self.checks.append(
                Check(
                    tuple([low + level if level < levels else None for level, levels, low in positions]),
                    checked.satisfies,
                )
            )
        if self._listener is not None and (now := perf_counter()) - self._reported > _REPORT_EVERY:
            self._reported = now
            self._listener(*self.progress(), self.best.score if self.best else None)

    def offer(self, node: Node, score: float, suppressed_rows: int, classes: int) -> None:
        """Take a satisfying node as the best if it is."""
        self.scored.add(node)
        if self.best is not None and score > self.best.score * (1 + 1e-9):
            return
        rank = self.problem.rank(tuple(map(int.__add__, self.lowest, node)), score)
        if self.best is None or rank < self.best.rank:
            self.best = Best(rank, score, suppressed_rows, classes)
