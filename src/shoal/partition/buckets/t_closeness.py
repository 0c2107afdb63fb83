"""SABRE's buckets: split as long as a class with its share of each could be farther than t from the table."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, Protocol, get_args

import numpy as np

from shoal.encode.column import IntArray, UIntArray
from shoal.errors import InputError
from shoal.partition.buckets.bucketizer import BucketizerDefaults
from shoal.partition.buckets.buckets import Buckets, FloatArray
from shoal.partition.sensitive_values import SensitiveValues
from shoal.privacy import earth_mover
from shoal.privacy.arguments import Parameters
from shoal.privacy.condition import ROUNDING
from shoal.privacy.t_closeness import Distance


@dataclass(frozen=True, slots=True)
class TClosenessBuckets(BucketizerDefaults):
    """All values in one bucket, split until a class in proportion is at most `t` from the table.

    A class that takes its share of a bucket may get all of it with one value. The cost of turning that into
    what the table has of the bucket is largest for one of its values, since it is a convex function:
    max over v of the sum of p(w) d(v, w), in the bucket. As long as the sum of that over the buckets
    exceeds `t`, the bucket is split whose parts lower it the most. d is one of

    - `hierarchical`: the level at which two values meet in the taxonomy, over its height. A bucket is split
      into all labels below its own.
    - `ordered`: the steps between two values in order, over m - 1. A bucket is cut in two where that lowers
      the sum the most; of equal cuts the most even one.
    - `equal`: 1 between any two values. A bucket is cut in two in order of frequency, as for `ordered`. No
      other buckets that keep `t` are fewer.

    A class has not exactly its share of each bucket, since rows are whole. `BucketDistance` is how far it may
    be with the shares that it has.

    Parameters
    ----------
    t
        The most that a class may be from the table: above 0, at most 1.
    distance
        The distance of two values: as for the model t-closeness.

    References
    ----------
    J. Cao, P. Karras, P. Kalnis, K.-L. Tan, "SABRE: a sensitive attribute bucketization and redistribution
    framework for t-closeness", VLDB Journal 20(1), 2011. Buckets in order of frequency are ours.

    Examples
    --------
    Four illnesses with a quarter of the rows each, two of the stomach and two of the lungs. In one bucket,
    a class may have one illness alone: 1/4 must be moved to the other of its kind, half as far as the 2/4
    that must be moved to the other kind. That costs 5/8. Within both kinds it costs 2 * 1/4 * 1/2.

    >>> kinds = np.array([0, 0, 1, 1], dtype=np.uint32)
    >>> values = SensitiveValues(np.array([5, 5, 5, 5]), (kinds,))
    >>> for t in (0.7, 0.5, 0.2):
    ...     TClosenessBuckets(t, distance="hierarchical").buckets(values).of_value.tolist()
    [0, 0, 0, 0]
    [0, 0, 1, 1]
    [0, 1, 2, 2]
    """

    t: float
    distance: Distance = "equal"

    name: ClassVar[str] = "t-closeness"
    summary: ClassVar[str] = "SABRE: buckets split until classes in proportion are t-close (Cao et al. 2011)."
    parameters: ClassVar[dict[str, str]] = {
        "t": "a number above 0, at most 1: how far a class may be from the table",
        "distance": "equal (the default), ordered or hierarchical",
    }
    examples: ClassVar[tuple[object, ...]] = ({"t": 0.2}, {"t": 0.2, "distance": "hierarchical"})

    def __post_init__(self) -> None:
        given = Parameters(self)
        given.number("t", "above 0, at most 1", lambda t: 0 < t <= 1)
        given.choice("distance", get_args(Distance))
        given.settle()

    def require(self, values: SensitiveValues, column: str) -> None:
        if self.distance == "hierarchical" and not values.labels:
            raise InputError(
                "Buckets by t-closeness with distance hierarchical need a taxonomy of the sensitive values.\n"
                f"Found: no hierarchy of column {column!r}.\nAdd one to it, or use distance: equal."
            )
        if self.distance == "ordered" and values.order is None:
            raise InputError(
                "Buckets by t-closeness with distance ordered need an order of the sensitive values.\n"
                f"Found: none for column {column!r}.\nUse numbers or dates, or distance: equal."
            )

    def buckets(self, values: SensitiveValues) -> Buckets:
        ground = self._ground(values)
        groups = self._split(ground, values)
        groups.sort(key=lambda members: int(members.min()))
        if not groups:
            return Buckets.of((), values.counts)
        rows = np.array([values.counts[members].sum() for members in groups])
        worst = np.array([ground.worst(members) for members in groups]) / (values.rows * ground.steps)
        near = np.array(ground.nearest(groups)) / ground.steps
        shares = rows / values.rows
        # What a bucket has beyond its share comes from as near as other values are, at least.
        spent = worst if ground.alike else 0.0
        most = np.minimum(shares + (self.t - spent) / near, 1.0) if len(groups) > 1 else np.ones(1)
        of_value = Buckets.of(((members, 1.0) for members in groups), values.counts).of_value
        together = BucketDistance(of_value, rows, worst, ground, self.t)
        return Buckets.of(zip(groups, most.tolist(), strict=True), values.counts, together=together)

    def _ground(self, values: SensitiveValues) -> Ground:
        if self.distance == "hierarchical":
            return _Hierarchical(values.counts, values.tree)
        if self.distance == "ordered":
            assert values.order is not None, "no order was refused"
            return _Ordered(values.counts, values.order)
        return _Equal(values.counts)

    def _split(self, ground: Ground, values: SensitiveValues) -> list[IntArray]:
        """Return the values of each bucket."""
        most = self.t * values.rows * ground.steps * (1 + ROUNDING)
        found: list[IntArray] = []
        waiting: list[tuple[int, int, IntArray, list[IntArray]]] = []
        cost = 0

        def add(members: IntArray) -> None:
            nonlocal cost
            cost += ground.worst(members)
            if len(members) == 1:
                found.append(members)
                return
            parts = ground.parts(members)
            lowered = ground.worst(members) - sum(map(ground.worst, parts))
            heapq.heappush(waiting, (-lowered, int(members.min()), members, parts))

        if len(values.occurring):
            add(values.occurring)
        while cost > most:
            _, _, members, parts = heapq.heappop(waiting)
            cost -= ground.worst(members)
            for part in parts:
                add(part)
        return found + [members for _, _, members, _ in waiting]


@dataclass(frozen=True, eq=False)
class BucketDistance:
    """How far a class may be from the table, whichever values it takes of its buckets: at most `t`.

    A class that takes all it has of a bucket with one value is the worst. For `equal` and `ordered` distances
    the worst value of each bucket can be found alone, and the farthest class exactly. For `hierarchical` ones
    the distance between the shares of the buckets is added to what each bucket costs: all of it where a class
    has its share of the bucket or more, and so much less where it has less.
    """

    of_value: IntArray
    rows: IntArray
    worst: FloatArray
    ground: Ground
    t: float

    def farthest(self, sizes: IntArray) -> float:
        """Return how far a class with so many rows of each bucket is from the table, at most."""
        return self.ground.farthest(self, sizes / sizes.sum())

    def allows(self, sizes: IntArray) -> bool:
        """Return whether a class may have so many rows of each bucket."""
        return self.farthest(sizes) <= self.t * (1 + ROUNDING)


class Ground(Protocol):
    """How far values are apart. Costs are in rows times steps.

    Attributes
    ----------
    steps
        How many steps the distance 1 has.
    alike
        Whether all values of a bucket are as far from a value of another one.
    """

    @property
    def steps(self) -> int: ...
    @property
    def alike(self) -> bool: ...

    def worst(self, members: IntArray) -> int:
        """Return the cost of turning a bucket with one value alone into what the table has, at most."""
        ...

    def parts(self, members: IntArray) -> list[IntArray]:
        """Return what a bucket of several values is split into."""
        ...

    def nearest(self, groups: Sequence[IntArray]) -> list[int]:
        """Return how many steps other values are away from those of each of several buckets, at least."""
        ...

    def farthest(self, buckets: BucketDistance, shares: FloatArray) -> float:
        """Return how far a class with these shares of the buckets is from the table, at most."""
        ...


@dataclass(frozen=True, eq=False)
class _Equal:
    counts: IntArray
    steps: ClassVar[int] = 1
    alike: ClassVar[bool] = True

    def worst(self, members: IntArray) -> int:
        counts = self.counts[members]
        return int(counts.sum() - counts.min())

    def parts(self, members: IntArray) -> list[IntArray]:
        ascending = members[np.lexsort((members, self.counts[members]))]
        counts = self.counts[ascending]
        below = np.cumsum(counts)[:-1]
        return _cut(ascending, counts, below - counts[0] + (counts.sum() - below - counts[1:]))

    def nearest(self, groups: Sequence[IntArray]) -> list[int]:
        return [1] * len(groups)

    def farthest(self, buckets: BucketDistance, shares: FloatArray) -> float:
        # All but the rarest value of a bucket is somewhere else.
        rarest = buckets.rows / buckets.rows.sum() - buckets.worst
        return float((shares - np.minimum(shares, rarest)).sum())


@dataclass(frozen=True, eq=False)
class _Ordered:
    counts: IntArray
    order: UIntArray
    alike: ClassVar[bool] = False

    @property
    def steps(self) -> int:
        return max(len(self.counts) - 1, 1)

    def worst(self, members: IntArray) -> int:
        counts, positions = self.counts[members], self.order[members].astype(np.int64)
        # The cost is convex along the order, so largest at one of its ends.
        return max(
            int(counts @ (positions - positions.min())),
            int(counts @ (positions.max() - positions)),
        )

    def parts(self, members: IntArray) -> list[IntArray]:
        in_order = members[np.argsort(self.order[members])]
        counts, positions = self.counts[in_order], self.order[in_order].astype(np.int64)
        rows, moments = np.cumsum(counts), np.cumsum(counts * positions)
        below, below_moments = rows[:-1], moments[:-1]
        above, above_moments = rows[-1] - below, moments[-1] - below_moments
        cost = np.maximum(below_moments - positions[0] * below, positions[:-1] * below - below_moments)
        cost += np.maximum(above_moments - positions[1:] * above, positions[-1] * above - above_moments)
        return _cut(in_order, counts, cost)

    def nearest(self, groups: Sequence[IntArray]) -> list[int]:
        in_order = sorted((int(self.order[own].min()), int(self.order[own].max())) for own in groups)
        gaps = [after[0] - before[1] for before, after in pairwise(in_order)]
        least = map(min, [*gaps, self.steps], [self.steps, *gaps])
        of_first = dict(zip((first for first, _ in in_order), least, strict=True))
        return [of_first[int(self.order[own].min())] for own in groups]

    @cached_property
    def _in_order(self) -> tuple[IntArray, FloatArray, IntArray]:
        """The values that occur, in order: themselves, their cumulated shares, the steps to the next one."""
        values = np.argsort(self.order)
        values = values[self.counts[values] > 0]
        below = np.cumsum(self.counts[values]) / self.counts.sum()
        positions = self.order[values].astype(np.int64)
        return values, below, np.append(positions[1:] - positions[:-1], 0)

    def farthest(self, buckets: BucketDistance, shares: FloatArray) -> float:
        values, below, steps = self._in_order
        of_value = buckets.of_value[values]
        starts = np.flatnonzero(np.diff(of_value, prepend=-1))
        ends = np.append(starts[1:], len(values))
        # With one value alone, the cumulated share of a class rises there, and nowhere else in the bucket.
        through = np.cumsum(shares[of_value[starts]])
        before = np.append(0.0, through[:-1])
        left = np.abs(below - np.repeat(before, ends - starts)) * steps
        right = np.abs(below - np.repeat(through, ends - starts)) * steps
        until_left, until_right = np.append(0.0, np.cumsum(left)), np.append(0.0, np.cumsum(right))
        cost = until_left[:-1] - np.repeat(until_left[starts], ends - starts)
        cost += np.repeat(until_right[ends], ends - starts) - until_right[:-1]
        return float(np.maximum.reduceat(cost, starts).sum()) / self.steps


@dataclass(frozen=True, eq=False)
class _Hierarchical:
    counts: IntArray
    tree: tuple[UIntArray, ...]
    alike: ClassVar[bool] = True

    @property
    def steps(self) -> int:
        return len(self.tree)

    def worst(self, members: IntArray) -> int:
        counts = self.counts[members]
        cost = counts.sum() - counts
        # Two values are as many steps apart as there are levels at which their labels differ.
        for labels in self.tree[:-1]:
            _, under = np.unique(labels[members], return_inverse=True)
            rows = np.zeros(under.max() + 1, dtype=np.int64)
            np.add.at(rows, under, counts)
            cost += counts.sum() - rows[under]
        return int(cost.max())

    def parts(self, members: IntArray) -> list[IntArray]:
        for labels in reversed(self.tree):
            own = labels[members]
            found = np.unique(own)
            if len(found) > 1:
                return [members[own == label] for label in found]
        return [members[place : place + 1] for place in range(len(members))]

    def nearest(self, groups: Sequence[IntArray]) -> list[int]:
        first = [int(own[0]) for own in groups]
        rows = np.array([self.counts[own].sum() for own in groups])
        near = np.full(len(groups), self.steps)
        for level, labels in reversed(list(enumerate(self.tree, start=1))):
            under = np.zeros(int(labels.max()) + 1, dtype=np.int64)
            np.add.at(under, labels, self.counts)
            near[under[labels[first]] > rows] = level
        return [int(steps) for steps in near]

    def farthest(self, buckets: BucketDistance, shares: FloatArray) -> float:
        times = shares * self.counts.sum() / buckets.rows
        extra = self.counts / self.counts.sum() * (times[buckets.of_value] - 1)
        between = earth_mover.hierarchical(extra[np.newaxis], self.tree)
        return float(between[0] + np.minimum(times, 1) @ buckets.worst)


def _cut(members: IntArray, counts: IntArray, costs: IntArray) -> list[IntArray]:
    """Cut values in two where both parts cost the least; of equal cuts at the most even one."""
    below = np.cumsum(counts)[:-1]
    uneven = np.abs(2 * below - counts.sum())
    cut = int(np.lexsort((uneven, costs))[0]) + 1
    return [members[:cut], members[cut:]]
