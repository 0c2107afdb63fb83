"""The figures of the distributed Incognito paper: phases, workers, gains, and what models learn."""

from __future__ import annotations

import math
import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from shoal.bench.figure import Figure, Numbers, Statement, heading
from shoal.bench.partition_runs import BETA, BUCKETIZERS, PHASES, PartitionRun, T, run_partition
from shoal.bench.table import duration, times
from shoal.data.wage import Wages

if TYPE_CHECKING:
    from shoal.bench.charts import Chart, Record

PAPER = "distributed Incognito, IEEE Big Data Congress 2017"
TITLE = "The bucketizers of partition, compared"
LEAD = (
    "Drawn by shoal bench partition --figures from runs on one computer. Under each figure is what the paper "
    "says of its own, and whether that holds here. Machines and programs differ: compare trends and ratios."
)
PAPERS = ("t-closeness", "beta-likeness", "incognito")
"""The bucketizers that the paper compares; `value` is ours."""

SIZES_K = 50
"""Of the figures of times."""

GAINS_K = 16
"""Of the figure of gains: 3,000 rows make 128 classes."""

_DIVIDED = (
    "All bucketizers divide along the same curve (divide: curve), and k-anonymity alone stops them, so that "
    "they make about as many classes: the paper sets its thresholds for that."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionFigure(Figure):
    """A figure whose numbers are measured when they are wanted."""

    measure: Callable[[], Numbers]


def plan(wages: Wages, most: int, names: Sequence[str]) -> list[PartitionFigure]:
    """Return some figures; `most` is the number of rows of the largest table that is drawn for the times."""
    figures: Mapping[str, Callable[[], PartitionFigure]] = {
        "phases": partial(phases, wages, most),
        "workers": partial(workers, wages, most),
        "gains": partial(gained, wages),
        "errors": partial(learned, wages),
    }
    return [figures[name]() for name in names]


def phases(wages: Wages, most: int) -> PartitionFigure:
    """Seconds of each phase, by the number of rows."""
    sizes = _sizes(most)

    def measure() -> Numbers:
        run_partition(wages.drawn_again(1000), "value", k=SIZES_K)  # so that no run pays for imports
        runs = [
            run_partition(drawn, bucketizer, k=SIZES_K, clock=time.process_time)
            for drawn in map(wages.drawn_again, sizes)
            for bucketizer in BUCKETIZERS
        ]
        return Numbers(
            records=[
                _record(run.bucketizer, phase=phase, rows=run.rows, seconds=seconds)
                for run in runs
                for phase, seconds in run.seconds.items()
            ],
            header=["rows", "buckets by", "buckets", "classes", *PHASES, "all"],
            rows=[
                [
                    f"{run.rows:,}",
                    run.bucketizer,
                    f"{run.buckets:,}",
                    f"{run.classes:,}",
                    *map(duration, run.seconds.values()),
                    duration(run.total),
                ]
                for run in runs
            ],
            statements=tuple(_of_phases(runs, sizes)),
        )

    return PartitionFigure(
        name="partition-phases",
        title="CPU seconds of each phase, by the number of rows",
        data=f"{wages.description} drawn again with jitter, k = {SIZES_K}, one thread of the kernel",
        source=f"Fig. 5 of {PAPER}",
        text=f"{_DIVIDED} The paper's are 1 to 100 GB on 11 machines with Spark. Group: read the columns and "
        "count equal rows. Its second phase, which finds the sizes of the classes, is part of dividing here. "
        "The last phase is all that follows, with two audits, of the rows and of the written file, which the "
        "paper has none of.",
        measure=measure,
        chart=_lines(
            x="rows",
            y="seconds",
            x_title="Rows (log scale)",
            y_title="CPU seconds (log scale)",
            panels="phase",
            logarithmic_x=True,
        ),
    )


def _of_phases(runs: Sequence[PartitionRun], sizes: Sequence[int]) -> Iterator[Statement]:
    found = {(run.bucketizer, run.rows): run for run in runs}
    largest = sizes[-1]
    if len(sizes) > 1:
        rows = largest / sizes[-2]
        growth = {name: found[name, largest].total / found[name, sizes[-2]].total for name in PAPERS}
        yield Statement(
            words="The time grows linearly: no faster than the data.",
            holds=all(math.log(each, rows) <= 1.2 for each in growth.values()),
            found=f"{times(rows)} the rows take {_each(growth, times)} the time.",
        )
    buckets = {name: found[name, largest].seconds["buckets"] for name in PAPERS}
    yield Statement(
        words="Buckets take about the same time by all three.",
        holds=max(buckets.values()) <= 2 * min(buckets.values()),
        found=f"At {largest:,} rows {_each(buckets, duration)}.",
    )
    for other, percent in (("t-closeness", 75), ("beta-likeness", 35)):
        less = statistics.mean(
            1 - found["incognito", size].total / found[other, size].total for size in sizes
        )
        yield Statement(
            words=f"On average incognito is {percent}% better than {other}.",
            holds=less * 100 >= percent,
            found=f"It takes {abs(less):.0%} {'less' if less >= 0 else 'more'} time.",
        )


def workers(wages: Wages, most: int) -> PartitionFigure:
    """Seconds by the number of threads."""
    processors = os.cpu_count() or 1
    counts = sorted({*(2**power for power in range(processors.bit_length())), processors})

    def measure() -> Numbers:
        drawn = wages.drawn_again(most)
        run_partition(wages.drawn_again(1000), "value", k=SIZES_K)
        runs = [
            run_partition(drawn, bucketizer, k=SIZES_K, threads=threads)
            for threads in counts
            for bucketizer in BUCKETIZERS
        ]
        return Numbers(
            records=[
                _record(run.bucketizer, phase=phase, threads=run.threads, seconds=seconds)
                for run in runs
                for phase, seconds in (("divide", run.seconds["divide"]), ("all phases", run.total))
            ],
            header=["threads", "buckets by", "divide", "all"],
            rows=[
                [str(run.threads), run.bucketizer, duration(run.seconds["divide"]), duration(run.total)]
                for run in runs
            ],
            statements=tuple(_of_workers(runs, counts)),
        )

    return PartitionFigure(
        name="partition-workers",
        title="Seconds by the number of threads",
        data=f"{wages.description} drawn again with jitter, {most:,} rows, k = {SIZES_K}",
        source=f"Fig. 6 of {PAPER}",
        text="The paper has 1 to 11 machines with Spark. Here it is threads of the kernel on one computer "
        f"with {processors} processor{'s' * (processors > 1)}. They divide the rows; nothing else depends on "
        "them, since queries of the audit use all processors anyway, and the rest uses one.",
        measure=measure,
        chart=_lines(
            x="threads",
            y="seconds",
            x_title="Threads",
            y_title="Seconds (log scale)",
            panels="phase",
        ),
    )


def _of_workers(runs: Sequence[PartitionRun], counts: Sequence[int]) -> Iterator[Statement]:
    if len(counts) < 2:
        return
    found = {(run.bucketizer, run.threads): run for run in runs}
    few, many = counts[0], counts[-1]
    pairs = [(name, found[name, few], found[name, many]) for name in PAPERS]
    divided = {name: more.seconds["divide"] / fewer.seconds["divide"] for name, fewer, more in pairs}
    whole = {name: more.total / fewer.total for name, fewer, more in pairs}
    yield Statement(
        words="All three become faster with more workers, up to seven of them.",
        holds=max(whole.values()) < 0.9,
        found=f"With {many} threads dividing takes {_each(divided, times)} the time of one, and all phases "
        f"{_each(whole, times)}.",
    )


def gained(wages: Wages) -> PartitionFigure:
    """The mean gain of wages in classes, by level of their taxonomy."""

    def measure() -> Numbers:
        runs = [run_partition(wages, bucketizer, k=GAINS_K) for bucketizer in BUCKETIZERS]
        counts = {run.bucketizer: run.classes for run in runs}
        problems = []
        if len(set(counts.values())) > 1:
            problems.append(f"The bucketizers must make as many classes.\nFound: {_each(counts, str)}.")
        means = {run.bucketizer: [each.mean for each in run.gains[:-1]] for run in runs}
        levels = range(len(runs[0].gains) - 1)
        return Numbers(
            records=[
                _record(
                    run.bucketizer,
                    level=each.level,
                    percent=each.mean * 100,
                    most_percent=each.most * 100,
                    classes=run.classes,
                )
                for run in runs
                for each in run.gains[:-1]
            ],
            header=["buckets by", "buckets", "classes", *(f"level {level}" for level in levels)],
            rows=[
                [
                    run.bucketizer,
                    f"{run.buckets:,}",
                    f"{run.classes:,}",
                    *(_percent(mean) for mean in means[run.bucketizer]),
                ]
                for run in runs
            ],
            problems=problems,
            statements=tuple(_of_gains(means)),
            notes=(_best(means),),
        )

    return PartitionFigure(
        name="partition-gains",
        title="How much more likely a wage is in its class than in the table: mean gain over rows",
        data=f"{wages.description}, {wages.table.num_rows:,} rows, k = {GAINS_K}, beta = {BETA}, t = {T}",
        source=f"Fig. 7 of {PAPER}",
        text="Level 0 is the wages themselves, which the paper calls level 5; levels 1 to 4 are bands of 20, "
        "40, 80 and 160 thousand dollars. The gain is the share of a row's wage in its class / that in the "
        "table - 1, and the mean is over all rows; the paper does not say how it weighs its mean. "
        f"{_DIVIDED} So no class is held to beta = {BETA}: a wage that one man of 3,000 has would need "
        "classes of 750 rows.",
        measure=measure,
        chart=_lines(
            x="level",
            y="percent",
            x_title="Level of the taxonomy",
            y_title="Mean gain, in percent (log scale)",
        ),
    )


def _of_gains(means: Mapping[str, Sequence[float]]) -> Iterator[Statement]:
    levels = range(len(means["incognito"]))
    above = levels[1:]

    def written(level: int, names: Sequence[str] = PAPERS) -> str:
        return _each({name: means[name][level] for name in names}, _percent)

    behind = [
        level
        for level in levels
        if means["incognito"][level] > min(means[other][level] for other in ("t-closeness", "beta-likeness"))
    ]
    yield Statement(
        words="At every level incognito has the least gain of the three.",
        holds=not behind,
        found="It has."
        if not behind
        else " ".join(f"Not at level {level}: {written(level)}." for level in behind),
    )
    yield Statement(
        words="For the values themselves t-closeness does worst, since it bounds no single value.",
        holds=means["t-closeness"][0] == max(means[name][0] for name in PAPERS),
        found=f"{written(0)}.",
    )
    yield Statement(
        words="Above the values t-closeness and incognito, which know the taxonomy, beat beta-likeness.",
        holds=all(
            means["beta-likeness"][level] == max(means[name][level] for name in PAPERS) for level in above
        ),
        found=" ".join(f"Level {level}: {written(level)}." for level in above),
    )
    for other, percent in (("t-closeness", 40), ("beta-likeness", 45)):
        less = statistics.mean(
            1 - means["incognito"][level] / means[other][level] for level in levels if means[other][level] > 0
        )
        yield Statement(
            words=f"On average over all levels incognito is {percent}% better than {other}.",
            holds=less * 100 >= percent,
            found=f"Its gain is {abs(less):.0%} {'less' if less >= 0 else 'more'}.",
        )


def _best(means: Mapping[str, Sequence[float]]) -> str:
    """Return where a bucket for each value, which the paper does not have, does best of all."""
    levels = range(len(means["value"]))
    best = [level for level in levels if means["value"][level] == min(of[level] for of in means.values())]
    where = f"at level {', '.join(map(str, best))}" if best else "at no level"
    return f"A bucket for each value, which the paper does not have, has the least gain of all {where}."


def learned(wages: Wages) -> PartitionFigure:
    """The errors of five models of wages."""
    from shoal.bench.learned_wages import BETA as LIKENESS
    from shoal.bench.learned_wages import KINDS, NOTHING, K, learn_wages

    def measure() -> Numbers:
        found = learn_wages(wages.table)
        models = list(dict.fromkeys(model for model, _ in found.errors))
        percents = {who: error * 100 for who, error in found.errors.items()}
        percents |= {(model, NOTHING): found.nothing * 100 for model in models}
        return Numbers(
            records=[
                _record(kind, step=model, percent=percents[model, kind], words=f"{percents[model, kind]:.1f}")
                for model in models
                for kind in (*KINDS, NOTHING)
            ],
            header=["model", *KINDS, NOTHING],
            rows=[
                [model, *(f"{percents[model, kind]:.1f}%" for kind in (*KINDS, NOTHING))] for model in models
            ],
            statements=tuple(_of_errors(found.errors, models)),
            notes=(_between(found.errors, models, found.classes),),
        )

    return PartitionFigure(
        name="partition-errors",
        title="Mean absolute percentage error of models that predict the wage",
        data=f"{wages.description}, {wages.table.num_rows:,} rows, k = {K}, beta = {LIKENESS} for bands",
        source=f"Fig. 8 of {PAPER}",
        text="Five folds: each model learns from four of them, as they are or as a release has them, and "
        "predicts the wages of the original rows of the fifth. Both recodings keep the same two privacy "
        "models; 'no quasi-identifier' always predicts the mean. The paper compares releases of its three "
        "algorithms, and does not say whether it predicts released rows or original ones.",
        measure=measure,
        chart=_bars,
    )


def _of_errors(errors: Mapping[tuple[str, str], float], models: Sequence[str]) -> Iterator[Statement]:
    worse = [
        f"{model} from {kind}"
        for model in models
        for kind in ("partition", "full-domain")
        if errors[model, kind] <= errors[model, "original"]
    ]
    yield Statement(
        words="Every model errs more after anonymized data than after the original.",
        holds=not worse,
        found="They do." if not worse else f"Not so: {', '.join(worse)}.",
    )


def _between(
    errors: Mapping[tuple[str, str], float], models: Sequence[str], classes: Mapping[str, float]
) -> str:
    less = [model for model in models if errors[model, "partition"] < errors[model, "full-domain"]]
    more = [model for model in models if model not in less]
    return (
        f"Partition made {classes['partition']:.0f} classes, full-domain {classes['full-domain']:.0f}. "
        f"Smaller errors after partition: {', '.join(less) or 'none'}. "
        f"After full-domain: {', '.join(more) or 'none'}."
    )


def _record(name: str, **numbers: object) -> Record:
    return {"algorithm": name, **numbers}


def _lines(**axes: Any) -> Callable[[Sequence[Record], Figure], Chart]:
    def chart(records: Sequence[Record], figure: Figure) -> Chart:
        from shoal.bench import charts

        return charts.lines(records, heading(figure), **axes)

    return chart


def _bars(records: Sequence[Record], figure: Figure) -> Chart:
    from shoal.bench import charts

    return charts.bars(
        records,
        heading(figure),
        steps=tuple(dict.fromkeys(record["step"] for record in records)),
        y_title="Mean absolute percentage error",
    )


def _sizes(most: int) -> list[int]:
    """Return powers of ten up to a number of rows, and that itself.

    Examples
    --------
    >>> _sizes(100_000), _sizes(30_000), _sizes(500)
    ([10000, 100000], [10000, 30000], [500])
    """
    sizes = [10**power for power in range(4, 10) if 10**power < most]
    return [*sizes, most]


def _percent(mean: float) -> str:
    """Return a share in percent, with three digits or all before the point.

    Examples
    --------
    >>> _percent(20.667), _percent(0.00299)
    ('2,067%', '0.299%')
    """
    return f"{mean * 100:,.0f}%" if mean >= 1 else f"{mean * 100:.3g}%"


def _each(values: Mapping[str, float], written: Callable[[float], str]) -> str:
    """Return what each has, in words.

    Examples
    --------
    >>> _each({"value": 1, "incognito": 2}, str)
    '1 (value), 2 (incognito)'
    """
    return ", ".join(f"{written(value)} ({name})" for name, value in values.items())
