"""Full-domain recoding: one level per column, for the whole table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from shoal.encode.cells import Cells, cells_at
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.recode.recoding import Choices
from shoal.spec.for_recipients import at_fixed_levels
from shoal.spec.spec import Spec


@dataclass(frozen=True, slots=True)
class FullDomain:
    """Every value of a column becomes its label at the column's level.

    The easiest recoding to read: labels of a column never overlap, and two releases at the same levels can be
    compared.

    Parameters
    ----------
    levels
        The level of each quasi-identifier, in the order of the spec.

    References
    ----------
    K. LeFevre, D. DeWitt and R. Ramakrishnan, "Incognito: efficient full-domain k-anonymity", SIGMOD 2005.

    Examples
    --------
    >>> FullDomain({"age": 1, "zip": 2}).to_manifest()
    {'kind': 'full-domain', 'levels': {'age': 1, 'zip': 2}}
    """

    levels: dict[str, int]

    kind: ClassVar[str] = "full-domain"

    @classmethod
    def at(cls, table: CodedTable, levels: Sequence[int]) -> Self:
        """Return the recoding of a node: a level for each column of a table."""
        return cls(dict(zip(table.names, levels, strict=True)))

    @property
    def node(self) -> tuple[int, ...]:
        return tuple(self.levels.values())

    @property
    def rungs(self) -> dict[str, int]:
        return self.levels

    def __hash__(self) -> int:
        return hash(frozenset(self.levels.items()))

    def cells(self, table: CodedTable) -> tuple[Cells, ...]:
        return cells_at(table, [self.levels[name] for name in table.names])

    def choices(self, table: CodedTable) -> Choices:
        return Choices(
            "Level",
            {column.name: f"{self.levels[column.name]} of {column.height}" for column in table.columns},
        )

    def for_recipients(self, spec: Spec, table: CodedTable) -> tuple[Spec, FullDomain]:
        values = {column.name: column.labels[0] for column in table.columns}
        stated, levels = at_fixed_levels(spec, self.levels, values)
        return stated, FullDomain(levels)

    def to_manifest(self) -> dict[str, Any]:
        return {"kind": self.kind, "levels": dict(self.levels)}

    @classmethod
    def from_manifest(cls, said: Mapping[str, Any]) -> Self:
        levels = said.get("levels")
        if said.get("kind") != cls.kind or not isinstance(levels, Mapping):
            raise InputError(
                f"A recoding of the kind '{cls.kind}' has levels.\nFound: the keys {', '.join(said)}.\n"
                "Give the manifest as it was written."
            )
        return cls({str(name): int(level) for name, level in levels.items()})
