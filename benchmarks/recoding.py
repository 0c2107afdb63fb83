"""How much do the recodings lose, and how long do they take, beside full-domain and a peer?

For each data set, k and recoding it prints the loss of the release, its classes, and the milliseconds (median
of repeats) from the counted tuples to the classes in the kernel, with one thread and with two; then the whole
call from coded rows to the scored recoding. All rows are kept. Beside them stand the best full-domain
release, without and with 2% suppression, the figures of the prototypes (`published`), and anonypy, a Mondrian
in Python, where it is installed.

Usage: python benchmarks/recoding.py [--data adult,cup,ihis:100000] [--k 2,5,10,50] [--growth]

Real data are found through SHOAL_DATA (default ../shared/datasets); what is not there is generated with the
published shape, and the table says so.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil
from rich.console import Console
from rich.table import Table

from shoal.data import load_benchmark
from shoal.data.shapes import shape
from shoal.encode.table import CodedTable
from shoal.engines.memory import Memory
from shoal.measure.loss import Loss
from shoal.privacy.k_anonymity import KAnonymity
from shoal.search.frequency_sets import InMemory
from shoal.search.problem import SearchProblem
from shoal.spec.spec import Spec
from shoal.strategies.cells import CheapestClasses
from shoal.strategies.classes import ClassProblem
from shoal.strategies.full_domain_search import FullDomainSearch
from shoal.strategies.mondrian import Mondrian
from shoal.strategies.strategy import Question, Strategy

PUBLISHED = {
    ("adult", 2, "cells"): 0.021,
    ("adult", 5, "cells"): 0.051,
    ("adult", 10, "cells"): 0.075,
    ("adult", 50, "cells"): 0.148,
    ("adult", 5, "mondrian"): 0.066,
    ("adult", 5, "mondrian, gain"): 0.080,
    ("adult", 5, "mondrian, median"): 0.127,
    ("cup", 5, "cells"): 0.069,
    ("cup", 5, "mondrian"): 0.075,
    ("ihis:100000", 5, "cells"): 0.086,
    ("ihis:100000", 5, "mondrian"): 0.100,
}
"""Loss of prototypes that were measured before this was built."""

STRATEGIES: dict[str, Strategy] = {
    "cells": CheapestClasses(),
    "cells, ranges": CheapestClasses(labels="ranges"),
    "cells, sets": CheapestClasses(labels="sets"),
    "mondrian": Mondrian(),
    "mondrian, gain": Mondrian(cut="gain"),
    "mondrian, median": Mondrian(cut="median"),
    "mondrian, relaxed": Mondrian(cut="median", relaxed=True),
    "mondrian, ranges": Mondrian(labels="ranges"),
}


def coded(name: str, rows: int | None) -> CodedTable:
    return load_benchmark(name) if rows is None else shape(name, rows)


def median_ms(run: Callable[[], object], seconds: float = 1.5) -> float:
    """Run for a while, and return the median."""
    times: list[float] = []
    while not times or (sum(times) < seconds and len(times) < 50):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000


def question(table: CodedTable, k: int, suppression: float = 0.0, threads: int = 2) -> Question:
    models = (KAnonymity(k),)
    spec = Spec(
        quasi_identifiers=dict.fromkeys(table.names, "suppress"), privacy=models, suppression=suppression
    )
    return Question(
        spec=spec,
        counts=InMemory(table),
        make_problem=lambda counted: SearchProblem(counted, models, Loss(), suppression),
        most_entries=Memory.most_entries,
        threads=threads,
    )


def in_kernel(problem: ClassProblem, strategy: Strategy, threads: int) -> Callable[[], object]:
    """Return the call of the kernel alone; its inputs are made before."""
    table, requirement, costs = problem.table, problem.requirement, problem.costs
    if isinstance(strategy, Mondrian):
        return lambda: strategy.divide(problem, threads)
    return lambda: table.cheapest(requirement, costs, threads=threads)


def anonypy_row(name: str, k: int, table: CodedTable) -> tuple[str, ...] | None:
    """Time anonypy's Mondrian on the codes of the same columns."""
    if importlib.util.find_spec("anonypy") is None:
        return None
    import anonypy
    import pandas as pd

    frame = pd.DataFrame({column.name: column.codes.astype(int) for column in table.columns})
    frame["one"] = 1
    start = time.perf_counter()
    partitions = anonypy.Preserver(frame, list(table.names), "one").anonymize_k_anonymity(k=k)
    taken = (time.perf_counter() - start) * 1000
    return (name, str(k), "anonypy", "", "", f"{len(partitions):,}", "", "", f"{taken:,.0f}")


def rows_of(name: str, ks: list[int]) -> list[tuple[str, ...]]:
    data, _, rows = name.partition(":")
    table = coded(data, int(rows) if rows else None)
    found = []
    for k in ks:
        for limit in (0.0, 0.02):
            asked = question(table, k, limit)
            start = time.perf_counter()
            chosen = FullDomainSearch().choose(asked)
            taken = (time.perf_counter() - start) * 1000
            label = f"full-domain, {limit:.0%}"
            found.append((name, str(k), label, f"{chosen.score:.4f}", "", "", "", "", f"{taken:,.0f}"))
        for label, strategy in STRATEGIES.items():
            asked = question(table, k)
            start = time.perf_counter()
            chosen = strategy.choose(asked)
            taken = (time.perf_counter() - start) * 1000
            problem = ClassProblem(asked.problem())
            alone, together = (median_ms(in_kernel(problem, strategy, threads)) for threads in (1, 2))
            verdict = problem.problem.verdict_of(chosen.recoding)
            published = PUBLISHED.get((name, k, label))
            found.append(
                (
                    name,
                    str(k),
                    label,
                    f"{chosen.score:.4f}",
                    "" if published is None else f"{published:.3f}",
                    f"{int(np.count_nonzero(verdict.classes.sizes)):,}",
                    f"{alone:,.1f}",
                    f"{together:,.1f}",
                    f"{taken:,.0f}",
                )
            )
        if (row := anonypy_row(name, k, table)) is not None:
            found.append(row)
    return found


def growth() -> None:
    """Print time and memory against rows."""
    table = Table(title="ihis shape, k = 5, two threads: milliseconds in the kernel", title_justify="left")
    for header in ("rows", "tuples", "mondrian", "cells", "peak MB"):
        table.add_column(header, justify="right")
    for rows in (10**4, 10**5, 10**6, 10**7):
        problem = ClassProblem(question(coded("ihis", rows), 5).problem())
        times = [
            median_ms(in_kernel(problem, strategy, 2), seconds=0)
            for strategy in (Mondrian(), CheapestClasses())
        ]
        peak = psutil.Process().memory_info().rss / 2**20
        table.add_row(
            f"{rows:,}", f"{len(problem.values[0]):,}", *(f"{ms:,.0f}" for ms in times), f"{peak:,.0f}"
        )
    Console(width=100).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", default="adult,cup,ihis:100000")
    parser.add_argument("--k", default="5")
    parser.add_argument("--growth", action="store_true", help="also 10^4 to 10^7 rows")
    options = parser.parse_args()
    table = Table(title=Path(sys.argv[0]).name, title_justify="left")
    for header in (
        "data",
        "k",
        "recoding",
        "loss",
        "prototype",
        "classes",
        "ms, 1 thread",
        "2 threads",
        "call",
    ):
        table.add_column(header, justify="left" if header in ("data", "recoding") else "right")
    for name in options.data.split(","):
        for row in rows_of(name, [int(k) for k in options.k.split(",")]):
            table.add_row(*row)
    Console(width=120).print(table)
    if options.growth:
        growth()


if __name__ == "__main__":
    main()
