"""The classes of a release, counted once for all findings.

Most of an audit's time goes into grouping the rows by the quasi-identifiers. So that is done once, and each
class gets a number. A claim that counts rows is then put to the numbers, as often as each stands for a row.
One about other columns is put to the rows with one number, a hash, in place of their quasi-identifiers, once
it is certain that no two classes have the same. The query is the one that is published; only what it reads is
another relation, with as many rows in the same classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shoal.audit.relation import Relation
from shoal.privacy.model import Tables

_CLASSES = "shoal_classes"


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes in a table of the database: their labels `q1`, `q2`, ..., size `n` and number `class`.

    Attributes
    ----------
    relation
        The release.
    quasi_identifiers
        Its quasi-identifiers, as SQL.
    rows, starred
        How many rows it has, and how many of them have `*` in every quasi-identifier.
    suppressed
        Whether these are suppressed rows, and not a class.
    """

    relation: Relation
    quasi_identifiers: Sequence[str]
    rows: int
    starred: int
    suppressed: bool = False

    @classmethod
    def of(cls, relation: Relation, quasi_identifiers: Sequence[str]) -> Classes:
        """Group the rows of a release. NULL is a label like any other."""
        labels = ", ".join(f"{name} AS q{place}" for place, name in enumerate(quasi_identifiers, start=1))
        relation.rows(
            f"CREATE TEMP TABLE {_CLASSES} AS SELECT *, row_number() OVER () AS class\n"
            f"FROM (SELECT {labels}, count(*) AS n FROM {relation.source}\n"
            f"  GROUP BY {', '.join(map(str, range(1, len(quasi_identifiers) + 1)))})"
        )
        starred = _starred([f"q{place}" for place in range(1, len(quasi_identifiers) + 1)])
        rows, stars = relation.ask(
            f"SELECT coalesce(sum(n), 0)::BIGINT, coalesce(sum(n) FILTER ({starred}), 0)::BIGINT "
            f"FROM {_CLASSES}"
        )
        return cls(relation, quasi_identifiers, rows, stars)

    @property
    def sizes(self) -> dict[int, int]:
        """For each size that occurs, the number of classes of that many rows."""
        return dict(
            self.relation.rows(f"SELECT n, count(*) FROM {_CLASSES} WHERE {self._kept} GROUP BY n ORDER BY n")
        )

    def sized(self, tables: Tables) -> tuple[str, Tables]:
        """Return the beginning of a query that looks at the sizes of classes alone, and its tables."""
        numbers = f"SELECT class FROM {_CLASSES} AS c, range(c.n) WHERE {self._kept}"
        return f"WITH kept AS ({numbers})\n", replace(tables, quasi_identifiers=["class"])

    def filled(self, tables: Tables) -> tuple[str, Tables] | None:
        """Return the beginning of a query that looks at other columns too, and its tables.

        None where two classes happen to have one hash.
        """
        labels = [f"q{place}" for place in range(1, len(self.quasi_identifiers) + 1)]
        (apart,) = self.relation.ask(
            f"SELECT count(*) = count(DISTINCT hash({', '.join(labels)})) FROM {_CLASSES}"
        )
        if not apart:
            return None
        number = "class"
        while f'"{number}"' in map(str.lower, self.relation.columns.values()):
            number += "_"
        rows = (
            f"SELECT *, hash({', '.join(self.quasi_identifiers)}) AS {number} FROM {self.relation.source}\n"
            f"WHERE {self._kept_of(self.quasi_identifiers)}"
        )
        return f"WITH kept AS ({rows})\n", replace(tables, quasi_identifiers=[number])

    @property
    def _kept(self) -> str:
        return self._kept_of([f"q{place}" for place in range(1, len(self.quasi_identifiers) + 1)])

    def _kept_of(self, labels: Sequence[str]) -> str:
        return f"NOT coalesce({_starred(labels)}, false)" if self.suppressed and self.starred else "true"


def _starred(labels: Sequence[str]) -> str:
    return " AND ".join(f"{label}::VARCHAR = '*'" for label in labels)
