"""The spec that a command is run with: a file, or options that stand for one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from shoal.errors import InputError, Problem, nearest
from shoal.read.source import InputFormat

if TYPE_CHECKING:
    from shoal.describe.spec import LevelBounds, Spec

T = TypeVar("T")


def spec_from(
    path: Path | None,
    *,
    k: int | None,
    quasi_identifiers: list[str],
    sensitive: list[str],
    identifiers: list[str],
    insensitive: list[str],
) -> Spec:
    """Return the spec of a file, or of the short form; not of both."""
    from shoal.describe.spec import Spec
    from shoal.privacy.k_anonymity import KAnonymity

    short_form = {
        "-k": k is not None,
        "--qi": quasi_identifiers,
        "--sensitive": sensitive,
        "--identifier": identifiers,
        "--insensitive": insensitive,
    }
    given = [option for option, value in short_form.items() if value]
    if path is not None:
        if given:
            raise InputError(
                f"--spec and the short form cannot be used together.\nFound: --spec and {', '.join(given)}.\n"
                "Leave one of them out."
            )
        return Spec.from_yaml(path)
    if k is None or not quasi_identifiers:
        raise InputError(
            "It is not said what the columns mean.\n"
            f"Found: {', '.join(given) or 'neither a spec nor the short form'}.\n"
            "Give --spec SPEC, or -k and at least one --qi."
        )
    return Spec(
        quasi_identifiers=_quasi_identifiers(quasi_identifiers),
        sensitive=sensitive,
        identifiers=identifiers,
        insensitive=insensitive,
        privacy=[KAnonymity(k)],
    )


def overridden(spec: Spec, written: InputFormat, **settings: Any) -> Spec:
    """Return the spec with what the options say in its place; None says nothing."""
    parts = {name: value or getattr(spec.input, name) for name, value in asdict(written).items()}
    given = {name: value for name, value in settings.items() if value is not None}
    return replace(spec, input=InputFormat(**parts), **given)


def adjusted(spec: Spec, *, levels: list[str], weights: list[str]) -> Spec:
    """Return the spec with the levels and weights of `--levels` and `--weight` in place of its own."""
    problems: list[Problem] = []
    bounds = _by_column("--levels", levels, level_bounds, problems)
    numbers = _by_column("--weight", weights, _weight, problems)
    if problems:
        raise InputError(problems)
    return spec.adjust(levels=bounds, weights=numbers)


def level_bounds(text: str) -> LevelBounds:
    """Return the levels of `LEVEL`, `MIN..MAX`, `MIN..` or `..MAX`.

    Examples
    --------
    >>> level_bounds("0"), level_bounds("1..3"), level_bounds("1.."), level_bounds("..3")
    (0, (1, 3), (1, None), (None, 3))
    """
    found = re.fullmatch(r"([0-9]+)|([0-9]*)\.\.([0-9]*)", text)
    if found is None:
        raise InputError(
            f"a level is a whole number, or two with .. between them.\nFound: {text!r}.\n"
            "Write NAME=LEVEL, NAME=MIN..MAX, NAME=MIN.. or NAME=..MAX, such as sex=0."
        )
    if found[1]:
        return int(found[1])
    return int(found[2]) if found[2] else None, int(found[3]) if found[3] else None


def _weight(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(
            f"a weight is a number.\nFound: {text!r}.\nWrite NAME=NUMBER, such as age=2.5."
        ) from None


def _by_column(
    option: str, texts: list[str], parse: Callable[[str], T], problems: list[Problem]
) -> dict[str, T]:
    """Split each `NAME=VALUE`, at the last `=` since a name may hold one, and parse the values."""
    columns: dict[str, T] = {}
    for text in texts:
        name, _, value = text.rpartition("=")
        try:
            if name in columns:
                raise InputError(f"column {name!r} stands there already.\nName it once.")
            columns[name] = parse(value)
        except InputError as error:
            problems.extend(Problem(f"{option} {text!r}: {problem.message}") for problem in error.problems)
    return columns


def _quasi_identifiers(texts: list[str]) -> dict[str, str]:
    problems: list[Problem] = []
    columns: dict[str, str] = {}
    for text in texts:
        try:
            name, hierarchy = quasi_identifier(text)
        except InputError as error:
            problems.extend(error.problems)
            continue
        if name in columns:
            problems.append(Problem(f"Column {name!r} stands in --qi more than once.\nName it once."))
        columns[name] = hierarchy
    if problems:
        raise InputError(problems)
    return columns


def quasi_identifier(text: str) -> tuple[str, str]:
    """Split `NAME[=HIERARCHY[:ARGS]]` into the column and its hierarchy.

    A name may itself hold `=`: the split is at the last one that a known hierarchy follows.

    Examples
    --------
    >>> quasi_identifier("age=intervals:5,10")
    ('age', 'intervals:5,10')
    >>> quasi_identifier("sex")
    ('sex', 'suppress')
    >>> quasi_identifier("a=b=file:c=d.csv")
    ('a=b', 'file:c=d.csv')
    """
    from shoal import registry

    known = registry.names("hierarchies")
    parts = text.split("=")
    for place in range(len(parts) - 1, 0, -1):
        hierarchy = "=".join(parts[place:])
        if hierarchy.partition(":")[0] in known:
            return "=".join(parts[:place]), hierarchy
    if len(parts) == 1:
        return text, "suppress"
    unknown = parts[-1].partition(":")[0]
    raise InputError(
        f"Unknown hierarchy {unknown!r} in --qi {text!r}.\n"
        f"Known: {', '.join(known)}.{nearest(unknown, known)}\n"
        f"If the whole is the name of a column, write --qi '{text}=suppress'."
    )
