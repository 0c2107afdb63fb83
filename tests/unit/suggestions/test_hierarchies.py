"""A hierarchy by what values are and how many there are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import shoal

RANDOM = np.random.default_rng(5)
DATES = [f"{1 + number % 28:02}.{1 + number % 12:02}.19{number % 90 + 10}" for number in range(300)]


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("age", RANDOM.integers(18, 80, 300), {"intervals": [5, 10, 20, 40]}),
        ("age", RANDOM.integers(0, 103, 300), {"intervals": {"widths": [5, 10, 20, 40], "top": 90}}),
        ("sex", ["F", "M", "M"] * 100, "suppress"),
        ("state", [f"s{number % 4}" for number in range(300)], "suppress"),
        ("state", [f"s{number % 30}" for number in range(300)], {"priority": [20, 10, 5, 2]}),
        ("zip", [f"{number * 331 % 99999:05}" for number in range(300)], {"prefix": 5}),
        ("zip", [1000 + number * 300 for number in range(300)], {"mask": {"keep": [4, 3, 2, 1], "pad": 5}}),
        ("branch", [f"{number % 40:04}" for number in range(300)], {"prefix": 4}),
        ("latitude", RANDOM.uniform(40, 50, 300), {"intervals": [0.01, 0.1, 1, 10]}),
        ("hours per week", RANDOM.integers(1, 99, 300), {"intervals": [10, 20, 40, 80]}),
        ("children", RANDOM.integers(0, 6, 300), {"intervals": [2, 4]}),
        ("height", RANDOM.normal(1.7, 0.1, 300), {"intervals": [0.05, 0.1, 0.2, 0.4]}),
        ("amount", (10 * np.exp(RANDOM.normal(0, 2, 300))).astype(int), {"quantiles": [16, 8, 4, 2]}),
        ("dob", DATES, {"dates": {"levels": ["month", "year", "decade"], "format": "%d.%m.%Y"}}),
        ("visit", ["2024-01-31", "2024-02-01", "2024-03-01"] * 100, {"dates": ["month", "quarter", "year"]}),
        ("visit", ["2024-01", "2024-02", "2023-03"] * 100,
         {"dates": {"levels": ["quarter", "year"], "format": "%Y-%m"}}),
        ("visit", [f"2024-01-{1 + number % 28:02}T10:00:00+01:00" for number in range(300)],
         {"dates": {"levels": ["day", "month", "quarter", "year"], "zone": "UTC"}}),
    ],
)  # fmt: skip
def test_hierarchies(name, values, expected):
    people = pa.table({name: values})
    found = shoal.suggest(people, unit="none")
    assert found[name].hierarchy == expected
    shoal.anonymize(people, found.spec)


def test_strangers_are_kept_apart():
    people = pa.table({"age": [str(20 + number % 60) for number in range(300)] + ["?"] * 6})
    found = shoal.suggest(people, unit="none")
    assert found["age"].missing_values == "own"
    release = shoal.anonymize(people, found.spec)
    assert "?" in release.table["age"].to_pylist()


def test_order_names_values_only_of_many_people():
    many = ["1. low", "2. middle", "3. high"] * 30
    found = shoal.suggest(pa.table({"education": many}))
    assert found["education"].hierarchy == {
        "order": {"values": ["1. low", "2. middle", "3. high"], "runs": [2]}
    }
    few = shoal.suggest(pa.table({"education": [*many, "4. other"]}))
    assert few["education"].hierarchy == "suppress"
    assert "low" not in few.to_yaml()
    ten = [f"{number}) x" for number in range(1, 11)] * 20
    found = shoal.suggest(pa.table({"education": ten}))
    assert found["education"].hierarchy["order"]["values"][-1] == "10) x"
