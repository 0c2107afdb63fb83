"""Checks of the arguments of hierarchies in a spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.errors import InputError, Problem, nearest

_LONGEST = 1000  # digits; Python itself refuses to read many more


def keyed(name: str, argument: Mapping[Any, Any], known: Sequence[str]) -> dict[str, Any]:
    """Return a mapping argument as a dict, or raise with every unknown key.

    Examples
    --------
    >>> keyed("mask", {"keep": [3], "sid": "last"}, ["keep", "side"])
    Traceback (most recent call last):
    shoal.errors.InputError: Unknown key 'sid' of mask.
    Known: keep, side.
    Did you mean 'side'?
    """
    problems = []
    for key in argument:
        if key not in known:
            near = nearest(str(key), known).strip()
            problems.append(
                Problem(f"Unknown key {key!r} of {name}.\nKnown: {', '.join(known)}.\n{near}".rstrip())
            )
    if problems:
        raise InputError(problems)
    return dict(argument)


def several(argument: object) -> tuple[Any, ...]:
    """Return the items of a list; anything else is a single item."""
    if argument is None:
        return ()
    return tuple(argument) if isinstance(argument, list | tuple) else (argument,)


def parts_of(text: str) -> list[Any]:
    """Return the parts of a comma-separated text of the command line: whole numbers, and other text."""
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    return [whole_or_text(part) for part in parts]


def whole_or_text(text: str) -> int | str:
    """Return a text as a whole number if it is one of reasonable length, else unchanged."""
    digits = text.strip()
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < _LONGEST else text


def is_whole(value: object, least: int = 1) -> bool:
    """Return whether something is a whole number of at least `least` that fits into 62 bits."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and least <= value < 1 << 62  # type: ignore[operator]


def falling_problems(name: str, what: str, numbers: Sequence[Any], example: str, least: int = 1) -> list[str]:
    """Return the problems of numbers that must fall from one to the next."""
    problems = [
        f"{what} of {name} must be whole numbers, at least {least}.\nFound: {number!r}.\n{example}"
        for number in numbers
        if not is_whole(number, least)
    ]
    if not problems:
        problems = [
            f"{what} of {name} must decrease from level to level.\nFound: {upper} after {lower}.\n{example}"
            for lower, upper in pairwise(numbers)
            if upper >= lower
        ]
    return problems


def halves(count: int, least: int) -> tuple[int, ...]:
    """Return half of a number, rounded up, half of that and so on, down to `least`.

    Examples
    --------
    >>> halves(20, least=2)
    (10, 5, 3, 2)
    """
    found = []
    while (half := -(-count // 2)) >= least and half < count:
        found.append(half)
        count = half
    return tuple(found)
