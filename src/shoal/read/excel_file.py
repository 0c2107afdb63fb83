"""Excel workbooks (`.xlsx`), read by openpyxl: the first or the named sheet, with a header.

A column of cells of one kind keeps it: text, whole numbers, numbers, truth values, dates (if all are at
midnight), timestamps, times, durations. If kinds are mixed, all cells become text, each in the text form of a
release. An empty cell is NULL, and a row of empty cells is skipped. For formulas the last saved value is
read.
"""

from __future__ import annotations

import datetime
import warnings
import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import InputError, nearest
from shoal.read.columns import coded as as_coded
from shoal.read.columns import plain, text_of
from shoal.read.header import names_of
from shoal.read.source import InputFormat, check_content, check_installed, check_wanted

_ERRORS = frozenset(("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#SPILL!", "#CALC!"))
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    SyntaxError,  # of XML
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    NotImplementedError,
    EOFError,
    OSError,
)
"""Exceptions of openpyxl on damaged files."""
_FIRST_ROWS = 200
_MOST_ROWS = 1_048_576
_MOST_SHOWN = 5
_LARGEST = 2 << 30
"""Largest size of a workbook's XML in bytes; a full sheet of a million rows and twenty columns has less."""
_LARGE = 32 << 20
_MOST_PACKED = 100
"""A workbook above this ratio is meant to fill memory: usual workbooks are packed about tenfold."""
_MOST_CHARACTERS = 1 << 30
_MIDNIGHT = datetime.time()
_KINDS: dict[type, pa.DataType] = {
    str: pa.string(),
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    datetime.datetime: pa.timestamp("us"),
    datetime.date: pa.date32(),
    datetime.time: pa.time64("us"),
    datetime.timedelta: pa.duration("us"),
}


class ExcelFile:
    """A sheet of an Excel workbook."""

    dialect = None

    def __init__(self, path: Path, input_format: InputFormat = InputFormat()) -> None:  # noqa: B008 (frozen)
        check_installed("openpyxl", "excel", "Reading Excel files")
        check_content(path, b"PK\x03\x04")
        self.name = path.name
        self.files = (path,)
        self._path = path
        self._check_size()
        self._sheet = input_format.sheet
        self._null_values = frozenset(input_format.null_values or ())
        self._header = input_format.header
        with self._rows() as rows:
            first, *below = [_filled(row) for row in islice(rows, _FIRST_ROWS)] or [[]]
        if self._header is False:
            first += [None] * (max(map(len, below), default=0) - len(first))
            if not first:
                raise InputError(f"File {path.name!r} has no cells in its sheet.")
        elif self._header is None:
            self._check_texts(first)
        texts = [["" if cell is None else str(cell) for cell in row] for row in (first, *below)]
        names = names_of(texts[0], texts[1:], header=self._header, source=f"The first row of {path.name!r}")
        self.columns, self.doubtful = names.columns, names.doubtful

    def read(self, columns: Sequence[str], coded: Collection[str]) -> pa.Table:
        check_wanted(columns, self.columns, f"file {self.name!r}", shown=not self.doubtful)
        indices = [self.columns.index(name) for name in columns]
        cells: list[list[Any]] = [[] for _ in columns]
        width = len(self.columns)
        beyond = []
        with self._rows() as rows:
            for number, row in enumerate(rows, start=1):
                if number == 1 and self._header is not False:
                    continue
                if all(cell is None for cell in row):
                    continue
                if any(cell is not None for cell in row[width:]):
                    beyond.append(number)
                    if len(beyond) > _MOST_SHOWN:
                        break
                for column, index in zip(cells, indices, strict=True):
                    column.append(row[index] if index < len(row) else None)
        if beyond:
            raise InputError(
                f"File {self.name!r} has cells to the right of its header, which ends in column {width:,}.\n"
                f"Found: row {', '.join(f'{row:,}' for row in beyond[:_MOST_SHOWN])}"
                f"{' ...' if beyond[_MOST_SHOWN:] else ''}.\n"
                "Name these columns in the first row, or clear the cells."
            )
        self._check_lengths(cells)
        self._check_formulas()
        self._check_errors(indices, cells)
        arrays = []
        for name, found in zip(columns, cells, strict=True):
            column = pa.chunked_array([self._array(found)])
            arrays.append(as_coded(column, name) if name in coded else plain(column, name))
        return pa.table(arrays, names=list(columns))

    def restore(self, table: pa.Table) -> pa.Table:
        return table

    def _check_size(self) -> None:
        """Refuse a workbook that unpacks to more than fits into memory, by the stated sizes of its parts."""
        try:
            with zipfile.ZipFile(self._path) as parts:
                size = sum(part.file_size for part in parts.infolist())
        except _BROKEN:
            raise self._damaged() from None
        packed = self._path.stat().st_size
        if size > _LARGEST or (size > _LARGE and size > _MOST_PACKED * packed):
            raise InputError(
                f"File {self.name!r} is too large for an Excel workbook.\n"
                f"It unpacks from {packed / 1e6:,.1f} MB to {size / 1e6:,.0f} MB.\n"
                "Save its table as .csv or .parquet, which Shoal reads within --memory."
            )

    def _check_lengths(self, columns: Sequence[Sequence[Any]]) -> None:
        """Refuse texts that fill the memory: cells share one in the file, and Arrow keeps each of them."""
        size = sum(len(cell) for cells in columns for cell in cells if isinstance(cell, str))
        packed = self._path.stat().st_size
        if size > max(_MOST_CHARACTERS, 2 * _MOST_PACKED * packed):
            raise InputError(
                f"File {self.name!r} is too large for an Excel workbook.\n"
                f"It unpacks from {packed / 1e6:,.1f} MB to {size / 1e6:,.0f} million characters.\n"
                "Save its table as .csv or .parquet, which Shoal reads within --memory."
            )

    def _check_texts(self, first: Sequence[Any]) -> None:
        """Refuse a header with numbers or dates. It may be a person's row, so it is not shown."""
        others = [
            str(number) for number, name in enumerate(first, 1) if not isinstance(name, str | type(None))
        ]
        if others:
            raise InputError(
                f"The first row of {self.name!r} has cells that are not text: number {', '.join(others)}.\n"
                "Column names must be text.\n"
                "If the sheet has no header, use --no-header (`header: false` under `input:` in the spec). "
                "If this is the header, use --header (`header: true`)."
            )

    def _array(self, cells: list[Any]) -> pa.Array:
        """Return the cells of a column in their common type, or as text."""
        if self._null_values:
            cells = [None if cell in self._null_values else cell for cell in cells]
        kinds = {type(cell) for cell in cells} - {type(None)}
        if kinds == {int, float}:
            kinds = {float}
        if len(kinds) > 1:
            return _as_text(cells)
        kind = _KINDS.get(kinds.pop(), pa.string()) if kinds else pa.string()
        if pa.types.is_timestamp(kind) and all(cell is None or cell.time() == _MIDNIGHT for cell in cells):
            cells, kind = [cell and cell.date() for cell in cells], pa.date32()
        try:
            return pa.array(cells, kind)
        except (pa.ArrowInvalid, OverflowError):  # a whole number beyond 64 bits
            return pa.array(cells, pa.float64())

    @contextmanager
    def _rows(self, *, values: bool = True, computed: bool = True) -> Iterator[Iterator[tuple[Any, ...]]]:
        """Open the sheet: its rows as values or as cells, with formulas or their results."""
        from openpyxl import load_workbook
        from openpyxl.utils.exceptions import InvalidFileException

        # openpyxl warns of parts that it cannot keep, such as drawings; a table does not need them.
        with warnings.catch_warnings(), self._path.open("rb") as file:
            warnings.simplefilter("ignore")
            try:
                book = load_workbook(file, read_only=True, data_only=computed)
            except (*_BROKEN, InvalidFileException):
                raise self._damaged() from None
            try:
                sheet = self._chosen(book)
                sheet.reset_dimensions()  # some programs write wrong ones
                yield self._within(sheet.iter_rows(values_only=values))
            except InputError:
                raise
            except _BROKEN:
                raise self._damaged() from None
            finally:
                book.close()

    def _within(self, rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows, at most as many as a sheet can have; a row with a false number would not end."""
        for number, row in enumerate(rows, start=1):
            if number > _MOST_ROWS:
                raise self._damaged()
            yield row

    def _chosen(self, book: Any) -> Any:
        sheets = {sheet.title: sheet for sheet in book.worksheets}
        if not sheets:
            raise InputError(f"File {self.name!r} has no sheet with cells.")
        if self._sheet is None:
            return next(iter(sheets.values()))
        if self._sheet not in sheets:
            raise InputError(
                f"File {self.name!r} has no sheet {self._sheet!r}.\nSheets: {', '.join(sheets)}.\n"
                f"{nearest(self._sheet, list(sheets)).strip()}".rstrip()
            )
        return sheets[self._sheet]

    def _check_formulas(self) -> None:
        """Refuse formulas that Excel never computed: their cells would be NULL."""
        with zipfile.ZipFile(self._path) as parts:
            sheets = [name for name in parts.namelist() if name.startswith("xl/worksheets/")]
            if not any(_mentions(parts, name, b"<f") for name in sheets):
                return
        unknown = 0
        with self._rows(values=False, computed=False) as written, self._rows() as computed:
            for formulas, row in zip(written, computed, strict=True):
                unknown += sum(
                    getattr(cell, "data_type", "n") == "f" and value is None
                    for cell, value in zip(formulas, row, strict=False)
                )
        if unknown:
            raise InputError(
                f"File {self.name!r} has {unknown:,} formulas without saved values.\n"
                "Open it in Excel or LibreOffice and save it, or replace the formulas by values."
            )

    def _check_errors(self, indices: Sequence[int], cells: Sequence[list[Any]]) -> None:
        """Refuse cells with an error, whose values alone equal ordinary text."""
        if not any(isinstance(cell, str) and cell in _ERRORS for column in cells for cell in column):
            return
        broken = dict.fromkeys(indices, 0)
        with self._rows(values=False) as rows:
            for row in rows:
                for index in indices:
                    cell: Any = row[index] if index < len(row) else None
                    if getattr(cell, "data_type", "n") == "e" and cell.value not in self._null_values:
                        broken[index] += 1
        if any(broken.values()):
            raise InputError(
                f"Column {self.columns[index]!r} of {self.name!r} has errors such as #N/A, "
                f"in {count:,} {'cell' if count == 1 else 'cells'}.\n"
                "Correct them, or list such texts under `input:` as `null-values`."
                for index, count in broken.items()
                if count
            )

    def _damaged(self) -> InputError:
        return InputError(
            f"File {self.name!r} is not a complete Excel workbook.\nGet it again from its source."
        )


def _filled(row: Sequence[Any]) -> list[Any]:
    """Return the cells of a row up to the last with content; others are only formatted."""
    cells = list(row)
    while cells and cells[-1] is None:
        cells.pop()
    return cells


def _as_text(cells: list[Any]) -> pa.Array:
    """Return cells of several kinds as text, each in the text form of a release."""
    texts: list[str | None] = [None] * len(cells)
    for kind in {type(cell) for cell in cells} - {type(None)}:
        indices = [index for index, cell in enumerate(cells) if type(cell) is kind]
        try:
            values = text_of(pa.array([cells[index] for index in indices])).to_pylist()
        except (pa.ArrowException, OverflowError):
            values = [str(cells[index]) for index in indices]
        for index, value in zip(indices, values, strict=True):
            texts[index] = value
    return pa.array(texts, pa.string())


def _mentions(parts: zipfile.ZipFile, name: str, mark: bytes) -> bool:
    """Return whether a part of the workbook contains some bytes, without loading all of it."""
    with parts.open(name) as part:
        end = b""
        for block in iter(lambda: part.read(1 << 20), b""):
            if mark in end + block:
                return True
            end = block[-len(mark) :]
    return False
