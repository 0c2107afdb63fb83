"""What single columns keep, by hand and by the measure that searches use."""

from __future__ import annotations

import math
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.utility.columns import column_utility
from tests.unit.utility.tables import column, people, spec


def test_by_hand():
    # Four values: 20 twice, 25, 31, 44. One row is removed, and [20, 30) covers 20 and 25.
    found = column_utility(column([20, 20, 25, 31, 44], ["[20, 30)"] * 3 + ["31"]))
    assert found.loss == pytest.approx((3 * (1 / 3) + 0 + 1) / 5)
    assert found.entropy_before == pytest.approx((2 * math.log2(5 / 2) + 3 * math.log2(5)) / 5)
    assert found.entropy_after == pytest.approx((3 * math.log2(5 / 3) + math.log2(5)) / 5)
    assert (found.distinct_before, found.distinct_after) == (4, 2)
    # 20 and 25 share three quarters of what is released, 31 has the rest.
    away = abs(2 / 5 - 3 / 8) + abs(1 / 5 - 3 / 8) + abs(1 / 5 - 1 / 4) + abs(1 / 5 - 0)
    assert found.total_variation == pytest.approx(away / 2)


def test_untouched_columns_lose_nothing():
    found = column_utility(column(["a", "b", "b", None], ["b", None, "a", "b"]))
    assert (found.loss, found.total_variation, found.entropy_kept) == (0, 0, 1)
    assert (found.distinct_before, found.distinct_after) == (3, 3)


@pytest.mark.parametrize("cells", [["*"] * 4, []])
def test_suppressed_columns_lose_everything(cells):
    found = column_utility(column(["a", "b", "b", None], cells))
    assert (found.loss, found.entropy_after, found.entropy_kept) == (1, 0, 0)
    assert found.total_variation == pytest.approx((abs(1 / 4 - 1 / 3) * 2 + abs(1 / 2 - 1 / 3)) / 2)


def test_a_column_of_one_value():
    assert column_utility(column(["a"] * 3, ["a"] * 3)).entropy_kept == 1
    assert column_utility(column(["a"] * 3, ["a", "*", "*"])).loss == pytest.approx(2 / 3)


def test_the_mean_loss_is_the_measure_that_searches_use():
    for suppressed in ("remove", "star"):
        asked = spec(k=8, suppression=0.9, suppressed=suppressed).adjust(levels={"age": 1, "job": 0})
        release = shoal.anonymize(people(), asked, seed=1)
        assert 0 < release.suppressed_rows < 400
        found = shoal.assess_utility(people(), release.table, asked, models=False, queries=0)
        assert found.loss == pytest.approx(release.score, abs=1e-12)
        assert found.suppressed_rows == release.suppressed_rows


def test_the_bits_kept_are_those_that_the_measure_entropy_does_not_hide():
    asked = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(5, 10, 20)},
        privacy=[shoal.KAnonymity(20)],
        quality="entropy",
    )
    table = people().select(["age"])
    release = shoal.anonymize(table, asked)
    found = column_utility(
        column(table["age"].to_pylist(), release.data["age"].to_pylist(), shoal.intervals(5, 10, 20))
    )
    hidden = (found.entropy_before - found.entropy_after) * table.num_rows
    assert hidden == pytest.approx(release.score)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=25), st.integers(1, 12), st.data())
def test_against_rows(ages, width, data):
    """The definitions, cell by cell."""
    kept = data.draw(st.lists(st.sampled_from(range(len(ages))), unique=True))
    low = {age: age // width * width for age in ages}
    labels = [f"[{low[ages[position]]}, {low[ages[position]] + width})" for position in kept]
    found = column_utility(column(ages, pa.array(labels, pa.string()).to_pylist(), shoal.intervals(width)))
    rows, counts = len(ages), Counter(ages)
    under = {age: [other for other in counts if low[other] == low[age]] for age in counts}
    cells = [(len(under[ages[position]]) - 1) / max(len(counts) - 1, 1) for position in kept]
    assert found.loss == pytest.approx((sum(cells) + rows - len(kept)) / rows)
    bits = [math.log2(rows / sum(counts[age] for age in under[ages[position]])) for position in kept]
    assert found.entropy_after == pytest.approx(sum(bits) / rows)
    assert -1e-9 <= found.entropy_after <= found.entropy_before + 1e-9
    estimate = dict.fromkeys(counts, 0.0 if kept else 1 / len(counts))
    for position in kept:
        for age in under[ages[position]]:
            estimate[age] += 1 / len(under[ages[position]]) / len(kept)
    away = sum(abs(counts[age] / rows - estimate[age]) for age in counts)
    assert found.total_variation == pytest.approx(away / 2)
