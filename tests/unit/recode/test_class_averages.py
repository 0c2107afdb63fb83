"""Means and medians of classes, against Python's own fractions and statistics."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.describe import intervals
from shoal.describe.hierarchies.suppress import Suppress
from shoal.describe.hierarchy import Generalizing
from shoal.encode.column import code_column
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.measure.loss import Loss
from shoal.privacy.k_anonymity import KAnonymity
from shoal.recode.by_classes import ByClasses
from shoal.recode.class_averages import Numbers
from shoal.search.problem import SearchProblem

DECIMALS = st.decimals(-(10**6), 10**6, allow_nan=False, places=3)


def averages(values: pa.Array, rows: list[int], class_of: list[int], average: Any) -> list[Any]:
    numbers = Numbers.of(values)
    assert numbers is not None
    value_of = np.arange(len(values), dtype=np.uint32)
    found = numbers.averages(value_of, np.array(rows), np.array(class_of, dtype=np.uint32), average)
    assert found.type == values.type
    return found.to_pylist()  # type: ignore[no-any-return]


@given(
    st.lists(st.tuples(st.one_of(st.none(), DECIMALS), st.integers(1, 9), st.integers(0, 2)), min_size=1),
    st.sampled_from([pa.decimal128(38, 3), pa.string()]),
)
def test_averages_are_those_of_fractions(
    drawn: list[tuple[Decimal | None, int, int]], kind: pa.DataType
) -> None:
    # Every class has a value, from 0 without gaps.
    drawn = [*drawn, *((None, 1, number) for number in range(3))]
    exact, rows, class_of = (list(each) for each in zip(*drawn, strict=True))
    values = pa.array(exact, pa.decimal128(38, 3)).cast(kind)
    if not pa.types.is_string(kind) or any(number is not None for number in exact):
        means, medians = (averages(values, rows, class_of, which) for which in ("mean", "median"))
        for number in range(3):
            mine = sorted(v for v, n, of in drawn if of == number and v is not None for _ in range(n))
            if not mine:
                assert means[number] is medians[number] is None
                continue
            assert Decimal(medians[number]) == mine[(len(mine) - 1) // 2]
            places = max(len(f"{v.normalize():f}".partition(".")[2]) for v in mine)
            mean = Fraction(sum(map(Fraction, mine)), len(mine))
            # Python rounds fractions half to even.
            assert Fraction(Decimal(means[number])) == round(mean, places)


@pytest.mark.parametrize(
    ("values", "mean", "median"),
    [
        (pa.array([20, 23, 25], pa.uint8()), 23, 23),
        (pa.array([2**63, 2**63 + 2, 2**64 - 1], pa.uint64()), 12297829382473034411, 2**63 + 2),
        (pa.array([0.1, 0.2, 0.25]), 0.18, 0.2),
        (pa.array([0.1, 0.2, 0.2], pa.float32()), np.float32(0.2), np.float32(0.2)),
        (pa.array([1e300, 3e300, -1e-300]), float(f"1.{40 * '3'}e300"), 1e300),
        (
            pa.array([datetime.date(2024, 2, 28), datetime.date(2024, 3, 1), datetime.date(2024, 3, 1)]),
            datetime.date(2024, 2, 29),
            datetime.date(2024, 3, 1),
        ),
        (
            pa.array([0, 1, 1], pa.int64()).cast(pa.timestamp("s", "UTC")).cast(pa.timestamp("us", "UTC")),
            datetime.datetime(1970, 1, 1, 0, 0, 1, tzinfo=datetime.UTC),  # in seconds, as the values are
            datetime.datetime(1970, 1, 1, 0, 0, 1, tzinfo=datetime.UTC),
        ),
    ],
    ids=str,
)
def test_types_stay(values: pa.Array, mean: object, median: object) -> None:
    assert averages(values, [1, 1, 1], [0, 0, 0], "mean") == [mean]
    assert averages(values, [1, 1, 1], [0, 0, 0], "median") == [median]


@pytest.mark.parametrize(
    "values",
    [
        pa.array(["a", "1"]),
        pa.array(["01", "02"]),  # codes
        pa.array([True, False]),
        pa.array([1.0, float("nan")]),
        pa.array([1.0, float("inf")]),
    ],
)
def test_what_has_no_mean(values: pa.Array) -> None:
    assert Numbers.of(values) is None


def averaged(labels: Any, values: Any, class_of: Any, rows: Any) -> ByClasses:
    return ByClasses("microaggregation", {"method": "fast"}, labels, values, class_of, rows=rows)


def coded(values: pa.Array, hierarchy: Generalizing) -> CodedTable:
    return CodedTable((code_column("x", values.dictionary_encode(), hierarchy),), len(values))


@pytest.mark.parametrize("hierarchy", [Suppress(), intervals(10, 50)], ids=["ranks", "leaves"])
def test_a_mean_costs_what_the_range_of_its_class_costs(hierarchy: Generalizing) -> None:
    rng = np.random.default_rng(5)
    table = coded(pa.array(rng.integers(0, 100, 300)), hierarchy)
    (column,) = table.columns
    values = (np.arange(len(column.counts), dtype=np.uint32),)
    class_of = rng.permutation(len(column.counts)).astype(np.uint32) // 3
    problem = SearchProblem(table, (KAnonymity(1),), Loss())
    means = averaged("mean", values, class_of, column.counts)
    ranges = ByClasses("cells", {}, "ranges", values, class_of)
    scores = [problem.score(problem.verdict_of(recoding)) for recoding in (means, ranges)]
    assert len(means.cells(table)[0].labels) < class_of.max()  # several classes have the same mean
    assert scores[0] == pytest.approx(scores[1])


def test_null_is_no_number_and_stays_where_it_is_alone() -> None:
    table = coded(pa.array([10, 20, None, None]), Suppress())
    values = (table.columns[0].codes,)
    both = averaged("mean", values, np.array([0, 0, 0, 0], np.uint32), np.array([1, 1, 1, 1]))
    (cells,) = both.cells(table)
    assert cells.labels.to_pylist() == [15]
    assert cells.leaves.tolist() == [3]
    apart = averaged("mean", values, np.array([0, 0, 1, 1], np.uint32), np.array([1, 1, 1, 1]))
    assert apart.cells(table)[0].labels.to_pylist() == [15, None]


def test_the_squared_error_is_that_of_the_rows() -> None:
    table = coded(pa.array([0, 10, 20, 30]), Suppress())
    recoding = averaged("mean", (table.columns[0].codes,), np.array([0, 0, 1, 1], np.uint32), np.ones(4, int))
    assert recoding.choices(table).of_columns == {
        "x": "mean, squared error 20.00% of the variance"
    }  # 100 of 500


def test_released_averages_show_nothing_of_suppressed_rows() -> None:
    labels = []
    for alone in ("99.5", "99.12345", "-7"):
        table = coded(pa.array(["1.5", "2.5", "11.5", "12", alone]), Suppress())
        (column,) = table.columns
        class_of = np.array([0, 0, 1, 1, 2], np.uint32)
        recoding = averaged("mean", (column.codes,), class_of, np.ones(5, int))
        verdict = SearchProblem(table, (KAnonymity(2),), Loss(), 0.5).verdict_of(recoding)
        assert verdict.suppressed_rows == 1
        labels.append(sorted(verdict.released_labels(0, typed=True).to_pylist()))
    assert labels == [["11.8", "2"]] * 3


@pytest.mark.parametrize("labels", ["median", {"age": "mode", "sex": "nodes"}])
def test_a_manifest_says_which_averages(labels: Any) -> None:
    said = averaged(labels, (), np.zeros(0, np.uint32), np.zeros(0, int)).to_manifest()
    assert said == {"kind": "microaggregation", "labels": labels, "method": "fast"}
    assert ByClasses.from_manifest(json.loads(json.dumps(said))).to_manifest() == said
    with pytest.raises(InputError, match="a form of labels"):
        ByClasses.from_manifest({"kind": "cells", "labels": {"age": "average"}})


def test_it_is_for_the_rows_that_it_was_chosen_for() -> None:
    table = coded(pa.array([1, 2]), Suppress())
    one = np.zeros(1, np.uint32)
    with pytest.raises(InputError, match="other rows"):
        averaged("mean", (one,), one, np.ones(1, int)).cells(table)
    names = coded(pa.array(["a"]), Suppress())
    with pytest.raises(InputError, match="'x' has no mean"):
        averaged("mean", (one,), one, np.ones(1, int)).cells(names)
