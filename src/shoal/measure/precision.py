"""Precision: how far up its hierarchy the mean cell went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.encode.column import CodedColumn
from shoal.measure.cells import CellMeasure


@dataclass(frozen=True, slots=True)
class Precision(CellMeasure):
    """The mean over cells of level / height of the column; a suppressed cell counts 1.

    From 0 (untouched) to 1 (everything at the top or suppressed). Columns are averaged by weight, unless
    another aggregate is asked for. In a table of 10 rows with one column at level 1 of 2 and no suppression
    it is 0.5; with 2 rows suppressed it is (8 x 0.5 + 2) / 10 = 0.6.

    References
    ----------
    L. Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression",
    IJUFKS 10(5), 2002 (there 1 minus this value).

    Examples
    --------
    >>> Precision(aggregate="max").describe()
    'precision (max over columns)'
    """

    name: ClassVar[str] = "precision"
    summary: ClassVar[str] = "The average level of a cell relative to its hierarchy: level / height."

    @staticmethod
    def label_costs(column: CodedColumn, level: int) -> tuple[float, ...]:
        cost = level / column.height if column.height else 0.0
        return (cost,) * len(column.labels[level])
