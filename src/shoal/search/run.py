"""The search of a table that is counted on request, whether or not all its tuples fit into memory.

If the zero-level frequency set fits, it is fetched and searched as ever. Otherwise levels at which a single
column has too many rows under rare labels are left out; if what is left still does not fit, regions are
searched: the nodes above one whose frequency set fits. What fails in a region rules out all below it, also
outside of the region, and a node that does not fit can be checked in the engine. What is left at the end is
said, with a bound on what it scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.search import custom_measure
from shoal.search.beyond_memory.next_node import NodeChooser
from shoal.search.beyond_memory.open_nodes import GridPoint, OpenNodes, below
from shoal.search.beyond_memory.region_counters import added, within
from shoal.search.beyond_memory.rule_out import certainly_lost, conclude
from shoal.search.beyond_memory.size_estimates import SizeEstimates
from shoal.search.beyond_memory.start import Start, entries_at_most
from shoal.search.capabilities import MOST_NODES
from shoal.search.counting_plan import Plan, Step, about, at_least, fitting, named
from shoal.search.frequency_sets import FrequencySets, TooManyEntries
from shoal.search.problem import SearchProblem
from shoal.search.result import Counters, SearchAlgorithm, SearchListener, SearchResult

MakeProblem = Callable[[CodedTable], SearchProblem]
Report = Callable[[str], None]

MOST_COUNTS = 16
"""Each count takes a scan of all rows."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The answer, and from what it was found.

    Attributes
    ----------
    problem
        The problem whose table holds the entries that the chosen node is rolled up from.
    whole
        Whether all nodes that may satisfy can be rolled up from them.
    """

    result: SearchResult
    problem: SearchProblem
    plan: Plan
    whole: bool = True


def search_counted(
    counts: FrequencySets,
    make_problem: MakeProblem,
    algorithm: SearchAlgorithm,
    *,
    most_entries: int,
    all_nodes: bool = False,
    threads: int = 1,
    listener: SearchListener | None = None,
    report: Report | None = None,
    most_counts: int = MOST_COUNTS,
) -> Counted:
    """Search a table whose frequency sets are counted on request.

    Parameters
    ----------
    make_problem
        Makes the problem of a table.
    most_entries
        How many entries of a frequency set fit into memory.
    report
        Called with what is counted, in words.
    most_counts
        How often the table may be counted where its tuples do not fit.

    Raises
    ------
    InputError
        Nothing that fits satisfies; or all nodes were requested, and some do not fit; or the measure needs
        tuples that do not fit.

    Examples
    --------
    >>> from shoal.data.shapes import shape
    >>> from shoal.measure.loss import Loss
    >>> from shoal.privacy.k_anonymity import KAnonymity
    >>> from shoal.search.algorithms.box import Box
    >>> from shoal.search.frequency_sets import InMemory
    >>> counts = InMemory(shape("lands-end", rows=2000))
    >>> def make_problem(table):
    ...     return SearchProblem(table, (KAnonymity(50),), Loss())
    >>> whole = search_counted(counts, make_problem, Box(), most_entries=2000)
    >>> parts = search_counted(counts, make_problem, Box(), most_entries=400)
    >>> parts.result.levels == whole.result.levels, parts.result.optimal
    (True, True)
    """
    if entries_at_most(counts.domain, (0,) * len(counts.domain.columns)) > most_entries:
        if report is not None:
            report("the rows, as numbers")
        counts = counts.for_many()
    start = Start.of(counts, make_problem, most_entries, report)
    if start.levels is not None:
        if report is not None:
            report(f"tuples at {at_least(counts.domain, start.levels)}")
        problem = make_problem(counts.at(start.levels))
        result = custom_measure.search(
            algorithm, problem, all_nodes=all_nodes, threads=threads, listener=listener
        )
        fetched = Step(f"fetched: {problem.table.entries:,} entries", None, problem.table.entries)
        plan = start.plan(most_entries)
        plan = replace(plan, steps=(*plan.steps, fetched), counts={**plan.counts, "at": 1})
        return Counted(result, problem, plan)
    search = _Regions(
        counts, make_problem, algorithm, start, most_entries, all_nodes, threads, listener, report
    )
    return search.run(most_counts * (4 if all_nodes else 1))


def explain(
    counts: FrequencySets,
    make_problem: MakeProblem,
    *,
    most_entries: int,
    report: Report | None = None,
    engine: str = "",
) -> Plan:
    """Return how a search would count the table, as far as that is known before.

    Examples
    --------
    >>> from shoal.data.shapes import shape
    >>> from shoal.measure.loss import Loss
    >>> from shoal.privacy.k_anonymity import KAnonymity
    >>> from shoal.search.frequency_sets import InMemory
    >>> counts = InMemory(shape("adult", rows=2000))
    >>> plan = explain(
    ...     counts, lambda table: SearchProblem(table, (KAnonymity(5),), Loss()), most_entries=5000
    ... )
    >>> print(plan.render())
    rows: 2,000
    tuples that fit into memory: 5,000
    1. level 0: at most 2,000 tuples, which fit
    """
    start = Start.of(counts, make_problem, most_entries, report)
    plan = replace(start.plan(most_entries), engine=engine)
    if start.levels is not None:
        return plan
    live = _live(start)
    estimates = SizeEstimates(live)
    first = NodeChooser(live, estimates, most_entries, all_nodes=False).next()
    assert first is not None, "no node is settled yet"
    levels, entries = live.levels_of(first.point), float(estimates.entries[first.point])
    step = Step(
        f"then regions of the lattice, in up to {MOST_COUNTS} counts; the first above "
        f"{at_least(start.problem.table, levels)}, {about(entries)} tuples",
        named(start.problem.table, levels),
        round(entries),
    )
    return replace(plan, steps=(*plan.steps, step))


@dataclass
class _Regions:
    """A search by regions, with what it has found so far."""

    counts: FrequencySets
    make_problem: MakeProblem
    algorithm: SearchAlgorithm
    start: Start
    most_entries: int
    all_nodes: bool
    threads: int
    listener: SearchListener | None
    report: Report | None
    steps: list[Step] = field(default_factory=list)
    best: SearchResult | None = None
    problem: SearchProblem | None = None
    satisfying: list[NDArray[np.uint8]] = field(default_factory=list)
    floors: list[float] = field(default_factory=list)
    totals: Counters = field(default_factory=lambda: Counters(lattice=0))
    optimal: bool = True
    counted: dict[str, int] = field(default_factory=lambda: {"at": 0, "below": 0})

    def run(self, most_counts: int) -> Counted:
        began = perf_counter()
        self.live = _live(self.start)
        self.estimates = SizeEstimates(self.live)
        self.chooser = NodeChooser(self.live, self.estimates, self.most_entries, all_nodes=self.all_nodes)
        done = 0
        while done < most_counts and self.live.open.any():
            count = self.chooser.next()
            if count is None:
                break
            done += 1
            if count.kind == "fetch":
                self._fetch(count.point)
            else:
                self._check(count.point)
            if self.live.open.any():
                self.estimates.guess()
        return self._answer(perf_counter() - began)

    def _fetch(self, point: GridPoint) -> None:
        """Search the region above a node, if its entries fit."""
        levels = self.live.levels_of(point)
        what = at_least(self.start.problem.table, levels)
        self._say(f"tuples, {what}: {about(float(self.estimates.entries[point]))}")
        self.counted["at"] += 1
        try:
            table = self.counts.at(levels, most=self.most_entries)
        except TooManyEntries:
            self.chooser.oversized(point)
            self.estimates.learn(point, entries=2 * self.most_entries)
            self._step(f"region above {what}: too many tuples", levels)
            if point == self.live.top:
                self._refuse_all()
            return
        problem = self.make_problem(table)
        result = custom_measure.search(
            self.algorithm,
            problem,
            all_nodes=self.all_nodes,
            threads=self.threads,
            listener=self.listener,
        )
        self._offer(result, problem)
        self.live.searched(point)
        self.estimates.learn(point, entries=table.entries)
        if self.live.open.any():
            learned = conclude(self.live, problem, point)
            self.chooser.fetched(point, learned.passing)
            for node, small in learned.small.items():
                self.estimates.learn(node, small=small)
        self._step(f"region above {what}: {table.entries:,} tuples{self._state()}", levels, table.entries)

    def _check(self, point: GridPoint) -> None:
        """Ask whether a node that does not fit has too many rows in small classes."""
        levels = self.live.levels_of(point)
        what = at_least(self.start.problem.table, levels)
        self._say(f"classes, {what}")
        self.counted["below"] += 1
        small, classes = self.counts.below(levels, self.start.problem.threshold)
        limit = self.start.problem.limit
        entries = None if self._beside else classes
        self.estimates.learn(point, small=small, entries=entries)
        self.chooser.checked(point, passes=small <= limit, entries=entries)
        if small > limit:
            self.live.fail(point)
        elif self.live.additive:
            extra = np.zeros(self.live.shape)
            extra[below(point)] = certainly_lost(self.start.problem, levels, small)
            self.live.raise_floors(extra)
            self.live.close_worse()
        verdict = "more than may be suppressed" if small > limit else "which may be suppressed"
        self._step(
            f"checked {what}: {classes:,} classes, {small:,} rows in small ones, {verdict}{self._state()}",
            levels,
            classes,
        )

    def _offer(self, found: SearchResult, problem: SearchProblem) -> None:
        """Take the answer of a region for the best if it is, and add up what it took."""
        if self.problem is None:
            self.problem = replace(problem)
        if found.satisfying is not None:
            self.satisfying.append(found.satisfying)
        if not found.optimal:
            self.optimal = False
            self.floors.append(-np.inf if found.bound is None else found.bound)
        self.totals = added(self.totals, found.counters)
        if found.levels is None or found.score is None:
            return
        rank = self.start.problem.rank(found.levels, found.score)
        if self.live.best is None or rank < self.live.best:
            self.best = found
            self.problem = replace(problem)  # without the kernel's copy of the entries
            if self.all_nodes:
                self.live.best = rank
            else:
                self.live.beat(rank)

    def _answer(self, seconds: float) -> Counted:
        left = int(np.count_nonzero(self.live.open))
        notes: tuple[str, ...] = ()
        if left:
            if self.best is None or self.all_nodes:
                self._refuse(left)
            notes = (self._left(left),)
        if self.problem is None:
            top = self.live.levels_of(self.live.top)
            self.counted["at"] += 1
            self.problem = self.make_problem(self.counts.at(top))
        counters = within(self.totals, self.start.problem.lattice.size, seconds)
        optimal = self.optimal and not left
        if self.best is None:
            result = SearchResult(
                levels=None,
                score=None,
                suppressed_rows=0,
                classes=0,
                counters=counters,
                satisfying=self._all(),
                optimal=optimal,
            )
        else:
            result = replace(
                self.best,
                counters=counters,
                satisfying=self._all(),
                subsets=None,
                checks=(),
                optimal=optimal,
                bound=None if optimal else self._bound(),
            )
        plan = self.start.plan(self.most_entries)
        plan = replace(
            plan, steps=(*plan.steps, *self.steps), notes=notes, counts={**plan.counts, **self.counted}
        )
        return Counted(result, self.problem, plan, whole=False)

    def _bound(self) -> float | None:
        assert self.best is not None and self.best.score is not None
        floors = [self.best.score, *self.floors]
        if self.live.open.any():
            bound = self.live.bound
            floors.append(-np.inf if bound is None else bound)
        least = min(floors)
        return float(least) if np.isfinite(least) else None

    def _all(self) -> NDArray[np.uint8] | None:
        if not self.all_nodes:
            return None
        columns = len(self.start.problem.table.columns)
        found = np.concatenate([np.zeros((0, columns), dtype=np.uint8), *self.satisfying])
        return np.unique(found, axis=0)

    def _left(self, left: int) -> str:
        nodes = "1 node of the lattice was" if left == 1 else f"{left:,} nodes of the lattice were"
        return (
            f"{nodes} not settled, and may be better: not all tuples fit into memory, which holds "
            f"{fitting(self.most_entries)}, and they were counted {_times(len(self.steps))}. "
            f"{self._help()}"
        )

    def _help(self) -> str:
        """Describe how much memory would do."""
        missing = self.chooser.missing()
        if missing <= self.most_entries:
            return "With more memory fewer are left."
        return f"Memory for {about(missing)} would settle it."

    def _refuse(self, left: int) -> None:
        what = (
            "All satisfying nodes were requested, and the tuples of some do not fit into memory."
            if self.all_nodes
            else "No node that was checked satisfies, and the tuples of the others do not fit into memory."
        )
        raise InputError(
            f"{what}\n"
            f"Nodes not settled: {left:,}; tuples that fit: {fitting(self.most_entries)}. {self._help()}\n"
            "Allow more memory, begin at higher levels with min-level, or declare fewer quasi-identifiers."
        )

    def _refuse_all(self) -> None:
        raise InputError(
            "Even at the highest levels the tuples do not fit into memory.\n"
            f"Tuples that fit: {fitting(self.most_entries)}.\n"
            "Allow more memory, raise max-level, or use fewer columns in the models and the measure."
        )

    @property
    def _beside(self) -> bool:
        table = self.start.problem.table
        return bool(table.attributes) or table.units is not None

    def _state(self) -> str:
        left = int(np.count_nonzero(self.live.open))
        best = "" if self.best is None or self.best.score is None else f"; best score {self.best.score:.6g}"
        return f"{best}; {left:,} nodes left"

    def _step(self, what: str, levels: Sequence[int], entries: int | None = None) -> None:
        self.steps.append(Step(what, named(self.start.problem.table, levels), entries))

    def _say(self, what: str) -> None:
        if self.report is not None:
            self.report(what)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _live(start: Start) -> OpenNodes:
    """Return the nodes of the lattice, all open."""
    nodes = start.problem.lattice.size
    if nodes > MOST_NODES:
        raise InputError(
            f"The tuples do not fit into memory, and the lattice is too large to be searched in parts.\n"
            f"Found: {nodes:,} nodes; up to {MOST_NODES:,} can be.\n"
            "Allow more memory, allow fewer levels with min-level and max-level, or declare fewer "
            "quasi-identifiers."
        )
    return OpenNodes(start.problem)
