"""Cuts into halves, at medians and through buckets, against a few lines of Python that try every cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal import _kernel

from .test_frequency_sets import kernel_table, random_codes, random_maps
from .test_mondrian import SHAPES, Part, Reference, costs_of, parts_of, range_costs

CUTS = ("even", "buckets")


@dataclass(frozen=True)
class Halves:
    """Division into halves by its definition: the cheapest allowed cut of each part, as rows alone decide."""

    table: Reference
    bucket_of: NDArray[np.uint32]

    def cost(self, half: Part) -> int:
        return self.table.size(half) * sum(self.table.cell(half, c) for c in range(len(self.table.maps)))

    def at_median(self, part: Part, column: int) -> Part | None:
        """The most even halves between two values, or between two children of the lowest common label."""
        table = self.table
        own = {i: table.tuples[i][column] for i in part}
        low, high = min(own.values()), max(own.values())
        levels = table.maps[column]
        common = next(n for n, level in enumerate(levels) if level[low] == level[high])
        child = levels[common - 1] if common > 1 and not table.ranges[column][0] else levels[0]
        halves = [
            frozenset(i for i in part if own[i] <= last)
            for last in range(low, high)
            if child[last] != child[last + 1]
        ]
        halves = [h for h in halves if table.k <= table.size(h) <= table.size(part) - table.k]
        return min(halves, key=lambda half: abs(2 * table.size(half) - table.size(part)), default=None)

    def through_buckets(self, part: Part, column: int) -> Part | None:
        table, first, odd_first = self.table, set(), True
        for bucket in sorted({int(self.bucket_of[i]) for i in part}):
            own = sorted(
                (i for i in part if self.bucket_of[i] == bucket), key=lambda i: (table.tuples[i][column], i)
            )
            rows = sum(table.rows[i] for i in own)
            half = rows // 2
            if rows % 2:
                half, odd_first = half + odd_first, not odd_first
            before = 0
            for i in own:
                if 2 * before + table.rows[i] > 2 * half:
                    break
                before += table.rows[i]
                first.add(i)
        found = frozenset(first)
        return found if table.k <= table.size(found) <= table.size(part) - table.k else None

    def divide(self, part: Part, cut: str) -> set[Part]:
        table = self.table
        columns = [column for column in range(len(table.maps)) if table.cell(part, column) > 0]
        best: Part | None = None
        for halve in [self.at_median] * (cut == "even") + [self.through_buckets]:
            halves = [h for column in columns if (h := halve(part, column)) is not None]
            if best is None and table.size(part) >= 2 * table.k:
                best = min(halves, key=lambda h: self.cost(h) + self.cost(part - h), default=None)
        return {part} if best is None else self.divide(best, cut) | self.divide(part - best, cut)


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize(("cardinalities", "heights", "rows", "k"), SHAPES)
@pytest.mark.parametrize("ranged", [False, True])
def test_every_cut_is_the_cheapest(
    cut: str, cardinalities: list[int], heights: list[int], rows: int, k: int, ranged: bool
) -> None:
    rng = np.random.default_rng(7 + int(ranged))
    maps = random_maps(rng, cardinalities, heights)
    table = kernel_table(random_codes(rng, cardinalities, rows, 1.5), maps)
    ranges = [range_costs(levels, len(maps), rng) if ranged else ([], []) for levels in maps]
    bucket_of = rng.integers(0, 4, table.tuples).astype(np.uint32)
    reference = Halves(Reference(table, maps, k, cut, ranges), bucket_of)
    expected = reference.divide(frozenset(range(table.tuples)), cut)
    for threads in (1, 3):
        found = table.divide(
            _kernel.Requirement(k, 0), costs_of(maps), cut, threads, ranges=ranges, bucket_of=bucket_of
        )
        assert set(parts_of(found.class_of, len(found))) == expected


def test_halves_have_half_of_every_bucket() -> None:
    rng = np.random.default_rng(1)
    sizes = [40, 7]
    maps = [[np.arange(size, dtype=np.uint32), np.zeros(size, np.uint32)] for size in sizes]
    codes = [rng.permutation(np.arange(40, dtype=np.uint32)), rng.integers(0, 7, 40).astype(np.uint32)]
    table = kernel_table(codes, maps)
    bucket_of = rng.integers(0, 5, 40).astype(np.uint32)
    found = table.divide(_kernel.Requirement(18, 0), costs_of(maps), "buckets", bucket_of=bucket_of)
    assert len(found) == 2
    for bucket in range(5):
        first, second = np.bincount(found.class_of[bucket_of == bucket], minlength=2)
        assert abs(int(first) - int(second)) <= 1


@pytest.mark.parametrize("bucket_of", [np.zeros(3, np.uint32), np.full(4, 9, np.uint32)])
def test_strange_buckets_are_refused(bucket_of: NDArray[np.uint32]) -> None:
    maps = [[np.arange(4, dtype=np.uint32), np.zeros(4, np.uint32)]]
    table = kernel_table([np.arange(4, dtype=np.uint32)], maps)
    with pytest.raises(ValueError, match="bucket"):
        table.divide(_kernel.Requirement(2, 0), costs_of(maps), bucket_of=bucket_of)
