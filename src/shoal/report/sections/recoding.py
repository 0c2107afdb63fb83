"""What was chosen: each hierarchy as a ladder with its level, or how much the labels of each column cover."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from markupsafe import Markup

from shoal.draw.bars import Bar, BarGroup, bars, one_each
from shoal.draw.html import picture
from shoal.draw.ladder import ladder
from shoal.recode.by_entries import ByEntries
from shoal.recode.by_parts import EntriesByParts
from shoal.recode.label_widths import LabelWidths, Width, label_widths
from shoal.report.glossary import link
from shoal.report.markup import columns
from shoal.report.number_format import count, figure, percent
from shoal.report.sections.verdict import proof

if TYPE_CHECKING:
    from shoal.recode.released_levels import Ladder
    from shoal.release import Choice, Release

_COLUMNS_SHOWN = 12


@dataclass(frozen=True, slots=True)
class DrawnLadder:
    """One quasi-identifier and its hierarchy."""

    column: str
    picture: Markup
    words: str


@dataclass(frozen=True, slots=True)
class DrawnWidths:
    """One quasi-identifier, how much its labels cover, and the most frequent of them."""

    column: str
    picture: Markup
    frequent: tuple[tuple[str, str], ...]
    words: str


@dataclass(frozen=True, slots=True)
class Done:
    """The chosen recoding: ladders where it has levels to mark on them, the widths of labels otherwise."""

    ladders: tuple[DrawnLadder, ...]
    widths: tuple[DrawnWidths, ...]
    kind: str
    summary: str
    overlapping: Markup
    beside: Markup
    buckets: Markup | None
    averages: Markup
    became: Markup
    header: tuple[str, str, str]
    columns: tuple[Choice, ...]
    choices: str
    proof: Markup
    contributions: Markup | None
    measure: str


def done(release: Release) -> Done:
    """Draw what was chosen."""
    on_ladders = release.recoding.rungs is not None
    return Done(
        ladders=tuple(map(_drawn, release.ladders())) if on_ladders else (),
        widths=() if on_ladders else tuple(_widths(release)),
        kind=release.recoding.kind,
        summary=_summary(release),
        overlapping=columns(release.overlapping),
        beside=columns(release.columns_beside),
        buckets=_buckets(release),
        averages=columns([*release.averages]),
        became=_became(release),
        header=release.choice_header,
        columns=tuple(release.choices()),
        choices=_choices(release),
        proof=proof(release),
        contributions=_contributions(release),
        measure=release.explanation.measure,
    )


def _summary(release: Release) -> str:
    """Return what the strategy says of itself, within a sentence."""
    strategy = release.spec.recoding
    words = strategy.summary if strategy.name == release.recoding.kind else ""
    return f"{words[:1].lower()}{words[1:]}"


def _became(release: Release) -> Markup:
    """Return what values became: labels, averages or both."""
    averages = ["averages"] if release.averages else []
    others = len(release.averages) < len(release.spec.quasi_identifiers)
    return Markup(" or ").join([*([link("label", "labels")] if others else []), *averages])


def _buckets(release: Release) -> Markup | None:
    """Describe the buckets that a partition made, where its classes come from them."""
    if not isinstance(release.recoding, ByEntries | EntriesByParts) or release.recoding.buckets is None:
        return None
    column, words = release.recoding.buckets
    return Markup("To divide the rows, the values of <bdi>{}</bdi> were put into {}.").format(column, words)


def _drawn(rungs: Ladder) -> DrawnLadder:
    drawn = ladder(rungs.column, rungs.level, rungs.labels_per_level, rungs.shown)
    return DrawnLadder(
        rungs.column, picture(drawn), f"Level {rungs.level} of {rungs.height}: {level_words(rungs)}"
    )


def level_words(rungs: Ladder) -> str:
    """Describe what became of the values of a column.

    Examples
    --------
    >>> from shoal.recode.released_levels import Ladder
    >>> level_words(Ladder("age", 1, (40, 8, 1), 7, {}))
    '40 values became 8 labels, of which 7 are in the release.'
    >>> level_words(Ladder("sex", 0, (2, 1), 1, {}))
    '2 values, not generalized, of which 1 is in the release.'
    >>> level_words(Ladder("country", 0, (1, 1), 1, {}))
    'the column has one value only, so it distinguishes nobody.'
    """
    before, after = rungs.labels_per_level[0], rungs.labels_per_level[rungs.level]
    if not rungs.released:
        return "all rows are suppressed, so no label is in the release."
    if before == 1:
        return "the column has one value only, so it distinguishes nobody."
    if after == 1:
        return f"{count(before, 'value')} became one label, which distinguishes nobody."
    are = "is" if rungs.released == 1 else "are"
    part = "" if rungs.released == after else f", of which {count(rungs.released)} {are} in the release"
    if rungs.level == 0:
        return f"{count(before, 'value')}, not generalized{part}."
    return f"{count(before, 'value')} became {count(after, 'label')}{part}."


def _widths(release: Release) -> Iterator[DrawnWidths]:
    original = release.original
    starred = release.suppressed_rows if release.spec.suppressed == "star" else 0
    cells = release.recoding.cells(original.coded)
    for found in label_widths(original.coded, cells, original.lost, starred=starred):
        yield _drawn_widths(found)


def _drawn_widths(found: LabelWidths) -> DrawnWidths:
    shares = [(_width_name(width), width.rows / max(found.rows, 1)) for width in found.widths]
    drawn = bars(
        one_each("after", [(name, share, percent(share)) for name, share in shares]),
        f"Rows by how many values of {found.column} their labels cover",
    )
    return DrawnWidths(
        found.column,
        picture(drawn),
        tuple((label, count(rows)) for label, rows in found.frequent),
        _labels_words(found),
    )


def _width_name(width: Width) -> str:
    """Name labels by how much they cover.

    Examples
    --------
    >>> [_width_name(Width(least, most, 0)) for least, most in ((1, 1), (6, 20), (101, 1000))]
    ['1 value', '6 to 20', '101 to 1,000']
    """
    if width.unchanged:
        return "unchanged"
    if width.everything:
        return "everything"
    if width.least == width.most:
        return count(width.least, "value")
    return f"{count(width.least)} to {count(width.most)}"


def _labels_words(found: LabelWidths) -> str:
    if not found.rows:
        return "All rows are suppressed, so no label is in the release."
    if found.labels == len(found.frequent):
        return f"The release has {count(found.labels, 'label')}."
    return (
        f"The release has {count(found.labels, 'label')}; the {len(found.frequent)} most frequent are listed."
    )


def _choices(release: Release) -> str:
    """Describe how many choices of levels there are, and how many of them the spec allows."""
    columns = release.original.coded.columns
    every = prod(column.height + 1 for column in columns)
    allowed = prod(column.max_level - column.min_level + 1 for column in columns)
    if allowed == 1:
        return (
            "The spec allows this choice of levels alone."
            if every > 1
            else "There is no other choice of levels."
        )
    limited = "" if allowed == every else f", of which the spec allows {_many(allowed)}"
    return f"The hierarchies give {_many(every)} choices of levels{limited}."


def _many(number: int) -> str:
    return count(number) if number < 10**15 else f"about {number:.0e}"


def _contributions(release: Release) -> Markup | None:
    parts = release.explanation.contributions
    if not parts or len(parts) < 2 or not any(parts.values()):
        return None
    falling = sorted(parts.items(), key=lambda part: -part[1])
    groups = one_each("after", [(name, part, figure(part)) for name, part in falling[:_COLUMNS_SHOWN]])
    if rest := falling[_COLUMNS_SHOWN:]:
        together = f"{figure(sum(part for _, part in rest))} together"
        groups.append(BarGroup("", (Bar("baseline", f"{len(rest)} others", None, together),)))
    return picture(bars(groups, "Contribution of each column to the score", most=falling[0][1]))
