"""Stars in single cells: all other cells of a column have one level, that of a base."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np

from shoal.encode.column import UIntArray
from shoal.recode.by_classes import ByClasses
from shoal.search.problem import SearchProblem
from shoal.strategies.classes import ClassProblem

Base: TypeAlias = tuple[int, ...]
"""A level for each column, by its position among those of the lattice."""


@dataclass(frozen=True, eq=False)
class Found:
    """Classes whose cells have the level of a base or a star, and what all cells cost, in whole numbers."""

    base: Base
    cost: int
    recoding: ByClasses = field(repr=False)


@dataclass(frozen=True)
class Stars:
    """The recodings of a table that keep each cell at the level of a base, or star it.

    A star is the label at the highest level that the spec allows, usually `*`. It does not depend on the
    values at hand, so it shows nothing of suppressed rows.

    Attributes
    ----------
    kind
        The name of the strategy.
    """

    kind: str
    problem: SearchProblem
    threads: int

    @property
    def lowest(self) -> Base:
        return (0,) * len(self.problem.table.columns)

    def least_cost(self, base: Base) -> int:
        """Return what all cells cost if none is starred."""
        return sum(of_levels[position] for of_levels, position in zip(self._kept, base, strict=True))

    def cheapest(self, base: Base, *, most_cost: int | None = None) -> Found:
        """Release the cheapest classes first; none if they will cost more than `most_cost` together."""
        problem = self.at(base)
        found = problem.cheapest(self.threads, most_cost=most_cost)
        return Found(base, found.cost, self._recoding(problem, np.array(found.class_of)))

    def without_stars(self, base: Base) -> ByClasses:
        """Return the recoding that gives each column its level, and stars no cell."""
        problem = self.at(base)
        return self._recoding(problem, np.arange(len(problem.values[0]), dtype=np.uint32))

    def whole_columns(self) -> Iterator[ByClasses]:
        """Yield the best recoding that keeps each column as it is, or stars it whole, if there is one."""
        if self.problem.too_large:
            return
        problem = self.at(self.lowest)
        chosen = problem.table.search(
            self.problem.requirement, self.problem.objective_at(problem.levels), threads=self.threads
        )
        if chosen.levels is not None:
            yield self._recoding(
                problem, problem.at(dict(zip(self.problem.table.names, chosen.levels, strict=True)))
            )

    def at(self, base: Base) -> ClassProblem:
        """Return the problem with two levels per column: that of a base, and the highest."""
        allowed = [
            tuple(dict.fromkeys((levels[position], column.max_level)))
            for column, levels, position in zip(
                self.problem.table.columns, self.problem.lattice.levels, base, strict=True
            )
        ]
        return ClassProblem(self.problem, allowed)

    def _recoding(self, problem: ClassProblem, class_of: UIntArray) -> ByClasses:
        return problem.recoding(self.kind, "nodes", class_of)

    @cached_property
    def _kept(self) -> list[list[int]]:
        """For each column and level, what its cells cost together at that level."""
        problem = ClassProblem(self.problem)
        return [
            [
                int(np.dot(column.label_counts(level), costs))
                for level, costs in zip(levels, per_level, strict=True)
            ]
            for column, levels, per_level in zip(
                self.problem.table.columns, problem.levels, problem.costs, strict=True
            )
        ]
