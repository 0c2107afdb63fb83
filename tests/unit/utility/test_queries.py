"""Count queries, beside counting in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.utility import queries
from shoal.utility.queries import query_errors
from tests.unit.utility.tables import column, people


def columns(generalized: bool = True):
    table = people(200)
    ages, jobs, ill = (table[name].to_pylist() for name in ("age", "job", "ill"))
    labels = [f"[{age // 10 * 10}, {age // 10 * 10 + 10})" for age in ages] if generalized else ages
    return [column(ages, labels), column(jobs, jobs, name="job")], [column(ill, ill, name="ill")]


def test_untouched_answers_are_right():
    found = query_errors(*columns(generalized=False), count=60, seed=1)
    assert (found.count, found.mean, found.largest) == (60, 0, 0)
    assert set(found.below.values()) == {1.0}
    assert found.suppressed_median > 0


def test_a_suppressed_release_is_its_own_baseline():
    table = people(200)
    ages, jobs = table["age"].to_pylist(), table["job"].to_pylist()
    stars = ["*"] * 200
    found = query_errors([column(ages, stars), column(jobs, stars, name="job")], [], count=50, seed=3)
    assert found.median == pytest.approx(found.suppressed_median)


def test_an_empty_release_answers_nothing():
    table = people(200)
    found = query_errors([column(table["age"].to_pylist(), [])], [], count=20, seed=3)
    assert found.largest == 1


def test_against_counting_rows(monkeypatch):
    """Every answer, once more: row by row, and label by label."""
    asked = []
    condition = queries._condition

    def recorded(one, size, random):
        values = condition(one, size, random)
        asked.append((size, one, values))
        return values

    monkeypatch.setattr(queries, "_condition", recorded)
    quasi_identifiers, others = columns()
    found = query_errors(quasi_identifiers, others, count=80, seed=5)
    errors, position = [], 0
    sizes = {1: [], 2: [], 3: []}
    while position < len(asked):
        size = asked[position][0]
        query = [(one, values) for _, one, values in asked[position : position + size]]
        assert len({one.name for one, _ in query}) == size
        position += size
        true = sum(all(values[one.before[row]] for one, values in query) for row in range(200))
        answer = 0.0
        for row in range(200):
            part = 1.0
            for one, values in query:
                label = one.after[row]
                under = one.cover.positions[one.cover.owners == label]
                part *= sum(bool(values[position]) for position in under) / len(under)
            answer += part
        errors.append(abs(answer - true) / max(true, 0.001 * 200, 1))
        sizes[size].append(errors[-1])
    assert len(errors) == found.count == 80
    assert found.mean == pytest.approx(np.mean(errors))
    assert found.median == pytest.approx(np.median(errors))
    assert found.quantile_90 == pytest.approx(np.quantile(errors, 0.9))
    assert found.below[0.1] == pytest.approx(np.mean(np.array(errors) <= 0.1))
    assert found.by_columns == pytest.approx({size: np.median(of) for size, of in sizes.items() if of})


def test_ranges_are_of_neighbours():
    ages = [40, 10, 30, 20, 50, None]
    one = column(ages, ages)
    random = np.random.default_rng(0)
    for _ in range(20):
        chosen = np.flatnonzero(queries._condition(one, 3, random))
        assert 5 not in chosen
        values = sorted(ages[position] for position in chosen)
        assert values == list(range(values[0], values[-1] + 1, 10))


def test_the_seed_repeats_them():
    assert query_errors(*columns(), count=30, seed=1) == query_errors(*columns(), count=30, seed=1)
    assert query_errors(*columns(), count=30, seed=1) != query_errors(*columns(), count=30, seed=2)


def test_many_values_are_counted_all_the_same():
    ages = list(range(3000))
    one, two, three = (column(ages, ages, name=name) for name in ("one", "two", "three"))
    assert query_errors([one, two, three], [], count=10, seed=0).largest == 0


@pytest.mark.parametrize("cells", [["a", "a"], ["*", "*"]])
def test_nothing_to_ask(cells):
    found = query_errors([column(["a", "a"], cells)], [], count=10, seed=0)
    assert found.count == 0
    assert found.to_mapping()["mean"] is None
    assert query_errors(*columns(), count=0, seed=0).count == 0
