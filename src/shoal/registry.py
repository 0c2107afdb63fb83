"""Where names in specs and commands become classes.

Plug-ins never import this module and it knows none of them: they are declared as entry points, ours in
`pyproject.toml` and anybody else's in their own, and loaded when their name is first used.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

from shoal.errors import InputError, nearest

Kind = Literal["hierarchies", "models", "measures", "algorithms"]

_SINGULAR = {
    "hierarchies": "hierarchy",
    "models": "privacy model",
    "measures": "quality measure",
    "algorithms": "algorithm",
}


def names(kind: Kind) -> tuple[str, ...]:
    """Return the known names of a kind, sorted.

    Examples
    --------
    >>> names("hierarchies")[-1]
    'taxonomy'
    """
    return tuple(sorted(_entry_points(kind)))


def resolve(kind: Kind, name: str) -> Any:
    """Return the class behind a name.

    Examples
    --------
    >>> resolve("hierarchies", "prefix").__name__
    'Prefix'
    >>> resolve("measures", "los")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    shoal.errors.InputError: Unknown quality measure 'los'.
    Known: average-class-size, ..., precision.
    Did you mean 'loss'?
    """
    known = _entry_points(kind)
    if name not in known:
        listed = ", ".join(names(kind)) or "none"
        advice = nearest(name, names(kind)).strip()
        message = f"Unknown {_SINGULAR[kind]} {name!r}.\nKnown: {listed}.\n{advice}"
        raise InputError(message.rstrip())
    return known[name].load()


def _entry_points(kind: Kind) -> dict[str, EntryPoint]:
    return {point.name: point for point in _installed().select(group=f"shoal.{kind}")}


@cache
def _installed() -> Any:  # its type differs between Python 3.11 and 3.12, its `select` does not
    """Look through the installed packages once, not once per kind."""
    return entry_points()
