"""Values become whole numbers exactly, whatever way they are read."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.describe.hierarchies.exact_numbers import ExactNumbers, are_numbers, is_number, plain, tidy
from shoal.describe.hierarchy import HierarchyError

WRITTEN = st.one_of(
    st.integers().map(str),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.from_regex(r"\A[+-]?([0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,25})\Z", fullmatch=True),
)


@given(st.lists(WRITTEN, max_size=6), st.lists(st.decimals(-10, 10, places=3), max_size=2))
def test_text_is_read_exactly(texts, parameters):
    numbers = ExactNumbers.of(pa.array(texts, pa.string()), "they need", parameters)
    # Exponents of more than three digits are no numbers of people.
    far = [abs(int(text.lower().partition("e")[2] or 0)) > 999 for text in texts]
    assert numbers.known.tolist() == [not beyond for beyond in far]
    for text, whole, beyond in zip(texts, numbers.whole.tolist(), far, strict=True):
        assert whole == (0 if beyond else Fraction(text) * 10**numbers.decimals)
    for parameter in parameters:
        assert numbers.count(parameter) == Fraction(parameter) * 10**numbers.decimals


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_a_float_is_the_number_it_is_written_as(values):
    numbers = ExactNumbers.of(pa.array(values, pa.float64()), "they need")
    assert [Fraction(whole, 10**numbers.decimals) for whole in numbers.whole.tolist()] == [
        Fraction(repr(value)) for value in values
    ]


@pytest.mark.parametrize(
    "values",
    [
        pa.array([-128, 127], pa.int8()),
        pa.array([2**64 - 1, 5], pa.uint64()),
        pa.array([-(2**63), 2**63 - 1]),
        pa.array([2**61, 0]),
        pa.array([Decimal("-0.05"), Decimal("99999999999999999999.00")]),
        pa.array([Decimal(1200)], pa.decimal128(5, -2)),
        pa.array([0.5, 0.25], pa.float16()),
        pa.array([0.5, 3e38], pa.float32()),
        pa.array(["7", "-0.5"], pa.large_string()),
        pa.array(["7", "7.5", "7"]).dictionary_encode(),
    ],
    ids=lambda values: str(values.type),
)
@pytest.mark.parametrize("parameter", [1, 0.001, 10**30])
def test_types(values, parameter):
    numbers = ExactNumbers.of(values, "they need", [parameter])
    assert numbers.known.all()
    for value, whole in zip(values.to_pylist(), numbers.whole.tolist(), strict=True):
        found = Fraction(whole, 10**numbers.decimals)
        exact = Fraction(str(value)) if not isinstance(value, float) or value < 1e30 else Fraction("3e38")
        assert found == exact
    assert are_numbers(values, "they need").to_pylist() == [True] * len(values)


@pytest.mark.parametrize("values", [pa.array([]), pa.array([], pa.string()), pa.array([], pa.int8())])
@pytest.mark.parametrize("parameter", [1, 0.001, 10**30])
def test_no_values(values, parameter):
    assert len(ExactNumbers.of(values, "they need", [parameter]).whole) == 0
    assert len(are_numbers(values, "they need")) == 0


def test_what_is_no_number():
    values = pa.array(["1", "", " ", "x", "nan", "inf", "-", ".", "1,5", "1 000", "٣", "1e1000", " 2\n"])
    known = [True] + [False] * 11 + [True]
    assert ExactNumbers.of(values, "they need").known.tolist() == known
    assert are_numbers(values, "they need").to_pylist() == known
    (problem,) = ExactNumbers.of(values, "they need").problems(values, "they need")
    assert problem.message.startswith("they need numbers.\nFound: 11 values that are not numbers.\n")


def test_dates_have_a_hierarchy_of_their_own():
    for values in (pa.array([0], pa.date32()), pa.array([0], pa.timestamp("s"))):
        with pytest.raises(HierarchyError, match="hierarchy `dates`"):
            are_numbers(values, "they need")


@given(st.integers(), st.integers(0, 30))
def test_plain_writes_the_number(whole, places):
    text = plain(whole, places)
    assert Fraction(text) == Fraction(whole, 10**places)
    assert "e" not in text.lower()
    assert "." not in text or text[-1] not in "0."


def test_parameters():
    assert [tidy(value) for value in (np.int64(3), 3.0, Decimal("3.0"), Decimal("0.1"), True, "x", None)] == [
        3,
        3,
        3,
        0.1,
        True,
        "x",
        None,
    ]
    strange = [True, "1", None, float("nan"), float("inf"), Decimal("NaN"), Decimal("1e-5000"), 10**2000]
    assert not any(map(is_number, strange))
