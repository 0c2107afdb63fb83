"""The neighbours of the chosen levels, and why they lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from shoal.draw.html import picture
from shoal.report.number_format import count, figure
from shoal.report.sections.verdict import proof

if TYPE_CHECKING:
    from shoal.explore.lattice_drawing import LatticePicture
    from shoal.explore.neighbours import Neighbour
    from shoal.release import Release


@dataclass(frozen=True, slots=True)
class NeighbourRow:
    """One neighbour, in words."""

    column: str
    step: str
    suppressed: str
    score: str
    reason: str


@dataclass(frozen=True, slots=True)
class Neighbours:
    """All of them."""

    rows: tuple[NeighbourRow, ...]
    proof: Markup
    lattice: Markup | None
    lattice_words: str


def neighbours(release: Release, found: Sequence[Neighbour], lattice: LatticePicture | None) -> Neighbours:
    """Put the neighbours into a table, and the lattice beside them."""
    return Neighbours(
        rows=tuple(map(_row, found)),
        proof=proof(release) + (_BLIND if release.spec.choose_by == "quasi-identifiers" else ""),
        lattice=None if lattice is None else picture(lattice.canvas),
        lattice_words="" if lattice is None else lattice.render(),
    )


_BLIND = " The table and the lattice leave models of sensitive columns out too."


def _row(neighbour: Neighbour) -> NeighbourRow:
    return NeighbourRow(
        column=neighbour.column,
        step=f"{neighbour.level - neighbour.step} → {neighbour.level}",
        suppressed=count(neighbour.suppressed_rows),
        score="-" if neighbour.score is None else figure(neighbour.score),
        reason=neighbour.reason,
    )
