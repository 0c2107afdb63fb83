"""What the strategies share that choose blocks of values for each column."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from shoal.errors import InfeasibleError, InputError
from shoal.measure.cells import CellMeasure
from shoal.recode.by_values import ByValues
from shoal.recode.class_labels import LabelForm
from shoal.search.infeasible import infeasible
from shoal.search.problem import SearchProblem
from shoal.search.result import Counters
from shoal.search.single_dimensional.branch_and_bound import BranchAndBound
from shoal.search.single_dimensional.local_search import LocalSearch
from shoal.search.single_dimensional.partitions import Partitions
from shoal.search.single_dimensional.space import Choice, Space
from shoal.strategies.abilities import Ability
from shoal.strategies.full_domain_search import FullDomainSearch
from shoal.strategies.strategy import Chosen, Question

NEEDS: frozenset[Ability] = frozenset({Ability.COUNT_TUPLES, Ability.RECODE_BY_CLASSES})
SECONDS_PARAMETER = "when the search stops if it has not proved its answer; 10 if not given"

_FIRST_STEPS = 8
_NODES_PER_STEP = 8
_ROUNDING = 1e-9


def require_seconds(name: str, seconds: object) -> None:
    """Raise unless this is a time."""
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not number or not 0 < float(seconds) < math.inf:  # type: ignore[arg-type]
        raise InputError(f"{name}: seconds must be a number above 0.\nFound: {seconds!r}.\nGive 10, say.")


@dataclass
class Timer:
    """Time that several parts of a search share."""

    seconds: float
    began: float = field(default_factory=perf_counter)

    @property
    def spent(self) -> float:
        return perf_counter() - self.began

    def going(self) -> Callable[[], bool]:
        """Return what says whether there is time left."""
        end = self.began + self.seconds
        return lambda: perf_counter() < end


@dataclass(frozen=True)
class Blocks:
    """A kind of recoding by values: which blocks there are, and how they are released.

    Attributes
    ----------
    partitions
        The ways of each column.
    exact
        Whether what blocks cost here is what their labels cost in a release.
    """

    kind: str
    settings: dict[str, Any]
    labels: LabelForm
    partitions: Sequence[Partitions]
    forms: Sequence[LabelForm] | None = None
    exact: bool = True

    def recode(self, choice: Choice) -> ByValues:
        return ByValues(self.kind, self.settings, self.labels, choice, self.forms)


@dataclass(frozen=True)
class Found:
    """The best blocks that a search found; none where nothing satisfies."""

    choice: Choice | None
    chosen: Chosen | None


def search_blocks(problem: SearchProblem, blocks: Blocks, seeds: Sequence[Choice], timer: Timer) -> Found:
    """Return the best choice of blocks, or the best that was found in time.

    Branch and bound goes first, since it often proves its answer at once; then local search and branch and
    bound take turns, which become longer and longer. Turns are counted in steps, so that what ends with a
    proof is the same in every run.
    """
    space = Space(problem, blocks.partitions, blocks.recode)
    for seed in seeds:
        space.offer(seed)
    exact, local = BranchAndBound(space), LocalSearch(space)
    in_time = timer.going()
    steps = _FIRST_STEPS
    exact.run(_NODES_PER_STEP * steps, in_time)
    while not exact.done and in_time():
        local.run(steps, in_time)
        exact.run(_NODES_PER_STEP * steps, in_time)
        steps *= 2
    if space.best is None:
        return Found(None, None)
    known = blocks.exact and all(map(_bounds_hold, blocks.partitions))
    optimal = known and exact.done
    bound = max(min(exact.bound, space.score) - _ROUNDING, 0.0) if known and not optimal else None
    stopped = () if exact.done else (_stopped(blocks.kind, timer.seconds),)
    return Found(
        space.best,
        Chosen(
            recoding=blocks.recode(space.best),
            score=space.score,
            problem=problem,
            optimal=optimal,
            bound=bound,
            counters=Counters(lattice=0, checked=exact.nodes, seconds=timer.spent),
            notes=stopped,
        ),
    )


def _bounds_hold(partition: Partitions) -> bool:
    """Return whether all blocks are candidates, and coarser ones and suppressed cells cost no less."""
    costs = partition.costs[np.isfinite(partition.costs)]
    return partition.whole and partition.monotone and bool((costs <= 1).all())


def _stopped(kind: str, seconds: float) -> str:
    return (
        f"The search of {kind} stopped after {seconds:g} seconds. More time finds the same or better, and "
        f"proves more: seconds in the spec, under recoding: {kind}."
    )


def chosen_or_raise(found: Found, problem: SearchProblem) -> Chosen:
    """Return what was found.

    Raises
    ------
    InfeasibleError
        Nothing was.
    """
    if found.chosen is None:
        raise infeasible(problem)
    return found.chosen


def coarsest(partitions: Sequence[Partitions]) -> Choice:
    """Return the coarsest blocks of each column."""
    return tuple(partition.coarsest(partition.begin()) for partition in partitions)


def full_domain(question: Question, problem: SearchProblem) -> list[Choice]:
    """Return the best choice of levels as blocks, or nothing where there is none."""
    try:
        levels = FullDomainSearch().choose(question).recoding.levels
    except InfeasibleError:
        return []
    assert levels is not None, "one level per column"
    return [tuple(column.step(column.min_level, levels[column.name]) for column in problem.table.columns)]


def cell_measure(problem: SearchProblem) -> CellMeasure:
    assert isinstance(problem.measure, CellMeasure), "others were refused"
    return problem.measure
