"""What the values of a column look like, without showing whose they are."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.describe.roles import Role
from shoal.suggestions.suggestion import ColumnSuggestion
from shoal.suggestions.table import Table
from shoal.suggestions.words import count

_SHARED = 5
"""People who must share a value, or rows that must share a shape, before it is shown."""
_SHOWN = 3
_LONGEST = 24
_AS_SHAPE = (
    (r"[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}]", "a"),
    (r"\p{Lu}", "A"),
    (r"\p{N}", "9"),
    (r"[^\x20-\x7E]", "?"),
)


@dataclass(frozen=True, slots=True)
class Shapes:
    """The most frequent shapes of a column's values, such as `AAA-999`, and values that many people share.

    Attributes
    ----------
    shapes
        Shapes with their rows: each letter is `A` or `a`, each digit `9`.
    others
        Number of other shapes.
    values
        Values that at least five people share, with their rows; none of a column that is not released.
    """

    shapes: tuple[tuple[str, int], ...]
    others: int
    values: tuple[tuple[str, int], ...]

    @property
    def words(self) -> str:
        """Both in one line.

        Examples
        --------
        >>> Shapes((("AA-99", 12),), 3, (("DE-01", 9),)).words
        'AA-99 (12 rows), 3 other shapes; such as DE-01 (9 rows)'
        """
        listed = [f"{_cut(shape)} ({count(rows, 'row')})" for shape, rows in self.shapes]
        if self.others:
            listed.append(count(self.others, "other shape" if self.shapes else "shape"))
        words = ", ".join(listed)
        if self.values:
            values = ", ".join(f"{_cut(value)} ({count(rows, 'row')})" for value, rows in self.values)
            words += f"; such as {values}"
        return words


def shapes_of(table: Table, column: ColumnSuggestion, unit: str | None) -> Shapes:
    """Return the shapes of a column's values.

    Parameters
    ----------
    unit
        The column that identifies the person; None if each row is a person.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from shoal.suggestions.suggestion import suggest
    >>> from shoal.suggestions.table import open_table
    >>> people = pa.table({"ward": ["A1", "A1", "A1", "A1", "A1", "B2"]})
    >>> with open_table(people) as table:
    ...     shapes_of(table, suggest(people).with_column("ward", role="sensitive")["ward"], None).words
    'A9 (6 rows); such as A1 (5 rows)'
    """
    value = table.columns[column.name]
    people = "count(*)" if unit is None else f"count(DISTINCT {table.columns[unit]})"
    shape = "value"
    for pattern, letter in _AS_SHAPE:
        shape = f"regexp_replace({shape}, '{pattern}', '{letter}', 'g')"
    shapes, distinct, values = table.fetch_row(
        f"WITH counts AS (SELECT CAST({value} AS VARCHAR) AS value, count(*) AS n, {people} AS people "
        "FROM {table} WHERE value IS NOT NULL GROUP BY value), "
        f"shapes AS (SELECT {shape} AS shape, sum(n)::BIGINT AS n, sum(people) AS people FROM counts "
        "GROUP BY shape) "
        f"SELECT (SELECT list((shape, n) ORDER BY n DESC, shape) FROM shapes WHERE people >= {_SHARED}), "
        "(SELECT count(*) FROM shapes), "
        f"(SELECT list((value, n) ORDER BY n DESC, value) FROM counts WHERE people >= {_SHARED})"
    )
    shown = tuple(shapes or ())[:_SHOWN]
    released = column.role not in (Role.IDENTIFIER, Role.DROP)
    return Shapes(shown, distinct - len(shown), tuple(values or ())[:_SHOWN] if released else ())


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
