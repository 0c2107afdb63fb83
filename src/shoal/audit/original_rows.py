"""The original table of a release, as an audit sees it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

import pyarrow as pa

from shoal.sql.relation import Relation


class OriginalRows(Protocol):
    """The original table, as far as claims compare with it, wherever it is."""

    @property
    def names(self) -> Sequence[str]:
        """Its columns."""
        ...

    @property
    def rows(self) -> int: ...

    def values(self, name: str) -> pa.ChunkedArray:
        """Return the values of a column, each at least once."""
        ...

    def kind(self, name: str) -> pa.DataType:
        """Return the type of its values."""
        ...

    def add(self, relation: Relation, identifiers: Mapping[str, str], as_text: Collection[str]) -> str:
        """Let queries read some columns, called as the identifiers say; return what stands after FROM."""
        ...
