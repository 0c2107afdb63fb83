"""Nearest: one seed per class, which takes the nearest rows of every bucket."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.encode.column import IntArray, UIntArray
from shoal.measure.measure import shares
from shoal.partition.divide.divider import Divided, DividerDefaults, DivisionTask
from shoal.partition.entries import EntryProblem
from shoal.partition.sizes import class_sizes

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Nearest(DividerDefaults):
    """Find how many rows each class takes of each bucket by halving the buckets, then fill the classes.

    Seeds are rows far from each other: each next one is the row that is farthest from those before. One seed
    after the other takes the nearest rows that are left of every bucket. Where a class fails a model, it
    joins the class of the nearest seed, until all that is left passes.

    Columns are standardized by their range: numbers by their values, others by whether they are equal.

    References
    ----------
    The distributed Incognito framework, IEEE International Congress on Big Data 2017. The paper chooses seeds
    for each bucket by k-means++, and weighs rows by the taxonomy of their sensitive values, which makes
    classes less even; here seeds are chosen once, and without chance.
    """

    name: ClassVar[str] = "nearest"
    summary: ClassVar[str] = (
        "One seed per class, which takes the nearest rows of every bucket: for small tables."
    )
    most_tuples: ClassVar[int | None] = 20_000

    def divide(self, task: DivisionTask) -> Iterator[Divided]:
        problem = task.problem
        points, rows, bucket_of = _points(problem), problem.rows, task.bucket_of(problem)
        sizes = class_sizes(task.buckets, least=problem.least)
        seeds = _seeds(points, len(sizes))
        class_of = _joined(problem, _filled(points, rows, bucket_of, sizes, seeds), points[seeds])
        if problem.tops.any():
            # No label covers two of these.
            pairs = np.stack([class_of, problem.tops])
            class_of = np.unique(pairs, axis=1, return_inverse=True)[1].reshape(-1).astype(np.uint32)
        yield problem, class_of


def _points(problem: EntryProblem) -> Points:
    """Return a point for every tuple: a coordinate for each ordered column, one for each value of others."""
    table = problem.problem.table
    axes = []
    for column, values, share in zip(table.columns, problem.values, shares(table), strict=True):
        base = values.astype(np.float64)
        many = float(base.max(initial=0))
        if many <= 1 or column.height > 1 or len(column.labels[0]) > 64:
            axes.append(base / max(many, 1) * np.sqrt(share))
        else:
            axes += [(values == value) * np.sqrt(share / 2) for value in range(int(many) + 1)]
    return np.stack(axes, axis=1) if axes else np.zeros((problem.table.tuples, 1))


def _seeds(points: Points, count: int) -> IntArray:
    """Return the tuple nearest to the middle, and then each time the one farthest from all before."""
    first = int(np.argmin(((points - points.mean(axis=0)) ** 2).sum(axis=1)))
    chosen = [first]
    away = ((points - points[first]) ** 2).sum(axis=1)
    while len(chosen) < count:
        following = int(np.argmax(away))
        chosen.append(following)
        away = np.minimum(away, ((points - points[following]) ** 2).sum(axis=1))
    return np.array(chosen, dtype=np.int64)


def _filled(
    points: Points, rows: IntArray, bucket_of: UIntArray, sizes: IntArray, seeds: IntArray
) -> UIntArray:
    """Let each class take its rows of every bucket; the last one takes what is left."""
    class_of = np.full(len(points), len(sizes) - 1, dtype=np.uint32)
    left = [np.flatnonzero(bucket_of == bucket) for bucket in range(sizes.shape[1])]
    due = np.zeros(sizes.shape[1])
    for number, seed in enumerate(seeds[:-1].tolist()):
        for bucket, wanted in enumerate(sizes[number].tolist()):
            own = left[bucket]
            due[bucket] += wanted
            order = np.argsort(((points[own] - points[seed]) ** 2).sum(axis=1), kind="stable")
            taken = np.cumsum(rows[own[order]])
            # A tuple of several rows is taken whole once more than half of it is due.
            count = int(np.searchsorted(taken - rows[own[order]] / 2, due[bucket]))
            class_of[own[order[:count]]] = number
            due[bucket] -= taken[count - 1] if count else 0
            left[bucket] = np.sort(own[order[count:]])
    return class_of


def _joined(problem: EntryProblem, class_of: UIntArray, centres: Points) -> UIntArray:
    """Join each class that fails with the nearest other one, until all pass or one is left."""
    number = np.arange(len(centres))
    while True:
        present, numbered = np.unique(number[class_of], return_inverse=True)
        if len(present) <= 1:
            return numbered.astype(np.uint32)
        passes = problem.table.passing(problem.requirement, numbered.astype(np.uint32), len(present))
        failing = [own for own, holds in zip(present.tolist(), passes, strict=True) if not holds]
        if not failing:
            return numbered.astype(np.uint32)
        for own in failing:
            others = np.setdiff1d(np.unique(number), own)
            if own not in number or not len(others):
                continue
            away = ((centres[others] - centres[own]) ** 2).sum(axis=1)
            number[number == own] = others[int(np.argmin(away))]
