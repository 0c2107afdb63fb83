"""Hierarchies built from the table: built when the table is read, and written as the spec has them."""

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
    """A hierarchy that is built from the table, as in a spec."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A hierarchy as in the spec, with the one built from the table for it.

    On another table it is built anew.
    """

    declared: DataHierarchy
    built: Generalizing

    @classmethod
    def to(cls, hierarchy: DataHierarchy, column: ColumnData) -> Self:
        """Build a hierarchy for a column; if that fails, `levels` raises the error."""
        declared = hierarchy.declared if isinstance(hierarchy, Fitted) else hierarchy
        try:
            return cls(declared, declared.fit(column))
        except HierarchyError as error:
            return cls(declared, Unfit(error))

    @property
    def kept(self) -> Kept:
        """The same for other tables, on which it is not built anew."""
        return Kept(self.declared, self.built)

    @property
    def target(self) -> str | None:
        return self.declared.target

    def fit(self, column: ColumnData) -> Generalizing:
        return self.declared.fit(column)

    def levels(self, values: pa.Array) -> Levels:
        return self.built.levels(values)

    def knows(self, values: pa.Array) -> pa.BooleanArray:
        return known(self.declared if isinstance(self.built, Unfit) else self.built, values)

    def to_spec(self) -> object:
        return self.declared.to_spec()

    @property
    def files(self) -> tuple[Path, ...]:
        return self.declared.files if isinstance(self.declared, FromFile) else ()


@dataclass(frozen=True, slots=True)
class Kept:
    """A hierarchy that was built from one table, for the values of others."""

    declared: DataHierarchy
    built: Generalizing

    def levels(self, values: pa.Array) -> Levels:
        return self.built.levels(values)

    def knows(self, values: pa.Array) -> pa.BooleanArray:
        return known(self.built, values)

    def to_spec(self) -> object:
        return self.declared.to_spec()

    @property
    def files(self) -> tuple[Path, ...]:
        return self.declared.files if isinstance(self.declared, FromFile) else ()


@dataclass(frozen=True, slots=True)
class Unfit:
    """A hierarchy that could not be built: `levels` raises the reason."""

    error: HierarchyError

    def levels(self, values: pa.Array) -> Levels:
        raise self.error
