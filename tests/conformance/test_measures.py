"""What every registered measure declares, a search relies on; here it is tried to be proved wrong.

Adding a measure to the registry adds its tests. (Its definition is tested in tests/unit/measure.)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import registry
from shoal.describe.hierarchies.suppress import Suppress
from shoal.encode.column import code_column
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.measure.explain import explain_node
from shoal.measure.measure import Costs, Measure, Node

from .nodes import MEASURES, TARGET, measures, node_at, nodes, tables
from .strategies import FixedHierarchy

every_measure = pytest.mark.parametrize("name", MEASURES)


def close(found: float, expected: float) -> bool:
    return math.isclose(found, expected, rel_tol=1e-11, abs_tol=1e-11)


def at_most(lower: float, upper: float) -> bool:
    return lower <= upper or close(lower, upper)


def plainly(name: str, **parameters: str) -> Measure:
    """Return a measure with the parameters that it cannot do without."""
    kind = registry.resolve("measures", name)
    given = {"target": TARGET} if "target" in kind.parameters else {}
    measure: Measure = kind(**given, **parameters)
    return measure


def evaluate(costs: Costs, node: Node) -> float:
    """Score a node from a measure's costs, as the kernel is to do it."""
    if costs.term in ("none", "logs"):
        columns = sorted(column_costs(costs, node), reverse=True)
        if costs.aggregate == "max":
            return columns[0]
        if costs.aggregate == "ranked":
            total = sum(value / 2 ** (place + 1) for place, value in enumerate(columns))
            return total / (1 - 2.0 ** -len(columns))
        if costs.term == "none":
            return sum(columns)
        logs = sum(size * math.log(size) for size in node.sizes)
        score = costs.constant + costs.scale * logs + sum(columns)
        return score if score > 1e-12 else 0.0
    rows = node.table.rows
    cost_of = {
        "squares": lambda size, kept, largest: size * size,
        "kept-squares": lambda size, kept, largest: size * (size if kept else rows),
        "mean-size": lambda size, kept, largest: rows / len(node.sizes) ** 2,
        "minority": lambda size, kept, largest: size - (largest if kept else 0),
    }[costs.term]
    total = sum(map(cost_of, node.sizes, node.kept, majorities(costs.attribute, node)))
    return float(total) / costs.divisor


def column_costs(costs: Costs, node: Node) -> list[float]:
    columns = []
    for place, (weight, level) in enumerate(zip(costs.weights, node.levels, strict=True)):
        cost = costs.level_costs[place][level]
        if costs.label_costs:
            for labels, size, keep in zip(node.labels, node.sizes, node.kept, strict=True):
                if not keep:
                    cost += size * (1 - costs.label_costs[place][level][labels[place]])
        columns.append(weight * cost)
    return columns


def majorities(attribute: str, node: Node) -> list[int]:
    """Return how many rows of each class have its most frequent value; 0 where no attribute is asked for."""
    counts = [Counter[int]() for _ in node.sizes]
    if attribute:
        targets = node.table.attributes[attribute].codes.tolist()
        for of_class, target in zip(node.class_of_rows().tolist(), targets, strict=True):
            counts[of_class][target] += 1
    return [max(count.values(), default=0) for count in counts]


def test_all_of_the_literature_are_registered() -> None:
    family = """height precision discernability discernability-monotone average-class-size entropy loss
        certainty-penalty kl-divergence classification"""
    assert set(family.split()) <= set(MEASURES)


@every_measure
def test_measures_declare_what_they_are(name: str) -> None:
    measure = plainly(name)
    assert isinstance(measure, Measure)
    assert measure.name == name
    assert name in measure.describe()
    assert measure.summary.endswith(".")
    assert measure.extent
    assert [field.name for field in fields(type(measure))] == list(measure.parameters)
    assert type(measure).__doc__


@every_measure
@given(data=st.data())
@settings(max_examples=10)
def test_specs_hold_all_of_a_measure(name: str, data: st.DataObject) -> None:
    measure = data.draw(measures(name))
    written = measure.to_spec()
    again, argument = (written, None) if isinstance(written, str) else next(iter(written.items()))  # type: ignore[attr-defined]
    assert again == name
    assert registry.resolve("measures", name).from_spec(argument) == measure


@every_measure
def test_unknown_parameters_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"surprise|takes no parameters"):
        registry.resolve("measures", name).from_spec({"surprise": 1})


@every_measure
@given(table=tables(), data=st.data())
@settings(max_examples=35)
def test_measures_keep_what_they_declare(name: str, table: CodedTable, data: st.DataObject) -> None:
    check(data.draw(measures(name)), table, data)


@pytest.mark.slow
@every_measure
@given(table=tables(max_rows=60, max_columns=4), data=st.data())
@settings(max_examples=300)
def test_measures_keep_what_they_declare_at_length(name: str, table: CodedTable, data: st.DataObject) -> None:
    check(data.draw(measures(name)), table, data)


def check(measure: Measure, table: CodedTable, data: st.DataObject) -> None:
    node = data.draw(nodes(table))
    above = replace(data.draw(nodes(table, node.levels)), k=node.k)
    costs_are_the_score_as_data(measure, node)
    monotone_measures_never_fall(measure, node, above)
    scores_lie_between_the_ends(measure, node)
    contributions_sum_up_to_the_score(measure, node)
    factor = data.draw(st.sampled_from([0.25, 3.0, 1e6]))
    weights = [data.draw(st.sampled_from([1.0, 2.0, 7.0])) for _ in table.columns]
    weights_count_where_it_says_so(measure, node, factor, weights)
    the_order_of_columns_does_not_matter(measure, node, data.draw(st.permutations(range(len(weights)))))


def costs_are_the_score_as_data(measure: Measure, node: Node) -> None:
    costs = measure.costs(node.table, node.k)
    assert costs is not None
    assert close(evaluate(costs, node), measure.score(node))


def monotone_measures_never_fall(measure: Measure, node: Node, above: Node) -> None:
    """Whatever is suppressed below and above; and without suppression none of ours falls."""
    if not measure.monotone:
        node, above = (replace(one, kept=[True] * len(one.sizes)) for one in (node, above))
    assert at_most(measure.score(node), measure.score(above))


def scores_lie_between_the_ends(measure: Measure, node: Node) -> None:
    table = node.table
    ends = measure.ends(table, node.k)
    assert ends is not None
    untouched, suppressed = ends
    assert at_most(untouched, measure.score(node))
    assert at_most(measure.score(node), suppressed)
    assert close(untouched, measure.score(node_at(table, [0] * len(table.columns), k=node.k)))
    if all(column.leaves[-1].tolist() == [column.total_leaves] for column in table.columns):
        top = [column.height for column in table.columns]
        assert close(suppressed, measure.score(node_at(table, top, kept=False, k=node.k)))


def contributions_sum_up_to_the_score(measure: Measure, node: Node) -> None:
    explanation = explain_node(measure, node)
    assert explanation.score == measure.score(node)
    if explanation.contributions is None:
        assert not measure.weighted
        return
    assert list(explanation.contributions) == list(node.table.names)
    assert all(part >= 0 or close(part, 0) for part in explanation.contributions.values())
    assert close(sum(explanation.contributions.values()), explanation.score)


def weights_count_where_it_says_so(
    measure: Measure, node: Node, factor: float, weights: Sequence[float]
) -> None:
    """Where they count it is only their ratio that does, and a column alone has none."""
    columns = node.table.columns

    def weighing(weights: Sequence[float]) -> float:
        changed = (replace(column, weight=weight) for column, weight in zip(columns, weights, strict=True))
        return measure.score(replace(node, table=replace(node.table, columns=tuple(changed))))

    if not measure.weighted or len(columns) == 1:
        assert weighing(weights) == measure.score(node)
    assert close(weighing([column.weight * factor for column in columns]), measure.score(node))


def the_order_of_columns_does_not_matter(measure: Measure, node: Node, order: Sequence[int]) -> None:
    turned = replace(
        node,
        table=replace(node.table, columns=tuple(node.table.columns[place] for place in order)),
        levels=tuple(node.levels[place] for place in order),
        labels=[tuple(labels[place] for place in order) for labels in node.labels],
    )
    assert close(measure.score(turned), measure.score(node))


@every_measure
def test_what_is_not_monotone_does_fall(name: str) -> None:
    """A search does less for a measure that says it is not monotone; it should not say so in vain."""
    measure = plainly(name)
    table = falling_table()
    below, above = node_at(table, [0], kept=False, k=2), node_at(table, [1], k=2)
    assert (measure.score(above) < measure.score(below)) == (not measure.monotone)


def falling_table() -> CodedTable:
    """Four rows that are all suppressed at level 0 and in two classes at level 1 of 2."""
    column = code_column(
        "c",
        pa.array([0, 1, 2, 3]).dictionary_encode(),
        FixedHierarchy(((0, 0, 1, 1), (0, 0))),  # type: ignore[arg-type]
    )
    target = code_column(TARGET, pa.array([0, 0, 1, 1]).dictionary_encode(), Suppress())
    return CodedTable((column,), 4, {TARGET: target})
