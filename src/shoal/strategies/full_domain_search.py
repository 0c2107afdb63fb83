"""The strategy of one level per column: a search of the lattice, with starred rows and large tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal import registry
from shoal.errors import InputError
from shoal.recode.full_domain import FullDomain
from shoal.search.algorithms.best_first import BestFirst
from shoal.search.capabilities import require_served
from shoal.search.infeasible import infeasible
from shoal.search.result import SearchAlgorithm, SearchResult
from shoal.search.run import search_counted
from shoal.search.starred_rows import settle_stars
from shoal.spec.spec import Spec
from shoal.strategies.abilities import Ability
from shoal.strategies.strategy import Chosen, Question, StrategyDefaults


@dataclass(frozen=True, slots=True)
class FullDomainSearch(StrategyDefaults):
    """Choose one level per column, by a search of the lattice of levels.

    Parameters
    ----------
    algorithm
        The search, by its name or as an object. If not given, it is `box`, and where the lattice is too large
        for that, `best-first`.

    Examples
    --------
    >>> FullDomainSearch("flash").searched_by().name
    'flash'
    """

    algorithm: str | SearchAlgorithm | None = None

    name: ClassVar[str] = "full-domain"
    summary: ClassVar[str] = "One level per column, the best by an exact search where that is possible."
    needs: ClassVar[frozenset[Ability]] = frozenset({Ability.COUNT_TUPLES, Ability.RECODE_BY_LEVELS})
    has_levels: ClassVar[bool] = True
    lists_nodes: ClassVar[bool] = True

    def searched_by(self) -> SearchAlgorithm:
        """Return the algorithm.

        Raises
        ------
        InputError
            What was given is none.
        """
        algorithm: object = "box" if self.algorithm is None else self.algorithm
        if isinstance(algorithm, str):
            algorithm = registry.resolve("algorithms", algorithm)()
        # A class has all that its objects have, but cannot be asked.
        if isinstance(algorithm, type) or not isinstance(algorithm, SearchAlgorithm):
            known = ", ".join(registry.names("algorithms"))
            kind = algorithm.__name__ if isinstance(algorithm, type) else type(algorithm).__name__
            raise InputError(
                f"An object of type {kind!r} is not a search algorithm.\nKnown: {known}.\n"
                "Give one of these names, or an object of such a class."
            )
        return algorithm

    def require(self, spec: Spec, *, all_nodes: bool = False) -> None:
        require_served(
            self.searched_by(),
            spec.searched,
            spec.quality,
            spec.suppression,
            units=spec.unit is not None,
            all_nodes=all_nodes,
        )

    def choose(self, question: Question) -> Chosen:
        whole = question.make_problem(question.counts.domain)
        algorithm, listener = self.searched_by(), question.listener
        if self.algorithm is None and whole.too_large and not question.all_nodes:
            algorithm = BestFirst()
        counted = search_counted(
            question.counts,
            question.make_problem,
            question.bind(algorithm),
            most_entries=question.most_entries,
            all_nodes=question.all_nodes,
            threads=question.threads,
            listener=listener,
            report=question.report,
        )
        found, problem = counted.result, counted.problem
        if found.levels is None or found.score is None:
            raise infeasible(problem)
        if not question.all_nodes:
            found = settle_stars(
                problem, found, algorithm, whole=counted.whole, threads=question.threads, listener=listener
            )
        assert found.levels is not None and found.score is not None, "stars leave a node or raise"
        noted = () if self.algorithm is not None else on_size(whole.lattice.size, algorithm, counted.result)
        return Chosen(
            recoding=FullDomain.at(problem.table, found.levels),
            score=found.score,
            problem=problem,
            optimal=found.optimal and algorithm.exact,
            bound=found.bound,
            counters=found.counters,
            satisfying=found.satisfying,
            subsets=found.subsets,
            plan=counted.plan,
            notes=noted,
        )


def on_size(size: int, algorithm: SearchAlgorithm, searched: SearchResult) -> tuple[str, ...]:
    """Describe why another search than the default ran; `searched` is its result before rows were starred."""
    if not isinstance(algorithm, BestFirst):
        return ()
    large = f"The lattice of {size:.3g} nodes is too large for the default search"
    if searched.optimal:
        return (f"{large}; {algorithm.name} searched it instead.",)
    return (
        f"{large}; {algorithm.name} stopped after {algorithm.seconds:g} seconds. More time finds the same "
        "or better, and proves more: --seconds (in Python algorithm=BestFirst(seconds=...)).",
    )
