"""A larger table of which the released one is a part, such as a census."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from shoal.errors import InputError


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """A table with the quasi-identifiers of the one that is released, one row per person.

    `source` is the path of a file, or a pandas, polars or Arrow table; `written` is how a spec calls the
    file, where that is not its path from here.

    Examples
    --------
    >>> Population("data/census.csv").name
    'census.csv'
    """

    source: object
    written: str | None = None

    def __post_init__(self) -> None:
        plain = isinstance(self.source, bool | int | float | bytes | list | tuple | dict | None)
        if plain or (isinstance(self.source, str) and not self.source):
            raise InputError(
                "A population must be the name of a file, or a pandas, polars or Arrow table.\n"
                f"Found: {type(self.source).__name__}."
            )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Population) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def key(self) -> str:
        """What tells it from other populations."""
        if isinstance(self.source, str | Path):
            return str(Path(self.source).resolve())
        return f"table {id(self.source)}"

    @property
    def name(self) -> str:
        """What messages and manifests call it."""
        return Path(self.source).name if isinstance(self.source, str | Path) else "a table given in Python"

    def to_spec(self) -> str:
        if self.written is not None:
            return self.written
        return Path(self.source).as_posix() if isinstance(self.source, str | Path) else self.name

    @classmethod
    def from_spec(cls, argument: object, folder: Path) -> Self:
        """Take a file by its name in a spec, relative to the folder."""
        if not isinstance(argument, str) or not argument:
            raise InputError(f"A population must be the name of a file.\nFound: {argument!r}.")
        return cls(folder / argument, argument)
