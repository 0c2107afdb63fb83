"""The spec: column roles, hierarchies of quasi-identifiers, requirements on the release."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, get_args

from shoal import registry
from shoal.describe.hierarchy import FromData, FromFile, Hierarchy
from shoal.describe.missing_values import MissingValues
from shoal.describe.roles import Accepted, NullMeaning, QuasiIdentifier, Role, Sensitive, is_number, unit_of
from shoal.errors import InputError, Problem, nearest
from shoal.read.source import InputFormat
from shoal.read.types import ColumnType, column_type

if TYPE_CHECKING:
    from shoal.measure.measure import Measure, Node
    from shoal.privacy.model import PrivacyModel
    from shoal.privacy.population import Population
    from shoal.strategies.strategy import Strategy

SuppressedRows = Literal["remove", "star"]
ChooseBy = Literal["everything", "quasi-identifiers"]
HierarchyForm: TypeAlias = "Hierarchy | str | Mapping[str, object] | Sequence[object]"
"""A hierarchy, its text, or what a YAML file says of it."""
ModelForm: TypeAlias = "PrivacyModel | str | Mapping[str, object]"
"""A privacy model, its text, or what a YAML file says of it."""
SpecForm: TypeAlias = "Spec | str | os.PathLike[str] | Mapping[str, Any]"
"""A spec, the path of its YAML file, or the content of one."""
LevelBounds = int | tuple[int | None, int | None]
"""One level, or the lowest and the highest; None is the end of the hierarchy."""


@dataclass(frozen=True, init=False)
class Spec:
    """Everything that determines a release, apart from the data.

    Parameters
    ----------
    quasi_identifiers
        For each quasi-identifier its hierarchy: an object, a name such as `"suppress"`, what a YAML file
        says of it, `{"intervals": [5, 10]}`, or a `QuasiIdentifier` with further settings. As a list of
        columns, each keeps its values or becomes `*`.
    sensitive
        Names of the sensitive columns. As a mapping, for each its hierarchy (an object or its text), a
        `Sensitive` with further settings, or None.
    identifiers, insensitive, drop
        Names of the columns in the other roles. Those in `drop` are left out although they identify nobody.
    pseudonyms
        Names of the columns in whose place keyed tokens are released, the same for the same value. They link
        the rows of a person: see docs/pseudonyms.md.
    key
        The file with the private key that makes the tokens, from `shoal key`.
    types
        Types of columns in any role, if not those of the input: `"integer"`, `"decimal"`, `"float"`,
        `"boolean"`, `"date"`, `"timestamp"` or `"text"`; dates and timestamps optionally with their format,
        `{"date": "%d.%m.%Y"}`.
    unit
        The column that identifies the person. With it people are counted instead of rows, so that a person
        with many rows counts once. It may have any role or none; without a role it is read but not released.
    privacy
        The models that must all hold, or the one: objects, or what a YAML file says, `"k-anonymity: 5"`.
    suppression
        Share of rows that may be suppressed, from 0 to 1.
    quality
        The measure to optimize: an object, its name, its name with its settings, `{name: {...}}`, or a
        function that scores a node (see `shoal.CustomMeasure`).
    recoding
        How values become labels: an object, its name, or its name with its settings, `{name: {...}}`.
        `full-domain` gives every column one level.
    suppressed
        Whether suppressed rows are removed or get `*` in every quasi-identifier.
    choose_by
        What the search may use: `everything`, or the `quasi-identifiers` alone. Then neither levels nor
        suppressed rows depend on sensitive values, all models are checked at the chosen node, and if one
        fails there is no release. See docs/minimality.md.
    escape_formulas
        Whether cells that spreadsheets would compute, such as `=1+1`, get a leading apostrophe in CSV and
        Excel files.
    input
        Format of a CSV file (detected by default).
    engine
        Where the rows are counted and recoded: the name of a registered engine, or `auto`, which depends on
        the table. All give the same release.
    proposed
        Whether `shoal init` proposed the roles and nobody has confirmed them yet.
    accept
        Sensitive and insensitive columns, and pseudonyms, that may single people out: `{"visit_date":
        "linkable"}`. Without it a release in which they single out more than 20% of the rows is refused.
    origin
        The file that it was read from: a release made with it does not replace it.

    Examples
    --------
    >>> from shoal.describe import intervals
    >>> from shoal.privacy.k_anonymity import KAnonymity
    >>> spec = Spec(
    ...     quasi_identifiers={"age": intervals(5, 10), "sex": "suppress"},
    ...     identifiers=["name"],
    ...     privacy=[KAnonymity(5)],
    ... )
    >>> spec.roles["age"].value, spec.released
    ('quasi-identifier', ('age', 'sex'))
    >>> spec.to_mapping()["columns"]["age"]
    {'role': 'quasi-identifier', 'hierarchy': {'intervals': [5, 10]}, 'null': 'value'}
    """

    quasi_identifiers: Mapping[str, QuasiIdentifier]
    sensitive: Mapping[str, Sensitive]
    identifiers: tuple[str, ...]
    insensitive: tuple[str, ...]
    drop: tuple[str, ...]
    pseudonyms: tuple[str, ...]
    key: Path | None
    types: Mapping[str, ColumnType]
    unit: str | None
    privacy: tuple[PrivacyModel, ...]
    suppression: float
    quality: Measure
    recoding: Strategy
    suppressed: SuppressedRows
    choose_by: ChooseBy
    escape_formulas: bool
    input: InputFormat
    engine: str
    proposed: bool
    accept: Mapping[str, Accepted]
    origin: Path | None = field(compare=False, repr=False)

    def __init__(
        self,
        *,
        quasi_identifiers: Sequence[str] | Mapping[str, HierarchyForm | QuasiIdentifier],
        sensitive: Sequence[str] | Mapping[str, HierarchyForm | Sensitive | None] = (),
        identifiers: Sequence[str] = (),
        insensitive: Sequence[str] = (),
        drop: Sequence[str] = (),
        pseudonyms: Sequence[str] = (),
        key: str | Path | None = None,
        types: Mapping[str, ColumnType | str | Mapping[str, str]] | None = None,
        unit: str | None = None,
        privacy: ModelForm | Iterable[ModelForm],
        suppression: float = 0.0,
        quality: Measure | str | Mapping[str, object] | Callable[[Node], float] = "loss",
        recoding: Strategy | str | Mapping[str, object] = "full-domain",
        suppressed: SuppressedRows = "remove",
        choose_by: ChooseBy = "everything",
        escape_formulas: bool = False,
        input: InputFormat = InputFormat(),  # noqa: B008 (frozen)
        engine: str = "auto",
        proposed: bool = False,
        accept: Mapping[str, Accepted] | None = None,
        origin: str | Path | None = None,
    ) -> None:
        problems: list[str | Problem] = []
        declared: dict[str, Any] = {
            "quasi_identifiers": quasi_identifiers,
            "sensitive": sensitive,
            "identifiers": identifiers,
            "insensitive": insensitive,
            "drop": drop,
            "pseudonyms": pseudonyms,
        }
        declared = {what: _names(what, given, problems) for what, given in declared.items()}
        self._set(identifiers=tuple(declared["identifiers"]), insensitive=tuple(declared["insensitive"]))
        self._set(drop=tuple(declared["drop"]), pseudonyms=tuple(declared["pseudonyms"]))
        self._set(key=None if key is None else Path(key).absolute())
        self._set(quasi_identifiers=_quasi_identifiers(declared["quasi_identifiers"], problems))
        self._set(sensitive=_sensitive(declared["sensitive"], problems))
        problems.extend(
            _role_problems({Role.QUASI_IDENTIFIER: declared.pop("quasi_identifiers"), **declared})
        )
        self._set(types=_types(types or {}, self.roles, problems))
        self._set(unit=unit, suppressed=suppressed, input=input, engine=engine)
        self._set(proposed=bool(proposed), escape_formulas=bool(escape_formulas))
        self._set(choose_by=choose_by, origin=None if origin is None else Path(origin).absolute())
        problems.extend(_unit_problems(unit, self.drop))
        problems.extend(
            f"Column {name!r} is a pseudonym and can have no type.\nFound: {kind.to_spec()!r}.\n"
            "Remove the type: a token is made of the text of a value."
            for name, kind in self.types.items()
            if name in self.pseudonyms
        )
        self._set(privacy=_models(privacy, problems))
        if not is_number(suppression) or not 0 <= suppression <= 1:
            problems.append(
                f"The suppression limit must be a share of the rows, from 0 to 1.\nFound: {suppression!r}.\n"
                "For 2 percent write 0.02."
            )
        else:
            self._set(suppression=float(suppression))
        try:
            self._set(quality=_measure(quality))
            problems.extend(
                _target_problems(f"The measure {self.quality.name}", self.quality.attribute, self.roles)
            )
        except InputError as error:
            problems.extend(error.problems)
        try:
            self._set(recoding=recoding_of(recoding))
        except InputError as error:
            problems.extend(error.problems)
        for name, qi in self.quasi_identifiers.items():
            if isinstance(qi.hierarchy, FromData):
                problems.extend(
                    _target_problems(f"The hierarchy of column {name!r}", qi.hierarchy.target, self.roles)
                )
        problems.extend(column_problems(self.privacy, self.sensitive))
        if suppressed not in get_args(SuppressedRows):
            problems.append(f"`suppressed` must be 'remove' or 'star'.\nFound: {suppressed!r}.")
        problems.extend(self._choice_problems())
        if not isinstance(accept or {}, Mapping):
            problems.append(
                '`accept` must map column names to what is accepted, such as {"visit_date": "linkable"}.\n'
                f"Found: {type(accept).__name__}."
            )
            accept = None
        self._set(accept=dict(accept or {}))
        problems.extend(_accept_problems(self.accept, self.roles))
        problems.extend(_engine_problems(engine))
        if problems:
            raise InputError(problems)

    def _choice_problems(self) -> Iterable[str]:
        """Yield an invalid `choose_by`, and whatever reads other columns than `choose_by` allows."""
        if self.choose_by not in get_args(ChooseBy):
            yield (
                "`choose_by` must be 'everything' or 'quasi-identifiers'.\n"
                f"Found: {self.choose_by!r}.{nearest(str(self.choose_by), get_args(ChooseBy))}"
            )
        if self.choose_by != "quasi-identifiers":
            return
        seen = {
            f"the hierarchy of column {name!r}": qi.hierarchy.target
            for name, qi in self.quasi_identifiers.items()
            if isinstance(qi.hierarchy, FromData)
        }
        measure: Measure | None = getattr(self, "quality", None)
        if measure is not None:
            seen[f"the measure {measure.name}"] = measure.attribute
        for what, target in seen.items():
            if target:
                yield (
                    f"The search may use quasi-identifiers alone, but {what} uses column {target!r}.\n"
                    "Use one without a target column, or choose by everything."
                )

    def _set(self, **fields: object) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def roles(self) -> dict[str, Role]:
        """The role of every declared column."""
        return {
            **dict.fromkeys(self.identifiers, Role.IDENTIFIER),
            **dict.fromkeys(self.quasi_identifiers, Role.QUASI_IDENTIFIER),
            **dict.fromkeys(self.sensitive, Role.SENSITIVE),
            **dict.fromkeys(self.insensitive, Role.INSENSITIVE),
            **dict.fromkeys(self.pseudonyms, Role.PSEUDONYM),
            **dict.fromkeys(self.drop, Role.DROP),
        }

    @property
    def released(self) -> tuple[str, ...]:
        """The declared columns that a release has: all but the identifiers and those to drop."""
        return (*self.quasi_identifiers, *self.sensitive, *self.insensitive, *self.pseudonyms)

    @property
    def tells_people(self) -> bool:
        """Whether a release has the column that says who a row is about, as it was or as tokens."""
        return self.unit in (*self.sensitive, *self.insensitive, *self.pseudonyms)

    @property
    def withheld(self) -> tuple[str, ...]:
        """The columns that a release must not have: the identifiers, and a unit without a role."""
        if self.unit is None or self.unit in self.roles:
            return self.identifiers
        return (*self.identifiers, self.unit)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The columns other than quasi-identifiers that its models and its measure use."""
        columns = (*(model.column for model in self.privacy), self.quality.attribute)
        return tuple(dict.fromkeys(column for column in columns if column))

    @property
    def searched(self) -> tuple[PrivacyModel, ...]:
        """The models by which the search chooses: all, or those that read no sensitive column."""
        if self.choose_by == "everything":
            return self.privacy
        from shoal.privacy.without_sensitive import without_sensitive

        return without_sensitive(self.privacy)

    @property
    def nulls(self) -> dict[str, NullMeaning]:
        """What NULL means in each quasi-identifier and each sensitive column."""
        meanings = {name: column.null for name, column in self.quasi_identifiers.items()}
        return meanings | {name: column.null for name, column in self.sensitive.items()}

    @property
    def populations(self) -> dict[str, Population]:
        """The populations of its models, by key."""
        populations = (model.population for model in self.privacy)
        return {population.key: population for population in populations if population is not None}

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that it, its hierarchies and its populations are read from."""
        hierarchies: list[object] = [column.hierarchy for column in self.quasi_identifiers.values()]
        hierarchies += [column.hierarchy for column in self.sensitive.values()]
        sources = (population.source for population in self.populations.values())
        return (
            *(file for file in (self.origin, self.key) if file is not None),
            *(
                file
                for hierarchy in hierarchies
                if isinstance(hierarchy, FromFile)
                for file in hierarchy.files
            ),
            *(Path(source) for source in sources if isinstance(source, str | Path)),
        )

    def adjust(
        self,
        *,
        levels: Mapping[str, LevelBounds] | None = None,
        weights: Mapping[str, float] | None = None,
        quality: Measure | str | Mapping[str, object] | Callable[[Node], float] | None = None,
        missing_values: MissingValues | None = None,
    ) -> Self:
        """Return the spec with other levels, weights or measure.

        Parameters
        ----------
        levels
            For each column the only level allowed, or the lowest and the highest. Level 0 keeps a column
            intact.
        weights
            The importance of each column in measures that average over columns.
        quality
            The measure to optimize.
        missing_values
            Treatment of values that the hierarchies of quasi-identifiers do not cover.

        Examples
        --------
        >>> from shoal.describe import intervals
        >>> from shoal.privacy.k_anonymity import KAnonymity
        >>> spec = Spec(
        ...     quasi_identifiers={"age": intervals(5, 10), "sex": "suppress"}, privacy=[KAnonymity(5)]
        ... )
        >>> spec.adjust(levels={"sex": 0, "age": (1, None)}).to_mapping()["columns"]["sex"]["max-level"]
        0
        """
        levels, weights = levels or {}, weights or {}
        known = list(self.quasi_identifiers)
        problems = [
            Problem(
                f"Column {name!r} is not a quasi-identifier of the spec.\n"
                f"Quasi-identifiers: {', '.join(known)}.\n{nearest(str(name), known).strip()}".rstrip()
            )
            for name in {**levels, **weights}
            if name not in self.quasi_identifiers
        ]
        wanted: Any = self.quality if quality is None else quality
        columns = {}
        for name, column in self.quasi_identifiers.items():
            lowest, highest = _lowest_and_highest(levels.get(name, (column.min_level, column.max_level)))
            columns[name] = replace(
                column,
                min_level=lowest,
                max_level=highest,
                weight=weights.get(name, column.weight),
                missing_values=missing_values or column.missing_values,
            )
        try:
            adjusted = replace(self, quasi_identifiers=columns, quality=wanted)
        except InputError as error:
            problems.extend(error.problems)
        if problems:
            raise InputError(problems)
        return adjusted

    @classmethod
    def of(cls, spec: SpecForm, *, unit: str | None = None) -> Self:
        """Return a spec itself, or the one that a YAML file or its content stands for.

        Parameters
        ----------
        unit
            The column that identifies the person, in place of the spec's; `none` if each row is a person.

        Examples
        --------
        >>> columns = {"age": {"role": "quasi-identifier"}}
        >>> Spec.of({"columns": columns, "privacy": [{"k-anonymity": 5}]}).privacy
        (KAnonymity(k=5),)
        """
        if isinstance(spec, cls):
            return spec if unit is None else replace(spec, unit=unit_of(unit, spec.roles))
        if isinstance(spec, Mapping):
            return cls.from_mapping(spec, unit=unit)
        if isinstance(spec, str | os.PathLike):
            return cls.from_yaml(spec, unit=unit)
        raise InputError(
            "A spec is a shoal.Spec, the path of its YAML file, or the content of one as a dict.\n"
            f"Found: an object of type {type(spec).__name__!r}."
        )

    @classmethod
    def from_yaml(cls, path: str | os.PathLike[str], *, unit: str | None = None) -> Self:
        """Read a spec from a YAML file; paths in it are relative to the file, `unit` as in `of`."""
        from shoal.spec import spec_file

        path = Path(path)
        document = spec_file.with_unit(spec_file.load(path), unit)
        return cls(**spec_file.arguments(document, path.parent), origin=path)

    @classmethod
    def from_mapping(
        cls, mapping: Mapping[str, Any], folder: str | Path = ".", *, unit: str | None = None
    ) -> Self:
        """Build a spec from the content of a YAML file; paths are relative to `folder`, `unit` as in `of`."""
        from shoal.spec import spec_file
        from shoal.spec.yaml_text import Document

        document = spec_file.with_unit(Document.of(mapping), unit)
        return cls(**spec_file.arguments(document, Path(folder)))

    def to_mapping(self) -> dict[str, Any]:
        """Return the content of a YAML file for this spec."""
        columns: dict[str, dict[str, object]] = {}
        for name, role in self.roles.items():
            columns[name] = {"role": role.value}
            if role is Role.QUASI_IDENTIFIER:
                columns[name] |= _settings(self.quasi_identifiers[name])
            elif role is Role.SENSITIVE:
                columns[name] |= _sensitive_settings(self.sensitive[name])
            if name in self.types:
                columns[name]["type"] = self.types[name].to_spec()
            if name in self.accept:
                columns[name]["accept"] = self.accept[name]
        written = {
            "delimiter": self.input.delimiter,
            "quote": self.input.quote,
            "encoding": self.input.encoding,
            "null-values": None if self.input.null_values is None else list(self.input.null_values),
            "sheet": self.input.sheet,
        }
        mapping = {
            "input": {key: value for key, value in written.items() if value is not None},
            "columns": columns,
            "key": None if self.key is None else str(self.key),
            "unit": self.unit,
            "privacy": [model.to_spec() for model in self.privacy],
            "suppression": self.suppression,
            "quality": self.quality.to_spec(),
            "recoding": None if self.recoding.to_spec() == "full-domain" else self.recoding.to_spec(),
            "suppressed": self.suppressed,
            "choose-by": None if self.choose_by == "everything" else self.choose_by,
            "escape-formulas": self.escape_formulas or None,
            "engine": None if self.engine == "auto" else self.engine,
            "proposed": self.proposed or None,
        }
        return {key: value for key, value in mapping.items() if value not in ({}, None)}


def _lowest_and_highest(bounds: LevelBounds) -> tuple[int, int | None]:
    # `QuasiIdentifier` checks everything else.
    lowest, highest = bounds if isinstance(bounds, tuple) and len(bounds) == 2 else (bounds, bounds)
    return 0 if lowest is None else lowest, highest


def hierarchy_from_text(text: str) -> Hierarchy:
    """Return a hierarchy from `NAME` or `NAME:ARGUMENT`, or in the form of a spec.

    In a spec it is `{NAME: ARGUMENT}`, also without the braces, or a list of hierarchies.

    Examples
    --------
    >>> hierarchy_from_text("intervals:5,10,20").to_spec()
    {'intervals': [5, 10, 20]}
    """
    name, _, argument = text.partition(":")
    if text.startswith(("{", "[")) or argument.startswith(" "):
        from shoal.spec.spec_file import hierarchy_from_text as as_in_a_spec

        return as_in_a_spec(text)
    hierarchy: Hierarchy = registry.resolve("hierarchies", name).from_text(argument)
    return hierarchy


def _settings(column: QuasiIdentifier) -> dict[str, object]:
    settings: dict[str, object] = {"hierarchy": column.hierarchy.to_spec()}
    if column.weight != 1:
        settings["weight"] = column.weight
    if column.min_level:
        settings["min-level"] = column.min_level
    if column.max_level is not None:
        settings["max-level"] = column.max_level
    if column.missing_values != "error":
        settings["missing-values"] = column.missing_values
    return settings | {"null": column.null}


def _sensitive_settings(column: Sensitive) -> dict[str, object]:
    settings: dict[str, object] = {}
    if column.hierarchy is not None:
        settings["hierarchy"] = column.hierarchy.to_spec()
    if column.null != "value":
        settings["null"] = column.null
    return settings


def _quasi_identifiers(given: Collection[str], problems: list[str | Problem]) -> dict[str, QuasiIdentifier]:
    columns = {}
    for name, value in _described(given, "suppress").items():
        try:
            hierarchy = value if isinstance(value, QuasiIdentifier) else _hierarchy(value)
        except InputError as error:
            problems.extend(_of_column(name, error))
            continue
        column = hierarchy if isinstance(hierarchy, QuasiIdentifier) else QuasiIdentifier(hierarchy=hierarchy)
        problems.extend(f"Column {name!r}: {problem}" for problem in column.problems())
        columns[name] = column
    return columns


def _names(what: str, given: Any, problems: list[str | Problem]) -> Any:
    """Return a list of column names, or a mapping from them, as what can be read twice."""
    if isinstance(given, str):
        problems.append(
            f"`{what}` must be a list of column names.\nFound: the text {given!r}.\nWrite {what}=[{given!r}]."
        )
        return [given]
    if not isinstance(given, Iterable):
        problems.append(
            f"`{what}` must be a list of column names.\nFound: {given!r}.\nLeave it out if there are none."
        )
        return ()
    return given if isinstance(given, Mapping) else tuple(given)


def _described(given: Collection[str], default: object) -> dict[str, Any]:
    """Return what is said of each column; of a list of columns the same for all."""
    return dict(given) if isinstance(given, Mapping) else dict.fromkeys(given, default)


def _hierarchy(written: Any) -> Any:
    """Return the hierarchy that a text or a part of a spec stands for; what is neither stays."""
    if isinstance(written, str):
        return hierarchy_from_text(written)
    if isinstance(written, Mapping) or (isinstance(written, list) and not any(map(is_number, written))):
        from shoal.spec.spec_file import hierarchy_of

        return hierarchy_of(written)
    return written


def _types(
    given: Mapping[str, ColumnType | str | Mapping[str, str]],
    roles: Mapping[str, Role],
    problems: list[str | Problem],
) -> dict[str, ColumnType]:
    types = {}
    for name, written in given.items():
        if name not in roles:
            advice = nearest(str(name), list(roles)).strip() or "Give it a role, or remove the type."
            problems.append(f"Column {name!r} has a type but no role.\n{advice}")
        try:
            types[name] = column_type(written)
        except InputError as error:
            problems.extend(_of_column(name, error))
    return types


def _sensitive(given: Collection[str], problems: list[str | Problem]) -> dict[str, Sensitive]:
    columns = {}
    for name, value in _described(given, None).items():
        try:
            hierarchy = _hierarchy(value)
        except InputError as error:
            problems.extend(_of_column(name, error))
            hierarchy = None
        column = hierarchy if isinstance(hierarchy, Sensitive) else Sensitive(hierarchy=hierarchy)
        problems.extend(f"Column {name!r}: {problem}" for problem in column.problems())
        columns[name] = column
    return columns


def _of_column(name: str, error: InputError) -> Iterable[Problem]:
    return (Problem(f"Column {name!r}: {problem.message}", problem.values) for problem in error.problems)


def _role_problems(roles: Mapping[str, Collection[str]]) -> Iterable[str]:
    found: dict[str, list[str]] = {}
    for role, names in roles.items():
        for name in names:
            if not isinstance(name, str):
                yield f"A column name must be text.\nFound: {name!r} among {role}."
            else:
                found.setdefault(name, []).append(str(role))
    if not roles[Role.QUASI_IDENTIFIER]:
        yield "The spec has no quasi-identifier.\nGive at least one column that role."
    for name, several in found.items():
        if len(set(several)) > 1:
            yield f"Column {name!r} has more than one role: {', '.join(several)}.\nGive it one."
        elif len(several) > 1:
            yield f"Column {name!r} is listed {len(several)} times in {several[0]}.\nList it once."


def _unit_problems(unit: object, drop: Sequence[str]) -> Iterable[str]:
    if unit is not None and (not isinstance(unit, str) or not unit):
        yield f"`unit` must be the name of a column.\nFound: {unit!r}."
    elif unit in drop:
        yield (
            f"Column {unit!r} is the unit and cannot be dropped: people are counted by it.\n"
            "Found: role drop.\nMake it an identifier, which is counted and not released."
        )


def _engine_problems(engine: str) -> Sequence[Problem]:
    """Report an engine that is not registered."""
    try:
        if engine != "auto":
            registry.require("engines", engine)
    except InputError as error:
        return error.problems
    return ()


def _accept_problems(accept: Mapping[str, object], roles: Mapping[str, Role]) -> Iterable[str]:
    """Yield problems of `accept`: columns that are not released unchanged, and unknown settings."""
    unchanged = (Role.SENSITIVE, Role.INSENSITIVE, Role.PSEUDONYM)
    known = [name for name, role in roles.items() if role in unchanged]
    for name, what in accept.items():
        if what not in get_args(Accepted):
            yield f"Column {name!r}: `accept` must be {', '.join(get_args(Accepted))}.\nFound: {what!r}."
        if name not in known:
            found = f"Its role: {roles[name].value}" if name in roles else "It has no role"
            advice = nearest(str(name), known).strip() or "Give it such a role, or remove `accept`."
            yield (
                f"Column {name!r} has `accept`, which is only for columns that are not generalized.\n"
                f"{found}. Sensitive and insensitive columns, and pseudonyms: "
                f"{', '.join(known) or 'none'}.\n{advice}"
            )


def _models(given: object, problems: list[str | Problem]) -> tuple[PrivacyModel, ...]:
    """Return the models; one alone need not be in a list."""
    from shoal.privacy.model import PrivacyModel
    from shoal.spec.spec_file import model_of

    known = ", ".join(registry.names("models"))
    several = (given,)
    if isinstance(given, Iterable) and not isinstance(given, str | Mapping | PrivacyModel):
        several = tuple(given)
    if not several:
        advice = "Add one, for example k-anonymity: 5."
        problems.append(f"The spec has no privacy model.\nKnown: {known}.\n{advice}")
    models: list[PrivacyModel] = []
    for one in several:
        try:
            model = model_of(one) if isinstance(one, str | Mapping) else one
        except InputError as error:
            problems.extend(error.problems)
            continue
        # A class has the attributes of its objects, but states nothing.
        if isinstance(model, PrivacyModel) and not isinstance(model, type):
            models.append(model)
        else:
            problems.append(
                f"{model!r} is not a privacy model.\nKnown: {known}.\n"
                "Write privacy=[shoal.KAnonymity(5)], for example."
            )
    return tuple(models)


def column_problems(models: Iterable[object], sensitive: Mapping[str, Sensitive]) -> Iterable[str]:
    """Yield a problem for each model whose column is not sensitive or lacks a hierarchy that it needs."""
    from shoal.privacy.model import PrivacyModel

    known_models = [model for model in models if isinstance(model, PrivacyModel)]
    for model in known_models:
        if model.column is None:
            continue
        column, known = model.column, list(sensitive)
        if column not in sensitive:
            advice = nearest(column, known).strip() or "Give the column that role, or use another."
            yield (
                f"{model.describe()} needs a sensitive column, and {column!r} is not sensitive.\n"
                f"Sensitive columns: {', '.join(known) or 'none'}.\n{advice}"
            )
        elif model.needs_hierarchy and sensitive[column].hierarchy is None:
            yield (
                f"{model.describe()} needs a hierarchy of column {column!r}.\nFound: none.\n"
                "Add one: in a spec `hierarchy:` beside its role, in Python "
                f"sensitive={{{column!r}: ...}}."
            )
    yield from _distribution_problems(known_models)


def _distribution_problems(models: Iterable[PrivacyModel]) -> Iterable[str]:
    """Yield a problem for each column that models compare with different distributions."""
    compared: dict[str, list[PrivacyModel]] = {}
    for model in models:
        if model.column and (model.distribution or model.reads.original):
            compared.setdefault(model.column, []).append(model)
    for column, comparing in compared.items():
        if any(model.distribution != comparing[0].distribution for model in comparing):
            yield (
                f"Models compare column {column!r} with different distributions.\n"
                f"Found: {' and '.join(model.describe() for model in comparing)}.\n"
                "Declare the same for all of them, or none."
            )


def _target_problems(what: str, target: str | None, roles: Mapping[str, Role]) -> Iterable[str]:
    """Yield a problem if the target column of a measure or hierarchy is not released unchanged."""
    known = [name for name, role in roles.items() if role in (Role.SENSITIVE, Role.INSENSITIVE)]
    if not target or target in known:
        return
    found = f"Its role: {roles[target].value}" if target in roles else "It has no role"
    advice = nearest(target, known).strip() or "Give it the role sensitive or insensitive, or use another."
    yield (
        f"{what} cannot use column {target!r}.\n"
        f"{found}. Possible columns: {', '.join(known) or 'none'}.\n{advice}"
    )


def _measure(quality: object) -> Measure:
    from shoal.measure.custom import CustomMeasure
    from shoal.measure.measure import Measure

    if isinstance(quality, str):
        quality = registry.resolve("measures", quality).from_spec(None)
    elif isinstance(quality, Mapping) and len(quality) == 1:
        ((name, argument),) = quality.items()
        quality = registry.resolve("measures", str(name)).from_spec(argument)
    elif callable(quality) and not isinstance(quality, type) and not isinstance(quality, Measure):
        quality = CustomMeasure(quality)
    # A class has the attributes of its objects, but is not a measure.
    if isinstance(quality, type) or not isinstance(quality, Measure):
        known = ", ".join(registry.names("measures"))
        raise InputError(
            f"{quality!r} is not a quality measure.\nKnown: {known}.\n"
            "Give one of these names, alone or with settings, a measure object, or a function."
        )
    return quality


def recoding_of(recoding: Any) -> Strategy:
    """Return the strategy that a name, a name with its settings or an object stands for.

    Raises
    ------
    InputError
        It is none.
    """
    if isinstance(recoding, str):
        recoding = registry.resolve("strategies", recoding).from_spec(None)
    elif isinstance(recoding, Mapping) and len(recoding) == 1:
        ((name, argument),) = recoding.items()
        recoding = registry.resolve("strategies", str(name)).from_spec(argument)
    # A class has the attributes of its objects, but cannot choose.
    abilities = (getattr(recoding, name, None) for name in ("require", "choose", "to_spec"))
    if isinstance(recoding, type) or not all(map(callable, abilities)):
        known = ", ".join(registry.names("strategies"))
        kind = recoding.__name__ if isinstance(recoding, type) else type(recoding).__name__
        raise InputError(
            f"An object of type {kind!r} is not a recoding.\nKnown: {known}.\n"
            "Give one of these names, alone or with settings, or an object of such a class."
        )
    strategy: Strategy = recoding
    return strategy
