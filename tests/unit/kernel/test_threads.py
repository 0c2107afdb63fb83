"""Every object of the kernel, used by several threads at once: the answers are those that one thread gets.

`make sanitize-threads` runs this on a kernel that reports every race.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import pytest

from shoal import _kernel

from .test_checker import EVERYTHING, NOTHING, checker_of
from .test_frequency_sets import Maps, classes_by_numpy, kernel_table, random_codes, random_maps

THREADS = 4
ROWS = 3000
HEIGHTS = [2, 2, 1, 2]
CARDINALITIES = [60, 20, 4, 30]
NODES = list(product(*(range(height + 1) for height in HEIGHTS)))
K, LIMIT = 3, 60

Node = tuple[int, ...]
Data = tuple[list[np.ndarray], Maps]


def hammer(work: Callable[[np.random.Generator], object], *, rounds: int = 3) -> None:
    """Run some work on several threads that start together, and raise what any of them raises."""
    barrier = threading.Barrier(THREADS)
    errors: list[BaseException] = []

    def run(seed: int) -> None:
        rng = np.random.default_rng(seed)
        try:
            barrier.wait()
            for _ in range(rounds):
                work(rng)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.fixture(scope="module")
def data() -> Data:
    rng = np.random.default_rng(17)
    return random_codes(rng, CARDINALITIES, ROWS, 2.0), random_maps(rng, CARDINALITIES, HEIGHTS)


@pytest.fixture(scope="module")
def sizes(data: Data) -> dict[Node, list[int]]:
    return {node: list(classes_by_numpy(*data, node).values()) for node in NODES}


@pytest.fixture
def table(data: Data) -> _kernel.CodedTable:
    return kernel_table(*data)


@pytest.fixture
def best_instructions() -> Iterator[None]:
    yield
    _kernel.use_instruction_set(_kernel.instruction_sets()[-1])


def failing(sizes: list[int]) -> int:
    return sum(n for n in sizes if n < K)


def objective() -> _kernel.Objective:
    return _kernel.Objective(term="squares", rows=float(ROWS))


def test_a_table_is_searched_and_looked_at_at_once(
    table: _kernel.CodedTable, sizes: dict[Node, list[int]], data: Data
) -> None:
    requirement, measure = _kernel.Requirement(K, LIMIT), objective()
    satisfying = {node for node in NODES if failing(sizes[node]) <= LIMIT}
    best = min(sum(n * n for n in sizes[node]) for node in satisfying)

    def listener(nodes: int, decided: int, best: float | None) -> None:
        assert 0 <= decided <= nodes == table.nodes

    def work(rng: np.random.Generator) -> None:
        threads = int(rng.integers(1, 4))
        found = table.search(
            requirement,
            measure,
            threads=threads,
            least_shared_work=0,
            progress=listener,
        )
        assert found.score == best
        every = table.search(requirement, measure, all_nodes=True, threads=threads, least_shared_work=0)
        assert every.satisfying is not None
        assert set(map(tuple, every.satisfying.tolist())) == satisfying
        nodes = [NODES[i] for i in rng.permutation(len(NODES))[:20]]
        judged = table.evaluate(nodes, requirement, measure)
        assert judged.suppressed_rows.tolist() == [failing(sizes[node]) for node in nodes]
        assert judged.classes.tolist() == [len(sizes[node]) for node in nodes]
        classes = table.classes([nodes[0]])
        assert sorted(classes.rows.tolist()) == sorted(sizes[nodes[0]])
        assert (table.rows, table.nodes, table.tuples) == (ROWS, len(NODES), len(sizes[NODES[0]]))
        assert table.peak_bytes > 0
        table.reset_peak_bytes()
        assert kernel_table(*data).tuples == table.tuples

    hammer(work)


@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize(
    "options", [EVERYTHING, NOTHING, NOTHING | {"snapshots": 3, "snapshot_classes": 10**9}]
)
def test_threads_share_a_checker(
    table: _kernel.CodedTable, sizes: dict[Node, list[int]], options: dict[str, int], project: bool
) -> None:
    checker = checker_of(table, K, LIMIT, project, **options)
    # What one thread keeps, others roll up from, and whoever comes last drops it.
    kept: list[tuple[Node, _kernel.Checked]] = []

    def work(rng: np.random.Generator) -> None:
        before = checker.counters
        for i in rng.permutation(len(NODES)).tolist():
            node = NODES[i]
            below = [
                source
                for at, source in list(kept)
                if all(low <= high for low, high in zip(at, node, strict=True))
            ]
            checked = checker.check(node, below[-1] if below else None)
            assert checked.satisfies == (failing(sizes[node]) <= LIMIT)
            assert (checked.suppressed_rows, checked.classes) == (failing(sizes[node]), len(sizes[node]))
            if checked.satisfies:
                assert checked.score == sum(n * n for n in sizes[node])
            if checked.kept:
                kept.append((node, checked))
            if len(kept) > 8:
                kept.clear()
        base = checker.prepare((0, 1, 0, 0))
        assert base.kept
        assert base.classes == len(sizes[0, 1, 0, 0])
        judged = checker.evaluate(NODES[:10])
        assert judged.classes.tolist() == [len(sizes[node]) for node in NODES[:10]]
        after = checker.counters
        assert after.checked >= before.checked + len(NODES)
        assert after.touched >= before.touched
        assert "checked=" in repr(after)

    hammer(work, rounds=1)
    assert checker.counters.checked == THREADS * (len(NODES) + 10)


def test_threads_share_bitmaps(data: Data, sizes: dict[Node, list[int]]) -> None:
    table = _kernel.BitmapTable(*data)
    whole = table.everything()
    shared = table.extend(whole, 0, 0, K, LIMIT, pruning=False).classes

    def work(rng: np.random.Generator) -> None:
        for i in rng.permutation(len(NODES))[:12].tolist():
            node = NODES[i]
            tally = table.count(range(4), node, K, LIMIT, reusing=bool(i % 2), pruning=False)
            assert (tally.failing_rows, tally.classes) == (failing(sizes[node]), len(sizes[node]))
            classes = table.generalize(shared, node[:1], K, LIMIT, pruning=False).classes
            for column in rng.permutation([1, 2, 3]).tolist():
                made = table.extend(classes, column, node[column], K, LIMIT, pruning=False)
                classes = made.classes
            assert made.tally.failing_rows == failing(sizes[node])
            assert sorted(classes.sizes().rows.tolist()) == sorted(sizes[node])
        assert len(table.everything()) == len(whole) == 1
        assert table.rows == ROWS
        bits = np.unpackbits(table.bitmap(2, HEIGHTS[2], 0).view(np.uint8))
        assert bits.sum() == ROWS
        assert shared.bytes > 0

    hammer(work)


def test_threads_share_what_is_asked_and_what_was_found(data: Data, best_instructions: None) -> None:
    codes, maps = data
    few = (codes[0] % 3).astype(np.uint32)
    attribute = _kernel.Attribute(few, entries=3, values=3)
    condition = _kernel.Condition("distinct", 0, True, 2, 0.0, [], [], [], 0.0, [], [])
    requirement = _kernel.Requirement(K, LIMIT, [condition])
    minority = _kernel.Objective(term="minority", rows=float(ROWS), divisor=float(ROWS))
    table = _kernel.CodedTable(
        codes,
        maps,
        user_levels=[list(range(len(levels))) for levels in maps],
        heights=HEIGHTS,
        attributes=[attribute] * 2,
    )
    # In one thread first.
    found = table.search(requirement, minority)
    judged = table.evaluate(NODES, requirement, minority)
    index = _kernel.index_rows(codes, CARDINALITIES)
    names = _kernel.instruction_sets()

    def work(rng: np.random.Generator) -> None:
        _kernel.use_instruction_set(names[int(rng.integers(len(names)))])
        again = table.search(requirement, minority, threads=2, least_shared_work=0)
        assert (again.levels, again.score) == (found.levels, found.score)
        np.testing.assert_array_equal(table.evaluate(NODES, requirement, minority).scores, judged.scores)
        np.testing.assert_array_equal(
            _kernel.index_rows(codes, CARDINALITIES).tuple_of_row, index.tuple_of_row
        )
        a, b = index.rows_of_tuple, index.rows_of_tuple[::-1].copy()
        np.testing.assert_array_equal(_kernel.bitmap_intersect(a, b), a & b)
        assert (requirement.k, requirement.limit, requirement.monotone) == (K, LIMIT, True)
        assert (attribute.entries, attribute.values, attribute.once) == (3, 3, False)
        assert repr(found).startswith("SearchOutcome(levels=(")

    hammer(work)


def test_threads_share_a_stop_signal(table: _kernel.CodedTable) -> None:
    requirement, measure = _kernel.Requirement(K, LIMIT), objective()
    signal = _kernel.StopSignal()

    def work(rng: np.random.Generator) -> None:
        with signal:
            try:
                while True:
                    signal.check()
                    table.search(requirement, measure, threads=2, least_shared_work=0)
                    if rng.random() < 0.2:
                        signal.stop()
            except _kernel.Stopped:
                assert signal.stopped

    hammer(work)
    assert signal.stopped
    assert table.search(requirement, measure).levels is not None


def test_threads_find_the_cheapest_classes(table: _kernel.CodedTable, data: Data) -> None:
    costs = [[[level * 2**20] * (int(labels[-1]) + 1) for level, labels in enumerate(c)] for c in data[1]]
    requirement = _kernel.Requirement(K, 0)
    alone = [table.cheapest(requirement, costs, effort=effort).class_of for effort in (0, 1)]

    def work(rng: np.random.Generator) -> None:
        for effort, expected in enumerate(alone):
            found = table.cheapest(requirement, costs, threads=int(rng.integers(1, 4)), effort=effort)
            np.testing.assert_array_equal(found.class_of, expected)
            assert all(table.passing(requirement, found.class_of, len(found)))

    hammer(work, rounds=2)


def test_threads_divide_a_table(table: _kernel.CodedTable, data: Data) -> None:
    costs = [[[level * 2**20] * (int(labels[-1]) + 1) for level, labels in enumerate(c)] for c in data[1]]
    requirement = _kernel.Requirement(K, 0)
    # In one thread first.
    alone = {cut: table.divide(requirement, costs, cut).class_of for cut in ("peel", "gain", "median")}

    def work(rng: np.random.Generator) -> None:
        for cut, expected in alone.items():
            found = table.divide(requirement, costs, cut, int(rng.integers(1, 4)))
            np.testing.assert_array_equal(found.class_of, expected)
            assert all(table.passing(requirement, found.class_of, len(found)))

    hammer(work, rounds=2)


def test_a_set_of_another_table_is_refused(table: _kernel.CodedTable, data: Data) -> None:
    codes, maps = data
    others = [kernel_table(codes, maps), kernel_table(codes, maps, np.full(ROWS, 2**30, dtype=np.uint64))]
    checker = checker_of(table, K, LIMIT, True, **EVERYTHING)
    for other in others:
        source = checker_of(other, K, LIMIT, True, **EVERYTHING).prepare(NODES[0])
        with pytest.raises(ValueError, match="its own table"):
            checker.check(NODES[-1], source)
    assert checker.check(NODES[-1]).classes == 1
