"""The proof of an anytime search: boxes of nodes that may hold a better one, the most promising first."""

from __future__ import annotations

import math
from heapq import heappop, heappush
from itertools import pairwise
from typing import TypeAlias

from shoal.search.algorithms.anytime.exploration import Exploration
from shoal.search.bound import SLACK, raised
from shoal.search.status import Node

OpenBox: TypeAlias = tuple[float, int, Node, Node]
"""What all its nodes score at least, a number that tells boxes apart, its lowest and its highest node."""


class Boxes:
    """Disjoint boxes that hold every node which may be better than the best, the least bound first.

    A box is cut in two: the nodes that have a column at its lowest level, and the rest. In the first the
    highest node is lower now, so that other columns may have to go up, and the bound with them; in the second
    the lowest node is higher. A box is dropped where its bound is no better than the best node.

    Parameters
    ----------
    exploration
        What judges the nodes.
    group_nodes
        Where it is not 0, a box is bounded by solving groups of its columns alone, each a lattice of so many
        nodes at most, with the other columns at the highest levels of the box. A box that is one such
        group is solved, and not cut. That takes more time per box, and far fewer boxes.
    most
        Boxes that are held; with more, the least promising are followed to their end, one after the other.

    Attributes
    ----------
    done
        No box is left: the best node is the best of all.
    nodes, decided
        Nodes in all, and those that are in no box.
    """

    def __init__(self, exploration: Exploration, *, group_nodes: int = 0, most: int = 1 << 18) -> None:
        self._on = exploration
        self._bounds = exploration.bounds
        self._group_nodes = group_nodes
        self._most = most
        # Without costs of levels, what a cut column does to the classes is guessed from its labels.
        self._rises = [_differences(costs) for costs in self._bounds.costs] or [
            _differences([-math.log(len(column.labels[level])) for level in levels])
            for column, levels in zip(exploration.problem.table.columns, exploration.levels, strict=True)
        ]
        bottom = (0,) * len(exploration.top)
        self._heap: list[OpenBox] = [(self._bounds.by_levels(bottom), 0, bottom, exploration.top)]
        self._stack: list[OpenBox] = []
        self._in_hand: float | None = None
        self._number = 0
        self.nodes = _volume(bottom, exploration.top)
        self._open = self.nodes
        self._started = False
        self.done = False
        self.decided = 0

    @property
    def bound(self) -> float:
        """What no satisfying node scores less than, unless it is one that was checked; infinite when done."""
        floors = [box[0] for box in self._heap[:1] + self._stack]
        if self._in_hand is not None:
            floors.append(self._in_hand)
        return min(floors, default=math.inf)

    @property
    def held(self) -> int:
        """How many boxes are held."""
        return len(self._heap) + len(self._stack)

    @property
    def first(self) -> OpenBox:
        """The box that is taken next."""
        return self._stack[-1] if self._stack else self._heap[0]

    def step(self) -> None:
        """Take a box off, and put what is left of it back."""
        deep = bool(self._stack)
        floor, _, low, high = self._stack.pop() if deep else heappop(self._heap)
        # If the budget ends here, the box counts as still open.
        self._in_hand = floor
        volume = _volume(low, high)
        kept: list[OpenBox] = []
        if not self._on.dominated(low, floor):
            if not self._started:
                self._started = True
                kept += self._bounded(floor, low, high, cut=True)
            elif low == high:
                self._on.check(low)
            else:
                kept += self._cut(floor, low, high)
        for part in kept:
            if deep:
                self._stack.append(part)
            else:
                heappush(self._heap, part)
        if len(self._heap) > self._most:
            self._heap.sort()
            self._stack = self._heap[-(self._most // 16) - 1 :]
            del self._heap[-len(self._stack) :]
        self._in_hand = None
        self._open += sum(_volume(low, high) for _, _, low, high in kept) - volume
        self.decided = self.nodes - self._open
        self.done = not self._heap and not self._stack

    def _cut(self, floor: float, low: Node, high: Node) -> list[OpenBox]:
        column = max(
            (column for column in range(len(low)) if low[column] < high[column]),
            key=lambda column: self._rises[column][low[column]],
        )
        level = low[column]
        above = (*low[:column], level + 1, *low[column + 1 :])
        below = (*high[:column], level, *high[column + 1 :])
        return [
            *self._bounded(floor, above, high, cut=False),
            *self._bounded(floor, low, below, cut=True),
        ]

    def _bounded(self, floor: float, low: Node, high: Node, *, cut: bool) -> list[OpenBox]:
        """Return a box, unless it is decided; where its highest node was lowered, its lowest may go up."""
        on = self._on
        floor = max(floor, self._bounds.by_levels(low))
        if on.dominated(low, floor):
            return []
        if cut:
            low = raised(low, high, on.hopeless)
            floor = max(floor, self._bounds.by_levels(low))
            if on.dominated(low, floor):
                return []
        if not self._bounds.costs:
            checked = on.check(low)
            floor = max(floor, checked.bound)
            # Of a monotone measure the lowest is the best in its box.
            if low == high or (checked.satisfies and on.problem.measure.monotone):
                return []
        elif self._group_nodes:
            if _volume(low, high) <= self._group_nodes:
                on.search(low, high)
                return []
            floor = max(floor, self._by_groups(low, high))
        if on.dominated(low, floor) or floor == math.inf:
            return []
        self._number += 1
        return [(floor, self._number, low, high)]

    def _by_groups(self, low: Node, high: Node) -> float:
        """Return what groups of columns cost at least, each with the others as high as the box allows."""
        costs = self._bounds.costs
        total = 0.0
        for group in _groups(low, high, self._group_nodes):
            lowest = tuple(low[column] if column in group else level for column, level in enumerate(high))
            found = self._on.cheapest(lowest, high)
            if found is None:
                return math.inf
            for column in group:
                total += costs[column][found[column]]
        for column, level in enumerate(low):
            if level == high[column]:
                total += costs[column][level]
        return total * SLACK


def _groups(low: Node, high: Node, most: int) -> list[set[int]]:
    """Split the columns that are not settled into few groups, each of at most so many nodes.

    Examples
    --------
    >>> _groups((0, 0, 0, 0), (2, 2, 0, 1), most=6)
    [{0, 3}, {1}]
    """
    counts = {
        column: high[column] - low[column] + 1 for column in range(len(low)) if low[column] < high[column]
    }
    number = max(1, math.ceil(math.log(math.prod(counts.values())) / math.log(most) - 1e-9))
    while True:
        groups: list[set[int]] = [set() for _ in range(number)]
        nodes = [1] * number
        for column in sorted(counts, key=lambda column: -counts[column]):
            smallest = nodes.index(min(nodes))
            groups[smallest].add(column)
            nodes[smallest] *= counts[column]
        # A column that alone has more levels than that is a group of its own.
        if number >= len(counts) or max(nodes) <= most:
            return groups
        number += 1


def _differences(costs: list[float]) -> list[float]:
    return [above - below for below, above in pairwise(costs)]


def _volume(low: Node, high: Node) -> int:
    return math.prod([most - least + 1 for least, most in zip(low, high, strict=True)])
