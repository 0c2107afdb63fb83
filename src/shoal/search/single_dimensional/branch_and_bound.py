"""Branch and bound over the choices of all columns, best bound first.

A node of the search has decisions for every column. All recodings in it are between its finest and its
coarsest one. What fails in the coarsest fails in all, so with the others at their coarsest each column has a
cheapest way to avoid that, which is a bound on what it costs; the sum is a bound for the node. Choices that
would lift the sum to the best known score are decided the other way.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from shoal.search.single_dimensional.partitions import MERGED, OPEN, SPLIT, Cheapest, Decisions, Partitions
from shoal.search.single_dimensional.space import Choice, Space
from shoal.search.single_dimensional.tuples import Floats, Judge, Tuples

SLACK = 1e-10
"""Scores that differ by less count as equal: sums of the same terms may round in different ways."""

_ROUNDS = 3
_PRICES = 8
_LEAST_LIFT = 1e-2
_MOST_KEPT = 4096


@dataclass(frozen=True)
class Known:
    """What is known of one column in a node.

    Attributes
    ----------
    failing
        Of each candidate, rows that fail whatever is decided for other columns; None if not looked at yet, or
        too long to keep.
    cheapest
        What follows from these and the decisions for the column; None if not looked at since.
    stale
        Whether another column became finer since.
    """

    decisions: Decisions
    failing: Floats | None = None
    cheapest: Cheapest | None = None
    stale: bool = True


Node = tuple[Known, ...]
"""What is known of each column."""


class BranchAndBound:
    """A search that proves its answer if it comes to its end.

    Attributes
    ----------
    nodes
        How many were looked at.
    """

    def __init__(self, space: Space) -> None:
        self._space = space
        self._judge = Judge.soundly(space.problem)
        self._tuples = space.tuples
        self._order = count()
        self._open: list[tuple[float, int, Node]] = []
        self._push(0.0, tuple(Known(partition.begin()) for partition in space.partitions))
        self.nodes = 0

    @property
    def done(self) -> bool:
        return not self._open

    @property
    def bound(self) -> float:
        """What no recoding scores less than, unless it is the best one known."""
        return self._open[0][0] if self._open else math.inf

    def run(self, nodes: int, going: Callable[[], bool]) -> None:
        """Look at so many nodes, while there are any and as long as `going` says so."""
        end = self.nodes + nodes
        while self._open and self.nodes < end and going():
            if self.bound >= self._space.score - SLACK:
                self._open.clear()
                return
            _, _, node = heapq.heappop(self._open)
            self.nodes += 1
            tightened = self._tighten(node)
            if tightened is None or self._settled(tightened):
                continue
            if self.nodes == 1:
                # All other nodes are inside of the first.
                self._tuples = self._tuples.merged(self._finest(tightened))
            self._branch(tightened)

    def _push(self, bound: float, node: Node) -> None:
        heapq.heappush(self._open, (bound, next(self._order), node))

    def _finest(self, node: Node) -> Choice:
        columns = zip(self._space.partitions, node, strict=True)
        return tuple(partition.finest(known.decisions) for partition, known in columns)

    def _coarsest(self, node: Node) -> Choice:
        columns = zip(self._space.partitions, node, strict=True)
        return tuple(partition.coarsest(known.decisions) for partition, known in columns)

    def _settled(self, node: Node) -> bool:
        """Look at the finest recoding of a node, and return whether no other one there is better."""
        space = self._space
        finest = self._finest(node)
        found = space.estimate(finest, self._tuples)
        suppressed: float | None = found.failing
        if found.failing <= space.problem.limit and found.cost < space.score - SLACK:
            suppressed = space.offer(finest)
        if not any((known.decisions == OPEN).any() for known in node):
            return True
        # Where it suppresses no more rows than all of them must, its cells decide.
        coarsest = self._tuples.grouped(self._coarsest(node))
        return suppressed is not None and suppressed <= self._judge.failing(self._tuples, coarsest).sum()

    def _tighten(self, node: Node) -> Node | None:
        """Decide what follows; None if no recoding of the node is better than the best known."""
        columns = list(node)
        most = self._space.score - SLACK
        bounds = [self._bound(column, known) for column, known in enumerate(columns)]
        for _ in range(_ROUNDS):
            tuples: Tuples | None = None
            again = False
            for column in range(len(columns)):
                known = columns[column]
                if known.stale:
                    if tuples is None:
                        tuples = self._tuples.merged(self._finest(tuple(columns)))
                    known = replace(known, failing=None, cheapest=None, stale=False)
                if known.cheapest is None:
                    known = self._look(column, known, tuple(columns), tuples)
                columns[column], cheapest = known, known.cheapest
                assert cheapest is not None, "it was looked at"
                others = sum(bounds) - bounds[column]
                bounds[column] = max(bounds[column], cheapest.cost)
                if others + bounds[column] >= most:
                    return None
                undecided = known.decisions == OPEN
                merged = undecided & (others + cheapest.split >= most)
                split = undecided & (others + cheapest.merged >= most)
                if (merged & split).any():
                    return None
                if not (merged.any() or split.any()):
                    continue
                decisions = known.decisions.copy()
                decisions[merged], decisions[split] = MERGED, SPLIT
                columns[column] = replace(known, decisions=decisions)
                if split.any():
                    again = True
                    columns = [
                        replace(other, stale=True) if place != column else other
                        for place, other in enumerate(columns)
                    ]
            if not again:
                break
        return tuple(columns)

    def _bound(self, column: int, known: Known) -> float:
        at_finest = self._at_finest(column, known.decisions)
        return at_finest if known.cheapest is None else max(at_finest, known.cheapest.cost)

    def _look(self, column: int, known: Known, node: Node, tuples: Tuples | None) -> Known:
        """Find the cheapest way of a column while the others are at their coarsest."""
        space, partition, failing = self._space, self._space.partitions[column], known.failing
        if failing is None:
            tuples = self._tuples if tuples is None else tuples
            upper = self._coarsest(node)
            groups = tuples.grouped(upper, but=column)
            failing = partition.surely_failing(
                self._judge, tuples, tuples.values[column], groups, np.zeros(groups.count), upper[column]
            ).rows
        costs = space.candidate_costs(column, failing)
        found = priced(partition, known.decisions, costs, failing, space.problem.limit, space.per_row)
        kept = failing if len(failing) <= _MOST_KEPT else None
        return replace(known, failing=kept, cheapest=found)

    def _branch(self, node: Node) -> None:
        """Decide the choice that lifts the bounds of both sides the most."""
        bounds = [self._bound(column, known) for column, known in enumerate(node)]
        bound = sum(bounds)
        least = _LEAST_LIFT * max(bound, _LEAST_LIFT)
        best, branch, lifts = -1.0, (-1, -1), (0.0, 0.0)
        for column, known in enumerate(node):
            choices = np.flatnonzero(known.decisions == OPEN)
            if not len(choices):
                continue
            assert known.cheapest is not None, "every column was looked at"
            split = known.cheapest.split[choices] - bounds[column]
            merged = known.cheapest.merged[choices] - bounds[column]
            lift = np.maximum(split, least) * np.maximum(merged, least)
            place = int(lift.argmax())
            if lift[place] > best:
                best, branch = float(lift[place]), (column, int(choices[place]))
                lifts = float(split[place]), float(merged[place])
        column, choice = branch
        for decision, further in zip((SPLIT, MERGED), lifts, strict=True):
            known = node[column]
            decisions = self._space.partitions[column].decide(known.decisions, choice, decision)
            child = [replace(other, stale=other.stale or decision == SPLIT) for other in node]
            child[column] = replace(known, decisions=decisions, cheapest=None)
            self._push(bound + max(further, 0.0), tuple(child))

    def _at_finest(self, column: int, decisions: Decisions) -> float:
        space, partition = self._space, self._space.partitions[column]
        candidates = partition.candidates(partition.finest(decisions))
        costs = partition.costs[candidates] * space.rows[column][candidates]
        return float(costs.sum()) * space.weights[column]


def priced(
    partition: Partitions, decisions: Decisions, costs: Floats, failing: Floats, limit: int, per_row: float
) -> Cheapest:
    """Return bounds on the cheapest way in which no more than `limit` rows fail.

    For any price of a failing row, the cheapest way by cost and price costs no more than that, plus the price
    of the limit (a Lagrangian relaxation); the best of several prices is taken.
    """
    best = partition.cheapest(costs, decisions)
    if not math.isfinite(best.cost) or failing[best.blocks].sum() <= limit:
        return best
    low, high = 0.0, math.inf
    price = per_row
    for _ in range(_PRICES):
        found = partition.cheapest(costs + price * failing, decisions)
        best = Cheapest(
            max(best.cost, found.cost - price * limit),
            found.blocks,
            np.maximum(best.split, found.split - price * limit),
            np.maximum(best.merged, found.merged - price * limit),
        )
        if failing[found.blocks].sum() > limit:
            low = price
        else:
            high = price
        price = 2 * price if math.isinf(high) else (low + high) / 2
    return best
