"""Incognito in a database: what the paper's program asks of its database, asked of ours."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from time import perf_counter
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.search.algorithms.incognito import Columns, named, refuse_large_subsets, subsets
from shoal.search.algorithms.incognito_sql.graph import Graph
from shoal.search.algorithms.incognito_sql.own_database import OwnDuckDB
from shoal.search.algorithms.incognito_sql.star_schema import FrequencySet, Node, StarSchema
from shoal.search.algorithms.incognito_sql.tables import TemporaryTables
from shoal.search.build_result import minimal, score
from shoal.search.capabilities import refuse_large, require_serves
from shoal.search.node_checker import Framework, NodeChecker
from shoal.search.problem import SearchProblem
from shoal.search.result import Check, Counters, SearchListener, SearchResult
from shoal.sql.connection import SqlDatabase

MOST_NODES = 1 << 15
"""Nodes of the lattices of all sets of columns: each that is checked is a table of the database."""


@dataclass(frozen=True, slots=True)
class IncognitoSql:
    """Incognito in SQL: for study, and as a check of the kernel that shares nothing with it.

    F0 is the fact table of a star schema, hierarchies are its dimension tables. Candidate nodes and edges are
    relations: those of one column more come of a join of the nodes that satisfy, are pruned by their other
    parts, and get their edges from those of their parents. The graph of each size is searched breadth-first.
    The frequency set of a root is counted from the facts, that of another node rolled up from one below it,
    by a join with the dimension table; each is a temporary table. What generalizes a satisfying node is
    marked, and not counted.

    Parameters
    ----------
    database
        Where it runs; if not given, DuckDB in memory.
    record
        Also return the nodes in the order in which they were checked.

    References
    ----------
    K. LeFevre, D. DeWitt, R. Ramakrishnan, "Incognito: Efficient Full-Domain K-Anonymity", SIGMOD 2005,
    section 3.1 and Figures 4, 6 and 8.

    Examples
    --------
    >>> import pyarrow as pa, shoal
    >>> people = pa.table({"age": [31, 35, 52, 58], "sex": ["F", "M", "F", "M"]})
    >>> hierarchies = {"age": shoal.intervals(10, 20), "sex": "suppress"}
    >>> spec = shoal.Spec(quasi_identifiers=hierarchies, privacy=[shoal.KAnonymity(2)])
    >>> shoal.anonymize(people, spec, algorithm=IncognitoSql()).levels
    {'age': 3, 'sex': 0}
    """

    database: SqlDatabase | None = None
    record: bool = False
    name: ClassVar[str] = "incognito-sql"
    summary: ClassVar[str] = "Incognito as its paper has it: in SQL, in DuckDB or the database of the table."
    exact: ClassVar[bool] = True
    complete: ClassVar[bool] = True
    absorbing_only: ClassVar[bool] = True
    sizes_only: ClassVar[bool] = True
    measures: ClassVar[tuple[str, ...]] = ()

    def search(
        self,
        problem: SearchProblem,
        *,
        all_nodes: bool = False,
        threads: int = 1,
        listener: SearchListener | None = None,
    ) -> SearchResult:
        start = perf_counter()
        require_serves(self, problem, all_nodes=all_nodes)
        nodes = refuse_large_subsets(problem)
        refuse_large(problem, nodes, "the lattices of all sets of columns in a table", MOST_NODES)
        levels = [column.max_level - column.min_level + 1 for column in problem.table.columns]
        with ExitStack() as stack:
            database = self.database or stack.enter_context(OwnDuckDB(threads))
            tables = stack.enter_context(TemporaryTables(database))
            star = StarSchema(tables, problem.table, problem.threshold)
            work = _Work(star, problem.limit, nodes, listener)
            graph = Graph.of_columns(tables, levels)
            survivors = {
                chosen: np.zeros([levels[column] for column in chosen], dtype=bool)
                for chosen in subsets(len(levels))
            }
            for size in range(1, len(levels) + 1):
                satisfying = _breadth_first(graph, work)
                for node in satisfying.values():
                    survivors[_columns(node)][_levels(node)] = True
                work.decided += sum(flags.size for chosen, flags in survivors.items() if len(chosen) == size)
                if size < len(levels):
                    graph = graph.next(list(satisfying))
        return _answer(problem, survivors, work, all_nodes=all_nodes, record=self.record, start=start)


@dataclass(slots=True)
class _Work:
    """What a search has done so far."""

    star: StarSchema
    limit: int
    nodes: int
    listener: SearchListener | None
    checks: list[tuple[Node, bool]] = field(default_factory=list)
    scans: int = 0
    rollups: int = 0
    touched: int = 0
    decided: int = 0
    held: int = 0
    peak: int = 0

    def check(self, node: Node, finer: FrequencySet | None) -> FrequencySet | None:
        """Make the frequency set of a node; return it if the node fails."""
        if finer is None:
            made = self.star.counted(node)
            self.scans += 1
            self.touched += self.star.entries
        else:
            made = self.star.rolled_up(finer, node)
            self.rollups += 1
            self.touched += finer.classes
        self.held += _bytes(made)
        self.peak = max(self.peak, self.held)
        satisfies = made.failing_rows <= self.limit
        self.checks.append((node, satisfies))
        if self.listener is not None:
            self.listener(self.nodes, self.decided, None)
        if not satisfies:
            return made
        self.drop([made])
        return None

    def drop(self, sets: list[FrequencySet]) -> None:
        self.star.drop(sets)
        self.held -= sum(map(_bytes, sets))


def _breadth_first(graph: Graph, work: _Work) -> dict[int, Node]:
    """Return the nodes of a graph that satisfy, by their ids (Figure 8 of the paper)."""
    candidates, above = graph.candidates(), graph.generalizations()
    below = {end for ends in above.values() for end in ends}
    highest = max((_height(node) for node in candidates.values()), default=-1)
    queue: list[dict[int, FrequencySet | None]] = [{} for _ in range(highest + 1)]
    for number, node in candidates.items():
        if number not in below:
            queue[_height(node)][number] = None
    marked: set[int] = set()
    failing: set[int] = set()
    held: list[FrequencySet] = []
    for here in queue:
        made: list[FrequencySet] = []
        for number, finer in here.items():
            if number in marked:
                continue
            found = work.check(candidates[number], finer)
            if found is None:
                _mark(number, above, marked)
                continue
            failing.add(number)
            made.append(found)
            for end in above.get(number, ()):
                waiting = queue[_height(candidates[end])]
                known = waiting.get(end)
                if known is None or found.classes < known.classes:
                    waiting[end] = found
        work.drop(held)  # a step up goes one height up, so what is below this one has served its purpose
        held = made
    work.drop(held)
    return {number: node for number, node in candidates.items() if number not in failing}


def _mark(number: int, above: dict[int, list[int]], marked: set[int]) -> None:
    """Mark a node and all that generalize it (the generalization property)."""
    waiting = [number]
    while waiting:
        here = waiting.pop()
        if here not in marked:
            marked.add(here)
            waiting += above.get(here, ())


def _answer(
    problem: SearchProblem,
    survivors: dict[Columns, NDArray[np.bool_]],
    work: _Work,
    *,
    all_nodes: bool,
    record: bool,
    start: float,
) -> SearchResult:
    """Score what satisfies."""
    columns = problem.table.columns
    everywhere = survivors[tuple(range(len(columns)))]
    satisfying = np.argwhere(everywhere)
    checker = NodeChecker(problem, Framework.basic())
    score(checker, minimal(satisfying) if problem.measure.monotone else satisfying)
    best = checker.best
    of_all = [satisfies for node, satisfies in work.checks if len(node) == len(columns)]
    return SearchResult(
        levels=best.rank[-1] if best else None,
        score=best.score if best else None,
        suppressed_rows=best.suppressed_rows if best else 0,
        classes=best.classes if best else 0,
        counters=Counters(
            lattice=everywhere.size,
            checked=len(work.checks),
            tagged_satisfying=len(satisfying) - sum(of_all),
            tagged_failing=everywhere.size - len(satisfying) - (len(of_all) - sum(of_all)),
            rollups=work.rollups,
            scans=work.scans,
            touched=work.touched,
            peak_bytes=work.peak,
            seconds=perf_counter() - start,
        ),
        satisfying=(satisfying + checker.lowest).astype(np.uint8) if all_nodes else None,
        subsets=named(problem, survivors),
        checks=tuple(_checked(problem, node, satisfies) for node, satisfies in work.checks) if record else (),
    )


def _checked(problem: SearchProblem, node: Node, satisfies: bool) -> Check:
    chosen = dict(node)
    levels = [
        column.min_level + chosen[position] if position in chosen else None
        for position, column in enumerate(problem.table.columns)
    ]
    return Check(tuple(levels), satisfies)


def _columns(node: Node) -> Columns:
    return tuple(column for column, _ in node)


def _levels(node: Node) -> tuple[int, ...]:
    return tuple(level for _, level in node)


def _height(node: Node) -> int:
    return sum(level for _, level in node)


def _bytes(made: FrequencySet) -> int:
    return made.classes * 8 * (len(made.node) + 1)
