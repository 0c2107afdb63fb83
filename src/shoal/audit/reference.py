"""What claims are measured against beside the released rows: the original table, populations, taxonomies.

Labels come from the hierarchies themselves, not from the codes of the search.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from shoal.audit.compared_population import (
    about,
    add_populations,
    as_text_column,
    becomes_text,
    labels_with_null,
    numbered,
    starred_rows,
    type_of_values,
)
from shoal.audit.original_rows import OriginalRows
from shoal.audit.spelled_as_released import as_spelled
from shoal.describe.fitted_hierarchy import Fitted
from shoal.describe.hierarchy import FromData, Hierarchy
from shoal.errors import InputError, Problem
from shoal.prepare.fit import fitted
from shoal.prepare.read_rows import open_population
from shoal.privacy.levels import LevelDefaults, labels_of_taxonomy
from shoal.privacy.model import PrivacyModel, Reads, Tables
from shoal.read.columns import coded as as_coded
from shoal.read.columns import plain
from shoal.read.source import check_wanted, open_source
from shoal.read.sql import quoted
from shoal.read.typed_tables import typed
from shoal.spec.spec import Spec
from shoal.sql.relation import Relation


@dataclass(frozen=True, slots=True)
class References:
    """The tables that the claims of a release are measured against.

    They hold what the release does not, so they stay in memory, for whoever writes the release to audit the
    file.

    Attributes
    ----------
    original
        The columns of the original table that claims compare with, if any do.
    populations
        By key the populations, their quasi-identifiers as dictionary arrays.
    """

    original: pa.Table | None = None
    populations: Mapping[str, pa.Table] = field(default_factory=dict)

    def compared_by(self, spec: Spec) -> References:
        """Return what the claims of a spec compare with, of tables that may have more."""
        columns = original_columns(spec, claims(spec))
        if self.original is None or not columns:
            return replace(self, original=None)
        return replace(self, original=self.original.select(columns))


@dataclass(frozen=True, slots=True)
class Claim:
    """A model with what its query reads of this spec's tables, and whether that can be known here."""

    model: PrivacyModel
    reads: Reads
    lacks: str = ""
    """What it needs and nobody has here, in words."""

    @property
    def checkable(self) -> bool:
        return not self.lacks


def claims(spec: Spec, *, unit_known: bool = True) -> list[Claim]:
    """Return the claims of a spec; those that count people can be checked if it is known who these are."""
    found = []
    for model in spec.privacy:
        reads = model.reads.where(people=spec.unit is not None)
        nobody = reads.unit and not unit_known
        state = "generalized" if spec.unit in spec.quasi_identifiers else "not"
        lacks = f"it counts people by {spec.unit!r}, which is {state} in the release" if nobody else ""
        found.append(Claim(model, reads, lacks))
    return found


def for_recipients(
    to_check: Sequence[Claim], spec: Spec, original: object, populations: Mapping[str, object] | None
) -> list[Claim]:
    """Return the claims, and say of those that compare with a table that is not given what they lack.

    Whoever gets a release has no original, and can check the other claims all the same.
    """
    found = []
    for claim in to_check:
        lacks, population = claim.lacks, claim.model.population
        if claim.reads.original and original is None:
            lacks = lacks or "it compares with the original table, which is not given (--original)"
        if claim.reads.population and population is not None and population.key not in (populations or {}):
            source = spec.populations[population.key].source
            if isinstance(source, str | Path) and not Path(source).exists():
                lacks = lacks or (
                    f"it compares with the population {population.name!r}, which is not there (--population)"
                )
        found.append(replace(claim, lacks=lacks))
    return found


def without_original(to_check: Sequence[Claim]) -> Problem:
    """Describe that claims compare with the original table, and there is none."""
    compared = _listed(claim.model for claim in to_check if claim.checkable and claim.reads.original)
    return Problem(
        f"To be compared with the original table: {compared}.\nThat table is not given.\n"
        "Give it: --original FILE (in Python original=...)."
    )


def without_units(where: str, unit: str | None, rows: int) -> str:
    """Describe that rows do not tell whom they are about."""
    return (
        f"Column {unit!r}, the unit, is NULL in {rows:,} rows of {where}.\n"
        "The people of these rows are unknown.\nFill the column in, or remove these rows."
    )


def original_columns(spec: Spec, to_check: Sequence[Claim]) -> list[str]:
    """Return the columns of the original table that claims are measured against."""
    columns = [claim.model.column for claim in to_check if claim.reads.original and claim.model.column]
    if spec.unit is not None and any(claim.reads.original and claim.reads.unit for claim in to_check):
        columns.append(spec.unit)
    if any(claim.reads.population for claim in to_check):
        columns += spec.quasi_identifiers  # their labels may depend on all values that there are
        columns += filter(None, _to_be_made(spec).values())
    return list(dict.fromkeys(columns))


def read_references(
    spec: Spec,
    to_check: Sequence[Claim],
    original: object,
    populations: Mapping[str, object] | None,
    levels: Mapping[str, int] | None,
) -> tuple[References, list[Problem]]:
    """Read what claims compare with, and tell all that is missing."""
    to_check = [claim for claim in to_check if claim.checkable]
    problems: list[Problem] = []
    own: pa.Table | None = None
    compared = [claim.model for claim in to_check if claim.reads.original]
    if original is not None:
        try:
            own = _read_original(original, spec, original_columns(spec, to_check))
            if own.num_rows == 0 and compared:
                raise InputError("The original table has no rows.\nNothing can be compared with it.")
            if spec.unit in own.column_names and own.column(spec.unit).null_count:
                raise InputError(
                    without_units("the original table", spec.unit, own.column(spec.unit).null_count)
                )
        except InputError as error:
            problems += error.problems
    elif compared:
        problems.append(without_original(to_check))
    wanted = {c.model.population.key: c.model for c in to_check if c.reads.population and c.model.population}
    tables = {}
    for key, model in wanted.items():
        population = spec.populations[key]
        try:
            tables[key] = _read_population((populations or {}).get(key, population.source), spec)
        except InputError as error:
            advice = "Give the population: --population FILE (in Python populations={...})."
            problems += [Problem(f"{model.describe()}: {p.message}\n{advice}") for p in error.problems]
    if wanted and levels is None:
        problems.append(
            Problem(
                f"To be compared with a population, at the release's levels: {_listed(wanted.values())}.\n"
                "These levels are unknown.\n"
                "Give the manifest of the release: --manifest FILE (in Python levels=...)."
            )
        )
    elif wanted and levels and (lost := [name for name in spec.quasi_identifiers if name not in levels]):
        problems.append(Problem(f"The levels of the release lack {', '.join(lost)}.\nGive them all."))
    given = () if own is None else own.column_names
    if wanted and not problems and (lost := [name for name in _to_be_made(spec) if name not in given]):
        problems.append(
            Problem(
                f"Made from the original table: the hierarchy of {', '.join(lost)}.\n"
                "That table is not given with these columns.\n"
                "Give it: --original FILE (in Python original=...)."
            )
        )
    return _typed(References(own, tables), spec, problems), problems


def _typed(references: References, spec: Spec, problems: list[Problem]) -> References:
    """Return the tables with values of the types that the spec gives; put what is not into `problems`."""
    keys = list(references.populations)
    given = [
        (" of the original table", references.original),
        *(
            (f" of the population {spec.populations[key].name!r}", references.populations[key])
            for key in keys
        ),
    ]
    found, strange = typed([(where, table) for where, table in given if table is not None], spec.types)
    problems += strange
    original = None if references.original is None else found.pop(0)
    return References(original, dict(zip(keys, found, strict=True)))


def with_hierarchies(spec: Spec, references: References) -> Spec:
    """Return the spec with the hierarchies that are made from the table, made from the original again."""
    table = references.original
    named = _to_be_made(spec)
    if table is None or not named or not named.keys() <= set(table.column_names):
        return spec
    for name in named:
        position = table.schema.get_field_index(name)
        table = table.set_column(position, name, as_coded(table.column(name), name))
    return fitted(spec, table)


def _to_be_made(spec: Spec) -> dict[str, str | None]:
    """Return the columns whose hierarchies are still to be made, with the column that each looks at."""
    hierarchies = ((name, qi.hierarchy) for name, qi in spec.quasi_identifiers.items())
    return {
        name: hierarchy.target
        for name, hierarchy in hierarchies
        if isinstance(hierarchy, FromData) and not isinstance(hierarchy, Fitted)
    }


@dataclass(frozen=True, slots=True)
class HeldOriginal:
    """An original table in memory."""

    table: pa.Table

    @property
    def names(self) -> Sequence[str]:
        names: list[str] = self.table.column_names
        return names

    @property
    def rows(self) -> int:
        rows: int = self.table.num_rows
        return rows

    def values(self, name: str) -> pa.ChunkedArray:
        return self.table.column(name)

    def kind(self, name: str) -> pa.DataType:
        column = self.table.column(name)
        return pa.null() if column.null_count == len(column) else type_of_values(column)

    def add(self, relation: Relation, identifiers: Mapping[str, str], as_text: Collection[str]) -> str:
        columns = {
            name: as_spelled(self.values(name), name, relation) if name in as_text else self.values(name)
            for name in identifiers
        }
        return relation.add("original", pa.table(columns), identifiers)


def add_references(
    relation: Relation,
    spec: Spec,
    to_check: Sequence[Claim],
    original: OriginalRows | None,
    populations: Mapping[str, pa.Table],
    levels: Mapping[str, int],
    unit: str | None,
) -> tuple[Tables, Tables]:
    """Let queries read what claims compare with, under names that say what it is.

    Returns
    -------
    tuple
        What stands in the queries, and in those that are told.
    """
    problems: list[Problem] = []
    identifiers: dict[str, str] = {}
    as_text: set[str] = set()
    if original is not None:
        for name in original.names:
            try:
                if name in spec.sensitive:
                    if becomes_text(original.kind(name), name, relation, "original table"):
                        as_text.add(name)
                    identifiers[name] = relation.columns.get(name, quoted(name))
                elif name == spec.unit:
                    identifiers[name] = unit or quoted(name)
            except InputError as error:
                problems += about(f"Column {name!r}", error)
    here = "original"
    if original is not None and identifiers:
        here = original.add(relation, identifiers, as_text)
    people, people_shown, matched = add_populations(relation, spec, populations, levels, original, problems)
    taxonomies, taxonomies_shown = {}, {}
    described = {
        c.model.column: c.model for c in to_check if c.checkable and c.reads.taxonomy and c.model.column
    }
    known = [name for name, model in described.items() if model.distribution or name in identifiers]
    for number, name in enumerate(known, start=1):
        hierarchy = spec.sensitive[name].hierarchy
        assert hierarchy is not None, "the spec has seen to it"
        try:
            declared = described[name].distribution
            if declared is not None:
                values = pa.chunked_array([pa.array(declared.values, pa.string())])
            else:
                assert original is not None, "it has the column"
                values = original.values(name)
            table = _taxonomy(as_text_column(values) if name in as_text else values, hierarchy)
        except InputError as error:
            problems += about(f"Column {name!r}", error)
            continue
        labels = labels_of_taxonomy(table.columns)
        judging = (c.model for c in to_check if c.model.column == name and isinstance(c.model, LevelDefaults))
        problems += [Problem(text) for model in judging for text in model.level_problems(labels)]
        taxonomies_shown[name] = (numbered("taxonomy", number), table.num_columns)
        taxonomies[name] = (relation.add(taxonomies_shown[name][0], table, {}), table.num_columns)
    if problems:
        raise InputError(problems)
    starred = starred_rows(spec)
    run = Tables(
        kept="kept",
        quasi_identifiers=[relation.columns[qi] for qi in spec.quasi_identifiers],
        columns=relation.columns,
        original=here,
        populations=people,
        matched=matched,
        taxonomies=taxonomies,
        unit=unit,
        starred=starred,
    )
    shown_tables = Tables(
        kept="kept",
        quasi_identifiers=[relation.columns_as_shown[qi] for qi in spec.quasi_identifiers],
        columns=relation.columns_as_shown,
        original="original",
        populations=people_shown,
        matched=matched,
        taxonomies=taxonomies_shown,
        unit=unit if spec.unit is None or unit is None else relation.columns_as_shown.get(spec.unit, unit),
        starred=starred,
    )
    return run, shown_tables


def _read_original(data: object, spec: Spec, wanted: Sequence[str]) -> pa.Table:
    """Read columns of the original table; quasi-identifiers, which only help, if it has them."""

    def there(columns: Sequence[str]) -> list[str]:
        return [name for name in wanted if name in columns or name not in spec.quasi_identifiers]

    if isinstance(data, pa.Table):
        check_wanted(there(data.column_names), data.column_names, "the original table")
        table = data.select(there(data.column_names))
        columns = (
            column if pa.types.is_dictionary(column.type) else plain(column, name)
            for name, column in zip(table.column_names, table.columns, strict=True)
        )
        return pa.table(list(columns), names=table.column_names)
    source = open_source(data, spec.input)
    names = there(source.columns)
    # Asked for no columns at all, a reader of CSV gives every one, in types that it guesses.
    return source.read(names, coded=set(spec.quasi_identifiers)) if names else pa.table({})


def _read_population(data: object, spec: Spec) -> pa.Table:
    """Read the quasi-identifiers of a population as dictionary arrays."""
    columns = list(spec.quasi_identifiers)
    if isinstance(data, pa.Table) and data.column_names == columns and all(map(_is_coded, data.columns)):
        return data
    return open_population(data, spec).read(columns, coded=columns)


def _taxonomy(values: pa.ChunkedArray, hierarchy: Hierarchy) -> pa.Table:
    """Return the labels of the values that occur at every level, NULL among them if it occurs."""
    labels = labels_with_null(hierarchy.levels(pc.unique(values).drop_null()))
    if not values.null_count:
        labels = [label[:-1] for label in labels]
    return pa.table(labels, names=[f"level_{level}" for level in range(len(labels))])


def _is_coded(column: pa.ChunkedArray) -> bool:
    return bool(pa.types.is_dictionary(column.type)) and column.num_chunks == 1


def _listed(models: Iterable[PrivacyModel]) -> str:
    return " and ".join(dict.fromkeys(model.describe() for model in models))
