"""mu-Argus' recodes and code lists."""

import re

import pyarrow as pa
import pytest

from shoal.describe import formats
from shoal.describe.hierarchies.file import HierarchyFile
from shoal.describe.missing_values import levels_of

AGE = "1: -20\n2: 21-30\n3: 31-40, 45\n4:61-\n\n<MISSING> 98 99\n<CODELIST>   Age.cdl\n"
CODES = "1, up to 20\n2,the twenties\n3, the thirties\n98,refused\n"


@pytest.fixture
def age(write):
    write("Age.cdl", CODES)
    return write("Age.grc", AGE)


def test_recodes_with_labels(age, labels):
    found = labels(age, ["7", "20", "21", "45", "61", "98", "99"])
    # 98 and 99 are 61 or more, but they are codes for missing values.
    assert found[1] == ["up to 20", "up to 20", "the twenties", "the thirties", "4", "refused", "99"]
    assert set(found[2]) == {"*"}
    assert labels(age, [25, 1000])[1] == ["the twenties", "4"]


def test_codes_that_no_line_names_are_not_known(age):
    read = formats.read_file(age)
    values = pa.array(["50", "20", "20.5", "x"])
    assert read.knows(values).to_pylist() == [False, True, False, False]
    kept = levels_of(read, values, "own")
    assert kept.labels[1].to_pylist() == ["50", "up to 20", "20.5", "x"]


def test_text_codes(write, labels):
    assert labels(write("x.grc", "1:1,2\nx: a, b c\n"), ["1", "01", "b c"])[1] == ["1", "1", "x"]


def test_labels_that_two_codes_have_are_told_apart(write, labels):
    write("x.cdl", "1,same\n2,same\n")
    path = write("x.grc", '1:1\n2:2\n<CODELIST>"C:\\data\\x.cdl"\n')
    assert labels(path, ["1", "2"])[1] == ["same (1)", "same (2)"]


def test_in_a_spec(age):
    hierarchy = HierarchyFile.from_spec("Age.grc", age.parent)
    assert hierarchy.levels(pa.array(["30"])).labels[1].to_pylist() == ["the twenties"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1: 1-5\n2: 5-9\n", "codes of lines 1 and 2 overlap"),
        ("1: -5\n2: -9\n", "codes of lines 1 and 2 overlap"),
        ("1: 5-\n2: 9\n", "codes of lines 1 and 2 overlap"),
        ("1: 1-5,3\n", "codes of line 1 overlap"),
        ("1: a\n2: a\n", "line 2 repeats a code"),
        ("1: 9-5\n", "line 1 has a range"),
        ("1: -\n", "line 1 has a range"),
        ("1:\n", "line 1 is not"),
        ("hello\n", "line 1 is not"),
        (": 5\n", "line 1 is not"),
        ("1:1\n<OTHER> x\n", "line 2 has the unknown tag <OTHER>"),
        ("1:1\n<CODELIST> none.cdl\n", "'.*none.cdl' does not exist"),
        ("1:1\n<CODELIST>\n", "is a folder"),
        ("<MISSING> 8\n", "there is no line"),
        ("", "is empty"),
    ],
)
def test_bad_recodes(write, refusal, content, message):
    found = refusal(write("x.grc", content))
    assert re.search(message, found), found


def test_a_bad_code_list(write, refusal):
    write("x.cdl", "1,a\n1,b\nno comma\n")
    found = refusal(write("x.grc", "1:1\n<CODELIST> x.cdl\n"))
    assert "in the code list 'x.cdl', line 2 repeats a code" in found
    assert "line 3 is not `code,label`" in found
