"""The attacker sends a small file that fills the memory of whoever opens it: packed zeros, repeated cells."""

from __future__ import annotations

import gzip
import zipfile
from dataclasses import replace

import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal as api
from shoal.engines.duckdb.kind import DuckDBKind
from shoal.engines.kind import Fit, Input
from shoal.errors import InputError
from shoal.read import delimited as text_files
from shoal.read import open_source, parquet_size
from shoal.read.source import InputFormat


def test_a_workbook_that_unpacks_to_gigabytes_is_refused_unopened(tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/worksheets/sheet1.xml", b"<c/>" * (10 << 20))
    assert path.stat().st_size < 200_000
    with pytest.raises(InputError, match="is too large for an Excel workbook"):
        open_source(path)


def test_a_row_with_the_number_two_billion_is_refused_at_once(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    openpyxl.Workbook().save(tmp_path / "empty.xlsx")
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        '<row r="1"><c r="A1" t="inlineStr"><is><t>age</t></is></c></row>'
        '<row r="2000000000"><c r="A2000000000"><v>1</v></c></row></sheetData></worksheet>'
    )
    with zipfile.ZipFile(tmp_path / "empty.xlsx") as book, zipfile.ZipFile(tmp_path / "far.xlsx", "w") as far:
        for part in book.namelist():
            far.writestr(part, sheet if part.endswith("sheet1.xml") else book.read(part))
    with pytest.raises(InputError, match="not a complete Excel workbook"):
        open_source(tmp_path / "far.xlsx").read(["age"], coded=())


def test_a_text_that_very_many_cells_share(tmp_path):
    """A workbook of 80 KB holds a text of 30 MB once, and 10,000 cells with it are 300 GB in memory."""
    openpyxl = pytest.importorskip("openpyxl")
    openpyxl.Workbook().save(tmp_path / "empty.xlsx")
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    override = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/></Types>'
    rows = '<row><c t="s"><v>0</v></c></row>' + '<row><c t="s"><v>1</v></c></row>' * 1000
    rows = f"<sheetData>{rows}</sheetData>"
    for length, fits in ((1000, True), (1_200_000, False)):
        path = tmp_path / f"{length}.xlsx"
        texts = f'<sst xmlns="{main}"><si><t>note</t></si><si><t>{"x" * length}</t></si></sst>'
        changed = {
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}">{rows}</worksheet>',
            "xl/sharedStrings.xml": texts,
        }
        with (
            zipfile.ZipFile(tmp_path / "empty.xlsx") as book,
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as far,
        ):
            for part in {*book.namelist()} - changed.keys():
                content = book.read(part)
                known = b"/xl/sharedStrings.xml" in content
                if part == "[Content_Types].xml" and not known:
                    content = content.replace(b"</Types>", override.encode())
                far.writestr(part, content)
            for part, content in changed.items():
                far.writestr(part, content)
        assert path.stat().st_size < 20_000
        source = open_source(path)
        if fits:
            assert source.read(["note"], coded=()).num_rows == 1000
            continue
        with pytest.raises(InputError, match="is too large for an Excel workbook"):
            source.read(["note"], coded=())


def test_twenty_thousand_columns_are_refused_or_done_at_once(tmp_path, shoal, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [f"c{place}" for place in range(20_000)]
    rows = [",".join(str((place * row) % 7) for place in range(20_000)) for row in range(1, 5)]
    (tmp_path / "wide.csv").write_text("\n".join([",".join(names), *rows, *rows]) + "\n", encoding="utf-8")
    ran = shoal("init", "wide.csv")
    assert ran.code == 2
    assert "too many columns" in ran.err
    assert (
        shoal("anonymize", "wide.csv", "--qi", "c3", "-k", 2, "--drop-undeclared", "-o", "out.csv").code == 0
    )
    ran = shoal("anonymize", "wide.csv", "--qi", "c3", "-k", 2, "--keep-undeclared", "-o", "all.csv")
    assert ran.code == 2
    assert "20,000; at most 5,000" in ran.err
    ran = shoal("audit", "wide.csv", "--qi", "c3", "-k", 2, "--keep-undeclared")
    assert ran.code == 2
    assert "20,000; at most 5,000" in ran.err


def test_a_packed_text_that_grows_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "_LARGE_BYTES", 1 << 20)
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"age,sex\n" + b"31,F\n" * 2_000_000))
    with pytest.raises(InputError, match="unpacks to more than 200 times its size"):
        open_source(path).read(["age"], coded=["age"])


def test_a_parquet_file_whose_rows_take_no_place_is_refused_unread(tmp_path, monkeypatch):
    """One text of a megabyte, or one number, in as many rows as the attacker likes."""
    monkeypatch.setattr(parquet_size, "_LARGE_BYTES", 1 << 20)
    spec = api.Spec(quasi_identifiers={"age": "suppress"}, sensitive=["note"], privacy=[api.KAnonymity(2)])
    for ages, notes in (([31] * 300, ["x" * 100_000] * 300), ([31] * 2_000_000, [None] * 2_000_000)):
        path = tmp_path / "bomb.parquet"
        parquet.write_table(pa.table({"age": ages, "note": pa.array(notes, pa.string())}), path)
        assert path.stat().st_size < 50_000
        with pytest.raises(InputError, match="unpacks to more than 200 times the file's size"):
            api.anonymize(path, spec)
    ordinary = pa.table({"age": list(range(50)) * 4000, "note": [f"note {row}" for row in range(200_000)]})
    parquet.write_table(ordinary, path)
    assert api.anonymize(path, replace(spec, accept={"note": "linkable"})).rows == 200_000


def test_many_rows_in_a_small_parquet_file_go_to_an_engine_that_does_not_hold_them(tmp_path):
    parquet.write_table(pa.table({"age": [31] * 4_000_000}), tmp_path / "many.parquet")
    assert (tmp_path / "many.parquet").stat().st_size < 50_000
    given = Input(tmp_path / "many.parquet", InputFormat(), memory=10_000_000)
    assert DuckDBKind().fit(given) == Fit.BEST


INSIDE = {
    "bytes": lambda texts: texts.cast(pa.binary()),
    "list": lambda texts: pa.ListArray.from_arrays(list(range(len(texts) + 1)), texts),
    "struct": lambda texts: pa.StructArray.from_arrays([texts], ["x"]),
}


@pytest.mark.parametrize("inside", INSIDE)
def test_nor_may_its_bytes_and_what_is_in_lists(tmp_path, monkeypatch, inside):
    monkeypatch.setattr(parquet_size, "_LARGE_BYTES", 1 << 20)
    spec = api.Spec(quasi_identifiers={"age": "suppress"}, sensitive=["note"], privacy=[api.KAnonymity(2)])
    path = tmp_path / "bomb.parquet"
    notes = INSIDE[inside](pa.array(["x" * 100_000] * 300))
    parquet.write_table(pa.table({"age": [31] * 300, "note": notes}), path)
    with pytest.raises(InputError, match="unpacks to more than 200 times the file's size"):
        api.anonymize(path, spec)
    notes = INSIDE[inside](pa.array([f"note {row % 50}" for row in range(200_000)]))
    parquet.write_table(pa.table({"age": [31] * 200_000, "note": notes}), path)
    assert api.anonymize(path, spec, engine="memory").rows == 200_000


def test_an_audit_reads_a_text_that_repeats_once(tmp_path, monkeypatch):
    """It read all texts of a part at once, to compare them with what the footer says of them."""
    spec = api.Spec(quasi_identifiers={"age": "suppress"}, sensitive=["note"], privacy=[api.KAnonymity(2)])
    path = tmp_path / "bomb.parquet"
    parquet.write_table(pa.table({"age": [31] * 300, "note": ["x" * 100_000] * 300}), path)
    before, counted = pa.default_memory_pool(), pa.proxy_memory_pool(pa.default_memory_pool())
    pa.set_memory_pool(counted)
    try:
        assert api.audit_release(path, spec).holds
    finally:
        pa.set_memory_pool(before)
    assert counted.max_memory() < 10_000_000
    parquet.write_table(pa.table({"age": [31] * 300_000, "note": ["x"] * 300_000}), path)
    monkeypatch.setattr(parquet_size, "_LARGE_BYTES", 1 << 20)
    with pytest.raises(InputError, match="unpacks to more than 200 times its size"):
        api.audit_release(path, spec)
