"""Amnesia's hierarchies, as text and as JSON."""

import json
import re

import pyarrow as pa
import pytest

from shoal.describe import formats
from shoal.describe.hierarchy import HierarchyError

JOBS = """\
distinct
name job
type string
height 3

office has clerk manager
outdoors has farmer sailor

any has office outdoors
"""
AGES = """\
range
name age
type int
height 3

0.0,20.0 has 0.0,10.0 10.0,20.0
20.0,40.0 has 20.0,30.0 30.0,40.0

0.0,40.0 has 0.0,20.0 20.0,40.0 NaN,NaN
"""
BIRTHS = """\
range
name born
type date
height 3

2000 has 1/2000,6/2000 7/2000,12/2000
2001,2002 has 1/1/2001,31/12/2001 2002

2000,2002 has 2000 2001,2002 null,null
"""


def test_distinct(write, labels):
    found = labels(write("job.txt", JOBS), ["sailor", "clerk"])
    assert found == [["sailor", "clerk"], ["outdoors", "office"], ["any", "any"]]


def test_line_ends_and_case(write, labels):
    text = JOBS.replace("distinct", "Distinct").replace("type string", "TYPE String").replace("\n", "\r\n")
    assert labels(write("job.txt", text), ["farmer"])[1] == ["outdoors"]


def test_only_plain_spaces_separate(write, labels):
    path = write("x.txt", "distinct\nname x\nheight 2\n\nany  has New\u00a0York a\tb \n")
    assert labels(path, ["New\u00a0York", "a\tb"])[1] == ["any", "any"]


def test_values_nearer_to_the_top_stay_themselves(write, labels):
    text = JOBS.replace("any has office", "any has none office")
    assert labels(write("job.txt", text), ["none", "clerk"]) == [
        ["none", "clerk"],
        ["none", "office"],
        ["any", "any"],
    ]


def test_ranges_of_numbers(write, labels):
    found = labels(write("age.txt", AGES), ["0", "10", "19.99", "20", "40"])
    assert found[1] == ["[0, 10)", "[10, 20)", "[10, 20)", "[20, 30)", "[30, 40]"]
    assert found[2] == ["[0, 20)", "[0, 20)", "[0, 20)", "[20, 40]", "[20, 40]"]
    assert set(found[3]) == {"[0, 40]"}
    assert labels(write("age.txt", AGES), [7, 35])[1] == ["[0, 10)", "[30, 40]"]


def test_numbers_in_no_range_are_not_known(write):
    read = formats.read_file(write("age.txt", AGES))
    values = pa.array(["-1", "5", "40.001", "?", "39"])
    assert read.knows(values).to_pylist() == [False, True, False, False, True]
    with pytest.raises(HierarchyError, match="3 values are in none of the ranges") as caught:
        read.levels(values)
    assert caught.value.problems[0].values == ("-1", "40.001", "?")


def test_ranges_of_dates(write, labels):
    path = write("born.txt", BIRTHS)
    days = ["2000-06-30", "1/7/2000", "2002-12-31"]
    found = labels(path, days)
    assert found[1] == [
        "[2000-01-01, 2000-06-30]",
        "[2000-07-01, 2000-12-31]",
        "[2002-01-01, 2002-12-31]",
    ]
    assert found[2][2] == "[2001-01-01, 2002-12-31]"
    typed = pa.array(["2000-06-30", "2000-07-01", "2002-12-31"]).cast(pa.date32())
    assert [label.to_pylist() for label in formats.read_file(path).levels(typed).labels[1:]] == found[1:]
    times = typed.cast(pa.timestamp("s"))
    assert formats.read_file(path).levels(times).labels[1].to_pylist() == found[1]
    zoned = typed.cast(pa.timestamp("s", "UTC"))
    with pytest.raises(HierarchyError, match="with a zone"):
        formats.read_file(path).levels(zoned)


def test_json_says_the_same(write, labels):
    jobs = {
        "hierType": "distinct",
        "name": "job",
        "type": "string",
        "height": 3,
        "level1": {"any": ["office", "outdoors"]},
        "level2": {"office": ["clerk", "manager"], "outdoors": ["farmer", "sailor"]},
    }
    values = ["clerk", "sailor", "farmer"]
    assert labels(write("job.json", json.dumps(jobs)), values) == labels(write("job.txt", JOBS), values)
    ages = {
        "hierType": "range",
        "type": "int",
        "height": 3,
        "level1": {"0-40": ["0-20", "20-40"]},
        "level2": {"0-20": ["0-10", "10-20"], "20-40": ["20-30", "30-40"]},
    }
    assert labels(write("age.json", json.dumps(ages)), ["10"]) == labels(write("age.txt", AGES), ["10"])


def test_negative_ranges(write, labels):
    text = "range\ntype decimal\nheight 2\n\n-10.5,10 has -10.5,-0.5 -0.5,10\n"
    assert labels(write("x.txt", text), ["-0.5", "-1"])[1] == ["[-0.5, 10]", "[-10.5, -0.5)"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("height 3", "height 4", "the height in line 4 is '4', but there are 3 levels"),
        ("office has clerk manager", "office clerk manager", "Found: line 6"),
        ("office has clerk manager", "office has", "Found: line 6"),
        ("name job", "label job", "line 2 is not one of name, type, height"),
        ("farmer sailor", "farmer clerk", "Found: line 6 and line 7"),
        ("farmer sailor", "farmer farmer", "more than once"),
        ("farmer sailor", "farmer any", "there is no|are below themselves"),
    ],
)
def test_bad_text(write, refusal, old, new, message):
    found = refusal(write("job.txt", JOBS.replace(old, new)), format="amnesia")
    assert re.search(message, found), found


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.0,10.0 10.0,20.0", "0.0,10.0 9.0,20.0", "'0.0,10.0' in line 6 and '9.0,20.0' in line 6 overlap"),
        ("0.0,10.0 10.0,20.0", "0.0,10.0 10.0,25.0", "'10.0,25.0' in line 6 is not within '0.0,20.0'"),
        ("0.0,10.0 10.0,20.0", "0.0,10.0 ten", "'ten' in line 6 is not a range of numbers"),
        ("0.0,10.0 10.0,20.0", "0.0,10.0 20,10", "'20,10' in line 6 is not a range"),
        ("type int", "type date", "is not a range of dates"),
    ],
)
def test_bad_ranges(write, refusal, old, new, message):
    assert message in refusal(write("age.txt", AGES.replace(old, new)))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"distinct",
        b"distinct\nheight 1\n\n",
        b"range\nname x\n\nnull,null has null,null",
        b"neither\n",
        b"distinct\nname \xff\n",
    ],
)
def test_broken_text(write, refusal, content):
    assert "x.txt" in refusal(write("x.txt", content), format="amnesia")


@pytest.mark.parametrize(
    "content",
    [
        '{"hierType": "distinct"}',
        '{"hierType": 5, "level1": {"a": ["b"]}}',
        '{"hierType": "distinct", "level2": {"a": ["b"]}}',
        '{"hierType": "distinct", "level1": ["a"]}',
        '{"hierType": "distinct", "level1": {"a": ["b", null]}}',
        '{"hierType": "distinct", "height": 9, "level1": {"a": ["b"]}}',
        '{"hierType": "distinct", "level1": {"a": ["b"], "a": ["c"]}}',
        '{"hierType": "distinct", "level1": {"a": ["\\ud800"]}}',
        '{"hierType": "distinct", ',
        "[]",
    ],
)
def test_broken_json(write, refusal, content):
    assert "x.json" in refusal(write("x.json", content), format="amnesia")
