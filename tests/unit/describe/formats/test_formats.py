"""Which format a file is in."""

import json

import pytest

from shoal.describe import formats
from shoal.describe.hierarchies.file import HierarchyFile
from shoal.errors import InputError


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("x.csv", "a;b\n", "arx"),
        ("x.csv", "range\ndistinct\n", "arx"),
        ("x.txt", "a;b\n", "arx"),
        ("x", "a\n", "arx"),
        ("x.txt", "distinct\nname a\nheight 2\n\nb has c\n", "amnesia"),
        ("x.hier", "\ufeffRange\r\nNAME a\r\n", "amnesia"),
        ("x.json", '{"hierType": "distinct"}', "amnesia"),
        ("x.json", json.dumps({"a": {"0": ["x"], "1": ["*"]}}), "anjana"),
        ("x.json", json.dumps({"a": {"x": ["y"]}}), "nested"),
        ("x.json", json.dumps({"cat": "a", "subcats": None}), "nested"),
        ("x.json", "{", "nested"),
        ("x.yaml", "a: [b]", "nested"),
        ("x.GRC", "1:1", "argus"),
    ],
)
def test_found_out(write, name, content, found):
    assert formats.format_of(write(name, content)) == found


def test_nested_taxonomies(write, labels):
    mosaicrown = {
        "cat": "any",
        "subcats": [
            {"cat": "north", "subcats": [{"cat": "NO", "subcats": None}]},
            {"cat": "south", "subcats": [{"cat": "IT", "subcats": None}]},
        ],
    }
    expected = [["IT", "NO"], ["south", "north"], ["any", "any"]]
    assert labels(write("x.json", json.dumps(mosaicrown)), ["IT", "NO"]) == expected
    plain = {"any": {"north": ["NO"], "south": ["IT"]}}
    assert labels(write("x.json", json.dumps(plain)), ["IT", "NO"]) == expected
    assert labels(write("x.yml", "any: {north: [NO], south: [IT]}"), ["IT", "NO"]) == expected


def test_a_given_format_is_taken(write, labels, refusal):
    path = write("x.json", json.dumps({"0": ["x"], "1": ["y"]}))
    assert labels(path, ["x"], format="nested")[1] == ["0"]
    assert "hierarchies of 2 columns: 0, 1" in refusal(path, format="anjana")


def test_unknown_formats():
    with pytest.raises(InputError, match="Did you mean 'nested'"):
        HierarchyFile("x.json", format="nestd")
    with pytest.raises(InputError, match="Known: amnesia, anjana, argus, arx, nested"):
        HierarchyFile.from_spec({"path": "x", "format": "tau"}, None)


def test_spec_round_trip(tmp_path):
    written = {"path": "x.txt", "format": "amnesia"}
    hierarchy = HierarchyFile.from_spec(written, tmp_path)
    assert hierarchy.to_spec() == {"file": written}
    assert hierarchy.files == (tmp_path / "x.txt",)


def test_files_that_are_no_hierarchy(write, refusal, tmp_path):
    assert "does not exist" in refusal(tmp_path / "no.json")
    assert "is a folder" in refusal(tmp_path)
