"""Every privacy model is what its definition says, and has the properties that it declares.

Adding a model to the registry adds its tests; it needs examples of its parameters here, and a reference.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shoal import registry
from shoal.errors import InputError
from shoal.privacy.classes import Classes
from shoal.privacy.grouped import group
from shoal.privacy.model import PrivacyModel
from shoal.privacy.passing_classes import passing
from shoal.testing import check_model
from shoal.testing.models import run_audit_query
from shoal.testing.people import GROUPS, TAXONOMIES, TOWN, ExamplePeople, Labels, PersonRow, Taxonomy, peoples

from . import reference_models as reference

MODELS = registry.names("models")
TOWN_FILE = "town.csv"

DECLARED = {"a": 0.3, "b": 0.3, "4": 0.25, "30": 0.1, "-1.5": 0.05}
WITH_NULL = [["a", 0.1], ["b", 0.1], ["4", 0.3], [None, 0.15], ["30", 0.3], ["-1.5", 0.05]]

# What stands after the name in a spec.
EXAMPLES: Mapping[str, Sequence[Any]] = {
    "k-anonymity": [1, 2, 4],
    "alpha-k": [
        {"column": "value", "alpha": 0.5, "k": 2},
        {"column": "value", "alpha": 0.7, "k": 1},
        {"column": "value", "alpha": 1, "k": 3},
        {"column": "value", "alpha": 0.3, "k": 2},
    ],
    "k-map": [{"k": k, "population": TOWN_FILE} for k in (1, 2, 5)],
    "delta-presence": [
        {"population": TOWN_FILE, "lower": 0, "upper": 0.5},
        {"population": TOWN_FILE, "lower": 0.3, "upper": 1},
        {"population": TOWN_FILE, "lower": 0.2, "upper": 0.6},
        {"population": TOWN_FILE, "lower": 0.5, "upper": 0.5},
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
    + [{"column": "value", "t": 0.3, "distance": "ordered", "order": ["b", "30", None, "a", "4"]}]
    + [
        {"column": "value", "t": t, "distance": distance, "from-level": level}
        for t, level in ((0, 1), (0.25, 1), (0.5, 1), (0.3, 2), (0.2, 0))
        for distance in ("equal", "ordered", "hierarchical")
    ]
    + [
        {
            "column": "value",
            "t": 0.3,
            "distance": "ordered",
            "order": ["b", "30", None, "a", "4"],
            "from-level": 1,
        }
    ]
    + [
        {"column": "value", "t": t, "distance": distance, "from-level": level, "distribution": WITH_NULL}
        for t, level in ((0.3, 0), (0.4, 1))
        for distance in ("equal", "ordered", "hierarchical")
    ],
    "beta-likeness": [
        {"column": "value", "beta": beta, "kind": kind}
        for beta in (0.3, 1, 2.5)
        for kind in ("basic", "enhanced")
    ]
    + [
        {"column": "value", "beta": beta, "kind": kind, "from-level": level}
        for beta, kind, level in (
            (1, "enhanced", 0),
            (2.5, "basic", 0),
            (0.3, "enhanced", 1),
            (0.3, "basic", 1),
            (1, "enhanced", 1),
            (0.3, "enhanced", 2),
        )
    ]
    + [
        {"column": "value", "beta": beta, "kind": kind, "from-level": level, "distribution": declared}
        for beta, kind, level, declared in ((1, "enhanced", 0, DECLARED), (2.5, "basic", 1, WITH_NULL))
    ],
    "delta-disclosure": [{"column": "value", "delta": delta} for delta in (0.3, 0.7, 1.5)]
    + [
        {"column": "value", "delta": delta, "from-level": level}
        for delta, level in ((0.7, 0), (0.3, 1), (1.5, 1), (0.7, 2))
    ]
    + [
        {"column": "value", "delta": 1.5, "from-level": level, "distribution": declared}
        for level, declared in ((0, WITH_NULL), (1, {"a": 0.5, "b": 0.5}))
    ],
    "risk": [{"maximal": 0.5}, {"maximal": 0.3, "average": 0.3}, {"average": 0.5}],
}


def build(name: str, argument: Any) -> PrivacyModel:
    model: PrivacyModel = registry.resolve("models", name).from_spec(argument)
    return model


def given_to(name: str, argument: Any) -> Mapping[str, Any]:
    return {"k": argument} if name == "k-anonymity" else argument


def compared_rows(argument: Any, table: Sequence[PersonRow]) -> Sequence[PersonRow]:
    """Return the rows of a table as is declared, where that is so: with one value per person."""
    if not isinstance(argument, Mapping) or "distribution" not in argument:
        return table
    pairs = dict(argument["distribution"]).items()
    return [PersonRow(None, value, (value, n)) for value, share in pairs for n in range(round(share * 20))]


def members_declared(argument: Any, members: Sequence[PersonRow]) -> bool:
    """Return whether all values of a class are declared, where some are."""
    if not isinstance(argument, Mapping) or "distribution" not in argument:
        return True
    return {row.value for row in members} <= set(dict(argument["distribution"]))


def defined(
    name: str,
    argument: Any,
    members: Sequence[PersonRow],
    table: Sequence[PersonRow],
    population: int,
    taxonomy: Taxonomy,
) -> bool:
    """Return whether a class passes by the definition."""
    if not members_declared(argument, members):
        return False
    table = compared_rows(argument, table)
    judged = reference.judge(name, given_to(name, argument), members, table, population, taxonomy)
    return judged.passes


every_model = pytest.mark.parametrize("name", MODELS)
every_case = pytest.mark.parametrize(
    ("name", "argument"), [(name, argument) for name, listed in EXAMPLES.items() for argument in listed]
)


def test_every_registered_model_has_examples() -> None:
    assert set(MODELS) == set(EXAMPLES)


@every_model
def test_models_explain_themselves(name: str) -> None:
    kind = registry.resolve("models", name)
    assert kind.name == name
    assert kind.__doc__ is not None
    for said in ("References\n", "Examples\n", "It stops", "not"):
        assert said in kind.__doc__


@every_case
def test_models_keep_what_they_declare(name: str, argument: Any) -> None:
    check_model(build(name, argument), definition=partial(defined, name, argument), examples=6)


@pytest.mark.slow
@every_case
def test_models_keep_what_they_declare_at_length(name: str, argument: Any) -> None:
    check_model(build(name, argument), definition=partial(defined, name, argument), rows=60, examples=100)


@every_case
def test_specs_are_written_as_they_were(name: str, argument: Any) -> None:
    ((_, written),) = build(name, argument).to_spec().items()
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


def test_people_in_several_classes_break_what_is_not_absorbing() -> None:
    """Two classes of two people, one of whom is in both and has no flu: together two of three have it."""
    rows = [
        PersonRow("p", "flu", 1),
        PersonRow("p", "cold", 2),
        PersonRow("q", "cold", 2),
        PersonRow("q", "flu", 3),
    ]
    classes = ExamplePeople(rows, True, [], {"flu": [], "cold": []}).classes()
    for name, argument in (("alpha-k", {"alpha": 0.5, "k": 2}), ("l-diversity", {"l": 2, "kind": "entropy"})):
        model = build(name, {"column": "value", **argument})
        assert model.holds(classes).tolist() == [True, True]
        together = Classes(classes.table, np.zeros_like(classes.of_rows), 1)
        assert not model.holds(together)[0]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1}) as opened:
        yield opened


@every_model
@given(people=peoples(height=2), dropped=st.sets(st.sampled_from(GROUPS), max_size=2), data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_audit_measures_the_worst_class(
    name: str,
    connection: duckdb.DuckDBPyConnection,
    people: ExamplePeople,
    dropped: set[str | None],
    data: st.DataObject,
) -> None:
    argument = data.draw(st.sampled_from(EXAMPLES.get(name, ())))
    model = build(name, argument)
    kept = [row for row in people.rows if row.group not in dropped]
    assume(members_declared(argument, kept))
    failing, measured = run_audit_query(connection, model, people, kept)
    there = [
        reference.judge(
            name,
            given_to(name, argument),
            [row for row in kept if row.group == label],
            compared_rows(argument, people.rows),
            sum(label == other for other in people.population),
            people.taxonomy,
        )
        for label in people.labels()
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
        populations={TOWN: [label for label, _ in rows for _ in range(2)]},
        hierarchies={"value": Labels(TAXONOMIES[0])},
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
    assert build("k-map", {"k": 1_000_000, "population": TOWN_FILE}).holds(classes).all()
    presence = {"population": TOWN_FILE, "lower": 0.5, "upper": 0.5}
    assert build("delta-presence", presence).holds(classes).all()


@given(
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=8),
    average=st.sampled_from([0.1, 0.25, 0.3, 0.5, 1]),
)
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
