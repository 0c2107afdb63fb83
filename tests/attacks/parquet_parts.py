"""The footer of a Parquet file as plain values, so that tests can put anything into it.

It is Thrift's compact protocol (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).
A struct is a dictionary of field number -> (type, value), and a list is a pair of type and values.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

Struct: TypeAlias = dict[int, tuple[int, Any]]

TRUTHS, BYTE, WHOLE, DOUBLE, TEXT, LISTS, STRUCT = (1, 2), 3, (4, 5, 6), 7, 8, (9, 10), 12
_END = 8  # the length of the footer, and "PAR1"


def change_footer(path: Path, change: Callable[[Struct], object]) -> None:
    """Change the footer of a file, and nothing else."""
    data = path.read_bytes()
    start = len(data) - _END - int.from_bytes(data[-8:-4], "little")
    footer, _ = _read_struct(data, start)
    assert _write_struct(footer) == data[start:-8]
    change(footer)
    written = _write_struct(footer)
    path.write_bytes(data[:start] + written + len(written).to_bytes(4, "little") + b"PAR1")


def columns_of(footer: Struct) -> list[Struct]:
    """Return the columns of the first row group, each a ColumnChunk."""
    columns: list[Struct] = footer[4][1][1][0][1][1][1]
    return columns


def add_metadata(footer: Struct, key: str, value: bytes) -> None:
    """Put a key and its value into the metadata of the file."""
    footer.setdefault(5, (9, (STRUCT, [])))[1][1].append({1: (TEXT, key.encode()), 2: (TEXT, value)})


def _read_number(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        number |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return number, at


def _write_number(number: int) -> bytes:
    found = []
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def _signed(number: int) -> int:
    return number >> 1 ^ -(number & 1)


def _unsigned(number: int) -> int:
    return 2 * number if number >= 0 else -2 * number - 1


def _read(data: bytes, at: int, kind: int) -> tuple[Any, int]:
    if kind == STRUCT:
        return _read_struct(data, at)
    if kind in TRUTHS:
        return kind == 1, at
    if kind in (BYTE, DOUBLE):
        size = 1 if kind == BYTE else 8
        return data[at : at + size], at + size
    if kind not in LISTS:
        number, at = _read_number(data, at)
        return (_signed(number), at) if kind in WHOLE else (data[at : at + number], at + number)
    size, inner, at = data[at] >> 4, data[at] & 15, at + 1
    if size == 15:
        size, at = _read_number(data, at)
    values = []
    for _ in range(size):
        value, at = (data[at] == 1, at + 1) if inner in TRUTHS else _read(data, at, inner)
        values.append(value)
    return (inner, values), at


def _read_struct(data: bytes, at: int) -> tuple[Struct, int]:
    found: Struct = {}
    field = 0
    while data[at]:
        step, kind = data[at] >> 4, data[at] & 15
        at += 1
        if step:
            field += step
        else:
            number, at = _read_number(data, at)
            field = _signed(number)
        value, at = _read(data, at, kind)
        found[field] = kind, value
    return found, at + 1


def _write(kind: int, value: Any) -> bytes:
    if kind == STRUCT:
        return _write_struct(value)
    if kind in TRUTHS:
        return b""
    if kind in (BYTE, DOUBLE):
        return bytes(value)
    if kind in WHOLE:
        return _write_number(_unsigned(value))
    if kind == TEXT:
        return _write_number(len(value)) + value
    inner, values = value
    size = len(values)
    start = bytes([size << 4 | inner]) if size < 15 else bytes([15 << 4 | inner]) + _write_number(size)
    truths = inner in TRUTHS
    return start + b"".join((b"\1" if v else b"\2") if truths else _write(inner, v) for v in values)


def _write_struct(struct: Struct) -> bytes:
    written, last = b"", 0
    for field in sorted(struct):
        kind, value = struct[field]
        kind = 1 + (not value) if kind in TRUTHS else kind
        step = field - last
        written += bytes([step << 4 | kind]) if step < 16 else bytes([kind]) + _write_number(_unsigned(field))
        written, last = written + _write(kind, value), field
    return written + b"\0"
