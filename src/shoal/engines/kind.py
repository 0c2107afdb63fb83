"""What an engine declares to be found: its name, its turn, and which inputs it opens."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from shoal.read.source import InputFormat
from shoal.strategies.abilities import Ability

if TYPE_CHECKING:
    from shoal.engines.engine import Engine


class Fit(IntEnum):
    """How well an engine suits an input."""

    NO = 0
    """It cannot open it."""
    CAN = 1
    """It opens it where a user names the engine."""
    BEST = 2
    """It opens it also where nobody names an engine, unless one whose turn is earlier does."""
    ONLY = 3
    """No other engine can: the address of its own server, a table of its own kind."""


@dataclass(frozen=True, slots=True)
class Input:
    """A table that is to be opened, as a user gives it.

    Attributes
    ----------
    data
        A data frame, a path, an address.
    format
        How text is written.
    table
        The table of a database.
    memory
        How many bytes may be used.
    writing
        Whether a table is to be written into the database.
    """

    data: Any
    format: InputFormat
    memory: int
    table: str | None = None
    writing: bool = False

    @property
    def path(self) -> str | None:
        """The path or address, where the data is one."""
        return str(self.data) if isinstance(self.data, str | os.PathLike) else None

    @property
    def library(self) -> str:
        """The package that the data's type is from, such as `pandas`."""
        return type(self.data).__module__.partition(".")[0]


@runtime_checkable
class EngineKind(Protocol):
    """What the name of an engine stands for: the entry points `shoal.engines` lead to such classes.

    To ask every engine about an input, all of them are loaded. So its module imports what it needs of other
    packages in `open`, not before.

    Attributes
    ----------
    name, summary
        Its name in specs, and what it opens, in one line.
    turn
        Engines are asked in this order, the smallest first, and equal ones by name. Ours have 10 (postgres),
        20 (spark), 30 (duckdb) and 100 (memory, which opens whatever nobody else claims).
    abilities
        What the engines that it opens can do; strategies that need more are refused.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    turn: ClassVar[int]
    abilities: ClassVar[frozenset[Ability]]

    def fit(self, given: Input) -> Fit:
        """Return how well it suits an input, by what that is; nothing is opened for it."""
        ...

    def open(self, given: Input) -> Engine:
        """Open a table that it suits."""
        ...
