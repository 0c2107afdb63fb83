"""Mondrian for tuples that do not fit into memory: the first cuts from counts, then the kernel for each part.

The classes are those that the kernel finds with all tuples in memory, whatever the parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.encode.column import CodedColumn, IntArray, UIntArray, comparable, is_ordered
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.exact_counts import count
from shoal.recode.by_boxes import ByBoxes
from shoal.recode.by_classes import ByClasses
from shoal.recode.class_labels import LabelForm, fitting_form
from shoal.search.counting_plan import fitting
from shoal.search.frequency_sets import FrequencySets, TooManyEntries
from shoal.search.parts import Part
from shoal.search.single_dimensional.block_costs import has_ranges
from shoal.strategies.classes import ClassProblem
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
    labels: LabelForm

    @classmethod
    def of(cls, question: Question, cut: str, labels: LabelForm) -> MondrianByParts:
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
            "labels: sets": labels == "sets",
            "labels: fitting, where a column without a hierarchy gets sets": labels == "fitting"
            and any(fitting_form(column) == "sets" for column in domain.columns),
            f"labels: {labels}, where a hierarchy is not in the order of its numbers": labels
            in ("ranges", "fitting")
            and any(map(_in_another_order, domain.columns)),
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

    def recoding(self) -> tuple[CodedTable, ByBoxes]:
        """Divide the table; return its classes as entries, and their recoding.

        Raises
        ------
        TooManyEntries
            A part does not fit, and cannot be cut by single labels; or the classes do not fit.
        """
        question, domain = self.question, self.question.counts.domain
        counts = question.counts.for_many()
        parts = list(self._parts(counts))
        found: list[_Ends] = []
        for table, class_of in self._divided(counts, parts):
            found.append(_Ends.of(table, class_of))
            if sum(len(ends.rows) for ends in found) > question.most_entries:
                raise TooManyEntries(question.most_entries)
        lowest, highest = (
            tuple(np.concatenate(columns, axis=1))
            for columns in zip(*((e.low, e.high) for e in found), strict=True)
        )
        rows = np.concatenate([ends.rows for ends in found])
        columns = tuple(
            replace(column, codes=column.first_codes(column.min_level)[labels])
            for column, labels in zip(domain.columns, lowest, strict=True)
        )

        def tuples() -> Iterator[tuple[CodedTable, UIntArray]]:
            start = 0
            for (table, class_of), ends in zip(self._divided(counts, parts), found, strict=True):
                if not ends.same(_Ends.of(table, class_of)):
                    raise InputError(
                        "The table changed while it was read.\nFound: other classes than before.\n"
                        "Run again while nobody writes to it."
                    )
                yield table, class_of + np.uint32(start)
                start += len(ends.rows)

        return replace(domain, columns=columns, weights=rows.astype(np.uint64)), ByBoxes(
            "mondrian",
            {"cut": self.cut},
            self.labels,
            lowest,
            np.arange(len(rows), dtype=np.uint32),
            highest=highest,
            divide=tuples,
        )

    def _parts(self, counts: FrequencySets) -> Iterator[Part]:
        problem, question = self.problem, self.question
        columns = counts.domain.columns
        cuts = TopCuts(
            steps=[
                [column.step(column.min_level, level) for level in levels]
                for column, levels in zip(columns, problem.problem.lattice.levels, strict=True)
            ],
            costs=problem.costs,
            ranges=problem.range_costs(self.labels),
            least=max(problem.least, 1),
            cut=self.cut,
        )
        whole = Part.whole(columns, counts.domain.rows)
        for part in parts_that_fit(counts, whole, cuts, question.most_entries):
            if part is None:
                raise TooManyEntries(question.most_entries)
            if question.report is not None:
                question.report(f"tuples of a part of {part.rows:,} rows")
            yield part

    def _divided(
        self, counts: FrequencySets, parts: Sequence[Part]
    ) -> Iterator[tuple[CodedTable, UIntArray]]:
        """Yield the tuples of each part, and the class of each, from 0."""
        problem = self.problem
        for part in parts:
            table = counts.within(part).at((0,) * len(counts.domain.columns))
            own = ClassProblem(replace(problem.problem, table=table))
            found = own.table.divide(
                problem.requirement,
                problem.costs,
                cut=self.cut,
                threads=self.question.threads,
                ranges=problem.range_costs(self.labels),
            )
            class_of = ByClasses(
                "mondrian", values=own.values, class_of=np.array(found.class_of)
            ).class_of_entries(table)
            yield table, class_of


def _in_another_order(column: CodedColumn) -> bool:
    """Return whether the least number of a class may not be the first in the order of the hierarchy."""
    numbers = not column.min_level and is_ordered(comparable(column.labels[0]).type)
    return numbers and not has_ranges(column)


@dataclass(frozen=True, eq=False)
class _Ends:
    """The rows of each class, and for each column its least and its greatest label."""

    rows: IntArray
    low: UIntArray
    high: UIntArray

    @classmethod
    def of(cls, table: CodedTable, class_of: UIntArray) -> _Ends:
        classes = int(class_of.max()) + 1
        order = np.argsort(class_of, kind="stable")
        starts = np.searchsorted(class_of[order], np.arange(classes))
        labels = [column.maps[column.min_level][column.codes][order] for column in table.columns]
        return cls(
            count(class_of, classes, table.weights),
            np.stack([np.minimum.reduceat(own, starts) for own in labels]),
            np.stack([np.maximum.reduceat(own, starts) for own in labels]),
        )

    def same(self, other: _Ends) -> bool:
        pairs = (self.rows, other.rows), (self.low, other.low), (self.high, other.high)
        return all(np.array_equal(mine, theirs) for mine, theirs in pairs)
