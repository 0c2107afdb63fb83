"""Best-first within a budget: for lattices that are beyond exact search."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from shoal.errors import InputError
from shoal.search.algorithms.anytime.boxes import Boxes
from shoal.search.algorithms.anytime.budget import Budget, BudgetSpentError
from shoal.search.algorithms.anytime.exploration import Exploration
from shoal.search.algorithms.anytime.improve import dive, improve
from shoal.search.capabilities import require_columns, require_serves
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchListener, SearchResult

# Nodes in a group of columns, and the checks after which the next size has its turn.
_GROUP_NODES = {1 << 10: 1_000, 1 << 13: 5_000, 1 << 16: 30_000, 1 << 20: 300_000, 1 << 24: None}
_MOST_IN_VAIN = 7


@dataclass(frozen=True, slots=True)
class BestFirst:
    """Find good nodes early, and prove how much better others can be at most.

    Two things take turns. Some columns of the best node are freed, and the nodes that this gives are searched
    exactly, which finds good nodes soon. And all nodes that may be better are held in boxes, of which
    the one with the least bound is cut next; where no box is left, the best node is proved to be the
    best. Bounds come from groups of columns that are solved by themselves, and from the classes for measures
    that are no sum over columns.

    What is done next depends on the checks so far and not on the clock. So a larger budget never gives a
    worse node or a worse bound, and with a budget of checks alone every run gives the same. The answer is
    optimal also where the budget ends when only nodes of the same score are left.

    Parameters
    ----------
    seconds
        When to stop; None for never.
    checks
        After how many checks to stop; None for no limit. Without both it goes on until the optimum is proved.
    most_boxes
        Boxes that are held in memory; with more, some are followed to their end before others.

    Examples
    --------
    >>> BestFirst(seconds=None, checks=100_000).checks
    100000
    """

    seconds: float | None = 10.0
    checks: int | None = None
    most_boxes: int = 1 << 18
    name: ClassVar[str] = "best-first"
    summary: ClassVar[str] = (
        "The best that a budget of time or checks finds, with a proved bound; for any size."
    )
    exact: ClassVar[bool] = True
    complete: ClassVar[bool] = False
    absorbing_only: ClassVar[bool] = False
    sizes_only: ClassVar[bool] = False
    measures: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        problems = []
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            problems.append(f"A search needs more than 0 seconds.\nFound: {self.seconds}.")
        if self.checks is not None and self.checks < 1:
            problems.append(f"A search needs at least 1 check.\nFound: {self.checks}.")
        if problems:
            raise InputError(problems)

    def search(
        self,
        problem: SearchProblem,
        *,
        all_nodes: bool = False,
        threads: int = 1,
        listener: SearchListener | None = None,
    ) -> SearchResult:
        require_serves(self, problem, all_nodes=all_nodes)
        require_columns(problem)
        # Several threads do not make the same checks in every run.
        threads = threads if self.checks is None else 1
        budget = Budget(self.seconds, self.checks)
        on = Exploration(problem, budget, threads=threads, listener=listener)
        proof = _Proof(on, self.most_boxes)
        on.solved = on.look(on.top).hopeless
        budget.spent += 1
        try:
            if not on.solved:
                dive(on)
            _take_turns(on, improve(on), proof.go_on())
        except BudgetSpentError:
            if on.best is None:
                raise InputError(
                    f"The algorithm '{self.name}' found no node that satisfies within its budget.\n"
                    f"It made {budget.spent:,} checks, and did not prove that there is none.\n"
                    "Allow more seconds or checks, or require less."
                ) from None
        return on.result(bound=proof.bound)


class _Proof:
    """What is proved of all nodes."""

    def __init__(self, on: Exploration, most_boxes: int) -> None:
        self._on = on
        self._most_boxes = most_boxes
        self._reached = on.bounds.by_sizes()
        self._held: list[Boxes] = []

    @property
    def bound(self) -> float:
        """What no satisfying node scores less than, unless it is the best one."""
        return max([self._reached, *(boxes.bound for boxes in self._held)])

    def go_on(self) -> Iterator[None]:
        """Cut boxes until none is left, anew with larger groups of columns from time to time."""
        for group_nodes, checks in (_GROUP_NODES if self._on.bounds.additive else {0: None}).items():
            new = Boxes(self._on, group_nodes=group_nodes, most=self._most_boxes)
            self._held.append(new)
            spent = [0] * len(self._held)
            # What was begun before has turns too, until the new boxes have the better bound.
            while checks is None or spent[-1] < checks:
                turn = spent.index(min(spent))
                before = self._on.budget.spent
                self._held[turn].step()
                spent[turn] += 1 + self._on.budget.spent - before
                self._on.progress = (new.nodes, max(new.decided, self._on.progress[1]))
                if self._held[turn].done:
                    self._on.solved = True
                    return
                if len(self._held) > 1 and self._held[0].bound <= new.bound:
                    self._held, spent = [new], spent[-1:]
                yield
            self._reached = self.bound
            self._held = [max(self._held, key=lambda boxes: boxes.bound)]


def _take_turns(on: Exploration, better: Iterator[int], proof: Iterator[None]) -> None:
    """Improve and prove by turns until the problem is solved; less of the one as it is more in vain."""
    improving = proving = 0
    while not on.solved:
        before = on.budget.spent
        if improving <= proving:
            vain = next(better)
            improving += (1 + on.budget.spent - before) * (1 + min(vain, _MOST_IN_VAIN))
        else:
            next(proof, None)
            proving += (1 + on.budget.spent - before) * 2
