"""From the nodes that satisfy to the answer: the best of them, and what the search did."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from shoal.search.node_checker import NodeChecker
from shoal.search.result import Counters, SearchResult, border
from shoal.search.status import FAILS, SATISFIES, Status

_BATCH = 512
_SLACK = 1 - 1e-11  # a bound is summed in another order than the score


def result_of_decided(
    checker: NodeChecker,
    status: Status,
    *,
    all_nodes: bool,
    subsets: Mapping[tuple[str, ...], NDArray[np.uint8]] | None = None,
) -> SearchResult:
    """Return the answer of a search that has decided every node.

    Under a monotone measure the best node is a minimal one, and no minimal node can be tagged, so the checker
    has seen the best. Under any other measure the nodes that were only tagged are scored now.
    """
    satisfying = status.satisfying()
    if not checker.problem.measure.monotone:
        score(checker, satisfying)
    return build_result(
        checker,
        tagged_satisfying=status.count(SATISFIES) - len(checker.scored),
        tagged_failing=status.count(FAILS) - checker.failed,
        satisfying=(satisfying + checker.lowest).astype(np.uint8) if all_nodes else None,
        subsets=subsets,
    )


def build_result(
    checker: NodeChecker,
    *,
    tagged_satisfying: int = 0,
    tagged_failing: int = 0,
    pruned: int = 0,
    satisfying: NDArray[np.uint8] | None = None,
    subsets: Mapping[tuple[str, ...], NDArray[np.uint8]] | None = None,
    optimal: bool = True,
    bound: float | None = None,
) -> SearchResult:
    """Put the best node that a checker has seen and its counts into a result."""
    best, work = checker.best, checker.kernel.counters
    return SearchResult(
        levels=best.rank[-1] if best else None,
        score=best.score if best else None,
        suppressed_rows=best.suppressed_rows if best else 0,
        classes=best.classes if best else 0,
        counters=Counters(
            lattice=checker.lattice,
            checked=work.checked,
            tagged_satisfying=tagged_satisfying,
            tagged_failing=tagged_failing,
            pruned=pruned,
            rollups=work.rollups,
            scans=work.scans,
            touched=work.touched,
            snapshots=work.snapshots,
            evicted=work.evicted,
            peak_bytes=checker.ground.peak_bytes,
            seconds=perf_counter() - checker.started,
        ),
        satisfying=satisfying,
        subsets=subsets,
        checks=tuple(checker.checks),
        optimal=optimal,
        bound=bound,
    )


def minimal(nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the nodes with no specialization among them."""
    return border(nodes.astype(np.uint8)).astype(np.int64)


def score(checker: NodeChecker, nodes: NDArray[np.int64]) -> None:
    """Score satisfying nodes, one per row, as far as they can still be the best, for the checker to know.

    Where the levels alone bound the score from below, the most promising nodes come first.
    """
    fresh = [position for position, node in enumerate(nodes.tolist()) if tuple(node) not in checker.scored]
    nodes = nodes[fresh]
    bounds = _bounds(checker, nodes)
    order = np.argsort(bounds, kind="stable")
    for start in range(0, len(nodes), _BATCH):
        batch = order[start : start + _BATCH]
        if checker.best is not None and bounds[batch[0]] > checker.best.score:
            return
        levels = [tuple(node) for node in nodes[batch].tolist()]
        found = checker.kernel.evaluate(levels)
        for node, value, suppressed, classes in zip(
            levels, found.scores.tolist(), found.suppressed_rows.tolist(), found.classes.tolist(), strict=True
        ):
            checker.offer(node, value, suppressed, classes)


def _bounds(checker: NodeChecker, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what each node costs at least, by its levels alone."""
    costs = checker.problem.costs
    if costs.term != "none":
        return np.zeros(len(nodes))
    per_column = np.column_stack(
        [
            weight * np.array(per_level)[nodes[:, column] + checker.lowest[column]]
            for column, (weight, per_level) in enumerate(zip(costs.weights, costs.level_costs, strict=True))
        ]
    )
    # Whatever the aggregate: no less than the mean of the columns, and for the mean their sum.
    together = per_column.sum(axis=1) if costs.aggregate == "mean" else per_column.mean(axis=1)
    return np.asarray(together * _SLACK)
