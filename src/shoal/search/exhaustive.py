"""The reference: every node, counted with numpy, with nothing shared with the kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.measure.measure import Node
from shoal.search.problem import SearchProblem
from shoal.search.result import Counters, SearchListener, SearchResult
from shoal.search.serve import MOST_LISTED, refuse_large

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
        for done, (levels, classes, sizes) in enumerate(_groupings(problem)):
            kept = _kept(problem, sizes)
            if sizes[~kept].sum() <= problem.limit:
                node = _node(problem, levels, classes, sizes, kept)
                satisfying.append(levels)
                value = problem.measure.score(node)
                rank = problem.rank(node.levels, value)
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
                touched=size * problem.table.rows,
                seconds=perf_counter() - start,
            ),
            satisfying=np.array(satisfying, dtype=np.uint8).reshape(-1, len(problem.table.columns))
            if all_nodes
            else None,
        )


def node_of(problem: SearchProblem, levels: Sequence[int]) -> Node:
    """Group the rows of a table at a node, in plain Python."""
    columns = problem.table.columns
    rows = zip(
        *(column.maps[level][column.codes].tolist() for column, level in zip(columns, levels, strict=True)),
        strict=True,
    )
    classes = Counter(rows)
    sizes = np.array(list(classes.values()), dtype=np.int64)
    kept = _kept(problem, sizes)
    return Node(problem.table, tuple(levels), list(classes), sizes.tolist(), kept.tolist(), problem.k)


def _groupings(
    problem: SearchProblem, levels: tuple[int, ...] = (), classes: IntArray | None = None
) -> Iterator[tuple[tuple[int, ...], IntArray, IntArray]]:
    """For every node with these levels first: its levels, the class of each row, the sizes of the classes."""
    table = problem.table
    if classes is None:
        classes = np.zeros(table.rows, dtype=np.int64)
    column = table.columns[len(levels)]
    for level in range(column.min_level, column.max_level + 1):
        labels = len(column.labels[level])
        cells = classes * labels + column.maps[level][column.codes]
        finer, sizes = _number(cells, (int(classes.max()) + 1) * labels)
        if len(levels) + 1 == len(table.columns):
            yield (*levels, level), finer, sizes
        else:
            yield from _groupings(problem, (*levels, level), finer)


def _number(cells: IntArray, bound: int) -> tuple[IntArray, IntArray]:
    """Number the values that occur, all below `bound`: the number of each, and how often it occurs."""
    if bound > 16 * len(cells):
        _, numbers, sizes = np.unique(cells, return_inverse=True, return_counts=True)
        return numbers.reshape(-1), sizes
    counts = np.bincount(cells, minlength=bound)
    return (np.cumsum(counts > 0) - 1)[cells], counts[counts > 0]


def _kept(problem: SearchProblem, sizes: IntArray) -> NDArray[np.bool_]:
    kept = np.ones(len(sizes), dtype=bool)
    for model in problem.models:
        kept &= model.holds(sizes)
    return kept


def _node(
    problem: SearchProblem,
    levels: tuple[int, ...],
    classes: IntArray,
    sizes: IntArray,
    kept: NDArray[np.bool_],
) -> Node:
    one_row = np.empty(len(sizes), dtype=np.int64)
    one_row[classes] = np.arange(len(classes))
    columns = zip(problem.table.columns, levels, strict=True)
    labels = zip(
        *(column.maps[level][column.codes[one_row]].tolist() for column, level in columns), strict=True
    )
    return Node(problem.table, levels, list(labels), sizes.tolist(), kept.tolist(), problem.k)
