"""A release as an Excel workbook: what is in it comes back, and what could not is refused."""

import datetime
import json
from decimal import Decimal
from pathlib import Path

import openpyxl
import pyarrow as pa
import pytest

import shoal
from shoal.errors import InputError
from shoal.read.source import open_source
from shoal.write.table_formats import write_table

MOMENT = datetime.datetime(2026, 1, 31, 12, 30, 15, 250_000)


def back(table, tmp_path):
    write_table(table, tmp_path / "a.xlsx")
    source = open_source(tmp_path / "a.xlsx")
    return source.read(source.columns, [])


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["F", None, " 007 "]),
        pa.array(["=1+1", "#N/A", "+1", "-1", "@x"]),
        pa.array(["x", None, "y"]).dictionary_encode(),
        pa.array([34, None, -(2**53)]),
        pa.array([0.1, 1 / 3, 5e-324, 1.7976931348623157e308]),
        pa.array([True, False, None]),
        pa.array([datetime.date(1900, 3, 1), datetime.date(2026, 1, 31), None]),
        pa.array([MOMENT, None]),
        pa.array([datetime.time(1, 2, 3), None]),
    ],
    ids=lambda column: str(column.type),
)
def test_values_come_back(column, tmp_path):
    table = pa.table({"a": column, "b": ["x"] * len(column)})
    assert back(table, tmp_path).to_pydict() == table.to_pydict()


def test_numbers_come_back_as_floats(tmp_path):
    table = pa.table({"a": [Decimal("1.10")], "b": pa.array([0.1], pa.float32())})
    assert back(table, tmp_path).to_pydict() == {"a": [1.1], "b": table["b"].to_pylist()}


@pytest.mark.parametrize(
    ("column", "found"),
    [
        (pa.array(["", "x"]), "empty texts"),
        (pa.array(["x" * 32_768, "x"]), "texts of more than 32,767 characters"),
        (pa.array(["\x01", "x"]), "control characters"),
        (pa.array(["a\r\nb", "a\nb"]), "control characters"),
        (pa.array(["\ufffe", "x"]), "control characters"),
        (pa.array(["_x0041_", "A"]), "texts like _x0041_, which Excel takes for A"),
        (pa.array([2**53 + 1, 1]), "numbers of more than 15 digits"),
        (pa.array([Decimal("1.000000000000001"), Decimal(1)]), "numbers of more than 15 digits"),
        (pa.array([float("nan"), 1.0]), "numbers that are not finite"),
        (pa.array([datetime.date(1900, 2, 28), None]), "days before 1900-03-01"),
        (pa.array([-719_528, None], pa.date32()), "days before 1900-03-01"),  # 0000-01-01
        (pa.array([3_000_000, None], pa.date32()), "days after 9999-12-31"),
        (pa.array([MOMENT, None], pa.timestamp("us", "UTC")), "timestamps in a time zone"),
        (pa.array([MOMENT.replace(microsecond=1), None]), "times finer than milliseconds"),
        (pa.array([datetime.timedelta(1), None]), "durations"),
        (pa.array([b"x", None]), "values of type binary"),
        (pa.array([pa.MonthDayNano([1, 2, 3]), None]), "values of type month_day_nano_interval"),
    ],
    ids=str,
)
def test_what_would_not_come_back_is_refused(column, found, tmp_path):
    with pytest.raises(InputError, match=f"Column 'a' cannot be written to Excel.\nIt has {found}"):
        write_table(pa.table({"a": column, "b": ["x", "y"]}), tmp_path / "a.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_all_problems_at_once(tmp_path):
    table = pa.table({"a": ["", None], "b": pa.array([None, None], pa.float64())})
    with pytest.raises(InputError) as caught:
        write_table(table, tmp_path / "a.xlsx")
    assert "Column 'a' cannot be written" in str(caught.value)
    assert "rows of nothing but NULL.\nThe release has 1 of them." in str(caught.value)


def test_too_many_rows(tmp_path):
    table = pa.table({"a": pa.nulls(1_048_576, pa.string()).fill_null("x")})
    with pytest.raises(InputError, match="at most 1,048,576 rows with the header"):
        write_table(table, tmp_path / "a.xlsx")


def test_equal_tables_are_equal_bytes(tmp_path, monkeypatch):
    table = pa.table({"a": [1, 2], "b": ["x", "y"]})
    write_table(table, tmp_path / "a.xlsx")
    monkeypatch.setattr("time.time", lambda: 2e9)
    monkeypatch.setattr("time.localtime", lambda *_: datetime.datetime(2033, 5, 18).timetuple())
    write_table(table, tmp_path / "b.xlsx")
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()
    assert openpyxl.load_workbook(tmp_path / "a.xlsx").properties.modified == datetime.datetime(1980, 1, 1)


PEOPLE = [
    ["name", "age", "sex", "pay", "seen"],
    ["Ann", 31, "F", 1000.5, datetime.datetime(2026, 1, 31)],
    ["Bob", 35, "F", 2000, datetime.datetime(2026, 2, 1)],
    ["Cid", 52, "M", 2000, datetime.datetime(2026, 1, 31)],
    ["Dan", 58, "M", 1000.5, datetime.datetime(2026, 2, 1)],
]
SPEC = """\
input: {sheet: people}
columns:
  name: {role: identifier}
  age: {role: quasi-identifier, hierarchy: {intervals: [10]}}
  sex: {role: quasi-identifier}
  pay: {role: sensitive}
  seen: {role: sensitive}
privacy:
  - k-anonymity: 2
  - t-closeness: {column: pay, t: 0}
  - t-closeness: {column: seen, t: 0}
"""


def test_from_workbook_to_workbook(tmp_path, monkeypatch, shoal):
    monkeypatch.chdir(tmp_path)
    book = openpyxl.Workbook()
    sheet = book.create_sheet("people")
    for row in PEOPLE:
        sheet.append(row)
    book.save("people.xlsx")
    Path("spec.yaml").write_text(SPEC, encoding="utf-8")
    done = shoal("anonymize", "people.xlsx", "--spec", "spec.yaml", "--output", "release.xlsx")
    assert done.code == 0, done.err
    audit = ("audit", "release.xlsx", "--spec", "spec.yaml", "--original", "people.xlsx")
    done = shoal(*audit)
    assert done.code == 0, done.err
    manifest = json.loads(Path("release.xlsx.manifest.json").read_text(encoding="utf-8"))
    assert "read_xlsx('release.xlsx', header = true)" in manifest["claims"][0]["sql"]
    assert manifest["spec"]["input"] == {"sheet": "people"}

    book = openpyxl.load_workbook("release.xlsx")
    rows = list(book.active.iter_rows(values_only=True))
    assert rows[0] == ("age", "sex", "pay", "seen")
    assert sorted(row[0] for row in rows[1:]) == ["[30, 40)"] * 2 + ["[50, 60)"] * 2
    book.active["A2"] = "[0, 10)"
    book.save("release.xlsx")
    done = shoal(*audit)
    assert done.code == 4
    assert "FAILS, smallest class 1" in done.out


def test_a_release_that_does_not_fit_leaves_nothing(tmp_path):
    table = pa.table({"sex": ["", ""]})
    spec = shoal.Spec(quasi_identifiers={"sex": "suppress"}, privacy=[shoal.KAnonymity(2)])
    with pytest.raises(InputError, match="`null-values` can make them NULL"):
        shoal.anonymize(table, spec).write(tmp_path / "release.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_without_openpyxl_it_is_known_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'shoal\[excel\]'"):
        shoal.write.check_writable(tmp_path / "release.xlsx")


@pytest.mark.parametrize("name", ["a\x01", "a\rb"])
def test_names_that_would_not_come_back(name, tmp_path):
    with pytest.raises(InputError, match="names of the columns cannot be written to Excel"):
        write_table(pa.table({name: ["x"]}), tmp_path / "a.xlsx")
    assert not list(tmp_path.iterdir())
