"""What strategies share that put tuples into classes: the kernel's inputs, and the best of recodings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pyarrow as pa

from shoal import _kernel, registry
from shoal.describe.hierarchies.suppress import Suppress
from shoal.encode.cells import Cells
from shoal.encode.column import CodedColumn, IntArray, UIntArray
from shoal.encode.table import CodedTable
from shoal.errors import InfeasibleError, InputError, Problem
from shoal.measure.cells import CellMeasure
from shoal.measure.measure import Measure, shares
from shoal.recode.by_classes import ByClasses
from shoal.recode.class_averages import Average
from shoal.recode.class_labels import (
    LabelForm,
    Labels,
    averages_of,
    fitting_form,
    form_of,
    is_average,
    not_ordered,
    range_widths,
)
from shoal.recode.recoding import Recoding
from shoal.search.infeasible import infeasible
from shoal.search.problem import SearchProblem, kernel_table
from shoal.search.single_dimensional.block_costs import has_ranges
from shoal.spec.spec import Spec
from shoal.strategies.full_domain_search import FullDomainSearch
from shoal.strategies.label_settings import LabelSettings
from shoal.strategies.strategy import Chosen, Question

_MOST_ROWS = 1 << 33
"""The kernel multiplies what a cell costs by rows, in 64 bits."""

_NO_RANGE = 4 * _kernel.full_cost
"""What the kernel takes for more than any cell costs."""


@dataclass(frozen=True)
class ClassProblem:
    """A search problem as the kernel takes it to put tuples into classes.

    Attributes
    ----------
    problem
        Models, measure and limit on a coded table.
    allowed
        For each column, the levels that labels may have, upwards; all that the spec allows if not given.
    whole
        The problem of the whole table, where this is one of its parts: classes are compared with that.
    """

    problem: SearchProblem
    allowed: Sequence[Sequence[int]] | None = None
    whole: ClassProblem | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.problem.table.rows > _MOST_ROWS:
            raise InputError(
                f"Classes of tuples are found for up to {_MOST_ROWS:,} rows.\n"
                f"Found: {self.problem.table.rows:,}.\nUse the recoding full-domain."
            )

    @cached_property
    def table(self) -> _kernel.CodedTable:
        """The tuples with their counts, from the lowest allowed level of each column."""
        if self.allowed is None and not self.problem.too_large:
            return self.problem.ground
        return kernel_table(self.problem.kernel_inputs, self.levels)

    @cached_property
    def values(self) -> tuple[UIntArray, ...]:
        """For each column the label of every tuple at the lowest allowed level, in the kernel's order."""
        return tuple(np.ascontiguousarray(labels) for labels in self.table.classes([]).labels.T)

    @cached_property
    def rows(self) -> IntArray:
        """The rows of every tuple."""
        return self.table.classes([]).rows.astype(np.int64)

    @property
    def least(self) -> int:
        """The rows that a class needs.

        Where the mean risk is limited, classes that are all large enough for it keep that limit.
        """
        least, average = self.problem.threshold, self.problem.kernel_inputs.average_risk
        if math.isfinite(average):
            least = max(least, math.ceil(1 / average - 1e-9))
        return min(least, self.problem.table.rows + 1)

    @cached_property
    def requirement(self) -> _kernel.Requirement:
        """What each class must satisfy by itself."""
        if self.whole is not None:
            return self.whole.requirement
        return self.problem.kernel_inputs.requirement(self.least, 0, rows_only=True)

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
            for column, share, levels in zip(table.columns, shares(table), self.levels, strict=True)
        ]

    def range_costs(self, labels: Labels) -> list[tuple[list[int], list[int]]]:
        """What a cell costs whose class is printed as a range, as the kernel takes it."""
        table, measure = self.problem.table, self.problem.measure
        assert isinstance(measure, CellMeasure), "others were refused"
        return [
            _range_costs(column, share, measure)
            if _in_order(column, form_of(labels, column.name))
            else ([], [])
            for column, share in zip(table.columns, shares(table), strict=True)
        ]

    @property
    def levels(self) -> Sequence[Sequence[int]]:
        """For each column the levels that labels may have and that differ on the values at hand."""
        return self.allowed or self.problem.lattice.levels

    def cheapest(self, threads: int, *, most_cost: int | None = None) -> _kernel.CheapestClasses:
        """Return the cheapest classes first; none if they will cost more than `most_cost` together."""
        suppressible = 0 if self.problem.starred else self.problem.limit
        limit = {} if most_cost is None else {"most_cost": most_cost}
        return self.table.cheapest(
            self.requirement, self.costs, suppressible=suppressible, threads=threads, **limit
        )

    def of_part(self, table: CodedTable) -> Self:
        """Return the problem of some of the rows."""
        return replace(self, problem=replace(self.problem, table=table), whole=self)

    def recoding(self, kind: str, labels: Labels, class_of: UIntArray, **settings: Any) -> ByClasses:
        return ByClasses(
            kind, settings, labels, self.values, class_of, self.allowed, rows=self.rows_for(labels)
        )

    def rows_for(self, labels: Labels) -> IntArray | None:
        """Return the rows of every tuple, if labels are averages, which depend on them."""
        return self.rows if averages_of(labels, self.problem.table.names) else None

    def full_domain(self, question: Question) -> Mapping[str, int] | None:
        """Return the best levels; None where there are none, or too many to search."""
        if self.problem.too_large:
            return None
        try:
            return FullDomainSearch().choose(question).recoding.levels
        except InfeasibleError:
            return None

    def at(self, levels: Mapping[str, int]) -> UIntArray:
        """Return the class of every tuple where each column has one level."""
        columns = self.problem.table.columns
        of_tuples = [
            column.step(of_column[0], levels[column.name])[values]
            for column, of_column, values in zip(columns, self.levels, self.values, strict=True)
        ]
        sizes = [len(column.labels[levels[column.name]]) for column in columns]
        return np.array(_kernel.index_rows(of_tuples, sizes).tuple_of_row)


def _in_order(column: CodedColumn, labels: LabelForm | Average) -> bool:
    """Return whether labels may cover any neighbouring values, not only those of a label of the hierarchy.

    A set costs no more than all values between its first and its last, and an average what fits its class.
    """
    if is_average(labels):
        labels = "fitting"
    if labels == "fitting" and fitting_form(column) == "sets":
        return not column.min_level
    return labels in ("ranges", "fitting") and has_ranges(column)


def _range_costs(column: CodedColumn, share: float, measure: CellMeasure) -> tuple[list[int], list[int]]:
    """Return numbers for each value such that a range costs that of its last less that of its first value."""
    widths = range_widths(column)
    ordered = len(widths) - not_ordered(column.labels[0])
    leaves = np.array([2, max(column.total_leaves, 2)])
    narrow, wide = measure.cell_costs(column, Cells(pa.nulls(2), np.zeros(0, np.uint32), leaves))
    # By a measure of leaves each further one costs as much.
    further = (wide - narrow) / max(column.total_leaves - 2, 1)
    unit = share * _kernel.full_cost
    starts = (widths[:ordered] - widths[0]) * further if ordered else np.zeros(0)
    first = np.rint(unit * starts).astype(np.int64).tolist()
    last = np.rint(unit * (starts + narrow - further)).astype(np.int64).tolist()
    others = len(widths) - ordered
    return first + [0] * others, last + [_NO_RANGE] * others


def require_cell_costs(name: str, measure: Measure, labels: Labels) -> None:
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
    forms = [labels] if isinstance(labels, str) else list(dict.fromkeys(labels.values()))
    others = [form for form in forms if form != "nodes"]
    if others and measure.needs_nodes:
        raise InputError(
            f"The measure {measure.describe()} is about levels of hierarchies.\n"
            f"Found: labels that are {', '.join(others)}.\nUse the measure loss, or labels: nodes."
        )


def require_classes(strategy: LabelSettings, spec: Spec) -> None:
    """Raise unless a strategy that chooses classes by what cells cost can serve a spec.

    Raises
    ------
    InputError
        With everything that it cannot do.
    """
    problems: list[str | Problem] = [*strategy.label_problems(spec)]
    try:
        require_cell_costs(strategy.name, spec.quality, strategy.labels_of(spec.quasi_identifiers))
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems)


def _cell_measures() -> str:
    kinds = ((name, registry.resolve("measures", name)) for name in registry.names("measures"))
    return ", ".join(name for name, kind in kinds if issubclass(kind, CellMeasure))


def choose_best(search: SearchProblem, recodings: Iterable[Recoding]) -> Chosen:
    """Return the recoding that satisfies and scores best; of equal ones the first.

    Raises
    ------
    InfeasibleError
        None satisfies.
    """
    best: tuple[float, Recoding] | None = None
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


def advise_ranges(chosen: Chosen, spec: Spec, labels: Labels) -> Chosen:
    """Name the numbers and dates that ranges would serve better than the labels that they have."""
    names = [
        column.name
        for column in chosen.problem.table.columns
        if isinstance(spec.quasi_identifiers[column.name].hierarchy, Suppress)
        and form_of(labels, column.name) == "nodes"
        and len(column.labels[0]) > 2
        and column.min_level == 0
        and has_ranges(column)
    ]
    if not names or not chosen.score:
        return chosen
    advice = (
        f"Without a hierarchy, a cell of {', '.join(names)} is released as it is or as *. "
        "`labels: ranges` may keep more."
    )
    return replace(chosen, notes=(*chosen.notes, advice))
