"""Labels that tell by their form what they stand for."""

from __future__ import annotations

from math import inf

import pyarrow as pa
import pytest

from shoal.describe.label_forms import (
    Member,
    Range,
    is_everything,
    read_mask,
    read_range,
    read_set,
    written_set,
)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("[20, 30)", Range(20, 30, True, False)),
        ("[20, 30[", Range(20, 30, True, False)),
        ("]20, 30]", Range(20, 30, False, True)),
        ("(0.5,1.5]", Range(0.5, 1.5, False, True)),
        ("[-5, 0)", Range(-5, 0, True, False)),
        ("20-29", Range(20, 29)),
        ("-5--1", Range(-5, -1)),
        ("20..29", Range(20, 29)),
        ("< 20", Range(-inf, 20, True, False)),
        ("<=20", Range(-inf, 20)),
        (">= 80", Range(80, inf)),
        (">80", Range(80, inf, False, True)),
        ("80+", Range(80, inf)),
        ("1990s", Range(1990, 2000, True, False)),
        ("1990-05", None),
        ("30", None),
        ("Bachelors", None),
        ("", None),
        ("*", None),
    ],
)
def test_ranges(label, expected):
    assert read_range(label) == expected


def test_the_boundary_belongs_to_the_interval_that_begins_with_it():
    numbers = pa.array([19.0, 20.0, 29.9, 30.0]).to_numpy()
    assert read_range("[20, 30)").positions(numbers).tolist() == [1, 2]
    assert read_range("(20, 30]").positions(numbers).tolist() == [2, 3]
    assert read_range("< 20").positions(numbers).tolist() == [0]


def test_sets():
    assert read_set("{a, b}") == (Member("a"), Member("b"))
    assert read_set("{a}") == (Member("a"),)
    assert read_set('{"a, b" , c,}') == (Member("a, b", quoted=True), Member("c"), Member(""))
    assert read_set("{a, b and 12 more}") is None
    assert read_set("{long...}") is None
    assert read_set("a, b") is None


@pytest.mark.parametrize(
    "values",
    [
        ["a", "b"],
        ["a, b", "a", "b"],
        ["NULL", None, "x"],
        ["", " ", "  a"],
        ['"', '""', 'say "hi"', '",', ',"'],
        ["a and 2 more", "..."],
        ["{", "}", "{a, b}", "a\nb", "\u202eb"],
    ],
)
def test_a_set_is_read_as_it_was_written(values: list[str | None]):
    for order in (values, values[::-1]):
        members = read_set(written_set(order))
        assert members is not None
        assert [None if each == Member("NULL") else each.text for each in members] == order


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("537**", ["53715", "53710", "5371"]),
        ("5371*", ["53715", "53710", "5371"]),
        ("53*", ["53715", "53710", "5371"]),
        ("*5", ["53715"]),
        ("***15", ["53715"]),
        ("5*715", ["53715"]),
        ("a.c**", ["a.c"]),
    ],
)
def test_masks(label, expected):
    texts = ["53715", "53710", "5371", "90210", "a.c", "abc"]
    assert [texts[position] for position in read_mask(label, pa.array(texts))] == expected


def test_stars_alone_are_everything():
    assert is_everything("*")
    assert is_everything("*****")
    assert not is_everything("5*")
    assert not is_everything("")
    assert not is_everything(None)
