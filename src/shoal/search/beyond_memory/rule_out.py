"""What a region tells about nodes outside of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.measure.height import Height
from shoal.search.algorithms.box import Box
from shoal.search.beyond_memory.open_nodes import BoolGrid, GridPoint, OpenNodes, above, joined
from shoal.search.lattice_part import Part
from shoal.search.problem import SearchProblem

_MOST_COUNTED = 48


@dataclass(frozen=True, slots=True)
class Conclusions:
    """What is known of the nodes of a region.

    Attributes
    ----------
    passing
        Those that meet all that is asked of them and of everything below them; the others fail, and so does
        everything below.
    small
        Of some nodes how many rows are in classes that fail, and so do in every node below.
    """

    passing: BoolGrid
    small: dict[GridPoint, int]


def conclude(live: OpenNodes, problem: SearchProblem, point: GridPoint) -> Conclusions:
    """Close the nodes of which a region tells that they fail, and raise what others cost at least.

    A class that fails by a condition which survives merging has been split from nothing that passes: all
    classes below it fail. So if the common generalization of a node and the region's lowest node suppresses
    too much, the node does too; and what it suppresses, the node suppresses as well.

    Parameters
    ----------
    problem
        That of the region, with entries.
    point
        The lowest node of the region.
    """
    if problem.measure.costs(problem.table, problem.k) is None:
        problem = replace(problem, measure=Height())
    relaxed = Part.relaxed(problem)
    found = Box().search(relaxed, all_nodes=True).satisfying
    assert found is not None, "all nodes were requested"
    passing: BoolGrid = np.zeros(live.shape, dtype=bool)
    points, known = _points(live, found)
    passing[tuple(points[known].T)] = True
    failing = np.zeros(live.shape, dtype=bool)
    failing[above(point)] = ~passing[above(point)]
    live.fail_all(failing)
    wanted = _joins(live, passing, point)
    if not len(wanted):
        return Conclusions(passing, {})
    bases = [0] * len(live.levels)
    for axis, position in zip(live.axes, point, strict=True):
        bases[axis] = position
    steps = [[0] * len(bases) for _ in wanted]
    for step, node in zip(steps, wanted.tolist(), strict=True):
        for axis, position in zip(live.axes, node, strict=True):
            step[axis] = position - bases[axis]
    counting = relaxed.kernel_inputs.requirement(problem.threshold, problem.table.rows, rows_only=True)
    objective = problem.objective if live.additive else relaxed.objective
    counted = relaxed.ground.evaluate(steps, counting, objective)
    if live.additive:
        extra = np.zeros(live.shape)
        at = tuple(wanted.T)
        scores = counted.scores * (1 - 1e-9)  # less what rounding may add
        extra[at] = np.maximum(scores - live.by_levels[at], 0)
        # What a node suppresses, those below it do too.
        for axis in range(extra.ndim):
            extra = np.flip(np.maximum.accumulate(np.flip(extra, axis), axis), axis)
        live.raise_floors(np.asarray(joined(extra, point), dtype=np.float64))
        live.close_worse()
    small = counted.suppressed_rows.tolist()
    return Conclusions(
        passing, {tuple(node): rows for node, rows in zip(wanted.tolist(), small, strict=True)}
    )


def certainly_lost(problem: SearchProblem, levels: Sequence[int], rows: int) -> float:
    """Return what so many suppressed rows cost at least in any node below one, beyond what its levels do."""
    costs = problem.costs
    return (
        (1 - 1e-9)
        * rows
        * sum(
            weight * (1 - max(of_levels[level], default=1.0))
            for weight, of_levels, level in zip(costs.weights, costs.label_costs, levels, strict=True)
        )
    )


def _points(live: OpenNodes, found: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the positions of nodes, and which of them have one: levels that change nothing have none."""
    points = np.zeros((len(found), len(live.axes)), dtype=np.int64)
    known = np.ones(len(found), dtype=bool)
    for column, levels in enumerate(live.levels):
        position = np.full(256, -1)
        position[list(levels)] = np.arange(len(levels))
        own = position[found[:, column]]
        known &= own >= 0
        if column in live.axes:
            points[:, live.axes.index(column)] = own
    return points, known


def _joins(live: OpenNodes, passing: BoolGrid, point: GridPoint) -> NDArray[np.int64]:
    """Return the passing nodes of the region that are the lowest above open nodes; the busiest, if many."""
    if not live.shape or not live.open.any():
        return np.zeros((0, len(live.shape)), dtype=np.int64)
    nodes = np.arange(live.open.size).reshape(live.shape)
    lowest, times = np.unique(joined(nodes, point)[live.open], return_counts=True)
    passes = passing.reshape(-1)[lowest]
    lowest, times = lowest[passes], times[passes]
    busiest = lowest[np.argsort(-times, kind="stable")[:_MOST_COUNTED]]
    return np.stack(np.unravel_index(busiest, live.shape), axis=1)
