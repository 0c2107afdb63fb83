"""What another recoding would keep, where the best choice of one level per column loses much."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from shoal.errors import InfeasibleError, InputError
from shoal.search.problem import SearchProblem
from shoal.spec.spec import Spec
from shoal.strategies.classes import ClassProblem, choose_best
from shoal.strategies.mondrian import Mondrian
from shoal.strategies.resolve import require_spec

MUCH = 0.2
"""A release that scores more than this loses much."""

WORTH = 0.75
"""Another recoding is named if it scores at most this share of that."""

_MOST_ENTRIES = 1 << 20
"""So many tuples are put into classes in a small part of the time that their release takes."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """A recoding that would lose less, with its score by the same measure."""

    recoding: str
    score: float

    def instead_of(self, score: float) -> str:
        """Compare it with the score of a release, in words.

        Examples
        --------
        >>> Alternative("mondrian", 0.0661).instead_of(0.3584)
        'another keeps more: mondrian loses 6.6% instead of 35.8% (--recoding mondrian)'
        """
        return (
            f"another keeps more: {self.recoding} loses {self.score:.1%} instead of {score:.1%} "
            f"(--recoding {self.recoding})"
        )


def alternative(
    problem: SearchProblem, spec: Spec, levels: Mapping[str, int], score: float
) -> Alternative | None:
    """Return what another recoding would score by the same spec, if much better and cheap to find out.

    That recoding is Mondrian. The tuples are those that were counted for the search, and with the best levels
    known nothing has to be searched again, so the score is that of `recoding: mondrian`.

    Parameters
    ----------
    problem
        What was searched by the spec.
    levels, score
        The best choice of levels, and its score.
    """
    table = problem.table
    entries = table.entries + sum(population.rows for population in table.populations.values())
    if score <= MUCH or table.bottom is not None or entries > _MOST_ENTRIES:
        return None
    if spec.choose_by != "everything":
        return None  # whether all models hold is known only when the rows are recoded
    other = Mondrian()
    try:
        require_spec(other, spec)
        classes = ClassProblem(problem)
        found = choose_best(problem, other.recodings(classes, levels, threads=os.cpu_count() or 1))
    except (InputError, InfeasibleError):
        return None
    return Alternative(other.name, found.score) if found.score <= WORTH * score else None
