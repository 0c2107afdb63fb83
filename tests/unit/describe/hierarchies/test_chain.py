"""Hierarchies one after the other."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.describe.hierarchies.chain import chain
from shoal.describe.hierarchies.clusters import clusters
from shoal.describe.hierarchies.intervals import intervals
from shoal.describe.hierarchies.mask import mask
from shoal.describe.hierarchies.order import order
from shoal.describe.hierarchies.prefix import prefix
from shoal.describe.hierarchies.priority import priority
from shoal.describe.hierarchies.suppress import suppress
from shoal.describe.hierarchies.taxonomy import taxonomy
from shoal.describe.hierarchy import ColumnData, FromData, FromFile, HierarchyError, Partial, check_nested
from shoal.errors import InputError

REGIONS = taxonomy({"North": ["53", "54"], "South": ["90", "91"]})


def labels(hierarchy, values):
    return [level.to_pylist() for level in hierarchy.levels(pa.array(values)).labels]


def test_the_second_generalizes_the_labels_of_the_first():
    assert labels(chain(mask(3, 2, character=""), REGIONS), ["53715", "54001", "90210"]) == [
        ["53715", "54001", "90210"],
        ["537", "540", "902"],
        ["53", "54", "90"],
        ["North", "North", "South"],
        ["*", "*", "*"],
    ]


def test_three_parts_and_parts_of_parts():
    three = chain(mask(2, character=""), REGIONS, taxonomy({"Earth": ["North", "South"]}))
    assert labels(three, ["53715"]) == [["53715"], ["53"], ["North"], ["Earth"]]
    assert chain(chain(mask(2), suppress()), suppress()).parts == (mask(2), suppress(), suppress())


def test_one_part_is_itself():
    assert labels(chain(prefix(2)), ["12"]) == labels(prefix(2), ["12"])


def test_suppress_below_leaves_the_values():
    assert labels(chain(suppress(), intervals(10)), [31]) == [[31], ["[30, 40)"], ["*"]]


def test_leaves_are_those_of_the_first():
    below = order(["a", "b", "c", "d"], [2])
    above = taxonomy({"x": ["a..b"], "y": ["c..d"]})
    levels = chain(below, above).levels(pa.array(["a", "b", "c"]))
    assert [counts.tolist() for counts in levels.leaves] == [[1, 1, 1], [2, 2, 2], [2, 2, 2], [4, 4, 4]]
    assert levels.total == 4


def test_values_that_some_part_does_not_know():
    regions = chain(order(["531", "541", "771"], [1 + 1]), taxonomy({"North": ["531..541"]}))
    assert regions.knows(pa.array(["541", "771", "secret"])).to_pylist() == [True, False, False]
    with pytest.raises(HierarchyError, match="in part 2 of its chain, the taxonomy lacks 1 value") as caught:
        regions.levels(pa.array(["541", "771"]))
    assert "771" not in str(caught.value)
    with pytest.raises(HierarchyError, match="the order lacks 1 value"):
        regions.levels(pa.array(["secret"]))


@given(st.lists(st.text("0123", min_size=1, max_size=4), unique=True, max_size=10))
def test_nested(values):
    hierarchy = chain(
        mask(3, 2, character=""), mask(1), taxonomy(["0*", "1*", "2*", "3*", "0", "1", "2", "3"])
    )
    column = pa.array(values, pa.string())
    known = column.filter(hierarchy.knows(column))
    levels = hierarchy.levels(known)
    assert not check_nested(levels.labels)
    for lower, upper in zip(levels.leaves, levels.leaves[1:], strict=False):
        assert (lower <= upper).all()


def test_what_it_also_is(tmp_path):
    (tmp_path / "a.yaml").write_text("North: ['53']\n")
    plain = chain(mask(2, character=""), taxonomy(tmp_path / "a.yaml"))
    assert isinstance(plain, FromFile)
    assert isinstance(plain, Partial)
    assert not isinstance(plain, FromData)
    assert plain.files == (tmp_path / "a.yaml",)
    made = chain(mask(2), priority(3), clusters("income"))
    assert isinstance(made, FromData)
    assert made.target == "income"
    assert chain(mask(2), priority(3)).target is None
    assert not isinstance(chain(prefix(2), suppress()), FromData)


def test_parts_are_made_from_the_labels_below():
    column = ColumnData(
        pa.array(["a1", "a2", "b1", "c1"]),
        np.array([2, 2, 3, 1]),
        pa.array(["no", "yes"]),
        np.array([[2, 0], [2, 0], [0, 3], [1, 0]]),
    )
    made = chain(mask(1, character=""), priority(1)).fit(column)
    assert labels(made, ["a1", "a2", "b1"]) == [
        ["a1", "a2", "b1"],
        ["a", "a", "b"],
        ["a", "a", "other"],
        ["*"] * 3,
    ]
    made = chain(mask(1, character=""), clusters("t", [2])).fit(column)
    assert labels(made, ["a1", "b1", "c1"])[2] == ["{a, c}", "b", "{a, c}"]
    assert made.knows(pa.array(["a9", "d1"])).to_pylist() == [True, False]


def test_values_unknown_below_are_left_to_whoever_asks():
    column = ColumnData(pa.array(["a", "z"]), np.array([2, 5]))
    made = chain(order(["a", "b"], [2]), priority(1)).fit(column)
    assert made.knows(column.values).to_pylist() == [True, False]
    assert labels(made, ["a"])[1:] == [["a..b"], ["a..b"], ["*"]]


def test_what_cannot_be_made_names_the_part():
    column = ColumnData(pa.array(["a"]), np.array([1]))
    with pytest.raises(HierarchyError, match="in part 2 of its chain, clusters need"):
        chain(mask(1), clusters("t")).fit(column)


@pytest.mark.parametrize("parts", [(), ("x",), (suppress,), (clusters("a"), clusters("b"))])
def test_wrong_parts(parts):
    with pytest.raises(InputError):
        chain(*parts)


def test_in_a_spec():
    written = [{"mask": [2]}, "priority"]
    spec = shoal.Spec.from_mapping(
        {
            "columns": {"zip": {"role": "quasi-identifier", "hierarchy": written}},
            "privacy": [{"k-anonymity": 2}],
        }
    )
    hierarchy = spec.quasi_identifiers["zip"].hierarchy
    assert hierarchy == chain(mask(2), priority())
    assert hierarchy.to_spec() == written


def test_in_a_release():
    table = pa.table({"zip": ["53715", "53710", "54001", "90210", "90211", "91000"]})
    spec = shoal.Spec(
        quasi_identifiers={"zip": chain(mask(2, character=""), REGIONS)}, privacy=[shoal.KAnonymity(3)]
    )
    assert sorted(shoal.anonymize(table, spec).table["zip"].to_pylist()) == ["North"] * 3 + ["South"] * 3


def test_a_chain_that_begins_with_what_is_made_may_lack_values():
    towns = chain(priority(2), taxonomy({"G": ["Bonn"], "H": ["Oslo", "other"]}))
    people = pa.table({"town": ["Ulm", "Ulm", "Bonn", "Bonn", "Rome", "Rome"]})
    spec = shoal.Spec(
        quasi_identifiers={
            "town": shoal.QuasiIdentifier(hierarchy=towns, missing_values="own", min_level=2, max_level=2)
        },
        privacy=[shoal.KAnonymity(2)],
    )
    found = shoal.anonymize(people, spec, keep_order=True).data["town"].to_pylist()
    assert found == ["H", "H", "G", "G", "Rome", "Rome"]
