"""The spec as a YAML file: its schema, and errors with line and key."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from shoal import registry
from shoal.describe.missing_values import MissingValues
from shoal.describe.roles import Accepted, NullMeaning, QuasiIdentifier, Role, Sensitive, unit_of
from shoal.errors import InputError, Problem, nearest
from shoal.read.source import InputFormat
from shoal.read.types import ColumnType, column_type
from shoal.spec import yaml_text
from shoal.spec.spec import ChooseBy, SuppressedRows, column_problems
from shoal.spec.yaml_text import Document, KeyPath

if TYPE_CHECKING:
    from shoal.describe.hierarchy import Hierarchy
    from shoal.privacy.model import PrivacyModel


class _Form(BaseModel):
    model_config = ConfigDict(
        extra="forbid", strict=True, alias_generator=lambda name: name.replace("_", "-")
    )


class _Input(_Form):
    delimiter: str | None = None
    quote: str | None = None
    encoding: str | None = None
    null_values: list[str] | None = None
    sheet: str | None = None
    header: bool | None = None


class _Column(_Form):
    role: Literal["identifier", "quasi-identifier", "sensitive", "insensitive", "pseudonym", "drop"]
    hierarchy: Any = "suppress"
    weight: float = 1.0
    min_level: int = 0
    max_level: int | None = None
    null: NullMeaning = "value"
    missing_values: MissingValues = "error"
    type: Any = None
    accept: Accepted | None = None


class _Spec(_Form):
    input: _Input = _Input()
    columns: dict[str, _Column]
    unit: str | None = None
    privacy: list[Any]
    suppression: float = 0.0
    quality: Any = "loss"
    recoding: Any = "full-domain"
    suppressed: SuppressedRows = "remove"
    choose_by: ChooseBy = "everything"
    escape_formulas: bool = False
    key: str | None = None
    engine: str = "auto"
    proposed: bool = False

    @field_validator("quality", "recoding")
    @classmethod
    def _is_named(cls, named: Any) -> Any:
        if isinstance(named, str) or (isinstance(named, Mapping) and len(named) == 1):
            return named
        raise PydanticCustomError("name_type", "no name")


_FORMS: dict[str, type[_Form]] = {"columns": _Column, "input": _Input}

_EXPECTED = {
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "string_type": "text",
    "list_type": "a list",
    "dict_type": "a mapping, `key: value`",
    "model_type": "a mapping, `key: value`",
    "name_type": "a name, or one name with its settings",
}

_OWN_KEYS = {
    "quasi-identifier": {"hierarchy", "weight", "min_level", "max_level", "null", "missing_values"},
    "sensitive": {"hierarchy", "null", "accept"},
    "insensitive": {"accept"},
    "pseudonym": {"accept"},
}
"""The keys that a column has beside its role, by role."""


def keys_of(role: Role) -> set[str]:
    """Return the keys that a column in a role can have."""
    return {key.replace("_", "-") for key in _OWN_KEYS.get(role.value, set()) | {"role", "type"}}


def load(path: Path) -> Document:
    """Read a YAML file."""
    document = yaml_text.read(path, "Spec")
    if document.repeated:
        raise InputError(
            f"Spec {path.name!r} repeats the key {key!r}.\nFound: lines {first} and {again}.\nKeep one."
            for key, first, again in document.repeated
        )
    if document.content is None:
        raise InputError(f"Spec {path.name!r} is empty.\nIt needs at least `columns:` and `privacy:`.")
    return document


def with_unit(document: Document, unit: str | None) -> Document:
    """Return the document with another column that identifies the person, or `none`; None changes nothing."""
    content = document.content
    if unit is None or not isinstance(content, Mapping):
        return document  # which is refused as it is
    columns = content.get("columns")
    known = columns if isinstance(columns, Mapping) else ()
    return replace(document, content={**content, "unit": unit_of(unit, known)})


def arguments(document: Document, folder: Path) -> dict[str, Any]:
    """Return the arguments of `Spec` for the content of a YAML file."""
    mapping = document.content
    if not isinstance(mapping, Mapping) or (mapping and not set(map(str, mapping)) & set(_keys(_Spec))):
        # The file may be a table, so its content is not shown.
        found = "other keys" if isinstance(mapping, Mapping) else _kind_alone(mapping)
        raise InputError(
            f"A spec is a mapping with the keys {', '.join(_keys(_Spec))}.\nFound: {found}.\n"
            "Check that this file is the spec and not the table."
        )
    try:
        strange = _key_problems(mapping)
    except RecursionError:
        raise InputError("The spec contains itself.\nRemove the cycle.") from None
    if strange:
        raise InputError(strange)
    _check_decided(mapping.get("unit"))
    try:
        form = _Spec.model_validate(dict(mapping))
    except ValidationError as error:
        raise InputError(_problem(detail, document) for detail in error.errors(include_url=False)) from None

    problems = _Problems(document)
    columns = {}
    sensitive = {}
    types = {}
    for name, column in form.columns.items():
        path = ("columns", name, "hierarchy")
        if "type" in column.model_fields_set:
            types[name] = _type(name, column.type, problems)
        if idle := column.model_fields_set - _OWN_KEYS.get(column.role, set()) - {"role", "type"}:
            problems.add(("columns", name, min(idle).replace("_", "-")), _idle(name, column.role, idle))
        elif column.role == "sensitive":
            given = None
            if "hierarchy" in column.model_fields_set:
                given = _build("hierarchies", column.hierarchy, path, problems, folder)
            sensitive[name] = Sensitive(hierarchy=given, null=column.null)
        elif column.role == "quasi-identifier":
            hierarchy = _build("hierarchies", column.hierarchy, path, problems, folder)
            columns[name] = QuasiIdentifier(
                hierarchy=hierarchy,
                weight=column.weight,
                min_level=column.min_level,
                max_level=column.max_level,
                null=column.null,
                missing_values=column.missing_values,
            )
    models = [
        _build("models", model, ("privacy", str(number)), problems, folder)
        for number, model in enumerate(form.privacy)
    ]
    if problems.found:
        # No `Spec` is built now, so its check of the models' columns runs here.
        others = [model for model in models if model is not None and model.column not in sensitive]
        raise InputError([*problems.found, *column_problems(others, sensitive)])
    return {
        "quasi_identifiers": columns,
        "sensitive": sensitive,
        "identifiers": _in_role(form, "identifier"),
        "insensitive": _in_role(form, "insensitive"),
        "drop": _in_role(form, "drop"),
        "pseudonyms": _in_role(form, "pseudonym"),
        "key": None if form.key is None else folder / form.key,
        "types": types,
        "unit": form.unit,
        "privacy": models,
        "suppression": form.suppression,
        "quality": form.quality,
        "recoding": form.recoding,
        "suppressed": form.suppressed,
        "choose_by": form.choose_by,
        "escape_formulas": form.escape_formulas,
        "input": InputFormat(**form.input.model_dump()),
        "engine": form.engine,
        "proposed": form.proposed,
        "accept": {name: column.accept for name, column in form.columns.items() if column.accept},
    }


def _check_decided(unit: object) -> None:
    """Refuse a spec of which nobody has decided who a row is about."""
    if not isinstance(unit, Mapping) or set(unit) != {"undecided"}:
        return
    names = unit["undecided"]
    columns = [str(name) for name in names[:10]] if isinstance(names, list) and names else ["a column"]
    raise InputError(
        "Nobody has decided who a row is about, so classes cannot be counted in people.\n"
        f"Found: the rows with one value of {' or '.join(map(repr, columns))} may be one person's.\n"
        "If so, write `unit: COLUMN` in the spec, or run `shoal spec SPEC --unit COLUMN` "
        "(shoal.suggest(data, unit=COLUMN) in Python). If no person has several rows, remove `unit:` from "
        "the spec, or use `--unit none`. Beside --spec, --unit answers once."
    )


def models_from_text(texts: Sequence[str], option: str) -> list[PrivacyModel]:
    """Return privacy models from texts in the form of a spec, such as `k-anonymity: 5`.

    Paths are relative to the current folder.

    Examples
    --------
    >>> models_from_text(["k-anonymity: 5"], "--privacy")
    [KAnonymity(k=5)]
    """
    problems = _Problems(Document.of(None))
    models = []
    for text in texts:
        try:
            written = from_text(text, option)
        except InputError as error:
            problems.found += error.problems
            continue
        models.append(_build("models", written, (f"{option} {text!r}",), problems, Path()))
    problems.require()
    return models


def hierarchy_from_text(text: str) -> Hierarchy:
    """Return a hierarchy from a text in the form of a spec.

    Paths are relative to the current folder.

    Examples
    --------
    >>> hierarchy_from_text("intervals: [5, 10]").to_spec()
    {'intervals': [5, 10]}
    """
    return hierarchy_of(from_text(text, "Hierarchy"))


def hierarchy_of(written: object) -> Hierarchy:
    """Return a hierarchy from what a spec says of it: its name, `{name: argument}`, or a list of these.

    Examples
    --------
    >>> hierarchy_of({"intervals": [5, 10]}).to_spec()
    {'intervals': [5, 10]}
    """
    problems = _Problems(Document.of(None))
    hierarchy: Hierarchy = _build("hierarchies", written, ("hierarchy",), problems, Path())
    problems.require()
    return hierarchy


def model_of(written: object) -> PrivacyModel:
    """Return a privacy model from what a spec says of it, also as text.

    Examples
    --------
    >>> model_of("k-anonymity: 5"), model_of({"k-anonymity": 2})
    (KAnonymity(k=5), KAnonymity(k=2))
    """
    written = from_text(written, "Model") if isinstance(written, str) else written
    problems = _Problems(Document.of(None))
    model: PrivacyModel = _build("models", written, ("privacy",), problems, Path())
    problems.require()
    return model


def from_text(text: str, option: str) -> Any:
    """Parse a text in the form of a spec."""
    try:
        written = yaml_text.parse(text)
    except InputError as error:
        raise InputError(f"{option}: {error}") from None
    except (yaml.YAMLError, ValueError):
        raise InputError(
            f"{option} {text!r} is not in the form of a spec.\n"
            "Write NAME: ARGUMENT, or NAME: {KEY: VALUE, KEY: VALUE}, with a space after each colon."
        ) from None
    if written.repeated:
        twice = ", ".join(dict.fromkeys(key for key, _, _ in written.repeated))
        raise InputError(f"{option} {text!r} repeats keys: {twice}.\nKeep one of each.")
    return written.content


@dataclass(slots=True)
class _Problems:
    """Problems, each with its position in the file."""

    document: Document
    found: list[Problem] = field(default_factory=list)

    def add(self, path: KeyPath, message: str, values: tuple[str, ...] = ()) -> None:
        self.found.append(Problem(f"{self.document.where(path)}{message}", values))

    def require(self) -> None:
        """Raise if there are problems."""
        if self.found:
            raise InputError(self.found)


def _build(
    kind: Literal["hierarchies", "models"],
    written: object,
    path: KeyPath,
    problems: _Problems,
    folder: Path,
) -> Any:
    """Return the object for `name` or `{name: argument}`; add errors to `problems`.

    A list of hierarchies is a chain.
    """
    dotted = ".".join(path)
    if kind == "hierarchies" and isinstance(written, list) and written:
        from shoal.describe.hierarchies.chain import chain

        parts = [
            _build(kind, part, (*path, str(number)), problems, folder) for number, part in enumerate(written)
        ]
        try:
            return None if None in parts else chain(*parts)
        except InputError as error:
            for problem in error.problems:
                problems.add(path, f"{dotted}: {problem.message}", problem.values)
            return None
    if isinstance(written, Mapping) and len(written) == 1:
        name, argument = next(iter(written.items()))
    else:
        name, argument = written, None
    if not isinstance(name, str):
        known = ", ".join(registry.names(kind))
        problems.add(
            path,
            f"{dotted} must be a name, or one name with its argument.\n"
            f"Found: {_shown(written)}.\nKnown: {known}.",
        )
        return None
    try:
        return registry.resolve(kind, name).from_spec(argument, folder)
    except InputError as error:
        for problem in error.problems:
            problems.add(path, f"{dotted}: {problem.message}", problem.values)
        return None


def _type(name: str, written: object, problems: _Problems) -> ColumnType | None:
    """Return the declared type of a column; add errors to `problems`."""
    try:
        return column_type(written)
    except InputError as error:
        for problem in error.problems:
            problems.add(("columns", name, "type"), f"columns.{name}.type: {problem.message}")
        return None


def _idle(name: str, role: str, idle: Collection[str]) -> str:
    """Return a problem in words: keys that do not apply to a column in this role."""
    owner = "a quasi-identifier"
    if set(idle) <= _OWN_KEYS["sensitive"] & _OWN_KEYS["quasi-identifier"]:
        owner = "a quasi-identifier or a sensitive column"
    elif set(idle) == {"accept"}:
        owner = "a sensitive or insensitive column, or a pseudonym,"
    listed = ", ".join(sorted(key.replace("_", "-") for key in idle))
    advice = "Remove it, or change the role."
    return f"columns.{name}: only {owner} can have {listed}.\nFound: role {role}.\n{advice}"


def _in_role(form: _Spec, role: str) -> list[str]:
    return [name for name, column in form.columns.items() if column.role == role]


def _key_problems(mapping: Mapping[Any, Any], path: str = "") -> list[Problem]:
    """Return a problem for each key that is not text: YAML readers turn `no` into False, and `1` into 1."""
    problems = []
    for key, value in mapping.items():
        if not isinstance(key, str):
            where = f" in {path}" if path else ""
            problems.append(Problem(f"Key {key!r}{where} is not text.\nPut it in quotes."))
        elif isinstance(value, Mapping):
            problems.extend(_key_problems(value, f"{path}.{key}".lstrip(".")))
    return problems


def _problem(detail: Mapping[str, Any], document: Document) -> Problem:
    """Return a problem that pydantic found, in our words and with its position."""
    location = tuple(str(part) for part in detail["loc"])
    return Problem(f"{document.where(location)}{_wording(detail, location)}")


def _wording(detail: Mapping[str, Any], location: KeyPath) -> str:
    path, found = ".".join(location), detail["input"]
    if detail["type"] == "extra_forbidden":
        known = _keys(_FORMS[location[0]] if len(location) > 1 else _Spec)
        near = nearest(location[-1], known).strip()
        return f"Unknown key {path!r} in the spec.\nKnown: {', '.join(known)}.\n{near}".rstrip()
    if detail["type"] == "missing":
        return f"The spec lacks {path!r}.\nAdd it."
    if detail["type"] == "literal_error":
        known = [choice.strip("'") for choice in detail["ctx"]["expected"].replace(" or ", ", ").split(", ")]
        near = nearest(found, known).strip() if isinstance(found, str) else ""
        return f"{path} must be one of {', '.join(known)}.\nFound: {_shown(found)}.\n{near}".rstrip()
    expected = _EXPECTED.get(detail["type"])
    must = f"must be {expected}" if expected else f"is wrong: {detail['msg']}"
    return f"{path} {must}.\nFound: {_kind(found)}."


def _keys(form: type[_Form]) -> list[str]:
    return [name.replace("_", "-") for name in form.model_fields]


def _kind_alone(found: object) -> str:
    return {list: "a list", bool: "a truth value", str: "text"}.get(type(found), "a single value")


def _kind(found: object) -> str:
    if found is None:
        return "nothing"
    kind = {list: "a list", dict: "a mapping", bool: "a truth value", str: "the text"}.get(type(found))
    return f"{kind} {_shown(found)}" if kind else _shown(found)


def _shown(found: object) -> str:
    return shorten(repr(found), width=200, placeholder=" ...")
