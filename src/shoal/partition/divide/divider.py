"""What every divider offers: classes of tuples, from their values and their buckets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol, TypeAlias, runtime_checkable

import numpy as np

from shoal import _kernel
from shoal.encode.column import UIntArray
from shoal.partition.buckets.buckets import Buckets
from shoal.partition.entries import EntryProblem
from shoal.recode.class_labels import Labels
from shoal.settings import NamedSettings

Divided: TypeAlias = tuple[EntryProblem, UIntArray]
"""Tuples, and the class of each."""


@dataclass(frozen=True, eq=False)
class DivisionTask:
    """A table to divide.

    Attributes
    ----------
    problem
        The tuples, what a class must satisfy, and what cells cost.
    column
        The sensitive column that has the buckets; None if all rows are of one bucket.
    buckets
        The buckets, with their bounds.
    labels
        How classes will be labelled.
    """

    problem: EntryProblem
    column: str | None
    buckets: Buckets
    labels: Labels
    threads: int = 1

    @cached_property
    def tuples(self) -> int:
        return self.problem.table.tuples

    def cut(self, problem: EntryProblem, kind: str) -> _kernel.TupleClasses:
        """Let the kernel cut the tuples, through buckets where no other cut of a kind passes."""
        return problem.table.divide(
            problem.requirement,
            problem.costs,
            cut=kind,
            threads=self.threads,
            ranges=problem.range_costs(self.labels),
            bucket_of=self.bucket_of(problem),
        )

    def bucket_of(self, problem: EntryProblem) -> UIntArray:
        """Return the bucket of every tuple, numbered without those that none has."""
        found = problem.buckets(self.column, self.buckets.of_value)
        numbers = np.cumsum(np.bincount(found) > 0) - 1
        return numbers[found].astype(np.uint32)


class DividerDefaults(NamedSettings):
    """What most dividers have in common, for dataclasses whose fields are the settings."""

    __slots__ = ()

    most_tuples: ClassVar[int | None] = None


@runtime_checkable
class Divider(Protocol):
    """A way to put tuples into classes; implementations are frozen dataclasses whose fields are its settings.

    Attributes
    ----------
    name, summary
        Its name in the registry, and what it does, in one line.
    most_tuples
        How many tuples it can divide in a reasonable time; None for any number.
    """

    @property
    def name(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def most_tuples(self) -> int | None: ...

    def to_spec(self) -> object:
        """Return it as it is written in a spec."""
        ...

    def divide(self, task: DivisionTask) -> Iterator[Divided]:
        """Yield each division that it tries; whoever asked takes the best of those that hold."""
        ...
