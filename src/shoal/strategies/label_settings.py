"""How a recoding by classes is told what to release of each class: a label in some form, or an average."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar

from shoal.encode.table import CodedTable
from shoal.errors import InputError, Problem, nearest
from shoal.read.types import Boolean, Text
from shoal.recode.class_averages import Average, Numbers
from shoal.recode.class_labels import LabelForm, Labels, averages_of
from shoal.spec.spec import Spec
from shoal.strategies.strategy import Chosen, StrategyDefaults

LABEL_FORMS: Mapping[LabelForm, str] = {
    "nodes": "the lowest label of the hierarchy that covers the class",
    "ranges": "numbers and dates as the range of the class, such as [21, 34]",
    "sets": "the values of the class, such as {clerk, cook}",
    "fitting": "ranges of numbers and dates, nodes where there is a hierarchy, sets elsewhere",
}
AVERAGES: Mapping[Average, str] = {
    "mean": "of numbers and dates the mean of the class",
    "median": "of numbers and dates the median of the class, of two middle ones the lower",
    "mode": "the most frequent value of the class, of several the middle one",
}


def listed(forms: Mapping[Any, str]) -> str:
    """Return forms with what they are, in words."""
    return "; ".join(f"{form}, {words}" for form, words in forms.items())


LABELS_PARAMETER = f"how labels are written: {listed(LABEL_FORMS)}"
CLASS_LABELS_PARAMETER = (
    f"{LABELS_PARAMETER}; or an average in place of a label: {listed(AVERAGES)}. One for all columns, or by "
    "column: {age: mean, job: mode}"
)


def require_form(name: str, form: object, known: Sequence[str], column: str | None = None) -> None:
    """Raise unless this is a form of labels, those of a column if it is given."""
    if not isinstance(form, str) or form not in known:
        of_column = "" if column is None else f" of {column}"
        raise InputError(
            f"{name}: labels{of_column} must be one of {', '.join(known)}.\n"
            f"Found: {form!r}.{nearest(str(form), known)}"
        )


class LabelSettings(StrategyDefaults):
    """What strategies share that put tuples into classes, for dataclasses whose field `labels` says the form.

    It is one form, or a mapping from columns to forms: others have the form by default.
    """

    __slots__ = ()

    labels: Labels
    forms: ClassVar[Sequence[str]] = (*LABEL_FORMS, *AVERAGES)

    def check_labels(self) -> None:
        """Raise unless the settings are forms, and keep them from being changed."""
        if not isinstance(self.labels, Mapping):
            require_form(self.name, self.labels, self.forms)
            return
        problems: list[Problem] = []
        for column, form in self.labels.items():
            try:
                require_form(self.name, form, self.forms, str(column))
            except InputError as error:
                problems += error.problems
        if problems:
            raise InputError(problems)
        object.__setattr__(self, "labels", dict(self.labels))

    def labels_of(self, columns: Iterable[str]) -> Labels:
        """Return the form of the labels of each column."""
        if isinstance(self.labels, str):
            return self.labels
        own: Any = self
        default: Any = next(field.default for field in fields(own) if field.name == "labels")
        return {column: self.labels.get(column, default) for column in columns}

    def averages(self, columns: Iterable[str]) -> dict[str, Average]:
        columns = tuple(columns)
        return averages_of(self.labels_of(columns), columns)

    def label_problems(self, spec: Spec) -> Iterator[str]:
        """Yield what keeps columns of a spec from having these labels."""
        known = list(spec.quasi_identifiers)
        named = [] if isinstance(self.labels, str) else [str(column) for column in self.labels]
        if others := [column for column in named if column not in known]:
            yield (
                f"The recoding '{self.name}' has labels of quasi-identifiers.\n"
                f"Found: labels of {', '.join(others)}.\nQuasi-identifiers: {', '.join(known)}."
                f"{nearest(others[0], known)}"
            )
        averages = self.averages(known)
        compared = [model.describe() for model in spec.privacy if model.population is not None]
        if averages and compared:
            yield (
                f"No population can be compared with averages: {_words(averages)}.\n"
                f"Found: {' and '.join(compared)}.\nUse labels that cover the values of a class."
            )
        held = [
            name
            for name, qi in spec.quasi_identifiers.items()
            if name in averages and (qi.min_level or qi.max_level is not None)
        ]
        if held:
            yield (
                f"An average has no level.\nFound: levels that are set for {', '.join(held)}.\n"
                "Leave min-level and max-level out, or use labels of the hierarchy."
            )
        texts = {
            name: average
            for name, average in averages.items()
            if average != "mode" and isinstance(spec.types.get(name), Text | Boolean)
        }
        if texts:
            yield (
                "Only numbers and dates have a mean and a median.\n"
                f"Found: {_words(texts)}, of which the spec says that they are neither.\n"
                "Use mode, or labels that cover the values of a class."
            )

    def require_averages(self, table: CodedTable) -> None:
        """Raise if the values of a column do not have the average that is to be released.

        Raises
        ------
        InputError
            With all such columns.
        """
        averages = self.averages(table.names)
        none = {
            column.name: averages[column.name]
            for column in table.columns
            if averages.get(column.name, "mode") != "mode" and Numbers.of(column.labels[0]) is None
        }
        if none:
            raise InputError(
                f"Only numbers and dates have a mean and a median.\n"
                f"Found: {_words(none)}, with other values.\n"
                "Give numbers in columns of text a type, such as `type: decimal`; use mode, or labels that "
                "cover the values of a class."
            )

    def note_null(self, chosen: Chosen) -> Chosen:
        """Note where NULL gets an average of other values."""
        table = chosen.problem.table
        null = [column.name for column in table.columns if column.labels[0].null_count]
        by_average: dict[Average, list[str]] = {}
        for name, average in self.averages(table.names).items():
            if name in null:
                by_average.setdefault(average, []).append(name)
        notes = (
            f"NULL in {', '.join(names)} becomes the {average} of the others in its class, where there are "
            "any."
            for average, names in by_average.items()
        )
        return replace(chosen, notes=(*chosen.notes, *notes)) if by_average else chosen


def _words(averages: Mapping[str, Average]) -> str:
    """Return averages by column, in words.

    Examples
    --------
    >>> _words({"age": "mean", "job": "mode"})
    'mean of age, mode of job'
    """
    return ", ".join(f"{average} of {name}" for name, average in averages.items())
