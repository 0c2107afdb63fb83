"""A workbook whose cells are one value for the audit, and several for other programs.

The attacker writes the XML of the cells: numbers as Python alone spells them, texts by a negative number,
dates that differ in less than a millisecond or have a text behind them, and number formats where programs
find them by a link. openpyxl, which reads the workbook for the audit, sees one class of four.
"""

from __future__ import annotations

import datetime
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pyarrow as pa
import pytest

import shoal
from shoal.audit import audit_release
from shoal.audit.hidden_content import HIDDEN, hidden_content
from tests.attacks.evidence import refit

SHEET, STYLES, LINKS = "xl/worksheets/sheet1.xml", "xl/styles.xml", "xl/_rels/workbook.xml.rels"
DAY, NUMBER, TRUTH, TEXT = datetime.date(2020, 1, 1), 10, True, "x"
ALIKE, FINER = "values that programs read differently", "differ in less than programs show"


def _instead(old: bytes, new: str) -> Callable[[bytes], bytes]:
    return lambda sheet: sheet.replace(old, new.encode(), 1)


def _with_zone(sheet: bytes) -> bytes:
    return re.sub(rb'(<c r="A2" s="\d+" t=")n"><v>43831', rb'\1d"><v>2020-01-01T00:00:00+09:00', sheet)


CELLS: dict[str, tuple[object, str, Callable[[bytes], bytes]]] = {
    "a line between digits": (NUMBER, ALIKE, _instead(b"<v>10</v>", "<v>1_0</v>")),
    "digits of other scripts": (NUMBER, ALIKE, _instead(b"<v>10</v>", "<v>\uff11\uff10</v>")),
    "spaces": (NUMBER, ALIKE, _instead(b"<v>10</v>", "<v> 10</v>")),
    "another truth": (TRUTH, ALIKE, _instead(b"<v>1</v>", "<v>7</v>")),
    "a zone behind a date": (DAY, ALIKE, _with_zone),
    "a date in parts of a millisecond": (DAY, FINER, _instead(b"<v>43831</v>", "<v>43831.000000001</v>")),
    "a date in another spelling": (DAY, FINER, _instead(b"<v>43831</v>", "<v>43831.0</v>")),
    "a result without a formula": (
        TEXT,
        "cells of a kind that Shoal does not write",
        lambda sheet: re.sub(rb'(r="A2" t=")inlineStr"><is><t>x</t></is>', rb'\1str"><v>_x0078_</v>', sheet),
    ),
}


def release_of(folder: Path, value: object) -> Path:
    people = pa.table({"age": [value] * 4, "disease": ["flu", "cold"] * 2})
    spec = shoal.Spec(
        quasi_identifiers={"age": "suppress"}, sensitive=["disease"], privacy=[shoal.KAnonymity(4)]
    )
    return shoal.anonymize(people, spec.adjust(levels={"age": 0})).write(folder / "release.xlsx")


def change_parts(release: Path, changes: dict[str, Callable[[bytes], bytes]]) -> None:
    with zipfile.ZipFile(release) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    for name, change in changes.items():
        before = parts.get(name, b"")
        parts[name] = change(before)
        assert parts[name] != before
    with zipfile.ZipFile(release, "w") as book:
        for name, content in parts.items():
            book.writestr(name, content)
    refit(release)


def found(release: Path) -> str:
    (finding,) = (finding for finding in audit_release(release).findings if finding.claim == HIDDEN)
    assert not finding.holds
    return finding.measured


@pytest.mark.parametrize("what", CELLS)
def test_cells_of_one_value(tmp_path: Path, what: str) -> None:
    value, said, change = CELLS[what]
    release = release_of(tmp_path, value)
    assert audit_release(release).holds
    change_parts(release, {SHEET: change})
    assert said in found(release)


def test_a_text_by_a_negative_number(tmp_path: Path) -> None:
    """Of two shared texts -1 is the last for Python; for others the cell is empty, or the file is damaged."""
    release = release_of(tmp_path, TEXT)
    kind = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"
    link = b'<Relationship Type="%s" Target="sharedStrings.xml" Id="r9"/></Relationships>' % kind
    kind = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    override = b'<Override PartName="/xl/sharedStrings.xml" ContentType="%s"/></Types>' % kind
    main = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"

    def by_number(last: bytes) -> Callable[[bytes], bytes]:
        def change(sheet: bytes) -> bytes:
            sheet = sheet.replace(b'"inlineStr"><is><t>x</t></is>', b'"s"><v>0</v>')
            return sheet.replace(b"<v>0</v>", b"<v>%s</v>" % last, 1)

        return change

    for last, honest in ((b"0", True), (b"-1", False), (b"0_0", False), (b"+0", False)):
        path = release_of(tmp_path, TEXT)
        changes = {
            SHEET: by_number(last),
            LINKS: lambda part: part.replace(b"</Relationships>", link),
            "[Content_Types].xml": lambda part: part.replace(b"</Types>", override),
            "xl/sharedStrings.xml": lambda _: b'<sst xmlns="%s"><si><t>x</t></si></sst>' % main,
        }
        change_parts(path, changes)
        if honest:
            assert audit_release(release).holds
        else:
            assert ALIKE in found(path)


def test_formats_where_a_link_says(tmp_path: Path) -> None:
    """openpyxl takes the styles by their name, Excel by the link: there 10 is shown as a name."""
    release = release_of(tmp_path, NUMBER)
    main = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    formats = b'<styleSheet xmlns="%s"><numFmts><numFmt numFmtId="0" formatCode="&quot;Ann&quot;"/></numFmts>'
    change_parts(
        release,
        {
            "xl/theme/theme1.xml": lambda _: formats % main + b"</styleSheet>",
            LINKS: lambda part: part.replace(b"styles.xml", b"theme/theme1.xml"),
        },
    )
    assert "number formats" in found(release)


@pytest.mark.parametrize(
    "value",
    [
        datetime.datetime(2020, 1, 1, 12, 34, 56, 789000),
        datetime.time(23, 59, 59, 999000),
        datetime.date(1900, 3, 1),
        -1.5e-7,
        2**53,
        False,
    ],
)
def test_what_shoal_writes_is_read_alike(tmp_path: Path, value: object) -> None:
    release = release_of(tmp_path, value)
    assert audit_release(release).holds
    openpyxl.load_workbook(release).save(release)  # as another program does
    assert list(hidden_content(release, written_by_shoal=True)) == []


def test_dates_that_are_different_are_not_merged(tmp_path: Path) -> None:
    from shoal.write import write_table

    moments = [datetime.datetime(2020, 1, 1, 0, 0, 0, 1000 * place) for place in range(1000)]
    write_table(pa.table({"at": [*moments, *moments]}), tmp_path / "times.xlsx")
    assert list(hidden_content(tmp_path / "times.xlsx", written_by_shoal=True)) == []
