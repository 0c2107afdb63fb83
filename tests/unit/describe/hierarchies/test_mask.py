"""Codes of which some characters are kept."""

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.describe.hierarchies.mask import Mask, mask
from shoal.describe.hierarchies.prefix import prefix
from shoal.describe.hierarchy import check_nested
from shoal.errors import InputError


def paths(hierarchy, values):
    return list(
        zip(*(labels.to_pylist() for labels in hierarchy.levels(pa.array(values)).labels), strict=True)
    )


def test_the_first_characters():
    assert paths(mask(3, 1), ["53715"]) == [("53715", "537*", "5*", "*")]


def test_the_last_characters():
    assert paths(mask(4, 2, side="last"), ["004930123", "110"]) == [
        ("004930123", "*0123", "*23", "*"),
        ("110", "*110", "*10", "*"),
    ]


def test_numbers_get_their_zeros_back():
    assert paths(mask(3, pad=5), [1234, 53715]) == [(1234, "012**", "*"), (53715, "537**", "*")]
    assert paths(mask(2, pad=4, fill="-", side="last"), ["7"]) == [("7", "**-7", "*")]


def test_other_mask_characters_and_none():
    assert paths(mask(3, character="#"), ["E11.9"]) == [("E11.9", "E11#", "*")]
    assert paths(mask(4, 2, character=""), ["541110", "54"]) == [
        ("541110", "5411", "54", "*"),
        ("54", "54", "54", "*"),
    ]


def test_labels_do_not_show_how_long_the_longest_value_is():
    for hidden in ("", "15", "x" * 100_000):
        assert paths(mask(3), [f"537{hidden}", "5"])[0][1] == "537*"


def test_prefix_is_a_mask():
    codes = ["53715", "53", "", "5*", "äöü"]
    assert paths(prefix(), codes) == paths(mask(4, 3, 2, 1, pad=None), codes)


@given(
    values=st.lists(st.text("01*#-", max_size=6), unique=True, max_size=12),
    keep=st.sets(st.integers(1, 7), min_size=1),
    side=st.sampled_from(["first", "last"]),
    pad=st.none() | st.integers(1, 6),
    fill=st.sampled_from("0*-"),
    character=st.sampled_from(["*", "#", ""]),
)
def test_always_nested(values, keep, side, pad, fill, character):
    hierarchy = mask(*sorted(keep, reverse=True), side=side, pad=pad, fill=fill, character=character)
    levels = hierarchy.levels(pa.array(values, pa.string()))
    assert not check_nested(levels.labels)
    assert len(levels.labels) == len(keep) + 2


@given(st.lists(st.text("01*", max_size=5), unique=True, min_size=1), st.integers(1, 4))
def test_two_values_share_a_label_if_what_is_kept_is_equal(values, kept):
    labels = mask(kept).levels(pa.array(values, pa.string())).labels[1].to_pylist()
    for one, label in zip(values, labels, strict=True):
        for other, its_label in zip(values, labels, strict=True):
            assert (label == its_label) == (one[:kept] == other[:kept])


def test_forms():
    assert Mask.from_spec([4, 3], Path()) == mask(4, 3)
    assert Mask.from_text("4,3") == Mask.from_text(" 4, 3 ") == mask(4, 3)
    assert mask(4, 3).to_spec() == {"mask": [4, 3]}
    full = mask(4, side="last", pad=5, fill=" ", character="")
    written = {"keep": [4], "side": "last", "pad": 5, "fill": " ", "character": ""}
    assert full.to_spec() == {"mask": written}
    assert Mask.from_spec(written, Path()) == full


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (None, "mask needs the number of characters"),
        ([], "mask needs the number of characters"),
        ({"side": "last"}, "mask needs the number of characters"),
        ([0], "at least 1"),
        (["x"], "whole numbers"),
        ([True], "whole numbers"),
        ([3, 3], "must decrease"),
        ([3, 4], "must decrease"),
        ({"keep": [3], "side": "lasst"}, "Did you mean 'last'"),
        ({"keep": [3], "pad": 0}, "from 1 to 255"),
        ({"keep": [3], "pad": 5, "fill": 0}, "quotes"),
        ({"keep": [3], "character": "**"}, "one character"),
        ({"keep": [3], "caracter": "#"}, "Did you mean 'character'"),
    ],
)
def test_wrong_arguments(argument, message):
    with pytest.raises(InputError, match=message):
        Mask.from_spec(argument, Path())


def test_all_that_is_wrong_at_once():
    with pytest.raises(InputError) as caught:
        Mask.from_spec({"keep": [0], "side": 5, "fill": "ab"}, Path())
    assert len(caught.value.problems) == 3
