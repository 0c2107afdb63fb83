"""ARX's CSV files, read and written."""

import pyarrow as pa
import pytest

import shoal
from shoal.describe import formats
from shoal.describe.formats import arx
from shoal.describe.hierarchy import HierarchyError, Levels

ROWS = [
    ["a;b", 'say "x"', "*"],
    ["c,d", "two\nlines", "*"],
    ["e\tf", "plain", "*"],
    [" g", "", "*"],
    ["''", "'h'", "*"],
]


def levels_of(rows):
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    return Levels.of(columns[0], columns[1:])


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
def test_what_is_written_is_read_again(tmp_path, labels, delimiter):
    path = tmp_path / "x.csv"
    arx.write(levels_of(ROWS), path, delimiter)
    values = [row[0] for row in ROWS]
    assert labels(path, values, delimiter=delimiter) == [list(column) for column in zip(*ROWS, strict=True)]


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends_are_found_out(write, labels, delimiter, line_end):
    rows = [["Ulm", '"D ""x"""', "*"], ["Rome", "I", "*"]]
    path = write("town.csv", line_end.join(delimiter.join(row) for row in rows) + line_end)
    assert labels(path, ["Rome", "Ulm"]) == [["Rome", "Ulm"], ["I", 'D "x"'], ["*", "*"]]


def test_what_a_builder_makes(tmp_path, labels):
    path = tmp_path / "age.csv"
    arx.write(shoal.intervals(5, 10).levels(pa.array([21, 27])), path)
    assert path.read_text() == "21;[20, 25);[20, 30);*\n27;[25, 30);[20, 30);*\n"
    assert labels(path, [27]) == [[27], ["[25, 30)"], ["[20, 30)"], ["*"]]


def test_null_is_text(write, labels):
    assert labels(write("x.csv", "NULL;NULL;*\nnull;none;*\na;a;*\n"), ["null"])[1] == ["none"]


def test_rows_of_one_value_that_differ_are_named_by_line(write, refusal):
    message = refusal(write("x.csv", 'a;x;*\n"b\nc";x;*\n\na;y;*\na;x;*\n'))
    assert "1 value has several rows with different labels.\nFound: lines 1 and 5." in message


def test_a_label_with_two_parents_is_named(write, refusal):
    message = refusal(write("x.csv", "a;x;p;*\nb;x;q;*\nc;y;q;*\n"))
    assert "in the hierarchy 'x.csv', levels 1 and 2 are not nested" in message
    assert "Found: 'x' under 'p' and 'q'." in message


def test_what_is_no_error_is_a_note(write):
    read = formats.read_file(write("x.csv", "a;x\na;x\nb;y\nc;y\n"))
    levels = read.levels(pa.array(["a"]))
    assert levels.notes == (
        "1 row of the hierarchy 'x.csv' is a repetition.",
        "the hierarchy 'x.csv' has 2 labels at its top, so none covers everything.",
    )


def test_ragged_rows_are_named_by_line(write, refusal):
    assert "line 2 has 2 cells" in refusal(write("x.csv", "a;x;*\nb;x\nc;x;*\n"))


def test_binary_forms_are_refused_with_advice(write, refusal):
    assert "export it as CSV" in refusal(write("x.csv", b"\xac\xed\x00\x05sr"))
    assert "export it as CSV" in refusal(write("x.ahs", b"whatever"), format="arx")
    assert "shoal import x.deid" in refusal(write("x.deid", b"PK"))
    assert "Use the recode" in refusal(write("x.cdl", b"1,a"))


def test_nothing_to_write(tmp_path):
    with pytest.raises(HierarchyError, match="no value"):
        arx.write(Levels.of(pa.array([], pa.string()), []), tmp_path / "x.csv")
    assert not list(tmp_path.iterdir())
