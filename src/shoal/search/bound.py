"""Scores that no satisfying node is below."""

from __future__ import annotations

from collections.abc import Callable

from shoal.measure.measure import canonical
from shoal.search.node_checker import Framework, NodeChecker
from shoal.search.problem import SearchProblem
from shoal.search.status import Node

SLACK = 1 - 1e-11
"""Sums of the same terms may round in different ways."""


class Bounds:
    """What nodes score at least, by their levels and by the least size of a class.

    Attributes
    ----------
    costs
        Per column what each level of the lattice costs; none where classes say what a node scores.
    additive
        The score without suppression is the sum of these costs.
    """

    def __init__(self, problem: SearchProblem) -> None:
        self._problem = problem
        costs = problem.costs
        self._aggregate = costs.aggregate
        self.costs: list[list[float]] = []
        if costs.term == "none":
            self.costs = [
                [weight * per_level[level] for level in levels]
                for weight, per_level, levels in zip(
                    costs.weights, costs.level_costs, problem.lattice.levels, strict=True
                )
            ]
        self.additive = costs.term == "none" and costs.aggregate == "mean"
        # The kernel adds the same terms in the same order, unless it takes suppressed cells out.
        self._exact = problem.limit == 0 or not costs.label_costs

    def claim(self, bound: float) -> float:
        """Return a bound as it may be told: not above a score that differs from it by rounding alone."""
        term = self._problem.costs.term
        whole = term in ("squares", "kept-squares") or (
            self.additive and all(cost.is_integer() for column in self.costs for cost in column)
        )
        return bound if whole else bound * SLACK

    def by_levels(self, node: Node) -> float:
        """Return what neither a node nor any of its generalizations scores less than."""
        if not self.costs:
            return 0.0
        columns = list(map(list.__getitem__, self.costs, node))
        if self._aggregate == "max":
            cost = max(columns)
        elif self._aggregate == "ranked":
            cost, factor = 0.0, 1.0
            for column in sorted(columns, reverse=True):
                factor /= 2
                cost += column * factor
            cost /= 1 - factor
        else:
            cost = 0.0
            for column in columns:
                cost += column
        return canonical(cost) if self._exact else cost * SLACK

    def by_sizes(self) -> float:
        """Return what follows from the rows that a released class has at least."""
        problem, costs = self._problem, self._problem.costs
        rows, limit = problem.table.rows, problem.limit
        k = min(problem.k, rows)
        if costs.term == "squares":
            return float(k * (rows - limit) + limit)
        if costs.term == "kept-squares":
            return float(k * rows)
        if costs.term == "mean-size":
            most_classes = (rows - limit) // k + limit
            return rows / max(most_classes, 1) / costs.divisor
        return 0.0


def raised(low: Node, high: Node, hopeless: Callable[[Node], bool]) -> Node:
    """Return the lowest node between two that all satisfying nodes between them are above.

    Where all columns but one stand as high as they may, and the node is hopeless all the same, that one has
    to go up.

    Examples
    --------
    >>> raised((0, 0), (2, 2), hopeless=lambda node: node[0] == 0)
    (1, 0)
    """
    least = list(low)
    for column, most in enumerate(high):
        while least[column] < most and hopeless((*high[:column], least[column], *high[column + 1 :])):
            least[column] += 1
    return tuple(least)


def lower_bound(problem: SearchProblem) -> float:
    """Return a score that no satisfying node is below, for searches that do not prove their answer."""
    checker = NodeChecker(problem, Framework(history=False))
    steps = [
        [level - column.min_level for level in levels]
        for column, levels in zip(problem.table.columns, problem.lattice.levels, strict=True)
    ]

    def declared(node: Node) -> Node:
        return tuple(map(list.__getitem__, steps, node))

    top = tuple(len(levels) - 1 for levels in problem.lattice.levels)
    node = raised((0,) * len(top), top, lambda node: checker.kernel.check(declared(node)).hopeless)
    bounds = Bounds(problem)
    by_classes = 0.0 if bounds.costs else checker.kernel.check(declared(node)).bound
    return bounds.claim(max(bounds.by_levels(node), by_classes, bounds.by_sizes()))
