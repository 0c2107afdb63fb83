"""Where names in specs and commands become classes.

Plug-ins never import this module and it knows none of them: they are declared as entry points, ours in
`pyproject.toml` and anybody else's in their own, and loaded when their name is first used.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

from shoal.errors import InputError, nearest

Kind = Literal[
    "hierarchies", "models", "measures", "algorithms", "strategies", "bucketizers", "dividers", "engines"
]

_SINGULAR = {
    "hierarchies": "hierarchy",
    "models": "privacy model",
    "measures": "quality measure",
    "algorithms": "algorithm",
    "strategies": "recoding",
    "bucketizers": "bucketizer",
    "dividers": "divider",
    "engines": "engine",
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
    require(kind, name)
    points = _entry_points(kind)[name]
    if len(points) > 1:
        homes = ", ".join(sorted(f"{_package(point)} ({point.value})" for point in points))
        raise InputError(
            f"There are {len(points)} of the {_SINGULAR[kind]} {name!r}.\nFound in: {homes}.\n"
            "Uninstall all of these packages but one."
        )
    (point,) = points
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        raise InputError(
            f"The {_SINGULAR[kind]} {name!r} cannot be loaded.\nFound: {error}.\n"
            f"Reinstall its package: {_package(point)}."
        ) from error


def require(kind: Kind, name: str) -> None:
    """Raise unless there is something of that name.

    Examples
    --------
    >>> require("engines", "dukdb")
    Traceback (most recent call last):
    shoal.errors.InputError: Unknown engine 'dukdb'.
    Known: duckdb, memory, postgres, spark.
    Did you mean 'duckdb'?
    """
    known = names(kind)
    if name not in known:
        advice = nearest(str(name), known).strip()
        message = f"Unknown {_SINGULAR[kind]} {name!r}.\nKnown: {', '.join(known) or 'none'}.\n{advice}"
        raise InputError(message.rstrip())


@cache
def _entry_points(kind: Kind) -> dict[str, list[EntryPoint]]:
    found: dict[str, list[EntryPoint]] = {}
    for point in _installed().select(group=f"shoal.{kind}"):
        found.setdefault(point.name, []).append(point)
    return found


def _package(point: EntryPoint) -> str:
    return "unknown" if point.dist is None else point.dist.name


@cache
def _installed() -> Any:  # its type differs between Python 3.11 and 3.12, its `select` does not
    """Look through the installed packages once, not once per kind."""
    return entry_points()
