"""Hierarchies that are made from the table: made when it is read, and written as they were asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

import pyarrow as pa

from shoal.describe.hierarchy import (
    ColumnData,
    FromData,
    FromFile,
    Generalizing,
    Hierarchy,
    HierarchyError,
    Levels,
    known,
)


class DataHierarchy(FromData, Hierarchy, Protocol):
    """A hierarchy that is made from the table, as a spec has it."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A hierarchy as the spec asks for it, and what became of it on the table at hand.

    On another table it is made anew.
    """

    asked: DataHierarchy
    made: Generalizing

    @classmethod
    def to(cls, hierarchy: DataHierarchy, column: ColumnData) -> Self:
        """Make a hierarchy for a column; why it cannot be made is told when its labels are asked for."""
        asked = hierarchy.asked if isinstance(hierarchy, Fitted) else hierarchy
        try:
            return cls(asked, asked.fit(column))
        except HierarchyError as error:
            return cls(asked, Unfit(error))

    @property
    def target(self) -> str | None:
        return self.asked.target

    def fit(self, column: ColumnData) -> Generalizing:
        return self.asked.fit(column)

    def levels(self, values: pa.Array) -> Levels:
        return self.made.levels(values)

    def knows(self, values: pa.Array) -> pa.BooleanArray:
        return known(self.asked if isinstance(self.made, Unfit) else self.made, values)

    def to_spec(self) -> object:
        return self.asked.to_spec()

    @property
    def files(self) -> tuple[Path, ...]:
        return self.asked.files if isinstance(self.asked, FromFile) else ()


@dataclass(frozen=True, slots=True)
class Unfit:
    """What comes of a hierarchy that could not be made: the reason, wherever its labels are asked for."""

    error: HierarchyError

    def levels(self, values: pa.Array) -> Levels:
        raise self.error
