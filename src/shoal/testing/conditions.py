"""Conditions as the kernel is told them, evaluated in plain Python, one class at a time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from shoal.encode.table import CodedTable
from shoal.privacy.condition import ROUNDING, Condition
from shoal.privacy.model import PrivacyModel
from shoal.testing.promises import require, require_equal


def accepts(model: PrivacyModel, table: CodedTable, rows: Sequence[int], population: int) -> bool:
    """Return whether a class of these rows passes: the size, and every condition."""
    if not rows:
        return model.suppressible or all(meets(c, table, rows, population) for c in model.conditions(table))
    if len(rows) < model.minimum_size:
        return False
    return all(meets(condition, table, rows, population) for condition in model.conditions(table))


def meets(  # noqa: PLR0911 (one return per kind)
    condition: Condition, table: CodedTable, rows: Sequence[int], population: int
) -> bool:
    people = len(units(table, rows))
    if condition.kind == "population":
        low, high = float(condition.lower[0]), float(condition.upper[0])
        return population >= condition.least and low * population <= people <= high * population
    if condition.source == "units":
        return people >= condition.least
    counts = histogram(condition, table, rows)
    n = sum(counts)
    falling = sorted(counts, reverse=True)
    if condition.kind == "distinct":
        return sum(c > 0 for c in counts) >= condition.least
    if condition.kind == "cover":
        return sum(falling[: condition.least - 1]) < people
    if condition.kind == "entropy":
        # One after the other takes its most frequent value that is left.
        left, terms = people, 0.0
        for c in falling:
            terms += min(c, left) * math.log(max(min(c, left), 1))
            left -= min(c, left)
        return people * math.log(people) - terms >= people * (condition.bound - ROUNDING)
    if condition.kind == "recursive":
        tail = max(people - sum(falling[: condition.least - 1]), 0)
        return falling[0] < condition.bound * tail * (1 - ROUNDING)
    if condition.kind == "shares":
        bounds = zip(counts, condition.lower.tolist(), condition.upper.tolist(), strict=True)
        return all(low * people <= c <= high * people for c, low, high in bounds)
    totals = condition.totals.tolist() or histogram(condition, table, range(table.rows))
    everybody = sum(totals)
    all_people = everybody if len(condition.totals) else len(units(table, range(table.rows)))
    extra = [c * everybody - total * n for c, total in zip(counts, totals, strict=True)]
    here, there = n / people, everybody / all_people
    distance = min(here, there) * moved(condition, extra) / (n * everybody) + abs(here - there)
    return distance <= condition.bound + 1e-12


def moved(condition: Condition, extra: list[int]) -> float:
    if condition.kind == "equal":
        return sum(max(0, e) for e in extra)
    if condition.kind == "ordered":
        require_equal(sorted(condition.order.tolist()), list(range(len(extra))), "The places of an order. ")
        in_order = [
            extra[value] for value in sorted(range(len(extra)), key=condition.order.tolist().__getitem__)
        ]
        carried = [abs(sum(in_order[: position + 1])) for position in range(len(extra) - 1)]
        return sum(carried) / max(len(extra) - 1, 1)
    require_equal(condition.kind, "tree", "The kind of a condition. ")
    require(
        not condition.tree or set(condition.tree[-1].tolist()) == {0}, "A tree needs one label at its top."
    )
    cost = 0.0
    below = list(range(len(extra)))
    for level, labels in enumerate(condition.tree, start=1):
        positive: Counter[int] = Counter()
        negative: Counter[int] = Counter()
        for child in set(below):
            under = [value for value in range(len(extra)) if below[value] == child]
            (parent,) = {int(labels[value]) for value in under}  # nested
            sum_of_child = sum(extra[value] for value in under)
            positive[parent] += max(0, sum_of_child)
            negative[parent] += max(0, -sum_of_child)
        cost += level / len(condition.tree) * sum(min(positive[label], negative[label]) for label in positive)
        below = labels.tolist()
    return cost


def units(table: CodedTable, rows: Sequence[int]) -> set[int]:
    return set(rows) if table.units is None else {int(table.units[row]) for row in rows}


def histogram(condition: Condition, table: CodedTable, rows: Sequence[int]) -> list[int]:
    column = table.attributes[condition.name]
    labels = column.label_numbers(condition.level).tolist()
    seen: dict[int, set[int]] = {}
    for row in rows:
        seen.setdefault(labels[column.codes[row]], set()).update(units(table, [row]))
    return [len(seen.get(label, ())) for label in range(labels[-1] + 1 if labels else 0)]
