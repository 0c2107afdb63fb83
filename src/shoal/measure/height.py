"""Height: the sum of the levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from shoal.encode.cells import Cells
from shoal.encode.table import CodedTable
from shoal.measure.measure import Costs, IntArray, MeasureDefaults, Node, not_levels


@dataclass(frozen=True, slots=True)
class Height(MeasureDefaults):
    """The sum of the levels of a node, from 0 to the sum of the hierarchies' heights.

    Levels (1, 0, 2) have height 3. It ignores the data, suppression and column weights.

    References
    ----------
    P. Samarati, "Protecting respondents' identities in microdata release", TKDE 13(6), 2001.
    """

    name: ClassVar[str] = "height"
    summary: ClassVar[str] = "The sum of the levels."
    extent: ClassVar[str] = "0 to the hierarchies' heights"
    monotone: ClassVar[bool] = True
    weighted: ClassVar[bool] = False

    def score(self, node: Node) -> float:
        if node.levels is None:
            raise not_levels(self.name)
        return float(sum(node.levels))

    def costs(self, table: CodedTable, k: int | None) -> Costs:
        return Costs(
            weights=(1.0,) * len(table.columns),
            level_costs=tuple(tuple(map(float, range(column.height + 1))) for column in table.columns),
        )

    def ends(self, table: CodedTable, k: int | None) -> tuple[float, float]:
        return 0.0, float(sum(column.height for column in table.columns))

    def contributions(
        self, table: CodedTable, cells: Sequence[Cells], lost: Sequence[IntArray]
    ) -> tuple[float, ...]:
        levels = [of_column.level for of_column in cells]
        if None in levels:
            raise not_levels(self.name)
        return tuple(float(level) for level in levels if level is not None)
