"""Values that a hierarchy does not cover."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.describe.hierarchies.listed_values import Listed
from shoal.describe.hierarchy import HierarchyError, check_nested
from shoal.describe.missing_values import levels_of

TOWNS = Listed.of(
    [pa.array(["Ulm", "Bonn", "Rome"]), pa.array(["D", "D", "I"]), pa.array(["Europe"] * 3)], "the hierarchy"
)


def labels(levels):
    return [label.to_pylist() for label in levels.labels]


def test_an_error_says_what_else_can_be_done():
    with pytest.raises(HierarchyError) as caught:
        levels_of(TOWNS, pa.array(["Ulm", "Oslo"]), "error")
    (problem,) = caught.value.problems
    assert "lacks 1 value" in problem.message and "`missing-values: own`" in problem.message
    assert "Oslo" not in problem.message and problem.values == ("Oslo",)


def test_own_keeps_them_apart_until_the_top():
    levels = levels_of(TOWNS, pa.array(["Oslo", "Ulm", "Lima"]), "own")
    assert labels(levels) == [
        ["Oslo", "Ulm", "Lima"],
        ["Oslo", "D", "Lima"],
        ["Oslo", "Europe", "Lima"],
        ["*"] * 3,
    ]
    assert [leaves.tolist() for leaves in levels.leaves] == [[1, 1, 1], [1, 2, 1], [1, 3, 1], [5, 5, 5]]
    assert levels.total == 5
    assert "2 values are not in its hierarchy" in levels.notes[-1]


def test_a_top_with_a_name_is_below_anything_whether_or_not_values_are_missing():
    for how in ("own", "top"):
        assert labels(levels_of(TOWNS, pa.array(["Ulm"]), how)) == [["Ulm"], ["D"], ["Europe"], ["*"]]
    assert labels(levels_of(TOWNS, pa.array(["Ulm"]), "error")) == [["Ulm"], ["D"], ["Europe"]]


def test_top_hides_them():
    levels = levels_of(TOWNS, pa.array(["Oslo", "Ulm"]), "top")
    assert labels(levels) == [["Oslo", "Ulm"], ["*", "D"], ["*", "Europe"], ["*", "*"]]
    assert [leaves.tolist() for leaves in levels.leaves] == [[1, 1], [4, 2], [4, 3], [4, 4]]


def test_without_a_top_they_stay_apart_or_become_anything():
    roots = Listed.of([pa.array(["a", "b"]), pa.array(["x", "y"])], "the hierarchy")
    assert labels(levels_of(roots, pa.array(["c", "a"]), "own"))[1] == ["c", "x"]
    assert labels(levels_of(roots, pa.array(["c", "a"]), "top"))[1] == ["*", "x"]


def test_what_is_named_like_a_label_cannot_be_kept_apart():
    with pytest.raises(HierarchyError, match="equal to one of its labels"):
        levels_of(TOWNS, pa.array(["Ulm", "D"]), "own")
    assert labels(levels_of(TOWNS, pa.array(["Ulm", "D"]), "top"))[1] == ["D", "*"]
    # `*` is not in the way: there all are one.
    assert labels(levels_of(TOWNS, pa.array(["Ulm", "*"]), "own"))[3] == ["*", "*"]


def test_nothing_is_known():
    for how, middle in (("own", ["x", "y"]), ("top", ["*", "*"])):
        assert labels(levels_of(TOWNS, pa.array(["x", "y"]), how)) == [["x", "y"], middle, ["*", "*"]]


@given(
    values=st.lists(st.sampled_from(["Ulm", "Bonn", "Rome", "Oslo", "Lima", "D1", "*"]), unique=True),
    how=st.sampled_from(["own", "top"]),
)
def test_levels_stay_nested_and_leaves_are_those_of_the_label(values, how):
    levels = levels_of(TOWNS, pa.array(values, pa.string()), how)
    assert check_nested(levels.labels) == []
    for label, leaves in zip(labels(levels), levels.leaves, strict=True):
        for (one, first), (other, second) in product(zip(label, leaves, strict=True), repeat=2):
            assert one != other or first == second
    assert (np.array(levels.leaves[-1]) <= levels.total).all()


def test_a_release_with_values_that_its_hierarchy_lacks():
    people = pa.table({"town": ["Ulm", "Bonn", "Oslo", "Oslo", "Rome", "Rome"]})
    towns = shoal.taxonomy({"Europe": {"D": ["Ulm", "Bonn"], "I": ["Rome"]}})
    spec = shoal.Spec(
        quasi_identifiers={"town": shoal.QuasiIdentifier(hierarchy=towns, missing_values="own")},
        privacy=[shoal.KAnonymity(2)],
    )
    release = shoal.anonymize(people, spec)
    assert sorted(release.data["town"].to_pylist()) == ["D", "D", "I", "I", "Oslo", "Oslo"]
    assert any("missing-values: own" in note for note in release.notes)
    with pytest.raises(shoal.InputError, match="lacks 1 value"):
        shoal.anonymize(people, spec.adjust(missing_values="error"))


def test_a_group_that_is_called_like_the_top():
    towns = shoal.taxonomy({"D": {"*": ["Ulm"], "N": ["Bonn"]}, "I": ["Rome"]})
    values = pa.array(["Ulm", "Bonn", "Rome", "Oslo"])
    with pytest.raises(shoal.InputError, match=r"a group of its hierarchy is named '\*', like the top"):
        levels_of(towns, values, "top")
    assert labels(levels_of(towns, values, "own"))[1] == ["*", "N", "Rome", "Oslo"]
