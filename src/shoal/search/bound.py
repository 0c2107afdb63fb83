"""A bound that every satisfying node keeps, for searches that do not prove their answer."""

from __future__ import annotations

from dataclasses import replace

from shoal.measure.discernability import MonotoneDiscernability
from shoal.search.framework import Checker, Framework

_SLACK = 1 - 1e-11  # sums of the same terms may round in different ways


def lower_bound(checker: Checker) -> float:
    """Return a score that no satisfying node is below.

    No column may stand lower than it could alone (the subset property), so all satisfying nodes are above one
    node. What that one costs without suppression is a bound.
    """
    problem = checker.problem
    alone = Checker(problem, Framework(history=False), absent=True)
    node = tuple(_lowest(alone, column) for column in range(len(alone.levels)))
    costs = problem.measure.costs(problem.table, problem.k)
    if costs.level_costs:
        levels = tuple(map(int.__add__, node, checker.lowest))
        terms = zip(costs.weights, costs.level_costs, levels, strict=True)
        return sum(weight * column[level] for weight, column, level in terms) * _SLACK
    if not problem.measure.monotone:
        checker = Checker(replace(problem, measure=MonotoneDiscernability()), Framework.basic())
    _, _, scores = checker.kernel.evaluate([node])
    return float(scores[0]) * _SLACK


def _lowest(checker: Checker, column: int) -> int:
    """Return the lowest position at which a column satisfies by itself; the highest where none does."""
    node = list(checker.levels)
    for level in range(checker.levels[column]):
        node[column] = level
        if checker.check(tuple(node)).satisfies:
            return level
    return checker.levels[column] - 1
