"""Check the hierarchies of columns on a table, without anonymizing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pyarrow as pa

from shoal.describe.fitted_hierarchy import Fitted
from shoal.describe.hierarchy import FromData, Hierarchy
from shoal.describe.roles import QuasiIdentifier, Sensitive
from shoal.encode.column import used_values
from shoal.errors import InputError, Problem
from shoal.prepare.fit import column_data
from shoal.read.columns import coded
from shoal.read.source import InputFormat, check_wanted, open_source
from shoal.read.typed_tables import typed
from shoal.spec.spec import Spec

if TYPE_CHECKING:
    from shoal.describe.hierarchy import Levels
    from shoal.describe.missing_values import MissingValues
    from shoal.read.types import ColumnType


@dataclass(frozen=True, slots=True)
class HierarchyCheck:
    """The result of checking the hierarchy of one column.

    Attributes
    ----------
    values
        Number of distinct values of the column, without NULL.
    nulls
        Number of rows with NULL.
    levels
        The labels of the values, unless there are problems.
    """

    column: str
    hierarchy: Hierarchy
    values: int
    nulls: int
    levels: Levels | None
    problems: tuple[Problem, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Oddities that are not errors."""
        if self.levels is None:
            return ()
        unused = self.levels.total - self.values
        if unused <= 0:
            return self.levels.notes
        entries = "1 entry" if unused == 1 else f"{unused:,} entries"
        return (*self.levels.notes, f"its hierarchy has {entries} that the table does not use.")

    def require(self) -> Levels:
        """Return the labels, or raise with the problems."""
        if self.levels is None:
            raise InputError(self.problems)
        return self.levels


def check_column(
    hierarchy: Hierarchy,
    data: object,
    column: str,
    *,
    input_format: InputFormat = InputFormat(),  # noqa: B008 (frozen)
    missing_values: MissingValues = "error",
) -> HierarchyCheck:
    """Return what a hierarchy makes of a column of a table.

    Examples
    --------
    >>> from shoal.describe.hierarchies.intervals import intervals
    >>> found = check_column(intervals(10), pa.table({"age": [31, 38, None, 52]}), "age")
    >>> found.values, found.nulls, found.levels.labels[1].to_pylist()
    (3, 1, ['[30, 40)', '[30, 40)', '[50, 60)'])
    """
    qi = QuasiIdentifier(hierarchy=hierarchy, missing_values=missing_values)
    if problems := list(qi.problems()):
        raise InputError(problems)
    return _found({column: qi}, data, input_format, {})[0]


def check_spec(spec: Spec, data: object, input_format: InputFormat | None = None) -> list[HierarchyCheck]:
    """Check the hierarchies of a spec on the columns of a table."""
    described: dict[str, QuasiIdentifier | Sensitive] = dict(spec.quasi_identifiers)
    described |= {name: column for name, column in spec.sensitive.items() if column.hierarchy is not None}
    return _found(described, data, input_format or spec.input, spec.types)


def _found(
    described: Mapping[str, QuasiIdentifier | Sensitive],
    data: object,
    input_format: InputFormat,
    types: Mapping[str, ColumnType],
) -> list[HierarchyCheck]:
    source = open_source(data, input_format)
    wanted = list(described)
    for column in described.values():
        hierarchy = column.hierarchy
        if isinstance(hierarchy, FromData) and hierarchy.target and hierarchy.target not in wanted:
            wanted.append(hierarchy.target)
    check_wanted(wanted, source.columns, repr(source.name), shown=not source.doubtful)
    table = source.read(wanted, coded=list(described))
    (table,), strange = typed([("", table)], {name: kind for name, kind in types.items() if name in wanted})
    if strange:
        raise InputError(strange)
    return [_finding(name, column, table) for name, column in described.items()]


def _finding(name: str, column: QuasiIdentifier | Sensitive, table: pa.Table) -> HierarchyCheck:
    hierarchy = column.hierarchy
    assert hierarchy is not None
    values = coded(table.column(name), name)
    used = used_values(values)
    nulls = values.indices.null_count
    if not isinstance(column, QuasiIdentifier):
        column = QuasiIdentifier(hierarchy=hierarchy)
    try:
        if isinstance(hierarchy, FromData):
            fitted = Fitted.to(hierarchy, column_data(pa.chunked_array([values]), column, table))
            column = replace(column, hierarchy=fitted)
        levels = column.levels(used)
    except InputError as error:
        problems = tuple(
            Problem(f"Column {name!r}: {problem.message}", problem.values) for problem in error.problems
        )
        return HierarchyCheck(name, hierarchy, len(used), nulls, None, problems)
    return HierarchyCheck(name, hierarchy, len(used), nulls, levels)
