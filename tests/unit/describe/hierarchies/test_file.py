"""Hierarchy files as ARX and people write them."""

from pathlib import Path

import pyarrow as pa
import pytest

from shoal.describe.hierarchies.file import HierarchyFile, hierarchy_file
from shoal.describe.hierarchy import HierarchyError
from shoal.errors import InputError


@pytest.fixture
def write(tmp_path):
    def write(content, delimiter=None):
        path = tmp_path / "town.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return hierarchy_file(path, delimiter)

    return write


def labels(hierarchy, values):
    return [level.to_pylist() for level in hierarchy.levels(pa.array(values)).labels]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
def test_labels_by_level(write, delimiter, line_end):
    rows = [["Ulm", "D", "*"], ["Bonn", "D", "*"], ["Rome", "I", "*"]]
    hierarchy = write(line_end.join(delimiter.join(row) for row in rows))
    assert labels(hierarchy, ["Rome", "Ulm"]) == [["Rome", "Ulm"], ["I", "D"], ["*", "*"]]


def test_leaves_are_counted_in_the_whole_file(write):
    levels = write("Ulm;D;*\nBonn;D;*\nRome;I;*\n").levels(pa.array(["Ulm", "Rome"]))
    assert [leaves.tolist() for leaves in levels.leaves] == [[1, 1], [2, 1], [3, 3]]
    assert levels.total == 3


def test_labels_with_commas_and_quotes(write):
    assert labels(write("1;[1, 5];{1, 2, 3, 4, 5}\n2;[1, 5];{1, 2, 3, 4, 5}\n"), ["2"])[1] == ["[1, 5]"]
    assert labels(write('"a;b";"x ""y"""\n'), ["a;b"])[1] == ['x "y"']


def test_text_is_kept(write):
    hierarchy = write("01;NULL\n;empty\n 1;NA\n1;one\n")
    assert labels(hierarchy, ["01", "", " 1", "1"])[1] == ["NULL", "empty", "NA", "one"]


def test_a_single_column_is_level_0_alone(write):
    assert labels(write("Ulm\nBonn\n"), ["Bonn"]) == [["Bonn"]]


def test_blank_lines_are_no_values(write):
    assert write("Ulm\n\nBonn\n\n").levels(pa.array(["Ulm"])).total == 2


def test_byte_order_mark_and_last_blank_line(write):
    assert labels(write(b"\xef\xbb\xbfUlm;D\n\n"), ["Ulm"]) == [["Ulm"], ["D"]]


def test_other_types_are_looked_up_by_their_text(write):
    levels = write("34;30s\n51;50s\n").levels(pa.array([51, 34], pa.int64()))
    assert levels.labels[0].to_pylist() == [51, 34]
    assert levels.labels[1].to_pylist() == ["50s", "30s"]


def test_the_file_is_read_once(write):
    hierarchy = write("Ulm;D\n")
    hierarchy.levels(pa.array(["Ulm"]))
    Path(hierarchy.path).unlink()
    assert labels(hierarchy, ["Ulm"]) == [["Ulm"], ["D"]]


def test_identical_rows_are_one(write):
    levels = write("Ulm;D;*\nUlm;D;*\nBonn;D;*\n").levels(pa.array(["Ulm"]))
    assert levels.total == 2
    assert levels.leaves[1].tolist() == [2]


def refusal(hierarchy, values=("Ulm",)):
    with pytest.raises(HierarchyError) as caught:
        hierarchy.levels(pa.array(values))
    return caught.value


def test_lacking_values_are_counted_and_not_shown(write):
    error = refusal(write("Ulm;D\n"), ["Ulm", "secret", "Rome"])
    assert "the hierarchy 'town.csv' lacks 2 values that the table has." in str(error)
    assert error.problems[0].values == ("secret", "Rome")
    assert "secret" not in str(error)


def test_all_that_is_wrong_with_a_file_at_once(write):
    error = refusal(write("Ulm;D;EU\nUlm;A;EU\nBonn;D;Rhine\nRome;I;EU\nPisa;I;Med\n"))
    values, nested = error.problems
    assert "1 value has several rows with different labels" in values.message
    assert values.values == ("Ulm",)
    assert "levels 1 and 2 are not nested: 2 labels of level 1 have more than one parent." in nested.message
    assert set(nested.values) == {"D", "I"}


def test_ragged_rows_are_counted(write):
    with pytest.raises(HierarchyError, match="has 2 rows with another number of cells") as caught:
        write("Ulm;D;*\nBonn;D\nRome;I;*\nPisa\nBari;I;*\n").levels(pa.array(["Ulm"]))
    assert "line 2 has 2 cells, line 4 has 1 cell" in str(caught.value)


def test_missing_and_empty_files(write, tmp_path):
    with pytest.raises(HierarchyError, match="does not exist"):
        hierarchy_file(tmp_path / "no.csv").levels(pa.array(["Ulm"]))
    with pytest.raises(HierarchyError, match="is empty"):
        write("").levels(pa.array(["Ulm"]))


def test_an_ahs_file_is_named_as_such(write):
    with pytest.raises(InputError, match=r"ARX(.|\n)*export"):
        write(b"\xac\xed\x00\x05sr\x00").levels(pa.array(["Ulm"]))


def test_spec_keeps_the_path_as_written(write, tmp_path):
    write("Ulm,D\n")
    hierarchy = HierarchyFile.from_spec("town.csv", tmp_path)
    assert labels(hierarchy, ["Ulm"])[1] == ["D"]
    assert hierarchy.to_spec() == {"file": "town.csv"}
    given = HierarchyFile.from_spec({"path": "town.csv", "delimiter": ";"}, tmp_path)
    assert given.to_spec() == {"file": {"path": "town.csv", "delimiter": ";"}}
    assert given.levels(pa.array(["Ulm,D"])).total == 1
    assert HierarchyFile.from_text("town.csv") == hierarchy


@pytest.mark.parametrize("argument", [None, "", 5, ["a"], {"name": "a"}, {"path": "a", "delimiter": 5}])
def test_wrong_argument(argument):
    with pytest.raises(InputError):
        HierarchyFile.from_spec(argument, Path())
