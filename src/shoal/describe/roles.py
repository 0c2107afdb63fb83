"""What a column is to the people in the table, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import TYPE_CHECKING, Literal, get_args

from shoal import registry
from shoal.describe.hierarchy import FromData, Hierarchy, Levels
from shoal.describe.missing import MissingValues, levels_of

if TYPE_CHECKING:
    import pyarrow as pa

Accepted = Literal["linkable"]
"""What a released column may be although it harms people: `linkable` is one that singles them out."""
EACH_ROW_A_PERSON = "each row counts as one person; if a person has several rows, add `unit:` to the spec"
LINKABLE_SHARE = 0.20
"""Share of the rows that a column may single out unless it is accepted."""
LINKABLE_ROWS = 20
"""Rows that it must single out before it is refused: shares of small tables say little."""
MOST_COLUMNS = 5_000
"""Columns that a release may have, and that a proposal or an audit goes through."""
NullMeaning = Literal["value", "forbid"]

_HEAVIEST = 1e100  # sums of weights stay finite


class Role(StrEnum):
    """What a column is to the people in the table."""

    IDENTIFIER = "identifier"
    """Names them; never released."""
    QUASI_IDENTIFIER = "quasi-identifier"
    """Known to others as well; generalized."""
    SENSITIVE = "sensitive"
    """What nobody should learn about them."""
    INSENSITIVE = "insensitive"
    """Released as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuasiIdentifier:
    """How one quasi-identifier may be generalized.

    Attributes
    ----------
    weight
        Its importance in measures that average over columns.
    min_level, max_level
        The levels of the hierarchy among which to choose; up to the top without `max_level`.
    null
        Meaning of NULL: a `value` of its own, or `forbid` for an error.
    missing_values
        What becomes of values that the hierarchy has no place for: an `error`, hidden at every level above 0
        (`top`), or each kept apart until the top (`own`).
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
        """Tell what is wrong with the settings."""
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
    """What is known of one sensitive column.

    Attributes
    ----------
    hierarchy
        How near its values are to each other, for models that look at that; the values are released as they
        are.
    null
        Meaning of NULL: a `value` of its own, or `forbid` for an error.
    """

    hierarchy: Hierarchy | None = None
    null: NullMeaning = "value"

    def problems(self) -> Iterable[str]:
        """Tell what is wrong with the settings."""
        if self.hierarchy is not None and not isinstance(self.hierarchy, Hierarchy):
            known = ", ".join(registry.names("hierarchies"))
            yield f"{self.hierarchy!r} is not a hierarchy.\nKnown: {known}."
        elif isinstance(self.hierarchy, FromData):
            yield (
                "the hierarchy of a sensitive column cannot be made from the table: who checks the release "
                "could not make it again.\n"
                "Make a file of it with `shoal hierarchy build`, and name that."
            )
        if self.null not in get_args(NullMeaning):
            yield f"NULL means 'value' or 'forbid'.\nFound: {self.null!r}."


def is_number(value: object) -> bool:
    """Whether a setting is a number that one can count with."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
