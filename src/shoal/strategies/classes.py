"""What strategies share that put tuples into classes: the kernel's inputs, and the best of recodings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from shoal import _kernel, registry
from shoal.encode.column import UIntArray
from shoal.errors import InfeasibleError, InputError, nearest
from shoal.measure.cells import CellMeasure
from shoal.measure.measure import Measure, shares
from shoal.recode.by_classes import ByClasses
from shoal.recode.class_labels import LabelForm
from shoal.recode.recoding import Recoding
from shoal.search.infeasible import infeasible
from shoal.search.problem import SearchProblem, kernel_table
from shoal.strategies.full_domain_search import FullDomainSearch
from shoal.strategies.strategy import Chosen, Question

LABEL_FORMS: Mapping[LabelForm, str] = {
    "nodes": "the lowest label of the hierarchy that covers the class",
    "ranges": "numbers and dates as the range of the class, such as [21, 34]",
    "sets": "the values of the class, such as {clerk, cook}",
}
_MOST_ROWS = 1 << 33
"""The kernel multiplies what a cell costs by rows, in 64 bits."""

LABELS_PARAMETER = "how labels are written: " + "; ".join(
    f"{form}, {words}" for form, words in LABEL_FORMS.items()
)


@dataclass(frozen=True)
class ClassProblem:
    """A search problem as the kernel takes it to put tuples into classes.

    Attributes
    ----------
    problem
        Models, measure and limit on a coded table.
    """

    problem: SearchProblem

    def __post_init__(self) -> None:
        if self.problem.table.rows > _MOST_ROWS:
            raise InputError(
                f"Classes of tuples are found for up to {_MOST_ROWS:,} rows.\n"
                f"Found: {self.problem.table.rows:,}.\nUse the recoding full-domain."
            )

    @cached_property
    def table(self) -> _kernel.CodedTable:
        """The tuples with their counts, from the lowest allowed level of each column."""
        return kernel_table(self.problem.kernel_inputs, self._levels)

    @cached_property
    def values(self) -> tuple[UIntArray, ...]:
        """For each column the label of every tuple at the lowest allowed level, in the kernel's order."""
        return tuple(np.ascontiguousarray(labels) for labels in self.table.classes([]).labels.T)

    @cached_property
    def requirement(self) -> _kernel.Requirement:
        """What each class must satisfy by itself.

        Where the mean risk is limited, classes that are all large enough for it keep that limit.
        """
        inputs = self.problem.kernel_inputs
        least = self.problem.threshold
        if math.isfinite(inputs.average_risk):
            least = max(least, math.ceil(1 / inputs.average_risk - 1e-9))
        return inputs.requirement(min(least, self.problem.table.rows + 1), 0, rows_only=True)

    @cached_property
    def costs(self) -> list[list[list[int]]]:
        """What a cell with each label of each level costs, in whole numbers, so that sums are exact."""
        table, measure = self.problem.table, self.problem.measure
        assert isinstance(measure, CellMeasure), "others were refused"
        return [
            [
                [round(cost * share * _kernel.full_cost) for cost in measure.label_costs(column, level)]
                for level in levels
            ]
            for column, share, levels in zip(table.columns, shares(table), self._levels, strict=True)
        ]

    @property
    def _levels(self) -> Sequence[Sequence[int]]:
        return self.problem.lattice.levels

    def recoding(self, kind: str, labels: LabelForm, class_of: UIntArray, **settings: Any) -> ByClasses:
        return ByClasses(kind, settings, labels, self.values, class_of)

    def full_domain(self, question: Question) -> UIntArray | None:
        """Return the classes at the best levels; None where there are none, or too many to search."""
        if self.problem.too_large:
            return None
        try:
            chosen = FullDomainSearch().choose(question)
        except InfeasibleError:
            return None
        levels = chosen.recoding.levels
        assert levels is not None, "one level per column"
        of_tuples = [
            column.step(column.min_level, levels[column.name])[values]
            for column, values in zip(self.problem.table.columns, self.values, strict=True)
        ]
        sizes = [len(column.labels[levels[column.name]]) for column in self.problem.table.columns]
        grouped = _kernel.index_rows(of_tuples, sizes)
        return np.array(grouped.tuple_of_row)


def require_cell_costs(name: str, measure: Measure, labels: LabelForm) -> None:
    """Raise unless a measure says what each cell costs, which is what classes are chosen by.

    Raises
    ------
    InputError
        With the measures that do.
    """
    if not isinstance(measure, CellMeasure) or measure.aggregate != "mean":
        raise InputError(
            f"The recoding '{name}' is chosen by what single cells cost.\n"
            f"The measure {measure.describe()} is no sum over cells.\n"
            f"Measures that are: {_cell_measures()}, with the mean over columns."
        )
    if labels != "nodes" and measure.needs_nodes:
        raise InputError(
            f"The measure {measure.describe()} is about levels of hierarchies.\n"
            f"Found: labels that are {labels}.\nUse the measure loss, or labels: nodes."
        )


def _cell_measures() -> str:
    kinds = ((name, registry.resolve("measures", name)) for name in registry.names("measures"))
    return ", ".join(name for name, kind in kinds if issubclass(kind, CellMeasure))


def require_labels(name: str, labels: object) -> None:
    """Raise unless this is a form of labels."""
    if labels not in LABEL_FORMS:
        raise InputError(
            f"{name}: labels must be one of {', '.join(LABEL_FORMS)}.\n"
            f"Found: {labels!r}.{nearest(str(labels), tuple(LABEL_FORMS))}"
        )


def choose_best(problem: ClassProblem, recodings: Iterator[Recoding]) -> Chosen:
    """Return the recoding that satisfies and scores best; of equal ones the first.

    Raises
    ------
    InfeasibleError
        None satisfies.
    """
    best: tuple[float, Recoding] | None = None
    search = problem.problem
    for recoding in recodings:
        verdict = search.verdict_of(recoding)
        if not search.satisfied(verdict):
            continue
        score = search.score(verdict)
        if best is None or score < best[0]:
            best = score, recoding
    if best is None:
        raise infeasible(search)
    return Chosen(recoding=best[1], score=best[0], problem=search)
