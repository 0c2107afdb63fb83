"""The figures of the Flash paper: optimizations, times, factors, memory and stability."""

from __future__ import annotations

import random
import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.bench import published
from shoal.bench.runs import Case, Run, algorithm, cases
from shoal.bench.table import duration, share, size, times

if TYPE_CHECKING:
    from shoal.bench.charts import Record

from shoal.bench.figure import (
    Numbers,
    Questions,
    SearchFigure,
    grouped,
    heading,
    panel_of,
    recorded,
    registered,
    span,
    spread,
    spreads,
    sweep,
    time_or_dash,
)

PAPER = "Kohlmayer et al., Flash, PASSAT 2012"
FAMILY = ("incognito", "ola", "flash", "box")
STEPS = {"none": "basic", "projection": "+ projection", "rollup": "+ roll-up", "history": "+ history"}
"""Not `all`, which does the same as the last one but may have run long before: these run in turn."""
PERMUTATIONS = 40


def optimizations(questions: Questions) -> SearchFigure:
    """The effect of the framework's optimizations, each added to those before it."""
    from shoal.bench import charts

    names = registered(("incognito", "ola", "flash"))
    settings = [
        questions.setting(k, suppression) for suppression in questions.shares for k in questions.sizes
    ]
    planned = [case for setting in settings for case in cases(setting, map(algorithm, names), tuple(STEPS))]

    def numbers(runs: Sequence[Run]) -> Numbers:
        seconds = {(r.case.setting, r.case.algorithm.name, r.case.optimizations): r.seconds for r in runs}
        records: list[Record] = []
        complete = [
            name for name in names if all((s, name, step) in seconds for s in settings for step in STEPS)
        ]
        for name in complete:
            for step, described in STEPS.items():
                mean = statistics.geometric_mean(
                    seconds[setting, name, step] / seconds[setting, name, "none"] for setting in settings
                )
                percent = mean * 100
                records.append(
                    recorded(name, charts.OURS, step=described, percent=percent, words=f"{percent:.0f}%")
                )
        cells = {(record["step"], record["algorithm"]): record["words"] for record in records}
        return Numbers(
            records=records,
            header=["optimizations", *complete],
            rows=[[step, *(cells[step, name] for name in complete)] for step in STEPS.values()],
        )

    what = (
        f"k = {', '.join(map(str, questions.sizes))}; suppression {', '.join(map(share, questions.shares))}"
    )
    return SearchFigure(
        name=f"{questions.data.name}-optimizations",
        title="Effect of the optimizations, each added to those before",
        data=questions.describe(what),
        source=f"Fig. 9 of {PAPER}",
        text="Geometric means of the time. The basic configuration, in which every check scans all tuples, "
        "is 100%.",
        cases=tuple(planned),
        numbers=numbers,
        chart=lambda records, figure: charts.bars(
            records, heading(figure), steps=tuple(STEPS.values()), y_title="Time, in percent of basic"
        ),
    )


def times_by_k(questions: Questions) -> SearchFigure:
    """Times for every k."""
    from shoal.bench import charts

    names = registered(FAMILY)

    def numbers(runs: Sequence[Run]) -> Numbers:
        records = [
            recorded(
                run.case.algorithm.name,
                charts.OURS,
                suppression=panel_of(run),
                k=run.case.setting.k,
                milliseconds=run.seconds * 1000,
            )
            for run in runs
        ]
        cells = {(r["suppression"], r["k"], r["algorithm"]): r["milliseconds"] / 1000 for r in records}
        return Numbers(
            records=records,
            header=["suppression", "k", *names],
            rows=[
                [
                    limit.removeprefix("suppression "),
                    str(k),
                    *(time_or_dash(cells.get((limit, k, n))) for n in names),
                ]
                for limit, k in dict.fromkeys((record["suppression"], record["k"]) for record in records)
            ],
        )

    return SearchFigure(
        name=f"{questions.data.name}-times-by-k",
        title="Search times for k from 2 to 10",
        data=questions.describe(questions.quality),
        source=f"Fig. 12 of {PAPER}",
        text="One thread, grouping the rows included. Box is what Shoal does by default.",
        cases=sweep(questions, names),
        numbers=numbers,
        chart=lambda records, figure: charts.lines(
            records,
            heading(figure),
            x="k",
            y="milliseconds",
            x_title="k",
            y_title="Milliseconds (log scale)",
            panels="suppression",
        ),
    )


def mean_times(questions: Questions) -> SearchFigure:
    """Least, mean and greatest time over all k."""
    from shoal.bench import charts

    def numbers(runs: Sequence[Run]) -> Numbers:
        records: list[Record] = []
        for (panel, name), own in grouped(runs, lambda run: (panel_of(run), run.case.algorithm.name)).items():
            seconds = [run.seconds for run in own]
            described = f"{span(seconds, duration)}, mean {duration(statistics.geometric_mean(seconds))}"
            records.append(
                spread(name, charts.OURS, [value * 1000 for value in seconds], described, suppression=panel)
            )
            limit = own[0].case.setting.suppression
            known = questions.beside(published.FLASH_SECONDS, limit) if name == "flash" else None
            if known:
                ends = [value * 1000 for value in known]
                described = f"{span(known, duration)} in Java, 2011"
                records.append(spread(name, charts.PUBLISHED, ends, described, suppression=panel, mean=False))
        return spreads(records, "suppression")

    return SearchFigure(
        name=f"{questions.data.name}-mean-times",
        title="Search times over k from 2 to 10: least, geometric mean (dot) and greatest",
        data=questions.describe(questions.quality),
        source=f"Fig. 13 and Fig. 14 of {PAPER}",
        text="Grey: the times of Flash as published, from a Java program on a desktop computer of 2011.",
        cases=sweep(questions, registered(FAMILY)),
        numbers=numbers,
        chart=lambda records, figure: charts.ranges(
            records, heading(figure), x_title="Milliseconds (log scale)", panels="suppression"
        ),
    )


def factors(questions: Questions) -> SearchFigure:
    """Times over those of Flash."""
    from shoal.bench import charts

    names = registered(("ola", "incognito", "box"))

    def numbers(runs: Sequence[Run]) -> Numbers:
        flash = {run.case.setting: run.seconds for run in runs if run.case.algorithm.name == "flash"}
        others = [run for run in runs if run.case.algorithm.name != "flash" and run.case.setting in flash]
        records: list[Record] = []
        for (panel, name), own in grouped(
            others, lambda run: (panel_of(run), run.case.algorithm.name)
        ).items():
            over = [run.seconds / flash[run.case.setting] for run in own]
            records.append(spread(name, charts.OURS, over, span(over, times), suppression=panel))
            limit = own[0].case.setting.suppression
            if published_range := questions.beside(published.FACTORS_OVER_FLASH, limit, name):
                described = f"{span(published_range, times)} published"
                records.append(
                    spread(name, charts.PUBLISHED, published_range, described, suppression=panel, mean=False)
                )
        return spreads(records, "suppression")

    return SearchFigure(
        name=f"{questions.data.name}-factors",
        title="Times over Flash's, for k from 2 to 10: least, geometric mean (dot) and greatest",
        data=questions.describe(questions.quality),
        source=f"Fig. 16 of {PAPER}",
        text="Below 1, on the left of the dashed line, is faster than Flash. Grey: as published.",
        cases=sweep(questions, (*registered(("flash",)), *names)) if registered(("flash",)) else (),
        numbers=numbers,
        chart=lambda records, figure: charts.ranges(
            records, heading(figure), x_title="Times Flash (log scale)", panels="suppression", reference=1.0
        ),
    )


def memory(questions: Questions) -> SearchFigure:
    """The most that the frequency sets held at one time."""
    from shoal.bench import charts

    def numbers(runs: Sequence[Run]) -> Numbers:
        records: list[Record] = []
        for name, own in grouped(runs, lambda run: run.case.algorithm.name).items():
            held = [run.counters.peak_bytes for run in own if run.counters.peak_bytes]
            if held:
                ends = [count / 1e6 for count in held]
                records.append(spread(name, charts.OURS, ends, span(held, size)))
            if published_range := questions.beside(published.MEMORY_MB, name):
                described = f"{span([ends * 1e6 for ends in published_range], size)} published"
                records.append(spread(name, charts.PUBLISHED, published_range, described, mean=False))
        return spreads(records)

    limits = ", ".join(map(share, questions.shares))
    return SearchFigure(
        name=f"{questions.data.name}-memory",
        title="Memory for k from 2 to 10: least, geometric mean (dot) and greatest",
        data=questions.describe(f"suppression {limits}"),
        source=f"Fig. 17 of {PAPER}",
        text="Ours is the most that all frequency sets held at one time, the grouped rows included. The "
        "published one, in grey, is that of a Java program with its data.",
        cases=sweep(questions, registered(("flash", "ola", "incognito", "box"))),
        numbers=numbers,
        chart=lambda records, figure: charts.ranges(
            records, heading(figure), x_title="Megabytes (log scale)"
        ),
    )


def stability(questions: Questions) -> SearchFigure:
    """Checks for permutations of the columns."""
    from shoal.bench import charts

    names = registered(("ola", "ola-stable", "flash"))
    k = sorted(questions.sizes)[len(questions.sizes) // 2]
    suppression = sorted(questions.shares)[len(questions.shares) // 2]
    drawn = random.Random(0)
    own = questions.data.table.names
    orders = dict.fromkeys([own, *(tuple(drawn.sample(own, len(own))) for _ in range(PERMUTATIONS - 1))])
    planned = [
        Case(setting=questions.setting(k, suppression, order), algorithm=algorithm(name), optimizations="all")
        for order in orders
        for name in names
    ]

    def numbers(runs: Sequence[Run]) -> Numbers:
        records: list[Record] = []
        rows: list[list[str]] = []
        problems: list[str] = []
        for name, some in grouped(runs, lambda run: run.case.algorithm.name).items():
            counts = [run.counters.checked for run in some]
            least, most = min(counts), max(counts)
            words = f"{name}: always {least:,}" if least == most else f"{name}: {least:,} to {most:,}"
            records += [
                recorded(
                    name, charts.OURS, order=" ".join(run.case.setting.columns), checks=count, words=words
                )
                for run, count in zip(some, counts, strict=True)
            ]
            rows.append(
                [name, f"{len(counts)}", f"{least:,}", f"{statistics.median(counts):,.0f}", f"{most:,}"]
            )
            if least != most and name != "ola":
                problems.append(
                    f"{name} must not depend on the order of the columns.\n"
                    f"Checks with {questions.data.name}, k = {k}, suppression {share(suppression)}: "
                    f"{least:,} to {most:,}."
                )
        header = ["algorithm", "orders", "least checks", "median", "most checks"]
        return Numbers(records=records, header=header, rows=rows, problems=problems)

    return SearchFigure(
        name=f"{questions.data.name}-stability",
        title=f"Checks for {len(orders)} orders of the same columns",
        data=questions.describe(f"k = {k}, suppression {share(suppression)}"),
        source=f"Fig. 15 of {PAPER}",
        text="Each tick is one order of the columns. Flash and OLA in Flash's order do the same work for "
        "all; OLA in its natural order does not. (The paper draws estimated times of all orders; these are "
        "counts, of a sample.)",
        cases=tuple(planned),
        numbers=numbers,
        chart=lambda records, figure: charts.strips(
            records, heading(figure), x_title="Checks: nodes whose frequency set was computed"
        ),
        once=True,
    )
