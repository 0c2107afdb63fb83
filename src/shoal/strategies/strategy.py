"""What every strategy offers: before any work it says what it needs, then it chooses a recoding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shoal.encode.table import CodedTable
from shoal.recode.recoding import Recoding
from shoal.search.counting_plan import Plan
from shoal.search.frequency_sets import FrequencySets
from shoal.search.problem import SearchProblem
from shoal.search.result import Counters, SearchAlgorithm, SearchListener
from shoal.settings import NamedSettings
from shoal.spec.spec import Spec
from shoal.strategies.abilities import Ability


def _as_it_is(algorithm: SearchAlgorithm) -> SearchAlgorithm:
    return algorithm


@dataclass(frozen=True)
class Question:
    """What a strategy is asked, and what it may use to find the answer.

    Attributes
    ----------
    spec
        With its hierarchies made.
    counts
        The table, counted on request. A choice by the quasi-identifiers alone sees no other column in it.
    make_problem
        Makes the problem of a frequency set: the models, the measure and the limit on its rows.
    most_entries
        How many entries of a frequency set fit into memory.
    all_nodes
        Whether all choices of levels that satisfy are to be listed.
    listener, report
        Called with the progress, and with what is counted, in words.
    bind
        Lets an algorithm that runs in a database run in that of the table.
    """

    spec: Spec
    counts: FrequencySets
    make_problem: Callable[[CodedTable], SearchProblem]
    most_entries: int
    all_nodes: bool = False
    threads: int = 1
    listener: SearchListener | None = None
    report: Callable[[str], None] | None = None
    bind: Callable[[SearchAlgorithm], SearchAlgorithm] = _as_it_is

    def problem(self) -> SearchProblem:
        """Return the problem with all tuples of the table.

        Raises
        ------
        TooManyEntries
            They do not fit into memory.
        """
        bottom = (0,) * len(self.counts.domain.columns)
        return self.make_problem(self.counts.at(bottom, most=self.most_entries))


@dataclass(frozen=True, eq=False, kw_only=True)
class Chosen:
    """The recoding that a strategy chose, and how good it is.

    Attributes
    ----------
    problem
        The problem that it answers. Its table has the entries that the recoding is applied to.
    score
        What it scores, by the measure of the problem.
    optimal
        Whether no other recoding of its kind scores better, proved.
    bound
        Where that is not proved, what none of them scores less than, if known.
    counters
        The work that it took.
    satisfying
        If asked for, all choices of levels that satisfy, one per row; None for what has no levels.
    subsets
        From Incognito: the satisfying choices for every set of columns.
    plan
        How the table was counted, where that was planned.
    notes
        What a reader of the release should know of the choice.
    """

    recoding: Recoding
    score: float
    problem: SearchProblem = field(repr=False)
    optimal: bool = False
    bound: float | None = None
    counters: Counters = Counters(lattice=0)  # noqa: RUF009 (frozen)
    satisfying: NDArray[np.uint8] | None = None
    subsets: Mapping[tuple[str, ...], NDArray[np.uint8]] | None = None
    plan: Plan | None = None
    notes: tuple[str, ...] = ()


class StrategyDefaults(NamedSettings):
    """What most strategies have in common, for dataclasses whose fields are the settings."""

    __slots__ = ()

    has_levels: ClassVar[bool] = False
    lists_nodes: ClassVar[bool] = False

    def require(self, spec: Spec, *, all_nodes: bool = False) -> None:
        """Serve every spec."""


@runtime_checkable
class Strategy(Protocol):
    """A way to choose a recoding; implementations are frozen dataclasses whose fields have defaults.

    Attributes
    ----------
    name, summary
        Its name in the registry, and what it does, in one line.
    needs
        What an engine must be able to do for it.
    has_levels
        Whether its recodings have levels, by which an audit generalizes a population.
    lists_nodes
        Whether it can list all choices of levels that satisfy.
    """

    @property
    def name(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def needs(self) -> frozenset[Ability]: ...
    @property
    def has_levels(self) -> bool: ...
    @property
    def lists_nodes(self) -> bool: ...

    def to_spec(self) -> object:
        """Return it as it stands after `recoding:` in a spec."""
        ...

    def require(self, spec: Spec, *, all_nodes: bool = False) -> None:
        """Raise what keeps it from serving a spec. Nothing was read yet.

        Raises
        ------
        InputError
            With everything that it cannot do, and what can.
        """
        ...

    def choose(self, question: Question) -> Chosen:
        """Choose a recoding that satisfies the spec.

        Raises
        ------
        InfeasibleError
            None does.
        """
        ...
