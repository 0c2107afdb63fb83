"""How much more likely sensitive values are in a class than in the whole release, for both reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.report.number_format import count, figure

if TYPE_CHECKING:
    from shoal.risk.gains import Gain


@dataclass(frozen=True, slots=True)
class GainTable:
    """The gains of one column, in words: for each level its number, its labels, the mean and the largest."""

    column: str
    rows: tuple[tuple[str, str, str, str], ...]


def gain_tables(found: Mapping[str, Sequence[Gain]]) -> tuple[GainTable, ...]:
    """Write the gains of each column."""
    return tuple(
        GainTable(
            name,
            tuple((str(of.level), count(of.labels), figure(of.mean), figure(of.most)) for of in of_levels),
        )
        for name, of_levels in found.items()
    )
