"""Random nodes of random tables, with any classes suppressed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from shoal.describe.hierarchies.suppress import Suppress
from shoal.encode.column import code_column
from shoal.encode.table import CodedTable
from shoal.measure.measure import Node
from shoal.testing.tables import coded_tables

TARGET = "target"


@st.composite
def tables(draw: st.DrawFn, max_rows: int = 30, max_columns: int = 3, target: str = TARGET) -> CodedTable:
    """Draw a table with one more column, for measures that look at a target."""
    table = draw(coded_tables(max_rows=max_rows, max_columns=max_columns))
    values = draw(
        st.lists(
            st.one_of(st.none(), st.integers(0, 2)) if draw(st.booleans()) else st.integers(0, 1),
            min_size=table.rows,
            max_size=table.rows,
        )
    )
    coded = code_column(target, pa.array(values, pa.int64()).dictionary_encode(), Suppress())
    return replace(table, attributes={**table.attributes, target: coded})


def node_at(table: CodedTable, levels: Sequence[int], kept: Any = True, k: int | None = None) -> Node:
    """Group the rows at a node; `kept` says of a class by its labels, or of all, whether it is released."""
    cells = (
        column.maps[level][column.codes].tolist() for column, level in zip(table.columns, levels, strict=True)
    )
    classes = Counter(zip(*cells, strict=True))
    keep = [kept(labels) if callable(kept) else kept for labels in classes]
    return Node(table, tuple(levels), list(classes), list(classes.values()), keep, k)


@st.composite
def levels_of(draw: st.DrawFn, table: CodedTable, lowest: Sequence[int] | None = None) -> tuple[int, ...]:
    low = lowest or [0] * len(table.columns)
    return tuple(
        draw(st.integers(least, column.height)) for least, column in zip(low, table.columns, strict=True)
    )


@st.composite
def nodes(draw: st.DrawFn, table: CodedTable, lowest: Sequence[int] | None = None) -> Node:
    """Draw a node at or above the lowest levels, with any classes suppressed."""
    levels = draw(levels_of(table, lowest))
    k = draw(st.one_of(st.none(), st.integers(1, 6)))
    whole = node_at(table, levels, k=k)
    kept = draw(st.lists(st.booleans(), min_size=len(whole.sizes), max_size=len(whole.sizes)))
    return replace(whole, kept=kept)
