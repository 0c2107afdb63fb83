"""The spec as a YAML file: its form, and errors that name the place in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from shoal import registry
from shoal.describe.spec import NullMeaning, QuasiIdentifier, Sensitive, SuppressedRows, column_problems
from shoal.errors import InputError, Problem, nearest
from shoal.read.source import InputFormat, check_file

if TYPE_CHECKING:
    from shoal.privacy.model import PrivacyModel


class _Form(BaseModel):
    model_config = ConfigDict(
        extra="forbid", strict=True, alias_generator=lambda name: name.replace("_", "-")
    )


class _Input(_Form):
    delimiter: str | None = None
    quote: str | None = None
    encoding: str | None = None


class _Column(_Form):
    role: Literal["identifier", "quasi-identifier", "sensitive", "insensitive"]
    hierarchy: Any = "suppress"
    weight: float = 1.0
    min_level: int = 0
    max_level: int | None = None
    null: NullMeaning = "value"


class _Spec(_Form):
    input: _Input = _Input()
    columns: dict[str, _Column]
    unit: str | None = None
    privacy: list[Any]
    suppression: float = 0.0
    quality: Any = "loss"
    suppressed: SuppressedRows = "remove"

    @field_validator("quality")
    @classmethod
    def _is_named(cls, quality: Any) -> Any:
        if isinstance(quality, str) or (isinstance(quality, Mapping) and len(quality) == 1):
            return quality
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
    "quasi-identifier": {"hierarchy", "weight", "min_level", "max_level", "null"},
    "sensitive": {"hierarchy", "null"},
}
"""The keys that a column has beside its role, by role."""


def load(path: Path) -> Any:
    """Read a YAML file."""
    check_file(path)
    try:
        loader = _Loader(path.read_text(encoding="utf-8-sig"))
        content = loader.get_single_data()
    except UnicodeDecodeError:
        raise InputError(f"Spec {path.name!r} is not UTF-8 text.\nSave it in that encoding.") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f" in line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        advice = "\nIndent with spaces, not tabs." if "\\t" in str(error.problem) else ""
        raise InputError(f"Spec {path.name!r} is not valid YAML{place}: {error.problem}.{advice}") from None
    except (yaml.YAMLError, ValueError):
        raise InputError(f"Spec {path.name!r} is not valid YAML.\nCheck its characters and dates.") from None
    if loader.repeated:
        raise InputError(
            f"Key {key!r} stands twice in the same place of spec {path.name!r}: lines {first} and {again}.\n"
            "Keep one."
            for key, first, again in loader.repeated
        )
    if content is None:
        raise InputError(f"Spec {path.name!r} is empty.\nIt needs at least `columns:` and `privacy:`.")
    return content


def arguments(mapping: object, folder: Path) -> dict[str, Any]:
    """Return the arguments of `Spec` that the content of a YAML file stands for."""
    if not isinstance(mapping, Mapping) or (mapping and not set(map(str, mapping)) & set(_keys(_Spec))):
        # It may be somebody's table: what is in it is not shown.
        found = "other keys" if isinstance(mapping, Mapping) else _kind_alone(mapping)
        raise InputError(
            f"A spec is a mapping with the keys {', '.join(_keys(_Spec))}.\nFound: {found}.\n"
            "Check that this is the file of the spec, and not that of the table."
        )
    try:
        problems = _key_problems(mapping)
    except RecursionError:
        raise InputError("The spec holds itself, by an alias.\nWrite out what `*` stands for.") from None
    if problems:
        raise InputError(problems)
    try:
        form = _Spec.model_validate(dict(mapping))
    except ValidationError as error:
        raise InputError(_problem(detail) for detail in error.errors(include_url=False)) from None

    problems = []
    columns = {}
    sensitive = {}
    for name, column in form.columns.items():
        place = f"columns.{name}.hierarchy"
        if idle := column.model_fields_set - _OWN_KEYS.get(column.role, set()) - {"role"}:
            problems.append(_idle(name, column.role, idle))
        elif column.role == "sensitive":
            given = None
            if "hierarchy" in column.model_fields_set:
                given = _build("hierarchies", column.hierarchy, place, problems, folder)
            sensitive[name] = Sensitive(hierarchy=given, null=column.null)
        elif column.role == "quasi-identifier":
            hierarchy = _build("hierarchies", column.hierarchy, place, problems, folder)
            columns[name] = QuasiIdentifier(
                hierarchy=hierarchy,
                weight=column.weight,
                min_level=column.min_level,
                max_level=column.max_level,
                null=column.null,
            )
    models = [
        _build("models", model, f"privacy.{place}", problems, folder)
        for place, model in enumerate(form.privacy)
    ]
    if problems:
        # A spec finds out by itself about models of columns that are not sensitive; there will be none now.
        strange = [model for model in models if model is not None and model.column not in sensitive]
        problems += map(Problem, column_problems(strange, sensitive))
        raise InputError(problems)
    return {
        "quasi_identifiers": columns,
        "sensitive": sensitive,
        "identifiers": _in_role(form, "identifier"),
        "insensitive": _in_role(form, "insensitive"),
        "unit": form.unit,
        "privacy": models,
        "suppression": form.suppression,
        "quality": form.quality,
        "suppressed": form.suppressed,
        "input": InputFormat(**form.input.model_dump()),
    }


def models_from_text(texts: Sequence[str], option: str) -> list[PrivacyModel]:
    """Return privacy models from texts as they stand in a spec, such as `k-anonymity: 5`.

    Files are relative to the folder in which the program runs.

    Examples
    --------
    >>> models_from_text(["k-anonymity: 5"], "--privacy")
    [KAnonymity(k=5)]
    """
    problems: list[Problem] = []
    models = []
    for text in texts:
        try:
            written = from_text(text, option)
        except InputError as error:
            problems.extend(error.problems)
            continue
        models.append(_build("models", written, f"{option} {text!r}", problems, Path()))
    if problems:
        raise InputError(problems)
    return models


def from_text(text: str, option: str) -> Any:
    """Return what a text stands for that is written as in a spec."""
    try:
        loader = _Loader(text)
        written = loader.get_single_data()
    except (yaml.YAMLError, ValueError):
        raise InputError(
            f"{option} {text!r} is not written as in a spec.\n"
            "Write NAME: ARGUMENT, or NAME: {KEY: VALUE, KEY: VALUE}, with a space after each colon."
        ) from None
    if loader.repeated:
        twice = ", ".join(dict.fromkeys(key for key, _, _ in loader.repeated))
        raise InputError(f"{option} {text!r} has keys more than once: {twice}.\nKeep one.")
    return written


class _Loader(yaml.SafeLoader):
    """YAML whose keys are text as written, so that columns may be called `no`, `1` or `null`."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.repeated: list[tuple[str, int, int]] = []

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        lines: dict[str, int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(
                    problem="a key must be text", problem_mark=key.start_mark
                )
            line = key.start_mark.line + 1
            if key.value in lines:
                self.repeated.append((key.value, lines[key.value], line))
            lines[key.value] = line
        self.flatten_mapping(node)
        for key, _ in node.value:
            key.tag = "tag:yaml.org,2002:str"
        return super().construct_mapping(node, deep)


def _build(
    kind: Literal["hierarchies", "models"],
    written: object,
    place: str,
    problems: list[Problem],
    *context: Any,
) -> Any:
    """Return the object behind `name` or `{name: argument}`; put what is wrong into `problems`."""
    if isinstance(written, Mapping) and len(written) == 1:
        name, argument = next(iter(written.items()))
    else:
        name, argument = written, None
    if not isinstance(name, str):
        known = ", ".join(registry.names(kind))
        problems.append(
            Problem(
                f"{place} must be a name, or one name with its argument.\n"
                f"Found: {written!r}.\nKnown: {known}."
            )
        )
        return None
    try:
        return registry.resolve(kind, name).from_spec(argument, *context)
    except InputError as error:
        problems.extend(Problem(f"{place}: {problem.message}", problem.values) for problem in error.problems)
        return None


def _idle(name: str, role: str, idle: Collection[str]) -> Problem:
    """Word a problem: keys that a column in this role has no use for."""
    shared = set(idle) <= _OWN_KEYS["sensitive"]
    owner = "a quasi-identifier or a sensitive column" if shared else "a quasi-identifier"
    listed = ", ".join(sorted(key.replace("_", "-") for key in idle))
    return Problem(
        f"columns.{name}: only {owner} has {listed}.\nFound: role {role}.\nRemove it, or change the role."
    )


def _in_role(form: _Spec, role: str) -> list[str]:
    return [name for name, column in form.columns.items() if column.role == role]


def _key_problems(mapping: Mapping[Any, Any], place: str = "") -> list[Problem]:
    """Tell of keys that are not text: a YAML reader makes `no` False and `1` a number."""
    problems = []
    for key, value in mapping.items():
        if not isinstance(key, str):
            where = f" in {place}" if place else ""
            problems.append(Problem(f"Key {key!r}{where} is not text.\nPut it in quotes."))
        elif isinstance(value, Mapping):
            problems.extend(_key_problems(value, f"{place}.{key}".lstrip(".")))
    return problems


def _problem(detail: Mapping[str, Any]) -> Problem:
    """Say in our words what pydantic found."""
    location = [str(part) for part in detail["loc"]]
    place, found = ".".join(location), detail["input"]
    if detail["type"] == "extra_forbidden":
        known = _keys(_FORMS[location[0]] if len(location) > 1 else _Spec)
        near = nearest(location[-1], known).strip()
        return Problem(f"Unknown key {place!r} in the spec.\nKnown: {', '.join(known)}.\n{near}".rstrip())
    if detail["type"] == "missing":
        return Problem(f"The spec lacks {place!r}.\nAdd it.")
    if detail["type"] == "literal_error":
        known = [choice.strip("'") for choice in detail["ctx"]["expected"].replace(" or ", ", ").split(", ")]
        near = nearest(found, known).strip() if isinstance(found, str) else ""
        return Problem(f"{place} must be one of {', '.join(known)}.\nFound: {found!r}.\n{near}".rstrip())
    expected = _EXPECTED.get(detail["type"])
    must = f"must be {expected}" if expected else f"is wrong: {detail['msg']}"
    return Problem(f"{place} {must}.\nFound: {_kind(found)}.")


def _keys(form: type[_Form]) -> list[str]:
    return [name.replace("_", "-") for name in form.model_fields]


def _kind_alone(found: object) -> str:
    return {list: "a list", bool: "a truth value", str: "text"}.get(type(found), "a single value")


def _kind(found: object) -> str:
    if found is None:
        return "nothing"
    kind = {list: "a list", dict: "a mapping", bool: "a truth value", str: "the text"}.get(type(found))
    return f"{kind} {found!r}" if kind else repr(found)
