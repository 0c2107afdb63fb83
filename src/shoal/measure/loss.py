"""Loss: the average share of a column's range that a cell hides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.encode.cells import Cells
from shoal.encode.column import CodedColumn
from shoal.measure.cells import CellMeasure


@dataclass(frozen=True, slots=True)
class Loss(CellMeasure):
    """The mean over cells of (leaves under the label - 1) / (leaves of the column - 1).

    Leaves are those of the whole hierarchy, used or not; a suppressed cell counts 1. From 0 (untouched) to 1
    (everything at the top or suppressed). Columns are averaged by weight, unless another aggregate is asked
    for. A label that covers 10 of 100 ages costs 9 / 99 = 0.0909.

    References
    ----------
    V. Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002.

    Examples
    --------
    >>> Loss(aggregate="ranked").to_spec()
    {'loss': {'aggregate': 'ranked'}}
    """

    name: ClassVar[str] = "loss"
    summary: ClassVar[str] = "The average share of a column's range that a cell hides."
    needs_nodes: ClassVar[bool] = False

    @staticmethod
    def label_costs(column: CodedColumn, level: int) -> tuple[float, ...]:
        return _costs(column, column.leaves[level])

    def cell_costs(self, column: CodedColumn, cells: Cells) -> tuple[float, ...]:
        return _costs(column, cells.charged_leaves)


def _costs(column: CodedColumn, leaves: NDArray[np.int64] | NDArray[np.float64]) -> tuple[float, ...]:
    others = column.total_leaves - 1
    return tuple(((covered - 1) / others if others else 0.0) for covered in leaves.tolist())
