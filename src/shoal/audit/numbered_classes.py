"""The classes of a release, counted once for all findings.

Most of an audit's time goes into grouping the rows by the quasi-identifiers. So that is done once, and each
class gets a number. A claim that counts rows is then put to the numbers, each with the rows that it stands
for. One about other columns is put to the rows with one number, a hash, in place of their quasi-identifiers,
once it is certain that no two classes have the same. The query is the one that is published; only what it
reads is another relation, with as many rows in the same classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shoal.privacy.model import Tables
from shoal.privacy.queries import all_stars
from shoal.sql.relation import Relation

_CLASSES, _CELLS = "shoal_classes", "shoal_cells"


@dataclass(frozen=True, slots=True)
class ReleasedClasses:
    """The classes in a table of the database: their labels `q1`, `q2`, ..., size `n` and number `class`.

    Attributes
    ----------
    relation
        The release.
    table
        The name of the table.
    quasi_identifiers
        Its quasi-identifiers, as SQL.
    rows, starred
        How many rows it has, and how many of them have `*` in every quasi-identifier, a class of theirs.
    """

    relation: Relation
    table: str
    quasi_identifiers: Sequence[str]
    rows: int
    starred: int

    @classmethod
    def of(cls, relation: Relation, quasi_identifiers: Sequence[str]) -> ReleasedClasses:
        """Group the rows of a release. NULL is a label like any other."""
        labels = ", ".join(
            f"{name} AS q{position}" for position, name in enumerate(quasi_identifiers, start=1)
        )
        table = relation.keep(
            "SELECT *, row_number() OVER () AS class\n"
            f"FROM (SELECT {labels}, count(*) AS n FROM {relation.source}\n"
            f"  GROUP BY {', '.join(map(str, range(1, len(quasi_identifiers) + 1)))}) AS classes",
            _CLASSES,
        )
        starred = all_stars([f"q{position}" for position in range(1, len(quasi_identifiers) + 1)])
        rows, stars = relation.fetch_row(
            f"SELECT coalesce(sum(n), 0)::BIGINT, coalesce(sum(n) FILTER (WHERE {starred}), 0)::BIGINT "
            f"FROM {table}"
        )
        return cls(relation, table, quasi_identifiers, rows, stars)

    @property
    def sizes(self) -> dict[int, int]:
        """For each size that occurs, the number of classes of that many rows."""
        return dict(self.relation.rows(f"SELECT n, count(*) FROM {self.table} GROUP BY n ORDER BY n"))

    def sized(self, tables: Tables) -> tuple[str, Tables]:
        """Return the beginning of a query that looks at the sizes of classes alone, and its tables."""
        numbers = f"SELECT class, n AS rows_of_class FROM {self.table}"
        return f"WITH kept AS ({numbers})\n", replace(
            tables, quasi_identifiers=["class"], weight="rows_of_class"
        )

    @property
    def apart(self) -> bool:
        """Whether all classes have different hashes."""
        labels = [f"q{position}" for position in range(1, len(self.quasi_identifiers) + 1)]
        (apart,) = self.relation.fetch_row(
            f"SELECT count(*) = count(DISTINCT hash({', '.join(labels)})) FROM {self.table}"
        )
        return bool(apart)

    def filled(self, tables: Tables) -> tuple[str, Tables]:
        """Return the beginning of a query that looks at other columns too, and its tables.

        Classes must be apart.
        """
        number = self._unused("class")
        return f"WITH kept AS ({self._numbered(number, '*')})\n", replace(
            tables, quasi_identifiers=[number], number=number
        )

    def counted(self, tables: Tables, column: str) -> tuple[str, Tables]:
        """Return the same for a query that looks at one column and counts rows: they are counted now."""
        number, weight = self._unused("class"), self._unused("rows_of_class")
        cells = self.relation.keep(
            f"SELECT {number}, {column}, count(*) AS {weight}\n"
            f"FROM ({self._numbered(number, column)}) AS numbered GROUP BY 1, 2",
            _CELLS,
        )
        return "", replace(tables, kept=cells, quasi_identifiers=[number], number=number, weight=weight)

    def _numbered(self, number: str, columns: str) -> str:
        """Return a query for the rows of all classes with a hash of their quasi-identifiers."""
        return (
            f"SELECT {columns}, hash({', '.join(self.quasi_identifiers)}) AS {number}\n"
            f"FROM {self.relation.source}"
        )

    def _unused(self, name: str) -> str:
        """Return a name that no column has."""
        while f'"{name}"' in map(str.lower, self.relation.columns.values()):
            name += "_"
        return name
