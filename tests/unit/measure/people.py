"""The table of docs/measures.md."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from shoal.encode.column import code_column
from shoal.encode.table import CodedTable
from shoal.spec.spec import hierarchy_from_text


def people() -> CodedTable:
    """Six people in two columns, and a target."""
    columns: dict[str, tuple[list[Any], str, float]] = {
        "age": ([21, 24, 25, 31, 38, 39], "intervals:10", 3.0),
        "sex": (["F", "F", "M", "F", "M", "M"], "suppress", 1.0),
    }
    coded = tuple(
        code_column(
            name,
            pa.array(values).dictionary_encode(),
            hierarchy_from_text(hierarchy),
            weight=weight,
        )
        for name, (values, hierarchy, weight) in columns.items()
    )
    target = code_column(
        "ill",
        pa.array(["yes", "yes", "no", "no", "no", "yes"]).dictionary_encode(),
        hierarchy_from_text("suppress"),
    )
    return CodedTable(coded, 6, {"ill": target})


def classes_of_two(labels: tuple[int, ...]) -> bool:
    """With k = 2 the one woman in her thirties and the one man in his twenties are suppressed."""
    return labels in {(0, 0), (1, 1)}
