"""The kernel's bitmaps against a few lines of numpy, on every instruction set that this machine has."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal import _kernel

from .test_frequency_sets import Maps, classes_by_numpy, random_codes, random_maps

Words = NDArray[np.uint64]

# Around the borders of vectors of 128, 256 and 512 bits.
SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 472]
# Around the borders of words and blocks.
ROWS = [1, 63, 64, 65, 511, 512, 513, 1024, 3000]


@pytest.fixture(params=_kernel.instruction_sets())
def instruction_set(request: pytest.FixtureRequest) -> Iterator[str]:
    _kernel.use_instruction_set(request.param)
    yield request.param
    _kernel.use_instruction_set(_kernel.instruction_sets()[-1])


def random_bitmaps(size: int) -> list[Words]:
    rng = np.random.default_rng(size)
    dense = rng.integers(0, 2**64, size=size, dtype=np.uint64)
    sparse = np.where(rng.random(size) < 0.1, dense, np.uint64(0))
    return [dense, sparse, dense[::-1].copy(), np.zeros_like(dense), np.full_like(dense, 2**64 - 1)]


def bits(words: Words) -> int:
    return int(np.unpackbits(words.view(np.uint8)).sum())


@pytest.mark.parametrize("size", SIZES)
def test_operations_equal_those_of_numpy(instruction_set: str, size: int) -> None:
    for a, b in product(random_bitmaps(size), repeat=2):
        np.testing.assert_array_equal(_kernel.bitmap_intersect(a, b), a & b)
        np.testing.assert_array_equal(_kernel.bitmap_subtract(a, b), a & ~b)
        np.testing.assert_array_equal(_kernel.bitmap_unite(a, b), a | b)
        assert _kernel.bitmap_count_common(a, b) == bits(a & b)
        stored, count = _kernel.bitmap_intersect_and_count(a, b)
        np.testing.assert_array_equal(stored, a & b)
        assert count == bits(a & b)


@pytest.mark.parametrize("size", SIZES)
def test_operations_equal_the_portable_ones(size: int) -> None:
    def results() -> list[tuple[object, ...]]:
        return [
            (
                _kernel.bitmap_intersect(a, b).tolist(),
                _kernel.bitmap_subtract(a, b).tolist(),
                _kernel.bitmap_unite(a, b).tolist(),
                _kernel.bitmap_intersect_and_count(a, b)[0].tolist(),
                _kernel.bitmap_intersect_and_count(a, b)[1],
                _kernel.bitmap_count_common(a, b),
            )
            for a, b in product(random_bitmaps(size), repeat=2)
        ]

    try:
        _kernel.use_instruction_set("portable")
        portable = results()
        for name in _kernel.instruction_sets():
            _kernel.use_instruction_set(name)
            assert results() == portable
    finally:
        _kernel.use_instruction_set(_kernel.instruction_sets()[-1])


def test_bitmaps_of_different_sizes_are_refused() -> None:
    a, b = np.zeros(3, dtype=np.uint64), np.zeros(4, dtype=np.uint64)
    for operation in (
        _kernel.bitmap_intersect,
        _kernel.bitmap_subtract,
        _kernel.bitmap_unite,
        _kernel.bitmap_intersect_and_count,
        _kernel.bitmap_count_common,
    ):
        with pytest.raises(ValueError, match="differ in size"):
            operation(a, b)


def random_table(rows: int) -> tuple[list[NDArray[np.uint32]], Maps]:
    rng = np.random.default_rng(rows)
    cardinalities = [min(cardinality, rows) for cardinality in (40, 5, 1, 12)]
    maps = random_maps(rng, cardinalities, [3, 1, 0, 2])
    return random_codes(rng, cardinalities, rows, 2.0), maps


def nodes_of(maps: Maps, columns: tuple[int, ...]) -> list[tuple[int, ...]]:
    return list(product(*(range(len(maps[c])) for c in columns)))


def sizes_by_numpy(
    codes: list[NDArray[np.uint32]], maps: Maps, columns: tuple[int, ...], node: tuple[int, ...]
) -> dict[tuple[int, ...], int]:
    return classes_by_numpy([codes[c] for c in columns], [maps[c] for c in columns], node)


def sizes_by_bitmaps(classes: _kernel.ClassBitmaps) -> dict[tuple[int, ...], int]:
    counts = classes.sizes()
    found = dict(zip(map(tuple, counts.labels.tolist()), counts.rows.tolist(), strict=True))
    assert len(found) == len(classes), "a class came out twice"
    return found


@pytest.mark.parametrize("rows", ROWS)
def test_every_row_is_in_one_bitmap_of_every_level(instruction_set: str, rows: int) -> None:
    codes, maps = random_table(rows)
    table = _kernel.BitmapTable(codes, maps)
    for column, levels in enumerate(maps):
        for level, labels in enumerate(levels):
            bitmaps = [table.bitmap(column, level, label) for label in range(int(labels.max()) + 1)]
            assert [bits(bitmap) for bitmap in bitmaps] == np.bincount(labels[codes[column]]).tolist()
            assert bits(np.bitwise_or.reduce(bitmaps)) == rows
            if level:
                parents = {int(a): int(b) for a, b in zip(levels[level - 1], labels, strict=True)}
                for child, parent in parents.items():
                    assert not (table.bitmap(column, level - 1, child) & ~bitmaps[parent]).any()


@pytest.mark.parametrize("pruning", [True, False])
@pytest.mark.parametrize("reusing", [True, False])
@pytest.mark.parametrize("rows", ROWS)
def test_counting_a_node_equals_grouping_the_rows(
    instruction_set: str, rows: int, reusing: bool, pruning: bool
) -> None:
    codes, maps = random_table(rows)
    table = _kernel.BitmapTable(codes, maps)
    assert table.rows == rows
    for columns in [(0,), (2,), (1, 3), (0, 1, 3), (0, 1, 2, 3)]:
        for node in nodes_of(maps, columns):
            sizes = np.array(list(sizes_by_numpy(codes, maps, columns, node).values()))
            for k, limit in [(1, 0), (2, 0), (3, rows // 20), (rows + 1, rows)]:
                tally = table.count(columns, node, k, limit, reusing=reusing, pruning=pruning)
                failing = int(sizes[sizes < k].sum())
                assert (tally.failing_rows > limit) == (failing > limit)
                assert tally.cut == (pruning and failing > limit)
                if not tally.cut:
                    assert tally.failing_rows == failing
                if not pruning:
                    assert tally.classes == len(sizes)


@pytest.mark.parametrize("rows", ROWS)
def test_classes_made_by_and_and_by_or_equal_grouping_the_rows(instruction_set: str, rows: int) -> None:
    codes, maps = random_table(rows)
    table = _kernel.BitmapTable(codes, maps)
    rng = np.random.default_rng(rows)
    k, limit = 3, rows // 4
    for _ in range(12):
        # One column more at a time, in any order.
        order = rng.permutation(4)[: rng.integers(1, 5)].tolist()
        levels = {c: int(rng.integers(len(maps[c]))) for c in order}
        classes = table.everything()
        for c in order:
            made = table.extend(classes, c, levels[c], k, limit, pruning=False)
            classes = made.classes
        columns = tuple(sorted(order))
        node = tuple(levels[c] for c in columns)
        expected = sizes_by_numpy(codes, maps, columns, node)
        assert (tuple(classes.columns), tuple(classes.levels)) == (columns, node)
        assert sizes_by_bitmaps(classes) == expected
        assert made.tally.failing_rows == sum(n for n in expected.values() if n < k)
        assert classes.bytes >= 64 * len(classes)

        higher = tuple(int(rng.integers(level, len(maps[c]))) for c, level in zip(columns, node, strict=True))
        expected = sizes_by_numpy(codes, maps, columns, higher)
        failing = sum(n for n in expected.values() if n < k)
        above = table.generalize(classes, higher, k, limit, pruning=False)
        assert sizes_by_bitmaps(above.classes) == expected
        tally = above.tally
        assert (tally.failing_rows, tally.classes, tally.cut) == (failing, len(expected), False)
        assert table.generalize(classes, higher, k, limit).tally.cut == (failing > limit)


def test_what_is_no_node_is_refused() -> None:
    codes, maps = random_table(100)
    table = _kernel.BitmapTable(codes, maps)
    with pytest.raises(ValueError, match="one level per column"):
        table.count([0, 1], [0], 2, 0)
    with pytest.raises(ValueError, match="in order"):
        table.count([1, 0], [0, 0], 2, 0)
    with pytest.raises(ValueError, match="in order"):
        table.count([4], [0], 2, 0)
    with pytest.raises(IndexError, match="level"):
        table.count([0], [9], 2, 0)
    with pytest.raises(IndexError, match="label"):
        table.bitmap(0, 0, 1000)
    classes = table.extend(table.everything(), 0, 1, 2, 0, pruning=False).classes
    with pytest.raises(ValueError, match="generalization"):
        table.generalize(classes, [0], 2, 0)
    with pytest.raises(ValueError, match="in order"):
        table.extend(classes, 0, 0, 2, 0)
    with pytest.raises(ValueError, match="length"):
        _kernel.BitmapTable([codes[0], codes[1][:-1]], maps[:2])
