"""Which rows were suppressed, by the labels that the release has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.report.number_format import count, percent
from shoal.report.sections.requirements import may_suppress

if TYPE_CHECKING:
    from shoal.recode.released_levels import LabelLoss
    from shoal.release import Release

_LABELS_SHOWN = 8


@dataclass(frozen=True, slots=True)
class LossRow:
    """What became of the rows with a label."""

    label: str | None
    kept: str
    suppressed: str
    share: str


@dataclass(frozen=True, slots=True)
class ColumnLosses:
    """A quasi-identifier, and the labels that suppressed rows had."""

    column: str
    rows: tuple[LossRow, ...]
    more: str


@dataclass(frozen=True, slots=True)
class Suppression:
    """How many rows were suppressed, and which labels they had."""

    summary: str
    columns: tuple[ColumnLosses, ...]


def suppression(release: Release) -> Suppression:
    """Describe which labels suppressed rows had."""
    return Suppression(_summary(release), tuple(_columns(release)) if release.suppressed_rows else ())


def _summary(release: Release) -> str:
    limit = release.spec.suppression if may_suppress(release.spec) else 0
    allowed = f"the limit is {percent(limit)}" if limit else "none may be"
    if not release.suppressed_rows:
        return f"No row was suppressed; {allowed}."
    share = percent(release.suppressed_rows / release.rows)
    were = "was" if release.suppressed_rows == 1 else "were"
    done = (
        "Such rows are not in the release."
        if release.spec.suppressed == "remove"
        else "Such rows are released with * in every quasi-identifier; their other columns are not "
        "generalized."
    )
    rows = count(release.suppressed_rows)
    return f"{rows} of {count(release.rows, 'row')} ({share}) {were} suppressed; {allowed}. {done}"


def _columns(release: Release) -> Iterator[ColumnLosses]:
    coded = release.original.coded
    cells = dict(zip(coded.names, release.recoding.cells(coded), strict=True))
    for name, losses in release.suppression().items():
        # Of a column with one label it is known already.
        if len(cells[name].labels) > 1 and losses[0].label is not None:
            yield _column(name, losses)


def _column(name: str, losses: Sequence[LabelLoss]) -> ColumnLosses:
    named = [loss for loss in losses if loss.label is not None]
    others = [loss for loss in losses if loss.label is None]
    more = len(named) - _LABELS_SHOWN
    return ColumnLosses(
        name,
        tuple(map(_row, [*named[:_LABELS_SHOWN], *others])),
        f"{count(more, 'more label')} of suppressed rows {'is' if more == 1 else 'are'} not listed."
        if more > 0
        else "",
    )


def _row(loss: LabelLoss) -> LossRow:
    return LossRow(
        loss.label,
        count(loss.kept),
        count(loss.suppressed),
        percent(loss.suppressed / (loss.kept + loss.suppressed)),
    )
