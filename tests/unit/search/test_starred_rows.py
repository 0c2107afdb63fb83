"""Starred rows in the search, compared with plain Python over every node and the rule for starring more."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal

Row = tuple[int, str, str]


def close(rows: Sequence[Row], everybody: Sequence[Row], most: float) -> bool:
    mine, all_of_them = (Counter(row[2] for row in some) for some in (rows, everybody))
    values = all_of_them.keys()
    apart = sum(abs(mine[v] / len(rows) - all_of_them[v] / len(everybody)) for v in values) / 2
    return apart <= most + 1e-12


MODELS: dict[str, tuple[list[Any], Callable[[Sequence[Row], Sequence[Row]], bool]]] = {
    "k": ([shoal.KAnonymity(3)], lambda rows, _: len(rows) >= 3),
    "l": ([shoal.LDiversity("s", 2)], lambda rows, _: len({row[2] for row in rows}) >= 2),
    "t": ([shoal.TCloseness("s", 0.3)], lambda rows, everybody: close(rows, everybody, 0.3)),
    "alpha": (
        [shoal.AlphaK("s", 0.6, 2)],
        lambda rows, _: (
            len(rows) >= 2 and max(Counter(row[2] for row in rows).values()) <= 0.6 * len(rows) * (1 + 1e-12)
        ),
    ),
    "k and t": (
        [shoal.KAnonymity(2), shoal.TCloseness("s", 0.4)],
        lambda rows, everybody: len(rows) >= 2 and close(rows, everybody, 0.4),
    ),
}

AGES = [lambda age: age, lambda age: age // 10, lambda age: age // 20, lambda age: 0]


def reference(
    rows: Sequence[Row], passes: Callable[[Sequence[Row], Sequence[Row]], bool], limit: int
) -> dict[tuple[int, int], int]:
    """Return how many rows each node stars; nodes whose starred rows never pass are left out."""
    found = {}
    for age, sex in product(range(4), range(2)):
        classes = defaultdict(list)
        for row in rows:
            classes[AGES[age](row[0]), row[1] if sex == 0 else ""].append(row)
        stars = [row for some in classes.values() if not passes(some, rows) for row in some]
        others = sorted(
            (key for key, some in classes.items() if passes(some, rows)),
            key=lambda key: (len(classes[key]), key),
        )
        if age == 3 and sex == 1:
            others = []  # all labels are `*`
        while stars and len(stars) <= limit and not passes(stars, rows) and others:
            stars += classes[others.pop(0)]
        if len(stars) <= limit and (not stars or passes(stars, rows)):
            found[age, sex] = len(stars)
    return found


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 39), st.sampled_from("FM"), st.sampled_from("xyz")),
        min_size=4,
        max_size=24,
    ),
    model=st.sampled_from(sorted(MODELS)),
    suppression=st.sampled_from([0.1, 0.3, 0.6]),
)
def test_agrees_with_plain_python(rows: list[Row], model: str, suppression: float) -> None:
    models, passes = MODELS[model]
    rows = [*rows, (5, "F", "x"), (25, "M", "y")]  # with one value alone models refuse the column
    table = pa.table({"age": [r[0] for r in rows], "sex": [r[1] for r in rows], "s": [r[2] for r in rows]})
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10, 20), "sex": "suppress"},
        sensitive=["s"],
        privacy=models,
        suppression=suppression,
        suppressed="star",
    )
    expected = reference(rows, passes, math.floor(suppression * len(rows) + 1e-9))
    if not expected:
        with pytest.raises(shoal.InfeasibleError):
            shoal.anonymize(table, spec)
        return
    nodes = shoal.anonymize(table, spec, all_nodes=True).satisfying_nodes
    assert nodes is not None
    assert {tuple(node.levels.values()): node.suppressed_rows for node in nodes} == expected
    release = shoal.anonymize(table, spec)
    assert release.optimal
    assert (release.levels, release.score) == (nodes.best.levels, pytest.approx(nodes.best.score))
    assert release.suppressed_rows == expected[tuple(release.levels.values())]  # type: ignore[index]
    sizes = Counter((row["age"], row["sex"]) for row in release.table.to_pylist())
    assert release.class_sizes == Counter(sizes.values())
    for neighbour in release.neighbours():
        assert neighbour.satisfies is (tuple(neighbour.levels.values()) in expected)


def test_a_lattice_too_large_to_rank_is_searched_nearby(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(age, sex, disease) for age in range(20, 40) for sex in "FM" for disease in "xyz"]
    rows += [(61, "F", "x"), (62, "M", "x")]
    table = pa.table({"age": [r[0] for r in rows], "sex": [r[1] for r in rows], "s": [r[2] for r in rows]})
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10, 20), "sex": "suppress"},
        sensitive=["s"],
        privacy=[shoal.LDiversity("s", 2)],
        suppression=0.1,
        suppressed="star",
    )
    exact = shoal.anonymize(table, spec)
    assert exact.optimal
    monkeypatch.setattr("shoal.search.starred_rows.MOST_RANKED", 0)
    near = shoal.anonymize(table, spec)
    assert near.audit.holds
    assert near.bound is not None or near.optimal
    assert near.score >= exact.score >= (near.bound or 0)
    assert not near.optimal
