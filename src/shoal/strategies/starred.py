"""Starred: one level per column for the whole table, and stars in single cells."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import ClassVar

from shoal.recode.by_classes import ByClasses
from shoal.spec.spec import Spec
from shoal.strategies.abilities import Ability
from shoal.strategies.classes import ClassProblem, choose_best, require_cell_costs
from shoal.strategies.stars import Base, Found, Stars
from shoal.strategies.strategy import Chosen, Question, StrategyDefaults


@dataclass(frozen=True, slots=True)
class Starred(StrategyDefaults):
    """Give each column one level for the whole table, and star single cells: the cheapest class first.

    A star is the label at the highest level that the spec allows, usually `*`. The search changes one level,
    or two, at a time, as long as that helps.

    Examples
    --------
    >>> Starred().to_spec()
    'starred'
    """

    name: ClassVar[str] = "starred"
    summary: ClassVar[str] = "One level per column for the whole table, and * in single cells."
    needs: ClassVar[frozenset[Ability]] = frozenset({Ability.COUNT_TUPLES, Ability.RECODE_BY_CLASSES})

    def require(self, spec: Spec, *, all_nodes: bool = False) -> None:
        require_cell_costs(self.name, spec.quality, "nodes")

    def choose(self, question: Question) -> Chosen:
        stars = Stars(self.name, question.problem(), question.threads)
        return choose_best(stars.problem, self.recodings(question, stars))

    def recodings(self, question: Question, stars: Stars) -> Iterator[ByClasses]:
        """Yield the best that was found, and what it contains."""
        kept = stars.cheapest(stars.lowest)
        rigid = _full_domain(question, stars)
        yield descend(stars, kept, [] if rigid is None else [rigid]).recoding
        yield kept.recoding
        yield from stars.whole_columns()
        if rigid is not None:
            yield stars.without_stars(rigid)


def descend(stars: Stars, best: Found, others: list[Base]) -> Found:
    """Return the best base that steps from the best of some bases lead to.

    A base is skipped if its cells cost too much even without a star.
    """
    tried = {best.base}

    def better(bases: Iterator[Base] | list[Base]) -> Found | None:
        for base in bases:
            if base in tried or stars.least_cost(base) >= best.cost:
                continue
            tried.add(base)
            found = stars.cheapest(base, most_cost=best.cost - 1)
            if found.cost < best.cost:
                return found
        return None

    best = better(others) or best
    first = 0
    while (found := better(_steps(stars, best.base, first))) is not None:
        # What helped in a column may help there again; then the next column has its turn.
        first = [a != b for a, b in zip(best.base, found.base, strict=True)].index(True)
        best = found
    return best


def _steps(stars: Stars, base: Base, first: int) -> Iterator[Base]:
    """Yield the bases that differ by a level in one column, then those that differ by one in two columns."""
    levels = stars.problem.lattice.levels
    order = [*range(first, len(base)), *range(first)]
    for size in (1, 2):
        for columns in combinations(order, size):
            for steps in product((1, -1), repeat=size):
                moved = list(base)
                for column, step in zip(columns, steps, strict=True):
                    moved[column] += step
                if all(0 <= moved[column] < len(levels[column]) for column in columns):
                    yield tuple(moved)


def _full_domain(question: Question, stars: Stars) -> Base | None:
    """Return the best choice of levels; None where there is none, or too many to search."""
    levels = ClassProblem(stars.problem).full_domain(question)
    if levels is None:
        return None
    return tuple(
        bisect_right(of_column, levels[name]) - 1
        for of_column, name in zip(stars.problem.lattice.levels, stars.problem.table.names, strict=True)
    )
