"""How many people a pseudonym gives away: those whose rows are together in classes like nobody else's.

A class hides a person among k. A token that repeats shows which rows are one person's, and so in which
classes the person is, and how often. Whoever knows a person's quasi-identifiers at several visits looks for a
token with these classes: the combination of classes is the quasi-identifier then, and k people in each class
do not protect. So people are counted by their combination, a multiset. If k share it, then at least k fit
whatever part of it somebody knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from shoal.describe.roles import LINKABLE_ROWS, LINKABLE_SHARE
from shoal.errors import LinkableError
from shoal.spec.spec import Spec
from shoal.sql.relation import Relation


@dataclass(frozen=True, slots=True)
class LinkedPeople:
    """The tokens of a pseudonym, by the classes that each is in.

    Attributes
    ----------
    column
        The pseudonym.
    k
        How many are to share a combination of classes: what the models require of a class, at least 2.
    people
        How many tokens there are.
    few
        How many of them have a combination of classes that fewer than `k` have.
    is_unit
        Whether people are counted by the column.
    accepted
        Whether the spec accepts it.
    """

    column: str
    k: int
    people: int
    few: int
    is_unit: bool
    accepted: bool

    @property
    def share(self) -> float:
        return self.few / self.people if self.people else 0.0

    @property
    def holds(self) -> bool:
        """Whether the column is accepted, or singles out few enough."""
        return self.accepted or self.few < LINKABLE_ROWS or self.share <= LINKABLE_SHARE

    def require(self) -> None:
        """Raise if the combinations of classes single too many out.

        Raises
        ------
        LinkableError
            With their share, and what to do.
        """
        if self.holds:
            return
        name = self.column
        advice = "" if self.is_unit else f"{self._no_unit} "
        raise LinkableError(
            f"The pseudonym {name!r} links rows, and their classes together single people out.\n"
            f"{self._counted()}. Allowed: {LINKABLE_SHARE:.0%}.\n"
            f"{advice}Generalize more, release fewer rows of a person, or leave the column out (role drop or "
            "identifier). If nobody outside can know several rows of a person, accept it: in a spec `accept: "
            f"linkable` beside its role, --accept-linkable {name}, in Python accept={{{name!r}: 'linkable'}}."
        )

    def words(self) -> str:
        """Describe how many are singled out."""
        accepted = ", which the spec accepts" if self.accepted else ""
        if not self.few:
            return f"{self.column} links rows; {self.k} or more {self._who} share each combination of classes"
        return f"{self.column} links rows: {self._counted()}{accepted}"

    def notes(self) -> Iterator[str]:
        """Warn that classes do not hide everybody, where that is so."""
        if self.few:
            yield (
                f"The pseudonym {self.column!r} shows which rows belong together. Not all {self._who} have a "
                f"combination of classes that {self.k} share: whoever knows several rows of somebody finds "
                "all of them among fewer, although every class is large enough."
                + ("" if self.is_unit else f" {self._no_unit}")
            )

    def to_mapping(self) -> dict[str, Any]:
        """Return the counts as plain values, ready for JSON."""
        return {"k": self.k, "people": self.people, "few": self.few}

    @property
    def _no_unit(self) -> str:
        return f"If {self.column!r} says who a row is about, count people by it: `unit: {self.column}`."

    @property
    def _who(self) -> str:
        return "people" if self.is_unit else "tokens"

    def _counted(self) -> str:
        share = f"{self.share:.1%}" if 0 < self.share < 0.1 else f"{self.share:.0%}"
        return (
            f"{share} of the {self._who} ({self.few:,} of {self.people:,}) have a combination of classes "
            f"that fewer than {self.k} share"
        )


def linked_people(relation: Relation, spec: Spec) -> tuple[LinkedPeople, ...]:
    """Count the people of each pseudonym of a release by the classes that they are in."""
    k = max(2, *(model.minimum_size for model in spec.privacy))
    found = []
    for name in spec.pseudonyms:
        if name in relation.columns:
            people, few = _counts(relation, spec, relation.columns[name], k)
            found.append(LinkedPeople(name, k, people, few, name == spec.unit, name in spec.accept))
    return tuple(found)


def _counts(relation: Relation, spec: Spec, token: str, k: int) -> tuple[int, int]:
    labels = ", ".join(relation.columns[name] for name in spec.quasi_identifiers)
    people, few = relation.fetch_row(
        "SELECT coalesce(sum(n), 0)::BIGINT AS people,\n"
        f"  coalesce(sum(CASE WHEN n < {k} THEN n ELSE 0 END), 0)::BIGINT AS few\n"
        "FROM (SELECT count(*) AS n\n"
        "  FROM (SELECT string_agg(c::VARCHAR || 'x' || n::VARCHAR, ',' ORDER BY c) AS together\n"
        f"    FROM (SELECT token, c, count(*) AS n FROM (SELECT {token} AS token, hash({labels}) AS c\n"
        f"      FROM {relation.source} WHERE {token} IS NOT NULL) AS cells GROUP BY token, c) AS visits\n"
        "    GROUP BY token) AS people\n"
        "  GROUP BY together) AS combinations"
    )
    return int(people), int(few)
