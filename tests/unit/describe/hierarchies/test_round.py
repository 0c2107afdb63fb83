"""Numbers are rounded as a person would, one level after the other."""

from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.describe.hierarchies.round import Rounding, rounding
from shoal.describe.hierarchy import HierarchyError, check_nested
from shoal.errors import InputError


def labels(hierarchy, values, level=1):
    return hierarchy.levels(values).labels[level].to_pylist()


@given(
    st.lists(st.decimals(-(10**6), 10**6, places=2), unique=True),
    st.sampled_from([("0.1", "1"), ("0.5", "10"), ("3", "30", "60"), ("0.25", "5")]),
    st.sampled_from(["nearest", "down"]),
)
def test_each_level_rounds_the_one_before(values, to, direction):
    hierarchy = rounding(*map(Decimal, to), direction=direction)
    levels = hierarchy.levels(pa.array(map(str, values), pa.string()))
    assert check_nested(levels.labels) == []
    rounded = values
    for level, step in enumerate(map(Decimal, to), start=1):
        # ROUND_HALF_UP is decimal's name for halves away from zero.
        how = ROUND_HALF_UP if direction == "nearest" else ROUND_FLOOR
        rounded = [(value / step).quantize(Decimal(1), how) * step for value in rounded]
        assert [Decimal(label) for label in levels.labels[level].to_pylist()] == rounded
    assert set(levels.labels[-1].to_pylist()) <= {"*"}


def test_45_goes_where_54_goes():
    values = pa.array([44, 45, 54, 55])
    hierarchy = rounding(10, 100)
    assert labels(hierarchy, values) == ["40", "50", "50", "60"]
    assert labels(hierarchy, values, level=2) == ["0", "100", "100", "100"]
    at_once = [round(value, -2) for value in values.to_pylist()]
    assert at_once == [0, 0, 100, 100]
    torn = [pa.array(labels(hierarchy, values)), pa.array(list(map(str, at_once)))]
    assert len(check_nested(torn)) == 1


def test_halves_and_negative_numbers():
    values = pa.array([5, -5, 15, -15, 4, -4, 0, -1])
    assert labels(rounding(10), values) == ["10", "-10", "20", "-20", "0", "0", "0", "0"]
    assert labels(rounding(10, direction="down"), values) == ["0", "-10", "10", "-20", "0", "-10", "0", "-10"]


def test_each_digit():
    levels = rounding().levels(pa.array([53715, 7, -120]))
    assert [level.to_pylist() for level in levels.labels[1:]] == [
        ["53720", "10", "-120"],
        ["53700", "0", "-100"],
        ["54000", "0", "0"],
        ["50000", "0", "0"],
        ["*", "*", "*"],
    ]


def test_each_digit_of_decimals():
    levels = rounding(direction="down").levels(pa.array([12.34, 0.1]))
    assert [level[0].as_py() for level in levels.labels] == [12.34, "12.3", "12", "10", "*"]


def test_a_single_digit_leaves_nothing_but_the_top():
    assert len(rounding().levels(pa.array([3, 9])).labels) == 2
    assert len(rounding().levels(pa.array([], pa.int64())).labels) == 2


def test_fixed_steps_do_not_depend_on_the_values():
    for values in ([5], [5, 10**6], [5, 0.001]):
        assert labels(rounding(10, 100), pa.array(values))[0] == "10"


def test_huge_numbers():
    values = pa.array([2**64 - 1, 5], pa.uint64())
    assert labels(rounding(10**19), values) == ["20000000000000000000", "0"]
    assert labels(rounding(10**25), pa.array([5, 7])) == ["0", "0"]
    assert labels(rounding(10), pa.array([2**63 - 1, -(2**63)])) == [
        "9223372036854775810",
        "-9223372036854775810",
    ]
    with pytest.raises(HierarchyError, match="Give the multiples to round to"):
        rounding().levels(pa.array([1e-300, 1.0]))


def test_what_is_not_a_number():
    values = pa.array(["1", "?", "NaN"])
    assert rounding().knows(values).to_pylist() == [True, False, False]
    with pytest.raises(HierarchyError, match="round needs numbers") as caught:
        rounding().levels(values)
    assert caught.value.problems[0].values == ("?", "NaN")


def test_forms():
    assert Rounding.from_text("") == Rounding.from_spec(None, Path()) == rounding()
    assert Rounding.from_text("0.5, 5") == rounding(0.5, 5)
    assert rounding().to_spec() == "round"
    assert rounding(10.0).to_spec() == {"round": [10]}
    assert rounding(direction="down").to_spec() == {"round": {"direction": "down"}}
    assert rounding(5, direction="down").to_spec() == {"round": {"to": [5], "direction": "down"}}


@pytest.mark.parametrize(
    ("argument", "problems"),
    [
        ("10", 1),
        ([10, 25], 1),
        ([0, -5, "x", True, float("nan")], 5),
        ({"to": [0], "direction": "up"}, 2),
        ({"too": [10]}, 1),
        ([[10]], 1),
    ],
)
def test_everything_wrong_at_once(argument, problems):
    with pytest.raises(InputError) as caught:
        Rounding.from_spec(argument, Path())
    assert len(caught.value.problems) == problems
