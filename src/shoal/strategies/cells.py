"""Cells: local recoding, where rows with the same value may get labels of different width."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from shoal.recode.by_classes import ByClasses
from shoal.recode.class_labels import Labels
from shoal.spec.spec import Spec
from shoal.strategies.abilities import Ability
from shoal.strategies.classes import ClassProblem, advise_ranges, choose_best, require_classes
from shoal.strategies.label_settings import CLASS_LABELS_PARAMETER, LabelSettings
from shoal.strategies.mondrian import Mondrian
from shoal.strategies.starred import Starred
from shoal.strategies.stars import Stars
from shoal.strategies.strategy import Chosen, Question

_MOST_STEPS = 20_000
"""Tuples times squared columns up to which stars are tried too: these may be better on small tables."""


@dataclass(frozen=True, slots=True)
class CheapestClasses(LabelSettings):
    """Release the class that costs a row the least, with all rows that it covers; then the next.

    Labels of different classes may overlap: `25` beside `[20, 40)`. Of all recodings here it nearly always
    loses the least.

    Parameters
    ----------
    labels
        How labels are written: `nodes` of hierarchies, `ranges` or `sets`; or what average is released, such
        as the `mean`. By column as a mapping.

    Examples
    --------
    >>> CheapestClasses(labels="sets").to_spec()
    {'cells': {'labels': 'sets'}}
    """

    labels: Labels = "nodes"

    name: ClassVar[str] = "cells"
    summary: ClassVar[str] = "Every cell as fine as its class allows: the cheapest class first."
    parameters: ClassVar[dict[str, str]] = {"labels": CLASS_LABELS_PARAMETER}
    examples: ClassVar[tuple[object, ...]] = (None, {"labels": "ranges"}, {"labels": "sets"})
    needs: ClassVar[frozenset[Ability]] = frozenset({Ability.COUNT_TUPLES, Ability.RECODE_BY_CLASSES})

    def __post_init__(self) -> None:
        self.check_labels()

    def require(self, spec: Spec, *, all_nodes: bool = False) -> None:
        require_classes(self, spec)

    def choose(self, question: Question) -> Chosen:
        self.require_averages(question.counts.domain)
        strategy = replace(self, labels=self.labels_of(question.spec.quasi_identifiers))
        problem = ClassProblem(question.problem())
        chosen = choose_best(problem.problem, strategy._recodings(question, problem))
        return self.note_null(advise_ranges(chosen, question.spec, strategy.labels))

    def _recodings(self, question: Question, problem: ClassProblem) -> Iterator[ByClasses]:
        found = problem.cheapest(question.threads)
        yield problem.recoding(self.name, self.labels, np.array(found.class_of))
        levels = problem.full_domain(question)
        for other in Mondrian(labels=self.labels).recodings(problem, levels, threads=question.threads):
            yield problem.recoding(self.name, self.labels, other.class_of)
        if self.labels == "nodes" and len(problem.values[0]) * len(problem.values) ** 2 <= _MOST_STEPS:
            yield from Starred().recodings(question, Stars(self.name, problem.problem, question.threads))
