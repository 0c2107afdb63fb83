"""Normalised certainty penalty: the share of its domain that the mean generalized cell covers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.encode.cells import Cells
from shoal.encode.column import CodedColumn
from shoal.measure.cells import CellMeasure


@dataclass(frozen=True, slots=True)
class CertaintyPenalty(CellMeasure):
    """The mean over cells of leaves under the label / leaves of the column, and 0 for an original value.

    Leaves are those of the whole hierarchy, used or not; a suppressed cell counts 1. From 0 (untouched) to 1
    (everything at the top or suppressed). Columns are averaged by weight, unless another aggregate is asked
    for. A label that covers 10 of 100 ages costs 0.1, a single age nothing.

    It is the paper's definition for categories, and serves numbers too: theirs are the intervals of the
    hierarchy, not ranges made for each class.

    References
    ----------
    J. Xu, W. Wang, J. Pei, X. Wang, B. Shi and A. Fu, "Utility-based anonymization using local recoding",
    KDD 2006.

    Examples
    --------
    >>> CertaintyPenalty().to_spec()
    'certainty-penalty'
    """

    name: ClassVar[str] = "certainty-penalty"
    summary: ClassVar[str] = "The average share of a domain that a cell covers; an original value costs 0."
    needs_nodes: ClassVar[bool] = False

    @staticmethod
    def label_costs(column: CodedColumn, level: int) -> tuple[float, ...]:
        return _costs(column, column.leaves[level])

    def cell_costs(self, column: CodedColumn, cells: Cells) -> tuple[float, ...]:
        return _costs(column, cells.charged_leaves)


def _costs(column: CodedColumn, leaves: NDArray[np.int64] | NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(covered / column.total_leaves if covered > 1 else 0.0 for covered in leaves.tolist())
