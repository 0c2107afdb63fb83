"""Partition where tuples do not fit into memory: the first cuts from counts, then the kernel for each part.

A cut is made where the kernel would make it with all tuples in memory: halves are tested by what is counted
of one column together with the sensitive ones. Every part is compared with the whole table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from shoal import _kernel
from shoal.encode.column import UIntArray
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.partition.divide.cuts import Cuts
from shoal.partition.divide.divider import Divider, DivisionTask
from shoal.recode.by_entries import taken_apart
from shoal.recode.by_parts import ByParts, EntriesByParts
from shoal.recode.class_labels import Labels
from shoal.search.counting_plan import fitting
from shoal.search.frequency_sets import FrequencySets
from shoal.search.infeasible import infeasible
from shoal.search.kernel_inputs import KernelInputs
from shoal.search.parts import Part
from shoal.strategies.divided_parts import DividedParts
from shoal.strategies.strategy import Question
from shoal.strategies.top_cuts import HalvesPass, TopCuts, parts_that_fit


def require_parts(question: Question, divide: Divider) -> None:
    """Raise unless a table can be divided in parts.

    Raises
    ------
    InputError
        Its tuples do not fit into memory, and it takes all of them.
    """
    domain = question.counts.domain
    obstacles = {
        f"divide: {divide.name}": not isinstance(divide, Cuts),
        "a unit": domain.units is not None,
        "a column without a label for all of its values": any(
            len(column.labels[column.max_level]) > 1 for column in domain.columns
        ),
    }
    found = " and ".join(what for what, there in obstacles.items() if there)
    if found:
        raise InputError(
            "The tuples do not fit into memory.\n"
            f"They are more than {fitting(question.most_entries)}, and partition cannot divide them in parts "
            f"with {found}.\nAllow more memory, or begin at higher levels with min-level."
        )


def whole_table(question: Question) -> CodedTable:
    """Return the table without what its quasi-identifiers tell apart: all that classes are compared with."""
    tops = tuple(column.max_level for column in question.counts.domain.columns)
    counted = question.counts.at(tops, most=question.most_entries)
    # Above the lowest levels nothing is known of the entries; of the columns everything is.
    columns = zip(question.counts.domain.columns, counted.columns, strict=True)
    return replace(
        counted,
        columns=tuple(replace(column, codes=at_top.codes) for column, at_top in columns),
        bottom=None,
    )


@dataclass(frozen=True)
class PartitionByParts:
    """A division of a table whose tuples do not fit into memory, by cuts.

    Attributes
    ----------
    question, labels
        As a strategy has them.
    task
        That of the whole table, as `whole_table` gives it.
    """

    question: Question
    labels: Labels
    task: DivisionTask

    def recodings(self, recoding: EntriesByParts, cuts: Cuts) -> Iterator[tuple[CodedTable, ByParts]]:
        """Divide the table by each kind of cut; yield the entries of its classes, and their recoding.

        Raises
        ------
        InfeasibleError
            The table is no class.
        TooManyEntries
            The classes do not fit.
        InputError
            A part does not fit, and no cut between values passes.
        """
        problem, question = self.task.problem, self.question
        search = problem.problem
        if not search.satisfied(search.verdict_of(problem.recoding("partition", self.labels, problem.tops))):
            raise infeasible(search)
        counts = question.counts.for_many()
        for kind in cuts.kinds(few=False):
            divided = DividedParts(
                counts,
                list(self._parts(counts, kind)),
                partial(self._divide, kind),
                self.labels,
                question.most_entries,
            )
            yield divided.recoding(recoding)

    def _parts(self, counts: FrequencySets, kind: str) -> Iterator[Part]:
        question = self.question
        cuts = TopCuts.of(self.task.problem, self.labels, kind, self._test)
        for part in parts_that_fit(counts, cuts, question.most_entries, question.report):
            if part is None:
                raise InputError(
                    "The tuples do not fit into memory.\n"
                    f"They are more than {fitting(question.most_entries)}, and of a part no cut between "
                    "values has two halves that satisfy the models: a cut through its sensitive values takes "
                    "all of its tuples.\nAllow more memory, or begin at higher levels with min-level."
                )
            yield part

    def _test(self, counts: FrequencySets, column: int) -> HalvesPass:
        """Count a column of a part together with the sensitive ones, to test any halves by its labels."""
        domain, search = counts.domain, self.task.problem.problem
        levels = [each.max_level for each in domain.columns]
        levels[column] = domain.columns[column].min_level
        table = counts.at(levels, most=self.question.most_entries)
        inputs = KernelInputs(table, search.models, search.kernel_inputs.target)
        place = np.arange(table.entries, dtype=np.uint32)
        kernel_table = _kernel.CodedTable(
            codes=[place],
            maps=[[place, np.zeros_like(place)]],
            user_levels=[[0, 1]],
            heights=[1],
            weights=inputs.weights,
            attributes=inputs.attributes(),
        )
        own = domain.columns[column]
        labels = own.maps[levels[column]][table.columns[column].codes]

        def passes(first: int, last: int) -> bool:
            outside = ((labels < first) | (labels > last)).astype(np.uint32)
            return all(kernel_table.passing(self.task.problem.requirement, outside, 2))

        return passes

    def _divide(self, kind: str, table: CodedTable) -> tuple[CodedTable, UIntArray]:
        own = self.task.problem.of_part(taken_apart(table))
        found = self.task.cut(own, kind)
        recoding = own.recoding("partition", self.labels, np.array(found.class_of))
        return own.problem.table, recoding.class_of_entries(own.problem.table)
