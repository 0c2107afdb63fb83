"""How much do the recodings lose, and how long do they take, beside full-domain and a peer?

For each data set, k and recoding it prints the loss of the release, its classes, and the milliseconds (median
of repeats) from the counted tuples to the classes in the kernel, with one thread and with two; then the whole
call from coded rows to the scored recoding. All rows are kept. Beside them stand the best full-domain
release, without and with 2% suppression, the figures of the prototypes (`published`), and anonypy, a Mondrian
in Python, where it is installed.

A second table is about microaggregation of numbers: the squared error as a share of the variance, SSE / SST,
over standardized columns, beside that of MDAV in a few lines of numpy, where that ends soon.

Usage: python benchmarks/recoding.py [--data adult,cup,ihis:100000] [--k 2,5,10,50] [--growth]
       python benchmarks/recoding.py --numbers adult,wage,cup,made:100000 --data "" [--k 2,5,10,50]

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
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from shoal import _kernel
from shoal.data import load_benchmark
from shoal.data.benchmark import data_folder
from shoal.data.shapes import shape
from shoal.describe.hierarchies.suppress import Suppress
from shoal.encode.column import code_column
from shoal.encode.table import CodedTable
from shoal.engines.memory import Memory
from shoal.measure.loss import Loss
from shoal.privacy.k_anonymity import KAnonymity
from shoal.search.frequency_sets import InMemory
from shoal.search.problem import SearchProblem
from shoal.spec.spec import Spec
from shoal.strategies.cell_suppression import CellSuppression
from shoal.strategies.cells import CheapestClasses
from shoal.strategies.classes import ClassProblem
from shoal.strategies.full_domain_search import FullDomainSearch
from shoal.strategies.microaggregation import MOST_TUPLES, coordinates
from shoal.strategies.mondrian import Mondrian
from shoal.strategies.starred import Starred, descend
from shoal.strategies.stars import Stars
from shoal.strategies.strategy import Question, Strategy

PUBLISHED = {
    ("adult", 2, "cells"): 0.021,
    ("adult", 5, "cells"): 0.051,
    ("adult", 10, "cells"): 0.075,
    ("adult", 50, "cells"): 0.148,
    ("adult", 2, "starred"): 0.0493,
    ("adult", 5, "starred"): 0.0909,
    ("adult", 10, "starred"): 0.118,
    ("adult", 50, "starred"): 0.190,
    ("adult", 5, "mondrian"): 0.066,
    ("adult", 5, "mondrian, gain"): 0.080,
    ("adult", 5, "mondrian, median"): 0.127,
    ("cup", 5, "cells"): 0.069,
    ("cup", 5, "starred"): 0.102,
    ("cup", 5, "mondrian"): 0.075,
    ("ihis:100000", 5, "cells"): 0.086,
    ("ihis:100000", 5, "mondrian"): 0.100,
}
"""Loss of prototypes that were measured before this was built."""

STRATEGIES: dict[str, Strategy] = {
    "cell-suppression": CellSuppression(),
    "starred": Starred(),
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
    if isinstance(strategy, CellSuppression | Starred):
        stars = Stars(strategy.name, problem.problem, threads)
        if isinstance(strategy, CellSuppression):
            return lambda: stars.cheapest(stars.lowest)
        return lambda: descend(stars, stars.cheapest(stars.lowest), [])
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


NUMBERS = {
    "adult": (";", ("age",)),
    "wage": (",", ("year", "age", "wage")),
    "cup": (";", ("AGE", "INCOME", "RAMNTALL", "NGIFTALL", "MINRAMNT")),
}
MOST_AT_ONCE = {"mdav": 100_000, "numpy": 5_000}
"""Rows up to which a method is measured."""


def numbers(name: str) -> CodedTable:
    """Return the numeric columns of real data, or made-up ones: five that go together, and are skewed."""
    name, _, rows = name.partition(":")
    if rows:
        random = np.random.default_rng(1)
        mixed = random.normal(size=(int(rows), 5)) @ random.normal(size=(5, 5))
        columns = {f"x{i}": pa.array(np.round(np.exp(mixed[:, i] / 4), 4)) for i in range(5)}
    else:
        delimiter, names = NUMBERS[name]
        options = pyarrow.csv.ParseOptions(delimiter=delimiter)
        table = pyarrow.csv.read_csv(data_folder() / f"{name}.csv", parse_options=options)
        columns = {column: table[column].combine_chunks() for column in names}
    coded_columns = [
        code_column(key, pa.array(c).dictionary_encode(), Suppress()) for key, c in columns.items()
    ]
    return CodedTable(tuple(coded_columns), len(coded_columns[0].codes))


def numpy_mdav(points: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return the class of each row, by MDAV as it is published."""
    left = np.arange(len(points))
    class_of = np.zeros(len(points), dtype=np.int64)
    classes = 0

    def distances(center: NDArray[np.float64]) -> NDArray[np.float64]:
        return ((points[left] - center) ** 2).sum(axis=1)

    def take_around(row: int) -> None:
        nonlocal left, classes
        near = np.argsort(distances(points[row]), kind="stable")[:k]
        class_of[left[near]] = classes
        left = np.delete(left, near)
        classes += 1

    while len(left) >= 3 * k:
        first = left[distances(points[left].mean(axis=0)).argmax()]
        opposite = left[distances(points[first]).argmax()]
        take_around(first)
        take_around(opposite)
    if len(left) >= 2 * k:
        take_around(left[distances(points[left].mean(axis=0)).argmax()])
    class_of[left] = classes
    return class_of


def squared_error(
    points: NDArray[np.float64], rows: NDArray[np.int64], class_of: NDArray[np.integer]
) -> float:
    """Return SSE / SST."""
    sizes = np.bincount(class_of, weights=rows)
    within = 0.0
    for axis in points.T:
        means = np.bincount(class_of, weights=rows * axis) / sizes
        within += float(rows @ (axis - means[class_of]) ** 2)
    return within / float((rows @ (points - rows @ points / rows.sum()) ** 2).sum())


def aggregated(name: str, k: int) -> list[tuple[str, ...]]:
    problem = ClassProblem(question(numbers(name), k).problem())
    coded_table, table = problem.problem.table, problem.table
    rows = table.classes([]).rows.astype(np.int64)
    axes = coordinates(coded_table, problem.values, rows)
    points = np.stack(axes, axis=1)
    found = []
    for method in ("fast", "mdav"):
        if len(rows) > MOST_AT_ONCE.get(method, len(rows)):
            continue
        most = {"most_tuples": MOST_TUPLES} if method == "fast" else {}

        def run(threads: int, most: dict[str, int] = most) -> _kernel.TupleClasses:
            return table.aggregate(problem.requirement, axes, threads=threads, **most)

        classes = run(1)
        error = squared_error(points, rows, np.array(classes.class_of))
        times = [f"{median_ms(lambda threads=threads: run(threads), seconds=0):,.0f}" for threads in (1, 2)]
        found.append(
            (name, f"{coded_table.rows:,}", str(k), method, f"{error:.4f}", f"{len(classes):,}", *times)
        )
    if coded_table.rows <= MOST_AT_ONCE["numpy"]:
        each = np.repeat(points, rows, axis=0)
        start = time.perf_counter()
        class_of = numpy_mdav(each, k)
        taken = (time.perf_counter() - start) * 1000
        error = squared_error(each, np.ones(len(each), dtype=np.int64), class_of)
        row = (name, f"{len(each):,}", str(k), "numpy", f"{error:.4f}", f"{class_of.max() + 1:,}")
        found.append((*row, f"{taken:,.0f}", ""))
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
    parser.add_argument("--numbers", default="adult,wage,cup,made:100000")
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
    ks = [int(k) for k in options.k.split(",")]
    for name in filter(None, options.data.split(",")):
        for row in rows_of(name, ks):
            table.add_row(*row)
    if table.row_count:
        Console(width=120).print(table)
    averages = Table(title="microaggregation", title_justify="left")
    for header in ("data", "rows", "k", "method", "SSE / SST", "classes", "ms, 1 thread", "2 threads"):
        averages.add_column(header, justify="left" if header in ("data", "method") else "right")
    for name in filter(None, options.numbers.split(",")):
        for k in ks:
            for row in aggregated(name, k):
                averages.add_row(*row)
    if averages.row_count:
        Console(width=120).print(averages)
    if options.growth:
        growth()


if __name__ == "__main__":
    main()
