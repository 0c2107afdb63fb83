"""The simplest hierarchy: the value, or `*`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import pyarrow as pa

from shoal.describe.hierarchy import ANYTHING, HierarchyDefaults, Levels
from shoal.errors import InputError


@dataclass(frozen=True, slots=True)
class Suppress(HierarchyDefaults):
    """Level 1 is `*` for every value."""

    name: ClassVar[str] = "suppress"
    summary: ClassVar[str] = "Keeps a value or replaces it by `*`."
    examples: ClassVar[tuple[object, ...]] = (None,)
    sample: ClassVar[tuple[object, ...]] = ("female", "male", "")

    def levels(self, values: pa.Array) -> Levels:
        return Levels.of(values, [pa.repeat(ANYTHING, len(values))])

    @property
    def steady(self) -> bool:
        return True

    def to_spec(self) -> object:
        return "suppress"

    @classmethod
    def from_spec(cls, argument: object, folder: Path) -> Self:
        if argument is not None:
            raise InputError(f"suppress takes no argument.\nFound: {argument!r}.")
        return cls()


def suppress() -> Suppress:
    """Keep a value or replace it by `*`.

    Examples
    --------
    >>> suppress().levels(pa.array(["female", "male"])).labels[1].to_pylist()
    ['*', '*']
    """
    return Suppress()
