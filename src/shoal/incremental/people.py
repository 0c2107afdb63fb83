"""Who is in a table, by keyed hashes: enough to find out whether somebody is in another one too.

People are compared by the unit, by each identifier, and by those identifiers together that do not tell people
apart by themselves (first name, last name, date of birth). Values are compared without regard to how they are
spelled (`shoal.incremental.identifier_spelling`); that "Bob" may be "Robert" is beyond this. Of each value
only its HMAC-SHA256 is kept, 128 bits of it, under a key that stays with the publisher: nobody else can find
a name by hashing all names.

Some identifiers are shared by different people: a common name, the telephone of a family. How many is seen
from the earlier table, in which each person is once. If a share s of its people have a value that somebody
else has too, about s of the new people have one of an earlier person by chance. Only more than that, by three
standard deviations, means that people came again. Where everybody has a value of their own, one is enough.
Where more than one in twenty share theirs, an identifier does not tell people apart, and is not used. By the
same measure new people share values with each other: where more do, some of them are one person.

Whoever has no value cannot be compared. A new row counts as compared where it has a value of a trait that all
earlier people have. Texts such as "n/a" are no values.
"""

from __future__ import annotations

import hmac
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.incremental.identifier_spelling import normal
from shoal.read.columns import coded, values_shown
from shoal.spec.spec import Spec

Hashes = NDArray[np.bytes_]
BoolArray = NDArray[np.bool_]

HASH_BYTES = 16
_TYPE = f"S{HASH_BYTES}"
_MOST_SHARED = 0.05
_DEVIATIONS = 3


@dataclass(frozen=True, eq=False)
class Trait:
    """What people are told apart by: one column, or several together.

    Attributes
    ----------
    columns
        Their names.
    hashes
        Those of all values that occur, each once, sorted.
    people, sharing
        How many people have a value, and how many of these share it with others.
    missing
        How many have none: nobody can be compared with them by it.
    """

    columns: tuple[str, ...]
    hashes: Hashes
    people: int
    sharing: int
    missing: int

    @property
    def name(self) -> str:
        return " with ".join(self.columns)

    @property
    def distinguishing(self) -> bool:
        """Whether it tells people apart."""
        return self.people > 0 and self.sharing <= _MOST_SHARED * self.people

    def by_chance(self, people: int) -> float:
        """Return how many of so many new people may have the value of an earlier person by chance."""
        expected = people * self.sharing / max(self.people, 1)
        return expected + _DEVIATIONS * math.sqrt(expected)

    def joined(self, other: Trait) -> Trait:
        """Return the trait of the people of two tables, of which nobody is in both."""
        hashes = np.union1d(self.hashes, other.hashes)
        return Trait(
            self.columns,
            hashes,
            self.people + other.people,
            self.sharing + other.sharing,
            self.missing + other.missing,
        )


@dataclass(frozen=True, eq=False)
class HashedPeople:
    """The people of one table or of several."""

    traits: tuple[Trait, ...]

    @property
    def distinguishing(self) -> tuple[Trait, ...]:
        return tuple(trait for trait in self.traits if trait.distinguishing)

    @classmethod
    def of(cls, tables: Sequence[pa.Table], spec: Spec, key: bytes) -> HashedPeople:
        """Hash the people of tables that have the columns of `identifying`."""
        hashed = [_Hashed.of(table, spec, key) for table in tables]
        traits = [_trait((name,), hashed) for name in identifying(spec)]
        covered = {name for trait in traits if trait.distinguishing for name in trait.columns}
        others = tuple(name for name in spec.identifiers if name not in covered)
        if len(others) > 1:
            traits.append(_trait(others, hashed))
        return cls(tuple(traits))

    def with_new(self, table: pa.Table, spec: Spec, key: bytes) -> HashedPeople:
        """Return these people and those of another table, of whom nobody is among these."""
        hashed = [_Hashed.of(table, spec, key)]
        return HashedPeople(tuple(trait.joined(_trait(trait.columns, hashed)) for trait in self.traits))


@dataclass(frozen=True)
class Overlap:
    """How much of a new table is about people of an earlier one.

    Attributes
    ----------
    rows, people
        How many new rows that are, and how many people.
    by
        For each trait that says so, how many rows it says it of.
    chance
        For each other trait, how many rows share its value with an earlier person, if any do.
    unknown
        Rows that were not compared with all earlier people, since a value is missing here or there.
    several
        For each trait that says that several of the new people are one, how many of them it says it of:
        without a unit each row counts as a person.
    """

    rows: int
    people: int
    by: dict[str, int]
    chance: dict[str, int]
    unknown: int
    several: dict[str, int]


def identifying(spec: Spec) -> list[str]:
    """Return the columns that people are told apart by."""
    return list(dict.fromkeys([*([] if spec.unit is None else [spec.unit]), *spec.identifiers]))


def overlap(earlier: Sequence[Trait], new: pa.Table, spec: Spec, key: bytes) -> Overlap:
    """Find the rows of a new table that are about earlier people, by traits that tell people apart."""
    hashed = _Hashed.of(new, spec, key)
    again = np.zeros(new.num_rows, dtype=bool)
    compared = np.zeros(new.num_rows, dtype=bool)
    by, chance, several = {}, {}, {}
    for trait in earlier:
        values = hashed.rows(trait.columns)
        found = np.asarray(np.isin(values, trait.hashes) & (values != b""))
        own = _trait(trait.columns, [hashed])
        if own.people - len(own.hashes) > trait.by_chance(own.people) * max(own.people / trait.people, 1):
            several[trait.name] = own.sharing
        if hashed.count(found) > trait.by_chance(own.people):
            by[trait.name] = int(found.sum())
            again |= found
        elif found.any():
            chance[trait.name] = int(found.sum())
        if not trait.missing:
            compared |= values != b""
    return Overlap(int(again.sum()), hashed.count(again), by, chance, int((~compared).sum()), several)


def _trait(columns: tuple[str, ...], tables: Sequence[_Hashed]) -> Trait:
    values = np.concatenate([table.people(columns) for table in tables])
    hashes, counts = np.unique(values[values != b""], return_counts=True)
    missing = sum(table.missing(columns) for table in tables)
    return Trait(columns, hashes, int(counts.sum()), int(counts[counts > 1].sum()), missing)


@dataclass(frozen=True, eq=False)
class _Hashed:
    """The rows of a table: the hash of each identifying value, empty where it is missing."""

    columns: dict[str, Hashes]
    unit: str | None
    key: bytes

    @classmethod
    def of(cls, table: pa.Table, spec: Spec, key: bytes) -> _Hashed:
        names = [name for name in identifying(spec) if name in table.column_names]
        return cls({name: _hashes(table.column(name), name, key) for name in names}, spec.unit, key)

    def rows(self, columns: Sequence[str]) -> Hashes:
        """Return the hash of each row's values; a row that lacks one of them has none."""
        parts = [self.columns[name] for name in columns]
        if len(parts) == 1:
            return parts[0]
        together = np.stack(parts, axis=1)
        whole = (together != b"").all(axis=1)
        packed = np.ascontiguousarray(together).view(f"S{HASH_BYTES * len(parts)}").ravel()
        distinct, positions = np.unique(packed, return_inverse=True)
        mixed = _array([_hash(value, "\0".join(columns), self.key) for value in distinct.tolist()])
        return np.where(whole, mixed[positions], b"")

    def people(self, columns: Sequence[str]) -> Hashes:
        """Return the hashes person by person: each pair of a unit and a value counts once."""
        rows = self.rows(columns)
        if self.unit is None:
            return rows
        if tuple(columns) == (self.unit,):
            return np.unique(rows)
        pairs = np.stack([self.columns[self.unit], rows], axis=1)
        packed = np.ascontiguousarray(pairs).view(f"S{2 * HASH_BYTES}").ravel()
        _, first = np.unique(packed, return_index=True)
        return rows[first]

    def missing(self, columns: Sequence[str]) -> int:
        """Count the people who have no value. Rows without a unit are nobody's: each counts."""
        known = np.asarray(self.rows(columns) != b"")
        if self.unit is None:
            return int((~known).sum())
        units = self.columns[self.unit]
        others = np.setdiff1d(units[~known], units[known])
        return int((others != b"").sum()) + int((~known & (units == b"")).sum())

    def count(self, rows: BoolArray) -> int:
        """Count the people of some rows."""
        return int(rows.sum()) if self.unit is None else len(np.unique(self.columns[self.unit][rows]))


def _hashes(column: pa.ChunkedArray, name: str, key: bytes) -> Hashes:
    values = coded(column, name)
    texts = map(normal, values_shown(values.dictionary))
    made = _array([_hash(text.encode(), name, key) if text else b"" for text in texts] + [b""])
    positions = values.indices.fill_null(len(made) - 1).to_numpy(zero_copy_only=False)
    return np.asarray(made[positions], dtype=_TYPE)


def _hash(value: bytes, name: str, key: bytes) -> bytes:
    return hmac.digest(key, name.encode() + b"\0" + value, "sha256")[:HASH_BYTES]


def _array(hashes: list[Any]) -> Hashes:
    # Bytes at the end that are zero are lost and come back: all hashes are of one length.
    return np.array(hashes, dtype=_TYPE)
