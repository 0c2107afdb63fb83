"""Two tables about the same people: the key that joins them, and roles that agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from shoal.describe.roles import Role
from shoal.errors import InputError
from shoal.read.source import InputFormat, open_source
from shoal.spec.given_roles import given_roles
from shoal.suggestions.kinds import Kind
from shoal.suggestions.names import NUMBER_WORDS, words
from shoal.suggestions.roles import is_bare_number
from shoal.suggestions.suggestion import ColumnSuggestion, Suggestion, reveals
from shoal.suggestions.words import count, printable

_UNIQUE: Final = 0.95
"""Share of a key's rows that have a value of their own in one of the tables."""
_CONTAINED: Final = 0.8
"""Share of the other column's values that must be in the key; half of that where the names are the same."""
_LEAST = 5
_MOST_PAIRS = 400


@dataclass(frozen=True, slots=True)
class Join:
    """The columns that join two tables.

    Attributes
    ----------
    columns
        One of each table.
    tables
        The names of the tables.
    rows
        Of each table.
    meeting
        Rows of each table that meet a row of the other.
    """

    columns: tuple[str, str]
    tables: tuple[str, str]
    rows: tuple[int, int]
    meeting: tuple[int, int]

    @property
    def words(self) -> str:
        """The key, and how many rows meet.

        Examples
        --------
        >>> Join(("id", "patient"), ("people.csv", "visits.csv"), (20, 60), (20, 57)).words
        'id of people.csv is patient of visits.csv: 20 of 20 rows and 57 of 60 rows meet'
        """
        first, second = (f"{printable(column)} of {printable(table)}" for column, table in self._sides())
        meeting = (
            f"{met:,} of {count(rows, 'row')}" for met, rows in zip(self.meeting, self.rows, strict=True)
        )
        return f"{first} is {second}: {' and '.join(meeting)} meet"

    def to_mapping(self) -> dict[str, Any]:
        """Return the join as JSON-ready data."""
        return {
            "columns": list(self.columns),
            "rows": list(self.rows),
            "meeting_rows": list(self.meeting),
        }

    def _sides(self) -> Iterator[tuple[str, str]]:
        return zip(self.columns, self.tables, strict=True)


def with_roles(suggestions: Sequence[Suggestion], roles: Any) -> list[Suggestion]:
    """Return several suggestions with the roles that a person chose; a column is in one of them or more."""
    names = dict.fromkeys(column.name for each in suggestions for column in each.columns)
    given = given_roles(roles, list(names))
    problems = []
    changed = []
    for suggestion in suggestions:
        own = {column.name: given[column.name] for column in suggestion.columns if column.name in given}
        try:
            changed.append(suggestion.with_given(own))
        except InputError as error:
            problems += [problem for problem in error.problems if problem not in problems]
    if problems:
        raise InputError(problems)
    return changed


def relate(
    suggestions: tuple[Suggestion, Suggestion], data: tuple[object, object], input: InputFormat
) -> tuple[tuple[Suggestion, Suggestion], Join | None]:
    """Return the suggestions with roles that agree, and the key that joins the tables, if there is one.

    Columns of the same name, and the two of the key, get the role of the two that reveals less. A key that is
    unique in one table is the first candidate of the other's question who a row is about: what it numbers may
    still be no people. Without a question people are counted by it, which is never less strict than by rows.

    Examples
    --------
    >>> from shoal.suggestions.suggestion import suggest
    >>> people = pa.table({"person_id": range(100, 160), "age": [20 + n % 30 for n in range(60)]})
    >>> visits = pa.table({"person": [100 + n % 60 for n in range(240)], "ward": ["a", "b", "c"] * 80})
    >>> both, join = relate((suggest(people), suggest(visits)), (people, visits), InputFormat())
    >>> join.columns, join.meeting, [each.undecided for each in both]
    (('person_id', 'person'), (60, 240), [(), ('person', 'ward')])
    """
    join = _join(suggestions, data, input)
    first, second = suggestions
    same = {column.name: column.name for column in first.columns}
    if join is not None:
        same[join.columns[0]] = join.columns[1]
    names = {column.name for column in second.columns}
    for left, right in same.items():
        if right in names:
            first, second = _agreeing(first, second, left, right)
    if join is not None:
        first = _counted(first, second, join.columns[0], join.columns[1])
        second = _counted(second, first, join.columns[1], join.columns[0])
    return (first, second), join


def _agreeing(first: Suggestion, second: Suggestion, left: str, right: str) -> tuple[Suggestion, Suggestion]:
    """Give two columns the role of the two that reveals less."""
    one, other = first[left], second[right]
    if reveals(one.role) > reveals(other.role):
        return _as_in(first, one, other, second.table), second
    if reveals(other.role) > reveals(one.role):
        return first, _as_in(second, other, one, first.table)
    return first, second


def _as_in(
    suggestion: Suggestion, column: ColumnSuggestion, like: ColumnSuggestion, table: str
) -> Suggestion:
    changed = suggestion.with_column(column.name, role=like.role)
    reason = f"as in {printable(table)}: {like.reason}"
    decided = replace(changed[column.name], reason=reason, sure=like.sure, overruled=None)
    return replace(
        changed, columns=tuple(decided if each.name == column.name else each for each in changed.columns)
    )


def _counted(suggestion: Suggestion, other: Suggestion, key: str, other_key: str) -> Suggestion:
    """Count people by the key if it is unique in the other table, where each row is a person."""
    column, person = suggestion[key], other[other_key]
    if person.role is not Role.IDENTIFIER or not _is_unique(person) or _is_unique(column):
        return suggestion
    if other.undecided or other.unit not in (None, other_key) or suggestion.unit is not None:
        return suggestion
    if suggestion.undecided:
        # That both tables have it answers nothing, but it is the first candidate.
        others = (name for name in suggestion.undecided if name != key)
        return replace(suggestion, undecided=(key, *others))
    return suggestion.with_unit(key)


def _is_unique(column: ColumnSuggestion) -> bool:
    profile = column.profile
    return profile.distinct >= _LEAST and profile.distinct >= _UNIQUE * profile.rows


def _join(
    suggestions: tuple[Suggestion, Suggestion], data: tuple[object, object], input: InputFormat
) -> Join | None:
    first, second = suggestions
    pairs = [
        (_likeness(one, other, first.table, second.table), one.name, other.name)
        for one in first.columns
        for other in second.columns
        if _comparable(one, other)
    ]
    pairs = sorted((pair for pair in pairs if pair[0] > 0), key=lambda pair: -pair[0])[:_MOST_PAIRS]
    lefts = _read(data[0], input, {left for _, left, _ in pairs})
    rights = _read(data[1], input, {right for _, _, right in pairs})
    best: tuple[tuple[int, float, int], Join] | None = None
    for likeness, left, right in pairs:
        one, other = lefts[left], rights[right]
        values, others = pc.unique(one.drop_null()), pc.unique(other.drop_null())
        shared = pc.sum(pc.is_in(values, others)).as_py() or 0
        fewer = others if _is_unique(first[left]) else values
        contained = shared / max(1, len(fewer))
        if shared < _LEAST or contained < (_CONTAINED / 2 if likeness == _SAME else _CONTAINED):
            continue
        rank = (likeness, contained, shared)
        if best is None or rank > best[0]:
            meeting = (pc.sum(pc.is_in(one, others)).as_py(), pc.sum(pc.is_in(other, values)).as_py())
            tables = (first.table, second.table)
            best = rank, Join((left, right), tables, (len(one), len(other)), meeting)
    return None if best is None else best[1]


_SAME, _ALIKE, _UNRELATED = 3, 2, 1


def _comparable(one: ColumnSuggestion, other: ColumnSuggestion) -> bool:
    kinds = {one.profile.kind, other.profile.kind}
    return len(kinds) == 1 and kinds <= {Kind.TEXT, Kind.INTEGER} and (_is_unique(one) or _is_unique(other))


def _likeness(one: ColumnSuggestion, other: ColumnSuggestion, table: str, other_table: str) -> int:
    """Return how alike the names of two columns are; 0 if only chance would make their values meet."""
    if one.name.casefold() == other.name.casefold():
        return _SAME
    mine, others = _words(one.name, table), _words(other.name, other_table)
    if mine & others:
        return _ALIKE
    return _UNRELATED if one.profile.kind is Kind.TEXT else 0  # numbers from 1 on meet whatever they count


def _words(name: str, table: str) -> set[str]:
    """Return the words of a key's name without those for numbers; `id` in patients.csv numbers patients."""
    named = words(table.partition(".")[0]) if is_bare_number(name) else words(name)
    return {word.rstrip("s") for word in named if word not in NUMBER_WORDS}


def _read(data: object, input: InputFormat, names: set[str]) -> dict[str, pa.Array]:
    """Return columns as text, without the spaces around values."""
    source = open_source(data, input)
    wanted = [name for name in source.columns if name in names]
    if not wanted:
        return {}
    table = source.read(wanted, ())
    return {
        name: pc.utf8_trim_whitespace(pc.cast(table[name], pa.string())).combine_chunks() for name in wanted
    }
