"""The reference: every node, in plain Python, with nothing shared with the kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.measure.measure import Node, canonical
from shoal.search.problem import SearchProblem
from shoal.search.result import Counters, SearchListener, SearchResult


@dataclass(frozen=True, slots=True)
class Exhaustive:
    """Check every node by counting rows. Slow, and easy to believe."""

    name: ClassVar[str] = "exhaustive"
    exact: ClassVar[bool] = True

    def search(
        self,
        problem: SearchProblem,
        *,
        all_nodes: bool = False,
        threads: int = 1,
        listener: SearchListener | None = None,
    ) -> SearchResult:
        size = problem.lattice.size
        best: tuple[object, ...] | None = None
        best_node: Node | None = None
        score: float | None = None
        satisfying = []
        fewest = problem.table.rows
        for done, levels in enumerate(problem.lattice):
            node = node_of(problem, levels)
            fewest = min(fewest, node.suppressed_rows)
            if node.suppressed_rows <= problem.limit:
                satisfying.append(levels)
                value = problem.measure.score(node)
                rank = rank_of(problem, levels, value)
                if best is None or rank < best:
                    best, best_node, score = rank, node, value
            if listener is not None:
                listener(size, done + 1, score)
        return SearchResult(
            levels=best_node.levels if best_node else None,
            score=score,
            suppressed_rows=best_node.suppressed_rows if best_node else 0,
            classes=len(best_node.sizes) if best_node else 0,
            fewest_suppressed=fewest,
            counters=Counters(lattice=size, checked=size, rollups=0),
            satisfying=np.array(satisfying, dtype=np.uint8).reshape(-1, len(problem.table.columns))
            if all_nodes
            else None,
        )


def node_of(problem: SearchProblem, levels: Sequence[int]) -> Node:
    """Group the rows of a table at a node."""
    columns = problem.table.columns
    rows = zip(
        *(column.maps[level][column.codes].tolist() for column, level in zip(columns, levels, strict=True)),
        strict=True,
    )
    classes = Counter(rows)
    sizes = np.array(list(classes.values()), dtype=np.int64)
    kept = np.ones(len(sizes), dtype=bool)
    for model in problem.models:
        kept &= model.holds(sizes)
    return Node(problem.table, tuple(levels), list(classes), sizes.tolist(), kept.tolist(), problem.k)


def rank_of(
    problem: SearchProblem, levels: Sequence[int], score: float
) -> tuple[float, int, float, tuple[int, ...]]:
    """Return what nodes are ordered by: score, lattice level, mean relative level, level vector."""
    relative = 0.0
    for column, level in zip(problem.table.columns, levels, strict=True):
        if column.height:
            relative += level / column.height
    return canonical(score), sum(levels), canonical(relative), tuple(levels)
