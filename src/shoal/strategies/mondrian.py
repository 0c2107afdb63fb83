"""Mondrian: the table is cut in two, and its parts again, as long as both parts may be released."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from shoal.errors import InputError, nearest
from shoal.recode.by_classes import ByClasses
from shoal.recode.class_labels import LabelForm
from shoal.spec.spec import Spec
from shoal.strategies.abilities import Ability
from shoal.strategies.classes import (
    LABELS_PARAMETER,
    ClassProblem,
    choose_best,
    require_cell_costs,
    require_labels,
)
from shoal.strategies.strategy import Chosen, Question, StrategyDefaults

Cut = Literal["peel", "gain", "median"]


@dataclass(frozen=True, slots=True)
class Mondrian(StrategyDefaults):
    """Cut the table in two, and its parts again, as long as both parts satisfy the models.

    Classes are boxes that do not overlap: every combination of values belongs to one of them at most.

    Parameters
    ----------
    cut
        How a part is cut. `peel`: one label of a hierarchy against the rest, where that saves the most.
        `gain`: between any two neighbouring values too, where that saves the most. `median`: in the column
        that costs the most, at the median of its rows.
    labels
        How labels are written: `nodes` of hierarchies, `ranges` or `sets`.

    References
    ----------
    K. LeFevre, D. DeWitt and R. Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006. It cuts at
    the median; to cut where that saves the most is ours.

    Examples
    --------
    >>> Mondrian(cut="median").to_spec()
    {'mondrian': {'cut': 'median'}}
    """

    cut: Cut = "peel"
    labels: LabelForm = "nodes"

    name: ClassVar[str] = "mondrian"
    summary: ClassVar[str] = "Classes that are boxes: the table is cut in two again and again."
    parameters: ClassVar[dict[str, str]] = {
        "cut": "how a part is cut: peel (one label against the rest; the default), gain (between any two "
        "values) or median (of the column that costs the most)",
        "labels": LABELS_PARAMETER,
    }
    examples: ClassVar[tuple[object, ...]] = (None, {"cut": "median"}, {"labels": "ranges"})
    needs: ClassVar[frozenset[Ability]] = frozenset({Ability.COUNT_TUPLES, Ability.RECODE_BY_CLASSES})

    def __post_init__(self) -> None:
        if self.cut not in get_args(Cut):
            known = get_args(Cut)
            raise InputError(
                f"mondrian: cut must be one of {', '.join(known)}.\n"
                f"Found: {self.cut!r}.{nearest(str(self.cut), known)}"
            )
        require_labels(self.name, self.labels)

    def require(self, spec: Spec, *, all_nodes: bool = False) -> None:
        require_cell_costs(self.name, spec.quality, self.labels)

    def choose(self, question: Question) -> Chosen:
        problem = ClassProblem(question.problem())
        return choose_best(problem.problem, self.recodings(question, problem))

    def recodings(self, question: Question, problem: ClassProblem) -> Iterator[ByClasses]:
        """Yield the division, and the classes at the best levels, which may be better on small tables."""
        divided = problem.table.divide(
            problem.requirement, problem.costs, cut=self.cut, threads=question.threads
        )
        yield problem.recoding(self.name, self.labels, np.array(divided.class_of), cut=self.cut)
        rigid = problem.full_domain(question)
        if rigid is not None:
            yield problem.recoding(self.name, self.labels, rigid, cut=self.cut)
