"""What the data can still do: columns, associations, count queries, machine learning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from shoal.draw.bars import Bar, BarGroup, bars
from shoal.draw.html import picture
from shoal.report.glossary import link
from shoal.report.markup import columns
from shoal.report.number_format import count, decimal, percent
from shoal.report.sections.verdict import averaged
from shoal.utility.assess import UNMATCHED

if TYPE_CHECKING:
    from shoal.utility import ColumnUtility, Learning, QueryErrors, UtilityAssessment

_ASSOCIATIONS_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a table, in words."""

    name: str | Markup
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DrawnLearning:
    """What models learn about one target."""

    heading: str
    picture: Markup
    words: Markup


@dataclass(frozen=True, slots=True)
class Utility:
    """The section on utility.

    Attributes
    ----------
    labels
        Whether quasi-identifiers have labels, or not all of them averages: of these other figures say what is
        lost.
    squared, others
        The columns of means and medians, and those of modes.
    """

    labels: bool
    squared: Markup
    others: Markup
    columns: tuple[Line, ...]
    associations: tuple[Line, ...]
    associations_caption: str
    queries: Markup | None
    queries_words: Markup
    queries_caption: str
    learning: tuple[DrawnLearning, ...]
    learning_words: Markup
    notes: tuple[str, ...]


def utility(
    found: UtilityAssessment, *, models: bool, installed: bool, averages: Mapping[str, str] | None = None
) -> Utility:
    """Put what the release can still do beside what the table could."""
    changed = sorted(found.associations, key=lambda pair: -abs(pair.before - pair.after))
    squared, others = averaged(averages or {})
    return Utility(
        labels=len(squared) + len(others) < len(found.quasi_identifiers),
        squared=columns(squared),
        others=columns(others),
        columns=tuple(Line(name, _cells(column)) for name, column in found.columns.items()),
        associations=tuple(
            Line(
                columns(pair.columns),
                (decimal(pair.before), decimal(pair.after), percent(pair.total_variation)),
            )
            for pair in changed[:_ASSOCIATIONS_SHOWN]
        ),
        associations_caption="Association between columns"
        + (
            f": the {_ASSOCIATIONS_SHOWN} of {count(len(changed))} pairs that changed the most"
            if len(changed) > _ASSOCIATIONS_SHOWN
            else ""
        ),
        queries=_queries(found.queries),
        queries_words=Markup(
            "{} over {} were answered from the original table and from the release. The "
            "error is |answer of the release - true answer| / true answer; true answers below 0.1% of the "
            "rows, or below one row, count as that."
        ).format(link("count query", _random(found.queries.count)), _span(found.queries)),
        queries_caption=_queries_caption(found.queries),
        learning=tuple(_learning(found.learning)),
        learning_words=_learning_words(found, models, installed),
        notes=tuple(found.notes),
    )


def _random(number: int) -> str:
    return f"{count(number)} random count {'query' if number == 1 else 'queries'}"


def _span(errors: QueryErrors) -> str:
    most = max(errors.by_columns, default=1)
    return f"1 to {most} columns" if most > 1 else "1 column"


def _cells(column: ColumnUtility) -> tuple[str, ...]:
    return (
        percent(column.loss),
        count(column.distinct_before),
        count(column.distinct_after),
        decimal(column.entropy_before),
        decimal(column.entropy_after),
        percent(column.total_variation),
    )


def _queries(errors: QueryErrors) -> Markup | None:
    if not errors.count:
        return None
    drawn = [
        Bar("after", f"over {count(size, 'column')}", error, percent(error))
        for size, error in errors.by_columns.items()
    ]
    drawn.append(Bar("after", "over all", errors.median, percent(errors.median)))
    suppressed = errors.suppressed_median
    drawn.append(Bar("baseline", "all starred", suppressed, percent(suppressed)))
    most = max(bar.length or 0.0 for bar in drawn) or 1.0
    return picture(bars([BarGroup("", tuple(drawn))], "Median error of count queries", most=most))


def _queries_caption(errors: QueryErrors) -> str:
    return (
        "Half of the queries err by no more than this, nine of ten by no more than "
        f"{percent(errors.quantile_90)}. The dashed bar is the median error if only the values of each "
        "column and the number of rows were known."
    )


def _learning_words(found: UtilityAssessment, models: bool, installed: bool) -> Markup:
    if not installed:
        return Markup("Not measured: it needs scikit-learn, which is not installed here.")
    if not models:
        return Markup("Not measured: machine learning was switched off.")
    if not found.learning:
        return Markup("Not measured: there is no column that a model could learn to predict.")
    better = any(each.release > each.original > each.suppressed for each in found.learning)
    nothing = any(each.original <= each.suppressed for each in found.learning)
    described = _LEARNED + (_ON_OTHERS if UNMATCHED in found.notes else _ON_THE_SAME) + _DASHED
    return described + (_BETTER if better else "") + (_NOTHING if nothing else "")


def _learning(found: Sequence[Learning]) -> Iterator[DrawnLearning]:
    for (target, measure), models in groupby(found, key=lambda each: (each.target, each.measure)):
        words = percent if measure == "accuracy" else decimal
        groups = [
            BarGroup(
                each.model,
                (
                    Bar("before", "original", each.original, words(each.original)),
                    Bar("after", "release", each.release, words(each.release)),
                    Bar("baseline", "no columns", each.suppressed, words(each.suppressed)),
                ),
            )
            for each in models
        ]
        yield DrawnLearning(
            f"Predicting {target}",
            picture(bars(groups, f"{measure} of models that predict {target}")),
            _MEASURES.get(measure, Markup(escape(measure))),
        )


_LEARNED = Markup(
    "Models learned to predict a column from the quasi-identifiers, once from original rows and "
)
_ON_THE_SAME = (
    "once from the same rows as the release has them. Both were tested on original rows that they had not "
    "seen, generalized first for the model of the release. "
)
_ON_OTHERS = (
    "once from rows of the release. Both were tested on original rows, generalized first for the model of "
    "the release, which may have seen some of them. "
)
_DASHED = (
    "The dashed bar is reached without any quasi-identifier, by always predicting the most frequent value or "
    "the mean."
)
_BETTER = (
    " Where the release does better than the original, coarser values may have kept the model from "
    "overfitting, or it is chance."
)
_NOTHING = (
    " Where the original does no better than the dashed bar, these models found nothing to learn in it."
)
_MEASURES = {
    "accuracy": Markup("{}: the share of unseen rows that were predicted correctly.").format(
        link("accuracy", "Accuracy")
    ),
    "R2": Markup(
        "{}: 1 if all unseen rows are predicted exactly, 0 if the model is no better than their mean."
    ).format(link("R2")),
}
