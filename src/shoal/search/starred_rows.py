"""Choosing a node where suppressed rows are starred, and so are a class that must pass as others must.

A search goes as if suppressed rows were removed. That asks for less and scores no worse, so its optimum is
the answer where the starred rows of it pass. Otherwise every node stars more classes by one rule, the
smallest first (`recode/starred_class.py`), and scores with these rows suppressed too. Nodes are checked
in the order of their score without that, until it is no better than the best score with it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.measure.height import Height
from shoal.measure.measure import canonical
from shoal.search import custom_measure
from shoal.search.algorithms.box import Box
from shoal.search.infeasible import infeasible_stars
from shoal.search.problem import Rank, SearchProblem
from shoal.search.result import SearchAlgorithm, SearchListener, SearchResult

MOST_RANKED = 100_000
"""Nodes of a lattice that are put in order of their score, to be looked at one after the other."""

_MOST_WORK = 100_000_000
_LEAST_LOOKS = 32
"""Entries that are grouped again for it, and the nodes that are looked at however many entries there are."""

_BATCH = 4096


@dataclass(frozen=True, slots=True)
class StarredNode:
    """A node whose starred rows pass.

    `more` says whether classes were starred that pass by themselves. Without that it scores as it does where
    suppressed rows are removed.
    """

    levels: tuple[int, ...]
    score: float
    suppressed_rows: int
    classes: int | None
    more: bool


def star_node(
    problem: SearchProblem, levels: tuple[int, ...], suppressed_rows: int, score: float
) -> StarredNode | None:
    """Return what becomes of a node where suppressed rows are starred; None if they pass in no way.

    Parameters
    ----------
    suppressed_rows, score
        The rows in classes that fail, at most the limit, and the score without them.
    """
    if _certain(problem, suppressed_rows):
        return StarredNode(levels, score, suppressed_rows, None, more=False)
    verdict = problem.verdict(levels)
    if not verdict.stars_pass:
        return None
    if verdict.suppressed_rows == suppressed_rows:
        return StarredNode(levels, score, suppressed_rows, None, more=False)
    node = verdict.as_node(problem.k)
    return StarredNode(
        levels, problem.measure.score(node), verdict.suppressed_rows, len(node.sizes), more=True
    )


def settle_stars(
    problem: SearchProblem,
    found: SearchResult,
    algorithm: SearchAlgorithm,
    *,
    whole: bool = True,
    threads: int = 1,
    listener: SearchListener | None = None,
) -> SearchResult:
    """Return the best node of a problem given the best where suppressed rows are removed.

    Parameters
    ----------
    found
        What the algorithm found.
    whole
        Whether the problem has all nodes that may satisfy, and not a part of them.

    Raises
    ------
    InfeasibleError
        There is a node that satisfies where suppressed rows are removed, and none where they are starred.
    """
    if not problem.starred or found.levels is None or found.score is None:
        return found
    first = star_node(problem, found.levels, found.suppressed_rows, found.score)
    if first is not None and not first.more:
        return found
    bound = found.score if found.optimal else found.bound
    if problem.too_large or problem.lattice.size > MOST_RANKED:
        best, proved = _nearby(problem, first, found, algorithm, threads), False
    else:
        best, reached = _in_order(problem, listener)
        proved = whole and reached is None
        bound = bound if not whole or reached is None else max(reached, -math.inf if bound is None else bound)
    if best is None:
        raise infeasible_stars(problem, found.levels, proved=proved)
    if bound is not None and canonical(best.score) <= canonical(bound):
        proved = True
    return replace(
        found,
        levels=best.levels,
        score=best.score,
        suppressed_rows=best.suppressed_rows,
        classes=found.classes if best.classes is None else best.classes,
        optimal=proved,
        bound=None if proved else bound,
    )


def _certain(problem: SearchProblem, suppressed_rows: int) -> bool:
    """Return whether so many starred rows pass, whoever they are."""
    if not suppressed_rows:
        return True
    by_size = (
        model.column is None
        and model.population is None
        and model.average_risk == math.inf
        and not model.conditions(problem.table)
        for model in problem.models
    )
    return problem.table.units is None and suppressed_rows >= problem.k and all(by_size)


def _in_order(
    problem: SearchProblem, listener: SearchListener | None
) -> tuple[StarredNode | None, float | None]:
    """Go through all satisfying nodes, the best first, and return the best with starred rows.

    A bound comes with it where that is not proved: where the work would be too much.
    """
    levels, suppressed, scores = _satisfying(problem)
    never_cheaper = _never_cheaper(problem)
    best: StarredNode | None = None
    rank: Rank | None = None
    most = max(_LEAST_LOOKS, _MOST_WORK // max(problem.table.entries, 1))
    looks = 0
    for position, node in enumerate(map(tuple, levels.tolist())):
        if never_cheaper and rank is not None and problem.rank(node, scores[position]) >= rank:
            return best, None
        if looks >= most:
            return best, float(scores[position]) if never_cheaper else -math.inf
        looks += not _certain(problem, int(suppressed[position]))
        starred = star_node(problem, node, int(suppressed[position]), float(scores[position]))
        if starred is not None and (rank is None or problem.rank(node, starred.score) < rank):
            best, rank = starred, problem.rank(node, starred.score)
        if listener is not None and position % 64 == 0:
            listener(len(levels), position + 1, None if best is None else best.score)
    return best, None


def _satisfying(
    problem: SearchProblem,
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.float64]]:
    """Return all nodes that satisfy where suppressed rows are removed, the best first, with what they score.

    Levels that merge nothing are told apart here: of two that have the same classes, one may have the label
    `*`, which is also that of starred rows.
    """
    removed = replace(problem, starred=False)
    by_scores_alone = problem.measure.costs(problem.table, problem.k) is None
    priced = replace(removed, measure=Height()) if by_scores_alone else removed
    levels = Box().search(priced, all_nodes=True).satisfying
    assert levels is not None, "all nodes were requested"
    declared = priced.declared
    lowest = np.array([column.min_level for column in problem.table.columns], dtype=np.uint8)
    suppressed = np.zeros(len(levels), dtype=np.int64)
    values = np.zeros(len(levels))
    for start in range(0, len(levels), _BATCH):
        batch = slice(start, start + _BATCH)
        found = declared.ground.evaluate(
            (levels[batch] - lowest).tolist(), declared.requirement, declared.objective
        )
        suppressed[batch], values[batch] = found.suppressed_rows, found.scores
    if by_scores_alone:
        values = custom_measure.scores(removed, levels)
    order = problem.order(levels, values)
    return levels[order], suppressed[order], values[order]


def _never_cheaper(problem: SearchProblem) -> bool:
    """Return whether no node scores better for suppressing more of its rows."""
    costs = problem.measure.costs(problem.table, problem.k)
    return costs is not None and all(
        cost <= 1 + 1e-9 for column in costs.label_costs for level in column for cost in level
    )


def _nearby(
    problem: SearchProblem,
    first: StarredNode | None,
    found: SearchResult,
    algorithm: SearchAlgorithm,
    threads: int,
) -> StarredNode | None:
    """Return the best of a few nodes, where there are too many to look at all.

    They are the best where suppressed rows are removed, those directly above it, and the best where none are
    suppressed, of which nothing is starred.
    """
    from shoal.search.judge_nodes import judge

    assert found.levels is not None, "something was found"
    candidates = [] if first is None else [first]
    above = [
        (*found.levels[:position], level + 1, *found.levels[position + 1 :])
        for position, (column, level) in enumerate(zip(problem.table.columns, found.levels, strict=True))
        if level < column.max_level
    ]
    judged = judge(problem, above)
    candidates += [
        StarredNode(tuple(levels), score, suppressed, None, more=False)
        for levels, satisfies, suppressed, score in zip(
            judged.levels.tolist(),
            judged.satisfies.tolist(),
            judged.suppressed_rows.tolist(),
            judged.scores.tolist(),
            strict=True,
        )
        if satisfies
    ]
    try:
        whole = custom_measure.search(algorithm, replace(problem, suppression=0.0), threads=threads)
    except InputError:  # such as a budget that is too small to find any
        whole = None
    if whole is not None and whole.levels is not None and whole.score is not None:
        candidates.append(StarredNode(whole.levels, whole.score, 0, whole.classes, more=False))
    return min(candidates, key=lambda node: problem.rank(node.levels, node.score), default=None)
