"""Populations with the labels that a release gives to people: by its levels, or by its classes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.audit.original_rows import OriginalRows
from shoal.describe.covered_people import covered_people
from shoal.describe.hierarchy import ANYTHING, Levels
from shoal.describe.label_cover import Domain, cover_of
from shoal.errors import InputError, Problem
from shoal.privacy.queries import all_stars
from shoal.read.columns import coded as as_coded
from shoal.read.columns import of_type, text_of
from shoal.read.spelling import in_one_spelling
from shoal.read.sql import quoted
from shoal.spec.spec import Spec
from shoal.sql.relation import Relation


def add_populations(
    relation: Relation,
    spec: Spec,
    populations: Mapping[str, pa.Table],
    levels: Mapping[str, int],
    original: OriginalRows | None,
    problems: list[Problem],
) -> tuple[dict[str, str], dict[str, str], tuple[str, str] | None]:
    """Let queries read populations, with the labels that their people have in the release.

    Returns
    -------
    tuple
        By key what stands for each in queries, and in those that are shown; and without levels the columns
        of `Tables.matched`.
    """
    counted, matches = (_unused(name, relation) for name in ("counted", "matches"))
    people, shown = {}, {}
    for number, (key, population) in enumerate(populations.items(), start=1):
        try:
            if levels:
                table = _generalized(population, original, spec, levels, relation)
            else:
                table = _by_labels(population, original, spec, relation, (counted, matches))
        except InputError as error:
            problems += about(f"Population {spec.populations[key].name!r}", error)
            continue
        shown[key] = numbered("population", number)
        beside = {name: quoted(name) for name in (counted, matches)}
        people[key] = relation.add(shown[key], table, {**relation.columns, **beside})
    return people, shown, None if levels else (quoted(counted), quoted(matches))


def _unused(name: str, relation: Relation) -> str:
    """Return a name that no column has."""
    while name in map(str.lower, relation.columns):
        name += "_"
    return name


def _generalized(
    population: pa.Table,
    original: OriginalRows | None,
    spec: Spec,
    levels: Mapping[str, int],
    relation: Relation,
) -> pa.Table:
    """Return the quasi-identifiers of a population with the labels of the release's levels."""
    problems: list[Problem] = []
    columns = []
    for name in spec.quasi_identifiers:
        values = population.column(name).chunk(0)
        try:
            values, labels = _at_all_levels(name, values, original, spec)
            if levels[name] >= len(labels):
                raise InputError(f"there is no level {levels[name]}, only 0 to {len(labels) - 1}.")
            coded = labels[levels[name]].dictionary_encode()
            positions = values.indices.fill_null(len(values.dictionary))
            column = pa.DictionaryArray.from_arrays(coded.indices.take(positions), coded.dictionary)
            kind = type_of_values(column) if len(column) > column.null_count else pa.null()
            as_text = becomes_text(kind, name, relation, "population")
            columns.append(as_text_column(column) if as_text else column)
        except InputError as error:
            problems += about(f"column {name!r}", error)
    if problems:
        raise InputError(problems)
    return pa.table(columns, names=list(spec.quasi_identifiers))


def _at_all_levels(
    name: str, values: pa.DictionaryArray, original: OriginalRows | None, spec: Spec
) -> tuple[pa.DictionaryArray, list[pa.Array]]:
    """Return a column of a population, and the labels of its dictionary at every level, that of NULL last.

    The labels of a value may depend on the other values that there are, such as the longest of them. So those
    of the original table are in the dictionary too, where they are known.
    """
    domain = values.dictionary
    if original is not None and name in original.names:
        distinct = pc.unique(original.values(name))
        distinct = distinct.cast(type_of_values(distinct)).drop_null()
        values = of_type(values, distinct.type)
        domain = pa.concat_arrays([values.dictionary, distinct]).unique()
    indices = pc.index_in(values.dictionary, domain).take(values.indices)
    return pa.DictionaryArray.from_arrays(indices, domain), labels_with_null(
        spec.quasi_identifiers[name].levels(domain)
    )


def _by_labels(
    population: pa.Table,
    original: OriginalRows | None,
    spec: Spec,
    relation: Relation,
    beside: tuple[str, str],
) -> pa.Table:
    """Return the classes that cover people of a population, with how many they cover, and all other people.

    The columns `beside` are those of `Tables.matched`. Labels are read by the hierarchies, at whatever level,
    and by their form: a range, or a set. A class of starred rows is for those whom no other covers.
    """
    names = list(spec.quasi_identifiers)
    identifiers = ", ".join(relation.columns[name] for name in names)
    apart = ""
    if starred_rows(spec):
        apart = f" WHERE NOT coalesce({all_stars([relation.columns[name] for name in names])}, false)"
    classes = relation.runner.fetch(f"SELECT DISTINCT {identifiers} FROM {relation.source}{apart}")
    problems: list[Problem] = []
    labels, domains, values, covers, numbers = [], [], [], [], []
    for name, of_classes in zip(names, classes.columns, strict=True):
        try:
            own, levels = _at_all_levels(name, population.column(name).chunk(0), original, spec)
            as_text = becomes_text(own.type.value_type, name, relation, "population")
            kind = own.type.value_type
            kind_here = pa.large_string() if name in relation.text else kind
            in_kind = of_type(as_coded(of_classes, name), kind_here).dictionary_decode()
            coded = in_kind.dictionary_encode(null_encoding="encode")
            texts = [in_one_spelling(level, kind) for level in levels]
            domain = Domain.of(texts[0].drop_null(), null=True)
            cover = cover_of(in_one_spelling(coded.dictionary, kind), domain, texts)
            if cover.unknown.any():
                raise InputError(
                    f"{int(cover.unknown.sum()):,} labels of the release cannot be read.\n"
                    "Nobody can say whom of a population they cover."
                )
        except InputError as error:
            problems += about(f"column {name!r}", error)
            continue
        covers.append(cover)
        numbers.append(coded.indices.to_numpy().astype(np.int64))
        values.append(own.indices.fill_null(len(own.dictionary)).to_numpy().astype(np.int64))
        own_labels = as_text_column(own.dictionary) if as_text else own.dictionary
        domains.append(pa.concat_arrays([own_labels.cast(kind_here), pa.nulls(1, kind_here)]))
        labels.append(pa.concat_arrays([coded.dictionary, domains[-1]]))
    if problems:
        raise InputError(problems)
    times = np.zeros(population.num_rows, dtype=np.int64)
    members = np.zeros(classes.num_rows, dtype=np.int64)
    most = members.copy()
    pairs = list(covered_people(values, covers, numbers))
    for people, _ in pairs:
        times += np.bincount(people, minlength=len(times))
    for people, of in pairs:
        members += np.bincount(of, minlength=len(members))
        np.maximum.at(most, of, times[people])
    there, alone = np.flatnonzero(members), np.flatnonzero(times == 0)
    # Of each column first all labels, then all values.
    rows = (
        np.concatenate([number[there], len(known) - len(domain) + value[alone]])
        for known, domain, number, value in zip(labels, domains, numbers, values, strict=True)
    )
    ones = np.ones(len(alone), dtype=np.int64)
    return pa.table(
        [
            *(known.take(pa.array(of_rows)) for known, of_rows in zip(labels, rows, strict=True)),
            np.concatenate([members[there], ones]),
            np.concatenate([most[there], 0 * ones]),
        ],
        names=[*names, *beside],
    )


def becomes_text(kind: pa.DataType, name: str, relation: Relation, what: str) -> bool:
    """Return whether values are to be text, as in the release, where it is a CSV file.

    Raises
    ------
    InputError
        They are text and in the release they are not: then what is equal would not be found equal.
    """
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if text and name not in relation.text:
        raise InputError(
            f"it is text in the {what}, and not in the release '{relation.name}'.\n"
            "Equal values cannot be recognized.\nGive both in one format."
        )
    return name in relation.text and not text


def as_text_column(column: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    return text_of(column.cast(type_of_values(column)), pa.large_string())


def labels_with_null(levels: Levels) -> list[pa.Array]:
    """Return the labels of some values at every level, and last in each that of NULL.

    NULL stays what it is, but where the top is one label for everything it has that one too.
    """
    labels = [pa.concat_arrays([label, pa.nulls(1, label.type)]) for label in levels.labels]
    top = levels.labels[-1]
    if len(labels) > 1 and (levels.leaves[-1] == levels.total).all():
        labels[-1] = pa.concat_arrays([top, top[:1] if len(top) else pa.array([ANYTHING])])
    return labels


def type_of_values(column: pa.Array | pa.ChunkedArray) -> pa.DataType:
    return column.type.value_type if pa.types.is_dictionary(column.type) else column.type


def about(what: str, error: InputError) -> list[Problem]:
    return [Problem(f"{what}: {problem.message}", problem.values) for problem in error.problems]


def numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}_{number}"


def starred_rows(spec: Spec) -> bool:
    """Return whether rows with `*` in every quasi-identifier may be suppressed ones."""
    return spec.suppressed == "star" and all(model.suppressible for model in spec.privacy)
