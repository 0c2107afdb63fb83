"""Mondrian for tuples that do not fit into memory: the first cuts from counts, then the kernel for each part.

The classes are those that the kernel finds with all tuples in memory, whatever the parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.encode.column import UIntArray
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.recode.by_classes import ByClasses
from shoal.recode.by_parts import ByParts
from shoal.recode.class_labels import Labels
from shoal.search.counting_plan import fitting
from shoal.search.frequency_sets import FrequencySets, TooManyEntries
from shoal.search.parts import Part
from shoal.strategies.classes import ClassProblem
from shoal.strategies.divided_parts import DividedParts
from shoal.strategies.strategy import Question
from shoal.strategies.top_cuts import TopCuts, parts_that_fit


@dataclass(frozen=True)
class MondrianByParts:
    """A division of a table whose tuples do not fit into memory.

    Attributes
    ----------
    problem
        That of the whole table, without entries.
    cut, labels
        As in a spec.
    """

    question: Question
    problem: ClassProblem
    cut: str
    labels: Labels

    @classmethod
    def of(cls, question: Question, cut: str, labels: Labels) -> MondrianByParts:
        """Return the division.

        Raises
        ------
        InputError
            With these models, labels or cuts it takes all tuples in memory.
        """
        domain = question.counts.domain
        search = question.make_problem(domain)
        obstacles = {
            "a model of sensitive columns, people or a population": bool(
                domain.attributes or domain.populations or search.kernel_inputs.conditions
            )
            or domain.units is not None,
            "choose-by: quasi-identifiers": question.spec.choose_by != "everything",
            "starred rows": search.starred,
            "relaxed: true": cut == "relaxed",
            "a column without a label for all of its values": any(
                len(column.labels[column.max_level]) > 1 for column in domain.columns
            ),
        }
        if any(obstacles.values()):
            found = " and ".join(what for what, there in obstacles.items() if there)
            raise InputError(
                "The tuples do not fit into memory.\n"
                f"They are more than {fitting(question.most_entries)}, and mondrian cannot divide them in "
                f"parts with {found}.\nAllow more memory, or begin at higher levels with min-level."
            )
        return cls(question, ClassProblem(search), cut, labels)

    def recoding(self) -> tuple[CodedTable, ByParts]:
        """Divide the table; return its classes as entries, and their recoding.

        Raises
        ------
        TooManyEntries
            A part does not fit, and cannot be cut by single labels; or the classes do not fit.
        """
        question = self.question
        counts = question.counts.for_many()
        parts = list(self._parts(counts))
        divided = DividedParts(counts, parts, self._divide, self.labels, question.most_entries)
        return divided.recoding(ByParts("mondrian", {"cut": self.cut}))

    def _parts(self, counts: FrequencySets) -> Iterator[Part]:
        question = self.question
        cuts = TopCuts.of(self.problem, self.labels, self.cut)
        for part in parts_that_fit(counts, cuts, question.most_entries, question.report):
            if part is None:
                raise TooManyEntries(question.most_entries)
            yield part

    def _divide(self, table: CodedTable) -> tuple[CodedTable, UIntArray]:
        problem = self.problem
        own = problem.of_part(table)
        found = own.table.divide(
            own.requirement,
            problem.costs,
            cut=self.cut,
            threads=self.question.threads,
            ranges=problem.range_costs(self.labels),
        )
        classes = ByClasses("mondrian", values=own.values, class_of=np.array(found.class_of))
        return table, classes.class_of_entries(table)
