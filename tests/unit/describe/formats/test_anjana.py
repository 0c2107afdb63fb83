"""anjana's dicts, in Python and as JSON."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import shoal
from shoal.describe.formats.anjana import from_anjana
from shoal.describe.hierarchies.file import HierarchyFile
from shoal.errors import InputError

AGE = {0: [21, 24, 37], 1: ["20-29", "20-29", "30-39"], 2: ["*", "*", "*"]}
SEX = {"0": ["F", "M"], "1": ["*", "*"]}


def test_a_dict_goes_into_a_spec():
    people = pa.table({"age": [21, 24, 37, 37], "sex": ["F", "F", "M", "M"]})
    spec = shoal.Spec(quasi_identifiers=from_anjana({"age": AGE, "sex": SEX}), privacy=[shoal.KAnonymity(2)])
    release = shoal.anonymize(people, spec)
    assert release.levels == {"age": 1, "sex": 0}
    assert sorted(set(release.data["age"].to_pylist())) == ["20-29", "30-39"]


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pa.array, tuple])
def test_any_kind_of_list_one_entry_per_row(kind):
    rows = {level: kind([labels[0], labels[2], labels[0], labels[1]]) for level, labels in AGE.items()}
    found = from_anjana({"age": rows})["age"].levels(pa.array(["24", "37"]))
    assert found.labels[1].to_pylist() == ["20-29", "30-39"]
    assert found.total == 3
    assert not any("already" in note for note in found.notes)


def test_missing_values_are_left_out():
    levels = {0: np.array(["a", None, "b"], dtype=object), 1: np.array(["x", "?", "x"], dtype=object)}
    assert from_anjana({"letter": levels})["letter"].levels(pa.array(["a"])).total == 2


def test_json_of_one_column_and_of_several(write, labels, refusal):
    one = write("age.json", json.dumps({"age": AGE}))
    assert labels(one, [37, 21]) == [[37, 21], ["30-39", "20-29"], ["*", "*"]]
    several = write("both.json", json.dumps({"age": AGE, "sex": SEX}))
    assert "hierarchies of 2 columns: age, sex" in refusal(several)
    assert "no column 'sax'.\nColumns: age, sex.\nDid you mean 'sex'?" in refusal(several, column="sax")
    assert labels(several, ["M"], column="sex") == [["M"], ["*"]]
    hierarchy = HierarchyFile.from_spec({"path": "both.json", "column": "sex"}, several.parent)
    assert hierarchy.levels(pa.array(["F"])).labels[1].to_pylist() == ["*"]
    assert hierarchy.to_spec() == {"file": {"path": "both.json", "column": "sex"}}


def test_a_spec_of_a_dict_asks_for_its_file():
    written = from_anjana({"age": AGE})["age"].to_spec()
    assert written == {"file": {"format": "anjana", "column": "age"}}
    with pytest.raises(InputError, match="needs its path"):
        HierarchyFile.from_spec(written["file"], None)


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ({0: ["a"], 2: ["x"]}, "not 0, 1, 2"),
        ({1: ["a"]}, "not 0, 1, 2"),
        ({}, "not a mapping"),
        (["a"], "not a mapping"),
        ({0: ["a", "b"], 1: ["x"]}, "level 0 has 2, level 1 has 1"),
        ({0: [], 1: []}, "is empty"),
        ({0: "abc", 1: "xyz"}, "level 0 is not a list"),
        ({0: [["a"]], 1: ["x"]}, "level 0 is not a list"),
        ({0: ["a", "a"], 1: ["x", "y"]}, "several rows with different labels"),
        ({0: ["a", "b"], 1: ["x", "x"], 2: ["p", "q"]}, "Found: 'x' under 'p' and 'q'"),
        ({0: ["a"], 1: [None]}, "no label at level 1"),
    ],
)
def test_bad_levels(levels, message):
    with pytest.raises(InputError, match="the hierarchy of 'x'") as caught:
        from_anjana({"x": levels, "good": {0: ["a"], 1: ["*"]}})
    assert message in str(caught.value)


def test_all_columns_at_once():
    with pytest.raises(InputError) as caught:
        from_anjana({"x": {}, "y": []})
    assert len(caught.value.problems) == 2
    with pytest.raises(InputError, match="Found: list"):
        from_anjana([])
