"""Column roles, and the settings of each role."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import TYPE_CHECKING, Literal, get_args

from shoal import registry
from shoal.describe.hierarchy import FromData, Hierarchy, Levels, LevelsFromValues
from shoal.describe.missing_values import MissingValues, levels_of

if TYPE_CHECKING:
    import pyarrow as pa

Accepted = Literal["linkable"]
"""Harm that a person may accept for a released column: a `linkable` column singles people out."""
EACH_ROW_A_PERSON = "each row counts as one person; if a person has several rows, add `unit:` to the spec"
LINKABLE_SHARE = 0.20
"""Share of the rows that a column may single out unless it is accepted."""
LINKABLE_ROWS = 20
"""Rows that it must single out before it is refused: in small tables, shares mean little."""
MOST_COLUMNS = 5_000
"""Largest number of columns for a release, a proposal or an audit."""
NO_UNIT = "none"
"""In place of the column that identifies the person: each row is another one."""
NullMeaning = Literal["value", "forbid"]

_HEAVIEST = 1e100  # sums of weights stay finite


def how_people_count(unit: str | None) -> str:
    """Return how people are counted, in words.

    Examples
    --------
    >>> print(how_people_count("MRN"))
    counted by 'MRN': rows with the same value count as one person; if it is not the person's, change `unit:`
    """
    if unit is None:
        return EACH_ROW_A_PERSON
    return (
        f"counted by {unit!r}: rows with the same value count as one person; if it is not the person's, "
        "change `unit:`"
    )


def unit_of(given: str, columns: Collection[str]) -> str | None:
    """Return the column that a person gave as the unit; None for `none`, unless a column is called so.

    Examples
    --------
    >>> unit_of("MRN", ["age"]), unit_of("none", ["age"]), unit_of("none", ["age", "none"])
    ('MRN', None, 'none')
    """
    return None if given == NO_UNIT and given not in columns else given


class Role(StrEnum):
    """The role of a column."""

    IDENTIFIER = "identifier"
    """It identifies a person; never released."""
    QUASI_IDENTIFIER = "quasi-identifier"
    """Others may know it; generalized."""
    SENSITIVE = "sensitive"
    """Nobody should learn it about a person."""
    INSENSITIVE = "insensitive"
    """It is released unchanged."""
    PSEUDONYM = "pseudonym"
    """A keyed token is released in its place."""
    DROP = "drop"
    """It is left out, whatever it holds; never read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuasiIdentifier:
    """How one quasi-identifier may be generalized.

    Attributes
    ----------
    weight
        Its importance in measures that average over columns.
    min_level, max_level
        The lowest and highest level that may be chosen; by default 0 and the top.
    null
        Meaning of NULL: a `value` of its own, or `forbid` for an error.
    missing_values
        Treatment of values that the hierarchy does not cover: an `error`, `*` at every level above 0
        (`top`), or each with its own label below the top (`own`).
    """

    hierarchy: Hierarchy
    weight: float = 1.0
    min_level: int = 0
    max_level: int | None = None
    null: NullMeaning = "value"
    missing_values: MissingValues = "error"

    def levels(self, values: pa.Array) -> Levels:
        """Return the labels of distinct values without NULL."""
        return levels_of(self.hierarchy, values, self.missing_values)

    def problems(self) -> Iterable[str]:
        """Yield the problems of the settings."""
        if not isinstance(self.hierarchy, Hierarchy):
            known = ", ".join(registry.names("hierarchies"))
            yield f"{self.hierarchy!r} is not a hierarchy.\nKnown: {known}."
        if not is_number(self.weight) or not 0 < self.weight <= _HEAVIEST:
            yield f"the weight must be a positive number, at most {_HEAVIEST:g}.\nFound: {self.weight!r}."
        if not _is_whole(self.min_level) or self.min_level < 0:
            yield f"the lowest level must be a whole number, at least 0.\nFound: {self.min_level!r}."
        elif self.max_level is not None:
            if not _is_whole(self.max_level) or self.max_level < 0:
                yield f"the highest level must be a whole number, at least 0.\nFound: {self.max_level!r}."
            elif self.min_level > self.max_level:
                yield (
                    f"the lowest level is above the highest.\nFound: {self.min_level} and {self.max_level}."
                )
        if self.null not in get_args(NullMeaning):
            yield f"NULL means 'value' or 'forbid'.\nFound: {self.null!r}."
        if self.missing_values not in get_args(MissingValues):
            yield f"missing values are 'error', 'top' or 'own'.\nFound: {self.missing_values!r}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitive:
    """The settings of one sensitive column.

    Attributes
    ----------
    hierarchy
        Defines how close values are, for models that use distances; the values are released unchanged.
    null
        Meaning of NULL: a `value` of its own, or `forbid` for an error.
    """

    hierarchy: Hierarchy | None = None
    null: NullMeaning = "value"

    def problems(self) -> Iterable[str]:
        """Yield the problems of the settings."""
        if self.hierarchy is not None and not isinstance(self.hierarchy, Hierarchy):
            known = ", ".join(registry.names("hierarchies"))
            yield f"{self.hierarchy!r} is not a hierarchy.\nKnown: {known}."
        elif isinstance(self.hierarchy, FromData):
            yield (
                "the hierarchy of a sensitive column cannot be built from the table.\n"
                "An audit of the release could not build it again.\n"
                "Write it to a file with `shoal hierarchy build`, and use that file."
            )
        elif isinstance(self.hierarchy, LevelsFromValues) and not getattr(self.hierarchy, "steady", False):
            yield (
                "the hierarchy of a sensitive column must not depend on the longest of its values.\n"
                "That may be a suppressed one, and published queries would show how many levels it needs.\n"
                "Give the levels: prefix: 5, round: [10, 100], dates: [month, year]."
            )
        if self.null not in get_args(NullMeaning):
            yield f"NULL means 'value' or 'forbid'.\nFound: {self.null!r}."


def is_number(value: object) -> bool:
    """Return whether a setting is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
