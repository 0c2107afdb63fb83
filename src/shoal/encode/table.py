"""The quasi-identifiers of a table, coded: all that a search needs to know of the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from shoal.describe.hierarchy import HierarchyError
from shoal.describe.spec import QuasiIdentifier
from shoal.encode.column import CodedColumn, code_column
from shoal.errors import InputError, Problem


@dataclass(frozen=True, slots=True)
class CodedTable:
    """Coded quasi-identifiers, in the order of the spec."""

    columns: tuple[CodedColumn, ...]
    rows: int

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


def code_table(table: pa.Table, quasi_identifiers: Mapping[str, QuasiIdentifier]) -> CodedTable:
    """Code the quasi-identifiers of a table whose columns came as dictionary arrays.

    Raises
    ------
    InputError
        With the problems of all columns: values that a hierarchy lacks, levels that are not nested,
        forbidden NULLs.
    """
    problems: list[Problem] = []
    columns: list[CodedColumn] = []
    for name, qi in quasi_identifiers.items():
        values = table.column(name).combine_chunks()
        if isinstance(values, pa.ChunkedArray):
            values = values.chunk(0)
        if qi.null == "forbid" and values.null_count:
            problems.append(
                Problem(
                    f"Column {name!r}: NULL in {values.null_count:,} of {len(values):,} rows, "
                    "and the spec says `null: forbid`."
                )
            )
            continue
        try:
            columns.append(
                code_column(
                    name,
                    values,
                    qi.hierarchy,
                    weight=qi.weight,
                    min_level=qi.min_level,
                    max_level=qi.max_level,
                )
            )
        except HierarchyError as error:
            problems += [Problem(f"Column {name!r}: {p.message}", p.values) for p in error.problems]
    if problems:
        raise InputError(problems)
    return CodedTable(tuple(columns), table.num_rows)
