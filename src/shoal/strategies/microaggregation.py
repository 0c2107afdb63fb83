"""Microaggregation: tuples of numbers that are near each other get an average of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from shoal.encode.column import CodedColumn, IntArray, UIntArray
from shoal.encode.table import CodedTable
from shoal.errors import InputError, Problem, nearest
from shoal.measure.cells import CellMeasure
from shoal.measure.measure import shares
from shoal.recode.by_classes import ByClasses
from shoal.recode.class_averages import Numbers
from shoal.recode.class_labels import Labels
from shoal.spec.spec import Spec
from shoal.strategies.abilities import Ability
from shoal.strategies.classes import ClassProblem, choose_best
from shoal.strategies.label_settings import AVERAGES, LabelSettings, listed
from shoal.strategies.strategy import Chosen, Question

Method = Literal["fast", "mdav"]

MOST_TUPLES = 16_384
"""Tuples of a part, for the method `fast`."""


@dataclass(frozen=True, slots=True)
class Microaggregation(LabelSettings):
    """Put tuples of numbers that are near each other into classes, and release a number of each class.

    All columns stay what they are: numbers or dates. Distances are those of standardized columns, whose
    squares count by the weights of the columns. A class has k rows or more, and fewer than 2k unless more
    have the same values; where that fails a model, it joins the nearest one.

    Parameters
    ----------
    labels
        What is released of a class: its `mean`, its `median` or its `mode`. By column as a mapping.
    method
        `mdav` looks at all tuples at once, in a time that grows with the square of their number. `fast` cuts
        more than 16,384 tuples at medians first, until parts have no more, and is the same below.

    References
    ----------
    J. Domingo-Ferrer and J. Mateo-Sanz, "Practical data-oriented microaggregation for statistical disclosure
    control", IEEE TKDE 14(1), 2002. J. Domingo-Ferrer and V. Torra, "Ordinal, continuous and heterogeneous
    k-anonymity through microaggregation", Data Mining and Knowledge Discovery 11(2), 2005. The weights of
    tuples, the parts, and what becomes of classes that fail a model are ours.

    Examples
    --------
    >>> Microaggregation(labels="median").to_spec()
    {'microaggregation': {'labels': 'median'}}
    """

    labels: Labels = "mean"
    method: Method = "fast"

    name: ClassVar[str] = "microaggregation"
    summary: ClassVar[str] = "Numbers stay numbers: the mean, median or mode of a class of near ones."
    parameters: ClassVar[dict[str, str]] = {
        "labels": f"what is released of a class: {listed(AVERAGES)}. One for all columns, or by column: "
        "{age: median}; others are means, the default",
        "method": "fast (the default), in parts of 16,384 tuples, or mdav, all at once: the square of their "
        "number of steps",
    }
    examples: ClassVar[tuple[object, ...]] = (None, {"labels": "median"}, {"method": "mdav"})
    forms: ClassVar[Sequence[str]] = tuple(AVERAGES)
    needs: ClassVar[frozenset[Ability]] = frozenset({Ability.COUNT_TUPLES, Ability.RECODE_BY_CLASSES})

    def __post_init__(self) -> None:
        problems: list[Problem] = []
        try:
            self.check_labels()
        except InputError as error:
            problems += error.problems
        if self.method not in get_args(Method):
            known = get_args(Method)
            problems.append(
                Problem(
                    f"{self.name}: method must be one of {', '.join(known)}.\n"
                    f"Found: {self.method!r}.{nearest(str(self.method), known)}"
                )
            )
        if problems:
            raise InputError(problems)

    def require(self, spec: Spec, *, all_nodes: bool = False) -> None:
        problems = [*self.label_problems(spec)]
        measure = spec.quality
        if not isinstance(measure, CellMeasure) or measure.needs_nodes:
            problems.append(
                f"The recoding '{self.name}' releases numbers, which have no levels.\n"
                f"The measure {measure.describe()} is not about how much a cell covers.\n"
                "Use the measure loss or certainty-penalty."
            )
        if problems:
            raise InputError(problems)

    def choose(self, question: Question) -> Chosen:
        _require_numbers(question.counts.domain)
        problem = ClassProblem(question.problem())
        return self.note_null(choose_best(problem.problem, self._recodings(question, problem)))

    def _recodings(self, question: Question, problem: ClassProblem) -> Iterator[ByClasses]:
        found = problem.table.aggregate(
            problem.requirement,
            coordinates(problem.problem.table, problem.values, problem.rows),
            threads=question.threads,
            **({} if self.method == "mdav" else {"most_tuples": MOST_TUPLES}),
        )
        classes = np.array(found.class_of)
        labels = self.labels_of(question.spec.quasi_identifiers)
        # Classes with the same averages are one, and a model may fail there.
        for class_of in classes, np.zeros_like(classes):
            yield problem.recoding(self.name, labels, class_of, method=self.method)


def coordinates(
    table: CodedTable, values: tuple[UIntArray, ...], rows: IntArray
) -> list[NDArray[np.float64]]:
    """Return where tuples are in space: standardized columns, stretched by the roots of their weights.

    NULL is at the mean of its column, and in a dimension of its own as far from all numbers as the least of
    these is from the greatest.
    """
    found = []
    for column, share, of_tuples in zip(table.columns, shares(table), values, strict=True):
        found += [axis * np.sqrt(share) for axis in _axes(column, of_tuples, rows)]
    # Of columns with one value each all points are the same.
    return found or [np.zeros(len(rows))]


def _axes(column: CodedColumn, values: UIntArray, rows: IntArray) -> Iterator[NDArray[np.float64]]:
    numbers = Numbers.of(column.labels[0])
    assert numbers is not None, "others were refused"
    known = numbers.known[values]
    extent = 1.0
    if known.any():
        weights = np.where(known, rows, 0).astype(np.float64)
        # What is squared is no larger than 1.
        scaled = numbers.floats / (np.abs(numbers.floats).max() or 1.0)
        own = scaled[values]
        mean = float(own @ weights) / float(weights.sum())
        deviation = float(np.sqrt(weights @ (own - mean) ** 2 / weights.sum()))
        if deviation > 0:
            standardized = np.where(known, (own - mean) / deviation, 0.0)
            extent = float(np.ptp(standardized[known]))
            yield standardized
    if known.any() and not known.all():
        yield np.where(known, 0.0, extent)


def _require_numbers(table: CodedTable) -> None:
    """Raise if the values of a column have no mean."""
    names = [column.name for column in table.columns if Numbers.of(column.labels[0]) is None]
    if names:
        raise InputError(
            "microaggregation needs numbers or dates in each quasi-identifier.\n"
            f"Found: {', '.join(names)}, with other values.\n"
            "Give numbers in columns of text a type, such as `type: decimal`, leave the others out, or use "
            "recoding: mondrian."
        )
