"""How alike the rows with the same value of a column are, in other columns: by SQL over all rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Final, TypeAlias

from shoal.suggestions.kinds import Kind
from shoal.suggestions.profile import ColumnProfile
from shoal.suggestions.table import Table

NUMBERS: Final = (Kind.INTEGER, Kind.DECIMAL)
ROWS_PER_PERSON: Final = 1.05
_TWINS = 2
_NEARLY_ALL = 0.75
"""Share of the repeating names or numbers. Two people may share a name."""
_MOST_ROWS = 0.5
"""Share of their rows. A few remarks are in most rows, and many others in two rows of one person."""
_SAME = 0.6
_DEVIATIONS = 3
_SEVERAL = 20
"""So many values that repeat do not agree by chance, even in the sex."""
_LAST_RUN: Final = "[^0-9A-Za-z]*(?:[0-9]+|[A-Za-z]+)"
_DAYS = 25_000
"""Days on which most living people were born."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """The values of a column without their last runs of digits or letters: `S012` of `S012-1`.

    Where nothing with a digit is left, the value is NULL.
    """

    column: str
    runs: int


_Name: TypeAlias = "str | tuple[str, ...] | Beginning"


@dataclass
class Rows:
    """The rows of a table, compared with each other."""

    table: Table
    columns: Mapping[str, ColumnProfile]
    _determined: dict[tuple[_Name, str], bool] = field(default_factory=dict)
    _explained: dict[tuple[_Name, str], float | None] = field(default_factory=dict)

    def likeness(self, name: _Name, trait: str) -> float | None:
        """Return how alike the rows with the same value are: 1 as one person's, 0 as any rows.

        It is the share of the trait's variance, or of its differing pairs of rows, that the column explains:
        a few wrong cells do not matter, and ages of one person differ less than those of several. None if
        the values do not repeat.
        """
        if isinstance(name, str) and self.columns[name].distinct < 2:
            return None
        if (name, trait) not in self._explained:
            self._explained[name, trait] = _explained(self.table, self._value(name), self.columns[trait])
        return self._explained[name, trait]

    def _value(self, name: _Name) -> str:
        """Return SQL for a column, its beginnings, or the values of several, NULL if one of them is."""
        if isinstance(name, str):
            return self.table.columns[name]
        if isinstance(name, Beginning):
            text = f"{self.table.columns[name.column]}::VARCHAR"
            begins = f"regexp_extract({text}, '^(.*?){_LAST_RUN * name.runs}$', 1)"
            return f"CASE WHEN regexp_matches({begins}, '[0-9]') THEN {begins} END"
        return " || chr(31) || ".join(f"{self.table.columns[each]}::VARCHAR" for each in name)

    def repeat_together(self, names: tuple[str, ...] | Beginning) -> bool:
        """Return whether people have several rows if those that agree in several columns are one person's."""
        values, distinct, several = self.table.fetch_row(
            "SELECT sum(n), count(*), count(*) FILTER (n > 1) FROM (SELECT count(*)::DOUBLE AS n FROM "
            f"(SELECT {self._value(names)} AS value FROM {{table}}) WHERE value IS NOT NULL GROUP BY value)"
        )
        return bool(values) and several >= _SEVERAL and values >= ROWS_PER_PERSON * distinct

    def avoid(self, name: str, trait: str) -> bool:
        """Return whether rows with the same value differ more in a trait than any rows do by chance.

        They hardly ever agree in it, as one person's rows hardly do in age if there is one for each year; or
        all values have it alike, as pupils who are all measured at six, eight and ten.
        """
        value, other = self.table.columns[name], self.table.columns[trait]
        rows = f"FROM {{table}} WHERE {value} IS NOT NULL AND {other} IS NOT NULL"
        counts = f"(SELECT count(*)::DOUBLE AS n {rows} GROUP BY"
        agreeing, compared, values, by_chance = self.table.fetch_row(
            f"SELECT (SELECT sum(n * (n - 1)) FROM {counts} {value}, {other})), "
            "sum(n * (n - 1)), count(*) FILTER (n > 1), "
            f"(SELECT sum(n * (n - 1)) / (sum(n) * (sum(n) - 1)) FROM {counts} {other})) "
            f"FROM {counts} {value})"
        )
        if not values or values < 2:
            return False
        expected = compared * by_chance / 2
        missing = expected - agreeing / 2
        if missing >= expected / 2 and missing > _DEVIATIONS * sqrt(expected):
            return True
        number = f"TRY_CAST({other} AS DOUBLE)"
        between, within = self.table.fetch_row(
            "SELECT sum(n * (mean - overall) * (mean - overall)) / (count(*) - 1), "
            "sum((n - 1) * spread) / sum(n - 1) FROM (SELECT "
            f"count({number})::DOUBLE AS n, avg({number}) AS mean, var_samp({number}) AS spread, "
            f"(SELECT avg({number}) {rows}) AS overall {rows} GROUP BY {value} HAVING count({number}) > 1)"
        )
        # The ratio is about 1 by chance: chi-square over its degrees of freedom, by Wilson and Hilferty.
        deviation = 2 / (9 * (values - 1))
        least = 1 - deviation - _DEVIATIONS * sqrt(deviation)
        return bool(within) and least > 0 and between / within < least**3

    def determine(self, name: str | Beginning, other: str | None) -> bool:
        """Return whether rows with the same value agree in another column, for nearly all values."""
        if other is None or name == other:
            return name == other
        if (name, other) not in self._determined:
            self._determined[name, other] = bool(self.agreeing(name, [other]))
        return self._determined[name, other]

    def agreeing(
        self, name: str | Beginning, compared: Collection[str], *, beyond: str | None = None
    ) -> Sequence[str]:
        """Return the columns in which rows with the same value agree, for nearly all values and most rows.

        Parameters
        ----------
        beyond
            Compare only rows that differ in this column.
        """
        if not compared:
            return ()
        counted = ", ".join(
            f"count(*) FILTER (a{index}) / count(*), sum(n) FILTER (a{index}) / sum(n)"
            for index, _ in enumerate(compared)
        )
        agree = ", ".join(
            f"coalesce(min({value}) = max({value}), true) AS a{index}"
            for index, value in enumerate(self.table.columns[other] for other in compared)
        )
        value = self._value(name)
        several = "count(*)" if beyond is None else f"count(DISTINCT {self.table.columns[beyond]})"
        shares = self.table.fetch_row(
            f"SELECT {counted} FROM (SELECT count(*)::DOUBLE AS n, {agree} FROM {{table}} "
            f"WHERE {value} IS NOT NULL GROUP BY {value} HAVING {several} > 1)"
        )
        return [
            other
            for other, of_values, of_rows in zip(compared, shares[::2], shares[1::2], strict=True)
            if of_values and of_values >= _NEARLY_ALL and of_rows >= _MOST_ROWS
        ]

    def vary_in(self, name: str) -> bool:
        """Return whether two rows often differ in a column; otherwise their agreement means nothing."""
        return self._agreement(name) <= _SAME

    def chance(self, name: str, *, is_birth: bool) -> float:
        """Return how often two people agree in a column. Few are born on the same day."""
        if not is_birth:
            return self._agreement(name)
        value = f"TRY_CAST({self.table.columns[name]} AS DATE)"
        (days,) = self.table.fetch_row(f"SELECT date_diff('day', min({value}), max({value})) FROM {{table}}")
        return min(1.0, 2 / float(days or _DAYS))

    def repeat(self, name: str, *, once: bool) -> bool:
        """Return whether people have several rows, and not just a second one by mistake.

        A column that is NULL in most rows does not count, nor one with NULL whose values hardly repeat, such
        as the telephones that some families share.

        Parameters
        ----------
        once
            One repetition is enough.
        """
        column = self.columns[name]
        rows_each = 1.0 if once else _TWINS
        if column.nulls and (column.values < rows_each * column.distinct or 2 * column.nulls > column.rows):
            return False
        if column.values >= ROWS_PER_PERSON * column.distinct:
            return True
        if not column.exact or column.values == column.distinct:
            return False
        if once:
            return True
        value = self.table.columns[name]
        (most,) = self.table.fetch_row(
            "SELECT max(n) FROM (SELECT count(*) AS n FROM {table} "
            f"WHERE {value} IS NOT NULL GROUP BY {value})"
        )
        return bool(most > _TWINS)

    def _agreement(self, name: str) -> float:
        """Return how often two rows agree in a column."""
        (alike,) = self.table.fetch_row(
            "SELECT sum(n * n)::DOUBLE / (sum(n) * sum(n)) FROM (SELECT count(*)::DOUBLE AS n FROM {table} "
            f"GROUP BY {self.table.columns[name]})"
        )
        return float(alike)


def _explained(table: Table, value: str, trait: ColumnProfile) -> float | None:
    """Return the share of a trait's variance that a column explains; None if its values do not repeat."""
    of_person = table.columns[trait.name]
    rows = f"FROM {{table}} WHERE {value} IS NOT NULL"
    if trait.kind in NUMBERS:
        number = f"TRY_CAST({of_person} AS DOUBLE)"
        within, overall = table.fetch_row(
            "SELECT sum(n * spread) FILTER (n > 1) / sum(n) FILTER (n > 1), any_value(overall) FROM (SELECT "
            f"count({number})::DOUBLE AS n, var_samp({number}) AS spread, "
            f"(SELECT var_samp({number}) {rows}) AS overall {rows} GROUP BY {value})"
        )
    else:
        differ = "(1 - sum(n * (n - 1)) / (sum(n) * (sum(n) - 1)))"
        counts = f"SELECT {value} AS who, {of_person} AS trait, count(*)::DOUBLE AS n {rows} AND {of_person} "
        counts += "IS NOT NULL GROUP BY ALL"
        within, overall = table.fetch_row(
            f"WITH counts AS ({counts}) SELECT sum(total * differing) / sum(total), any_value(overall) FROM "
            f"(SELECT sum(n) AS total, {differ} AS differing, (SELECT {differ} FROM "
            "(SELECT sum(n) AS n FROM counts GROUP BY trait)) AS overall FROM counts GROUP BY who "
            "HAVING sum(n) > 1)"
        )
    return None if within is None or not overall else 1 - within / overall
