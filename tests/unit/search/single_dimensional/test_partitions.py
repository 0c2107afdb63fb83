"""The ways to put a column into blocks: failing rows and cheapest ways, against plain counting."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.describe import intervals
from shoal.encode.column import code_column
from shoal.encode.table import CodedTable
from shoal.measure.loss import Loss
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.recode.by_values import ByValues
from shoal.search.problem import SearchProblem
from shoal.search.single_dimensional.branch_and_bound import priced
from shoal.search.single_dimensional.intervals import Intervals
from shoal.search.single_dimensional.local_search import LocalSearch
from shoal.search.single_dimensional.partitions import MERGED, OPEN, SPLIT, Partitions
from shoal.search.single_dimensional.space import Space
from shoal.search.single_dimensional.subtrees import Subtrees

ROWS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30)
MODELS = st.sampled_from([(KAnonymity(3),), (KAnonymity(2), LDiversity("s", 2))])
KINDS = st.sampled_from(["subtrees", "intervals"])


def space_of(rows: list[tuple[int, int, int]], models: Any, kind: str, suppression: float = 0.0) -> Space:
    a, b, s = (
        code_column(name, pa.array(values).dictionary_encode(), intervals(2, 4))
        for name, values in zip("abs", zip(*rows, strict=True), strict=True)
    )
    problem = SearchProblem(CodedTable((a, b), len(rows), {"s": s}), models, Loss(), suppression)

    def partition(column: Any) -> Partitions:
        if kind == "subtrees":
            return Subtrees.of(column, range(column.height + 1), Loss(), "nodes")
        places = np.arange(len(column.counts) + 1)
        return Intervals.of(column, Loss(), "ranges", places)

    forms = "nodes" if kind == "subtrees" else "ranges"
    return Space(problem, [partition(a), partition(b)], lambda choice: ByValues("test", {}, forms, choice))


@given(ROWS, MODELS, KINDS)
def test_failing_rows_of_every_candidate(rows: list[tuple[int, int, int]], models: Any, kind: str) -> None:
    space = space_of(rows, models, kind)
    partition, tuples = space.partitions[0], space.tuples
    other = space.partitions[1].coarsest(space.partitions[1].begin())
    now = partition.finest(partition.begin())
    groups = tuples.grouped((now, other), but=0)
    extra = 0.25 * np.ones(groups.count)
    found = partition.failing(space.judge, tuples, tuples.values[0], groups, extra, now)
    values = space.problem.table.columns[0].codes
    sensitive = space.problem.table.attributes["s"].codes
    judged = 0
    for first, after, failing, more in zip(*partition.spans, found.rows, found.extra, strict=True):
        if first >= after or not np.isfinite(failing):
            continue
        judged += 1
        inside = (values >= first) & (values < after)
        diverse = len(models) == 1 or len(np.unique(sensitive[inside])) >= 2
        passes = inside.sum() >= models[0].k and diverse
        assert failing == (0 if passes or not inside.any() else inside.sum())
        assert more == pytest.approx(0.25 * failing)
    assert judged >= len(now)


@given(ROWS, KINDS, st.randoms(use_true_random=False), st.integers(0, 6))
def test_cheapest_ways(rows: list[tuple[int, int, int]], kind: str, random: Any, limit: int) -> None:
    partition = space_of(rows, (KAnonymity(1),), kind).partitions[0]
    first, after = partition.spans
    costs = np.array(
        [random.random() if low < high else np.inf for low, high in zip(first, after, strict=True)]
    )
    costs[~np.isfinite(partition.costs)] = np.inf
    failing = np.array([float(random.randint(0, 3)) for _ in costs])
    values = int(after.max())
    ways = []
    for begins in product([False, True], repeat=values - 1):
        places = [0, *(place + 1 for place, begin in enumerate(begins) if begin), values]
        spans = {span: n for n, span in enumerate(zip(first.tolist(), after.tolist(), strict=True))}
        if all(span in spans and np.isfinite(costs[spans[span]]) for span in pairwise(places)):
            ways.append([spans[span] for span in pairwise(places)])
    begin = partition.begin()
    found = partition.cheapest(costs, begin)
    best = min(sum(costs[way]) for way in ways)
    assert found.cost == pytest.approx(best)
    assert costs[found.blocks].sum() == pytest.approx(best)
    for choice in np.flatnonzero(begin == OPEN).tolist():
        for decision, bound in (SPLIT, found.split[choice]), (MERGED, found.merged[choice]):
            decided = partition.cheapest(costs, partition.decide(begin, choice, decision))
            assert bound == pytest.approx(decided.cost)
    within = [sum(costs[way]) for way in ways if sum(failing[way]) <= limit]
    bounded = priced(partition, begin, costs, failing, limit, per_row=0.1)
    assert not within or bounded.cost <= min(within) + 1e-9


@given(ROWS, MODELS, KINDS, st.sampled_from([0.0, 0.2]))
def test_local_search_only_improves(
    rows: list[tuple[int, int, int]], models: Any, kind: str, suppression: float
) -> None:
    space = space_of(rows, models, kind, suppression)
    coarsest = tuple(partition.coarsest(partition.begin()) for partition in space.partitions)
    if space.offer(coarsest) is None:
        return
    before = space.score
    LocalSearch(space).run(3, lambda: True)
    assert space.score <= before
    assert space.best is not None
    found = space.estimate(space.best)
    assert found.failing <= space.problem.limit
    assert found.cost == pytest.approx(space.score)
