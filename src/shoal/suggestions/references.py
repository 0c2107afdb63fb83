"""Columns that refer to people in other columns: `infected_by` has the numbers of other cases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shoal.describe.roles import Role
from shoal.suggestions.kinds import Kind
from shoal.suggestions.profile import ColumnProfile
from shoal.suggestions.roles import SOME, Proposal
from shoal.suggestions.table import Table

_MOST: Final = 0.8
"""Share of a column's values that must be in the other: some people may not be in the table."""
_AT_LEAST = 5
_DENSE = 0.5
_MOST_COMPARED = 20


def find_references(
    table: Table, proposals: Mapping[str, Proposal], columns: Mapping[str, ColumnProfile]
) -> dict[str, str]:
    """Return the columns most of whose values are in a finer column that identifies people, with that column.

    Small numbers are in a column of consecutive numbers by chance, so they do not count there.
    """
    comparable = [column for column in columns.values() if column.kind in (Kind.TEXT, Kind.INTEGER)]
    people = [
        column
        for column in comparable
        if proposals[column.name].role is Role.IDENTIFIER and column.distinct > SOME
    ]
    people.sort(key=lambda column: -column.distinct)
    found: dict[str, str] = {}
    for column in comparable:
        proposal = proposals[column.name]
        if column.distinct < _AT_LEAST or (proposal.sure and proposal.role is Role.QUASI_IDENTIFIER):
            continue
        for other in people[:_MOST_COMPARED]:
            finer = other.name != column.name and other.distinct > column.distinct
            if finer and other.kind is column.kind and _refers(table, column, other):
                found[column.name] = other.name
                break
    return found


def _refers(table: Table, column: ColumnProfile, other: ColumnProfile) -> bool:
    value, person = table.columns[column.name], table.columns[other.name]
    distinct = f"SELECT DISTINCT trim({value}::VARCHAR) AS value FROM {{table}} WHERE {value} IS NOT NULL"
    people = f"SELECT DISTINCT trim({person}::VARCHAR) AS value FROM {{table}} WHERE {person} IS NOT NULL"
    values, shared = table.fetch_row(
        f"SELECT count(*), count(*) FILTER (value IN ({people})) FROM ({distinct})"
    )
    if shared < _MOST * values:
        return False
    if column.kind is not Kind.INTEGER:
        return True
    number = "TRY_CAST(value AS DOUBLE)"
    (density,) = table.fetch_row(
        f"SELECT (SELECT count(*) FROM ({people}) WHERE {number} BETWEEN low AND high) / (high - low + 1) "
        f"FROM (SELECT min({number}) AS low, max({number}) AS high FROM ({distinct}))"
    )
    return density is not None and bool(density <= _DENSE)
