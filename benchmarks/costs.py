"""What processes cost: wall time and peak memory, each process measured by itself."""

from __future__ import annotations

import multiprocessing
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

SHOAL = [sys.executable, "-c", "from shoal.cli.main import main; main()"]

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
elif what == "sort":
    frame.sort(*frame.columns).write.format("noop").mode("overwrite").save()
elif what == "copy":
    frame.write.mode("overwrite").option("compression", "zstd").parquet(target)
elif what == "nothing":
    print(frame.limit(1).count())
else:
    import shoal
    shoal.anonymize(frame, what, output=target)
"""


class Cost(NamedTuple):
    """What a process took."""

    seconds: float
    megabytes: float


def cost(command: list[str], **environment: str) -> Cost:
    """Run a command to its end."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, **environment}) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    if process.returncode:
        raise SystemExit(f"{command[:4]} ended with {process.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost(seconds, usage.ru_maxrss * unit / 1e6)


def costs(commands: list[list[str]], repeats: int) -> list[Cost]:
    """Return the medians, the commands taking turns so that noise meets all of them alike."""
    runs = [[cost(command) for command in commands] for _ in range(repeats)]
    return [Cost(*map(statistics.median, zip(*taken, strict=True))) for taken in zip(*runs, strict=True)]


def spark_costs(source: Path, target: Path, *what: str) -> list[Cost]:
    """Run Spark on two cores for each of some things, and return what each took without starting it.

    Parameters
    ----------
    source, target
        A folder or file in Parquet, and where to write.
    what
        `group` by all columns, `sort` by all columns, `copy`, or the path of a spec to anonymize by.
    """
    run = [sys.executable, "-c", _SPARK]
    start, *taken = (cost([*run, one, str(source), str(target)]) for one in ("nothing", *what))
    return [Cost(one.seconds - start.seconds, one.megabytes) for one in taken]


def apart(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a process of its own: what it takes would count as theirs for those after it."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as processes:
        return processes.submit(function, *arguments).result()
