"""Every privacy model is what its definition says, and has the properties that it declares.

Adding a model to the registry adds its tests; it needs examples of its parameters here, and a reference.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal import registry
from shoal.errors import InputError
from shoal.privacy.classes import Classes
from shoal.privacy.grouped import group
from shoal.privacy.judge import passing
from shoal.privacy.model import PrivacyModel, Tables
from shoal.privacy.population import Population

from . import conditions as oracle
from . import reference_models as reference
from .people import GROUPS, TAXONOMIES, TOWN, Labels, People, peoples
from .reference_models import Row

MODELS = registry.names("models")

# What stands after the name in a spec.
EXAMPLES: Mapping[str, Sequence[Any]] = {
    "k-anonymity": [1, 2, 4],
    "alpha-k": [
        {"column": "value", "alpha": 0.5, "k": 2},
        {"column": "value", "alpha": 0.7, "k": 1},
        {"column": "value", "alpha": 1, "k": 3},
        {"column": "value", "alpha": 0.3, "k": 2},
    ],
    "k-map": [{"k": k, "population": TOWN} for k in (1, 2, 5)],
    "delta-presence": [
        {"population": TOWN, "lower": 0, "upper": 0.5},
        {"population": TOWN, "lower": 0.3, "upper": 1},
        {"population": TOWN, "lower": 0.2, "upper": 0.6},
        {"population": TOWN, "lower": 0.5, "upper": 0.5},
    ],
    "l-diversity": [
        {"column": "value", "l": 1},
        {"column": "value", "l": 3},
        {"column": "value", "l": 2, "kind": "entropy"},
        {"column": "value", "l": 1.7, "kind": "entropy"},
        {"column": "value", "l": 3, "kind": "entropy"},
        {"column": "value", "l": 1, "kind": "recursive", "c": 1.5},
        {"column": "value", "l": 2, "kind": "recursive", "c": 2},
        {"column": "value", "l": 3, "kind": "recursive", "c": 4},
    ],
    "t-closeness": [
        {"column": "value", "t": t, "distance": distance}
        for t in (0, 0.2, 0.25, 0.5)
        for distance in ("equal", "ordered", "hierarchical")
    ]
    + [{"column": "value", "t": 0.3, "distance": "ordered", "order": ["b", "30", None, "a", "4"]}],
    "beta-likeness": [
        {"column": "value", "beta": beta, "kind": kind}
        for beta in (0.3, 1, 2.5)
        for kind in ("basic", "enhanced")
    ],
    "delta-disclosure": [{"column": "value", "delta": delta} for delta in (0.3, 0.7, 1.5)],
    "risk": [{"maximal": 0.5}, {"maximal": 0.3, "average": 0.3}, {"average": 0.5}],
}


def build(name: str, argument: Any) -> PrivacyModel:
    model: PrivacyModel = registry.resolve("models", name).from_spec(argument)
    return model


def arguments(name: str) -> st.SearchStrategy[Any]:
    return st.sampled_from(EXAMPLES.get(name, ()))


every_model = pytest.mark.parametrize("name", MODELS)


def test_every_registered_model_has_examples() -> None:
    assert set(MODELS) == set(EXAMPLES)


@every_model
def test_models_say_what_they_are(name: str) -> None:
    kind = registry.resolve("models", name)
    assert kind.name == name
    assert kind.summary.endswith(".")
    assert kind.__doc__ is not None
    for said in ("References\n", "Examples\n", "It stops", "not"):
        assert said in kind.__doc__
    for argument in (*kind.examples, *EXAMPLES[name]):
        assert isinstance(build(name, argument), PrivacyModel)
        if isinstance(argument, dict):
            assert set(argument) <= set(kind.parameters)


@every_model
def test_specs_come_back(name: str) -> None:
    for argument in EXAMPLES[name]:
        model = build(name, argument)
        ((written_name, written),) = model.to_spec().items()
        assert written_name == name
        assert build(name, written) == model
        # What was left out is written with its default.
        assert argument == ({key: written[key] for key in argument} if isinstance(written, dict) else written)


@pytest.mark.parametrize("name", [name for name in MODELS if isinstance(EXAMPLES[name][0], dict)])
def test_wrong_keys_of_a_spec_are_named_all_at_once(name: str) -> None:
    argument = dict(EXAMPLES[name][0])
    first = next(iter(argument))
    with pytest.raises(InputError) as caught:
        build(name, {**argument, "zzz": 1, f"{first}s": 1})
    assert len(caught.value.problems) == 2
    assert f"Unknown key 'zzz' of {name}." in str(caught.value)
    assert f"Did you mean '{first}'?" in str(caught.value)
    with pytest.raises(InputError, match=r"(?s)mapping.*Write it as"):
        build(name, 5)
    if name != "risk":
        del argument[first]
        with pytest.raises(InputError, match=f"{name} lacks {first}"):
            build(name, argument)


@every_model
@given(people=peoples(), data=st.data())
@settings(max_examples=60)
def test_classes_are_judged_by_the_definition(name: str, people: People, data: st.DataObject) -> None:
    check_judgement(name, data.draw(arguments(name)), people)


@pytest.mark.slow
@every_model
@given(people=peoples(max_rows=60), data=st.data())
@settings(max_examples=400)
def test_classes_are_judged_by_the_definition_at_length(
    name: str, people: People, data: st.DataObject
) -> None:
    check_judgement(name, data.draw(arguments(name)), people)


def check_judgement(name: str, argument: Any, people: People) -> None:
    classes, model = people.classes(), build(name, argument)
    found = model.holds(classes)
    assert found.tolist() == [judged.passes for judged in people.judge(name, argument)]
    accepted = [
        oracle.accepts(model, classes.table, *contents(classes, place)) for place in range(classes.count)
    ]
    assert accepted == found.tolist(), "the conditions for the kernel say otherwise"
    assert not found[(classes.sizes < model.minimum_size) & (classes.sizes > 0)].any()
    assert (found[classes.sizes == 0] == model.suppressible).all(), "its absence tells something, or not"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.privacy.classes._MOST_CELLS", 5)
        in_parts = [passes for _, part in classes.parts(5) for passes in model.holds(part).tolist()]
    assert in_parts == found.tolist()


@every_model
@given(people=peoples(), data=st.data())
@settings(max_examples=60)
def test_mergers_keep_what_is_declared(name: str, people: People, data: st.DataObject) -> None:
    check_mergers(build(name, data.draw(arguments(name))), people)


@pytest.mark.slow
@every_model
@given(people=peoples(max_rows=60), data=st.data())
@settings(max_examples=400)
def test_mergers_keep_what_is_declared_at_length(name: str, people: People, data: st.DataObject) -> None:
    check_mergers(build(name, data.draw(arguments(name))), people)


def check_mergers(model: PrivacyModel, people: People) -> None:
    """Merge every two classes.

    What is absorbing passes whatever it merges with. The others pass if both did, as long as nobody is in
    several classes: so without suppression a generalization of what satisfies does too.
    """
    classes = people.classes()
    table, passes = classes.table, model.holds(classes)
    absorbing = [condition for condition in model.conditions(table) if condition.absorbing]
    absorbs = model.absorbing_people if people.counts_units else model.absorbing
    apart = len({row.unit for row in people.rows}) == len({(row.unit, row.group) for row in people.rows})
    for one, other in itertools.permutations(range(classes.count), 2):
        if classes.sizes[one] == 0:
            continue
        after = merged(classes, one, other)
        if passes[one] and (absorbs or (apart and passes[other])):
            assert model.holds(after)[one]
        for condition in absorbing:
            if oracle.meets(condition, table, *contents(classes, one)):
                assert oracle.meets(condition, table, *contents(after, one))


def merged(classes: Classes, first: int, second: int) -> Classes:
    """Return the classes with the second in the first; it stays, empty."""

    def move(places: Any) -> Any:
        return np.where(places == second, first, places)

    population = {key: move(places) for key, places in classes.of_population.items()}
    return Classes(classes.table, move(classes.of_rows), classes.count, population)


def contents(classes: Classes, place: int) -> tuple[list[int], int]:
    """Return the rows of a class, and how many people of the population are in it."""
    people = classes.population(Population(TOWN).key)[place]
    return np.flatnonzero(classes.of_rows == place).tolist(), int(people)


def test_people_in_several_classes_break_what_is_not_absorbing() -> None:
    """Two classes of two people, one of whom is in both and has no flu: together two of three have it."""
    rows = [Row("p", "flu", 1), Row("p", "cold", 2), Row("q", "cold", 2), Row("q", "flu", 3)]
    classes = People(rows, True, [], {"flu": [], "cold": []}).classes()
    for name, argument in (("alpha-k", {"alpha": 0.5, "k": 2}), ("l-diversity", {"l": 2, "kind": "entropy"})):
        model = build(name, {"column": "value", **argument})
        assert model.holds(classes).tolist() == [True, True]
        assert not model.holds(merged(classes, 0, 1))[0]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1}) as opened:
        yield opened


# The columns have the names that the queries use for their own.
def relation(rows: Sequence[Row]) -> pa.Table:
    return pa.table(
        {
            "class": pa.array([row.group for row in rows], pa.string()),
            "n": pa.nulls(len(rows), pa.int64()),
            "value": pa.array([row.value for row in rows], pa.string()),
            "unit": pa.array([str(row.unit) for row in rows]),
        }
    )


def ask(
    connection: duckdb.DuckDBPyConnection, model: PrivacyModel, people: People, kept: Sequence[Row]
) -> tuple[int, Any]:
    height = len(next(iter(people.taxonomy.values())))
    taxonomy = {"level_0": list(people.taxonomy)}
    for level in range(height):
        taxonomy[f"level_{level + 1}"] = [labels[level] for labels in people.taxonomy.values()]
    population = {
        "class": pa.array(people.population, pa.string()),
        "n": pa.nulls(len(people.population), pa.int64()),
    }
    tables = {
        "kept_rows": relation(kept),
        "original": relation(people.rows),
        "population_0": pa.table(population),
        "taxonomy_0": pa.table(taxonomy),
    }
    for name, table in tables.items():
        connection.register(name, table)
    query = model.sql(
        Tables(
            kept="kept",
            quasi_identifiers=['"class"', '"n"'],
            columns={"value": '"value"'},
            populations={Population(TOWN).key: "population_0"},
            taxonomies={"value": ("taxonomy_0", height + 1)},
            unit='"unit"' if people.counts_units else None,
        )
    )
    found = connection.execute(f"WITH kept AS (SELECT * FROM kept_rows)\n{query}")
    assert found.description is not None
    assert [column[0] for column in found.description] == ["failing", "measured"]
    (row,) = found.fetchall()
    return row


@every_model
@given(people=peoples(), dropped=st.sets(st.sampled_from(GROUPS), max_size=2), data=st.data())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_audit_counts_the_classes_that_fail(
    name: str,
    connection: duckdb.DuckDBPyConnection,
    people: People,
    dropped: set[str | None],
    data: st.DataObject,
) -> None:
    argument = data.draw(arguments(name))
    model = build(name, argument)
    kept = [row for row in people.rows if row.group not in dropped]
    failing, measured = ask(connection, model, people, kept)
    judged = people.judge(name, argument, kept)
    there = [
        each
        for each, label in zip(judged, people.labels(), strict=True)
        if any(row.group == label for row in kept)
        or (name == "delta-presence" and label in people.population)
    ]
    expected = sum(not each.passes for each in there)
    figures = [each.figure for each in there]
    assert model.wording(measured)
    if not there:
        assert (failing, model.wording(measured)) == (0, "no classes")
        return
    if name == "risk":
        # The mean over the people of a release of 1 / n, each of whom counts once in each class.
        average = len(figures) / sum(1 / figure for figure in figures)
        if average > argument.get("average", 1) * (1 + 1e-9):
            expected = len(figures)
        worst: Any = {"maximal": max(figures), "average": average}
    elif name == "alpha-k":
        worst = {"size": min(size for size, _ in figures), "share": max(share for _, share in figures)}
    elif name == "delta-presence":
        worst = {"lowest": min(figures), "highest": max(figures)}
    else:
        smallest = name in ("k-anonymity", "k-map") or argument.get("kind") in ("entropy",)
        smallest |= name == "l-diversity" and argument.get("kind", "distinct") == "distinct"
        worst = min(figures) if smallest else max(figures)
    assert failing == expected
    assert measured == pytest.approx(worst, abs=1e-12)


def test_large_counts_do_not_overflow() -> None:
    """A million rows: products of counts go beyond 32 bits, and sums of them beyond that."""
    counts = {"p": {"a": 400_000, "b": 90_000, "4": 10_000}, "q": {"a": 380_000, "b": 100_000, "4": 20_000}}
    totals = {value: sum(of_class[value] for of_class in counts.values()) for value in ("a", "b", "4")}
    rows = [(label, value) for label, found in counts.items() for value, n in found.items() for _ in range(n)]
    classes = group(
        [label for label, _ in rows],
        populations={Population(TOWN): [label for label, _ in rows for _ in range(2)]},
        hierarchies={"value": Labels(TAXONOMIES[0])},  # type: ignore[dict-item]
        value=[value for _, value in rows],
    )
    bounds = {
        "t-closeness": [
            {"t": t, "distance": d}
            for t in (0.0099, 0.01, 0.02)
            for d in ("equal", "ordered", "hierarchical")
        ],
        "l-diversity": [
            {"l": 1.77, "kind": "entropy"},
            {"l": 1.9, "kind": "entropy"},
            {"l": 2, "kind": "recursive", "c": 3.5},
        ],
        "beta-likeness": [{"beta": 0.3}, {"beta": 0.34}],
        "delta-disclosure": [{"delta": 0.4}, {"delta": 0.41}],
        "alpha-k": [{"alpha": 0.8, "k": 500_000}, {"alpha": 0.79, "k": 2}],
    }
    outcomes = set()
    for name, arguments in bounds.items():
        for argument in arguments:
            found = build(name, {"column": "value", **argument}).holds(classes).tolist()
            judged = [
                reference.judge_counts(
                    name, argument, of_class, 500_000, totals, 1_000_000, chains=TAXONOMIES[0]
                )
                for of_class in counts.values()
            ]
            assert found == [each.passes for each in judged], (name, argument)
            outcomes |= set(found)
    assert outcomes == {True, False}
    assert build("k-map", {"k": 1_000_000, "population": TOWN}).holds(classes).all()
    presence = {"population": TOWN, "lower": 0.5, "upper": 0.5}
    assert build("delta-presence", presence).holds(classes).all()


@given(
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=8),
    average=st.sampled_from([0.1, 0.25, 0.3, 0.5, 1]),
)
@settings(max_examples=100)
def test_an_average_risk_is_reached_by_suppressing_the_smallest_classes(
    sizes: list[int], average: float
) -> None:
    classes = group([str(place) for place, size in enumerate(sizes) for _ in range(size)])
    kept = passing([build("risk", {"average": average})], classes)
    # Sizes fall away from below, one after the other, until the mean of those left suffices.
    least = next(
        (
            size
            for size in sorted(set(sizes))
            if sum(s >= size for s in sizes) <= average * sum(s for s in sizes if s >= size) + 1e-9
        ),
        math.inf,
    )
    assert kept.tolist() == [size >= least for size in sizes]
