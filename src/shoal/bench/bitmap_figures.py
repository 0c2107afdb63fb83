"""The figure of the bitmap paper: bitmaps against group-by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from shoal.bench.runs import Case, Data, Run, algorithm
from shoal.search.node_checker import Framework
from shoal.search.result import SearchAlgorithm

if TYPE_CHECKING:
    pass

from shoal.bench.figure import (
    PAPER_K,
    Numbers,
    Questions,
    SearchFigure,
    heading,
    recorded,
    registered,
    time_or_dash,
)

PAPER = "Kang et al., Bitmap Based Incognito, 2007"
BITMAP = "bitmap-incognito"
BITMAP_LEVELS = (3, 3, 2, 4)
"""How many levels the four columns of the bitmap paper have."""

_SWITCHES = ("one_level", "reusing", "pruning")
_VARIANTS = {
    "bitmap, none": (False, False, False),
    "bitmap, 1-level": (True, False, False),
    "bitmap, reusing": (False, True, False),
    "bitmap, pruning": (False, False, True),
    "bitmap, all three": (True, True, True),
}


def bitmaps(questions: Questions) -> SearchFigure:
    """Bitmaps against frequency sets, with four columns."""
    from shoal.bench import charts

    planned: list[Case] = []
    chosen = _columns_with(questions.data, BITMAP_LEVELS)
    if registered((BITMAP, "incognito")) == (BITMAP, "incognito"):
        bitmap, grouping = cast(Any, algorithm(BITMAP)), cast(Any, algorithm("incognito"))
        contenders: dict[str, SearchAlgorithm] = {
            "group-by, basic": replace(grouping, framework=Framework.basic()),
            "group-by, optimized": grouping,
        }
        for label, switches in _VARIANTS.items():
            contenders[label] = replace(bitmap, **dict(zip(_SWITCHES, switches, strict=True)))
        planned = [
            Case(setting=questions.setting(k, 0.0, chosen), algorithm=contender, optimizations=label)
            for k in PAPER_K
            for label, contender in contenders.items()
        ]

    def numbers(runs: Sequence[Run]) -> Numbers:
        records = [
            recorded(
                run.case.optimizations, charts.OURS, k=run.case.setting.k, milliseconds=run.seconds * 1000
            )
            for run in runs
        ]
        names = list(dict.fromkeys(record["algorithm"] for record in records))
        cells = {(record["k"], record["algorithm"]): record["milliseconds"] / 1000 for record in records}
        return Numbers(
            records=records,
            header=["k", *names],
            rows=[
                [str(k), *(time_or_dash(cells.get((k, name))) for name in names)]
                for k in dict.fromkeys(record["k"] for record in records)
            ],
        )

    return SearchFigure(
        name=f"{questions.data.name}-bitmaps",
        title="Incognito with bitmaps and with frequency sets (group-by)",
        data=questions.describe(f"no suppression; {', '.join(chosen)}"),
        source=f"Fig. 14 of {PAPER}",
        text="Four columns with as many levels as the paper's, or as near as there are. The paper's group-by "
        "is that of a database on disk; here both work in memory on coded rows.",
        cases=tuple(planned),
        numbers=numbers,
        chart=lambda records, figure: charts.lines(
            records,
            heading(figure),
            x="k",
            y="milliseconds",
            x_title="k",
            y_title="Milliseconds (log scale)",
        ),
    )


def _columns_with(data: Data, levels: Sequence[int]) -> tuple[str, ...]:
    """Return columns with these numbers of levels, or the nearest, each of them once.

    The smaller ones first where several are as near: bitmaps are for few values.
    """
    left = list(data.table.columns)
    chosen = []
    for wanted in levels[: len(left)]:
        best = min(
            left, key=lambda c: (abs(c.max_level - c.min_level + 1 - wanted), len(c.labels[c.min_level]))
        )
        left.remove(best)
        chosen.append(best.name)
    return tuple(chosen)
