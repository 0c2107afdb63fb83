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
from typing import Any, NamedTuple

SHOAL = [sys.executable, "-c", "from shoal.cli.main import main; main()"]


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


def apart(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a process of its own: what it takes would count as theirs for those after it."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as processes:
        return processes.submit(function, *arguments).result()
