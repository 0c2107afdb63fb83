"""Does the family of search algorithms keep what it promises about speed? Two ratios, in one run.

1. Flash against a plain hash group-by per check: for exactly the nodes that Flash checks, the generalized
   codes of all rows are packed into one 64-bit key per row and grouped by a hash aggregation, the quickest of
   several libraries with one thread each. Generalizing the rows is not even timed, packing is. Wanted: at
   most 1/10.
2. Every algorithm with its optimizations against itself without any (bitmaps: on four columns). Wanted: at
   most 1.

What is compared runs in turn, so that a noisy moment hits all alike; ratios are the median over the turns.
Beside it stands the ratio of the best times, which noise can only spoil if it never pauses.

Usage: python benchmarks/family.py [--data adult] [--k 5] [--suppression 0.02] [--repeat 5] [--nodes 150]

Real data are found through SHOAL_DATA (default ../shared/datasets); what is not there is generated.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence

os.environ.setdefault("POLARS_MAX_THREADS", "1")  # before it is imported

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from shoal import registry
from shoal.bench.runs import algorithm, configured, switches_of
from shoal.data import find_benchmark, load_benchmark
from shoal.encode.table import CodedTable
from shoal.privacy.k_anonymity import KAnonymity
from shoal.search.algorithms.flash import Flash
from shoal.search.node_checker import Framework
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchAlgorithm

WANTED_OF_FLASH = 1 / 10
LONG = 1.0  # seconds; what takes longer takes fewer turns
FOUR_COLUMNS = ("marital-status", "workclass", "sex", "education")  # 3, 3, 2, 4 levels as in the bitmap paper

Keys = NDArray[np.int64]
Counts = NDArray[np.int64]


def by_arrow(keys: Keys) -> Counts:
    return pc.value_counts(pa.array(keys)).field("counts").to_numpy()


def by_pandas(keys: Keys) -> Counts:
    return np.bincount(pd.factorize(keys)[0])


def by_polars(keys: Keys) -> Counts:
    return pl.Series("key", keys).value_counts()["count"].to_numpy()


def by_duckdb(keys: Keys) -> Counts:
    packed = pa.table({"key": keys})  # noqa: F841 (DuckDB finds it by its name)
    return duckdb.sql("SELECT count(*) AS n FROM packed GROUP BY key").fetchnumpy()["n"]


ENGINES: dict[str, Callable[[Keys], Counts]] = {
    "pyarrow value_counts": by_arrow,
    "pandas factorize": by_pandas,
    "polars value_counts": by_polars,
    "DuckDB GROUP BY": by_duckdb,
}


class Packer:
    """Makes one key per row and node, from codes that are generalized beforehand."""

    def __init__(self, table: CodedTable) -> None:
        self.rows = table.rows
        self.codes = [
            [np.ascontiguousarray(level_map[column.codes], dtype=np.int64) for level_map in column.maps]
            for column in table.columns
        ]
        self.labels = [[len(labels) for labels in column.labels] for column in table.columns]

    def keys(self, levels: Sequence[int | None]) -> Keys:
        keys = np.zeros(self.rows, dtype=np.int64)
        for codes, labels, level in zip(self.codes, self.labels, levels, strict=True):
            assert level is not None
            if labels[level] > 1:
                keys *= labels[level]
                keys += codes[level]
        return keys


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def group_by_per_check(
    problem_of: Callable[[str], SearchProblem], repeat: int, nodes: int, quality: str
) -> Table:
    """Compare Flash with grouping the rows anew for each node that it checks."""
    recorded = Flash(Framework(record=True)).search(problem_of(quality))
    checks = [check.levels for check in recorded.checks]
    chosen = checks[:: max(1, len(checks) // nodes)]
    packer = Packer(problem_of(quality).table)
    packed = [packer.keys(levels) for levels in chosen]
    for engine in ENGINES.values():  # all give the same classes; this also warms them up
        for keys in packed[:3]:
            assert sorted(engine(keys)) == sorted(np.unique(keys, return_counts=True)[1])

    turns: list[dict[str, float]] = []
    for _ in range(repeat):
        turn = {"flash": Flash().search(problem_of(quality)).counters.seconds}
        turn["packing"] = seconds(lambda: [packer.keys(levels) for levels in chosen])
        for name, engine in ENGINES.items():
            turn[name] = seconds(lambda engine=engine: [engine(keys) for keys in packed])  # type: ignore[misc]
        turns.append(turn)

    scale = len(checks) / len(chosen)
    flash = statistics.median(turn["flash"] for turn in turns)
    table = Table(
        title=f"Flash: {len(checks):,} checks in {flash * 1000:.1f} ms, F0 included. The same nodes by a "
        f"hash group-by of all rows ({len(chosen)} of them timed):",
        title_justify="left",
    )
    for heading in ("group-by", "ms per node", "all nodes, ms", "Flash / group-by", "(grouping alone)"):
        table.add_column(heading, justify="left" if heading == "group-by" else "right")

    def whole(turn: dict[str, float], name: str) -> float:
        return (turn["packing"] + turn[name]) * scale

    quickest = min(ENGINES, key=lambda name: statistics.median(whole(turn, name) for turn in turns))
    for name in ENGINES:
        total = statistics.median(whole(turn, name) for turn in turns)
        ratio = statistics.median(turn["flash"] / whole(turn, name) for turn in turns)
        alone = statistics.median(turn["flash"] / (turn[name] * scale) for turn in turns)
        verdict = f", {kept(ratio <= WANTED_OF_FLASH)}" if name == quickest else ""
        table.add_row(
            f"{name} (the quickest)" if name == quickest else name,
            f"{total / len(checks) * 1000:.3f}",
            f"{total * 1000:,.0f}",
            f"1/{1 / ratio:.1f}{verdict}",
            f"1/{1 / alone:.1f}",
        )
    return table


def optimized_and_basic(
    problem_of: Callable[[str], SearchProblem], few: SearchProblem | None, repeat: int, quality: str
) -> Table:
    """Compare each algorithm that has optimizations with itself without them."""
    table = Table(title="With all optimizations against without any:", title_justify="left")
    for heading in ("algorithm", "basic, ms", "optimized, ms", "turns", "optimized / basic", "(of the best)"):
        table.add_column(heading, justify="left" if heading == "algorithm" else "right")
    for name in registry.names("algorithms"):
        own = algorithm(name)
        basic = configured(own, "none")
        if basic is None or basic == own:
            table.add_row(name, "-", "-", "-", "has none to switch off", "-", style="dim")
            continue
        on_few = bool(switches_of(own))
        if on_few and few is None:
            table.add_row(name, "-", "-", "-", "needs the columns of adult", "-", style="dim")
            continue
        measure = own.measures[0] if own.measures else quality

        def run(one: SearchAlgorithm, measure: str = measure, on_few: bool = on_few) -> float:
            problem = few_again(few) if on_few and few is not None else problem_of(measure)
            return one.search(problem).counters.seconds

        first = run(own)
        often = repeat if first > LONG else 3 * repeat
        turns: list[tuple[float, float]] = []  # basic, optimized
        for turn in range(often):
            if turn % 2:
                plain, optimized = run(basic), run(own)
            else:  # who goes first changes from turn to turn
                optimized, plain = run(own), run(basic)
            turns.append((plain, optimized))
        ratio = statistics.median(optimized / plain for plain, optimized in turns)
        label = f"{name}, {len(FOUR_COLUMNS)} columns" if on_few else name
        table.add_row(
            f"{label}, {measure}" if own.measures else label,
            f"{statistics.median(plain for plain, _ in turns) * 1000:,.1f}",
            f"{statistics.median(optimized for _, optimized in turns) * 1000:,.1f}",
            str(often),
            f"{ratio:.2f}, {kept(ratio <= 1)}",
            f"{min(optimized for _, optimized in turns) / min(plain for plain, _ in turns):.2f}",
        )
    return table


def few_again(problem: SearchProblem) -> SearchProblem:
    """Return the same problem anew, so that nothing of it is computed yet."""
    return SearchProblem(problem.table, problem.models, problem.measure, problem.suppression)


def kept(is_kept: bool) -> str:
    return "[green]kept[/green]" if is_kept else "[bold red]NOT KEPT[/bold red]"


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default="adult")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--suppression", type=float, default=0.02)
    parser.add_argument("--quality", default="discernability-monotone")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--nodes", type=int, default=150, help="checks to time by group-by, the rest scaled")
    options = parser.parse_args()
    duckdb.sql("SET threads = 1")

    coded = load_benchmark(options.data)

    def problem_of(quality: str, table: CodedTable = coded) -> SearchProblem:
        measure = registry.resolve("measures", quality)()
        return SearchProblem(table, (KAnonymity(options.k),), measure, options.suppression)

    few = None
    if set(FOUR_COLUMNS) <= set(coded.names):
        few = problem_of(options.quality, load_benchmark(options.data, FOUR_COLUMNS))
    console = Console(width=120 if not sys.stdout.isatty() else None)
    console.print(
        f"{find_benchmark(options.data).description}, {coded.rows:,} rows, {len(coded.columns)} columns, "
        f"k = {options.k}, suppression {options.suppression:g}, {options.quality}, one thread\n"
    )
    console.print(group_by_per_check(problem_of, options.repeat, options.nodes, options.quality))
    console.print(optimized_and_basic(problem_of, few, options.repeat, options.quality))


if __name__ == "__main__":
    main()
