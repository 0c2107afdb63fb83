"""Change the roles in a spec that exists: its comments, order and layout stay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from shoal.describe.roles import NO_UNIT, Role, unit_of
from shoal.errors import InputError, Problem, nearest
from shoal.events import Listener
from shoal.privacy.k_anonymity import KAnonymity
from shoal.read.source import InputFormat
from shoal.spec import spec_file
from shoal.spec.given_roles import GivenRole, given_roles
from shoal.spec.spec import Spec, hierarchy_from_text
from shoal.spec.yaml_edit import REMOVED, edited
from shoal.spec.yaml_text import Document, KeyPath, parse
from shoal.suggestions.draft import overruled, settings
from shoal.suggestions.names import concepts_of
from shoal.suggestions.roles import Proposal
from shoal.suggestions.suggestion import Suggestion, suggest
from shoal.suggestions.unit import given_unit

_K: Final = "k-anonymity"


@dataclass(frozen=True, slots=True)
class ChangedRole:
    """What became of a column.

    Attributes
    ----------
    before
        The role that it had; None if the spec did not name it.
    remark
        What the person who chose the role should know.
    """

    name: str
    before: Role | None
    now: Role
    remark: str = ""


@dataclass(frozen=True, slots=True)
class EditedSpec:
    """A spec with other roles.

    Attributes
    ----------
    text
        Of its YAML file; None if nothing changed.
    spec
        None as long as nobody has decided who a row is about.
    roles
        The columns that changed.
    """

    text: str | None
    spec: Spec | None
    roles: tuple[ChangedRole, ...]


def edit_spec(
    path: Path,
    *,
    roles: Mapping[Role | str, str | Sequence[str]],
    unit: str | None = None,
    further: Mapping[str, Any] | None = None,
    k: int | None = None,
    data: object = None,
    input: InputFormat = InputFormat(),  # noqa: B008 (frozen)
    listener: Listener | None = None,
) -> EditedSpec:
    """Return a spec with the roles and settings that a person chose; nothing is written.

    Parameters
    ----------
    roles
        As for `Suggestion.with_roles`. A pattern names columns of the spec and of the table.
    unit
        The column that identifies the person, or `none`.
    further
        Other keys of a spec with their values, such as `suppression`.
    k
        Takes the place of the spec's k-anonymity.
    data, input
        The table, if new quasi-identifiers should get a hierarchy that fits, or columns that the spec does
        not name a role.
    """
    document = spec_file.load(path)
    spec, _ = _checked(document, path)  # refuses what is wrong before anything changes
    content = document.content
    known = list(content["columns"])
    suggestion = None
    if data is not None:
        suggestion = suggest(data, input=input.over(spec.input), listener=listener)
        known += [column.name for column in suggestion.columns if column.name not in content["columns"]]
    problems: list[Problem] = []
    given: dict[str, GivenRole] = {}
    changes: dict[KeyPath, Any] = {}
    try:
        given = given_roles(roles, known)
    except InputError as error:
        problems += error.problems
    if unit is not None:
        problems += _unit_problems(unit, known, with_table=data is not None)
        changes[("unit",)] = unit_of(unit, known) or REMOVED
        given = _answering(unit, content) | given
    for key, value in (further or {}).items():
        changes[(key,)] = value
        try:
            replace(spec, **{key: value})
        except InputError as error:
            problems += error.problems
    if k is not None:
        try:
            changes |= _with_k(content["privacy"], KAnonymity(k).k)
        except InputError as error:
            problems += error.problems
    changed = []
    for name, one in given.items():
        try:
            own = _column(name, one, content["columns"].get(name), suggestion)
        except InputError as error:
            problems += error.problems
            continue
        if own:
            before = content["columns"].get(name)
            role = None if before is None else Role(before["role"])
            remark = "another hierarchy" if role is one.role else _remark(name, one, suggestion)
            changes |= {("columns", *where): value for where, value in own.items()}
            changed.append(ChangedRole(name, role, one.role, remark))
    if problems:
        raise InputError(problems)
    with path.open(encoding="utf-8-sig", newline="") as file:
        text = file.read()
    changes = {where: value for where, value in changes.items() if _differs(content, where, value)}
    if changes:
        text = edited(text, changes)
    spec, decided = _checked(parse(text, path.name), path)
    return EditedSpec(text if changes else None, spec if decided else None, tuple(changed))


def _checked(document: Document, path: Path) -> tuple[Spec, bool]:
    """Return the spec, and whether somebody has decided who a row is about; a spec alone is without unit."""
    content = document.content
    undecided = isinstance(content, Mapping) and isinstance(content.get("unit"), Mapping)
    if undecided and set(content["unit"]) == {"undecided"}:
        content = {key: value for key, value in content.items() if key != "unit"}
    else:
        undecided = False
    spec = Spec(**spec_file.arguments(replace(document, content=content), path.parent), origin=path)
    return spec, not undecided


def _unit_problems(unit: str, known: Sequence[str], *, with_table: bool) -> Iterator[Problem]:
    if unit in known or unit == NO_UNIT:
        return
    where = "neither in the spec nor in the table" if with_table else "not in the spec"
    more = "" if with_table else "\nIf it is another column of the table, name the table: --data TABLE."
    yield Problem(
        f"Column {unit!r}, by which to count people, is {where}.\n"
        f"Columns: {', '.join(known)}.{nearest(unit, known)}{more}"
    )


def _answering(unit: str, content: Mapping[str, Any]) -> dict[str, GivenRole]:
    """Return the role of the column that answers who a row is about, as `shoal init` gives it."""
    column = content["columns"].get(unit)
    if column is None or not isinstance(content.get("unit"), Mapping) or column["role"] == Role.PSEUDONYM:
        return {}
    about = next(iter(concepts_of(unit)), None)
    one = Proposal(Role(column["role"]), "", sure=False, about=about)
    return {unit: GivenRole(given_unit({unit: one}, unit).proposals[unit].role)}


def _with_k(privacy: Sequence[Any], k: int) -> dict[KeyPath, Any]:
    for number, model in enumerate(privacy):
        if isinstance(model, Mapping) and set(model) == {_K}:
            return {("privacy", str(number), _K): k}
    raise InputError(
        f"The spec has no k-anonymity whose k could change.\nFound: {len(privacy)} other models.\n"
        "Add it to the spec: `- k-anonymity: 5` below `privacy:`."
    )


def _column(
    name: str, given: GivenRole, before: Mapping[str, Any] | None, suggestion: Suggestion | None
) -> dict[KeyPath, Any]:
    """Return what changes for one column, by the keys below `columns`."""
    hierarchy = None if given.hierarchy is None else hierarchy_from_text(given.hierarchy).to_spec()
    wanted: dict[str, Any] = {"role": given.role.value}
    if hierarchy is not None:
        wanted["hierarchy"] = hierarchy
    is_new = before is None or before["role"] != given.role.value
    if is_new and suggestion is not None and name in {column.name for column in suggestion.columns}:
        wanted = {**settings(suggestion.with_given({name: given})[name])}
    if before is None:
        return {(name,): wanted}
    keys = spec_file.keys_of(given.role)
    if is_new and given.role is Role.SENSITIVE:
        keys -= {
            "hierarchy"
        }  # that of a quasi-identifier says how it is generalized, not which values are near
    changes: dict[KeyPath, Any] = {(name, key): REMOVED for key in before if key not in keys}
    for key, value in wanted.items():
        if key in ("role", *(() if hierarchy is None else ("hierarchy",))) or key not in before:
            changes[(name, key)] = value
    return {where: value for where, value in changes.items() if before.get(where[1]) != value}


def _remark(name: str, given: GivenRole, suggestion: Suggestion | None) -> str:
    if suggestion is not None and name in {column.name for column in suggestion.columns}:
        column = suggestion.with_given({name: given})[name]
        return "" if column.overruled is None else overruled(column)
    if given.role is Role.QUASI_IDENTIFIER and given.hierarchy is None:
        return "Without a hierarchy it is released as it is or not at all; --data TABLE proposes one."
    return ""


def _differs(content: Any, where: KeyPath, value: Any) -> bool:
    """Return whether a change changes anything."""
    for key in where:
        if isinstance(content, list):
            content = content[int(key)]
        elif isinstance(content, Mapping) and key in content:
            content = content[key]
        else:
            return value is not REMOVED
    return bool(content != value)
