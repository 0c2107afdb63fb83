"""Settings by name: what may stand after the name of a measure or a recoding in a spec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, ClassVar, Self

from shoal.errors import InputError, nearest


class NamedSettings:
    """How a frozen dataclass whose fields are its settings is written in a spec: `name`, or `{name: {...}}`.

    Attributes
    ----------
    name
        Its name in specs.
    parameters
        What each setting means, by its name in Python.
    examples
        What may stand after its name in a spec, to show it; None is nothing.
    """

    __slots__ = ()

    name: ClassVar[str]
    parameters: ClassVar[Mapping[str, str]] = {}
    examples: ClassVar[tuple[object, ...]] = (None,)

    def to_spec(self) -> object:
        """Return it as it stands in a spec, with the settings that are not the default."""
        own: Any = self
        given = {
            field.name: getattr(own, field.name)
            for field in fields(own)
            if field.name in self.parameters and getattr(own, field.name) != field.default
        }
        return {self.name: given} if given else self.name

    @classmethod
    def from_spec(cls, argument: object = None) -> Self:
        """Build it from what stands after its name in a spec; None where the name stands alone."""
        if argument is not None and not cls.parameters:
            raise InputError(f"{cls.name} takes no parameters.\nFound: {argument!r}.\nGive its name alone.")
        if argument is not None and not isinstance(argument, Mapping):
            listed = ", ".join(f"{name}: ..." for name in cls.parameters)
            raise InputError(
                f"{cls.name} takes its parameters by name.\nFound: {argument!r}.\n"
                f"Write {cls.name}: {{{listed}}}."
            )
        given: Any = argument or {}
        own: Any = cls
        problems = []
        for key in given:
            if key not in cls.parameters:
                known = list(cls.parameters)
                near = nearest(str(key), known).strip()
                problems.append(
                    f"Unknown for {cls.name}: {key}.\nKnown: {', '.join(known)}.\n{near}".rstrip()
                )
        problems += [
            f"{cls.name} lacks {field.name!r}.\nAdd it: {cls.parameters[field.name]}."
            for field in fields(own)
            if field.default is MISSING and field.name not in given
        ]
        if problems:
            raise InputError(problems)
        return cls(**given)
