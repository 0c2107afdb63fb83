"""The first cuts of a table, from what is counted label by label: so that tuples of a part fit into memory.

A cut by single labels saves what the boxes of its halves save, and the boxes of labels are enough to find
these. So these cuts are the ones that the kernel would make with all tuples in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal import _kernel
from shoal.encode.column import IntArray, UIntArray
from shoal.recode.class_labels import Labels
from shoal.search.frequency_sets import FrequencySets
from shoal.search.parts import LabelBoxes, Part
from shoal.strategies.classes import ClassProblem

Box: TypeAlias = tuple[IntArray, IntArray]
HalvesPass: TypeAlias = Callable[[int, int], bool]
"""Takes two labels: whether the rows from one to the other, and all other rows, may both be classes."""

TestHalves: TypeAlias = Callable[[FrequencySets, int], HalvesPass]
"""Takes the counts of a part, and the number of the column by whose labels it is to be cut."""


@dataclass(frozen=True)
class Ranked:
    """Cuts of a part by the labels of one column against all others.

    Attributes
    ----------
    scores
        How good each is.
    first, last
        The labels that are cut off.
    rows, smaller
        The rows with these labels, and those of the half with fewer.
    """

    scores: NDArray[np.float64] | IntArray
    first: IntArray
    last: IntArray
    rows: IntArray
    smaller: IntArray


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
        `peel`, `gain`, `median` or `even`.
    tests
        What halves must satisfy beside having enough rows, if anything.
    """

    steps: Sequence[Sequence[UIntArray]]
    costs: Sequence[Sequence[Sequence[int]]]
    ranges: Sequence[tuple[Sequence[int], Sequence[int]]]
    least: int
    cut: str
    tests: TestHalves | None = None
    _arrays: list[list[IntArray]] = field(init=False, repr=False)

    @classmethod
    def of(cls, problem: ClassProblem, labels: Labels, cut: str, tests: TestHalves | None = None) -> TopCuts:
        """Return the cuts of a problem whose classes get labels in a form."""
        columns = problem.problem.table.columns
        return cls(
            steps=[
                [column.step(column.min_level, level) for level in levels]
                for column, levels in zip(columns, problem.levels, strict=True)
            ],
            costs=problem.costs[: len(columns)],
            ranges=problem.range_costs(labels)[: len(columns)],
            least=max(problem.least, 1),
            cut=cut,
            tests=tests,
        )

    def __post_init__(self) -> None:
        arrays = [[np.array(level, dtype=np.int64) for level in levels] for levels in self.costs]
        object.__setattr__(self, "_arrays", arrays)

    def halves(self, counts: FrequencySets, part: Part) -> tuple[Part, Part] | None:
        """Cut a part where the kernel would; None if it has no such cut, or is so small that others count."""
        closely = self.cut in ("peel", "gain")
        if part.rows <= _kernel.small_part * self.least if closely else part.rows < 2 * self.least:
            return None
        tests: dict[int, HalvesPass] = {}
        for column, first, last, rows in self._ranked(counts, part):
            if self.tests is not None and column not in tests:
                tests[column] = self.tests(counts, column)
            if self.tests is None or tests[column](first, last):
                return part.cut(column, first, last, rows)
        return None

    def _ranked(self, counts: FrequencySets, part: Part) -> Iterator[tuple[int, int, int, int]]:
        """Yield the cuts of a part that may be made, the best first: a column, labels, and their rows."""
        boxes = [counts.boxes(column, part.levels) for column in range(len(self.steps))]
        low, high = boxes[0].low.min(axis=0), boxes[0].high.max(axis=0)
        cells = np.array([self._cells(c, low[c : c + 1], high[c : c + 1])[0] for c in range(len(boxes))])
        cuts = self._medians if self.cut == "even" else self._cuts
        found = [cuts(column, own, part.rows, cells) for column, own in enumerate(boxes)]
        column = np.repeat(np.arange(len(found)), [len(own.rows) for own in found])
        choices = np.array([len(steps[0]) for steps in self.steps])[column]
        if self.cut == "even":
            choices[:] = 0
        scores, first, last, rows, smaller = (
            np.concatenate([getattr(own, name) for own in found])
            for name in ("scores", "first", "last", "rows", "smaller")
        )
        # The order of the kernel: see Division in cpp/include/shoal/label_cuts.hpp, and HalvingCut.
        order = np.lexsort((last, first, -smaller, column, choices, -scores))
        for place in order:
            yield int(column[place]), int(first[place]), int(last[place]), int(rows[place])

    def _cuts(self, column: int, boxes: LabelBoxes, rows: int, cells: IntArray) -> Ranked:
        """Return the cuts of a column that leave enough rows on either side."""
        begin, end = self._places(column, boxes.labels)
        if self.cut == "median" and cells[column] == 0:
            begin, end = begin[:0], end[:0]
        before = np.append(0, np.cumsum(boxes.rows))
        inside = before[end] - before[begin]
        fits = (inside >= self.least) & (rows - inside >= self.least)
        begin, end, inside = begin[fits], end[fits], inside[fits]
        smaller = np.minimum(inside, rows - inside)
        scores = np.full(len(begin), float(cells[column]))
        if self.cut != "median" and len(begin):
            saved = rows * int(cells.sum()) - self._cost(boxes, begin, end, inside, rows, cells >= 0)
            good = saved >= (0 if cells[column] else 1)
            begin, end, inside, smaller, saved = (a[good] for a in (begin, end, inside, smaller, saved))
            scores = saved.astype(np.float64) / np.sqrt(np.sqrt(smaller.astype(np.float64)))
        return Ranked(scores, boxes.labels[begin], boxes.labels[end - 1], inside, smaller)

    def _medians(self, column: int, boxes: LabelBoxes, rows: int, cells: IntArray) -> Ranked:
        """Return the cut of a column whose halves are most alike; none of one that costs nothing.

        Where the labels of a hierarchy are printed, it is between the children of the lowest one that covers
        the part.
        """
        place = np.arange(1, len(boxes.labels))
        before = np.cumsum(boxes.rows)[:-1]
        fits = np.minimum(before, rows - before) >= self.least
        common = next(
            (
                level
                for level, step in enumerate(self.steps[column])
                if step[boxes.labels[0]] == step[boxes.labels[-1]]
            ),
            len(self.steps[column]),
        )
        if not self.ranges[column][0] and common >= 2:
            child = self.steps[column][common - 1][boxes.labels]
            fits &= child[:-1] != child[1:]
        if cells[column] <= 0:
            fits[:] = False
        place, before = place[fits], before[fits]
        nearest = np.argmin(np.abs(rows - 2 * before), keepdims=True) if len(place) else place
        end, inside = place[nearest], before[nearest]
        begin = np.zeros_like(end)
        costs = self._cost(boxes, begin, end, inside, rows, cells > 0) if len(end) else inside
        return Ranked(
            -costs, boxes.labels[begin], boxes.labels[end - 1], inside, np.minimum(inside, rows - inside)
        )

    def _cost(
        self,
        boxes: LabelBoxes,
        begin: IntArray,
        end: IntArray,
        inside: IntArray,
        rows: int,
        counted: NDArray[np.bool_],
    ) -> IntArray:
        """Return what the cells of some columns cost in both halves together."""
        halves = (_inside(boxes, begin, end), _outside(boxes, begin, end))
        of_row = [
            sum(
                (self._cells(c, low[:, c], high[:, c]) for c in np.flatnonzero(counted).tolist()),
                np.zeros_like(end),
            )
            for low, high in halves
        ]
        return inside * of_row[0] + (rows - inside) * of_row[1]

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
    counts: FrequencySets, cuts: TopCuts, most_entries: int, report: Callable[[str], None] | None = None
) -> Iterator[Part | None]:
    """Yield parts whose tuples fit into memory; None for one that cannot be cut any further by labels."""
    waiting = [Part.whole(counts.domain.columns, counts.domain.rows)]
    while waiting:
        part = waiting.pop()
        within = counts.within(part)
        if part.rows <= most_entries or within.estimate([part.levels])[0] <= most_entries:
            if report is not None:
                report(f"tuples of a part of {part.rows:,} rows")
            yield part
            continue
        halves = cuts.halves(within, part)
        if halves is None:
            yield None
            return
        waiting += reversed(halves)
