"""The first cuts of Mondrian, from what is counted label by label: so that tuples of a part fit into memory.

A cut by single labels saves what the boxes of its halves save, and the boxes of labels are enough to find
these. So these cuts are the ones that the kernel would make with all tuples in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from shoal import _kernel
from shoal.encode.column import IntArray, UIntArray
from shoal.search.frequency_sets import FrequencySets
from shoal.search.parts import LabelBoxes, Part

Rank = tuple[float, int, int, int, int, int]
Box = tuple[IntArray, IntArray]


@dataclass(frozen=True)
class TopCuts:
    """What it takes to find the best cut of a part, as `ClassProblem` has it.

    Attributes
    ----------
    steps
        ``steps[column][level]`` maps the labels of the lowest level to those of another.
    costs, ranges
        What cells cost, as the kernel takes it.
    least
        The rows that a class needs.
    cut
        `peel`, `gain` or `median`.
    """

    steps: Sequence[Sequence[UIntArray]]
    costs: Sequence[Sequence[Sequence[int]]]
    ranges: Sequence[tuple[Sequence[int], Sequence[int]]]
    least: int
    cut: str
    _arrays: list[list[IntArray]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        arrays = [[np.array(level, dtype=np.int64) for level in levels] for levels in self.costs]
        object.__setattr__(self, "_arrays", arrays)

    def halves(self, counts: FrequencySets, part: Part) -> tuple[Part, Part] | None:
        """Cut a part where the kernel would; None if it has no such cut, or is so small that others count."""
        if part.rows <= _kernel.small_part * self.least:
            return None
        boxes = [counts.boxes(column, part.levels) for column in range(len(self.steps))]
        low, high = boxes[0].low.min(axis=0), boxes[0].high.max(axis=0)
        cells = np.array([self._cells(c, low[c : c + 1], high[c : c + 1])[0] for c in range(len(boxes))])
        best: tuple[Rank, int, int, int, int] | None = None
        for column, found in enumerate(boxes):
            for rank, first, last, rows in self._cuts(column, found, part.rows, cells):
                if best is None or rank > best[0]:
                    best = rank, column, first, last, rows
        return None if best is None else part.cut(*best[1:])

    def _cuts(
        self, column: int, boxes: LabelBoxes, rows: int, cells: IntArray
    ) -> Iterator[tuple[Rank, int, int, int]]:
        """Yield the cuts of a column that may be made, each with its rank."""
        if self.cut == "median" and cells[column] == 0:
            return
        begin, end = self._places(column, boxes.labels)
        before = np.append(0, np.cumsum(boxes.rows))
        inside = before[end] - before[begin]
        fits = (inside >= self.least) & (rows - inside >= self.least)
        begin, end, inside = begin[fits], end[fits], inside[fits]
        if not len(begin):
            return
        smaller = np.minimum(inside, rows - inside)
        if self.cut == "median":
            scores = np.full(len(begin), float(cells[column]))
        else:
            halves = (_inside(boxes, begin, end), _outside(boxes, begin, end))
            costs = [
                sum(self._cells(c, low[:, c], high[:, c]) for c in range(len(cells))) for low, high in halves
            ]
            saved = rows * int(cells.sum()) - inside * costs[0] - (rows - inside) * costs[1]
            good = saved >= (0 if cells[column] else 1)
            begin, end, inside, smaller, saved = (a[good] for a in (begin, end, inside, smaller, saved))
            scores = saved.astype(np.float64) / np.sqrt(np.sqrt(smaller.astype(np.float64)))
        choices = len(self.steps[column][0])
        # The order of the kernel: see Division in cpp/include/shoal/label_cuts.hpp.
        for position in np.flatnonzero(scores == scores.max(initial=-1.0)).tolist():
            first, last = int(boxes.labels[begin[position]]), int(boxes.labels[end[position] - 1])
            rank = (float(scores[position]), -choices, -column, int(smaller[position]), -first, -last)
            yield rank, first, last, int(inside[position])

    def _places(self, column: int, labels: IntArray) -> tuple[IntArray, IntArray]:
        """Return where the ranges of occurring labels begin and end that may be cut off."""
        size = len(labels)
        found = {(0, size)}
        if self.cut != "median":
            for step in self.steps[column]:
                starts = np.flatnonzero(np.diff(step[labels].astype(np.int64), prepend=-1))
                found |= set(zip(starts.tolist(), [*starts[1:].tolist(), size], strict=True))
        if self.cut != "peel" or self.ranges[column][0]:
            found |= {(0, place) for place in range(1, size)}
        places = np.array(sorted(found - {(0, size)}), dtype=np.int64).reshape(-1, 2)
        return places[:, 0], places[:, 1]

    def _cells(self, column: int, low: IntArray, high: IntArray) -> IntArray:
        """Return what cells of a column cost in classes from label `low` to label `high`."""
        found = np.full(len(low), 4 * _kernel.full_cost, dtype=np.int64)
        open_ = np.ones(len(low), dtype=np.bool_)
        for step, costs in zip(self.steps[column], self._arrays[column], strict=True):
            covered = open_ & (step[low] == step[high])
            found[covered] = costs[step[low[covered]]]
            open_ &= ~covered
        first, last = self.ranges[column]
        if not first:
            return found
        ranged = np.array(last, dtype=np.int64)[high] - np.array(first, dtype=np.int64)[low]
        return np.where(low < high, np.minimum(found, ranged), found)


def _inside(boxes: LabelBoxes, begin: IntArray, end: IntArray) -> Box:
    """Return the boxes of the labels between places."""
    return _between(np.minimum, boxes.low, begin, end), _between(np.maximum, boxes.high, begin, end)


def _outside(boxes: LabelBoxes, begin: IntArray, end: IntArray) -> Box:
    """Return the boxes of all other labels."""
    low, high = boxes.low[::-1], boxes.high[::-1]
    after = len(low) - end
    return (
        np.minimum(_before(np.minimum, boxes.low, begin), _before(np.minimum, low, after)),
        np.maximum(_before(np.maximum, boxes.high, begin), _before(np.maximum, high, after)),
    )


def _between(combine: np.ufunc, values: IntArray, begin: IntArray, end: IntArray) -> IntArray:
    """Combine the values from one place to another."""
    found = _before(combine, values, end)
    later = begin > 0
    bounds = np.stack([begin[later], end[later]], axis=1).reshape(-1)
    # A place may be behind the last value, so one more is added, which is in no result.
    found[later] = combine.reduceat(np.concatenate([values, values[-1:]]), bounds)[::2]
    return found


def _before(combine: np.ufunc, values: IntArray, places: IntArray) -> IntArray:
    """Combine the values before places; of none, what any value wins against."""
    nothing = 1 << 62 if combine is np.minimum else -1
    start = np.full((1, values.shape[1]), nothing, dtype=np.int64)
    return np.concatenate([start, combine.accumulate(values)])[places]


def parts_that_fit(
    counts: FrequencySets, whole: Part, cuts: TopCuts, most_entries: int
) -> Iterator[Part | None]:
    """Yield parts whose tuples fit into memory; None for one that cannot be cut any further by labels."""
    waiting = [whole]
    zero = (0,) * len(whole.labels)
    while waiting:
        part = waiting.pop()
        within = counts.within(part)
        if part.rows <= most_entries or within.estimate([zero])[0] <= most_entries:
            yield part
            continue
        halves = cuts.halves(within, part)
        if halves is None:
            yield None
            return
        waiting += reversed(halves)
