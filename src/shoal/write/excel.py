"""A table to an Excel workbook (`.xlsx`) of one sheet, byte for byte the same for the same table.

Excel holds less than Arrow does: no NULL but the empty cell, no numbers but floats, no time zones, no days
before 1900-03-01, no times below a millisecond. A table that would not come back as it was is refused.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import InputError, Problem
from shoal.read.columns import is_text
from shoal.read.source import check_installed

_ROWS = 1_048_576
_COLUMNS = 16_384
_CHARACTERS = 32_767
_LARGEST_WHOLE = 2**53
_DIGITS = 15
_EPOCH = date(1970, 1, 1)
_FIRST_DAY = date(1900, 3, 1)  # Excel counts a 29 February 1900 that never was
_CONTROL = r"[\x00-\x08\x0b-\x1f\x{fffe}\x{ffff}]"  # XML makes \r a \n, and lacks the others
_ESCAPE = r"_x[0-9A-Fa-f]{4}_"
_ROWS_AT_ONCE = 1 << 14
_TIME = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")
_ABOUT = "docProps/core.xml"
_INSTEAD = "Write to a .csv or .parquet file instead"


def check_excel() -> None:
    """Raise if Excel files cannot be written here."""
    check_installed("openpyxl", "excel", "Writing Excel files")


def write_excel(table: pa.Table, path: Path) -> None:
    """Write a table to a workbook.

    Raises
    ------
    InputError
        With everything that an Excel file cannot hold.
    """
    check_excel()
    from openpyxl import Workbook

    columns = [_decoded(column) for column in table.columns]
    _check(table, columns)
    book = Workbook(write_only=True)
    sheet = book.create_sheet("release")
    _spool_beside(path, sheet)
    try:
        for row in _rows(table.column_names, columns):
            sheet.append([_cell(sheet, value) for value in row])
        book.save(path)
    except OSError:  # a full disk: what is open would fail once more when Python ends, and print that
        with suppress(OSError):
            sheet._writer.xf.close()
        raise
    _forget_when(path)


def _spool_beside(path: Path, sheet: Any) -> None:
    """Let openpyxl keep the rows beside the workbook until it is packed, not in the system's folder.

    If the process is killed, rows that are not audited stay in a place that the next run cleans.
    """
    from openpyxl.worksheet import _writer

    spool = str(path.with_name(f"{path.name}.rows"))
    _writer.ALL_TEMP_FILES.append(spool)  # it removes what is in this list
    sheet._writer = _writer.WorksheetWriter(sheet, out=spool)
    sheet._writer.write_top()


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _rows(names: list[str], columns: list[pa.ChunkedArray]) -> Iterator[tuple[Any, ...]]:
    yield tuple(names)
    for start in range(0, len(columns[0]), _ROWS_AT_ONCE):
        parts = (column.slice(start, _ROWS_AT_ONCE) for column in columns)
        yield from zip(*(_values(part) for part in parts), strict=True)


def _values(part: pa.ChunkedArray) -> list[Any]:
    if pa.types.is_timestamp(part.type):
        part = part.cast(pa.timestamp("us"))
    elif pa.types.is_time(part.type):
        part = part.cast(pa.time64("us"))
    values: list[Any] = part.to_pylist()
    return values


def _cell(sheet: Any, value: Any) -> Any:
    """Return a value as it is, or the cell for one that openpyxl would change.

    It takes some text for a formula or an error, and writes 16 digits of a number, where a few need 17.
    """
    from openpyxl.cell import WriteOnlyCell

    if isinstance(value, str) and value.startswith(("=", "#")):
        kind = "s"
    elif isinstance(value, float) and float(f"{value:.16g}") != value:
        kind = "n"
    else:
        return value
    cell = WriteOnlyCell(sheet, str(value))
    cell.data_type = kind
    return cell


def _check(table: pa.Table, columns: list[pa.ChunkedArray]) -> None:
    """Raise with everything about a table that a workbook cannot hold."""
    problems = []
    if table.num_rows >= _ROWS or table.num_columns > _COLUMNS:
        problems.append(
            f"An Excel sheet has at most {_ROWS:,} rows with the header, and {_COLUMNS:,} columns.\n"
            f"The release has {table.num_rows:,} rows and {table.num_columns:,} columns.\n{_INSTEAD}."
        )
    if found := _unfit_text(pa.chunked_array([table.column_names], pa.string())):
        problems.append(
            f"The names of the columns cannot be written to Excel.\nThey have {found}.\n{_INSTEAD}."
        )
    for name, column in zip(table.column_names, columns, strict=True):
        if found := _unfit(column):
            problems.append(f"Column '{name}' cannot be written to Excel.\nIt has {found}.\n{_INSTEAD}.")
    empty = columns[0].is_null()
    for column in columns[1:]:
        empty = pc.and_(empty, column.is_null())
    if rows := pc.sum(empty).as_py():
        problems.append(
            "An Excel file cannot hold rows of nothing but NULL.\n"
            f"The release has {rows:,} of them.\n{_INSTEAD}."
        )
    if problems:
        raise InputError(map(Problem, problems))


def _unfit(column: pa.ChunkedArray) -> str:
    """Describe what a column has that does not come back from an Excel file; nothing if all does."""
    kind = column.type
    if pa.types.is_boolean(kind):
        return ""
    if is_text(kind):
        return _unfit_text(column)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _unfit_numbers(column)
    if pa.types.is_temporal(kind) and not pa.types.is_interval(kind):
        return _unfit_times(column)
    return f"values of type {kind}"


def _unfit_numbers(column: pa.ChunkedArray) -> str:
    kind = column.type
    if pa.types.is_floating(kind):
        return "numbers that are not finite" if pc.any(pc.invert(pc.is_finite(column))).as_py() else ""
    ends = pc.min_max(column).as_py().values()
    large = any(end is not None and abs(end) > _LARGEST_WHOLE for end in ends)
    if large or (pa.types.is_decimal(kind) and kind.precision > _DIGITS):
        return f"numbers of more than {_DIGITS} digits; as text they can be, `type: text`"
    return ""


def _unfit_times(column: pa.ChunkedArray) -> str:
    kind = column.type
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return "timestamps in a time zone"
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        days = pc.min_max(column.cast(pa.date32(), safe=False).cast(pa.int32())).as_py()
        if days["min"] is not None and days["min"] < (_FIRST_DAY - _EPOCH).days:
            return f"days before {_FIRST_DAY}"
        if days["max"] is not None and days["max"] > (date.max - _EPOCH).days:
            return f"days after {date.max}"
    if pa.types.is_duration(kind):  # in the audit they would be numbers in another unit
        return "durations; as text they can be, `type: text`"
    finer = not pa.types.is_date(kind) and _finer_than_milliseconds(column)
    return "times finer than milliseconds" if finer else ""


def _unfit_text(column: pa.ChunkedArray) -> str:
    if pc.any(pc.equal(column, "")).as_py():
        return "empty texts, which Excel does not distinguish from NULL; `null-values` can make them NULL"
    if (pc.max(pc.utf8_length(column)).as_py() or 0) > _CHARACTERS:
        return f"texts of more than {_CHARACTERS:,} characters"
    if pc.any(pc.match_substring_regex(column, _CONTROL)).as_py():
        return "control characters"
    escaped = pc.any(pc.match_substring_regex(column, _ESCAPE)).as_py()
    return "texts like _x0041_, which Excel takes for A" if escaped else ""


def _finer_than_milliseconds(column: pa.ChunkedArray) -> bool:
    per_millisecond = {"s": 1, "ms": 1, "us": 1_000, "ns": 1_000_000}[column.type.unit]
    if per_millisecond == 1:
        return False
    number = column.cast(pa.int64())
    whole = pc.multiply(pc.divide(number, per_millisecond), per_millisecond)
    return bool(pc.any(pc.not_equal(number, whole)).as_py())


def _forget_when(path: Path) -> None:
    """Take out of a workbook when it was made: equal data are equal bytes then."""
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    parts[_ABOUT] = _TIME.sub(rb"\g<1>1980-01-01T00:00:00Z", parts[_ABOUT])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in parts.items():
            about = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            about.compress_type = zipfile.ZIP_DEFLATED
            about.create_system = 0
            book.writestr(about, content)
