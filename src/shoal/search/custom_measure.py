"""Searching by a measure that is known by its scores alone, such as a user's function.

No search can look at such a measure on the way, so all nodes that satisfy are found first, and then scored.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.errors import InputError
from shoal.measure.height import Height
from shoal.search.algorithms.exhaustive import node_of
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchAlgorithm, SearchListener, SearchResult, border


def search(
    algorithm: SearchAlgorithm,
    problem: SearchProblem,
    *,
    all_nodes: bool = False,
    threads: int = 1,
    listener: SearchListener | None = None,
) -> SearchResult:
    """Search by any measure: by the algorithm itself where it can, by its satisfying nodes otherwise.

    Suppressed rows are taken for removed; `starred.py` goes on where they are starred.

    Raises
    ------
    InputError
        The measure is known by its scores alone, and the algorithm cannot find all nodes.
    """
    if problem.measure.costs(problem.table, problem.k) is not None:
        return algorithm.search(problem, all_nodes=all_nodes, threads=threads, listener=listener)
    if not algorithm.complete:
        raise InputError(
            f"The measure '{problem.measure.name}' declares nothing but its scores.\n"
            f"The algorithm '{algorithm.name}' does not list all nodes to score.\n"
            "Use one that does, such as box."
        )
    problem = replace(problem, starred=False)
    found = algorithm.search(
        replace(problem, measure=Height()), all_nodes=True, threads=threads, listener=listener
    )
    satisfying = found.satisfying
    assert satisfying is not None, "all nodes were requested"
    # Of a measure that never falls by generalizing the best is minimal, if all above it satisfy.
    minimal = problem.measure.monotone and problem.requirement.monotone
    candidates = border(satisfying) if minimal else satisfying
    best = None
    for done, levels in enumerate(candidates.tolist(), start=1):
        node = node_of(problem, levels)
        score = problem.measure.score(node)
        rank = problem.rank(levels, score)
        if best is None or rank < best[0]:
            best = (rank, score, node)
        if listener is not None:
            listener(len(candidates), done, best[1])
    if best is None:
        return found
    _, score, node = best
    return replace(
        found,
        levels=node.levels,
        score=score,
        suppressed_rows=node.suppressed_rows,
        classes=len(node.sizes),
        satisfying=satisfying if all_nodes else None,
    )


def scores(problem: SearchProblem, levels: np.typing.NDArray[np.uint8]) -> np.typing.NDArray[np.float64]:
    """Score nodes, one per row of levels, by the definition of the measure."""
    return np.array([problem.measure.score(node_of(problem, node)) for node in levels.tolist()])
