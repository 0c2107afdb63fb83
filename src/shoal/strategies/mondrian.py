"""Mondrian: the table is cut in two, and its parts again, as long as both parts may be released."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

import numpy as np

from shoal import _kernel
from shoal.errors import InputError, nearest
from shoal.recode.by_classes import ByClasses
from shoal.recode.class_labels import Labels
from shoal.search.frequency_sets import TooManyEntries
from shoal.spec.spec import Spec
from shoal.strategies.abilities import Ability
from shoal.strategies.classes import ClassProblem, advise_ranges, choose_best, require_classes
from shoal.strategies.label_settings import CLASS_LABELS_PARAMETER, LabelSettings
from shoal.strategies.mondrian_by_parts import MondrianByParts
from shoal.strategies.strategy import Chosen, Question

Cut = Literal["peel", "gain", "median"]


@dataclass(frozen=True, slots=True)
class Mondrian(LabelSettings):
    """Cut the table in two, and its parts again, as long as both parts satisfy the models.

    Every combination of values belongs to one class.

    Parameters
    ----------
    cut
        How a part is cut. `peel`: one label of a hierarchy off the rest, where that saves the most; small
        parts also by a label in each of two columns. `gain`: between any two neighbouring values too.
        `median`: in the column that costs the most, at the median of its rows.
    labels
        How labels are written: `nodes` of hierarchies, `ranges` or `sets`; or what average is released, such
        as the `mean`. By column as a mapping. With `ranges` and averages numbers and dates are cut between
        any two values, and need no hierarchy.
    relaxed
        With `median`: rows that have the median itself may go to either half, so that the halves balance.
        Which they go to depends on their other columns: rows that are equal in all stay together.

    References
    ----------
    K. LeFevre, D. DeWitt and R. Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006. It cuts at
    the median, strict or relaxed; to cut where that saves the most is ours.

    Examples
    --------
    >>> Mondrian(cut="median").to_spec()
    {'mondrian': {'cut': 'median'}}
    """

    cut: Cut = "peel"
    labels: Labels = "nodes"
    relaxed: bool = False

    name: ClassVar[str] = "mondrian"
    summary: ClassVar[str] = "The table cut in two, and its parts again, as long as both satisfy the models."
    parameters: ClassVar[dict[str, str]] = {
        "cut": "how a part is cut: peel (one label against the rest; the default), gain (between any two "
        "values) or median (of the column that costs the most)",
        "labels": CLASS_LABELS_PARAMETER,
        "relaxed": "for cut: median, whether rows at the median may go to either half, so that both balance",
    }
    examples: ClassVar[tuple[object, ...]] = (
        None,
        {"cut": "median", "relaxed": True},
        {"labels": "ranges"},
    )
    needs: ClassVar[frozenset[Ability]] = frozenset({Ability.COUNT_TUPLES, Ability.RECODE_BY_CLASSES})

    def __post_init__(self) -> None:
        if self.cut not in get_args(Cut):
            known = get_args(Cut)
            raise InputError(
                f"mondrian: cut must be one of {', '.join(known)}.\n"
                f"Found: {self.cut!r}.{nearest(str(self.cut), known)}"
            )
        self.check_labels()
        if not isinstance(self.relaxed, bool):
            raise InputError(f"mondrian: relaxed must be true or false.\nFound: {self.relaxed!r}.")
        if self.relaxed and self.cut != "median":
            raise InputError(
                f"mondrian: only cuts at the median can be relaxed.\nFound: relaxed with cut {self.cut}.\n"
                "Use cut: median, or leave relaxed out."
            )

    def require(self, spec: Spec, *, all_nodes: bool = False) -> None:
        require_classes(self, spec)

    def choose(self, question: Question) -> Chosen:
        self.require_averages(question.counts.domain)
        strategy = replace(self, labels=self.labels_of(question.spec.quasi_identifiers))
        try:
            problem = ClassProblem(question.problem())
        except TooManyEntries:
            chosen = strategy._in_parts(question)
        else:
            levels = problem.full_domain(question)
            recodings = strategy.recodings(problem, levels, threads=question.threads)
            chosen = choose_best(problem.problem, recodings)
        return self.note_null(advise_ranges(chosen, question.spec, strategy.labels))

    def _in_parts(self, question: Question) -> Chosen:
        large = MondrianByParts.of(question, self._kernel_cut, self.labels)
        classes, recoding = large.recoding()
        return choose_best(question.make_problem(classes), [recoding])

    def recodings(
        self, problem: ClassProblem, levels: Mapping[str, int] | None, *, threads: int
    ) -> Iterator[ByClasses]:
        """Yield the division, and the classes at the best levels, which may be better on small tables."""
        settings = {"cut": self.cut} | ({"relaxed": True} if self.relaxed else {})
        divided = self.divide(problem, threads)
        yield problem.recoding(self.name, self.labels, np.array(divided.class_of), **settings)
        if levels is not None:
            yield problem.recoding(self.name, self.labels, problem.at(levels), **settings)

    def divide(self, problem: ClassProblem, threads: int) -> _kernel.TupleClasses:
        """Return the classes that the kernel finds."""
        return problem.table.divide(
            problem.requirement,
            problem.costs,
            cut=self._kernel_cut,
            threads=threads,
            ranges=problem.range_costs(self.labels),
        )

    @property
    def _kernel_cut(self) -> str:
        return "relaxed" if self.relaxed else self.cut
