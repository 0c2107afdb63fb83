"""What a privacy model declares, a search and an audit rely on; here it is tried to be proved wrong."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.privacy.classes import Classes, IntArray
from shoal.privacy.condition import ROUNDING
from shoal.privacy.levels import LevelDefaults
from shoal.privacy.model import PrivacyModel, Reads, Tables
from shoal.testing.conditions import accepts, meets
from shoal.testing.people import GROUPS, TOWN, ExamplePeople, PersonRow, Taxonomy, peoples, released
from shoal.testing.promises import close, draw_and_check, promise, require, require_equal

Definition = Callable[[Sequence[PersonRow], Sequence[PersonRow], int, Taxonomy], bool]
"""Takes the rows of a class, all rows, the class's people in the population and the taxonomy."""

_PAIRS = 100
"""Random pairs of classes that are merged, for each drawn table."""
_FEW = 20
"""Those of them that conditions are tried on, in plain Python."""


def check_model(
    model: PrivacyModel,
    *,
    definition: Definition | None = None,
    values: Sequence[Any] | None = None,
    rows: int = 16,
    examples: int = 60,
) -> None:
    """Raise AssertionError with the first promise that a privacy model breaks.

    It has a name and a summary, comes back from a spec and refuses what it does not know. Its query reads
    what `reads` declares. On drawn tables `holds`, `conditions` and `sql` find the same classes failing, with
    rows and with people counted; `minimum_size`, `minimum_values`, `absorbing`, `absorbing_people`,
    `suppressible` and what its conditions declare are true.

    Parameters
    ----------
    definition
        The model once more, in plain Python, if `holds` is to be compared with it.
    values
        Values of the sensitive column to draw from, None for NULL among them; otherwise texts and numbers.
    rows
        How many rows a drawn table has at most.
    examples
        How many tables are drawn.

    Examples
    --------
    >>> from shoal import LDiversity
    >>> check_model(LDiversity("disease", 2), values=["flu", "cold", None], examples=5)
    """
    check_words(model)
    check_spec(model)
    check_reads(model)
    drawn = peoples(max_rows=rows, values=values, height=_first_level(model))
    seeds = st.integers(0, 2**32 - 1)
    draw_and_check(partial(check_classes, model, definition), drawn, seeds, examples=examples)
    dropped = st.sets(st.sampled_from(GROUPS), max_size=2)
    with duckdb.connect(config={"threads": 1}) as connection:
        draw_and_check(partial(check_query, model, connection), drawn, dropped, examples=examples)


def check_words(model: PrivacyModel) -> None:
    """Check what a model says about itself."""
    with promise(f"The model {type(model).__name__}", "it has all that a privacy model has"):
        missing = [
            name for name in dir(PrivacyModel) if not name.startswith("_") and not hasattr(model, name)
        ]
        require(isinstance(model, PrivacyModel), f"Missing: {', '.join(missing)}.")
    kind = type(model)
    with promise(_whose(model), "it says what it is, in one line that ends with a full stop"):
        require(kind.name and kind.summary.endswith(".") and "\n" not in kind.summary, kind.summary)
        require(model.describe(), "Its description is empty.")
    with promise(_whose(model), "its examples show what may follow its name in a spec"):
        require(kind.examples, "There are none.")
        for example in kind.examples:
            require(isinstance(kind.from_spec(example), kind), f"Found: {example!r}.")
            if isinstance(example, Mapping):
                unknown = set(example) - set(kind.parameters)
                require(not unknown, f"Not among its parameters: {', '.join(map(str, unknown))}.")


def check_spec(model: PrivacyModel) -> None:
    """Check that a model comes back from its spec, and that wrong specs are refused."""
    with promise(_whose(model), "its spec holds all of it"):
        ((name, argument),) = model.to_spec().items()
        require_equal(name, model.name)
        require_equal(type(model).from_spec(argument), model)
    for wrong in ({"surprise": 1}, object()):
        with promise(_whose(model), "a spec that it does not know is refused with an InputError"):
            try:
                type(model).from_spec(wrong)
            except InputError:
                continue
            require(False, f"Found: {wrong!r} is accepted.")


def check_reads(model: PrivacyModel) -> None:
    """Check that the query of a model names what it declares to read, and nothing else."""
    for people in (False, True):
        with promise(_whose(model), "its query can be written"):
            named, others = _named(model, people=people)
        declared = model.reads.where(people=people)
        counted = "people are" if people else "rows are"
        for each in fields(Reads):
            says, does = getattr(declared, each.name), getattr(named, each.name)
            with promise(_whose(model), "its query reads what `reads` declares, and nothing else"):
                does_it = "reads" if does else "does not read"
                require(
                    says == does,
                    f"Declared: {each.name}={says}. The query {does_it} it where {counted} counted.",
                )
        with promise(_whose(model), "with weight=True its query reads no column but its own"):
            require(not (declared.weight and others), "It names another sensitive column.")


def _named(model: PrivacyModel, *, people: bool) -> tuple[Reads, bool]:
    """Return what a query names, found by marks in its text, and whether that is also another column."""
    marks = {each.name: f"\0{each.name}\0" for each in fields(Reads)}
    column, other = model.column or "\0", "\0other\0"
    query = ""
    for number, starred in itertools.product((None, "number"), (False, True)):
        query += model.sql(
            Tables(
                kept="kept",
                quasi_identifiers=["number"] if number else ["q"],
                columns={"another": other, column: marks["column"]},
                original=marks["original"],
                populations={} if model.population is None else {model.population.key: marks["population"]},
                taxonomies={column: (marks["taxonomy"], 2 + _first_level(model))},
                unit=marks["unit"] if people else None,
                weight=marks["weight"],
                number=number,
                starred=starred,
            )
        )
    found = {name: mark in query for name, mark in marks.items()}
    found["column"] |= other in query
    return Reads(**found), other in query


def check_classes(
    model: PrivacyModel, definition: Definition | None, people: ExamplePeople, seed: int
) -> None:
    """Check which classes of a table pass, and what follows when they merge."""
    classes = _classes(model, people)
    with promise(_whose(model), "`holds` says of every class whether it passes"):
        found = model.holds(classes)
        require_equal((found.dtype, found.shape), (np.dtype(bool), (classes.count,)))
    with promise(_whose(model), "`holds` is its definition"):
        require_equal(found.tolist(), _defined(definition, people, found.tolist()), _shown(people))
    with promise(_whose(model), "no class passes that has fewer rows than `minimum_size`"):
        require(not found[(classes.sizes < model.minimum_size) & (classes.sizes > 0)].any(), _shown(people))
    if model.column is not None:
        with promise(_whose(model), "no class passes that has fewer values than `minimum_values`"):
            values = np.count_nonzero(classes.histogram(model.column), axis=1)
            few = (values < model.minimum_values) & (classes.sizes > 0)
            require(not found[few].any(), _shown(people))
    with promise(_whose(model), "a class without rows passes if and only if the model is `suppressible`"):
        require((found[classes.sizes == 0] == model.suppressible).all(), _shown(people))
    with promise(_whose(model), "`conditions` and `minimum_size` let the classes pass that `holds` does"):
        accepted = [
            accepts(model, classes.table, *_contents(model, classes, position))
            for position in range(classes.count)
        ]
        require_equal(accepted, found.tolist(), _shown(people))
    with promise(_whose(model), "a class is judged by its rows and the whole table, not by other classes"):
        alone = [bool(model.holds(_alone(classes, position))[0]) for position in range(classes.count)]
        require_equal(alone, found.tolist(), _shown(people))
    _check_mergers(model, people, classes, seed)


def _check_mergers(model: PrivacyModel, people: ExamplePeople, classes: Classes, seed: int) -> None:
    """Merge classes of the table, and other sets of its rows, which are classes of another generalization.

    What is absorbing passes whatever it merges with. The others pass if both did, as long as they have nobody
    in common: so without suppression a generalization of what satisfies does too.
    """
    absorbs = model.absorbing_people if people.counts_units else model.absorbing
    declared = "absorbing_people" if people.counts_units else "absorbing"
    pairs = _pairs(classes, (model.population or TOWN).key, seed)
    sets = [part for one, other in pairs for part in (one, other, one.joined(other))]
    with promise(_whose(model), "`holds` says of every class whether it passes"):
        found = model.holds(_together(classes, sets)).reshape(-1, 3).tolist()
    for (one, other), (passes, too, held) in zip(pairs, found, strict=True):
        if held or not passes:
            continue
        shown = f"Found: {_rows(one)} passes; merged with {_rows(other)} it fails.\n{_shown(people)}"
        with promise(_whose(model), f"it is `{declared}`: a class that passes does so after any merger"):
            require(not absorbs, shown)
        if too and not _units(people, one) & _units(people, other):
            with promise(_whose(model), "two passing classes that have nobody in common pass after merging"):
                require(False, shown)
    for condition in model.conditions(classes.table):
        for one, other in pairs[:_FEW] if condition.absorbing else ():
            with promise(_whose(model), f"its condition {condition.kind!r} is absorbing as it declares"):
                after = one.joined(other)
                met = meets(condition, classes.table, one.rows.tolist(), len(one.people))
                require(not met or meets(condition, classes.table, after.rows.tolist(), len(after.people)))


@dataclass(frozen=True)
class _CandidateClass:
    """A set of rows that may be a class, and of people of the population who are in it."""

    rows: IntArray
    people: IntArray

    def joined(self, other: _CandidateClass) -> _CandidateClass:
        return _CandidateClass(
            np.concatenate([self.rows, other.rows]), np.concatenate([self.people, other.people])
        )


def _pairs(classes: Classes, population: str, seed: int) -> list[tuple[_CandidateClass, _CandidateClass]]:
    """Return pairs of sets that have no row in common: all pairs of classes, and random ones."""
    members = classes.of_population[population]

    def part(of_rows: Any, of_people: Any, number: int) -> _CandidateClass:
        return _CandidateClass(np.flatnonzero(of_rows == number), np.flatnonzero(of_people == number))

    own = [part(classes.of_rows, members, number) for number in range(classes.count)]
    pairs = list(itertools.permutations(own, 2))
    generator = np.random.default_rng(seed)
    for _ in range(_PAIRS):
        count = generator.integers(2, max(len(classes.of_rows), 2) + 1)
        of_rows, of_people = (generator.integers(0, count, len(of)) for of in (classes.of_rows, members))
        pairs.append((part(of_rows, of_people, 0), part(of_rows, of_people, 1)))
    return [(one, other) for one, other in pairs if len(one.rows)]


def _together(classes: Classes, parts: Sequence[_CandidateClass]) -> Classes:
    """Return sets of rows as classes; a row may be in several."""
    numbers = np.arange(len(parts))
    of_rows = np.repeat(numbers, [len(part.rows) for part in parts])
    of_people = np.repeat(numbers, [len(part.people) for part in parts])
    rows = np.concatenate([part.rows for part in parts])
    return Classes(
        classes.table, of_rows, len(parts), dict.fromkeys(classes.of_population, of_people), rows=rows
    )


def _units(people: ExamplePeople, part: _CandidateClass) -> set[Hashable]:
    return {people.rows[row].unit for row in part.rows}


def _rows(part: _CandidateClass) -> str:
    return f"a class of the rows {(part.rows + 1).tolist()}"


def check_query(
    model: PrivacyModel,
    connection: duckdb.DuckDBPyConnection,
    people: ExamplePeople,
    dropped: set[str | None],
) -> None:
    """Check that the query counts the classes that fail, of a release in which some are suppressed."""
    kept = [row.group not in dropped for row in people.rows]
    rows = [row for row, keep in zip(people.rows, kept, strict=True) if keep]
    classes = released(_classes(model, people), kept)
    with promise(_whose(model), "its query gives one row with `failing` and `measured`"):
        failing, measured = run_audit_query(connection, model, people, rows)
        require(model.wording(measured), "What was measured has no words.")
    there = classes.sizes > 0
    fails = ~model.holds(classes) & (there if model.suppressible else True)
    expected = int(fails.sum())
    released_classes, released_people = int(there.sum()), int(classes.people[there].sum())
    if released_classes > model.average_risk * (1 + ROUNDING) * released_people:
        expected = released_classes
    with promise(_whose(model), "its query counts the classes for which `holds` is false"):
        require_equal(failing, expected, _shown(people))
    if not people.counts_units:
        for form in ("numbered", *(("weighted",) if model.reads.weight else ())):
            with promise(_whose(model), f"its query finds the same where the rows of a release are {form}"):
                again = run_audit_query(connection, model, people, rows, form)
                require(
                    again[0] == failing and _alike(again[1], measured), f"Found: {again}.\n{_shown(people)}"
                )


def run_audit_query(
    connection: duckdb.DuckDBPyConnection,
    model: PrivacyModel,
    people: ExamplePeople,
    kept: Sequence[PersonRow],
    form: str = "plain",
) -> tuple[int, Any]:
    """Run a model's query on released rows; return `failing` and `measured`.

    Parameters
    ----------
    form
        `plain`: as they are. `numbered`: with the number of their class. `weighted`: also equal ones counted.
    """
    height = len(next(iter(people.taxonomy.values())))
    taxonomy = {"level_0": people.array_of(list(people.taxonomy))}
    for level in range(height):
        labels = [labels[level] for labels in people.taxonomy.values()]
        taxonomy[f"level_{level + 1}"] = pa.array(labels, pa.string())
    population = {
        "class": pa.array(people.population, pa.string()),
        "n": pa.nulls(len(people.population), pa.int64()),
    }
    tables = {
        "kept_rows": _relation(people, kept),
        "original": _relation(people, people.rows),
        "population_0": pa.table(population),
        "taxonomy_0": pa.table(taxonomy),
    }
    for name, table in tables.items():
        connection.register(name, table)
    numbered = "SELECT *, dense_rank() OVER (ORDER BY class, n) AS number FROM kept_rows"
    weighted = f'SELECT number, "class", n, "value", count(*) AS weight FROM ({numbered}) GROUP BY ALL'
    relation = {"plain": "SELECT * FROM kept_rows", "numbered": numbered, "weighted": weighted}[form]
    of_classes = form != "plain" and model.population is None
    tables_named = Tables(
        kept="kept",
        # The columns have names that queries use for their own.
        quasi_identifiers=["number"] if of_classes else ['"class"', '"n"'],
        columns={model.column or "value": '"value"'},
        populations={} if model.population is None else {model.population.key: "population_0"},
        taxonomies={model.column or "value": ("taxonomy_0", height + 1)},
        unit='"unit"' if people.counts_units else None,
        weight="weight" if form == "weighted" else None,
        number="number" if of_classes else None,
    )
    # An audit opens no more than the model declares.
    query = model.sql(model.reads.limit(tables_named))
    found = connection.execute(f"WITH kept AS ({relation})\n{query}")
    require_equal([column[0] for column in found.description or ()], ["failing", "measured"])
    (row,) = found.fetchall()
    return row


def _relation(people: ExamplePeople, rows: Sequence[PersonRow]) -> pa.Table:
    return pa.table(
        {
            "class": pa.array([row.group for row in rows], pa.string()),
            "n": pa.nulls(len(rows), pa.int64()),
            "value": people.array_of([row.value for row in rows]),
            "unit": pa.array([str(row.unit) for row in rows], pa.string()),
        }
    )


def _first_level(model: PrivacyModel) -> int:
    """Return the lowest level of a taxonomy that a model judges."""
    return (model.from_level or 0) if isinstance(model, LevelDefaults) else 0


def _classes(model: PrivacyModel, people: ExamplePeople) -> Classes:
    return people.classes(model.column or "value", model.population or TOWN, model.distribution)


def _alone(classes: Classes, position: int) -> Classes:
    """Return one class, as large tables are judged in parts."""
    rows = np.flatnonzero(classes.of_rows == position)
    members = {
        key: np.zeros((places == position).sum(), dtype=np.int64)
        for key, places in classes.of_population.items()
    }
    return Classes(classes.table, np.zeros(len(rows), dtype=np.int64), 1, members, rows=rows)


def _contents(model: PrivacyModel, classes: Classes, position: int) -> tuple[list[int], int]:
    """Return the rows of a class, and how many people of the population are in it."""
    people = classes.population((model.population or TOWN).key)[position]
    return np.flatnonzero(classes.of_rows == position).tolist(), int(people)


def _defined(definition: Definition | None, people: ExamplePeople, found: list[bool]) -> list[bool]:
    if definition is None:
        return found
    return [
        definition(
            [row for row in people.rows if row.group == label],
            people.rows,
            sum(label == other for other in people.population),
            people.taxonomy,
        )
        for label in people.labels()
    ]


def _alike(found: Any, expected: Any) -> bool:
    if isinstance(expected, Mapping):
        return found.keys() == expected.keys() and all(
            _alike(found[name], expected[name]) for name in expected
        )
    if isinstance(expected, float) and isinstance(found, int | float):
        return close(found, expected) or (math.isinf(found) and found == expected)
    return bool(found == expected)


def _shown(people: ExamplePeople) -> str:
    """Return a drawn table, in words; nobody's data is in it."""
    rows = ", ".join(f"{row.group}/{row.value}/{row.unit}" for row in people.rows)
    counted = "People" if people.counts_units else "Rows"
    return f"{counted} are counted. Rows (class/value/person): {rows}. Population: {people.population}.\n"


def _whose(model: PrivacyModel) -> str:
    return f"The model {model.name!r}"
