"""How long a search may go on: a time, a number of checks, or both."""

from __future__ import annotations

from time import perf_counter


class BudgetSpentError(Exception):
    """Raised where the budget ends; a search catches it and answers with what it has."""


class Budget:
    """Counts checks, and ends a search by raising.

    Attributes
    ----------
    spent
        Checks so far.

    Examples
    --------
    >>> budget = Budget(seconds=None, checks=10)
    >>> budget.spend(8)
    >>> budget.spend(3)
    Traceback (most recent call last):
    shoal.search.algorithms.anytime.budget.BudgetSpentError
    >>> budget.spent
    8
    """

    def __init__(self, seconds: float | None, checks: int | None) -> None:
        self._end = None if seconds is None else perf_counter() + seconds
        self._checks = checks
        self.spent = 0

    def spend(self, checks: int = 1) -> None:
        """Count checks; raise where there are more than allowed, or the time is over."""
        if self._checks is not None and self.spent + checks > self._checks:
            raise BudgetSpentError
        self.spent += checks
        self.look_at_the_clock()

    def look_at_the_clock(self) -> None:
        """Raise if the time is over."""
        if self._end is not None and perf_counter() > self._end:
            raise BudgetSpentError
