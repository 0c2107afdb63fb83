"""Hierarchies of the user's own functions."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal.describe.hierarchies.function import ByFunction, by_function
from shoal.describe.hierarchy import HierarchyError
from shoal.errors import InputError


def labels(hierarchy, values):
    return [level.to_pylist() for level in hierarchy.levels(pa.array(values)).labels]


def test_a_function_per_level():
    hierarchy = by_function(lambda code: code[:2], lambda code: code[:1])
    assert labels(hierarchy, ["531", "541", "902"]) == [
        ["531", "541", "902"],
        ["53", "54", "90"],
        ["5", "5", "9"],
        ["*", "*", "*"],
    ]


def test_one_label_for_all_is_the_top():
    assert labels(by_function(lambda _: "any"), ["a", "b"]) == [["a", "b"], ["any", "any"]]
    assert labels(by_function(str.upper), []) == [[], [], []]


@pytest.mark.parametrize(
    "value",
    ["text", 7, 0.5, Decimal("1.50"), date(2026, 1, 31), True],
    ids=lambda value: type(value).__name__,
)
def test_functions_get_values_as_python_knows_them(value):
    got = []
    labels(by_function(lambda given: got.append(given) or "label"), [value])
    assert got == [value]
    assert type(got[0]) is type(value)


def test_results_become_text():
    assert labels(by_function(lambda age: age // 10), [31, 45])[1] == ["3", "4"]


def test_what_goes_wrong_is_counted_by_level_and_not_shown():
    def cut(text):
        if text == "secret":
            raise ValueError(f"bad {text}")
        return text[:1]

    with pytest.raises(HierarchyError) as caught:
        by_function(cut, lambda _: None).levels(pa.array(["secret", "b", "c"]))
    first, second = caught.value.problems
    assert "the function of level 1, 'cut', raised ValueError for 1 value of 3." in first.message
    assert first.values == ("secret",)
    assert "level 2" in second.message
    assert "returned nothing for 3 values of 3" in second.message
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("result", [None, float("nan"), "\ud800"])
def test_results_that_are_no_labels(result):
    with pytest.raises(HierarchyError, match="for 1 value of 1"):
        by_function(lambda _: result).levels(pa.array(["a"]))


def test_levels_that_are_not_nested():
    with pytest.raises(
        HierarchyError, match="levels 1 and 2 are not nested: 1 label of level 1 has"
    ) as caught:
        by_function(lambda text: text[0], lambda text: text[1]).levels(pa.array(["ab", "ac"]))
    assert caught.value.problems[0].values == ("a",)


def test_values_that_python_does_not_have():
    with pytest.raises(HierarchyError, match="Turn the column into text"):
        by_function(str).levels(pa.array([2**62], pa.timestamp("s")))


def test_a_spec_names_it_and_cannot_hold_it():
    assert by_function(str.upper, len).to_spec() == {"function": ["upper", "len"]}
    assert by_function(str.upper, name="capitals").to_spec() == {"function": "capitals"}
    for read in (lambda: ByFunction.from_spec(["upper"], Path()), lambda: ByFunction.from_text("upper")):
        with pytest.raises(InputError, match="A spec cannot hold functions"):
            read()


@pytest.mark.parametrize(("functions", "name"), [((), None), (("x",), None), ((len,), ""), ((len,), 5)])
def test_wrong_arguments(functions, name):
    with pytest.raises(InputError):
        by_function(*functions, name=name)


def test_in_a_release():
    table = pa.table({"age": [31, 33, 52, 54]})
    spec = shoal.Spec(
        quasi_identifiers={"age": by_function(lambda age: f"{age // 10}0s")}, privacy=[shoal.KAnonymity(2)]
    )
    release = shoal.anonymize(table, spec)
    assert sorted(release.table["age"].to_pylist()) == ["30s", "30s", "50s", "50s"]
