"""Released rows in files that DuckDB wrote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from shoal.engines.relational.output import put_into_place, remove
from shoal.write.output import FileOutput


@dataclass(slots=True)
class StoredFiles:
    """A hidden file or folder, which is read where it is.

    Attributes
    ----------
    reading
        Returns what stands after FROM to read it.
    """

    output: FileOutput
    hidden: Path
    reading: Callable[[Path], str]
    rows: int = 0
    done: bool = field(default=False, repr=False)

    @property
    def relation(self) -> str:
        return self.reading(self._place)

    @property
    def files(self) -> Sequence[Path]:
        return sorted(self._place.glob("*.parquet")) if self.output.folder else [self._place]

    def publish(self) -> None:
        if not self.done:
            put_into_place(self.hidden, self.output.path)
            self.done = True

    def discard(self) -> None:
        if not self.done:
            remove(self.hidden)

    @property
    def _place(self) -> Path:
        return self.output.path if self.done else self.hidden
