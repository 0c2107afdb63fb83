"""Measures that are a weighted mean of what each cell costs, where a suppressed cell costs 1."""

from __future__ import annotations

from collections.abc import Callable

from shoal.encode.column import CodedColumn
from shoal.encode.table import CodedTable
from shoal.measure.measure import Costs, Node, shares

LabelCosts = Callable[[CodedColumn, int], tuple[float, ...]]


def mean_cost(node: Node, label_costs: LabelCosts) -> float:
    """Score a node by the definition.

    What all cells cost, less what the suppressed ones would, plus 1 for each of those: summed in the order
    that the kernel uses, so that both round alike.
    """
    rows = node.table.rows
    score = 0.0
    for position, (column, share) in enumerate(zip(node.table.columns, shares(node.table), strict=True)):
        costs = label_costs(column, node.levels[position])
        total = [0] * len(costs)
        lost = [0] * len(costs)
        for labels, size, kept in zip(node.labels, node.sizes, node.kept, strict=True):
            total[labels[position]] += size
            if not kept:
                lost[labels[position]] += size
        score += (share / rows) * (_dot(total, costs) - _dot(lost, costs) + sum(lost))
    return score


def cell_costs(table: CodedTable, label_costs: LabelCosts) -> Costs:
    """Express the same mean as data for the kernel."""
    per_label = tuple(
        tuple(label_costs(column, level) for level in range(column.height + 1)) for column in table.columns
    )
    per_level = tuple(
        tuple(_dot(column.label_counts(level).tolist(), costs) for level, costs in enumerate(levels))
        for column, levels in zip(table.columns, per_label, strict=True)
    )
    return Costs(
        weights=tuple(share / table.rows for share in shares(table)),
        level_costs=per_level,
        label_costs=per_label,
    )


def _dot(counts: list[int], costs: tuple[float, ...]) -> float:
    total = 0.0
    for count, cost in zip(counts, costs, strict=True):
        total += count * cost
    return total
