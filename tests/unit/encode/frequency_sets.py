"""A table as rows and as a frequency set: what is asked of either must be told alike."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from shoal.encode.column import CodedColumn
from shoal.encode.table import CodedPopulation, CodedTable
from shoal.privacy.population import Population
from shoal.testing.tables import described_tables

_MOST_TIMES = 4


@st.composite
def repeated_tables(draw: st.DrawFn, population: Population) -> CodedTable:
    """A small table some of whose rows are there several times, as are all of its population."""
    table = draw(described_tables(max_rows=12, max_columns=3, population=population))
    times = np.array(draw(st.lists(st.integers(1, _MOST_TIMES), min_size=table.rows, max_size=table.rows)))

    def of(column: CodedColumn) -> CodedColumn:
        codes = np.repeat(column.codes, times)
        return replace(column, codes=codes, counts=np.bincount(codes, minlength=len(column.counts)))

    return replace(
        table,
        columns=tuple(map(of, table.columns)),
        rows=int(times.sum()),
        attributes={name: of(column) for name, column in table.attributes.items()},
        units=None if table.units is None else np.repeat(table.units, times),
        populations={
            key: CodedPopulation(
                tuple(np.repeat(codes, _MOST_TIMES) for codes in people.codes), people.rows * _MOST_TIMES
            )
            for key, people in table.populations.items()
        },
    )


def tuples(table: CodedTable) -> list[tuple[int, ...]]:
    """Return for each entry its codes: quasi-identifiers, attributes, unit."""
    parts = [column.codes for column in (*table.columns, *table.attributes.values())]
    parts += [] if table.units is None else [table.units]
    return list(zip(*(codes.tolist() for codes in parts), strict=True))


def frequency_set(table: CodedTable) -> CodedTable:
    """Count equal rows, in plain Python; the order of the entries tells nothing."""
    counted = Counter(tuples(table))
    entries = np.array(sorted(counted, key=lambda entry: entry[::-1]), dtype=np.uint32)
    entries = entries.reshape(len(counted), -1)
    places = iter(entries.T)

    def of(column: CodedColumn) -> CodedColumn:
        return replace(column, codes=next(places).copy())

    return replace(
        table,
        columns=tuple(map(of, table.columns)),
        attributes={name: of(column) for name, column in table.attributes.items()},
        units=None if table.units is None else next(places).copy(),
        weights=np.array([counted[tuple(entry)] for entry in entries.tolist()], dtype=np.uint64),
    )


def at_least(table: CodedTable, levels: tuple[int, ...]) -> CodedTable:
    """Return the same rows where no column may go below these levels."""
    columns = (
        replace(column, min_level=max(column.min_level, level))
        for column, level in zip(table.columns, levels, strict=True)
    )
    return replace(table, columns=tuple(columns))


def nodes(table: CodedTable) -> st.SearchStrategy[tuple[int, ...]]:
    """Draw a node of a table, by the levels that its columns allow."""
    return st.tuples(*(st.integers(column.min_level, column.max_level) for column in table.columns))
