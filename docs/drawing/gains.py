"""How much more likely bands of wages are in classes, by bucketizer, as in `shoal bench partition`."""

from __future__ import annotations

from drawing.recodings import Chart
from shoal.bench.partition_figures import GAINS_K
from shoal.bench.partition_runs import BUCKETIZERS, run_partition
from shoal.data.wage import ROWS, Wages, draw_wages
from shoal.draw.lines import Line, lines
from shoal.search.problem import SearchProblem

WIDTHS = (20, 40, 80, 160)


def by_level(_: SearchProblem) -> Chart:
    """Draw rows of the shape of Wage, which are the same everywhere, and divide them by each bucketizer."""
    wages = Wages(draw_wages(ROWS), real=False)
    drawn = []
    for name in BUCKETIZERS:
        found = run_partition(wages, name, k=GAINS_K).gains[1 : len(WIDTHS) + 1]
        points = tuple((float(width), gain.mean * 100) for width, gain in zip(WIDTHS, found, strict=True))
        hints = tuple(f"{name}, bands of {width:g} thousand: {percent:.3g}%" for width, percent in points)
        drawn.append(Line(name, points, hints))
    chart = lines(
        drawn,
        title="Mean gain of bands of wages in 128 classes",
        x_title="width of the bands, in thousand dollars",
        y_title="mean gain in percent",
    )
    return Chart(chart.standalone())
