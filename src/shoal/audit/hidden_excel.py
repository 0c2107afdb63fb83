"""What an Excel workbook holds beside the cells of its one sheet.

A workbook is a ZIP file of XML parts (ECMA-376). Whatever is not needed to show the cells is named: further
sheets, comments, names, pivot caches, hidden rows and columns, properties of the document, strings that no
cell has. Parts and elements that are allowed are listed, so that what nobody thought of is named too.
"""

from __future__ import annotations

import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Collection, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Self
from xml.etree import ElementTree

_PARTS = re.compile(
    r"\[Content_Types\]\.xml|_rels/\.rels|docProps/(app|core)\.xml|xl/workbook\.xml"
    r"|xl/_rels/workbook\.xml\.rels|xl/(styles|sharedStrings|calcChain)\.xml|xl/theme/theme\d*\.xml"
    r"|xl/worksheets/sheet\d+\.xml"
)
_BOOK = {"fileVersion", "workbookPr", "workbookProtection", "bookViews", "sheets", "definedNames", "calcPr"}
_SHEET = {
    *("sheetPr", "dimension", "sheetViews", "sheetFormatPr", "cols", "sheetData", "pageMargins"),
    *("pageSetup", "ignoredErrors", "phoneticPr"),
}
_SILENT = {"created", "modified", "Application", "AppVersion", "DocSecurity", "ScaleCrop", "LinksUpToDate"}
_SILENT |= {"SharedDoc", "HyperlinksChanged", "HeadingPairs", "TitlesOfParts", "TotalTime", "revision"}
_BLOCK = 1 << 20
_DESCRIPTOR = 24  # the most that may stand after a part whose size was not known before it was written
_NUMBER = re.compile(r"[\d.:TZ+-]*")
_WRITER = re.compile(
    r"(Microsoft|LibreOffice|OpenOffice|Google|WPS|Numbers|SheetJS|Gnumeric)[\w. /$:-]{0,99}"
)
_STYLES = "xl/styles.xml"
_STRINGS = "xl/sharedStrings.xml"
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def _within(*names: str) -> tuple[str, ...]:
    return tuple(_MAIN + name for name in names)


_CELL = _within("worksheet", "sheetData", "row", "c")
_IN_SHEETS = {(*_CELL, *_within("v")), (*_CELL, *_within("is", "t")), (*_CELL, *_within("is", "r", "t"))}
_IN_STRINGS = {_within("sst", "si", "t"), _within("sst", "si", "r", "t")}
"""Elements that hold what a cell shows, each with those that it is in; no other has a text."""
_TEXTS = ("s", "str", "inlineStr")
_WHOLE = re.compile("[0-9]+")
_FORMS = {
    "n": re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|"),
    "s": _WHOLE,
    "b": re.compile("[01]|"),
    "d": re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})?(T?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,3})?)?)?"),
}
"""How the values of a kind of cell are written, for all programs to read the same; none is no value."""
_PLACE = {"r", "spans"}
"""Attributes of a row that say where it is, not what it looks like."""
_ESCAPE = re.compile("_x[0-9A-Fa-f]{4}_")
_HIDING = {"row": "hidden rows", "col": "hidden columns", "sheetFormatPr": "hidden rows or columns"}
_THINNEST = 1  # point of a row, or character of a column
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_FORMAT = re.compile(
    r"General|@|(#,##)?0(\.0+)?%?|0(\.0+)?E\+0+"
    r"|(\[\$-[0-9A-F]+\])?(?=.*[ymdhs])([ymdhs0]|AM/PM|\[hh?\]|\\?[-/:., T])+(;@)?",
    re.IGNORECASE,
)
"""Formats that show a number or a date and nothing else: no text in quotes or behind a backslash."""
_KNOWN_TEXTS = {"openpyxl", "true", "false", "Worksheets", "Microsoft Excel", "LibreOffice"}


def in_workbook(path: Path, written_by_shoal: bool) -> Iterator[str]:
    """Name what a workbook holds beside the cells of its one sheet, without showing any of it.

    In one that Shoal wrote, whatever is one value for the audit looks alike too: all cells of a column are of
    one kind and one format, and texts are as Excel shows them.
    """
    try:
        with zipfile.ZipFile(path) as book:
            yield from dict.fromkeys(_in_zip(book, written_by_shoal))
            if _has_gaps(path, book):
                yield "bytes between the parts of the ZIP file"
    except (zipfile.BadZipFile, ElementTree.ParseError, LookupError, ValueError):
        yield "parts that cannot be read"


def _in_zip(book: zipfile.ZipFile, strict: bool) -> Iterator[str]:
    parts = book.infolist()
    if book.comment or any(part.comment or part.extra for part in parts):
        yield "comments in the ZIP file"
    if min((part.header_offset for part in parts), default=0):
        yield "bytes before the workbook"
    names = Counter(part.filename for part in parts)
    if any(count > 1 for count in names.values()):
        yield "several parts of the same name"
    for name in names:
        if not _PARTS.fullmatch(name):
            yield f"a part {name!r}"
    yield from _in_xml(book, [name for name in names if name.endswith((".xml", ".rels"))])
    sheets = [name for name in names if name.startswith("xl/worksheets/sheet")]
    titles = yield from _in_book(book)
    if len(sheets) > 1 and len(titles) < 2:
        yield "further sheets"
    strings: set[int] = set()
    if strict:
        yield from _in_forms(book, [*sheets, *names.keys() & {_STRINGS}])
    for sheet in sheets:
        yield from _in_sheet(book, sheet, strings)
    # In all parts, since programs find the styles by their links.
    others = [name for name in names if name.endswith((".xml", ".rels")) and name not in (*sheets, _STRINGS)]
    if any(
        not _FORMAT.fullmatch(element.get("formatCode", ""))
        for name in others
        for element in _root(book, name).iter()
        if _kind(element) == "numFmt"
    ):
        yield "number formats that show more than the number"
    if _STRINGS in names:
        yield from _in_strings(book, strings)
    for about in ("docProps/app.xml", "docProps/core.xml"):
        if about in names:
            yield from _in_properties(book, about, titles)


def _in_xml(book: zipfile.ZipFile, xml: list[str]) -> Iterator[str]:
    """Name what no part may have, whatever it is for."""
    if any(_has_comments(book, name) for name in xml):
        yield "comments in XML"
    if any(_has_texts(book, name) for name in xml if not name.startswith("docProps/")):
        yield "texts outside the cells"
    links = (link for name in xml if name.endswith(".rels") for link in _root(book, name))
    if any(link.get("TargetMode") == "External" for link in links):
        yield "links to other files"


def _has_gaps(path: Path, book: zipfile.ZipFile) -> bool:
    """Return whether a ZIP file has bytes that belong to none of its parts, such as one that was deleted."""
    end = 0
    with path.open("rb") as file:
        for part in sorted(book.infolist(), key=lambda part: part.header_offset):
            if part.header_offset > end:
                return True
            file.seek(part.header_offset + 26)
            about = file.read(4)
            fields = int.from_bytes(about[:2], "little") + int.from_bytes(about[2:], "little")
            descriptor = _DESCRIPTOR if part.flag_bits & 8 else 0
            end = part.header_offset + 30 + fields + part.compress_size + descriptor
    return book.start_dir > end


def _has_comments(book: zipfile.ZipFile, name: str) -> bool:
    """Return whether a part has comments, declarations or instructions, which no program shows.

    Zero bytes are those of another encoding than UTF-8, in which they would not be found.
    """
    with book.open(name) as file:
        last = file.read(_BLOCK).removeprefix(b"\xef\xbb\xbf").removeprefix(b"<?xml ")
        while last:
            if b"<!" in last or b"<?" in last or b"\0" in last:
                return True
            block = file.read(_BLOCK)
            last = last[-3:] + block if block else b""
    return False


def _has_texts(book: zipfile.ZipFile, name: str) -> bool:
    """Return whether a part has text between its elements, or in one that shows none."""
    shown = _IN_SHEETS if name.startswith("xl/worksheets/") else _IN_STRINGS if name == _STRINGS else set()
    inside: list[str] = []
    with book.open(name) as file:
        for event, element in ElementTree.iterparse(file, events=("start", "end")):
            if event == "start":
                inside.append(element.tag)
                continue
            texts = [child.tail for child in element]
            if tuple(inside) not in shown:
                texts.append(element.text)
            inside.pop()
            if any(text and text.strip() for text in texts):
                return True
            if _kind(element) in ("row", "si"):
                element.clear()
    return False


def _in_book(book: zipfile.ZipFile) -> Generator[str, None, list[str]]:
    titles = []
    for element in _root(book, "xl/workbook.xml"):
        kind = _kind(element)
        if kind == "sheets":
            titles = [sheet.get("name", "") for sheet in element]
            if len(titles) > 1:
                yield "further sheets"
            if any(sheet.get("state", "visible") != "visible" for sheet in element):
                yield "hidden sheets"
        elif kind == "definedNames" and len(element):
            yield "defined names"
        elif kind not in _BOOK and kind != "extLst" and (len(element) or element.text):
            yield f"{kind!r} in the workbook"
    return titles


def _in_sheet(book: zipfile.ZipFile, name: str, strings: set[int]) -> Iterator[str]:
    depth = row = column = 0
    with book.open(name) as file:
        for event, element in ElementTree.iterparse(file, events=("start", "end")):
            kind = _kind(element)
            if event == "start":
                depth += 1
                if kind in ("row", "c"):
                    before = row, column
                    row, column = _cell_position(element, row, column)
                    if (row, column) <= before or (kind == "c" and row != before[0]):
                        yield "rows or cells that are there twice, or in another order"
                continue
            depth -= 1
            if kind in ("row", "c", "is", "r") and not _is_plain(element):
                yield "further contents of rows or cells"
            if kind == "c" and not _is_read_alike(element):
                yield "values that programs read differently"
            if kind in _HIDING and _is_hidden(element):
                yield _HIDING[kind]
            elif kind == "f":
                yield "formulas"
            elif kind == "rPh":
                yield "phonetic texts"
            elif kind == "c" and element.get("t") == "s":
                used = (value.text or "" for value in element if _kind(value) == "v")
                strings.update(int(text) for text in used if _WHOLE.fullmatch(text))
            elif depth == 1 and kind not in _SHEET and (len(element) or element.text):
                yield f"{kind!r} in the sheet"
            if kind == "row":
                element.clear()  # a sheet may have a million of them


def _in_forms(book: zipfile.ZipFile, parts: list[str]) -> Iterator[str]:
    """Name what people or programs see of cells and the audit does not."""
    forms: dict[int, tuple[str | None, str]] = {}
    dates = _Dates.of(book)
    for part in parts:
        header = True
        with book.open(part) as file:
            for _, element in ElementTree.iterparse(file):
                if _kind(element) == "t" and _is_shown_otherwise(element):
                    yield "texts that Excel shows otherwise"
                if _kind(element) == "c" and element.get("t") in ("str", "d"):
                    yield "cells of a kind that Shoal does not write"
                own = element.attrib.keys() - _PLACE if _kind(element) == "row" else _kind(element) == "rPr"
                if own:
                    yield "rows or parts of texts in formats of their own"
                if _kind(element) == "row":
                    column = 0
                    for cell in () if header else element:
                        _, column = _cell_position(cell, 0, column)
                        if forms.setdefault(column, _form(cell)) != _form(cell):
                            yield "cells of one column in several formats"
                        elif dates.is_merged(column, cell):
                            yield "dates or times that differ in less than programs show"
                    header = False
                    element.clear()


@dataclass(frozen=True, slots=True)
class _Dates:
    """How openpyxl reads numbers as dates and times, up to a millisecond.

    Attributes
    ----------
    styles, spans
        The styles of dates and times, and those among them of durations.
    found
        By column the numbers that were read, by what they were read as.
    """

    styles: Collection[int]
    spans: Collection[int]
    epoch: datetime
    found: dict[int, dict[object, str]]

    @classmethod
    def of(cls, book: zipfile.ZipFile) -> Self:
        from openpyxl import load_workbook

        assert book.filename is not None, "it is a file"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of parts that it does not keep
            opened = load_workbook(book.filename, read_only=True)
        with closing(opened):
            return cls(opened._date_formats, opened._timedelta_formats, opened.epoch, {})

    def is_merged(self, column: int, cell: ElementTree.Element) -> bool:
        """Return whether a cell is the same date as an earlier one of its column, by another number."""
        from openpyxl.utils.datetime import from_excel

        style = int(cell.get("s", "0"))
        number = next((child.text for child in cell if _kind(child) == "v"), None)
        if style not in self.styles or number is None or cell.get("t", "n") != "n":
            return False
        try:
            value = from_excel(float(number), self.epoch, timedelta=style in self.spans)
        except (OverflowError, ValueError):  # whoever reads the rows takes it for an error
            return False
        return self.found.setdefault(column, {}).setdefault(value, number) != number


def _cell_position(element: ElementTree.Element, row: int, column: int) -> tuple[int, int]:
    """Return which row or cell an element is; without a number it is the next one."""
    reference = element.get("r")
    if _kind(element) == "row":
        return row + 1 if reference is None else int(reference), 0
    if reference is None:
        return row, column + 1
    found = _REFERENCE.fullmatch(reference)
    if found is None:
        raise ValueError("a cell that is nowhere")
    letters = 0
    for letter in found[1]:
        letters = 26 * letters + ord(letter) - ord("A") + 1
    return int(found[2]), letters


def _is_plain(element: ElementTree.Element) -> bool:
    """Return whether a row has cells only, and a cell one value: programs differ in which they take."""
    kinds = [_kind(child) for child in element if _kind(child) not in ("f", "rPh", "rPr", "phoneticPr")]
    if _kind(element) == "row":
        return {*kinds} <= {"c"}
    if _kind(element) in ("is", "si"):
        return kinds == ["t"] or {*kinds} == {"r"} or not kinds
    if _kind(element) == "r":
        return kinds in ([], ["t"])
    return kinds in ([], ["is" if element.get("t") == "inlineStr" else "v"])


def _is_read_alike(cell: ElementTree.Element) -> bool:
    """Return whether a value is written as its kind is: Python reads `1_0` as 10, and text -1 as the last."""
    form = _FORMS.get(cell.get("t", "n"))
    return form is None or all(form.fullmatch(value.text or "") for value in cell if _kind(value) == "v")


def _form(cell: ElementTree.Element) -> tuple[str | None, str]:
    """Return the format of a cell, and whether it is text, a number or what else."""
    kind = cell.get("t", "n")
    return cell.get("s"), "text" if kind in _TEXTS else kind


def _is_shown_otherwise(element: ElementTree.Element) -> bool:
    """Return whether Excel shows another text: it takes `_x0041_` for A, and drops spaces at the ends."""
    text = element.text or ""
    kept = text.strip(" \t\r\n")
    return _ESCAPE.search(text) is not None or (kept not in ("", text) and element.get(_SPACE) != "preserve")


def _is_hidden(element: ElementTree.Element) -> bool:
    """Return whether an element hides a row or a column, or all that have no size of their own."""
    hidden = (element.get(name, "0") for name in ("hidden", "zeroHeight"))
    sizes = (element.get(name) for name in ("ht", "width", "defaultRowHeight", "defaultColWidth"))
    return any(value not in ("0", "false") for value in hidden) or any(
        size is not None and float(size) < _THINNEST for size in sizes
    )


def _in_strings(book: zipfile.ZipFile, used: set[int]) -> Iterator[str]:
    number = 0
    with book.open(_STRINGS) as file:
        for _, element in ElementTree.iterparse(file):
            if _kind(element) == "rPh":
                yield "phonetic texts"
            if _kind(element) in ("si", "r") and not _is_plain(element):
                yield "further contents of rows or cells"
            if _kind(element) == "si":
                number += 1
                element.clear()
    if set(range(number)) - used:
        yield "texts that no cell has"


def _in_properties(book: zipfile.ZipFile, name: str, titles: list[str]) -> Iterator[str]:
    root = _root(book, name)
    if any(text and text.strip() for text in (root.text, *(element.tail for element in root))):
        yield "texts outside the cells"
    for element in root:
        texts = [text.strip() for text in element.itertext() if text.strip()]
        known = (
            text in _KNOWN_TEXTS
            or text in titles
            or _NUMBER.fullmatch(text)
            or (_kind(element) == "Application" and _WRITER.fullmatch(text))
            for text in texts
        )
        if texts and (not all(known) or (_kind(element) not in _SILENT and texts != ["openpyxl"])):
            yield f"the property {_kind(element)!r} of the document"


def _root(book: zipfile.ZipFile, name: str) -> ElementTree.Element:
    with book.open(name) as file:
        return ElementTree.parse(file).getroot()


def _kind(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]
