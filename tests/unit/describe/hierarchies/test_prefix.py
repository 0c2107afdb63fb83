"""Codes hidden from the end."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.describe.hierarchies.prefix import Prefix, prefix
from shoal.describe.hierarchy import check_nested
from shoal.errors import InputError


def paths(hierarchy, values):
    return list(zip(*(labels.to_pylist() for labels in hierarchy.levels(values).labels), strict=True))


def test_one_character_less_per_level():
    (path,) = paths(prefix(5), pa.array(["53715"]))
    assert path == ("53715", "5371*", "537**", "53***", "5****", "*")


def test_shorter_and_longer_values():
    assert paths(prefix(3), pa.array(["1", "12", "123", "1234", ""])) == [
        ("1", "1*", "1**", "*"),
        ("12", "12*", "1**", "*"),
        ("123", "12*", "1**", "*"),
        ("1234", "12*", "1**", "*"),
        ("", "*", "**", "*"),
    ]


def test_without_a_length_one_star_hides_it():
    (path, _) = paths(prefix(), pa.array(["53715", "5"]))
    assert path == ("53715", "5371*", "537*", "53*", "5*", "*")


def test_the_longest_value_gives_the_length():
    assert len(prefix().levels(pa.array(["1", "äöü"])).labels) == 4
    assert len(prefix().levels(pa.array([""])).labels) == 2
    assert len(prefix().levels(pa.array([], pa.string())).labels) == 2


@pytest.mark.parametrize(("length", "longest"), [(10**9, 3), (None, 256)])
def test_too_many_levels_are_refused_before_they_are_made(length, longest):
    with pytest.raises(InputError, match="at most 255 are possible"):
        prefix(length).levels(pa.array(["x" * longest]))


def test_numbers_and_characters_beyond_ascii():
    assert paths(prefix(3), pa.array([537])) == [(537, "53*", "5**", "*")]
    assert paths(prefix(2), pa.array(["😀é"])) == [("😀é", "😀*", "*")]


@given(st.lists(st.text("01*", max_size=6), unique=True), st.none() | st.integers(1, 6))
def test_always_nested(values, length):
    assert not check_nested(prefix(length).levels(pa.array(values, pa.string())).labels)


@pytest.mark.parametrize("length", [0, -1, 2.5, "5", True])
def test_wrong_length(length):
    with pytest.raises(InputError, match="The length of prefix must be a whole number"):
        prefix(length)


@pytest.mark.parametrize("text", ["0", "x", "9" * 5000])
def test_wrong_text(text):
    with pytest.raises(InputError, match="The length of prefix must be a whole number"):
        Prefix.from_text(text)


def test_from_text():
    assert Prefix.from_text("") == prefix()
    assert Prefix.from_text("5") == prefix(5)
    for text in ("x", "-1", "5.5"):
        with pytest.raises(InputError):
            Prefix.from_text(text)
