"""Hierarchies by a user's Python functions: one function for each level."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NoReturn, TypeAlias

import pyarrow as pa

from shoal.describe.hierarchy import (
    ANYTHING,
    HierarchyDefaults,
    HierarchyError,
    Levels,
    as_text,
    check_height,
    check_nested,
)
from shoal.errors import InputError, Problem

LabelFunction: TypeAlias = Callable[[Any], object]
"""Takes a Python value and returns its label."""


@dataclass(frozen=True, slots=True)
class ByFunction(HierarchyDefaults):
    """The i-th function returns the label of a value at level i; the last level is `*`.

    If the last function returns the same label for all values, its level is the last.

    Attributes
    ----------
    functions
        Each takes a Python value (text, a number, a `Decimal`, a date) and returns a label, which is
        converted to text. Levels must be nested: values with the same label at one level must share the
        label at the level above.
    title
        Its name in specs and manifests. Default: the names of the functions.
    """

    functions: tuple[LabelFunction, ...]
    title: str | None = None

    name: ClassVar[str] = "function"
    summary: ClassVar[str] = "Labels from Python functions; in Python only."
    parameters: ClassVar[Mapping[str, str]] = {
        "functions": "one function for each level, which takes a value and returns its label"
    }
    examples: ClassVar[tuple[object, ...]] = ()
    sample: ClassVar[tuple[object, ...]] = ("53715", "53710", "90210")

    def __post_init__(self) -> None:
        problems = [
            f"by_function needs functions that take a value and return its label.\nFound: {function!r}."
            for function in self.functions
            if not callable(function)
        ]
        if not self.functions:
            problems.append("by_function needs at least one function.\nFor example: by_function(str.upper).")
        if self.title is not None and not (isinstance(self.title, str) and self.title):
            problems.append(f"The name of by_function must be text.\nFound: {self.title!r}.")
        if problems:
            raise InputError(problems)

    def levels(self, values: pa.Array) -> Levels:
        check_height(len(self.functions) + 1)
        text = as_text(values)
        try:
            python = values.to_pylist()
        except (ValueError, OverflowError):  # times finer than microseconds, or before the year 1
            raise HierarchyError(
                f"some values of type {values.type} have no Python form.\nTurn the column into text."
            ) from None
        problems: list[Problem] = []
        labels = []
        for level, function in enumerate(self.functions, start=1):
            found, wrong = _apply(function, python)
            for what, indices in wrong.items():
                times = "1 value" if len(indices) == 1 else f"{len(indices):,} values"
                problems.append(
                    Problem(
                        f"the function of level {level}, {_name(function)!r}, {what} for {times} "
                        f"of {len(python):,}.\nReturn text for every value.",
                        tuple(text.take(pa.array(indices)).to_pylist()),
                    )
                )
            labels.append(pa.array(found, pa.string()))
        if not problems:
            problems = [
                Problem(
                    # Its labels may be values, so they are not shown.
                    f"{problem.message.partition(chr(10))[0]}\n"
                    "Return the same label for all values that share a label at the level below.",
                    problem.values,
                )
                for problem in check_nested([values, *labels])
            ]
        if problems:
            raise HierarchyError(problems)
        if len(labels[-1].unique()) != 1:
            labels.append(pa.repeat(ANYTHING, len(values)))
        return Levels.of(values, labels)

    def to_spec(self) -> object:
        return {"function": self.title or [_name(function) for function in self.functions]}

    @classmethod
    def from_spec(cls, argument: object, folder: Path) -> NoReturn:
        raise InputError(
            "A spec cannot hold functions.\n"
            "Use shoal.by_function in Python, or write the hierarchy to a file with `shoal hierarchy build`."
        )


def by_function(*functions: LabelFunction, name: str | None = None) -> ByFunction:
    """Label values by Python functions, one for each level.

    Parameters
    ----------
    *functions
        Each takes a value and returns its label.
    name
        Its name in specs and manifests.

    Examples
    --------
    >>> from datetime import date
    >>> season = by_function(lambda day: f"{day:%Y} {'summer' if 4 <= day.month <= 9 else 'winter'}")
    >>> season.levels(pa.array([date(2026, 1, 31), date(2026, 5, 1)])).labels[1].to_pylist()
    ['2026 winter', '2026 summer']
    """
    return ByFunction(functions, name)


def _apply(function: LabelFunction, values: Sequence[Any]) -> tuple[list[str], dict[str, list[int]]]:
    """Return the labels of values, and for each kind of error the indices of the values."""
    labels = []
    wrong: dict[str, list[int]] = {}
    for index, value in enumerate(values):
        label = ""
        try:
            found = function(value)
            label = found if isinstance(found, str) else str(found)
            if found is None or found != found:  # noqa: PLR0124 (what is not a number differs from itself)
                wrong.setdefault("returned nothing", []).append(index)
            label.encode()
        except Exception as error:  # a user's function may raise anything
            # The message may contain the value; the type of the exception does not.
            wrong.setdefault(f"raised {type(error).__name__}", []).append(index)
            label = ""
        labels.append(label)
    return labels, wrong


def _name(function: object) -> str:
    return str(getattr(function, "__name__", type(function).__name__))
