"""What happens during a run, told to whoever listens: the terminal, a browser, or nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from time import perf_counter
from typing import TypeAlias

STEPS = ("read", "encode", "search", "recode", "audit", "write", "report")


@dataclass(frozen=True, slots=True)
class StepStarted:
    """One of `STEPS` begins."""

    step: str


@dataclass(frozen=True, slots=True)
class StepFinished:
    """One of `STEPS` ended well."""

    step: str
    seconds: float


@dataclass(frozen=True, slots=True)
class SearchAdvanced:
    """How far the search is: nodes of the lattice, those decided, and the best score so far."""

    nodes: int
    decided: int
    best: float | None


@dataclass(frozen=True, slots=True)
class Counting:
    """Tuples are being counted where the rows are; `what` says which, in words."""

    what: str


@dataclass(frozen=True, slots=True)
class Training:
    """Machine learning models are being trained for a report: how many are done, and which comes next."""

    done: int
    models: int
    what: str


@dataclass(frozen=True, slots=True)
class Drifted:
    """A stream suppressed more rows than its spec allows; `alarm` says so in words."""

    alarm: str


Event: TypeAlias = StepStarted | StepFinished | SearchAdvanced | Counting | Training | Drifted
Listener: TypeAlias = Callable[[Event], None]


class Steps:
    """Times the steps of one run and tells the listener of them.

    Examples
    --------
    >>> steps = Steps(lambda event: print(type(event).__name__))
    >>> with steps("search"):
    ...     steps.report(SearchAdvanced(nodes=8, decided=2, best=None))
    StepStarted
    SearchAdvanced
    StepFinished
    >>> list(steps.seconds)
    ['read', 'encode', 'search', 'recode', 'audit', 'write', 'report', 'total']
    """

    def __init__(
        self,
        listener: Listener | None = None,
        guard: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self.report = listener or _ignore
        self._guard = guard
        self._seconds = dict.fromkeys(STEPS, 0.0)

    @property
    def seconds(self) -> dict[str, float]:
        """What each step took so far, and all of them in `total`."""
        return {**self._seconds, "total": sum(self._seconds.values())}

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        """Run one step; a step that runs again, such as the audit of the written file, adds up."""
        with self._guard():
            self.report(StepStarted(step))
            start = perf_counter()
            yield
            seconds = perf_counter() - start
        self._seconds[step] += seconds
        self.report(StepFinished(step, seconds))


def _ignore(event: Event) -> None:
    pass
