"""Cuts: the table in two and its parts again, through the buckets where no other cut passes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from shoal.errors import InputError, nearest
from shoal.partition.divide.divider import Divided, DividerDefaults, DivisionTask

Cut = Literal["best", "gain", "even", "median"]

FEW_TUPLES = 200_000
"""Up to so many all kinds of cuts are tried, and beyond that the two quickest."""


@dataclass(frozen=True, slots=True)
class Cuts(DividerDefaults):
    """Cut the table in two, and its parts again, as long as both halves satisfy every model.

    A cut between values may gather a sensitive value in one half. Where no cut passes, the part is cut
    through its buckets: the half of each with the smaller values against the other half. Both then have about
    the same mix of sensitive values, and overlap.

    Parameters
    ----------
    cut
        The first choice. `gain`: between the values where that saves the most. `even`: of every column the
        median, where both halves together cost the least. `median`: in the column that costs the most.
        `best`: all of them, of which the best division is released; beyond 200,000 tuples `even` and
        `median`.

    Examples
    --------
    >>> Cuts(cut="even").to_spec()
    {'cuts': {'cut': 'even'}}
    """

    cut: Cut = "best"

    name: ClassVar[str] = "cuts"
    summary: ClassVar[str] = (
        "The table in two and its parts again; through the buckets where nothing else passes."
    )
    parameters: ClassVar[dict[str, str]] = {
        "cut": "the first choice: best (all of them; the default), gain, even or median",
    }
    examples: ClassVar[tuple[object, ...]] = (None, {"cut": "even"})

    def __post_init__(self) -> None:
        if self.cut not in get_args(Cut):
            known = get_args(Cut)
            raise InputError(
                f"{self.name}: cut must be one of {', '.join(known)}.\n"
                f"Found: {self.cut!r}.{nearest(str(self.cut), known)}"
            )

    def kinds(self, *, few: bool) -> Sequence[str]:
        """Return the kinds of cuts that are tried on few tuples, or on many."""
        if self.cut != "best":
            return [self.cut]
        return ["gain", "even", "median"] if few else ["even", "median"]

    def divide(self, task: DivisionTask) -> Iterator[Divided]:
        for kind in self.kinds(few=task.tuples <= FEW_TUPLES):
            yield task.problem, np.array(task.cut(task.problem, kind).class_of)
