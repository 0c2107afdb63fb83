"""All satisfying nodes as a table, with what each would suppress and score."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.search.lattice import Lattice
from shoal.search.problem import SearchProblem


def satisfying_nodes(problem: SearchProblem, nodes: NDArray[np.uint8]) -> pa.Table:
    """Evaluate nodes, one per row with a level per column.

    Returns
    -------
    pa.Table
        A column of levels for each quasi-identifier, then `suppressed_rows` and `score`.
    """
    apart = _LevelsApart(problem.table, problem.models, problem.measure, problem.suppression)
    lowest = np.array([column.min_level for column in problem.table.columns], dtype=np.uint8)
    suppressed, _, scores = apart.ground.evaluate((nodes - lowest).tolist(), apart.k, apart.objective)
    return pa.table(
        [*map(pa.array, nodes.T.copy()), pa.array(suppressed.astype(np.int64)), pa.array(scores)],
        names=[*problem.table.names, "suppressed_rows", "score"],
    )


class _LevelsApart(SearchProblem):
    """The same problem on a lattice that keeps levels apart which merge nothing on these values.

    Such levels have the same classes, so a search takes them for one. Measures that look at levels or leaves
    tell them apart.
    """

    @cached_property
    def lattice(self) -> Lattice:
        levels = [tuple(range(column.min_level, column.max_level + 1)) for column in self.table.columns]
        return Lattice(
            levels=tuple(levels),
            same=tuple(tuple((level,) for level in column) for column in levels),
        )
