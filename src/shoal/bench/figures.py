"""All figures of the papers that can be drawn from our own runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shoal.bench.bitmap_figures import bitmaps
from shoal.bench.figure import Questions, SearchFigure
from shoal.bench.flash_figures import factors, mean_times, memory, optimizations, stability, times_by_k
from shoal.bench.incognito_figures import nodes_searched, times_by_columns
from shoal.bench.runs import Bench, Setting


def plan(bench: Bench, settings: Sequence[Setting]) -> list[SearchFigure]:
    """Return the figures of all data sets asked for, but for those whose algorithms are not there."""
    found: list[SearchFigure] = []
    for name in dict.fromkeys(setting.data for setting in settings):
        own = [setting for setting in settings if setting.data == name]
        questions = Questions(
            data=bench.data(name),
            sizes=tuple(dict.fromkeys(setting.k for setting in own)),
            shares=tuple(dict.fromkeys(setting.suppression for setting in own)),
            quality=own[0].quality,
            resized=bench.rows is not None,
        )
        # The Incognito paper counts on more rows of the adult data than the others.
        larger = name == "adult" and bench.rows is None
        by_columns = replace(questions, data=bench.data("adult45222")) if larger else questions
        found += [nodes_searched(by_columns), times_by_columns(by_columns)]
        found += [optimizations(questions), times_by_k(questions), mean_times(questions)]
        found += [factors(questions), memory(questions), stability(questions), bitmaps(questions)]
    return [figure for figure in found if figure.cases]
