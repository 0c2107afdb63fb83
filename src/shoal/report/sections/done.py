"""What was done: each hierarchy as a ladder with the chosen level, and where the score comes from."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from markupsafe import Markup

from shoal.draw.bars import Bar, BarGroup, bars, one_each
from shoal.draw.ladder import ladder
from shoal.report.markup import picture
from shoal.report.sections.verdict import proof
from shoal.report.words import count, figure

if TYPE_CHECKING:
    from shoal.recode.ladder import Ladder
    from shoal.release import Release

_COLUMNS_SHOWN = 12


@dataclass(frozen=True, slots=True)
class DrawnLadder:
    """One quasi-identifier and its hierarchy."""

    column: str
    picture: Markup
    words: str


@dataclass(frozen=True, slots=True)
class Done:
    """The choice of levels."""

    ladders: tuple[DrawnLadder, ...]
    choices: str
    proof: Markup
    contributions: Markup | None
    measure: str


def done(release: Release) -> Done:
    """Draw what was chosen."""
    choices = prod(height + 1 for height in release.heights.values())
    return Done(
        ladders=tuple(map(_drawn, release.ladders())),
        choices="There is no other choice of levels."
        if choices == 1
        else f"There are {count(choices)} ways to choose the levels."
        if choices < 10**15
        else f"There are about {choices:.0e} ways to choose the levels.",
        proof=proof(release),
        contributions=_contributions(release),
        measure=release.explanation.measure,
    )


def _drawn(rungs: Ladder) -> DrawnLadder:
    drawn = ladder(rungs.column, rungs.level, rungs.labels_per_level, rungs.shown)
    before, after = rungs.labels_per_level[0], rungs.labels_per_level[rungs.level]
    if rungs.level == 0:
        words = f"Level 0 of {rungs.height}: released as it was."
    elif after == 1:
        words = (
            f"Level {rungs.level} of {rungs.height}: every value is the same now, the column tells nothing."
        )
    else:
        words = (
            f"Level {rungs.level} of {rungs.height}: {count(before, 'value')} became {count(after, 'label')}."
        )
    return DrawnLadder(rungs.column, picture(drawn), words)


def _contributions(release: Release) -> Markup | None:
    parts = release.explanation.contributions
    if not parts or len(parts) < 2 or not any(parts.values()):
        return None
    falling = sorted(parts.items(), key=lambda part: -part[1])
    groups = one_each("after", [(name, part, figure(part)) for name, part in falling[:_COLUMNS_SHOWN]])
    if rest := falling[_COLUMNS_SHOWN:]:
        together = f"{figure(sum(part for _, part in rest))} together"
        groups.append(BarGroup("", (Bar("baseline", f"{len(rest)} others", None, together),)))
    return picture(bars(groups, "Part of each column in the score", most=falling[0][1]))
