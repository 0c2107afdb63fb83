"""Whether the new rows are about new people: compared, asserted by the publisher, or unknown to everybody."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shoal.errors import InputError
from shoal.incremental.earlier_release import Earlier
from shoal.incremental.people import HashedPeople, Overlap, Trait, identifying, overlap
from shoal.incremental.remembered_people import is_remembered, nobody_to_remember, recall
from shoal.incremental.remembered_people import key as kept_key
from shoal.read.source import open_source

ASSERTION = "The publisher asserts that nobody of the earlier table has new rows; it was not compared."
ASSERTION_OF_SOME = (
    "The publisher asserts that nobody of the earlier table has new rows; where a value is missing, it was "
    "not compared."
)
UNKNOWN = "The spec names no unit and no identifiers: whether earlier people have new rows cannot be checked."
_PLACE = "docs/extend.md, 'Corrections and withdrawals', says what to do."


@dataclass(frozen=True, eq=False)
class NewPeople:
    """What is known about the people of the new rows.

    Attributes
    ----------
    compared
        By what they were compared with the earlier people; nobody is in both.
    shared
        Columns that were left out of that, since different people share them.
    asserted
        Whether the publisher asserts that they are new, where they could not be compared.
    chance
        For each column of `compared`, how many rows share its value with earlier people, if any do.
    people
        The people of the extended release, if they are to be remembered.
    """

    compared: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    asserted: bool = False
    chance: Mapping[str, int] = field(default_factory=dict)
    people: HashedPeople | None = None

    @property
    def words(self) -> str:
        if not self.compared:
            return ASSERTION if self.asserted else UNKNOWN
        parts = []
        if exact := [name for name in self.compared if name not in self.chance]:
            parts.append(f"none of the earlier ones, by {', '.join(exact)}")
        parts += [
            f"{rows:,} {'row shares its' if rows == 1 else 'rows share their'} {name} with earlier people, "
            "no more than chance explains"
            for name, rows in self.chance.items()
        ]
        return "; ".join(parts) + (f". {ASSERTION_OF_SOME}" if self.asserted else "")

    def to_mapping(self) -> dict[str, Any]:
        """Return what the manifest says of it."""
        if not self.compared and self.asserted:
            return {"asserted": ASSERTION}
        compared = {"compared": list(self.compared), "shared": list(self.shared)}
        return {**compared, "asserted": ASSERTION_OF_SOME} if self.asserted else compared


def require_new_people(
    earlier: Earlier,
    new_rows: object,
    originals: Sequence[object],
    *,
    shared: Sequence[str] = (),
    asserted: bool = False,
    remember: bool = False,
) -> NewPeople:
    """Raise unless the new rows are about people of whom the earlier table has none, as far as can be known.

    Parameters
    ----------
    shared
        Identifiers that different people share: nobody is compared by them.
    asserted
        Whether the publisher asserts it, where the earlier people are not known.
    remember
        Whether the people of the extended release are to be remembered.

    Raises
    ------
    InputError
        Earlier people have new rows; or nobody knows, and nobody asserts it.
    """
    spec = earlier.spec
    columns = identifying(spec)
    if strange := [name for name in shared if name not in spec.identifiers]:
        raise InputError(
            f"People are not compared by {', '.join(strange)} in any case.\n"
            f"Identifiers: {', '.join(spec.identifiers) or 'none'}.\n"
            "Name identifiers of the spec: --shared COLUMN (in Python shared=...)."
        )
    if not columns:
        if remember:
            raise nobody_to_remember()
        return NewPeople()
    recalled = None if originals else recall(earlier.sha256)
    kept = remember or is_remembered(earlier.sha256)
    key = kept_key() if kept else secrets.token_bytes(32)
    known = recalled if recalled is not None else _known(earlier, originals, key)
    new = open_source(new_rows, earlier.input).read(columns, coded=())
    distinguishing = (
        []
        if known is None
        else [trait for trait in known.distinguishing if not set(trait.columns) & set(shared)]
    )
    if not distinguishing:
        if not asserted:
            raise _unknown(earlier, known)
        if remember:
            raise InputError(
                "The people of the extended release cannot be remembered.\n"
                "Those of the earlier one are not known.\n"
                "Give the original table: --original FILE (in Python original=...)."
            )
        return NewPeople(asserted=True)
    found = overlap(distinguishing, new, spec, key)
    if found.by:
        raise _overlapping(found, new.num_rows)
    if found.several:
        raise _several(found, spec.unit)
    if found.unknown and not asserted:
        raise _incomparable(found.unknown, new.num_rows, distinguishing)
    people = known.with_new(new, spec, key) if known is not None and kept else None
    return NewPeople(
        compared=tuple(trait.name for trait in distinguishing),
        shared=tuple(shared),
        asserted=found.unknown > 0,
        chance=found.chance,
        people=people,
    )


def _known(earlier: Earlier, originals: Sequence[object], key: bytes) -> HashedPeople | None:
    """Return the people of the earlier table, from the table itself or from a release that has them all."""
    spec = earlier.spec
    if originals:
        sources = [open_source(data, earlier.input) for data in originals]
        return HashedPeople.of([source.read(identifying(spec), coded=()) for source in sources], spec, key)
    if spec.unit in earlier.table.column_names and not earlier.evidence.manifest.rows.suppressed:
        return HashedPeople.of([earlier.table], replace(spec, identifiers=()), key)
    return None


def _overlapping(found: Overlap, rows: int) -> InputError:
    counts = ", ".join(f"{name} {count:,} rows" for name, count in found.by.items())
    people = "1 person" if found.people == 1 else f"{found.people:,} people"
    return InputError(
        f"People of the earlier table have new rows: {found.rows:,} of {rows:,} rows, {people}.\n"
        f"Found by: {counts}.\n"
        "Leave these rows out: whoever knows that somebody is in both could find them among the few. To "
        f"correct or withdraw somebody's rows is another question: {_PLACE} If different people share an "
        "identifier, such as the telephone of a family, name it: --shared COLUMN (in Python shared=...)."
    )


def _several(found: Overlap, unit: str | None) -> InputError:
    counted = "rows" if unit is None else f"different {unit}"
    counts = ", ".join(f"{name} {count:,} {counted}" for name, count in found.several.items())
    return InputError(
        "The new rows count some people several times.\n"
        f"With a value that occurs again: {counts}.\n"
        "Give each person once: a class that consists of one person's rows hides nobody. Where people have "
        "several rows, make a release that counts them by a `unit`. If different people share an identifier, "
        "such as the telephone of a family, name it: --shared COLUMN (in Python shared=...)."
    )


def _incomparable(unknown: int, rows: int, distinguishing: Sequence[Trait]) -> InputError:
    complete = [trait.name for trait in distinguishing if not trait.missing]
    lacking = ", ".join(f"{trait.missing:,} none of {trait.name}" for trait in distinguishing)
    found = (
        f"These rows have no value of {' or '.join(complete)}."
        if complete
        else f"Of the people of the earlier table some have no value: {lacking}."
    )
    return InputError(
        f"Whether people of the earlier table have new rows is not known of {unknown:,} of {rows:,} rows.\n"
        f"{found}\n"
        "Fill these values in, or leave such rows out. If you are certain that nobody has new rows, say so, "
        "and the manifest will: --new-people (in Python new_people=True)."
    )


def _unknown(earlier: Earlier, known: HashedPeople | None) -> InputError:
    found = (
        f"The original table is not given, and the people of {earlier.name!r} were not remembered."
        if known is None
        else "No unit or identifier distinguishes the people of the earlier table: too many share each value."
    )
    give = "" if known is not None else "Give it: --original FILE (in Python original=...). "
    return InputError(
        "Whether people of the earlier table have new rows is not known.\n"
        f"{found}\n"
        f"{give}If you are certain that nobody has, say so, and the manifest will: --new-people (in Python "
        "new_people=True)."
    )
