"""A signal from another thread ends every long call of the kernel soon, and leaves its objects usable."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter

import numpy as np
import pytest

from shoal import _kernel

from .test_checker import EVERYTHING, checker_of
from .test_frequency_sets import Maps, kernel_table, random_codes, random_maps

ROWS = 1_000_000
CARDINALITIES = [3000, 2000, 500, 200]
HEIGHTS = [9, 9, 9, 9]

Data = tuple[list[np.ndarray], Maps]


@pytest.fixture(scope="module")
def data() -> Data:
    rng = np.random.default_rng(2)
    return random_codes(rng, CARDINALITIES, ROWS, 1.5), random_maps(rng, CARDINALITIES, HEIGHTS)


@pytest.fixture(scope="module")
def table(data: Data) -> _kernel.CodedTable:
    return kernel_table(*data)


def stopped_after(seconds: float, work: Callable[[], object]) -> float:
    """Stop work on this thread from another one, and return the seconds that it took to end.

    It would go on for ever: that it ends is the test, and the seconds are only to be printed.
    """
    signal = _kernel.StopSignal()
    begun, told = threading.Event(), []

    def stop() -> None:
        begun.wait()
        threading.Event().wait(seconds)  # not for anything: to stop in the middle of the work
        told.append(perf_counter())
        signal.stop()

    stopper = threading.Thread(target=stop)
    stopper.start()
    try:
        with signal, pytest.raises(_kernel.Stopped, match="stopped"):
            begun.set()
            while True:
                work()
        ended = perf_counter()
    finally:
        begun.set()
        signal.stop()
        stopper.join()
    return ended - told[0]


REQUIREMENT = _kernel.Requirement(5, 80_000)
OBJECTIVE = _kernel.Objective(term="squares", rows=float(ROWS))
DOZEN = [(level,) * 4 for level in range(10)] + [(0, 0, 0, 1), (0, 0, 1, 0)]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_is_stopped(table: _kernel.CodedTable, threads: int) -> None:
    def search() -> None:
        table.search(REQUIREMENT, OBJECTIVE, all_nodes=True, threads=threads, least_shared_work=0)

    late = max(stopped_after(seconds, search) for seconds in (0.0, 0.05, 0.3))
    print(f"A search with {threads} threads ended {1000 * late:.1f} ms after the signal.")


@pytest.mark.parametrize(
    "kind",
    [
        "table",
        "index",
        "evaluate",
        "check",
        "classes",
        "divide",
        "median",
        "cheapest",
        "aggregate",
        "mdav",
        "bitmaps",
        "count",
    ],
)
def test_every_long_call_is_stopped(data: Data, table: _kernel.CodedTable, kind: str) -> None:
    codes, maps = data
    checker = checker_of(table, 5, 80_000, True, **EVERYTHING)
    bitmaps = _kernel.BitmapTable(codes[2:], maps[2:])
    costs = [[[level * 2**20] * (int(labels[-1]) + 1) for level, labels in enumerate(c)] for c in maps]
    points = [np.arange(table.tuples) * 7919.0 % prime for prime in (1009, 2003)]
    calls: dict[str, Callable[[], object]] = {
        "table": lambda: kernel_table(codes, maps),
        "index": lambda: _kernel.index_rows(codes, CARDINALITIES),
        "evaluate": lambda: table.evaluate(DOZEN, REQUIREMENT, OBJECTIVE),
        "check": lambda: [checker.check(node) for node in DOZEN],
        "classes": lambda: table.classes(DOZEN[:2]),
        "divide": lambda: table.divide(REQUIREMENT, costs, threads=2),
        "cheapest": lambda: table.cheapest(REQUIREMENT, costs, threads=2, effort=1),
        "median": lambda: table.divide(REQUIREMENT, costs, "median"),
        "aggregate": lambda: table.aggregate(REQUIREMENT, points, 2048, threads=2),
        "mdav": lambda: table.aggregate(REQUIREMENT, points),
        "bitmaps": lambda: _kernel.BitmapTable(codes[2:], maps[2:]),
        "count": lambda: bitmaps.count((0, 1), (0, 0), 5, ROWS, reusing=False, pruning=False),
    }
    late = max(stopped_after(seconds, calls[kind]) for seconds in (0.0, 0.02, 0.1))
    print(f"{kind} ended {1000 * late:.1f} ms after the signal.")


def test_a_checker_that_was_stopped_still_judges_well(data: Data) -> None:
    codes, maps = data[0], data[1]
    few = kernel_table([column[:50_000] for column in codes], maps)
    checker = checker_of(few, 5, 1000, True, **(EVERYTHING | {"rollup": False}))
    fresh = checker_of(few, 5, 1000, False, **(EVERYTHING | {"rollup": False}))
    nodes = [(level, 0, level // 2, 0) for level in range(4)]
    rng = np.random.default_rng(1)
    for _ in range(5):
        stopped_after(float(rng.random()) / 50, lambda: [checker.check(node) for node in nodes])
        for node in nodes:
            ours, theirs = checker.check(node), fresh.check(node)
            assert (ours.suppressed_rows, ours.classes) == (theirs.suppressed_rows, theirs.classes)


def test_who_waits_for_an_object_is_stopped_too(table: _kernel.CodedTable) -> None:
    checker = checker_of(table, 5, 80_000, True, **EVERYTHING)
    outer = _kernel.StopSignal()

    def keep_busy() -> None:
        with outer, pytest.raises(_kernel.Stopped):
            while True:
                checker.evaluate(DOZEN)

    busy = threading.Thread(target=keep_busy)
    busy.start()
    try:
        late = stopped_after(0.05, lambda: checker.check((0, 0, 0, 0)))
        print(f"A call that waits for another ended {1000 * late:.1f} ms after the signal.")
    finally:
        outer.stop()
        busy.join()
    assert checker.counters.checked > 0


def test_a_signal_ends_the_calls_inside_its_block_alone() -> None:
    codes, values = [np.zeros(3, dtype=np.uint32)], [1]
    outer, inner = _kernel.StopSignal(), _kernel.StopSignal()
    with outer:
        with inner:
            inner.stop()
            with pytest.raises(_kernel.Stopped):
                _kernel.index_rows(codes, values)
        assert len(_kernel.index_rows(codes, values)) == 1
        outer.stop()
        with _kernel.StopSignal(), pytest.raises(_kernel.Stopped):
            _kernel.index_rows(codes, values)
    assert len(_kernel.index_rows(codes, values)) == 1
    with pytest.raises(RuntimeError, match="did not enter"):
        outer.__exit__(None, None, None)


def test_a_signal_is_for_the_thread_that_entered_it() -> None:
    codes, values = [np.zeros(3, dtype=np.uint32)], [1]
    signal = _kernel.StopSignal()
    found: list[int] = []
    other = threading.Thread(target=lambda: found.append(len(_kernel.index_rows(codes, values))))
    with signal:
        signal.stop()
        other.start()
        other.join()
    assert found == [1]
    assert (signal.stopped, repr(signal)) == (True, "StopSignal(stopped=True)")
    with pytest.raises(_kernel.Stopped):
        signal.check()


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("kind", [ValueError, MemoryError, KeyboardInterrupt, SystemExit])
def test_what_progress_raises_comes_home(
    table: _kernel.CodedTable, kind: type[BaseException], threads: int
) -> None:
    def listener(nodes: int, decided: int, best: float | None) -> None:
        raise kind("from the listener")

    with pytest.raises(kind, match="from the listener"):
        table.search(
            REQUIREMENT, OBJECTIVE, all_nodes=True, threads=threads, least_shared_work=0, progress=listener
        )
