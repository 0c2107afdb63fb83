"""Excel workbooks, and the ways in which they can be wrong."""

import datetime
import zipfile

import openpyxl
import pyarrow as pa
import pytest

from shoal.errors import InputError
from shoal.read.source import InputFormat, open_source

DAY = datetime.datetime(2026, 1, 31)
MOMENT = datetime.datetime(2026, 1, 31, 12, 30)


@pytest.fixture
def book(tmp_path):
    """Write rows to the first sheet of a workbook."""

    def write(rows, name="people.xlsx", **sheets):
        made = openpyxl.Workbook()
        for row in rows:
            made.active.append(row)
        for title, others in sheets.items():
            sheet = made.create_sheet(title)
            for row in others:
                sheet.append(row)
        made.save(tmp_path / name)
        return tmp_path / name

    return write


def read(path, coded=(), **input_format):
    source = open_source(path, InputFormat(**input_format))
    return source.read(source.columns, coded)


def refusal(call):
    with pytest.raises(InputError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["F", None], pa.string()),
        (["007", " x "], pa.string()),
        ([34, None], pa.int64()),
        ([34, 1.5], pa.float64()),
        ([0.1, 1e-7], pa.float64()),
        ([True, False], pa.bool_()),
        ([MOMENT, DAY], pa.timestamp("us")),
        ([datetime.time(1, 2, 3), None], pa.time64("us")),
        ([datetime.timedelta(hours=30), None], pa.duration("us")),
    ],
    ids=str,
)
@pytest.mark.parametrize("coded", [(), ("a",)])
def test_a_column_of_one_kind_keeps_it(book, cells, kind, coded):
    table = read(book([["a", "b"], *([cell, 1] for cell in cells)]), coded)
    assert table["a"].to_pylist() == cells
    assert (table["a"].type.value_type if coded else table["a"].type) == kind


def test_days_are_dates(book):
    table = read(book([["a"], [DAY], [datetime.date(2000, 2, 29)]]))
    assert table["a"].to_pylist() == [DAY.date(), datetime.date(2000, 2, 29)]


def test_mixed_kinds_are_text_as_in_a_release(book):
    cells = ["K1A", 53715, 1.0, 0.5, True, DAY, datetime.time(1, 2), None, 10**30]
    table = read(book([["a", "b"], *([cell, 1] for cell in cells)]))
    assert table["a"].to_pylist() == [
        "K1A", "53715", "1", "0.5", "true", "2026-01-31 00:00:00.000000", "01:02:00.000000", None, "1e+30",
    ]  # fmt: skip


def test_empty_rows_are_no_rows(book):
    table = read(book([["a", "b"], [1, None], [None, None], [None, 2], [], [3]]))
    assert table.to_pydict() == {"a": [1, None, 3], "b": [None, 2, None]}


def test_no_rows(book):
    table = read(book([["a", "b"]]), coded=["a"])
    assert table.num_rows == 0
    assert table.column_names == ["a", "b"]


def test_null_values_come_before_kinds(book):
    path = book([["age", "sex"], [34, "F"], ["NA", "-"], [None, "NA"]])
    table = read(path, null_values=["NA"])
    assert table.to_pydict() == {"age": [34, None, None], "sex": ["F", "-", None]}
    assert table["age"].type == pa.int64()


def test_a_sheet_by_its_name(book):
    path = book([["a"], [1]], people=[["b"], [2]])
    assert read(path).to_pydict() == {"a": [1]}
    assert read(path, sheet="people").to_pydict() == {"b": [2]}
    message = refusal(lambda: read(path, sheet="peple"))
    assert "has no sheet 'peple'.\nSheets: Sheet, people.\nDid you mean 'people'?" in message


def test_values_of_formulas_that_were_never_computed(book):
    message = refusal(lambda: read(book([["a", "b"], [1, "=A2+1"], [2, "=A3+1"]])))
    assert "'people.xlsx' has 2 formulas without saved values." in message


def test_saved_values_of_formulas(book):
    path = book([["a", "b"], [1, "=A2+1"]])
    with zipfile.ZipFile(path) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"]
    computed = (
        sheet.replace(b"<v></v>", b"<v>2</v>").replace(b"<v />", b"<v>2</v>").replace(b"<v/>", b"<v>2</v>")
    )
    assert computed != sheet
    with zipfile.ZipFile(path, "w") as new:
        for name, content in {**parts, "xl/worksheets/sheet1.xml": computed}.items():
            new.writestr(name, content)
    assert read(path).to_pydict() == {"a": [1], "b": [2]}


def test_errors_are_no_values_unless_they_are_null(book):
    path = book([["a", "b"], [1, "#N/A"], ["#DIV/0!", "x"], [3, "#N/A"]])
    message = refusal(lambda: read(path))
    assert "Column 'a' of 'people.xlsx' has errors such as #N/A, in 1 cell." in message
    assert "Column 'b' of 'people.xlsx' has errors such as #N/A, in 2 cells." in message
    assert read(path, null_values=["#N/A", "#DIV/0!"]).to_pydict() == {
        "a": [1, None, 3],
        "b": [None, "x", None],
    }


def test_names_are_checked(book):
    message = refusal(lambda: read(book([["a", None, "b", "a"], [1, 2, 3, 4]])))
    assert "The first row of 'people.xlsx' has columns without a name: number 2." in message
    assert "repeats column names: 'a' (2 times)." in message
    message = refusal(lambda: read(book([["Ann", 34, "F"], ["Bob", 51, "M"]])))
    assert "cells that are not text: number 2." in message
    assert "34" not in message
    assert "has no columns" in refusal(lambda: read(book([])))


def test_cells_beside_the_header(book):
    message = refusal(lambda: read(book([["a"], [1], [2, "secret"]])))
    assert "cells to the right of its header, which ends in column 1.\nFound: row 3." in message
    assert "secret" not in message
    assert read(book([["a", None, None], [1]])).to_pydict() == {"a": [1]}


def test_wanted_columns(book):
    assert "Did you mean 'zip'?" in refusal(lambda: open_source(book([["zip"], [1]])).read(["zipp"], []))


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_truncated_workbook(book, share):
    path = book([["a"], *([i] for i in range(1000))])
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    assert "'people.xlsx' is not a complete Excel workbook." in refusal(lambda: read(path))


def test_a_zip_archive_that_is_no_workbook(tmp_path):
    with zipfile.ZipFile(tmp_path / "people.xlsx", "w") as archive:
        archive.writestr("people.csv", "a\n1\n")
    assert "is not a complete Excel workbook" in refusal(lambda: open_source(tmp_path / "people.xlsx"))


def test_a_protected_workbook(tmp_path):
    # A password turns the whole file into a compound document, as the old .xls is one.
    (tmp_path / "people.xlsx").write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(4096))
    message = refusal(lambda: open_source(tmp_path / "people.xlsx"))
    assert "an old or protected Office file.\nSave it without a password as .xlsx" in message


def test_an_empty_file(tmp_path):
    (tmp_path / "people.xlsx").touch()
    assert "File 'people.xlsx' is empty." in refusal(lambda: open_source(tmp_path / "people.xlsx"))


def test_text_named_as_a_workbook(tmp_path):
    (tmp_path / "people.xlsx").write_text("a,b\n1,2\n", encoding="utf-8")
    assert "is not a complete Excel workbook" in refusal(lambda: open_source(tmp_path / "people.xlsx"))


def test_without_openpyxl(book, monkeypatch):
    path = book([["a"], [1]])
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert refusal(lambda: open_source(path)) == (
        "Reading Excel files needs the package openpyxl, which is not installed.\n"
        "Install it: pip install 'shoal[excel]'."
    )
