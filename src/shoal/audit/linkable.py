"""How many rows the columns that are released unchanged single out.

Classes hide people behind the quasi-identifiers alone. A sensitive or insensitive column keeps its values: if
a value occurs in one row, whoever knows it finds the row, and all of its other cells. Several columns that
are common each may be unique together. So the released rows are counted by each such column, by those
together that others may know (insensitive ones, and dates in any role: when something happened is rarely a
secret), by all of them, and by all of them with the quasi-identifiers. The first two may be refused. The
others are shown: whoever knows several sensitive values of a person has learnt already what nobody should,
and a sensitive column is meant to vary within a class.

Where it is known who a row is about, a value counts as unique if it belongs to one person, however many rows
the person has. NULL alone singles nobody out; beside other values it counts like one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from shoal.describe.roles import LINKABLE_ROWS, LINKABLE_SHARE
from shoal.errors import LinkableError
from shoal.spec.spec import Spec
from shoal.sql.relation import Relation

NOTED = 0.05
"""Share of the rows above which a note is due."""
_DAYS = (
    "[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}",
    "[0-9]{1,2}[-/. ][0-9]{1,2}[-/. ]([0-9]{4}|[0-9]{2}$|[0-9]{2} )",
    "(19|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])([T ]|$)",
    "[0-9]{1,2}[-. ]+[A-Za-z]{3,9}[-.,/ ]+[0-9]{2,4}",
    "[A-Za-z]{3,9}[. ]+[0-9]{1,2}(st|nd|rd|th)?[, ]+[0-9]{4}",
)
"""How days are written, also at the beginning of times, as patterns that all databases read alike."""
_MOST = 0.9
"""Share of a column's values that are written so, for it to hold dates; others may say `unknown`."""
_NAMED = 3
"""Columns that a sentence names, the most unique first."""
_LISTED = 30
_WIDE = 100
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Unique:
    """How many rows some columns single out.

    Attributes
    ----------
    rows
        Rows whose values no other row has.
    of_one_person
        Rows whose values no other person has; None where rows are not known to be about people.
    """

    rows: int
    of_one_person: int | None = None

    @property
    def singled_out(self) -> int:
        """By people where these are known, else by rows."""
        return self.rows if self.of_one_person is None else self.of_one_person


@dataclass(frozen=True, slots=True)
class Linkability:
    """How many of the released rows the sensitive and insensitive columns single out.

    Attributes
    ----------
    rows
        Released rows.
    columns
        By each such column alone.
    together
        By all of them together.
    known
        The columns that others may know and the spec does not accept: insensitive ones, and dates.
    known_together
        By these together; None if there are none.
    with_quasi_identifiers
        By all of them and the quasi-identifiers; None where there are no released labels to count by.
    accepted
        The columns that the spec accepts.
    """

    rows: int
    columns: Mapping[str, Unique]
    together: Unique
    known: tuple[str, ...]
    known_together: Unique | None
    with_quasi_identifiers: Unique | None
    accepted: tuple[str, ...]

    @property
    def refused(self) -> tuple[str, ...]:
        """The columns that single out too many rows by themselves and are not accepted."""
        return tuple(
            name
            for name, unique in self.columns.items()
            if name not in self.accepted and self._too_many(unique)
        )

    @property
    def holds(self) -> bool:
        """Whether the columns that are not accepted single out few enough rows, alone and together."""
        return not self.refused and (self.known_together is None or not self._too_many(self.known_together))

    def require(self, *, added: bool = False, so_far: bool = False) -> None:
        """Raise if the columns that are not accepted single out too many rows.

        Parameters
        ----------
        added
            Whether the rows are those that a release adds to an earlier one.
        so_far
            Whether they are those of all emissions of a stream.

        Raises
        ------
        LinkableError
            With the columns and their shares, and what to do.
        """
        if self.holds:
            return
        rows, other = ("Added rows", "added row") if added else ("Rows", "row")
        if self.together.of_one_person is not None:
            other = other.replace("row", "person")
        if so_far:
            rows = "Rows of all emissions"
        more = "Add more rows at once. " if added else ""
        found = ", ".join(self._counted(name, self.columns[name]) for name in self.refused)
        if len(self.known) > 1 and self.known_together is not None and self._too_many(self.known_together):
            found += "; " if found else ""
            found += self._counted(f"{', '.join(self.known)} together", self.known_together)
        several = len(self.refused) != 1
        name = self.refused[0] if self.refused else "NAME"
        raise LinkableError(
            f"{'Columns are' if several else f'Column {name!r} is'} released unchanged and "
            f"{'single' if several else 'singles'} people out.\n"
            f"{rows} with values that no other {other} has: {found}. Allowed: {LINKABLE_SHARE:.0%}.\n"
            f"{more}Make such a column a quasi-identifier with a hierarchy, round its values, or leave it "
            "out (role drop). If nobody outside can know its values, accept it: in a spec `accept: "
            f"linkable` beside its role, --accept-linkable {name}, in Python accept={{{name!r}: 'linkable'}}."
        )

    def notes(self) -> tuple[str, ...]:
        """Warn of columns that single out rows and are released all the same.

        Figures stay out of it: notes go into the manifest, and who has several rows is not in the release.
        """
        return tuple(self._notes())

    def words(self) -> str:
        """Describe how many rows are unique, the most telling figure first."""
        names = list(self.columns)
        unique = "are unique" if self.together.of_one_person is None else "point to one person"
        if len(names) == 1:
            by = f"by {names[0]}{self._mark(names[0])}"
        else:
            worst = sorted(names, key=lambda name: -self.columns[name].singled_out)[:_NAMED]
            listed = ", ".join(
                f"{name} {self.percent(self.columns[name])}{self._mark(name)}" for name in worst
            )
            more = ", ..." if len(names) > len(worst) else ""
            by = f"by the {len(names)} columns released unchanged (alone: {listed}{more})"
        words_so_far = f"{self.percent(self.together)} of the rows {unique} {by}"
        if self.with_quasi_identifiers is None:
            return words_so_far
        return f"{words_so_far}, {self.percent(self.with_quasi_identifiers)} with the quasi-identifiers"

    def to_mapping(self) -> dict[str, Any]:
        """Return the shares as plain values, ready for JSON; for the publisher."""
        whole = self.with_quasi_identifiers
        return {
            "columns": {name: self.share(unique) for name, unique in self.columns.items()},
            "together": self.share(self.together),
            "with_quasi_identifiers": None if whole is None else self.share(whole),
            "accepted": list(self.accepted),
        }

    def for_recipients(self) -> dict[str, Any]:
        """Return whole percents of the rows, as whoever has the release can count them.

        People are not counted here: who has several rows is not in the release.
        """
        whole = self.with_quasi_identifiers
        return {
            "columns": {name: self._percents(unique) for name, unique in self.columns.items()},
            "together": self._percents(self.together),
            "with_quasi_identifiers": None if whole is None else self._percents(whole),
        }

    def share(self, unique: Unique) -> float:
        """Return the share of the rows that is singled out."""
        return unique.singled_out / self.rows

    def percent(self, unique: Unique) -> str:
        """Write that share; nothing that is not 0 or all is rounded to that."""
        share = self.share(unique)
        if 0 < share < 0.001:
            return "<0.1%"
        if 0.995 <= share < 1:
            return ">99%"
        return f"{share:.1%}" if 0 < share < 0.1 else f"{share:.0%}"

    def _too_many(self, unique: Unique) -> bool:
        return unique.singled_out >= LINKABLE_ROWS and unique.singled_out > LINKABLE_SHARE * self.rows

    def _percents(self, unique: Unique) -> int:
        return round(100 * unique.rows / self.rows)

    def _counted(self, name: str, unique: Unique) -> str:
        return f"{name} {self.percent(unique)} ({unique.singled_out:,} of {self.rows:,})"

    def _mark(self, name: str) -> str:
        return " accepted" if name in self.accepted else ""

    def _notes(self) -> Iterator[str]:
        known = "whoever knows its value of a person finds the person's row."
        for name, unique in self.columns.items():
            if unique.singled_out > NOTED * self.rows:
                accepted = ", which the spec accepts" if name in self.accepted else ""
                found = "is unique in" if unique.of_one_person is None else "points to one person in"
                yield f"Column {name!r} {found} more than {NOTED:.0%} of the rows{accepted}: {known}"
        alone = max(unique.singled_out for unique in self.columns.values())
        if self.together.singled_out > NOTED * self.rows >= alone:
            several = len(self.columns) > _LISTED
            names = f"{len(self.columns):,} columns" if several else f"columns {', '.join(self.columns)}"
            by_rows = self.together.of_one_person is None
            found = "are together unique" if by_rows else "together point to one person"
            yield (
                f"The {names} {found} in more than {NOTED:.0%} of the "
                "rows: whoever knows them of a person finds the person's row."
            )


def measure(
    relation: Relation, spec: Spec, *, rows: int, unit: str | None, labels: bool = True
) -> Linkability | None:
    """Count how many rows are unique by the columns that are released unchanged.

    Parameters
    ----------
    relation
        The released rows, or a table of which some are to be released.
    spec
        Its roles, and what it accepts.
    rows
        How many rows there are.
    unit
        The column that says who a row is about, as SQL, if that is known.
    labels
        Whether the quasi-identifiers are those of a release.

    Returns
    -------
    Linkability or None
        None where there are no such columns, or no rows.
    """
    names = [name for name in (*spec.sensitive, *spec.insensitive) if name in relation.columns]
    if not names or not rows:
        return None
    counter = _Counter(relation, unit)
    alone = counter.alone(names)
    accepted = tuple(name for name in names if name in spec.accept)
    dates = counter.dates([name for name in names if name in spec.sensitive])
    known = tuple(
        name for name in names if (name in spec.insensitive or name in dates) and name not in accepted
    )

    @cache
    def jointly(*several: str) -> Unique:
        return alone[several[0]] if len(several) == 1 else counter.unique(several)

    together = jointly(*names)
    known_together = jointly(*known) if known else None
    whole = counter.unique([*spec.quasi_identifiers, *names], null_counts=True) if labels else None
    return Linkability(rows, alone, together, known, known_together, whole, accepted)


@dataclass(frozen=True, slots=True)
class _Counter:
    """Counts unique rows by SQL."""

    relation: Relation
    unit: str | None

    def dates(self, names: Sequence[str]) -> set[str]:
        """Return the columns of days or times, by their type or as most of their values are written."""

        def written(name: str) -> str:
            column = self.relation.columns[name]
            like = f"regexp_matches({column}::VARCHAR, '^ *({'|'.join(_DAYS)})')"
            return (
                f"CASE WHEN sum(CASE WHEN {like} THEN 1 ELSE 0 END) >= {_MOST} * count({column}) "
                f"AND count({column}) > 0 THEN 1 ELSE 0 END"
            )

        dates: set[str] = set()
        for some in _parts(names):
            found = self.relation.fetch_row(
                f"SELECT {', '.join(map(written, some))} FROM {self.relation.source}"
            )
            dates.update(name for name, is_date in zip(some, found, strict=True) if is_date == 1)
        return dates

    def alone(self, names: Sequence[str]) -> dict[str, Unique]:
        """Count the rows that each column singles out by itself.

        A query takes as long as its table is wide: where there are thousands of columns, one for each of them
        would not end. So those of a wide table are counted some hundreds at a time.
        """
        if self.relation.runner.dialect != "duckdb" or len(names) <= _WIDE:
            return {name: self.unique([name]) for name in names}
        found = dict.fromkeys(names, Unique(0, None if self.unit is None else 0))
        for some in _parts(names):
            cells = [
                f"{self.relation.columns[name]}::VARCHAR AS x{position}" for position, name in enumerate(some)
            ]
            unit = "NULL" if self.unit is None else f"{self.unit}::VARCHAR"
            one = "false" if self.unit is None else "min(u) = max(u)"
            positions = ", ".join(f"x{position}" for position in range(len(some)))
            counted = self.relation.rows(
                "SELECT place, sum(CASE WHEN n = 1 THEN 1 ELSE 0 END)::BIGINT AS alone,\n"
                "  sum(CASE WHEN one THEN n ELSE 0 END)::BIGINT AS of_one_person\n"
                f"FROM (SELECT place, count(*) AS n, {one} AS one\n"
                f"  FROM (SELECT {unit} AS u, {', '.join(cells)} FROM {self.relation.source})\n"
                f"  UNPIVOT (cell FOR place IN ({positions})) GROUP BY place, cell) AS found GROUP BY place"
            )
            for position, rows, of_one_person in counted:
                name = some[int(position[1:])]
                found[name] = Unique(int(rows), None if self.unit is None else int(of_one_person))
        return found

    def unique(self, names: Sequence[str], *, null_counts: bool = False) -> Unique:
        """Count the rows that columns single out.

        Parameters
        ----------
        null_counts
            Whether a row with NULL in all of them may be unique.
        """
        columns = [self.relation.columns[name] for name in names]
        some = " OR ".join(f"{column} IS NOT NULL" for column in columns)
        # Other databases cannot group by all of their types, but all of these have a text.
        keys = [c if self.relation.runner.dialect == "duckdb" else f"{c}::VARCHAR" for c in columns]
        if self.relation.runner.dialect == "duckdb" and len(keys) > _WIDE:
            # DuckDB crashes where the keys of a row do not fit into a block: 16,384 columns of text.
            keys = [f"hash({', '.join(part)})" for part in _parts(keys)]
        one = "false" if self.unit is None else f"min({self.unit}::VARCHAR) = max({self.unit}::VARCHAR)"
        rows, of_one_person = self.relation.fetch_row(
            "SELECT coalesce(sum(CASE WHEN n = 1 THEN 1 ELSE 0 END), 0)::BIGINT AS alone,\n"
            "  coalesce(sum(CASE WHEN one THEN n ELSE 0 END), 0)::BIGINT AS of_one_person\n"
            f"FROM (SELECT count(*) AS n, {one} AS one FROM {self.relation.source}\n"
            f"  WHERE {'true' if null_counts else some} GROUP BY {', '.join(keys)}) AS found"
        )
        return Unique(int(rows), None if self.unit is None else int(of_one_person))


def _parts(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """Return the names some hundreds at a time: a longer query takes more than its share of time."""
    return (names[start : start + _AT_ONCE] for start in range(0, len(names), _AT_ONCE))
