"""The reference: every node, counted with numpy, with nothing shared with the kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.measure.measure import Node
from shoal.privacy.classes import Classes
from shoal.privacy.passing_classes import passing, settled
from shoal.search.capabilities import MOST_LISTED, refuse_large
from shoal.search.problem import SearchProblem
from shoal.search.result import Counters, SearchListener, SearchResult

IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Exhaustive:
    """Check every node by counting rows. Slow, and easy to believe."""

    name: ClassVar[str] = "exhaustive"
    summary: ClassVar[str] = (
        "Check every node in plain numpy, sharing nothing with the kernel: the reference."
    )
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
        start = perf_counter()
        refuse_large(problem, most=MOST_LISTED)
        size = problem.lattice.size
        best: tuple[object, ...] | None = None
        best_node: Node | None = None
        score: float | None = None
        satisfying = []
        for done, (levels, of_all, count) in enumerate(_groupings(problem)):
            classes = _classes(problem, of_all, count)
            kept = passing(problem.models, classes)
            if settled(problem.models, classes, kept, problem.limit):
                node = as_node(problem, levels, classes, kept)
                satisfying.append(levels)
                value = problem.measure.score(node)
                rank = problem.rank(levels, value)
                if best is None or rank < best:
                    best, best_node, score = rank, node, value
            if listener is not None and (done % 64 == 0 or done + 1 == size):
                listener(size, done + 1, score)
        return SearchResult(
            levels=best_node.levels if best_node else None,
            score=score,
            suppressed_rows=best_node.suppressed_rows if best_node else 0,
            classes=len(best_node.sizes) if best_node else 0,
            counters=Counters(
                lattice=size,
                checked=size,
                scans=size,
                touched=size * problem.table.entries,
                seconds=perf_counter() - start,
            ),
            satisfying=np.array(satisfying, dtype=np.uint8).reshape(-1, len(problem.table.columns))
            if all_nodes
            else None,
        )


def classes_of(problem: SearchProblem, levels: Sequence[int]) -> Classes:
    """Group the rows of a table, and of its populations, at a node."""
    of_all = np.zeros(len(_codes(problem, 0)), dtype=np.int64)
    count = 1
    for position, level in enumerate(levels):
        of_all, count = _refine(problem, of_all, count, position, level)
    return _classes(problem, of_all, count)


def node_of(problem: SearchProblem, levels: Sequence[int]) -> Node:
    """Group the rows of a table at a node, for scoring it."""
    if problem.starred:
        return problem.verdict(levels).as_node(problem.k)
    classes = classes_of(problem, levels)
    return as_node(problem, levels, classes, passing(problem.models, classes))


def _groupings(
    problem: SearchProblem, levels: tuple[int, ...] = (), of_all: IntArray | None = None, count: int = 1
) -> Iterator[tuple[tuple[int, ...], IntArray, int]]:
    """For every node with these levels first: its levels, the class of each row, the number of classes.

    Rows of populations come after those of the table.
    """
    if of_all is None:
        of_all = np.zeros(len(_codes(problem, 0)), dtype=np.int64)
    column = problem.table.columns[len(levels)]
    for level in range(column.min_level, column.max_level + 1):
        finer, finer_count = _refine(problem, of_all, count, len(levels), level)
        if len(levels) + 1 == len(problem.table.columns):
            yield (*levels, level), finer, finer_count
        else:
            yield from _groupings(problem, (*levels, level), finer, finer_count)


def _refine(
    problem: SearchProblem, of_all: IntArray, count: int, position: int, level: int
) -> tuple[IntArray, int]:
    """Split classes by the labels of one more column."""
    column = problem.table.columns[position]
    labels = len(column.labels[level])
    cells = of_all * labels + column.maps[level][_codes(problem, position)]
    return _number(cells, count * labels)


def _codes(problem: SearchProblem, position: int) -> NDArray[np.uint32]:
    """Return the codes of a column for the rows of the table and then of its populations."""
    populations = problem.table.populations.values()
    return np.concatenate(
        [problem.table.columns[position].codes, *(population.codes[position] for population in populations)]
    )


def _number(cells: IntArray, bound: int) -> tuple[IntArray, int]:
    """Number the values that occur, all below `bound`: the number of each, and how many there are."""
    if bound > 16 * len(cells):
        found, numbers = np.unique(cells, return_inverse=True)
        return numbers.reshape(-1), len(found)
    occurs = np.zeros(bound, dtype=bool)
    occurs[cells] = True
    numbers = np.cumsum(occurs) - 1
    return numbers[cells], int(numbers[-1]) + 1


def _classes(problem: SearchProblem, of_all: IntArray, count: int) -> Classes:
    table = problem.table
    of_population = {}
    start = table.entries
    for key, population in table.populations.items():
        of_population[key] = of_all[start : start + population.rows]
        start += population.rows
    return Classes(table, of_all[: table.entries], count, of_population)


def as_node(problem: SearchProblem, levels: Sequence[int], classes: Classes, kept: NDArray[np.bool_]) -> Node:
    """Return a node with its classes, of which those that are kept are released, for scoring it."""
    there = np.flatnonzero(classes.sizes)
    one_row = np.empty(classes.count, dtype=np.int64)
    one_row[classes.of_rows] = np.arange(len(classes.of_rows))
    columns = zip(problem.table.columns, levels, strict=True)
    labels = zip(
        *(column.maps[level][column.codes[one_row[there]]].tolist() for column, level in columns), strict=True
    )
    return Node(
        problem.table,
        tuple(levels),
        list(labels),
        classes.sizes[there].tolist(),
        kept[there].tolist(),
        problem.k,
    )
