"""What a model takes: parameters that are checked all at once, and their form in a spec."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from shoal.errors import InputError, Problem, nearest
from shoal.privacy.distribution import Distribution
from shoal.privacy.population import Population

Model = TypeVar("Model")


class Parameters:
    """The parameters of a model that is being made: each is checked, and set in its plain type.

    `settle` raises with all that are wrong.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._problems: list[str] = []

    def column(self) -> None:
        if not isinstance(self._model.column, str) or not self._model.column:
            self._refuse("the name of a sensitive column", self._model.column)

    def whole(self, name: str, least: int = 1) -> None:
        value = getattr(self._model, name)
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            self._refuse(f"a whole number {_key(name)} of at least {least}", value)
        elif value >= 1 << 62:
            self._refuse(f"a whole number {_key(name)} below 2^62", value)
        else:
            self._set(name, int(value))

    def number(self, name: str, what: str, fits: Callable[[float], bool]) -> bool:
        """Check a finite number, and return whether it fits; `what` says which do, such as `from 0 to 1`."""
        value = getattr(self._model, name)
        real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
        if not real or not _is_double(value) or not fits(value):
            self._refuse(f"a number {name} {what}", value)
            return False
        self._set(name, int(value) if isinstance(value, int | np.integer) else float(value))
        return True

    def level(self, name: str) -> None:
        """Check the number of a level, where one is given."""
        if getattr(self._model, name) is not None:
            self.whole(name, least=0)

    def choice(self, name: str, known: Sequence[str]) -> None:
        value = getattr(self._model, name)
        if value not in known:
            advice = nearest(value, known) if isinstance(value, str) else ""
            self._problems.append(
                f"Unknown {name} of {self._model.name}.\nFound: {value!r}. Known: {', '.join(known)}.{advice}"
            )

    def population(self) -> None:
        given = self._model.population
        try:
            self._set("population", given if isinstance(given, Population) else Population(given))
        except InputError as error:
            self._problems += [f"{self._model.name}: {problem.message}" for problem in error.problems]

    def distribution(self) -> None:
        """Check a declared distribution, where one is given."""
        given = self._model.distribution
        if given is None or isinstance(given, Distribution):
            return
        try:
            self._set("distribution", Distribution(given))
        except InputError as error:
            self._problems += [f"{self._model.name} {problem.message}" for problem in error.problems]

    def refuse_idle(self, name: str, where: str) -> None:
        """Refuse a parameter that has a meaning only elsewhere."""
        value = getattr(self._model, name)
        if value is not None:
            self._problems.append(
                f"{self._model.name} has {name} only with {where}.\nFound: {value!r}.\nRemove it."
            )

    def add(self, problem: str) -> None:
        self._problems.append(problem)

    def settle(self) -> None:
        if self._problems:
            raise InputError(self._problems)

    def _refuse(self, needed: str, found: object) -> None:
        # A table in the place of another parameter is full of people's values.
        shown = f"a {type(found).__name__}" if hasattr(found, "columns") else repr(found)
        self._problems.append(f"{self._model.name} needs {needed}.\nFound: {shown}.")

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self._model, name, value)


def _is_double(value: Any) -> bool:
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def from_mapping(model: type[Model], argument: object, folder: Any = ".") -> Model:
    """Build a model from the mapping after its name in a spec; its keys are the model's fields, with hyphens.

    Raises
    ------
    InputError
        With everything that is wrong: keys that are unknown or missing, and values that do not fit.
    """
    name = getattr(model, "name", model.__name__)
    known = [_key(field.name) for field in fields(model)]  # type: ignore[arg-type]
    required = [_key(field.name) for field in fields(model) if field.default is MISSING]  # type: ignore[arg-type]
    if not isinstance(argument, Mapping):
        raise InputError(
            f"{name} needs a mapping with the keys {', '.join(known)}.\nFound: {argument!r}.\n"
            f"Write it as `{name}: {{{', '.join(f'{key}: ...' for key in required or known)}}}`."
        )
    problems = []
    for key in argument:
        if key not in known:
            near = nearest(str(key), known).strip()
            message = f"Unknown key {key!r} of {name}.\nKnown: {', '.join(known)}.\n{near}"
            problems.append(Problem(message.rstrip()))
    missing = [key for key in required if key not in argument]
    if missing:
        found = ", ".join(str(key) for key in argument) or "no keys"
        problems.append(Problem(f"{name} lacks {', '.join(missing)}.\nFound: {found}.\nAdd it."))
    given = {key: argument[key] for key in known if key in argument}
    try:
        if "population" in given:
            given["population"] = Population.from_spec(given["population"], Path(folder))
    except InputError as error:
        problems += [Problem(f"{name}: {problem.message}") for problem in error.problems]
        given.pop("population")
        missing.append("population")
    if not missing:
        try:
            made = model(**{key.replace("-", "_"): value for key, value in given.items()})
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return made


def _key(name: str) -> str:
    """Return the key of a field in a spec."""
    return name.replace("_", "-")


def to_mapping(model: Any) -> dict[str, object]:
    """Return what stands after the name of a model in a spec; parameters that are not set are left out."""
    written = {}
    for field in fields(model):
        value = getattr(model, field.name)
        if isinstance(value, Population | Distribution):
            value = value.to_spec()
        if value is not None:
            written[_key(field.name)] = list(value) if isinstance(value, tuple) else value
    return written
