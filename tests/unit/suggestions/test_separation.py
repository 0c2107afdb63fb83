"""Separation against brute force over pairs of rows."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

from shoal.suggestions import separation as module
from shoal.suggestions.separation import find_separations, find_twins, separation_ratio
from shoal.suggestions.table import open_table


def draw(seed: int, rows: int = 40, columns: int = 4) -> dict[str, list[int | None]]:
    random = np.random.default_rng(seed)
    table: dict[str, list[int | None]] = {}
    for place in range(columns):
        values = random.integers(0, 2 + 2 * place, rows).tolist()
        table[f"c{place}"] = [None if value == 1 and place == 2 else value for value in values]
    return table


def by_pairs(rows: list[tuple[object, ...]]) -> tuple[float, float, float]:
    pairs = list(combinations(rows, 2))
    counts = Counter(rows)
    separated = sum(one != other for one, other in pairs) / len(pairs)
    return separated, len(counts) / len(rows), sum(count == 1 for count in counts.values()) / len(rows)


@pytest.mark.parametrize("seed", range(5))
def test_the_best_sets(seed):
    table = draw(seed)
    expected = {}
    for size in (1, 2, 3):
        for names in combinations(table, size):
            expected[names] = by_pairs(list(zip(*(table[name] for name in names), strict=True)))
    with open_table(pa.table(table)) as opened:
        found = find_separations(opened, list(table))
    assert found
    for one in found:
        assert (one.separation, one.distinction, one.unique_rows) == pytest.approx(expected[one.columns])
    for size in (1, 2, 3):
        best = max(ratios[0] for names, ratios in expected.items() if len(names) == size)
        assert max(one.separation for one in found if len(one.columns) == size) == pytest.approx(best)
    for name in table:
        best = max(ratios[0] for names, ratios in expected.items() if name in names)
        assert max(one.separation for one in found if name in one.columns) == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_ratio_of_a_sample(seed):
    codes = np.random.default_rng(seed).integers(0, 3, (25, 3))
    assert separation_ratio(codes) == pytest.approx(by_pairs([tuple(row) for row in codes.tolist()])[0])


def test_numbers_too_large_to_put_together():
    codes = np.array([[0, 0, 0], [2**40, 1, 0], [2**40, 1, 2**40], [0, 0, 0]]) * 1
    assert separation_ratio(codes) == pytest.approx(5 / 6)


def test_sets_are_drawn_where_there_are_too_many(monkeypatch):
    monkeypatch.setattr(module, "_SETS", 20)
    monkeypatch.setattr(module, "_ROWS", 30)
    table = draw(7, rows=60, columns=12)
    with open_table(pa.table(table)) as opened:
        found = find_separations(opened, list(table), seed=3)
        again = find_separations(opened, list(table), seed=3)
    assert found == again
    assert {name for one in found for name in one.columns} == set(table)
    for one in found:
        rows = list(zip(*(table[name] for name in one.columns), strict=True))
        assert (one.separation, one.distinction, one.unique_rows) == pytest.approx(by_pairs(rows))


def test_twins():
    codes = np.array([[0, 7, 1, 5], [1, 8, 1, 5], [0, 7, 0, 5], [2, 9, 0, 5]])
    assert find_twins(codes) == [(0, 1)]
    assert find_twins(np.zeros((3, 2), dtype=np.int64)) == [(0, 1)]
    assert find_twins(np.zeros((3, 0), dtype=np.int64)) == []


def test_nothing_to_separate():
    with open_table(pa.table({"a": ["x"]})) as opened:
        assert find_separations(opened, ["a"]) == []
    with open_table(pa.table({"a": ["x", "y"]})) as opened:
        assert find_separations(opened, []) == []
