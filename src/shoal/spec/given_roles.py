"""Roles that a person gives to columns: by name, several at once, or by a pattern such as `diag_*`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from shoal import registry
from shoal.describe.roles import Role
from shoal.errors import InputError, Problem, nearest

_MOST_LISTED = 50


@dataclass(frozen=True, slots=True)
class GivenRole:
    """The role of a column as a person gave it.

    Attributes
    ----------
    hierarchy
        The text of a hierarchy, such as `intervals:5,10`, if a quasi-identifier has one.
    """

    role: Role
    hierarchy: str | None = None


def given_roles(
    wanted: Mapping[Role | str, str | Sequence[str]], columns: Sequence[str]
) -> dict[str, GivenRole]:
    """Return the role of each column that somebody named.

    Parameters
    ----------
    wanted
        For each role, texts that name columns: `age`, `age,zip`, `diag_*`; quasi-identifiers also with a
        hierarchy, `age=intervals:5,10`.
    columns
        The names of all columns.

    Raises
    ------
    InputError
        With every text that names no column, and every column that has two roles.

    Examples
    --------
    >>> found = given_roles(
    ...     {"quasi-identifier": ["age=intervals:5,10", "sex,zip"], "sensitive": "diag_*"},
    ...     ["age", "sex", "zip", "diag_1", "diag_2", "id"],
    ... )
    >>> [(name, one.role.value) for name, one in found.items()][2:]
    [('zip', 'quasi-identifier'), ('diag_1', 'sensitive'), ('diag_2', 'sensitive')]
    >>> found["age"].hierarchy
    'intervals:5,10'
    """
    problems: list[Problem] = []
    found: dict[str, tuple[str, GivenRole]] = {}
    for role, texts in wanted.items():
        for text in [texts] if isinstance(texts, str) else texts:
            try:
                matches = _matches(text, role_of(role), columns, problems)
            except InputError as error:
                problems.extend(problem for problem in error.problems if problem not in problems)
                continue
            for name, given in matches:
                before, earlier = found.setdefault(name, (text, given))
                if earlier != given:
                    what = "roles" if earlier.role is not given.role else "hierarchies"
                    problems.append(
                        Problem(
                            f"Column {name!r} is given two {what}.\n"
                            f"Found: {earlier.role.value} by {before!r}, {given.role.value} by {text!r}.\n"
                            "Name it once."
                        )
                    )
    if problems:
        raise InputError(problems)
    return {name: given for name, (_, given) in found.items()}


def role_of(role: Role | str) -> Role:
    """Return a role by its name."""
    try:
        return Role(role)
    except ValueError:
        known = [each.value for each in Role]
        raise InputError(
            f"{role!r} is not a role.\nRoles: {', '.join(known)}.{nearest(str(role), known)}"
        ) from None


def _matches(
    text: str, role: Role, columns: Sequence[str], problems: list[Problem]
) -> list[tuple[str, GivenRole]]:
    """Return the columns that a text names, with what it says of them; a column's own name comes first."""
    if text in columns:
        return [(text, GivenRole(role))]
    hierarchy = None
    parts = [part.strip() for part in text.split(",") if part.strip()] or [text]
    if "=" in text:
        pattern, hierarchy = column_with_hierarchy(text)
        if role is not Role.QUASI_IDENTIFIER:
            raise InputError(
                f"Only a quasi-identifier can have a hierarchy here.\nFound: {text!r} as {role.value}.\n"
                "Leave the hierarchy out."
            )
        if "," in pattern and pattern not in columns:
            raise InputError(
                f"A hierarchy is for one column or one pattern.\nFound: {text!r}.\nName the others apart."
            )
        parts = [pattern]
    found = []
    for part in parts:
        named = [part] if part in columns else [name for name in columns if fnmatchcase(name, part)]
        if not named:
            problems.append(_unknown(part, columns))
        found += [(name, GivenRole(role, hierarchy)) for name in named]
    return found


def _unknown(pattern: str, columns: Sequence[str]) -> Problem:
    more = f" and {len(columns) - _MOST_LISTED:,} more" if len(columns) > _MOST_LISTED else ""
    what = f"No column matches {pattern!r}." if set(pattern) & set("*?[") else f"No column is {pattern!r}."
    return Problem(
        f"{what}\nColumns: {', '.join(columns[:_MOST_LISTED])}{more}.\n"
        f"{nearest(pattern, columns).strip()}".rstrip()
    )


def column_with_hierarchy(text: str, option: str = "--qi") -> tuple[str, str | None]:
    """Split `NAME[=HIERARCHY[:ARGS]]` into the column and its hierarchy.

    A name may itself hold `=`: the split is at the last one that a known hierarchy follows, or one that is
    written as in a spec.

    Examples
    --------
    >>> column_with_hierarchy("age=intervals:5,10")
    ('age', 'intervals:5,10')
    >>> column_with_hierarchy("sex")
    ('sex', None)
    >>> column_with_hierarchy("a=b=file:c=d.csv")
    ('a=b', 'file:c=d.csv')
    >>> column_with_hierarchy("age={intervals: {cuts: [18, 65]}}")
    ('age', '{intervals: {cuts: [18, 65]}}')
    """
    known = registry.names("hierarchies")
    parts = text.split("=")
    name, _, written = text.partition("=")
    if written.startswith(("{", "[")):
        return name, written
    for position in range(len(parts) - 1, 0, -1):
        hierarchy = "=".join(parts[position:])
        if hierarchy.partition(":")[0] in known:
            return "=".join(parts[:position]), hierarchy
    if len(parts) == 1:
        return text, None
    unknown = parts[-1].partition(":")[0]
    raise InputError(
        f"Unknown hierarchy {unknown!r} in {option} {text!r}.\n"
        f"Known: {', '.join(known)}.{nearest(unknown, known)}\n"
        f"If the whole text is the name of a column, write {option} '{text}=suppress'."
    )
