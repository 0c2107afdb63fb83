"""A part of a lattice as a problem of its own, for a search that hands parts to another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

from shoal.measure.measure import Costs
from shoal.privacy.condition import Condition
from shoal.search.kernel_inputs import KernelInputs
from shoal.search.problem import SearchProblem


@dataclass(frozen=True)
class Part(SearchProblem):
    """A problem on some levels only. What it costs and what it asks was found out once, for all parts.

    Attributes
    ----------
    priced
        The measure as data.
    inputs
        What the models and the measure look at.
    """

    priced: Costs = field(kw_only=True)
    inputs: KernelInputs = field(kw_only=True)

    @classmethod
    def whole(cls, problem: SearchProblem) -> Self:
        """Return a problem as a part of itself."""
        return cls(
            problem.table,
            problem.models,
            problem.measure,
            problem.suppression,
            priced=problem.costs,
            inputs=problem.kernel_inputs,
        )

    @classmethod
    def relaxed(cls, problem: SearchProblem) -> Self:
        """Return an easier problem, whose satisfying nodes are all nodes above any that satisfies, and more.

        Where a satisfying node may have generalizations that do not satisfy, only those conditions are left
        that a class which meets them still meets after merging with any other. A node costs what its
        levels cost, whatever is suppressed.
        """
        costs = problem.costs
        if problem.requirement.monotone:
            inputs = KernelInputs(problem.table, problem.models)
        else:
            # A class that nobody has is a matter of models that are left out.
            models = tuple(model for model in problem.models if model.suppressible)
            inputs = _Absorbing(problem.table, models)
        return cls(
            problem.table,
            problem.models,
            problem.measure,
            problem.suppression,
            priced=Costs(weights=costs.weights, level_costs=costs.level_costs),
            inputs=inputs,
        )

    @cached_property
    def costs(self) -> Costs:
        return self.priced

    @cached_property
    def kernel_inputs(self) -> KernelInputs:
        return self.inputs

    def between(self, low: Sequence[int], high: Sequence[int]) -> Self:
        """Return the part between two nodes."""
        columns = tuple(
            replace(column, min_level=least, max_level=most)
            for column, least, most in zip(self.table.columns, low, high, strict=True)
        )
        return replace(self, table=replace(self.table, columns=columns))


@dataclass(frozen=True)
class _Absorbing(KernelInputs):
    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        whole = KernelInputs(self.table, self.models)
        return tuple(condition for condition in whole.conditions if condition.absorbing)

    @property
    def average_risk(self) -> float:
        return float("inf")
