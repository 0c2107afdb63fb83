"""How does the cost grow with the rows, beside what the engine itself needs to read and write them?

For tables with the shape of the orders of Lands End (8 quasi-identifiers, nearly every row another tuple) it
runs `shoal anonymize` as a process of its own, from the first count to the audited release in its place, and
beside it in the same run the engine's own work on the same rows: one GROUP BY over the same columns, and one
copy. It prints wall time, peak memory and the ratio, which is to be

- at most 2.5 for DuckDB on Parquet files within 2 GiB, with a peak below 3 GiB,
- at most 2 for Spark on local[2] and for PostgreSQL,

and for DuckDB the time per million rows: it must grow no faster than that of the GROUP BY.

Usage: python benchmarks/scale.py [--engines duckdb,spark,postgres] [--millions 1,10,100] [--spark 20]
       [--postgres 5] [--k 5] [--suppression 0.02] [--folder DIR]

PostgreSQL is started in a folder of its own if its programs are installed. `--folder` keeps the tables that
were made up, for the next run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from costs import SHOAL, Cost, apart, cost

SHAPE = "lands-end"
AT_ONCE = 2_000_000
MEMORY = "2GiB"
_DUCKDB = """
import duckdb, sys
what, source, target = sys.argv[1:]
own = duckdb.connect(config={"memory_limit": "2GiB", "temp_directory": target + ".tmp",
                             "preserve_insertion_order": False})
own.execute("SET enable_progress_bar = false")
if what == "group":
    groups = f"SELECT *, count(*) AS n FROM '{source}' GROUP BY ALL"
    print(own.execute(f"SELECT max(n) FROM ({groups})").fetchall())
else:
    own.execute(f"COPY (FROM '{source}') TO '{target}' (FORMAT parquet, COMPRESSION zstd)")
"""
_SPARK = """
import sys
from pyspark.sql import SparkSession
what, source, target = sys.argv[1:]
session = (SparkSession.builder.master("local[2]").config("spark.driver.memory", "4g")
           .config("spark.ui.enabled", "false").config("spark.log.level", "ERROR")
           .config("spark.ui.showConsoleProgress", "false").getOrCreate())
frame = session.read.parquet(source)
if what == "group":
    print(frame.groupBy(*[f"`{name}`" for name in frame.columns]).count().selectExpr("max(count)").collect())
elif what == "copy":
    frame.write.mode("overwrite").option("compression", "zstd").parquet(target)
elif what == "nothing":
    print(frame.limit(1).count())
else:
    import shoal
    shoal.anonymize(frame, what, output=target)
"""
_POSTGRES = """
import psycopg, sys
what, url = sys.argv[1:]
with psycopg.connect(url, autocommit=True) as own:
    own.execute("SET max_parallel_workers_per_gather = 2")
    own.execute("SET work_mem = '256MB'")
    if what == "group":
        names = [row[0] for row in own.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_name = 'orders'")]
        listed = ", ".join('"' + name + '"' for name in names)
        print(own.execute(f"SELECT max(n) FROM (SELECT count(*) AS n FROM orders GROUP BY {listed}) AS g")
              .fetchall())
    else:
        own.execute("DROP TABLE IF EXISTS copied")
        own.execute("CREATE TABLE copied AS SELECT * FROM orders")
"""


def make_up(path: Path, rows: int) -> None:
    """Write a table, some rows at a time."""
    from shoal.data.shapes import shape

    if path.exists():
        return
    hidden = path.with_suffix(".part")
    writer = None
    for number, start in enumerate(range(0, rows, AT_ONCE)):
        part = shape(SHAPE, min(AT_ONCE, rows - start), seed=number)
        columns = {
            column.name: pa.DictionaryArray.from_arrays(
                pa.array(column.codes.astype("int32")), column.labels[0]
            )
            for column in part.columns
        }
        table = pa.table(columns)
        writer = writer or pq.ParquetWriter(hidden, table.schema, compression="zstd")
        writer.write_table(table, row_group_size=500_000)
    assert writer is not None
    writer.close()
    hidden.rename(path)


def spec_of(folder: Path, k: int, suppression: float) -> Path:
    """Write the hierarchies of the shape and a spec that uses them."""
    from shoal.data.shapes import write_shape

    sample = write_shape(SHAPE, 1000, folder=folder / "spec")
    text = sample.spec.read_text(encoding="utf-8")
    text = text.replace("k-anonymity: 5", f"k-anonymity: {k}")
    text = text.replace("suppression: 0.02", f"suppression: {suppression}")
    spec = sample.spec.with_name("scale.yaml")
    spec.write_text(text, encoding="utf-8")
    return spec


class Report:
    """The figures, printed as they come."""

    def __init__(self) -> None:
        self._console = Console()

    def add(self, what: str, own: Cost, group: Cost, copy: Cost, rows: int, most: float | None) -> None:
        ratio = own.seconds / (group.seconds + copy.seconds)
        table = Table(what, "seconds", "s per million", "peak MB", box=None, header_style="bold")
        for name, taken in {"GROUP BY": group, "copy": copy, "shoal anonymize": own}.items():
            table.add_row(
                name,
                f"{taken.seconds:.1f}",
                f"{taken.seconds / rows * 1e6:.2f}",
                f"{taken.megabytes:.0f}",
            )
        self._console.print(table)
        verdict = ""
        if most is not None:
            verdict = f", at most {most}: {'as asked for' if ratio <= most else 'MORE THAN ASKED FOR'}"
        print(f"ratio {ratio:.2f}{verdict}\n", flush=True)


def of_duckdb(report: Report, folder: Path, spec: Path, millions: list[int]) -> None:
    for number in millions:
        source, target = folder / f"{SHAPE}-{number}.parquet", folder / "release.parquet"
        apart(make_up, source, number * 1_000_000)
        baseline = [sys.executable, "-c", _DUCKDB]
        group = cost([*baseline, "group", str(source), str(target)])
        copy = cost([*baseline, "copy", str(source), str(target)])
        own = cost(
            [
                *SHOAL,
                *("anonymize", str(source), "--spec", str(spec), "--output", str(target)),
                *("--engine", "duckdb", "--memory", MEMORY),
            ]
        )
        # Of few rows most of the time goes into starting.
        most = 2.5 if number >= 100 else None
        report.add(f"DuckDB, {number} million rows", own, group, copy, number * 1_000_000, most)
        target.unlink()


def of_spark(report: Report, folder: Path, spec: Path, millions: int) -> None:
    source, target = folder / f"{SHAPE}-{millions}.parquet", folder / "release"
    apart(make_up, source, millions * 1_000_000)
    run = [sys.executable, "-c", _SPARK]
    # What it takes to start Spark is no part of either.
    start = cost([*run, "nothing", str(source), str(target)]).seconds
    taken = [cost([*run, what, str(source), str(target)]) for what in ("group", "copy", str(spec))]
    group, copy, own = (Cost(one.seconds - start, one.megabytes) for one in taken)
    report.add(f"Spark local[2], {millions} million rows", own, group, copy, millions * 1_000_000, 2.0)


def of_postgres(report: Report, folder: Path, spec: Path, millions: int) -> None:
    source = folder / f"{SHAPE}-{millions}.parquet"
    apart(make_up, source, millions * 1_000_000)
    with _server() as url:
        _load(url, source)
        group = usual([sys.executable, "-c", _POSTGRES, "group", url])
        copy = usual([sys.executable, "-c", _POSTGRES, "copy", url])
        own = usual(
            [
                *SHOAL,
                *("anonymize", url, "--table", "orders", "--spec", str(spec)),
                *("--output-table", "released", "--manifest", str(folder / "released.manifest.json")),
            ]
        )
        report.add(f"PostgreSQL, {millions} million rows", own, group, copy, millions * 1_000_000, 2.0)


def usual(command: list[str]) -> Cost:
    """Run a command three times; of runs this short the middle one tells more than any."""
    return sorted((cost(command) for _ in range(3)), key=lambda taken: taken.seconds)[1]


@contextmanager
def _server() -> Iterator[str]:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from tests.postgres_server import MISSING, binaries, running

    if binaries() is None:
        raise SystemExit(MISSING)
    with running() as server:
        yield server.url()


def _load(url: str, source: Path) -> None:
    import psycopg
    from pyarrow import csv

    with psycopg.connect(url, autocommit=True) as connection:
        file = pq.ParquetFile(source)
        names = file.schema_arrow.names
        connection.execute(f"CREATE TABLE orders ({', '.join(f'{_quoted(name)} text' for name in names)})")
        with connection.cursor().copy("COPY orders FROM STDIN (FORMAT csv)") as rows:
            for batch in file.iter_batches(500_000):
                sink = pa.BufferOutputStream()
                csv.write_csv(_plain(batch), sink, csv.WriteOptions(include_header=False))
                rows.write(sink.getvalue().to_pybytes())
        connection.execute("VACUUM ANALYZE orders")


def _plain(batch: Any) -> pa.Table:
    columns = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in batch.columns
    ]
    return pa.table(columns, names=batch.schema.names)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--engines", default="duckdb,spark,postgres")
    parser.add_argument("--millions", default="1,10,100")
    parser.add_argument("--spark", type=int, default=20)
    parser.add_argument("--postgres", type=int, default=5)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--suppression", type=float, default=0.02)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.folder or Path(scratch)
        folder.mkdir(exist_ok=True)
        spec = spec_of(folder, asked.k, asked.suppression)
        engines = asked.engines.split(",")
        print(f"{SHAPE} shape, k = {asked.k}, suppression {asked.suppression}, loss\n")
        if "duckdb" in engines:
            of_duckdb(report, folder, spec, [int(number) for number in asked.millions.split(",")])
        if "postgres" in engines:
            of_postgres(report, folder, spec, asked.postgres)
        if "spark" in engines:
            of_spark(report, folder, spec, asked.spark)


if __name__ == "__main__":
    main()
