"""Nodes looked at one by one, whether they satisfy or not: what each suppresses and what it scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.measure.height import Height
from shoal.search.custom_measure import scores
from shoal.search.problem import SearchProblem, kernel_table
from shoal.search.starred_rows import star_node


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of some nodes, one entry each.

    Attributes
    ----------
    levels
        One row per node.
    satisfies
        Whether the release of it would be allowed.
    suppressed_rows
        Rows in classes that may not be released, also where these are more than the limit; where they are
        starred, also those that must be starred with them.
    scores
        By the measure of the problem; NaN where the node does not satisfy.
    """

    levels: NDArray[np.uint8]
    satisfies: NDArray[np.bool_]
    suppressed_rows: NDArray[np.int64]
    scores: NDArray[np.float64]


def judge(problem: SearchProblem, nodes: Sequence[Sequence[int]]) -> Judged:
    """Look at nodes of any lattice, however large; they may also be outside the levels that the spec allows.

    The rows are grouped at the lowest levels among the nodes, so it costs little where these are near each
    other.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from shoal.describe import intervals
    >>> from shoal.encode.column import code_column
    >>> from shoal.encode.table import CodedTable
    >>> from shoal.measure.loss import Loss
    >>> from shoal.privacy.k_anonymity import KAnonymity
    >>> ages = code_column("age", pa.array([31, 35, 52, 58]).dictionary_encode(), intervals(10, 20))
    >>> judged = judge(SearchProblem(CodedTable((ages,), 4), (KAnonymity(2),), Loss()), [[0], [1]])
    >>> judged.satisfies.tolist(), judged.suppressed_rows.tolist()
    ([False, True], [4, 0])
    """
    levels = np.array(nodes, dtype=np.uint8).reshape(-1, len(problem.table.columns))
    if not len(levels):
        return Judged(levels, np.zeros(0, bool), np.zeros(0, np.int64), np.zeros(0))
    lowest, highest = levels.min(axis=0), levels.max(axis=0)
    columns = tuple(
        replace(column, min_level=low, max_level=high)
        for column, low, high in zip(problem.table.columns, lowest.tolist(), highest.tolist(), strict=True)
    )
    # Levels that merge nothing have the same classes, but need not have the same score.
    window = replace(problem, table=replace(problem.table, columns=columns), merge_levels=False)
    by_scores_alone = problem.measure.costs(problem.table, problem.k) is None
    priced = replace(window, measure=Height()) if by_scores_alone else window
    ground = kernel_table(priced.kernel_inputs, window.lattice.levels)
    steps = (levels - lowest).tolist()

    # The kernel stops counting where a node fails, unless every row may be suppressed.
    counting = priced.kernel_inputs.requirement(problem.threshold, problem.table.rows, rows_only=True)
    found = ground.evaluate(steps, counting, priced.objective)
    suppressed, values = found.suppressed_rows, found.scores.copy()
    if all(model.suppressible for model in problem.models):
        satisfies = suppressed <= problem.limit
    else:
        checker = ground.checker(priced.requirement, priced.objective, True, True, False, 0, 0, 0.0, 0)
        satisfies = np.array([checker.check(step).satisfies for step in steps])
    if by_scores_alone:
        values = np.full(len(levels), np.nan)
        values[satisfies] = scores(replace(problem, starred=False), levels[satisfies])
    rows = suppressed.astype(np.int64)
    if problem.starred:
        for position in np.flatnonzero(satisfies).tolist():
            node = star_node(problem, tuple(levels[position].tolist()), int(rows[position]), values[position])
            if node is None:
                satisfies[position] = False
            else:
                rows[position], values[position] = node.suppressed_rows, node.score
    return Judged(
        levels=levels,
        satisfies=satisfies,
        suppressed_rows=rows,
        scores=np.where(satisfies, values, np.nan),
    )
