"""A bound that every satisfying node keeps, for searches that do not prove their answer."""

from __future__ import annotations

from dataclasses import replace

from shoal.measure.discernability import MonotoneDiscernability
from shoal.search.framework import Checker, Framework
from shoal.search.problem import SearchProblem

_SLACK = 1 - 1e-11  # sums of the same terms may round in different ways


def lower_bound(problem: SearchProblem) -> float:
    """Return a score that no satisfying node is below.

    No column may stand lower than it could alone (the subset property), so all satisfying nodes are above one
    node. What that one costs without suppression is a bound.
    """
    costs = problem.measure.costs(problem.table, problem.k)
    if not (problem.measure.monotone or costs.level_costs):
        # Discernability, of which this is the part that suppression does not lower.
        problem = replace(problem, measure=MonotoneDiscernability())
    checker = Checker(problem, Framework(history=False), absent=True)
    node = tuple(_lowest(checker, column) for column in range(len(checker.levels)))
    if costs.level_costs:
        levels = map(int.__add__, node, checker.lowest)
        terms = zip(costs.weights, costs.level_costs, levels, strict=True)
        return sum(weight * column[level] for weight, column, level in terms) * _SLACK
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
