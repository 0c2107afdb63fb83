"""Every measure once more, straight from its definition: plain Python over rows, exact where that can be.

It shares nothing with the measures but the coded table.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from shoal.measure.measure import Measure, Node

Cell: TypeAlias = "Callable[[Rows, int, int], Fraction]"


class Rows:
    """A node as rows: the original codes, the labels, and whether the row is released."""

    def __init__(self, node: Node) -> None:
        table = node.table
        self.columns = table.columns
        self.levels = node.levels
        self.k = node.k or 1
        self.originals = list(zip(*(column.codes.tolist() for column in table.columns), strict=True))
        self.labels = [
            tuple(
                int(column.maps[level][code])
                for column, level, code in zip(table.columns, node.levels, row, strict=True)
            )
            for row in self.originals
        ]
        kept = dict(zip(node.labels, node.kept, strict=True))
        self.kept = [kept[labels] for labels in self.labels]
        self.total = len(self.originals)

    def leaves(self, place: int, label: int) -> int:
        return int(self.columns[place].leaves[self.levels[place]][label])


def height(rows: Rows) -> float:
    return sum(rows.levels)


def discernability(rows: Rows) -> float:
    return sum(
        sum(1 for other in rows.labels if other == mine) if kept else rows.total
        for mine, kept in zip(rows.labels, rows.kept, strict=True)
    )


def discernability_monotone(rows: Rows) -> float:
    return sum(sum(1 for other in rows.labels if other == mine) for mine in rows.labels)


def average_class_size(rows: Rows) -> float:
    return float(Fraction(rows.total, len(set(rows.labels)) * rows.k))


def entropy(rows: Rows) -> float:
    bits = 0.0
    for place in range(len(rows.columns)):
        some = Counter(row[place] for row in rows.originals)
        more = Counter(row[place] for row in rows.labels)
        for original, label in zip(rows.originals, rows.labels, strict=True):
            bits -= math.log2(some[original[place]] / more[label[place]])
    return bits


def kl_divergence(rows: Rows) -> float:
    """Spread every class over the tuples of leaves that it covers, and compare tuple by tuple."""
    true = Counter(rows.originals)
    classes = Counter(rows.labels)
    divergence = 0.0
    for original, count in true.items():
        labels = rows.labels[rows.originals.index(original)]
        covered = math.prod(rows.leaves(place, label) for place, label in enumerate(labels))
        p, q = Fraction(count, rows.total), Fraction(classes[labels], rows.total * covered)
        divergence += float(p) * math.log(p / q)
    return divergence


def classification(rows: Rows, targets: list[int]) -> float:
    missed = 0
    for mine, target, kept in zip(rows.labels, targets, rows.kept, strict=True):
        others = Counter(value for labels, value in zip(rows.labels, targets, strict=True) if labels == mine)
        # Of equally frequent values one is the majority, it does not matter which.
        majority = max(others, key=lambda value: (others[value], -value))
        missed += not kept or target != majority
    return float(Fraction(missed, rows.total))


def _precision_cell(rows: Rows, place: int, label: int) -> Fraction:
    column = rows.columns[place]
    return Fraction(rows.levels[place], column.height) if column.height else Fraction(0)


def _loss_cell(rows: Rows, place: int, label: int) -> Fraction:
    domain = rows.columns[place].total_leaves
    return Fraction(rows.leaves(place, label) - 1, domain - 1) if domain > 1 else Fraction(0)


def _penalty_cell(rows: Rows, place: int, label: int) -> Fraction:
    leaves = rows.leaves(place, label)
    return Fraction(leaves, rows.columns[place].total_leaves) if leaves > 1 else Fraction(0)


def over_columns(rows: Rows, cell: Cell, aggregate: str) -> float:
    means = []
    for place in range(len(rows.columns)):
        cells = [
            cell(rows, place, labels[place]) if kept else Fraction(1)
            for labels, kept in zip(rows.labels, rows.kept, strict=True)
        ]
        means.append(sum(cells) / rows.total)
    weights = [Fraction(column.weight) for column in rows.columns]
    if aggregate == "mean":
        return float(sum(mean * weight for mean, weight in zip(means, weights, strict=True)) / sum(weights))
    values = [mean * weight / max(weights) for mean, weight in zip(means, weights, strict=True)]
    if aggregate == "max":
        return float(max(values))
    # Rank-ordered: of all orders of the columns the one that costs most.
    factors = [Fraction(1, 2 ** (place + 1)) for place in range(len(values))]
    return float(
        max(
            sum(factor * value for factor, value in zip(factors, order, strict=True)) / sum(factors)
            for order in itertools.permutations(values)
        )
    )


def by_rows(measure: Measure, node: Node) -> float:
    """Score a node by the measure of that name, with its parameters."""
    rows = Rows(node)
    cells = {"precision": _precision_cell, "loss": _loss_cell, "certainty-penalty": _penalty_cell}
    parameters = {name: getattr(measure, name) for name in measure.parameters}
    if measure.name in cells:
        return over_columns(rows, cells[measure.name], **parameters)
    if measure.name == "classification":
        return classification(rows, node.table.attributes[parameters["target"]].codes.tolist())
    plain = {
        "height": height,
        "discernability": discernability,
        "discernability-monotone": discernability_monotone,
        "average-class-size": average_class_size,
        "entropy": entropy,
        "kl-divergence": kl_divergence,
    }
    return float(plain[measure.name](rows))
