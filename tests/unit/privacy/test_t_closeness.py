"""t-closeness: the earth mover's distance against scipy's and a linear program, orders and hierarchies."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import wasserstein_distance

from shoal.privacy.classes import Classes
from shoal.privacy.grouped import group
from shoal.privacy.model import Tables
from shoal.privacy.t_closeness import Distance, TCloseness
from shoal.testing.people import TAXONOMIES, Labels

VALUES = ["a", "b", "4", "30", "-1.5"]

rows = st.lists(st.tuples(st.sampled_from("pq"), st.sampled_from(VALUES)), min_size=2, max_size=30)


def shares(values: Sequence[str], of: Sequence[str]) -> list[float]:
    counts = Counter(values)
    return [counts[value] / len(values) for value in of]


def check(classes: Classes, label: int, far: float, **how: Any) -> None:
    """Check that a class is so far from the table: it passes there and above, and fails below."""
    assert TCloseness("value", min(far + 1e-9, 1), **how).holds(classes)[label]
    if far > 1e-9:
        assert not TCloseness("value", far - 1e-9, **how).holds(classes)[label]


@given(drawn=rows)
def test_ordered_is_the_wasserstein_distance_of_places(drawn: list[tuple[str, str]]) -> None:
    table = [value for _, value in drawn]
    classes = group([label for label, _ in drawn], value=table)
    order = sorted(set(table))
    places = range(len(order))
    for number, label in enumerate(dict.fromkeys(label for label, _ in drawn)):
        mine = [value for other, value in drawn if other == label]
        distance = wasserstein_distance(places, places, shares(mine, order), shares(table, order))
        check(classes, number, distance / max(len(order) - 1, 1), distance="ordered", order=order)


@given(drawn=rows, taxonomy=st.sampled_from(TAXONOMIES))
def test_hierarchical_is_the_least_cost_of_transport(
    drawn: list[tuple[str, str]], taxonomy: Mapping[str, Sequence[str]]
) -> None:
    table = [value for _, value in drawn]
    hierarchies: Any = {"value": Labels(taxonomy)}
    classes = group([label for label, _ in drawn], value=table, hierarchies=hierarchies)
    present = sorted(set(table))
    chains = {value: [value, *taxonomy[value]] for value in present}
    if len({chain[-1] for chain in chains.values()}) > 1:
        chains = {value: [*chain, "*"] for value, chain in chains.items()}
    height = max(len(chains[present[0]]) - 1, 1)
    apart = [
        next(level for level in range(height + 1) if chains[a][level] == chains[b][level]) / height
        for a in present
        for b in present
    ]
    m = len(present)
    leave = np.kron(np.eye(m), np.ones(m))
    arrive = np.kron(np.ones(m), np.eye(m))
    for number, label in enumerate(dict.fromkeys(label for label, _ in drawn)):
        mine = [value for other, value in drawn if other == label]
        moves = linprog(
            apart,
            A_eq=np.vstack([leave, arrive]),
            b_eq=[*shares(mine, present), *shares(table, present)],
        )
        assert moves.success
        check(classes, number, moves.fun, distance="hierarchical")


def test_the_paper_s_salaries() -> None:
    """Li et al. give 0.375 for the class of 3, 4 and 5 thousand, and 0.167 for that of 6, 8 and 11."""
    groups = ["p", "p", "p", "q", "r", "q", "r", "r", "q"]
    classes = group(groups, value=[3, 4, 5, 6, 7, 8, 9, 10, 11])
    check(classes, 0, 0.375, distance="ordered")
    check(classes, 1, 1 / 6, distance="ordered")


# Each list is in the order that is meant; NULL is last.
ORDERS: list[pa.Array] = [
    pa.array([-3, 2, 10, None]),
    pa.array(["-3", "2", "10", "1e2", None]),
    pa.array(["-3", "2.50", "2.5e0", "10"]),
    pa.array(["10", "2", "x"]),
    pa.array(["10", "2", "\N{LATIN SMALL LETTER E WITH ACUTE}", None], pa.large_string()),
    pa.array([False, True, None]),
    pa.array([datetime.date(1999, 12, 31), datetime.date(2000, 1, 1)]),
    pa.array([Decimal("-1.5"), Decimal("2.0"), Decimal("10.0")]),
    pa.array([float("-inf"), -1.0, 0.5, float("inf"), float("nan"), None]),
    pa.nulls(1),
]


@pytest.mark.parametrize("values", ORDERS, ids=lambda values: str(values.type))
def test_values_are_in_their_own_order(values: pa.Array) -> None:
    shuffled = values.take(pa.array(np.random.default_rng(5).permutation(len(values))))
    classes = group(["a"] * len(values), value=shuffled)
    condition = TCloseness("value", 0.2, "ordered").conditions(classes.table)[-1]
    coded = classes.attribute("value").labels[0].to_pylist()
    found = [coded[value] for value in np.argsort(condition.order)]
    assert list(map(str, found)) == list(map(str, values.to_pylist()))


@pytest.mark.parametrize(
    ("values", "order"),
    [
        (["low", "mid", "high", None], ["low", "mid", "other", "high"]),
        ([None, "low", "high"], [None, "low", "high"]),
        ([3, 1, 2], [3, 1, 2]),
        ([3, 1, 2], ["3", "1", "2"]),
        ([7.0, 0.5], [7, 0.5]),
        ([True, False], [True, False]),
        ([datetime.date(2000, 1, 1), datetime.date(1999, 1, 1)], ["2000-01-01", "1999-01-01"]),
    ],
)
def test_an_order_may_be_given(values: list[Any], order: list[Any]) -> None:
    classes = group(["a"] * len(values), value=values[::-1])
    model = TCloseness("value", 0.2, "ordered", order)
    assert not list(model.problems(classes.table))
    condition = model.conditions(classes.table)[-1]
    coded = classes.attribute("value").labels[0].to_pylist()
    assert [coded[value] for value in np.argsort(condition.order)] == values
    assert TCloseness.from_spec(model.to_spec()["t-closeness"]) == model


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_the_audit_fails_a_class_of_values_that_the_original_does_not_have(distance: Distance) -> None:
    tables = {
        "kept": pa.table({"q": ["a", "a", "b", "b"], "s": ["x", "y", "new", "new"]}),
        "original": pa.table({"s": ["x", "y", "x", "y"]}),
        "taxonomy": pa.table({"level_0": ["x", "y"], "level_1": ["*", "*"]}),
    }
    model = TCloseness("s", 0.3, distance)
    query = model.sql(Tables("kept", ["q"], {"s": "s"}, taxonomies={"s": ("taxonomy", 2)}))
    with duckdb.connect() as connection:
        for name, table in tables.items():
            connection.register(name, table)
        ((failing, _),) = connection.execute(query).fetchall()
    assert failing == 1
