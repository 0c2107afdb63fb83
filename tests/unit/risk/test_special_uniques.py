"""Minimal sample uniques, against every set of columns of every row."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.risk import assess_risk, special_uniques
from shoal.risk.special_uniques import SpecialUniques

NAMES = ("a", "b", "c", "d", "e")
rows_of_five = st.lists(st.tuples(*[st.integers(0, 3)] * len(NAMES)), min_size=1, max_size=25)


def minimal_sets(rows: Sequence[tuple[object, ...]], largest: int) -> list[list[tuple[int, ...]]]:
    """Return for each row the sets of columns on which it is unique, and on no part of which it is."""
    found: list[list[tuple[int, ...]]] = [[] for _ in rows]
    for size in range(1, largest + 1):
        for subset in combinations(range(len(rows[0])), size):
            cells = [tuple(row[column] for column in subset) for row in rows]
            counts = Counter(cells)
            for sets, cell in zip(found, cells, strict=True):
                if counts[cell] == 1 and not any(set(part) < set(subset) for part in sets):
                    sets.append(subset)
    return found


def found_in(rows: list[tuple[int, ...]], largest: int) -> SpecialUniques:
    classes, sizes = np.unique(np.array(rows, dtype=np.int32), axis=0, return_counts=True)
    return special_uniques.special_uniques(NAMES, list(classes.T.copy()), sizes, largest)


@given(rows_of_five, st.integers(1, 5))
def test_all_sets_of_all_rows(rows: list[tuple[int, ...]], largest: int) -> None:
    sets = minimal_sets(rows, largest)
    found = found_in(rows, largest)
    sizes = range(1, largest + 1)
    assert found.rows == sum(map(bool, sets))
    assert found.by_size == {s: sum(len(each) == s for of in sets for each in of) for s in sizes}
    assert found.rows_by_smallest == {s: sum(min(map(len, of), default=0) == s for of in sets) for s in sizes}
    counts = Counter(tuple(NAMES[column] for column in each) for of in sets for each in of)
    assert {subset.columns: subset.minimal for subset in found.subsets} == counts
    for subset in found.subsets:
        cells = Counter(tuple(row[NAMES.index(name)] for name in subset.columns) for row in rows)
        assert subset.unique == sum(count == 1 for count in cells.values())


@given(rows_of_five)
def test_scores_of_rows_and_columns(rows: list[tuple[int, ...]]) -> None:
    sets = minimal_sets(rows, 5)
    scores = [sum(math.factorial(5 - len(each)) for each in of) for of in sets]
    found = found_in(rows, 5)
    assert found.highest_score == max(scores)
    assert found.average_score == pytest.approx(sum(scores) / len(rows))
    assert sum(found.scores) == sum(score > 0 for score in scores)
    for column, name in enumerate(NAMES):
        part = sum(math.factorial(5 - len(each)) for of in sets for each in of if column in each)
        assert found.columns[name] == pytest.approx(part / sum(scores) if sum(scores) else 0)


def test_a_set_of_s_columns_scores_less_the_larger_it_is() -> None:
    # Three of five columns at most: (5-1)(5-2)(5-3) for one column, (5-2)(5-3) for two, 5-3 for three.
    rows = [(1, 0, 0, 0, 0), (0, 0, 0, 0, 0), (0, 0, 0, 0, 0)]
    assert found_in(rows, 3).highest_score == 24
    pairs = [(0, 0, 0, 0, 0), (0, 1, 0, 0, 0), (1, 0, 0, 0, 0), (1, 0, 0, 0, 0), (0, 1, 0, 0, 0)]
    assert found_in(pairs, 3).highest_score == 6


def test_sorting_finds_the_same_as_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    rows = list(map(tuple, random.integers(0, 40, (300, 5)).tolist()))
    counted = found_in(rows, 4)
    monkeypatch.setattr(special_uniques, "_DIRECT", 0)
    assert found_in(rows, 4) == counted
    monkeypatch.setattr(special_uniques, "_LARGEST_NUMBER", 1 << 24)  # so that keys must be numbered anew
    assert found_in(rows, 4) == counted


def test_null_is_a_value_that_can_be_unique() -> None:
    found = assess_risk(pa.table({"a": ["x", "x", None], "b": ["y", "y", "y"]}), ["a", "b"]).special
    assert found is not None
    assert [(subset.columns, subset.minimal) for subset in found.subsets] == [(("a",), 1)]


def test_nobody_alone_no_sets() -> None:
    found = assess_risk(pa.table({"a": ["x", "x"], "b": ["y", "y"]}), ["a", "b"]).special
    assert found is not None
    assert (found.rows, found.subsets, found.columns) == (0, (), {"a": 0.0, "b": 0.0})


def test_too_many_sets_are_left_out_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def few(classes: int, columns: int, largest: int) -> int:
        return special_uniques.affordable(classes, columns, largest, most=allowed)

    monkeypatch.setattr("shoal.risk.assess.affordable", few)
    table = pa.table({name: [1, 2, 3, 4] for name in NAMES})
    allowed = 4 * (5 + 10)
    risk = assess_risk(table, NAMES)
    assert risk.special is not None
    assert risk.special.largest_subset == 2
    assert "up to 2 were examined, not 4" in risk.notes[0]
    allowed = 10
    risk = assess_risk(table, NAMES)
    assert risk.special is None
    assert "was not computed" in risk.notes[0]
    assert "singled out" not in risk.render()
