"""What became of a batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Outcome:
    """What adding a batch did.

    Attributes
    ----------
    batch
        Its id; empty where the stream was finished instead.
    repeated
        Whether it came before: then nothing was done but to publish what a killed process had left.
    rows
        Rows of the batch.
    released, suppressed
        Rows of the emission that it led to.
    waiting
        Rows that wait afterwards.
    emission
        The folder of that emission, if rows were released.
    score
        What these lost, by the measure of the spec.
    alarm
        Why somebody should look at the stream: more rows were suppressed than the spec allows.
    notes
        What else a reader of the emission should know, as of any release.
    """

    batch: str = ""
    rows: int = 0
    repeated: bool = False
    released: int = 0
    suppressed: int = 0
    waiting: int = 0
    emission: Path | None = None
    score: float | None = None
    alarm: str | None = None
    notes: tuple[str, ...] = ()

    def to_mapping(self) -> Mapping[str, Any]:
        """Return it as plain values, ready for JSON."""
        return {**asdict(self), "emission": None if self.emission is None else str(self.emission)}
