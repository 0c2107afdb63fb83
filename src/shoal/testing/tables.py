"""Random tables with random hierarchies, small enough for brute force."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from shoal.describe.hierarchy import Levels
from shoal.encode.column import CodedColumn, code_column
from shoal.encode.table import CodedPopulation, CodedTable
from shoal.privacy.population import Population


@dataclass(frozen=True)
class FixedHierarchy:
    """A hierarchy given as nested partitions: ``parents[level][label]`` is the label one level up."""

    parents: tuple[tuple[int, ...], ...]

    def levels(self, values: pa.Array) -> Levels:
        domain = len(self.parents[0]) if self.parents else len(values)
        labels = [values]
        paths = {v: v for v in range(domain)}
        leaves = [np.ones(len(values), dtype=np.int64)]
        for level, parents in enumerate(self.parents, start=1):
            paths = {v: parents[label] for v, label in paths.items()}
            labels.append(pa.array([f"L{level}-{paths[v]}" for v in values.to_pylist()], pa.string()))
            counts = [sum(1 for other in paths.values() if other == paths[v]) for v in values.to_pylist()]
            leaves.append(np.array(counts, dtype=np.int64))
        return Levels(tuple(labels), tuple(leaves), domain)


@st.composite
def coded_columns(
    draw: st.DrawFn, name: str, rows: int, max_values: int = 6, max_height: int = 3, min_height: int = 0
) -> CodedColumn:
    domain = draw(st.integers(1, max_values))
    size = domain
    parents = []
    for _ in range(draw(st.integers(min_height, max_height))):
        upper = draw(st.integers(1, size))
        parents.append(tuple(draw(st.lists(st.integers(0, upper - 1), min_size=size, max_size=size))))
        size = upper
    value = (
        st.one_of(st.none(), st.integers(0, domain - 1))
        if draw(st.booleans())
        else st.integers(0, domain - 1)
    )
    values = draw(st.lists(value, min_size=rows, max_size=rows))
    height = len(parents)
    low = draw(st.integers(0, height))
    return code_column(
        name,
        pa.array(values, pa.int64()).dictionary_encode(),
        FixedHierarchy(tuple(parents)),
        weight=draw(st.sampled_from([1.0, 1.0, 2.0, 0.3])),
        min_level=draw(st.sampled_from([0, low])),
        max_level=draw(st.sampled_from([height, max(low, height - 1)])),
    )


@st.composite
def coded_tables(draw: st.DrawFn, max_rows: int = 40, max_columns: int = 4) -> CodedTable:
    rows = draw(st.integers(1, max_rows))
    columns = draw(st.integers(1, max_columns))
    return CodedTable(tuple(draw(coded_columns(f"c{i}", rows)) for i in range(columns)), rows)


@st.composite
def described_tables(
    draw: st.DrawFn, max_rows: int = 40, max_columns: int = 4, population: Population | None = None
) -> CodedTable:
    """A table with two sensitive columns, `s` and `t`, perhaps with units, perhaps with a population.

    `s` has a hierarchy of at least one level above the values.
    """
    table = draw(coded_tables(max_rows, max_columns))
    attributes = {
        name: draw(coded_columns(name, table.rows, max_values=5, min_height=height))
        for name, height in (("s", 1), ("t", 0))
    }
    units = None
    if draw(st.integers(0, 2)) == 0:
        # Few people have many rows each, and then several values; most of many have one row.
        most = draw(st.sampled_from([3, 9, 20]))
        numbers = draw(st.lists(st.integers(0, most), min_size=table.rows, max_size=table.rows))
        units = np.unique(numbers, return_inverse=True)[1].reshape(-1).astype(np.uint32)
    populations = {}
    if population is not None:
        # The rows of the table, and others with values that it has.
        others = draw(st.integers(0, 2 * max_rows))
        codes = []
        for column in table.columns:
            drawn = draw(st.lists(st.integers(0, len(column.counts) - 1), min_size=others, max_size=others))
            codes.append(np.concatenate([column.codes, np.array(drawn, dtype=np.uint32)]))
        populations[population.key] = CodedPopulation(tuple(codes), table.rows + others)
    return replace(table, attributes=attributes, units=units, populations=populations)
