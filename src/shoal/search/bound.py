"""A bound that every satisfying node keeps, for searches that do not prove their answer."""

from __future__ import annotations

from dataclasses import replace

from shoal.encode.column import CodedColumn
from shoal.measure.discernability import MonotoneDiscernability
from shoal.measure.height import Height
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
    node = [_lowest(problem, column) for column in problem.table.columns]
    if costs.level_costs:
        levels = [column.min_level + up for column, up in zip(problem.table.columns, node, strict=True)]
        terms = zip(costs.weights, costs.level_costs, levels, strict=True)
        return sum(weight * column[level] for weight, column, level in terms) * _SLACK
    _, _, scores = Checker(problem, Framework.basic()).kernel.evaluate([node])
    return float(scores[0]) * _SLACK


def _lowest(problem: SearchProblem, column: CodedColumn) -> int:
    """Return how far up a column has to go to satisfy by itself; to its top where it never does."""
    checker = Checker(
        replace(problem, table=replace(problem.table, columns=(column,)), measure=Height()),
        Framework(history=False),
    )
    steps = range(checker.levels[0])
    return next((up for up in steps if checker.check((up,)).satisfies), steps[-1])
