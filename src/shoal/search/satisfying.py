"""All satisfying nodes as a table, with what each would suppress and score."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.search.problem import SearchProblem


def satisfying_nodes(problem: SearchProblem, nodes: NDArray[np.uint8]) -> pa.Table:
    """Evaluate nodes, one per row with a level per column.

    Returns
    -------
    pa.Table
        A column of levels for each quasi-identifier, then `suppressed_rows` and `score`.
    """
    # Levels that merge nothing have the same classes, so a search takes them for one. Measures that look at
    # levels or leaves tell them apart.
    apart = replace(problem, merge_levels=False)
    lowest = np.array([column.min_level for column in problem.table.columns], dtype=np.uint8)
    suppressed, _, scores = apart.ground.evaluate((nodes - lowest).tolist(), apart.threshold, apart.objective)
    return pa.table(
        [*map(pa.array, nodes.T.copy()), pa.array(suppressed.astype(np.int64)), pa.array(scores)],
        names=[*problem.table.names, "suppressed_rows", "score"],
    )
