"""The kernel's frequency sets, roll-ups and search against a few lines of numpy."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal import _kernel

Maps = list[list[NDArray[np.uint32]]]


def random_maps(rng: np.random.Generator, cardinalities: list[int], heights: list[int]) -> Maps:
    """Nested level maps in leaf order: each level cuts the codes at fewer places."""
    maps: Maps = []
    for cardinality, height in zip(cardinalities, heights, strict=True):
        cuts = np.arange(1, cardinality)
        levels = [np.arange(cardinality, dtype=np.uint32)]
        for level in range(height):
            keep = 0 if level == height - 1 else rng.integers(0, max(len(cuts) // 3, 1) + 1)
            cuts = np.sort(rng.choice(cuts, size=min(keep, len(cuts)), replace=False)) if len(cuts) else cuts
            levels.append(np.searchsorted(cuts, np.arange(cardinality), side="right").astype(np.uint32))
        maps.append(levels)
    return maps


def random_codes(
    rng: np.random.Generator, cardinalities: list[int], rows: int, skew: float
) -> list[NDArray[np.uint32]]:
    codes = []
    for cardinality in cardinalities:
        drawn = np.minimum((rng.random(rows) ** skew * cardinality).astype(np.uint32), cardinality - 1)
        drawn[: min(rows, cardinality)] = np.arange(min(rows, cardinality))  # every code occurs, if it can
        codes.append(rng.permutation(drawn))
    return codes


def kernel_table(
    codes: list[NDArray[np.uint32]], maps: Maps, weights: NDArray[np.uint64] | None = None
) -> _kernel.CodedTable:
    return _kernel.CodedTable(
        codes=codes,
        maps=maps,
        user_levels=[list(range(len(levels))) for levels in maps],
        heights=[len(levels) - 1 for levels in maps],
        weights=weights,
    )


def classes_by_numpy(
    codes: list[NDArray[np.uint32]],
    maps: Maps,
    node: tuple[int, ...],
    weights: NDArray[np.uint64] | None = None,
) -> dict[tuple[int, ...], int]:
    columns = np.stack([maps[c][level][codes[c]] for c, level in enumerate(node)])
    order = np.lexsort(columns)
    ordered = columns[:, order]
    starts = np.flatnonzero(np.r_[True, (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)])
    counts = np.add.reduceat(
        np.ones(len(order), dtype=np.uint64) if weights is None else weights[order], starts
    )
    return dict(zip(map(tuple, ordered[:, starts].T.tolist()), counts.tolist(), strict=True))


def classes_by_kernel(table: _kernel.CodedTable, path: list[tuple[int, ...]]) -> dict[tuple[int, ...], int]:
    classes = table.classes(path)
    found = dict(zip(map(tuple, classes.labels.tolist()), classes.rows.tolist(), strict=True))
    assert len(found) == len(classes), "a class came out twice"
    return found


SHAPES = {
    "dense": ([3, 5, 2, 4], 500, 1.0),
    "sparse, one word": ([4000, 50, 700, 20, 9], 60_000, 1.0),
    "sparse, heavy hitters": ([30_000, 3000, 40], 150_000, 12.0),
    "two words": ([5000, 5000, 5000, 5000, 900, 900], 20_000, 2.0),
    "four words": ([30_000] * 12, 30_000, 1.0),
    "one row": ([1, 1], 1, 1.0),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("weighted", [False, True])
def test_rolling_up_along_any_path_equals_grouping_the_rows(name: str, weighted: bool) -> None:
    cardinalities, rows, skew = SHAPES[name]
    rng = np.random.default_rng(len(name))
    cardinalities = [min(cardinality, rows) for cardinality in cardinalities]
    heights = [int(h) for h in rng.integers(1, 4, size=len(cardinalities))]
    maps = random_maps(rng, cardinalities, heights)
    codes = random_codes(rng, cardinalities, rows, skew)
    # Weights beyond 2^32 in sum need the widest counts.
    weights = rng.integers(1, 2**40, size=rows, dtype=np.uint64) if weighted else None
    table = kernel_table(codes, maps, weights)
    bottom = (0,) * len(cardinalities)
    assert classes_by_kernel(table, []) == classes_by_numpy(codes, maps, bottom, weights)
    for _ in range(4):
        path = [bottom]
        for _ in range(3):
            step = rng.integers(0, 2, size=len(heights)) * rng.integers(0, 3, size=len(heights))
            path.append(tuple(int(min(h, p + s)) for h, p, s in zip(heights, path[-1], step, strict=True)))
        assert classes_by_kernel(table, path[1:]) == classes_by_numpy(codes, maps, path[-1], weights)


@cache
def scores_by_numpy(rows: int, k: int, limit: int) -> tuple[Any, dict[tuple[int, ...], tuple[int, int]]]:
    """Return codes and maps of a random table, and square sum and height of every node that satisfies."""
    rng = np.random.default_rng(rows)
    cardinalities, heights = [300, 40, 9, 60], [3, 2, 1, 3]
    maps = random_maps(rng, cardinalities, heights)
    codes = random_codes(rng, cardinalities, rows, 3.0)
    scores = {}
    for node in product(*(range(h + 1) for h in heights)):
        sizes = list(classes_by_numpy(codes, maps, node).values())
        if sum(n for n in sizes if n < k) <= limit:
            scores[node] = (sum(n * n for n in sizes), sum(node))
    return (codes, maps), scores


@pytest.mark.parametrize("instruction_set", _kernel.instruction_sets())
@pytest.mark.parametrize("rows", [3000, 120_000])
def test_search_finds_every_node_that_numpy_finds(instruction_set: str, rows: int) -> None:
    k, limit = 4, rows // 50
    drawn, scores = scores_by_numpy(rows, k, limit)
    _kernel.use_instruction_set(instruction_set)
    try:
        table = kernel_table(*drawn)
        objective = _kernel.Objective(term="squares", rows=float(rows))
        for threads in (1, 2):
            result = table.search(
                _kernel.Requirement(k, limit), objective, all_nodes=True, threads=threads, least_shared_work=0
            )
            assert set(map(tuple, result.satisfying.tolist())) == set(scores)
            best = table.search(
                _kernel.Requirement(k, limit), objective, threads=threads, least_shared_work=0
            )
            assert best.score == min(scores.values())[0]
            assert scores[best.levels] == min(scores.values())
    finally:
        _kernel.use_instruction_set(_kernel.instruction_sets()[-1])


def test_evaluate_scores_nodes_in_the_order_given() -> None:
    rng = np.random.default_rng(5)
    cardinalities, heights = [30, 20, 5], [2, 3, 1]
    maps, codes = random_maps(rng, cardinalities, heights), random_codes(rng, cardinalities, 2000, 2.0)
    table = kernel_table(codes, maps)
    nodes = [tuple(map(int, n)) for n in rng.permutation(list(product(range(3), range(4), range(2))))]
    found = table.evaluate(nodes, _kernel.Requirement(5, 0), _kernel.Objective(term="squares", rows=2000.0))
    for i, node in enumerate(nodes):
        sizes = list(classes_by_numpy(codes, maps, node).values())
        assert found.suppressed_rows[i] == sum(n for n in sizes if n < 5)
        assert found.classes[i] == len(sizes)
        assert found.scores[i] == sum(n * n for n in sizes)


@pytest.mark.parametrize("cardinalities", [[7, 3], [5000, 4000, 3000, 2000], [100_000] * 9])
def test_index_rows_numbers_the_tuples(cardinalities: list[int]) -> None:
    rng = np.random.default_rng(1)
    codes = [rng.integers(0, n, size=3000, dtype=np.uint32) // 50 * 50 % np.uint32(n) for n in cardinalities]
    found = _kernel.index_rows(codes, cardinalities)
    tuple_of, counts = found.tuple_of_row, found.rows_of_tuple
    expected = Counter(zip(*(column.tolist() for column in codes), strict=True))
    assert Counter(tuple_of.tolist()) == dict(enumerate(counts.tolist()))
    assert sorted(counts.tolist()) == sorted(expected.values())
    rows = list(zip(*(column.tolist() for column in codes), strict=True))
    assert len({(row, number) for row, number in zip(rows, tuple_of.tolist(), strict=True)}) == len(expected)


def test_progress_may_stop_a_search() -> None:
    rng = np.random.default_rng(2)
    cardinalities, heights = [3000, 2000, 500, 200], [9, 9, 9, 9]
    rows = 2_000_000  # no machine is done with so many before it reports
    maps, codes = random_maps(rng, cardinalities, heights), random_codes(rng, cardinalities, rows, 1.5)
    table = kernel_table(codes, maps)
    calls = []

    class StopSearchError(Exception):
        pass

    def listener(nodes: int, decided: int, best: float | None) -> None:
        calls.append((nodes, decided, best))
        raise StopSearchError

    for threads in (1, 2):
        with pytest.raises(StopSearchError):
            table.search(
                requirement=_kernel.Requirement(5, 80_000),
                objective=_kernel.Objective(term="squares", rows=float(rows)),
                all_nodes=True,
                threads=threads,
                least_shared_work=0,
                progress=listener,
            )
    assert len(calls) == 2
    assert all(0 <= decided <= nodes == 10**4 for nodes, decided, _ in calls)


def bad_tables() -> dict[str, dict[str, object]]:
    identity = np.arange(3, dtype=np.uint32)
    zeros = np.zeros(3, dtype=np.uint32)
    ones = np.array([0, 1, 1], dtype=np.uint32)
    good = {"codes": [identity], "maps": [[identity, zeros]], "user_levels": [[0, 1]], "heights": [1]}
    return {
        "no rows": good | {"codes": [identity[:0]]},
        "a code without label": good | {"codes": [np.array([3], dtype=np.uint32)]},
        "not nested": good
        | {"maps": [[identity, ones, np.array([0, 0, 1], dtype=np.uint32)]], "user_levels": [[0, 1, 2]]},
        "not in leaf order": good | {"maps": [[identity, np.array([0, 1, 0], dtype=np.uint32)]]},
        "level 0 merges": good | {"maps": [[zeros, zeros]]},
        "levels missing": good | {"user_levels": [[0]]},
        "a level beyond a byte": good | {"user_levels": [[0, 256]]},
        "weights missing": good | {"weights": np.ones(2, dtype=np.uint64)},
        "weight 0": good | {"weights": np.zeros(3, dtype=np.uint64)},
    }


@pytest.mark.parametrize("name", bad_tables())
def test_bad_tables_are_refused(name: str) -> None:
    with pytest.raises((ValueError, RuntimeError)):
        _kernel.CodedTable(**bad_tables()[name])  # type: ignore[arg-type]


def test_a_lattice_beyond_search_can_be_looked_at_node_by_node() -> None:
    identity, zeros = np.arange(3, dtype=np.uint32), np.zeros(3, dtype=np.uint32)
    table = kernel_table([identity] * 60, [[identity, zeros]] * 60)
    objective = _kernel.Objective(term="squares", rows=3.0)
    found = table.evaluate([(1,) * 60, (0,) * 60], _kernel.Requirement(2, 0), objective)
    assert found.classes.tolist() == [1, 3]
    with pytest.raises(ValueError, match="too large"):
        table.search(_kernel.Requirement(2, 0), objective)
