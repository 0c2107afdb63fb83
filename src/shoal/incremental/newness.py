"""Whether the new rows are about new people: compared, asserted by the publisher, or unknown to everybody."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from shoal.errors import InputError
from shoal.incremental.earlier import Earlier
from shoal.incremental.people import People, Trait, identifying, overlap
from shoal.incremental.remembered import key as kept_key
from shoal.incremental.remembered import nobody_to_remember, recall
from shoal.read.source import open_source

ASSERTION = "The publisher asserts that nobody of the earlier table has new rows; it was not compared."
UNKNOWN = "The spec names no unit and no identifiers: whether earlier people have new rows cannot be checked."
_PLACE = "docs/extend.md, 'Corrections and withdrawals', says what to do."


@dataclass(frozen=True, eq=False)
class Newness:
    """What is known about the people of the new rows.

    Attributes
    ----------
    compared
        By what they were compared with the earlier people; nobody is in both.
    shared
        Columns that were left out of that, since different people share them.
    asserted
        Whether the publisher asserts that they are new, where they could not be compared.
    people
        The people of the extended release, if they are to be remembered.
    """

    compared: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    asserted: bool = False
    people: People | None = None

    @property
    def words(self) -> str:
        if self.compared:
            return f"none of the earlier ones, by {', '.join(self.compared)}"
        return ASSERTION if self.asserted else UNKNOWN

    def to_mapping(self) -> dict[str, Any]:
        """Return what the manifest says of it."""
        if self.asserted:
            return {"asserted": ASSERTION}
        return {"compared": list(self.compared), "shared": list(self.shared)}


def require_new_people(
    earlier: Earlier,
    new_rows: object,
    originals: Sequence[object],
    *,
    shared: Sequence[str] = (),
    asserted: bool = False,
    remember: bool = False,
) -> Newness:
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
        return Newness()
    recalled = None if originals else recall(earlier.sha256)
    key = kept_key() if remember or recalled is not None else secrets.token_bytes(32)
    known = recalled if recalled is not None else _known(earlier, originals, key)
    new = open_source(new_rows, spec.input).read(columns, coded=())
    telling = (
        [] if known is None else [trait for trait in known.telling if not set(trait.columns) & set(shared)]
    )
    if not telling:
        if not asserted:
            raise _unknown(earlier, known)
        if remember:
            raise InputError(
                "The people of the extended release cannot be remembered.\n"
                "Those of the earlier one are not known.\n"
                "Give the original table: --original FILE (in Python original=...)."
            )
        return Newness(asserted=True)
    _refuse_overlap(telling, new, earlier, key)
    carried = known is not None and (remember or recalled is not None)
    people = known.with_new(new, spec, key) if known is not None and carried else None
    return Newness(tuple(trait.name for trait in telling), tuple(shared), people=people)


def _known(earlier: Earlier, originals: Sequence[object], key: bytes) -> People | None:
    """Return the people of the earlier table, from the table itself or from a release that has them all."""
    spec = earlier.spec
    if originals:
        sources = [open_source(data, spec.input) for data in originals]
        return People.of([source.read(identifying(spec), coded=()) for source in sources], spec, key)
    if spec.unit in earlier.table.column_names and not earlier.evidence.said.rows.suppressed:
        return People.of([earlier.table], replace(spec, identifiers=()), key)
    return None


def _refuse_overlap(telling: Sequence[Trait], new: pa.Table, earlier: Earlier, key: bytes) -> None:
    found = overlap(telling, new, earlier.spec, key)
    if not found.by:
        return
    said = ", ".join(f"{name} {count:,} rows" for name, count in found.by.items())
    people = "1 person" if found.people == 1 else f"{found.people:,} people"
    raise InputError(
        f"People of the earlier table have new rows: {found.rows:,} of {new.num_rows:,} rows, {people}.\n"
        f"Found by: {said}.\n"
        "Leave these rows out: whoever knows that somebody is in both could find them among the few. To "
        f"correct or withdraw somebody's rows is another question: {_PLACE} If different people share an "
        "identifier, such as the telephone of a family, name it: --shared COLUMN (in Python shared=...)."
    )


def _unknown(earlier: Earlier, known: People | None) -> InputError:
    found = (
        f"The original table is not given, and the people of {earlier.name!r} were not remembered."
        if known is None
        else "No unit or identifier tells the people of the earlier table apart: too many share each value."
    )
    give = "" if known is not None else "Give it: --original FILE (in Python original=...). "
    return InputError(
        "Whether people of the earlier table have new rows is not known.\n"
        f"{found}\n"
        f"{give}If you are certain that nobody has, say so, and the manifest will: --new-people (in Python "
        "new_people=True)."
    )
