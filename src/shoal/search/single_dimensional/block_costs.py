"""What cells cost whose labels cover a block of values."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.encode.cells import Cells
from shoal.encode.column import CodedColumn, IntArray, comparable, is_ordered
from shoal.measure.cells import CellMeasure
from shoal.recode.class_labels import ClassValues, LabelForm, range_widths
from shoal.search.single_dimensional.tuples import Blocks, Floats


def label_costs(column: CodedColumn, level: int, measure: CellMeasure, form: LabelForm) -> tuple[float, ...]:
    """Return what a cell costs whose label covers what each label of a level covers."""
    if form == "nodes":
        return measure.label_costs(column, level)
    return block_costs(column, column.step(column.min_level, level), measure, form)


def block_costs(
    column: CodedColumn, blocks: Blocks, measure: CellMeasure, form: LabelForm
) -> tuple[float, ...]:
    """Return what a cell with the label of each block costs.

    Parameters
    ----------
    blocks
        The block of every value, which is a label of the lowest level that the column may have.
    """
    values = np.arange(len(blocks), dtype=np.uint32)
    found = ClassValues(column, column.allowed_levels, values, blocks).labels(form)
    costs = measure.cell_costs(column, Cells(found.labels, found.of_class, found.leaves, found.nodes))
    return tuple(costs[label] for label in found.of_class.tolist())


def interval_costs(column: CodedColumn, measure: CellMeasure, form: LabelForm, places: IntArray) -> Floats:
    """Return what a cell costs whose label covers the values between two places, for each two of them.

    Infinite where the first is not before the second, or no allowed label of the hierarchy covers the values.
    """
    base = column.min_level
    first, last = np.triu_indices(len(places), 1)
    low, high = places[first], places[last] - 1
    leaves = np.full(len(low), -1, dtype=np.int64)
    for level in range(column.max_level, base - 1, -1):
        labels = column.step(base, level)
        covered = labels[low] == labels[high]
        leaves[covered] = column.leaves[level][labels[low[covered]]]
    known, several = leaves >= 0, low < high
    if form == "sets":
        before = np.append(0, np.cumsum(column.leaves[base]))
        narrower = before[high + 1] - before[low]
    else:
        widths = range_widths(column)
        narrower = widths[high] - widths[low] + 1
        several &= high < len(widths) - column.labels[0].null_count
    leaves[several] = np.minimum(leaves, narrower)[several]
    found, which = np.unique(leaves[known], return_inverse=True)
    # A measure that is not about nodes looks at nothing but the leaves.
    cells = Cells(pa.nulls(len(found)), np.zeros(0, np.uint32), found)
    costs = np.full((len(places), len(places)), np.inf)
    costs[first[known], last[known]] = np.array(measure.cell_costs(column, cells))[which.reshape(-1)]
    return costs


def has_ranges(column: CodedColumn) -> bool:
    """Return whether intervals of a column's values are ranges: of numbers or dates in their own order."""
    values = comparable(column.labels[0])
    if column.min_level or not is_ordered(values.type):
        return False
    order = pc.array_sort_indices(values, null_placement="at_end").to_numpy()
    return bool((np.diff(order.astype(np.int64)) > 0).all())
