"""How many rows of all emissions the columns that are released unchanged single out.

Whoever has one emission has the others. Numbers of charts are unique in each of them, and if emissions are
small, none has as many unique rows as are refused. So values are counted over all emissions, by hashes that
the state keeps.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence

import pyarrow as pa

from shoal.audit.linkable import Linkability, Unique
from shoal.read.columns import text_of
from shoal.release import Release
from shoal.stream.state import State


def require_unlinkable(release: Release, state: State) -> None:
    """Count the rows of an emission with those before it, and refuse columns that single out too many.

    Raises
    ------
    LinkableError
        As for a single release of all rows.
    """
    own = release.audit.linkable
    if own is None:
        return
    table, key = release.table, state.mark.encode()

    def unique(names: Sequence[str]) -> Unique:
        return Unique(state.count_values(json.dumps(names), _hashed(table.select(names), key)))

    rows = state.released + release.rows
    alone = {name: unique([name]) for name in own.columns if name not in own.accepted}
    known = unique(own.known) if len(own.known) > 1 else alone[own.known[0]] if own.known else None
    Linkability(rows, alone, Unique(0), own.known, known, None, own.accepted).require(so_far=True)


def _hashed(table: pa.Table, key: bytes) -> Counter[bytes]:
    """Return how many rows have each value, by a keyed hash of it; NULL alone singles nobody out."""
    columns = [text_of(column).to_pylist() for column in table.columns]
    counts = Counter(zip(*columns, strict=True))
    return Counter(
        {
            hashlib.blake2b(json.dumps(value).encode(), key=key, digest_size=16).digest(): rows
            for value, rows in counts.items()
            if any(cell is not None for cell in value)
        }
    )
