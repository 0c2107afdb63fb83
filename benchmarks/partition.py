"""What does `recoding: partition` lose, and how long does it take, beside Mondrian and full-domain?

The first table has real data, Wage and Adult, with the figures asked for ("at most"). For each case: the
loss of partition with its three dividers, of Mondrian with the same labels, and of the best levels; and the
classes.

The second table has Wage drawn again, ages moved by up to two years and wages by about a thousand dollars,
for sizes up to --most rows: the loss of `cuts` with `even`, the CPU seconds to group rows and to divide them,
numpy's sort of as many numbers beside them, and the loss of `cuts` as they are by default.

Usage: python benchmarks/partition.py [--most 1000000]

Real data are found through SHOAL_DATA (default ../shared/datasets); without them it says so and ends.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from rich.console import Console
from rich.table import Table

import shoal
from shoal.data.benchmark import data_folder
from shoal.data.wage import QUASI_IDENTIFIERS, SENSITIVE, Wages, load_wages
from shoal.partition.entries import EntryProblem

CONSOLE = Console()
ADULT = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
DIVIDERS: tuple[Any, ...] = ("cuts", {"cuts": {"cut": "even"}}, "curve", "nearest")


def wage(width: int) -> pa.Table:
    return in_bands(load_wages(), width)


def in_bands(wages: Wages, width: int) -> pa.Table:
    table = wages.table
    return table.select(QUASI_IDENTIFIERS).append_column("band", bands(table.column(SENSITIVE), width))


def bands(wages: pa.ChunkedArray, width: int) -> pa.ChunkedArray:
    return pc.multiply(pc.floor(pc.divide(wages, width)), width).cast(pa.int32())


def adult() -> pa.Table:
    options = pyarrow.csv.ParseOptions(delimiter=";")
    return pyarrow.csv.read_csv(data_folder() / "adult.csv", parse_options=options).select(ADULT)


def spec_of(table: pa.Table, sensitive: str, model: Any, recoding: Any) -> shoal.Spec:
    names = [name for name in table.column_names if name != sensitive]
    return shoal.Spec(
        quasi_identifiers=dict.fromkeys(names, "suppress"),
        sensitive=[sensitive],
        privacy=[model],
        recoding=recoding,
    )


def result(table: pa.Table, sensitive: str, model: Any, recoding: Any) -> str:
    try:
        release = shoal.anonymize(table, spec_of(table, sensitive, model, recoding))
    except shoal.InputError as error:
        return str(error).splitlines()[0][:28]
    return f"{release.score:.4f} ({sum(release.class_sizes.values()):,})"


def losses() -> None:
    cases: list[tuple[str, float, Callable[[], pa.Table], str, Any]] = [
        ("wage, bands of 20, beta 3", 0.52, lambda: wage(20), "band", shoal.BetaLikeness("band", 3)),
        ("wage, bands of 40, beta 3", 0.33, lambda: wage(40), "band", shoal.BetaLikeness("band", 3)),
        (
            "wage, bands of 20, ordered t 0.1",
            0.18,
            lambda: wage(20),
            "band",
            shoal.TCloseness("band", 0.1, "ordered"),
        ),
        ("adult, occupation, beta 1", 0.58, adult, "occupation", shoal.BetaLikeness("occupation", 1)),
        ("adult, occupation, beta 4", 0.21, adult, "occupation", shoal.BetaLikeness("occupation", 4)),
        (
            "adult, salary-class, beta 0.5",
            0.22,
            adult,
            "salary-class",
            shoal.BetaLikeness("salary-class", 0.5),
        ),
    ]
    shown = Table("case", "at most", "cuts", "even alone", "curve", "nearest", "mondrian", "full-domain")
    for name, most, make, sensitive, model in cases:
        table = make()
        found = [result(table, sensitive, model, {"partition": {"divide": divider}}) for divider in DIVIDERS]
        found.append(result(table, sensitive, model, {"mondrian": {"labels": "fitting"}}))
        found.append(result(table, sensitive, model, "full-domain"))
        shown.add_row(name, f"{most:.2f}", *found)
    CONSOLE.print("Loss (classes), all rows kept, labels that fit, no hierarchies")
    CONSOLE.print(shown)


def cpu(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = call()
    return time.process_time() - start, found


def row_of_growth(rows: int) -> list[str]:
    table = in_bands(load_wages().drawn_again(rows), 20)
    recoding = {"partition": {"divide": {"cuts": {"cut": "even"}}}}
    spec = spec_of(table, "band", shoal.BetaLikeness("band", 3), recoding)
    with shoal.Session(table, spec) as session:
        problem = session.problem(spec)
        entries = EntryProblem(problem)
        grouping, tuples = cpu(lambda: entries.table.tuples)
        buckets = entries.buckets("band", np.arange(len(problem.table.attributes["band"].counts)))
        requirement, costs, ranges = entries.requirement, entries.costs, entries.range_costs("fitting")
        dividing, found = cpu(
            lambda: entries.table.divide(
                requirement, costs, cut="even", threads=2, ranges=ranges, bucket_of=buckets
            )
        )
        classes = entries.recoding("partition", "fitting", np.array(found.class_of))
        loss = problem.score(problem.verdict_of(classes))
    best = shoal.anonymize(table, spec_of(table, "band", shoal.BetaLikeness("band", 3), "partition")).score
    numbers = np.random.default_rng(2).integers(0, 1 << 60, rows)
    sorting, _ = cpu(lambda: np.sort(numbers))
    seconds = (f"{took:.2f}" for took in (grouping, dividing, sorting))
    return [f"{rows:,}", f"{tuples:,}", *seconds, f"{loss:.4f}", f"{len(found):,}", f"{best:.4f}"]


def growth(most: int) -> None:
    shown = Table(
        "rows", "entries", "group, CPU s", "divide, CPU s", "sort, CPU s", "loss", "classes", "cut: best"
    )
    rows = 10_000
    while rows <= most:
        shown.add_row(*row_of_growth(rows))
        rows *= 10
    CONSOLE.print("Wage drawn again, bands of 20, beta 3; asked for a million rows: 0.3 s together, loss .28")
    CONSOLE.print(shown)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--most", type=int, default=1_000_000, help="rows of the largest drawn table")
    most = parser.parse_args().most
    if not (data_folder() / "wage.csv").exists():
        CONSOLE.print(
            f"wage.csv is not in {data_folder().name!r}: set SHOAL_DATA to the folder of the data sets."
        )
        return
    losses()
    growth(most)


if __name__ == "__main__":
    main()
