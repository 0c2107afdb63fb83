"""What does `recoding: partition` lose, and how long does it take, beside Mondrian and full-domain?

The first table has real data, Wage and Adult, with the figures asked for ("at most"). For each case: the
loss of partition with its three dividers, of Mondrian with the same labels, and of the best levels; and the
classes.

The second table has Wage drawn again, ages moved by up to two years and wages by about a thousand dollars,
for sizes up to --most rows: the CPU seconds to group rows and to divide them by `cut: even`, and those of the
divider `curve` from rows to classes, as a multiple of numpy's sort of the same rows by all of their columns.

The third one says what bands cost that few rows have. Whatever is released, a class with a band of F of N
rows has N / (F (1 + 3)) rows or more, and all classes with it have a quarter of the rows.

The last one has Spark: the whole of `shoal.anonymize`, from Parquet to Parquet with audit and manifest,
beside one sort by all columns and one copy of the same rows.

Usage: python benchmarks/partition.py [--most 1000000] [--spark 1000000]

Real data are found through SHOAL_DATA (default ../shared/datasets); without them it says so and ends.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

import shoal
from shoal.data.benchmark import data_folder
from shoal.data.wage import QUASI_IDENTIFIERS, SENSITIVE, Wages, draw_wages, load_wages
from shoal.partition.buckets.likeness import most_rows
from shoal.partition.buckets.value import ValueBuckets
from shoal.partition.divide.curve import Curve
from shoal.partition.divide.divider import DivisionTask
from shoal.partition.entries import EntryProblem
from shoal.partition.sensitive_values import SensitiveValues

CONSOLE = Console(width=150)  # in files too, where no figure should be cut short
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
_EVEN = {"partition": {"divide": {"cuts": {"cut": "even"}}}}
_SECONDS = {1_000_000: 0.3, 10_000_000: 2.5}


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


def verdict(found: float, most: float) -> str:
    return f"{found:.2f} of {most}" + ("" if found <= most else " MORE")


def row_of_growth(rows: int) -> list[str]:
    table = in_bands(load_wages().drawn_again(rows), 20)
    spec = spec_of(table, "band", shoal.BetaLikeness("band", 3), _EVEN)
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
        curve, _ = cpu(lambda: along_curve(EntryProblem(problem)))
        own = [column.codes for column in (*problem.table.columns, *problem.table.attributes.values())]
    sorting, _ = cpu(lambda: np.lexsort(own))
    asked = _SECONDS.get(rows)
    together = f"{grouping + dividing:.2f}" if asked is None else verdict(grouping + dividing, asked)
    return [
        f"{rows:,}",
        f"{tuples:,}",
        f"{grouping:.2f}",
        f"{dividing:.2f}",
        together,
        verdict(curve / sorting, 10),
        f"{loss:.4f} ({len(found):,})",
    ]


def along_curve(entries: EntryProblem) -> None:
    column = entries.problem.table.attributes["band"]
    buckets = ValueBuckets().buckets(SensitiveValues.of(column))
    task = DivisionTask(entries, "band", buckets, "fitting", threads=2)
    for _ in Curve().divide(task):
        pass


def growth(most: int) -> None:
    shown = Table(
        "rows",
        "entries",
        "group",
        "divide",
        "together",
        "curve / sort",
        "loss (classes)",
    )
    rows = 10_000
    while rows <= most:
        shown.add_row(*row_of_growth(rows))
        rows *= 10
    CONSOLE.print("Wage drawn again, bands of 20, beta 3, `cut: even`; CPU seconds; `curve` in numpy's sorts")
    CONSOLE.print(shown)


def rare_bands(rows: int) -> None:
    """Show what rare bands cost: classes with one of them must be large, so large that they lose most."""
    again = in_bands(load_wages().drawn_again(rows), 20)
    generated = in_bands(Wages(draw_wages(rows), real=False), 20)
    counts = again.group_by("band").aggregate([("band", "count")])
    often = counts.filter(pc.greater_equal(counts.column("band_count"), rows / 200)).column("band")
    frequent = again.filter(pc.is_in(again.column("band"), often.combine_chunks()))
    shown = Table(
        "rows", "at most", "rarest band", "least rows of its classes", "full-domain", "even alone", "cuts"
    )
    for name, table in {
        "Wage drawn again": again,
        "Wage drawn again, without bands below 0.5%": frequent,
        "generated": generated,
    }.items():
        rarest = pc.min(table.group_by("band").aggregate([("band", "count")]).column("band_count")).as_py()
        least = table.num_rows / most_rows(np.array([rarest]), table.num_rows, 3)[0]
        model = shoal.BetaLikeness("band", 3)
        found = [result(table, "band", model, each) for each in ("full-domain", _EVEN, "partition")]
        shown.add_row(f"{table.num_rows:,}, {name}", "0.28", f"{rarest:,}", f"{least:,.0f}", *found)
    CONSOLE.print("Loss (classes) of rows like Wage, bands of 20, beta 3")
    CONSOLE.print(shown)


def on_spark(rows: int) -> None:
    if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
        CONSOLE.print("Spark is not installed: nothing is said about it.")
        return
    from pyspark.sql import SparkSession

    table = in_bands(load_wages().drawn_again(rows), 20)
    spec = spec_of(table, "band", shoal.BetaLikeness("band", 3), "partition")
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", "4g")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
        .getOrCreate()
    )
    with tempfile.TemporaryDirectory() as scratch:
        paths = (str(Path(scratch, f"{number}.parquet")) for number in itertools.count())
        source = next(paths)
        pq.write_table(table, source, row_group_size=500_000)
        frame = session.read.parquet(source)
        runs: tuple[Callable[[], Any], ...] = (
            lambda: frame.sort(*frame.columns).write.format("noop").mode("overwrite").save(),
            lambda: frame.write.parquet(next(paths)),
            lambda: shoal.anonymize(frame, spec, output=next(paths)),
        )
        # Twice in turn: much of a first run goes into compiling.
        taken = [[wall(run) for run in runs] for _ in range(2)]
    session.stop()
    sort, copy, own = map(min, zip(*taken, strict=True))
    shown = Table("rows", "sort", "copy", "shoal.anonymize", "ratio")
    shown.add_row(f"{rows:,}", f"{sort:.1f}", f"{copy:.1f}", f"{own:.1f}", verdict(own / (sort + copy), 2))
    CONSOLE.print("Spark local[2], seconds, the better of two runs; asked of ten million rows")
    CONSOLE.print(shown)


def wall(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--most", type=int, default=1_000_000, help="rows of the largest drawn table")
    parser.add_argument("--spark", type=int, default=1_000_000, help="rows for Spark; 0 leaves it out")
    asked = parser.parse_args()
    if not (data_folder() / "wage.csv").exists():
        CONSOLE.print(
            f"wage.csv is not in {data_folder().name!r}: set SHOAL_DATA to the folder of the data sets."
        )
        return
    losses()
    growth(asked.most)
    rare_bands(min(asked.most, 1_000_000))
    if asked.spark:
        on_spark(asked.spark)


if __name__ == "__main__":
    main()
