"""The simplest hierarchy: a value, or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pyarrow as pa

from shoal.describe.hierarchy import ANYTHING, Levels
from shoal.errors import InputError


@dataclass(frozen=True, slots=True)
class Suppress:
    """Level 1 is `*` for every value."""

    def levels(self, values: pa.Array) -> Levels:
        return Levels.of(values, [pa.repeat(ANYTHING, len(values))])

    def to_spec(self) -> object:
        return "suppress"

    @classmethod
    def from_spec(cls, argument: object, folder: Path) -> Self:
        if argument is not None:
            raise InputError(f"suppress takes no argument.\nFound: {argument!r}.")
        return cls()

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls.from_spec(text or None, Path())


def suppress() -> Suppress:
    """Keep a value or replace it by `*`.

    Examples
    --------
    >>> suppress().levels(pa.array(["female", "male"])).labels[1].to_pylist()
    ['*', '*']
    """
    return Suppress()
