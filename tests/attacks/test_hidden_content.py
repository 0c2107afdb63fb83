"""A release holds more than its rows, where people do not look and programs do.

The attacker opens the file with other tools: hidden sheets, comments, properties and old texts of an Excel
workbook, metadata, dictionaries, statistics and unread bytes of a Parquet file, what gzip keeps beside a
text, keys that a manifest has twice. The manifest fits the file. Neither checker nor audit looked at any of
it.
"""

from __future__ import annotations

import gzip
import re
import zipfile
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl.comments import Comment
from openpyxl.styles import Font
from openpyxl.workbook.defined_name import DefinedName

import shoal
from shoal.audit import audit_release
from shoal.audit.hidden_content import HIDDEN, hidden_content, hidden_finding
from shoal.audit.parquet_footer import _is_greatest, _is_least, has_gaps
from shoal.errors import InputError
from shoal.read.source import InputFormat
from shoal.write import write_table
from tests.attacks.evidence import check, refit
from tests.unit.tampering import PEOPLE, manifest_of, rewrite, spec, write


def found(release: Path) -> str:
    """Return what the audit says of hidden content, which must fail and show nothing of it."""
    (finding,) = (finding for finding in audit_release(release).findings if finding.claim == HIDDEN)
    assert not finding.holds
    assert "Ann" not in finding.measured
    return finding.measured


def one_class() -> shoal.Spec:
    """Return a spec by which four people of one age are a class, and keep it."""
    return shoal.Spec(
        quasi_identifiers={"age": "suppress"}, sensitive=["disease"], privacy=[shoal.KAnonymity(4)]
    ).adjust(levels={"age": 0})


WORKBOOKS: dict[str, Callable[[openpyxl.Workbook], object]] = {
    "further sheets": lambda book: book.create_sheet("more").append(["Ann"]),
    "hidden sheets": lambda book: setattr(book.create_sheet("more"), "sheet_state", "veryHidden"),
    "defined names": lambda book: book.defined_names.add(DefinedName("people", attr_text='"Ann"')),
    "hidden rows": lambda book: setattr(book.active.row_dimensions[3], "hidden", True),
    "hidden columns": lambda book: setattr(book.active.column_dimensions["B"], "hidden", True),
    "comments": lambda book: setattr(book.active["A2"], "comment", Comment("Ann", "Ann")),
    "'creator'": lambda book: setattr(book.properties, "creator", "Ann"),
    "'title'": lambda book: setattr(book.properties, "title", "Ann"),
    "'lastModifiedBy'": lambda book: setattr(book.properties, "lastModifiedBy", "Ann"),
    "'headerFooter'": lambda book: setattr(book.active.oddHeader.center, "text", "Ann"),
    "docProps/custom.xml": lambda book: book.custom_doc_props.append(
        openpyxl.packaging.custom.StringProperty(name="who", value="Ann")
    ),
}


@pytest.mark.parametrize("what", WORKBOOKS)
def test_in_a_workbook(tmp_path: Path, what: str) -> None:
    release = write(tmp_path, name="release.xlsx")
    book = openpyxl.load_workbook(release)
    book.save(release)
    refit(release)
    assert audit_release(release).holds  # a workbook that another program saved
    WORKBOOKS[what](book)
    book.save(release)
    refit(release)
    assert what in found(release)


FORMATS = ["yyyy-mm-dd", r"yyyy\-mm\-dd\ hh:mm:ss", "[$-409]d/m/yyyy;@", "h:mm AM/PM", "0.00", "#,##0", "0%"]


def test_number_formats_of_a_workbook(tmp_path: Path) -> None:
    """A cell of 1 that Excel shows as a name: the audit goes by its value."""
    release = write(tmp_path, name="release.xlsx")
    for form in FORMATS:
        book = openpyxl.load_workbook(release)
        cells, *_ = book.active.iter_cols(min_row=2)
        for cell in cells:
            cell.number_format = form
        book.save(release)
        refit(release)
        assert audit_release(release).holds, form
    for form in ('"Ann"', r"\A\n\n", "0;0;0;Ann", ";;;", '0" Ann"', "[Red]0", "_A0", "*A0", "[$Ann]0", "'-'"):
        cells[0].number_format = form
        book.save(release)
        refit(release)
        assert "number formats" in found(release), form


def _formatted(cells: Sequence[Any]) -> None:
    for cell, form in zip(cells, ["General", "0.0", "0.00", "0%"], strict=True):
        cell.number_format = form


def _text(cells: Sequence[Any]) -> None:
    cells[0].value, cells[0].data_type = "5", "s"


LOOKS: dict[str, Callable[[Sequence[Any]], object]] = {
    "5, 5.0, 5.00 and 500%": _formatted,
    "a colour": lambda cells: setattr(cells[0], "font", Font(color="FF0000")),
    "a number and a text": _text,
}


@pytest.mark.parametrize("what", LOOKS)
def test_cells_of_one_value_that_look_different(tmp_path: Path, what: str) -> None:
    """One class of four for the audit, and for whoever opens the workbook somebody who stands alone."""
    people = pa.table({"age": [5] * 4, "disease": ["flu", "cold"] * 2})
    path = shoal.anonymize(people, one_class()).write(tmp_path / "release.xlsx")
    book = openpyxl.load_workbook(path)
    LOOKS[what]([row[0] for row in book.active.iter_rows(min_row=2)])
    book.save(path)
    refit(path)
    assert found(path) == "cells of one column in several formats"


@pytest.mark.parametrize("text", [b"<t>_x0063_old</t>", b"<t> cold</t>"])
def test_texts_that_are_one_in_excel(tmp_path: Path, text: bytes) -> None:
    """Two diseases for the audit, and for Excel one: it reads escapes, and drops spaces that are not kept."""
    release = write(tmp_path, name="release.xlsx")
    with zipfile.ZipFile(release) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    parts[SHEET] = parts[SHEET].replace(b"<t>flu</t>", text)
    with zipfile.ZipFile(release, "w") as book:
        for name, content in parts.items():
            book.writestr(name, content)
    refit(release)
    assert found(release) == "texts that Excel shows otherwise"


@pytest.mark.parametrize(
    "what",
    [
        "texts that no cell has",
        "a part",
        "same name",
        "ZIP file",
        "formulas",
        "comments in XML",
        "bytes between",
    ],
)
def test_in_the_parts_of_a_workbook(tmp_path: Path, what: str) -> None:
    release = write(tmp_path, name="release.xlsx")
    openpyxl.load_workbook(release).save(release)
    with zipfile.ZipFile(release) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    if what == "texts that no cell has":
        parts["xl/sharedStrings.xml"] = b"<sst><si><t>Ann</t></si></sst>"
    elif what == "formulas":
        sheet = parts["xl/worksheets/sheet1.xml"]
        cell = re.sub(
            rb'(<c r="A2" t=")inlineStr"><is><t>(.*?)</t></is>', rb'\1str"><f>IF(1,2,3)</f><v>\2</v>', sheet
        )
        assert cell != sheet
        parts["xl/worksheets/sheet1.xml"] = cell
    elif what == "comments in XML":
        sheet = parts["xl/worksheets/sheet1.xml"]
        parts["xl/worksheets/sheet1.xml"] = sheet.replace(b"</worksheet>", b"<!-- Ann --></worksheet>")
    elif what == "a part":
        parts["xl/pivotCache/pivotCacheRecords1.xml"] = b"<r>Ann</r>"
    with zipfile.ZipFile(release, "w") as book:
        for name, content in parts.items():
            book.writestr(name, content)
        if what == "ZIP file":
            book.comment = b"Ann"
        if what == "same name":
            with pytest.warns(UserWarning, match="Duplicate"):
                book.writestr("xl/worksheets/sheet1.xml", parts["xl/worksheets/sheet1.xml"])
        if what == "bytes between":  # a part that the directory does not have
            book.writestr("xl/people.xml", b"<r>Ann</r>")
            del book.NameToInfo["xl/people.xml"]
            book.filelist.pop()
    refit(release)
    assert what in found(release)


SHEET = "xl/worksheets/sheet1.xml"
IN_XML: dict[str, tuple[str, str, bytes, bytes]] = {
    "in a row": ("texts outside the cells", SHEET, b"</row>", b"Ann</row>"),
    "in an element of a row": ("texts outside the cells", SHEET, b"</row>", b"<x>Ann</x></row>"),
    "in a cell": ("further contents", SHEET, b"</is></c>", b"</is><v>34</v></c>"),
    "in a second value": ("further contents", SHEET, b"</is></c>", b"</is><is><t>Ann</t></is></c>"),
    "in a view": ("texts outside the cells", SHEET, b"</sheetViews>", b"<t>Ann</t></sheetViews>"),
    "in the styles": ("texts outside the cells", "xl/styles.xml", b"</fonts>", b"Ann</fonts>"),
    "in the workbook": ("texts outside the cells", "xl/workbook.xml", b"</bookViews>", b"Ann</bookViews>"),
    "in a link": (
        "links to other files",
        "xl/_rels/workbook.xml.rels",
        b"</Relationships>",
        b'<Relationship Id="r9" Type="x" Target="Ann" TargetMode="External"/></Relationships>',
    ),
    "in a declaration": (
        "comments in XML",
        "xl/styles.xml",
        b"<styleSheet",
        b'<!DOCTYPE s [<!ENTITY a "Ann">]><styleSheet',
    ),
    "in a cell outside the cells": (
        "texts outside the cells",
        SHEET,
        b"</sheetViews>",
        b"<c><v>Ann</v></c></sheetViews>",
    ),
    "in a run of text in the styles": (
        "texts outside the cells",
        "xl/styles.xml",
        b"</fonts>",
        b"<r><t>Ann</t></r></fonts>",
    ),
    "in a run of text in the links": (
        "texts outside the cells",
        "_rels/.rels",
        b"</Relationships>",
        b"<r><t>Ann</t></r></Relationships>",
    ),
    "in a run of two texts": (
        "further contents",
        SHEET,
        b"<is><t>flu</t></is>",
        b"<is><r><t>Ann</t><t>flu</t></r></is>",
    ),
    "between the properties": (
        "texts outside the cells",
        "docProps/app.xml",
        b"<AppVersion>",
        b"Ann<AppVersion>",
    ),
    "in the name of the program": (
        "'Application'",
        "docProps/app.xml",
        b"Microsoft Excel Compatible",
        b"Ann has gout,",
    ),
    "in bold letters": (
        "formats of their own",
        SHEET,
        b"<is><t>flu</t></is>",
        b"<is><r><rPr><b/></rPr><t>flu</t></r></is>",
    ),
    "in the height of a row": ("formats of their own", SHEET, b'<row r="3">', b'<row r="3" ht="60">'),
    "in the colour of a row": ("formats of their own", SHEET, b'<row r="3">', b'<row r="3" s="1">'),
    "in rows that are too thin": ("hidden rows", SHEET, b'<row r="3">', b'<row r="3" ht="0.2">'),
    "in rows without a height": (
        "hidden rows or columns",
        SHEET,
        b'defaultRowHeight="15"',
        b'defaultRowHeight="0"',
    ),
    "in rows that are hidden unless they say otherwise": (
        "hidden rows or columns",
        SHEET,
        b'defaultRowHeight="15"',
        b'defaultRowHeight="15" zeroHeight="1"',
    ),
    "in a row that is there twice": (
        "there twice",
        SHEET,
        b"</sheetData>",
        b'<row r="2"><c r="A2" t="inlineStr"><is><t>Ann</t></is></c></row></sheetData>',
    ),
}


@pytest.mark.parametrize("what", IN_XML)
def test_in_the_xml_of_a_workbook(tmp_path: Path, what: str) -> None:
    """Programs pass over it, or take the second row of a number in place of the first, which is audited."""
    release = write(tmp_path, name="release.xlsx")
    expected, part, old, new = IN_XML[what]
    with zipfile.ZipFile(release) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    assert old in parts[part]
    parts[part] = parts[part].replace(old, new)
    with zipfile.ZipFile(release, "w") as book:
        for name, content in parts.items():
            book.writestr(name, content)
    refit(release)
    assert expected in found(release)


def test_in_texts_that_are_shared(tmp_path: Path) -> None:
    """Of two texts openpyxl takes the second, which is audited; others show both."""
    release = write(tmp_path, name="release.xlsx")
    with zipfile.ZipFile(release) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    texts = re.findall(rb'"inlineStr"><is><t>(.*?)</t></is>', parts[SHEET])
    number = iter(range(len(texts)))
    parts[SHEET] = re.sub(
        rb'"inlineStr"><is>.*?</is>', lambda _: b'"s"><v>%d</v>' % next(number), parts[SHEET]
    )
    kind = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"
    links = "xl/_rels/workbook.xml.rels"
    link = b'<Relationship Type="%s" Target="sharedStrings.xml" Id="r9"/></Relationships>' % kind
    parts[links] = parts[links].replace(b"</Relationships>", link)
    kind = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    types = "[Content_Types].xml"
    link = b'<Override PartName="/xl/sharedStrings.xml" ContentType="%s"/></Types>' % kind
    parts[types] = parts[types].replace(b"</Types>", link)
    for more in (b"", b"<t>Ann</t>"):
        shared = b"".join(b"<si>%s<t>%s</t></si>" % (more, text) for text in texts)
        main = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        parts["xl/sharedStrings.xml"] = b'<sst xmlns="%s">%s</sst>' % (main, shared)
        with zipfile.ZipFile(release, "w") as book:
            for name, content in parts.items():
                book.writestr(name, content)
        refit(release)
        if more:
            assert "further contents" in found(release)
        else:
            assert audit_release(release).holds


def test_in_a_sheet_that_is_called_otherwise(tmp_path: Path) -> None:
    """Programs go by the links between the parts; its hidden rows were looked for in parts called sheets."""
    release = write(tmp_path, name="release.xlsx")
    with zipfile.ZipFile(release) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    other = "xl/theme/theme2.xml"
    parts[other] = parts.pop(SHEET).replace(b'<row r="3">', b'<row r="3" hidden="1">')
    with zipfile.ZipFile(release, "w") as book:
        for name, content in parts.items():
            book.writestr(name, content.replace(SHEET.encode(), other.encode()))
    refit(release)
    assert "texts outside the cells" in found(release)


def _parquet(what: str, table: pa.Table) -> pa.Table:
    if what == "metadata 'pandas'":
        return pa.Table.from_pandas(table.to_pandas())
    if what == "metadata 'people'":
        return table.replace_schema_metadata({"people": "Ann"})
    if what == "metadata of columns":
        return table.cast(pa.schema([field.with_metadata({"who": "Ann"}) for field in table.schema]))
    values = pa.DictionaryArray.from_arrays([0] * table.num_rows, ["flu", "Ann"])
    return table.set_column(table.schema.get_field_index("disease"), "disease", values)


IN_COLUMNS: dict[str, Callable[[pa.Array], pa.Array]] = {
    "bytes": lambda values: values,
    "list": lambda values: pa.ListArray.from_arrays([0, 1, 2, 3], values),
    "struct": lambda values: pa.StructArray.from_arrays([values], ["x"]),
}


@pytest.mark.parametrize("inside", IN_COLUMNS)
def test_in_dictionaries_of_other_types(tmp_path: Path, inside: str) -> None:
    path = tmp_path / "release.parquet"
    kind = pa.binary() if inside == "bytes" else pa.string()
    for known, expected in ((["flu", "gout"], []), (["flu", "gout", "Ann"], ["values that no row has"])):
        values = pa.DictionaryArray.from_arrays([0, 1, 1], pa.array(known, kind))
        table = pa.table({"a.b": ["x"] * 3, "a": IN_COLUMNS[inside](values)})
        pq.write_table(table, path, store_schema=False)
        said = list(hidden_content(path, written_by_shoal=True))
        assert [what.partition(", in ")[0] for what in said] == expected


@pytest.mark.parametrize(
    "what", ["metadata 'pandas'", "metadata 'people'", "metadata of columns", "values that no row has"]
)
def test_in_a_parquet_file(tmp_path: Path, what: str) -> None:
    release = write(tmp_path, name="release.parquet")
    pq.write_table(_parquet(what, pq.read_table(release)), release)
    refit(release)
    assert what in found(release)


def _with_null_count(file: Path, column: int, wrong: int) -> None:
    """Put another number of NULL into the statistics of a column: one byte of the footer, in zigzag form."""
    data = file.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    right = pq.read_metadata(file).row_group(0).column(column).statistics.null_count
    for place in range(start, len(data) - 8):
        if data[place] != 2 * right:
            continue
        file.write_bytes(data[:place] + bytes([2 * wrong]) + data[place + 1 :])
        try:
            found = pq.read_metadata(file).row_group(0).column(column).statistics
            if found is not None and found.null_count == wrong:
                return
        except (OSError, pa.ArrowException):
            continue
    raise AssertionError("no such number")


def test_statistics_of_a_parquet_file_are_not_believed(tmp_path: Path) -> None:
    """DuckDB answers from them how many cells are NULL, and four of eight were none."""
    age = shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0, null="forbid")
    asked = shoal.Spec(quasi_identifiers={"age": age}, privacy=[shoal.KAnonymity(2)])
    people = pa.table({"age": ["30"] * 4 + ["31"] * 4})
    release = shoal.anonymize(people, asked).write(tmp_path / "release.parquet")
    nulls = pa.table({"age": ["30"] * 4 + [None] * 4})
    pq.write_table(nulls, release, store_schema=False)
    _with_null_count(release, 0, 0)
    refit(release)
    assert duckdb.sql(f"SELECT count(*) - count(age) FROM '{release}'").fetchall() == [(0,)]
    (finding,) = (found for found in audit_release(release).findings if found.claim == "no NULL in age")
    assert (finding.holds, finding.measured) == (False, "4 in age")


DAY = date(2001, 2, 3)
STATISTICS: dict[str, tuple[list[object], object]] = {
    "text": (["30-39", "50-59"], "29-29"),
    "a greater text": (["30-39", "50-59"], "50-5:"),  # no cut text, though it begins like one
    "a long text": (["b" * 40, "c" * 40], "Ann" + "b" * 37),
    "a view of text": (["30-39", "50-59"], "29-29"),
    "number": ([30, 50], 29),
    "decimal": ([Decimal("30.5"), Decimal("50.5")], Decimal("29.5")),
    "date": ([DAY, DAY.replace(year=2005)], DAY.replace(year=2009)),
    "time": ([datetime(2001, 2, 3), datetime(2005, 2, 3)], datetime(2001, 2, 2, 23, 59, 59, 999_999)),
    "list": ([["b"], ["c", "d"]], ["e"]),
    "struct": ([{"x.y": 1}, {"x.y": 2}], {"x.y": 3}),
    "number of NULL": (["a", "b"], None),
}


@pytest.mark.parametrize("what", STATISTICS)
def test_statistics_of_others_rows(tmp_path: Path, what: str) -> None:
    """Two files whose footers have the same length: the rows of one, and what the other says of its own."""
    values, secret = STATISTICS[what]
    kind = pa.string_view() if what == "a view of text" else pa.array([*values, secret]).type
    true, other = tmp_path / "true.parquet", tmp_path / "other.parquet"
    # without compression and dictionaries all pages have the same length, too
    how: dict[str, Any] = {"compression": "none", "use_dictionary": False, "row_group_size": 3}
    rows = {"before.x": [1, 2, 3] * 2, "before": [1, 2, 3] * 2}
    own, others = [*values, values[0]] * 2, [*values, values[0], *values, secret]
    pq.write_table(pa.table(rows | {"a.b": pa.array(own, kind)}), true, **how)
    assert list(hidden_content(true, written_by_shoal=True)) == []
    pq.write_table(pa.table(rows | {"a.b": pa.array(others, kind)}), other, **how)
    if what == "number of NULL":
        _with_null_count(true, 2, 1)
    else:
        footers = [pq.read_metadata(file).serialized_size + 8 for file in (true, other)]
        pages = [len(file.read_bytes()) - footer for file, footer in zip((true, other), footers, strict=True)]
        assert pages[0] == pages[1]
        true.write_bytes(true.read_bytes()[: pages[0]] + other.read_bytes()[pages[0] :])
    (said,) = hidden_content(true, written_by_shoal=True)
    assert re.fullmatch(r"statistics that the rows do not have, in 'a\.b[.\w]*'", said)


def _varint(number: int) -> bytes:
    """Return a number that is not negative in Thrift's compact form."""
    number, found = 2 * number, []
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


MERGED = {
    "nanoseconds of INT96": pa.array([1, 2, 3, 4], pa.timestamp("ns")),
    "39 digits": pa.array([Decimal(10**39 + place) for place in range(4)], pa.decimal256(40, 0)),
    "zeros": pa.array([0.0, -0.0, 0.0, 0.0]),
}


@pytest.mark.parametrize("what", MERGED)
def test_values_that_are_one_for_the_audit_alone(tmp_path: Path, what: str) -> None:
    """DuckDB finds one class of four, where other programs show people who stand alone."""
    ages = MERGED[what]
    assert len({str(age) for age in ages.to_pylist()}) > 1
    people = pa.table({"age": ages[:1].take([0] * 4), "disease": ["flu", "cold"] * 2})
    if what == "39 digits":  # which Shoal refuses to release
        people = people.set_column(0, "age", pa.array([5] * 4))
    path = shoal.anonymize(people, one_class()).write(tmp_path / "release.parquet")
    assert audit_release(path).holds
    forged = people.set_column(0, "age", ages)
    pq.write_table(
        forged, path, store_schema=False, use_deprecated_int96_timestamps=what == "nanoseconds of INT96"
    )
    refit(path)
    assert duckdb.sql(f"SELECT count(DISTINCT age) FROM '{path}'").fetchall() == [(1,)]
    assert found(path).startswith("values that programs tell apart and the audit does not, in 'age'")


def test_times_of_spark_are_compared_as_they_are(tmp_path: Path) -> None:
    path = shoal.anonymize(
        pa.table({"age": pa.array([1000] * 4, pa.timestamp("ns")), "disease": ["flu"] * 4}), one_class()
    ).write(tmp_path / "release.parquet")
    pq.write_table(pq.read_table(path), path, store_schema=False, use_deprecated_int96_timestamps=True)
    refit(path)
    assert audit_release(path).holds


@pytest.mark.parametrize("text", [b"parquet-cpp-arrow", b"disease"])
def test_names_in_a_footer_that_are_no_text(tmp_path: Path, text: bytes) -> None:
    """Whoever damages the file ended the audit with a traceback, which nobody reads as a refusal."""
    release = write(tmp_path, name="release.parquet")
    content = release.read_bytes()
    assert text in content
    release.write_bytes(content.replace(text, b"\xff" + text[1:]))
    refit(release)
    try:
        assert audit_release(release).fails
    except InputError as error:
        assert "'release.parquet' is not" in str(error)


def test_a_text_in_place_of_a_time_zone(tmp_path: Path) -> None:
    for zone, honest in (("Europe/Berlin", True), ("+01:00", True), ("Ann has gout", False)):
        table = pa.table({"age": pa.array([0] * 4, pa.timestamp("us", "UTC")), "disease": ["flu"] * 4})
        path = shoal.anonymize(table, one_class()).write(tmp_path / f"{honest}{zone[:2]}.parquet")
        ages = table["age"].cast(pa.timestamp("us", zone))
        pq.write_table(table.set_column(0, "age", ages), path)
        refit(path)
        assert audit_release(path).holds == honest, zone
        if not honest:
            assert "metadata of columns" in found(path)


def test_metadata_of_a_column_in_a_row_group(tmp_path: Path) -> None:
    """Key and value between the size of a column (field 7 of its metadata) and where it begins (field 9)."""
    release = write(tmp_path, name="release.parquet")
    about, data = pq.read_metadata(release).row_group(0).column(1), release.read_bytes()
    size, start = _varint(about.total_compressed_size), _varint(about.data_page_offset)
    before = b"\x16" + size + b"\x26" + start
    pair = b"\x18\x03who\x18\x03Ann\x00"
    length = int.from_bytes(data[-8:-4], "little")
    footer = data[-8 - length : -8]
    assert footer.count(before) == 1
    footer = footer.replace(before, b"\x16" + size + b"\x19\x1c" + pair + b"\x16" + start)
    release.write_bytes(data[: -8 - length] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    assert pq.read_metadata(release).row_group(0).column(1).metadata == {b"who": b"Ann"}
    refit(release)
    assert found(release) == "metadata of the columns 'sex'"


def test_number_of_distinct_values(tmp_path: Path) -> None:
    """DuckDB writes it, and what a column with five values says of itself is not said of one with four."""
    file = tmp_path / "release.parquet"
    duckdb.sql(f"COPY (SELECT i % 4 AS a FROM range(400) AS t (i)) TO '{file}'")
    assert list(hidden_content(file, written_by_shoal=True)) == []
    assert pq.read_metadata(file).row_group(0).column(0).statistics.distinct_count == 4
    data = file.read_bytes()
    start = len(data) - 8 - pq.read_metadata(file).serialized_size
    for place in (place for place in range(start, len(data) - 8) if data[place] == 8):
        file.write_bytes(data[:place] + bytes([10]) + data[place + 1 :])
        try:
            if pq.read_metadata(file).row_group(0).column(0).statistics.distinct_count == 5:
                break
        except (OSError, AttributeError, pa.ArrowException):
            continue
    assert list(hidden_content(file, written_by_shoal=True)) == [
        "statistics that the rows do not have, in 'a'"
    ]


@pytest.mark.parametrize(
    ("said", "least", "greatest"),
    [
        ("b" * 16, True, False),
        ("b" * 15 + "c", False, True),
        ("b" * 15, False, False),  # so short may be another value
        ("b" * 16 + "d", False, False),
        (b"b" * 16, False, False),
    ],
)
def test_statistics_of_long_texts_may_be_cut(said: object, least: bool, greatest: bool) -> None:
    assert _is_least(said, "b" * 40) is least
    assert _is_greatest(said, "b" * 40) is greatest


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_bytes_that_no_reader_of_parquet_reads(tmp_path: Path, engine: str) -> None:
    people, release = tmp_path / "people.parquet", tmp_path / "release.parquet"
    pq.write_table(PEOPLE, people)
    shoal.anonymize(people, spec(), engine=engine, output=release)
    assert audit_release(release).holds
    data = release.read_bytes()
    at = len(data) - 8 - pq.read_metadata(release).serialized_size
    release.write_bytes(data[:at] + b"Ann" + data[at:])
    assert pq.read_table(release).num_rows == 12
    refit(release)
    assert found(release) == "bytes that belong to no column"


def test_bloom_filters_and_page_indexes(tmp_path: Path) -> None:
    """Other tools write them, and Shoal does not."""
    file = tmp_path / "file.parquet"
    duckdb.sql(f"COPY (SELECT i % 4 AS a FROM range(400) AS t (i)) TO '{file}'")
    assert not has_gaps(file, written_by_shoal=False)
    pq.write_table(PEOPLE, file, write_page_index=True)
    assert not has_gaps(file, written_by_shoal=False)
    assert has_gaps(file, written_by_shoal=True)


def _rezipped(release: Path, start: bytes = b"", end: bytes = b"", **header: str) -> None:
    text = gzip.decompress(release.read_bytes())
    with release.open("wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0, **header) as packed:
        packed.write(start + text)
    release.write_bytes(release.read_bytes() + end)


FILES: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a byte order mark": ("csv", lambda file: file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())),
    "a name, comment": ("csv.gz", lambda file: _rezipped(file, filename="Ann")),
    "bytes after the end": ("csv.gz", lambda file: _rezipped(file, filename="", end=gzip.compress(b""))),
    "a byte order mark in gzip": ("csv.gz", lambda file: _rezipped(file, b"\xef\xbb\xbf", filename="")),
}


@pytest.mark.parametrize("what", FILES)
def test_in_a_csv_file(tmp_path: Path, what: str) -> None:
    kind, change = FILES[what]
    release = write(tmp_path, name=f"release.{kind}")
    assert check(release)[0] == 0
    change(release)
    refit(release)
    assert what.removesuffix(" in gzip") in found(release)
    code, said = check(release)
    assert code == 1
    assert f"{HIDDEN}: FAILS" in said


def test_a_manifest_with_a_key_twice(tmp_path: Path) -> None:
    """One reader sees k = 3 and the other k = 30."""
    release = write(tmp_path)
    manifest = release.with_name("release.csv.manifest.json")
    text = manifest.read_text(encoding="utf-8")
    for twice in (
        text.replace('"k-anonymity": 3', '"k-anonymity": 30, "k-anonymity": 3', 1),
        text.replace("{", '{"format": "shoal-manifest/9",', 1),
    ):
        assert twice != text
        manifest.write_text(twice, encoding="utf-8")
        with pytest.raises(InputError, match="a key twice"):
            audit_release(release)
        code, said = check(release)
        assert code == 1
        assert "a key twice" in said


def _frames() -> dict[str, object]:
    """Return people with secrets wherever a frame can keep them beside its rows."""
    fields = [field.with_metadata({"who": "Ann"}) for field in PEOPLE.schema]
    noted = PEOPLE.cast(pa.schema(fields, metadata={"who": "Ann"}))
    frame = PEOPLE.to_pandas()
    frame["disease"] = pd.Categorical(frame["disease"], categories=["flu", "cold", "gout", "Ann"])
    frame.index = [f"Ann {place}" for place in range(13)]
    frame.attrs["who"] = "Ann"
    return {"arrow": noted, "pandas": frame, "polars": pl.from_pandas(frame)}


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "xlsx"])
@pytest.mark.parametrize("frame", ["arrow", "pandas", "polars"])
def test_shoal_writes_none_of_it(tmp_path: Path, frame: str, kind: str) -> None:
    release = shoal.anonymize(_frames()[frame], spec()).write(tmp_path / f"release.{kind}")
    assert list(hidden_content(release, written_by_shoal=True)) == []
    assert b"Ann" not in release.read_bytes()


def test_nor_in_a_file_of_several_row_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrow wrote all values of a table into every group, so a release of many rows failed its own audit."""
    monkeypatch.setattr("shoal.write.table_formats._ROWS_IN_A_GROUP", 3)
    table = pa.table(
        {"a": pa.array(["x", "y", None, "y", None, "y", "z"]).dictionary_encode(), "b": range(7)}
    )
    for rows in (table, pa.concat_tables([table, table.slice(2, 3)]), table.slice(0, 0)):
        write_table(rows, tmp_path / "release.parquet")
        assert list(hidden_content(tmp_path / "release.parquet", written_by_shoal=True)) == []
        read = pq.read_table(tmp_path / "release.parquet")
        assert read.schema == rows.schema
        assert read.to_pylist() == rows.to_pylist()


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet"])
def test_nor_does_duckdb(tmp_path: Path, kind: str) -> None:
    people = tmp_path / "people.parquet"
    pq.write_table(_frames()["arrow"], people)
    shoal.anonymize(people, spec(), engine="duckdb", output=tmp_path / f"release.{kind}")
    assert list(hidden_content(tmp_path / f"release.{kind}", written_by_shoal=True)) == []
    assert duckdb.sql(f"SELECT count(*) FROM '{tmp_path / f'release.{kind}'}'").fetchall() == [(12,)]


@pytest.mark.parametrize(
    "hidden", [".people.xlsx", "_people", ".part-0.csv.crc", "_more/people.csv", ".more/x"]
)
def test_in_a_folder(tmp_path: Path, hidden: str) -> None:
    """Programs pass over names that begin so; whoever gets the folder gets them all the same."""
    release = write(tmp_path)
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    (folder / "part-0.csv").write_bytes(release.read_bytes())
    said = manifest_of(release)
    said |= {"folder": "folder.csv", "files": [{**said.pop("file"), "name": "part-0.csv"}]}
    for claim in said["claims"]:
        claim["sql"] = claim["sql"].replace("'release.csv'", "'folder.csv/*.csv'")
    rewrite(folder, said)
    (folder / "_SUCCESS").touch()
    assert check(folder)[0] == 0
    assert not audit_release(folder).fails
    (folder / hidden).parent.mkdir(exist_ok=True)
    (folder / hidden).write_text("Ann", encoding="utf-8")
    assert check(folder)[0] == 1
    wrong = {finding.claim for finding in audit_release(folder).findings if not finding.holds}
    assert "SHA-256 as in the manifest" in wrong


@pytest.mark.parametrize(
    "name", ["r.dat", "r.data", "r", "r.txt", "r.tsv", "r.tsv.gz", "r.txt.gz", "r.gz", "r.dat.gz", "R.CSV.GZ"]
)
def test_in_text_of_any_name(tmp_path: Path, name: str) -> None:
    """Names that the audit reads as text, and that it took for files without anything to look at."""
    path = tmp_path / name
    dialect = InputFormat(",", '"', header=True)
    for text, expected in (
        (b"a,b\n1,2\n", "nothing"),
        (b"\xef\xbb\xbfa,b\n1,2\n", "a byte order mark"),
        (b"a,b\n1,2\0\n", "zero bytes"),
        (b"a,b\n1,2,\n", "lines that programs read differently"),
        (b'a,b\n1,2"\n', "lines that programs read differently"),
    ):
        path.write_bytes(gzip.compress(text, mtime=0) if name.lower().endswith(".gz") else text)
        finding = hidden_finding(path, written_by_shoal=True, dialect=dialect)
        assert finding.holds == (expected == "nothing")
        assert expected in finding.measured


def test_in_a_workbook_with_macros(tmp_path: Path) -> None:
    release = write(tmp_path, name="release.xlsx")
    book = openpyxl.load_workbook(release)
    book.create_sheet("more").append(["Ann"])
    book.save(tmp_path / "release.xlsm")
    finding = hidden_finding(tmp_path / "release.xlsm", written_by_shoal=True)
    assert (finding.holds, finding.measured) == (False, "further sheets")


@pytest.mark.parametrize("kind", ["dta", "sav", "xpt", "sas7bdat"])
def test_in_a_file_that_nobody_looks_into(tmp_path: Path, kind: str) -> None:
    """Shoal writes none of them; of one without a manifest it says that it did not look."""
    path = tmp_path / f"release.{kind}"
    path.write_bytes(b"Ann")
    stated = hidden_finding(path, written_by_shoal=True)
    assert (stated.holds, stated.checkable) == (False, True)
    other = hidden_finding(path, written_by_shoal=False)
    assert (other.holds, other.checkable) == (False, False)


def test_a_file_of_another_tool_that_nobody_looks_into(tmp_path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    path = tmp_path / "release.dta"
    pyreadstat.write_dta(pd.DataFrame({"age": ["*"] * 3}), str(path), file_label="Ann has gout")
    asked = shoal.Spec(quasi_identifiers={"age": "suppress"}, privacy=[shoal.KAnonymity(3)])
    audit = audit_release(path, asked)
    assert [finding.claim for finding in audit.findings if not finding.holds] == [HIDDEN]
    assert not audit.fails
