"""Hierarchies that a user's Python functions say: one function for each level."""

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
"""Takes a value as Python knows it, and returns its label."""


@dataclass(frozen=True, slots=True)
class ByFunction(HierarchyDefaults):
    """The label of a value at level i is what the i-th function returns for it; the last level is `*`.

    If all values have the same label at the level of the last function, that is the last level.

    Attributes
    ----------
    functions
        Each takes a value as Python knows it (text, a number, a `Decimal`, a date) and returns a label; what
        is not text is turned into it. They are to be nested: values with the same label at one level must
        have the same at the level above.
    title
        What specs and manifests call it; the names of the functions if not given.
    """

    functions: tuple[LabelFunction, ...]
    title: str | None = None

    name: ClassVar[str] = "function"
    summary: ClassVar[str] = "Labels that Python functions return; in Python only."
    parameters: ClassVar[Mapping[str, str]] = {
        "functions": "for each level one that takes a value and returns its label"
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
                f"some values of type {values.type} are none that Python has.\nTurn the column into text."
            ) from None
        problems: list[Problem] = []
        labels = []
        for level, function in enumerate(self.functions, start=1):
            found, wrong = _apply(function, python)
            for what, places in wrong.items():
                times = "1 value" if len(places) == 1 else f"{len(places):,} values"
                problems.append(
                    Problem(
                        f"the function of level {level}, {_name(function)!r}, {what} for {times} "
                        f"of {len(python):,}.\nLet it return text for every value.",
                        tuple(text.take(pa.array(places)).to_pylist()),
                    )
                )
            labels.append(pa.array(found, pa.string()))
        if not problems:
            problems = [
                Problem(
                    # Its labels may be values: the two that are found are not shown.
                    f"{problem.message.partition(chr(10))[0]}\n"
                    "Let each function return the same label for all values that share one below.",
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
            "function is for Python: a spec cannot hold functions.\n"
            "Use shoal.by_function there, or make a file of it with `shoal hierarchy build` and name that."
        )


def by_function(*functions: LabelFunction, name: str | None = None) -> ByFunction:
    """Let Python functions say the labels, one function for each level.

    Parameters
    ----------
    *functions
        Each takes a value and returns its label.
    name
        What specs and manifests call it.

    Examples
    --------
    >>> from datetime import date
    >>> season = by_function(lambda day: f"{day:%Y} {'summer' if 4 <= day.month <= 9 else 'winter'}")
    >>> season.levels(pa.array([date(2026, 1, 31), date(2026, 5, 1)])).labels[1].to_pylist()
    ['2026 winter', '2026 summer']
    """
    return ByFunction(functions, name)


def _apply(function: LabelFunction, values: Sequence[Any]) -> tuple[list[str], dict[str, list[int]]]:
    """Return the labels of values, and for each thing that went wrong the places of the values."""
    labels = []
    wrong: dict[str, list[int]] = {}
    for place, value in enumerate(values):
        label = ""
        try:
            found = function(value)
            label = found if isinstance(found, str) else str(found)
            if found is None or found != found:  # noqa: PLR0124 (what is not a number differs from itself)
                wrong.setdefault("returned nothing", []).append(place)
            label.encode()
        except Exception as error:  # a function of the user's may raise anything
            # Its message may hold the value; its kind does not.
            wrong.setdefault(f"raised {type(error).__name__}", []).append(place)
            label = ""
        labels.append(label)
    return labels, wrong


def _name(function: object) -> str:
    return str(getattr(function, "__name__", type(function).__name__))
