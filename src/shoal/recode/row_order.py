"""The order of released rows: one that nobody can undo.

Rows of a table often come in an order that says who they are: by date, by name, by ward. Whoever finds the
state of the generator that shuffled them puts them back. So no generator with a small state shuffles here.
Each row draws a number from SHAKE-256 under a key of 256 bits, and rows are sorted by their numbers.

Without a seed the key comes from the system and is forgotten. With one it is derived from the seed, the
publisher's secret and everything that is released. The same release made again has the same
order, for whoever has the secret. Two releases that differ in anything have orders that have nothing to do
with each other, so that they cannot be joined row by row.
"""

from __future__ import annotations

import hashlib
import secrets

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal import secret
from shoal.read.columns import text_of
from shoal.recode.released_classes import Verdict
from shoal.spec.spec import SuppressedRows

KEY_BYTES = 32
_BLOCK = 1 << 20


def random_order(rows: int, key: bytes) -> NDArray[np.int64]:
    """Return the numbers from 0 to `rows` - 1 in an order that only the key tells.

    Examples
    --------
    >>> order = random_order(1000, b"only this gives this order")
    >>> sorted(order.tolist()) == list(range(1000)), order.tolist() == list(range(1000))
    (True, False)
    """
    drawn = np.empty(rows, dtype=np.uint64)
    for start in range(0, rows, _BLOCK):
        count = min(_BLOCK, rows - start)
        stream = hashlib.shake_256(key + start.to_bytes(8, "big")).digest(8 * count)
        drawn[start : start + count] = np.frombuffer(stream, dtype="<u8")
    return np.argsort(drawn, kind="stable").astype(np.int64, copy=False)


def new_key() -> bytes:
    """Return a key that nobody gets again."""
    return secrets.token_bytes(KEY_BYTES)


def seeded_key(seed: int, verdict: Verdict, others: pa.Table, suppressed: SuppressedRows) -> bytes:
    """Return the key of a release that was made with a seed.

    Parameters
    ----------
    verdict
        The labels of all rows, and which of them are kept.
    others
        The columns that are released as they are.
    suppressed
        What becomes of the other rows.
    """
    release = hashlib.sha256(suppressed.encode())
    levels = verdict.recoding.levels or {}
    for name, cells in zip(verdict.coded.names, verdict.cells, strict=True):
        release.update(repr((name, levels.get(name))).encode())
        release.update(_content(cells.labels))
        release.update(_digest(cells.numbers))
    release.update(_digest(verdict.entries_kept))
    for name in others.column_names:
        release.update(repr((name, str(others.schema.field(name).type))).encode())
        release.update(_content(others.column(name)))
    return secret.derived("order", str(int(seed)).encode(), release.digest())


def _content(values: pa.Array | pa.ChunkedArray) -> bytes:
    """Return a digest of values, which is the same however Arrow has laid them out."""
    try:
        text = text_of(values, pa.large_string())
    except pa.ArrowException:  # bytes, lists and structs have no text
        return hashlib.sha256(repr(values.to_pylist()).encode()).digest()
    if isinstance(text, pa.ChunkedArray):
        text = pa.concat_arrays(text.chunks or [pa.array([], pa.large_string())])
    missing = text.is_null().to_numpy(zero_copy_only=False)
    filled = text.fill_null("")
    _, positions, letters = filled.buffers()
    ends = np.frombuffer(positions, dtype=np.int64)[filled.offset : filled.offset + len(filled) + 1]
    digest = hashlib.sha256(_digest(missing) + _digest(np.diff(ends)))
    if letters is not None and len(ends):
        digest.update(memoryview(letters)[int(ends[0]) : int(ends[-1])])
    return digest.digest()


def _digest(numbers: NDArray[np.generic]) -> bytes:
    head = f"{numbers.dtype.str} {numbers.shape}".encode()
    return hashlib.sha256(head + np.ascontiguousarray(numbers).tobytes()).digest()
