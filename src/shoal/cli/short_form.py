"""The spec that a command is run with: a file, or options that stand for one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

from shoal.errors import InputError, Problem, nearest
from shoal.read.source import InputFormat

if TYPE_CHECKING:
    from shoal.privacy.model import PrivacyModel
    from shoal.spec.spec import LevelBounds, Spec

T = TypeVar("T")


def spec_from(
    path: Path | None,
    *,
    k: int | None,
    privacy: list[str],
    quasi_identifiers: list[str],
    sensitive: list[str],
    identifiers: list[str],
    insensitive: list[str],
    drop: list[str],
    pseudonyms: list[str],
    unit: str | None,
) -> Spec:
    """Return the spec of a file, or of the short form; not of both, but `unit` may be beside a file."""
    from shoal.describe.roles import unit_of
    from shoal.spec.spec import Spec

    short_form = {
        "-k": k is not None,
        "--privacy": privacy,
        "--qi": quasi_identifiers,
        "--sensitive": sensitive,
        "--identifier": identifiers,
        "--insensitive": insensitive,
        "--drop": drop,
        "--pseudonym": pseudonyms,
        "--unit": unit,
    }
    given = [option for option, value in short_form.items() if value]
    if path is not None:
        if others := [option for option in given if option != "--unit"]:
            raise InputError(
                "--spec and the short form cannot be used together.\n"
                f"Found: --spec and {', '.join(others)}.\n"
                "Leave one of them out; only --unit can be beside --spec."
            )
        return Spec.from_yaml(path, unit=unit)
    if (k is None and not privacy) or not quasi_identifiers:
        raise InputError(
            "No spec given.\n"
            f"Found: {', '.join(given) or 'neither a spec nor the short form'}.\n"
            "Use --spec SPEC, or -k with at least one --qi; --privacy can replace -k or add to it."
        )
    problems: list[Problem] = []
    columns = _columns("--qi", quasi_identifiers, problems)
    described = _columns("--sensitive", sensitive, problems)
    models = _models(k, privacy, problems)
    if problems:
        raise InputError(problems)
    return Spec(
        quasi_identifiers={name: hierarchy or "suppress" for name, hierarchy in columns.items()},
        sensitive=described,
        identifiers=identifiers,
        insensitive=insensitive,
        drop=drop,
        pseudonyms=pseudonyms,
        unit=None if unit is None else unit_of(unit, {**columns, **described}),
        privacy=models,
    )


def named(text: str, option: str) -> str | Mapping[str, object]:
    """Return what a name stands for in a spec, alone or with its settings.

    Examples
    --------
    >>> named("loss", "--quality")
    'loss'
    >>> named("mondrian: {cut: median}", "--recoding")
    {'mondrian': {'cut': 'median'}}
    """
    from shoal.spec.spec_file import from_text

    if ":" not in text:
        return text
    written = from_text(text, option)
    if not isinstance(written, dict) or len(written) != 1:
        raise InputError(
            f"{option} {text!r} is not a name with its settings.\n"
            "Write NAME, or NAME: {KEY: VALUE, KEY: VALUE}."
        )
    return written


def _models(k: int | None, texts: list[str], problems: list[Problem]) -> list[PrivacyModel]:
    """Return k-anonymity, if k is given, and the models of `--privacy`."""
    from shoal.privacy.k_anonymity import KAnonymity
    from shoal.spec.spec_file import models_from_text

    models: list[PrivacyModel] = []
    try:
        if k is not None:
            models.append(KAnonymity(k))
    except InputError as error:
        problems.extend(error.problems)
    try:
        models += models_from_text(texts, "--privacy")
    except InputError as error:
        problems.extend(error.problems)
    return models


def overridden(spec: Spec, written: InputFormat, **settings: Any) -> Spec:
    """Return the spec with what the options say in its place; None says nothing."""
    given = {name: value for name, value in settings.items() if value is not None}
    return replace(spec, input=written.over(spec.input), **given)


def accepting(spec: Spec, columns: list[str]) -> Spec:
    """Return the spec with what `--accept-linkable` names accepted too."""
    return replace(spec, accept={**spec.accept, **dict.fromkeys(columns, "linkable")}) if columns else spec


def adjusted(spec: Spec, *, levels: list[str], weights: list[str], missing_values: str | None = None) -> Spec:
    """Return the spec with what `--levels`, `--weight` and `--missing-values` say in place of its own."""
    from shoal.describe.missing_values import MissingValues

    problems: list[Problem] = []
    if missing_values is not None and missing_values not in get_args(MissingValues):
        known = get_args(MissingValues)
        problems.append(
            Problem(
                f"--missing-values is one of {', '.join(known)}.\nFound: {missing_values!r}.\n"
                f"{nearest(missing_values, known).strip()}".rstrip()
            )
        )
    bounds = _by_column("--levels", levels, level_bounds, problems)
    numbers = _by_column("--weight", weights, _weight, problems)
    if problems:
        raise InputError(problems)
    return spec.adjust(
        levels=bounds, weights=numbers, missing_values=cast("MissingValues | None", missing_values)
    )


def level_bounds(text: str) -> LevelBounds:
    """Return the levels of `LEVEL`, `MIN..MAX`, `MIN..` or `..MAX`.

    Examples
    --------
    >>> level_bounds("0"), level_bounds("1..3"), level_bounds("1.."), level_bounds("..3")
    (0, (1, 3), (1, None), (None, 3))
    """
    found = re.fullmatch(r"([0-9]{1,9})|([0-9]{0,9})\.\.([0-9]{0,9})", text)
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
                raise InputError(f"column {name!r} is given twice.\nName it once.")
            columns[name] = parse(value)
        except InputError as error:
            problems.extend(Problem(f"{option} {text!r}: {problem.message}") for problem in error.problems)
    return columns


def _columns(option: str, texts: list[str], problems: list[Problem]) -> dict[str, str | None]:
    """Return the columns of an option with the hierarchies that are given for them."""
    from shoal.spec.given_roles import column_with_hierarchy

    columns: dict[str, str | None] = {}
    for text in texts:
        try:
            name, hierarchy = column_with_hierarchy(text, option)
        except InputError as error:
            problems.extend(error.problems)
            continue
        if name in columns:
            problems.append(Problem(f"Column {name!r} is given more than once in {option}.\nName it once."))
        columns[name] = hierarchy
    return columns
