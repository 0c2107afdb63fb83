"""How fast is the default search, beside the floor and a peer measured in the same run?

For each data set, k and suppression limit it prints the milliseconds from codes in memory to the proved
optimum (median of repeats), to all satisfying nodes, and the ratios

- to the floor: one grouping of the rows into F0 by the kernel, which any search needs,
- to numpy: for as many nodes as ARX 3.9.2 checks, or else as this search checks, pack the generalized codes
  of that node into one integer per row and call `numpy.unique` on them.

Usage: python benchmarks/search.py [--data adult,cup,ihis] [--k 5] [--suppression 0,0.02] [--threads 1,2]

Real data are found through SHOAL_DATA (default ../shared/datasets); what is not there is generated with the
published shape, and the table says so.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import threading
import time
from collections.abc import Callable

import numpy as np
import psutil
from rich.console import Console
from rich.table import Table

from shoal import registry
from shoal.data import find_benchmark, load_benchmark
from shoal.encode.table import CodedTable
from shoal.privacy.k_anonymity import KAnonymity
from shoal.search.algorithms.box import Box
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchResult

CHECKED_BY_ARX = {("adult", 5, 0.02): 2243}
NODES_TIMED_WITH_NUMPY = 12


def median_ms(run: Callable[[], object], seconds: float = 1.5) -> float:
    """Run once to warm up, then for a while, and return the median."""
    run()
    times: list[float] = []
    while len(times) < 5 or (sum(times) < seconds and len(times) < 100):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000


def peak_memory(run: Callable[[], object]) -> tuple[float, float]:
    """Return the peak RSS while running, and how much above the RSS before that is, in MB."""
    process = psutil.Process()
    before = peak = process.memory_info().rss
    done = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.001):
            peak = max(peak, process.memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    run()
    done.set()
    watcher.join()
    return peak / 2**20, (peak - before) / 2**20


def numpy_ms_per_node(problem: SearchProblem) -> tuple[float, float]:
    """Time packing and grouping some random nodes of the lattice: with counts, and keys alone."""
    nodes = list(problem.lattice)
    chosen = random.Random(0).sample(nodes, min(NODES_TIMED_WITH_NUMPY, len(nodes)))

    def pack(levels: tuple[int, ...]) -> np.ndarray:
        keys = np.zeros(problem.table.rows, dtype=np.int64)
        for column, level in zip(problem.table.columns, levels, strict=True):
            keys *= len(column.labels[level])
            keys += column.maps[level][column.codes]
        return keys

    def timed(group: Callable[[np.ndarray], object]) -> float:
        start = time.perf_counter()
        for levels in chosen:
            group(pack(levels))
        return (time.perf_counter() - start) * 1000 / len(chosen)

    timed(np.unique)
    return timed(lambda keys: np.unique(keys, return_counts=True)), timed(np.unique)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default="adult,cup,atus,ihis")
    parser.add_argument("--k", default="5")
    parser.add_argument("--suppression", default="0,0.02")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--quality", default="discernability-monotone")
    options = parser.parse_args()

    measure = registry.resolve("measures", options.quality)()
    table = Table(title=f"Default search, {options.quality}, milliseconds (median)")
    for heading in ("data", "rows", "F0", "k", "limit", "threads"):
        table.add_column(heading)
    for heading in (
        "optimum",
        "all nodes",
        "checked",
        "floor",
        "optimum / floor",
        "numpy per node",
        "numpy / optimum",
        "(keys only)",
        "peak RSS, MB",
    ):
        table.add_column(heading, justify="right")
    for name in options.data.split(","):
        coded = load_benchmark(name)
        for k in map(int, options.k.split(",")):
            for suppression in map(float, options.suppression.split(",")):
                problem = SearchProblem(coded, (KAnonymity(k),), measure, suppression)
                floor = median_ms(lambda p=problem: SearchProblem.ground.func(p))  # type: ignore[misc]
                with_counts, keys_only = numpy_ms_per_node(problem)
                for threads in map(int, options.threads.split(",")):

                    def search(
                        all_nodes: bool = False,
                        threads: int = threads,
                        k: int = k,
                        suppression: float = suppression,
                        coded: CodedTable = coded,
                    ) -> SearchResult:
                        problem = SearchProblem(coded, (KAnonymity(k),), measure, suppression)
                        return Box().search(problem, all_nodes=all_nodes, threads=threads)

                    rss, grown = peak_memory(search)
                    result = search()
                    optimum = median_ms(search)
                    every = median_ms(lambda: search(all_nodes=True))
                    by_arx = CHECKED_BY_ARX.get((name, k, suppression)) if find_benchmark(name).real else None
                    checks = by_arx or result.counters.checked
                    table.add_row(
                        find_benchmark(name).description,
                        f"{coded.rows:,}",
                        f"{problem.ground.tuples:,}",
                        str(k),
                        f"{suppression:g}",
                        str(threads),
                        f"{optimum:.1f}",
                        f"{every:.1f}",
                        f"{result.counters.checked:,}",
                        f"{floor:.1f}",
                        f"{optimum / floor:.1f}x",
                        f"{with_counts:.2f}",
                        f"{checks * with_counts / optimum:.0f}x of {checks:,}",
                        f"{checks * keys_only / optimum:.0f}x",
                        f"{rss:.0f} (+{grown:.0f})",
                    )
    Console(width=200 if not sys.stdout.isatty() else None).print(table)


if __name__ == "__main__":
    main()
