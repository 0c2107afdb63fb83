"""Blocks that are intervals: all ways to cut the ordered values of a column between neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.encode.column import CodedColumn, IntArray
from shoal.measure.cells import CellMeasure
from shoal.recode.class_labels import LabelForm
from shoal.search.single_dimensional.block_costs import interval_costs
from shoal.search.single_dimensional.partitions import (
    MERGED,
    OPEN,
    SPLIT,
    Cheapest,
    Decisions,
    Failing,
    numbered,
    starts,
)
from shoal.search.single_dimensional.tuples import Blocks, Floats, Groups, Judge, Tuples


@dataclass(frozen=True, eq=False)
class Intervals:
    """The ways to cut a column into intervals.

    Candidates are the pairs of two places between values, from 0 to the number of values; the number of a
    pair is that of its cell in a matrix. Choices are the places.

    Attributes
    ----------
    places
        Where blocks may begin and end: the number of values before each place, all or a part of them.
    prices
        For each two places, what a cell costs with the label of the block between them; infinite where there
        is no such block.
    begins
        For each place, whether a block begins there in any case.
    """

    places: IntArray
    prices: Floats
    begins: NDArray[np.bool_]

    @classmethod
    def of(cls, column: CodedColumn, measure: CellMeasure, form: LabelForm, places: IntArray) -> Intervals:
        """Return the ways to cut a column at some places, where no label that is allowed ends anyway."""
        prices = interval_costs(column, measure, form, places)
        top = column.step(column.min_level, column.max_level)
        begins = np.append(np.diff(top.astype(np.int64), prepend=-1) != 0, True)
        return cls(places, prices, begins[places])

    @property
    def costs(self) -> Floats:
        return self.prices.ravel()

    @property
    def whole(self) -> bool:
        return len(self.places) == int(self.places[-1]) + 1

    @property
    def monotone(self) -> bool:
        """Whether no block costs less than one inside of it."""
        inner = np.where(np.isinf(self.prices), 0.0, self.prices)
        known = ~np.isinf(self.prices)
        later = (self.prices[:, 1:] >= inner[:, :-1]) | ~known[:, 1:]
        earlier = (self.prices[:-1] >= inner[1:]) | ~known[:-1]
        return bool(later.all() and earlier.all())

    @cached_property
    def _unit_of(self) -> IntArray:
        """The place before each value."""
        return np.repeat(np.arange(self._last), np.diff(self.places))

    @property
    def _last(self) -> int:
        return len(self.places) - 1

    def begin(self) -> Decisions:
        decisions = np.full(len(self.places), OPEN, dtype=np.int8)
        decisions[self.begins] = SPLIT
        return decisions

    def decide(self, decisions: Decisions, choice: int, decision: int) -> Decisions:
        decided = decisions.copy()
        decided[choice] = decision
        return decided

    def finest(self, decisions: Decisions) -> Blocks:
        return self._cut(decisions != MERGED)

    def coarsest(self, decisions: Decisions) -> Blocks:
        return self._cut(decisions == SPLIT)

    def _cut(self, cut: NDArray[np.bool_]) -> Blocks:
        begins = np.zeros(int(self.places[-1]), dtype=bool)
        begins[self.places[:-1][cut[:-1]]] = True
        return numbered(begins)

    def candidates(self, blocks: Blocks) -> NDArray[np.intp]:
        cut = np.searchsorted(self.places, np.append(starts(blocks), len(blocks)))
        return cut[:-1] * len(self.places) + cut[1:]

    def blocks(self, candidates: NDArray[np.intp]) -> Blocks:
        cut = np.zeros(len(self.places), dtype=bool)
        cut[candidates // len(self.places)] = True
        return self._cut(cut)

    @cached_property
    def spans(self) -> tuple[IntArray, IntArray]:
        """The first value of each block, and the one after the last."""
        side = len(self.places)
        return np.repeat(self.places, side), np.tile(self.places, side)

    def failing(
        self, judge: Judge, tuples: Tuples, values: Blocks, groups: Groups, extra: Floats, blocks: Blocks
    ) -> Failing:
        if judge.sizes_only:
            return self._small(judge.least, tuples, values, groups, extra)
        return self._nearby(judge, tuples, values, groups, extra, blocks)

    def surely_failing(
        self, judge: Judge, tuples: Tuples, values: Blocks, groups: Groups, extra: Floats, blocks: Blocks
    ) -> Failing:
        return self._small(judge.least, tuples, values, groups, extra)

    def _small(self, least: int, tuples: Tuples, values: Blocks, groups: Groups, extra: Floats) -> Failing:
        """Find the rows of small classes, for every block.

        In the order of values, neighbours of one group that have few rows together are a small class in every
        block that has these and no others of the group: a rectangle of the matrix.
        """
        unit = self._unit_of[values].astype(np.uint32)
        found = Groups.by([groups.of_tuple, unit], [groups.count, self._last], len(unit))
        rows, group, at = found.sums(tuples.rows), found.any_of(groups.of_tuple), found.any_of(unit)
        order = np.lexsort([at, group])
        rows, group, place = rows[order], group[order], at[order].astype(np.int64)
        first = np.diff(group.astype(np.int64), prepend=-1) != 0
        last = np.append(first[1:], True)
        # Blocks that begin after the value before and end before the value after have no others of the group.
        low = np.where(first, 0, np.append(0, place[:-1] + 1))
        high = np.where(last, self._last, np.append(place[1:], 0))
        # One more row and column than there are places take what is added and taken off again at the ends.
        width = self._last + 2
        changes: list[IntArray] = []
        weights: list[Floats] = []
        more: list[Floats] = []
        begin = np.flatnonzero(rows < least)
        end, total = begin.copy(), rows[begin]
        while len(begin):
            a, b, c, d = low[begin], place[begin] + 1, place[end] + 1, high[end] + 1
            costly = total * extra[group[begin]]
            for row, column, sign in (a, c, 1), (b, c, -1), (a, d, -1), (b, d, 1):
                changes.append(row * width + column)
                weights.append(sign * total)
                more.append(sign * costly)
            going = ~last[end]
            begin, end, total = begin[going], end[going] + 1, total[going]
            total = total + rows[end]
            small = total < least
            begin, end, total = begin[small], end[small], total[small]
        return Failing(self._summed(changes, weights, width), self._summed(changes, more, width))

    def _summed(self, changes: list[IntArray], weights: list[Floats], width: int) -> Floats:
        if not changes:
            return np.zeros(len(self.places) ** 2)
        found = np.bincount(np.concatenate(changes), np.concatenate(weights), width * width)
        summed = found.reshape(width, width).cumsum(axis=0).cumsum(axis=1)[:-1, :-1]
        return np.where(np.abs(summed) < 1e-9, 0.0, summed).ravel()

    def _nearby(
        self, judge: Judge, tuples: Tuples, values: Blocks, groups: Groups, extra: Floats, blocks: Blocks
    ) -> Failing:
        """Judge the classes of blocks, of two that are neighbours, and of both parts of one cut anywhere."""
        side = len(self.places)
        rows, more = np.full((side, side), np.inf), np.zeros((side, side))
        cut = np.searchsorted(self.places, np.append(starts(blocks), len(blocks)))
        offset = 1
        wanted = [cut, np.append(cut[::2], cut[-1]), np.append(cut[0], np.append(cut[1::2], cut[-1]))]
        while (inside := cut[:-1] + offset < cut[1:]).any():
            wanted.append(np.sort(np.append(cut, cut[:-1][inside] + offset)))
            offset += 1
        for chosen in wanted:
            cuts = np.unique(chosen)
            block = np.repeat(np.arange(len(cuts) - 1, dtype=np.uint32), np.diff(self.places[cuts]))[values]
            found = Groups.by([groups.of_tuple, block], [groups.count, len(cuts)], len(block))
            failing = judge.failing(tuples, found)
            block_of, group_of = found.any_of(block), found.any_of(groups.of_tuple)
            cells = cuts[:-1], cuts[1:]
            rows[cells] = np.bincount(block_of, failing, len(cuts) - 1)
            more[cells] = np.bincount(block_of, failing * extra[group_of], len(cuts) - 1)
        return Failing(rows.ravel(), more.ravel())

    def cheapest(self, costs: Floats, decisions: Decisions) -> Cheapest:
        side = len(self.places)
        matrix = np.where(np.isinf(self.prices), np.inf, costs.reshape(side, side))
        split = np.cumsum(decisions == SPLIT)
        # A block begins and ends where that is not ruled out, and has no cut inside.
        inside = np.maximum(np.append(0, split[:-1])[None, :] - split[:, None], 0)
        matrix[inside > 0] = np.inf
        merged = decisions == MERGED
        matrix[merged, :] = np.inf
        matrix[:, merged] = np.inf
        before, after = np.full(side, np.inf), np.full(side, np.inf)
        before[0] = after[-1] = 0.0
        source = np.zeros(side, dtype=np.intp)
        for place in range(1, side):
            reached = before[:place] + matrix[:place, place]
            source[place] = reached.argmin()
            before[place] = reached[source[place]]
        for place in range(side - 2, -1, -1):
            after[place] = (matrix[place, place + 1 :] + after[place + 1 :]).min()
        taken, place = [], side - 1
        while place > 0 and np.isfinite(before[-1]):
            taken.append(int(source[place]) * side + place)
            place = int(source[place])
        # The cheapest with a block from before a place to after it.
        through = before[:, None] + matrix + after[None, :]
        through = np.minimum.accumulate(through, axis=0)
        through = np.minimum.accumulate(through[:, ::-1], axis=1)[:, ::-1]
        over = np.full(side, np.inf)
        over[1:-1] = np.diagonal(through, offset=2)
        return Cheapest(float(before[-1]), np.array(taken[::-1], dtype=np.intp), before + after, over)
