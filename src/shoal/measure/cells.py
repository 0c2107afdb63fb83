"""Measures that average over columns what each cell costs, where a suppressed cell costs 1."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, get_args

from shoal.encode.cells import Cells
from shoal.encode.column import CodedColumn
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.measure.measure import Aggregate, Costs, IntArray, MeasureDefaults, Node, not_levels, shares

AGGREGATES: tuple[str, ...] = get_args(Aggregate)


@dataclass(frozen=True, slots=True)
class CellMeasure(MeasureDefaults, ABC):
    """A measure that knows what a cell costs, from 0 to 1.

    A column costs the mean of its cells. With weights w, `aggregate` says how columns come together:

    mean
        Each column by its share of the weights, w / sum of w.
    max
        The worst column, after each is multiplied by w / largest w.
    ranked
        An ordered weighted average of the same products: the worst counts 1/2, the next 1/4, and so on,
        divided by the sum of these factors. It lies between the other two where the weights are equal.

    References
    ----------
    R. Yager, "On ordered weighted averaging aggregation operators in multicriteria decisionmaking",
    IEEE Transactions on Systems, Man, and Cybernetics 18(1), 1988.
    """

    aggregate: Aggregate = "mean"

    extent: ClassVar[str] = "0 to 1"
    parameters: ClassVar[dict[str, str]] = {
        "aggregate": "how columns come together: mean (by weight; the default), max (the worst column) or "
        "ranked (the worst counts 1/2, the next 1/4, ...)"
    }
    examples: ClassVar[tuple[object, ...]] = (None, {"aggregate": "max"}, {"aggregate": "ranked"})
    monotone: ClassVar[bool] = False
    weighted: ClassVar[bool] = True
    needs_nodes: ClassVar[bool] = True
    """Whether labels must be nodes of hierarchies; if not, the leaves that they cover are enough."""

    def __post_init__(self) -> None:
        if self.aggregate not in AGGREGATES:
            raise InputError(
                f"The aggregate of {self.name} is one of {', '.join(AGGREGATES)}.\nFound: {self.aggregate!r}."
            )

    @staticmethod
    @abstractmethod
    def label_costs(column: CodedColumn, level: int) -> tuple[float, ...]:
        """Return what a cell with each label of a level costs."""

    def cell_costs(self, column: CodedColumn, cells: Cells) -> tuple[float, ...]:
        """Return what a cell with each label of a recoded column costs.

        Raises
        ------
        InputError
            The measure is about nodes of hierarchies, and some labels are none.
        """
        if cells.nodes is None:
            raise not_levels(self.name)
        per_level = {level: self.label_costs(column, level) for level in set(cells.nodes.levels.tolist())}
        pairs = zip(cells.nodes.levels.tolist(), cells.nodes.numbers.tolist(), strict=True)
        return tuple(per_level[level][number] for level, number in pairs)

    def score(self, node: Node) -> float:
        return self._together(self._column_costs(node.table, node.cells, node.suppressed_labels()))

    def costs(self, table: CodedTable, k: int | None) -> Costs:
        per_label = tuple(
            tuple(self.label_costs(column, level) for level in range(column.height + 1))
            for column in table.columns
        )
        per_level = tuple(
            tuple(_dot(column.label_counts(level), costs) for level, costs in enumerate(levels))
            for column, levels in zip(table.columns, per_label, strict=True)
        )
        return Costs(
            weights=self._weights(table),
            level_costs=per_level,
            label_costs=per_label,
            aggregate=self.aggregate,
        )

    def ends(self, table: CodedTable, k: int | None) -> tuple[float, float]:
        if self.aggregate == "mean":
            return 0.0, 1.0
        heaviest = max(column.weight for column in table.columns)
        return 0.0, self._together([column.weight / heaviest for column in table.columns])

    def contributions(
        self, table: CodedTable, cells: Sequence[Cells], lost: Sequence[IntArray]
    ) -> tuple[float, ...]:
        values = self._column_costs(table, cells, lost)
        factors = self._factors(len(values))
        # Of equal columns the first is the worse one.
        ranking = sorted(range(len(values)), key=lambda position: -values[position])
        parts = [0.0] * len(values)
        for position, factor in zip(ranking, factors, strict=True):
            parts[position] = values[position] * factor
        return tuple(parts)

    def describe(self) -> str:
        return self.name if self.aggregate == "mean" else f"{self.name} ({self.aggregate} over columns)"

    def _weights(self, table: CodedTable) -> tuple[float, ...]:
        """Return what a unit of cost in each column counts."""
        if self.aggregate == "mean":
            return tuple(share / table.rows for share in shares(table))
        heaviest = max(column.weight for column in table.columns)
        return tuple((column.weight / heaviest) / table.rows for column in table.columns)

    def _column_costs(
        self, table: CodedTable, cells: Sequence[Cells], lost: Sequence[IntArray]
    ) -> list[float]:
        """Return what each column costs, weighted.

        What all cells cost, less what the suppressed ones would, plus 1 for each of those: summed in the
        order that the kernel uses, so that both round alike.
        """
        values = []
        for column, of_column, weight, gone in zip(
            table.columns, cells, self._weights(table), lost, strict=True
        ):
            costs = self.cell_costs(column, of_column)
            values.append(
                weight * (_dot(of_column.label_counts(table), costs) - _dot(gone, costs) + int(gone.sum()))
            )
        return values

    def _together(self, values: Sequence[float]) -> float:
        if self.aggregate == "mean":
            return sum(values, 0.0)
        if self.aggregate == "max":
            return max(values)
        halves = (
            value / 2.0 ** (position + 1) for position, value in enumerate(sorted(values, reverse=True))
        )
        return sum(halves, 0.0) / (1 - 2.0 ** -len(values))

    def _factors(self, columns: int) -> list[float]:
        """Return what the worst column counts, the next, and so on."""
        if self.aggregate == "mean":
            return [1.0] * columns
        if self.aggregate == "max":
            return [1.0] + [0.0] * (columns - 1)
        return [2.0 ** -(position + 1) / (1 - 2.0**-columns) for position in range(columns)]


def _dot(counts: IntArray, costs: tuple[float, ...]) -> float:
    total = 0.0
    for count, cost in zip(counts.tolist(), costs, strict=True):
        total += count * cost
    return total
