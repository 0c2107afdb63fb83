"""What a quality measure declares, a search relies on; here it is tried to be proved wrong."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from hypothesis import strategies as st

from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.measure.explain import explain_node
from shoal.measure.measure import Costs, Measure, Node
from shoal.testing.nodes import TARGET, node_at, nodes, tables
from shoal.testing.promises import close, draw_and_check, promise, require, require_equal


def check_measure(measure: Measure, *, rows: int = 30, columns: int = 3, examples: int = 35) -> None:
    """Raise AssertionError with the first promise that a quality measure breaks.

    It has a name and a summary; if a spec can name it, it comes back from the spec and refuses what it does
    not know. On drawn tables `costs`, where it has any, gives what `score` does; `monotone` and `weighted`
    are true; scores lie between its `ends`, where it knows them; what columns contribute adds up; and the
    order of columns changes nothing.

    Parameters
    ----------
    rows, columns
        How many a drawn table has at most.
    examples
        How many tables are drawn.

    Examples
    --------
    >>> from shoal.measure.height import Height
    >>> check_measure(Height(), examples=5)
    """
    check_words(measure)
    if hasattr(type(measure), "from_spec"):
        check_spec(measure)
    table = tables(max_rows=rows, max_columns=columns, target=measure.attribute or TARGET)
    draw_and_check(partial(check_scores, measure), table, st.data(), examples=examples)


def check_words(measure: Measure) -> None:
    """Check what a measure says about itself."""
    with promise(f"The measure {type(measure).__name__}", "it has all that a quality measure has"):
        missing = [name for name in dir(Measure) if not name.startswith("_") and not hasattr(measure, name)]
        require(isinstance(measure, Measure), f"Missing: {', '.join(missing)}.")
    with promise(_whose(measure), "it says what it is, in one line that ends with a full stop"):
        require(measure.summary.endswith(".") and "\n" not in measure.summary, measure.summary)
        require(measure.name and measure.extent, "Its name or its extent is empty.")
        require(measure.name in measure.describe(), f"Found: {measure.describe()!r}, without its name.")


def check_spec(measure: Any) -> None:
    """Check that a measure comes back from its spec, and that wrong specs are refused."""
    with promise(_whose(measure), "its spec holds all of it"):
        written = measure.to_spec()
        name, argument = (written, None) if isinstance(written, str) else next(iter(written.items()))
        require_equal(name, measure.name)
        require_equal(type(measure).from_spec(argument), measure)
    with promise(_whose(measure), "a spec that it does not know is refused with an InputError"):
        try:
            type(measure).from_spec({"surprise": 1})
        except InputError:
            return
        require(False, "Found: {'surprise': 1} is accepted.")


def check_scores(measure: Measure, table: CodedTable, data: st.DataObject) -> None:
    """Check the scores of nodes that are drawn."""
    node = data.draw(nodes(table))
    above = replace(data.draw(nodes(table, node.levels)), k=node.k)
    factor = data.draw(st.sampled_from([0.25, 3.0, 1e6]))
    weights = [data.draw(st.sampled_from([1.0, 2.0, 7.0])) for _ in table.columns]
    order = data.draw(st.permutations(range(len(weights))))
    with promise(_whose(measure), "`score` is a finite number, the same for equal nodes"):
        require(math.isfinite(measure.score(node)), f"Found: {measure.score(node)}.")
        require_equal(measure.score(node), measure.score(replace(node)))
    with promise(_whose(measure), "`costs` is the score as data"):
        costs = measure.costs(node.table, node.k)
        require(costs is None or close(evaluate(costs, node), measure.score(node)))
    if measure.monotone:
        with promise(_whose(measure), "it is `monotone`: generalizing never lowers the score"):
            require(at_most(measure.score(node), measure.score(above)), f"{node.levels} to {above.levels}.")
    with promise(_whose(measure), "scores lie between its `ends`, which are those of the ends"):
        _check_ends(measure, node)
    with promise(_whose(measure), "what columns contribute adds up to the score"):
        _check_contributions(measure, node)
    with promise(_whose(measure), "column weights count if it is `weighted`, and then by their ratio"):
        _check_weights(measure, node, factor, weights)
    with promise(_whose(measure), "the order of columns does not matter"):
        _check_order(measure, node, order)


def _check_ends(measure: Measure, node: Node) -> None:
    table = node.table
    ends = measure.ends(table, node.k)
    if ends is None:
        return
    untouched, suppressed = ends
    score = measure.score(node)
    require(at_most(untouched, score) and at_most(score, suppressed), f"Found: {score}, with {ends}.")
    require(close(untouched, measure.score(node_at(table, [0] * len(table.columns), k=node.k))))
    if all(column.leaves[-1].tolist() == [column.total_leaves] for column in table.columns):
        top = [column.height for column in table.columns]
        require(close(suppressed, measure.score(node_at(table, top, kept=False, k=node.k))))


def _check_contributions(measure: Measure, node: Node) -> None:
    explanation = explain_node(measure, node)
    require_equal(explanation.score, measure.score(node))
    if explanation.contributions is None:
        require(not measure.weighted, "It is weighted, and columns contribute nothing.")
        return
    parts = explanation.contributions
    require_equal(list(parts), list(node.table.names))
    require(all(part >= 0 or close(part, 0) for part in parts.values()), f"Found: {parts}.")
    require(close(sum(parts.values()), explanation.score), f"Found: {parts}, of {explanation.score}.")


def _check_weights(measure: Measure, node: Node, factor: float, weights: Sequence[float]) -> None:
    """A column alone has no weight."""
    columns = node.table.columns

    def weighing(weights: Sequence[float]) -> float:
        changed = (replace(column, weight=weight) for column, weight in zip(columns, weights, strict=True))
        return measure.score(replace(node, table=replace(node.table, columns=tuple(changed))))

    if not measure.weighted or len(columns) == 1:
        require_equal(weighing(weights), measure.score(node))
    require(close(weighing([column.weight * factor for column in columns]), measure.score(node)))


def _check_order(measure: Measure, node: Node, order: Sequence[int]) -> None:
    assert node.levels is not None, "drawn nodes are nodes of the lattice"
    turned = replace(
        node,
        table=replace(node.table, columns=tuple(node.table.columns[position] for position in order)),
        levels=tuple(node.levels[position] for position in order),
        labels=[tuple(labels[position] for position in order) for labels in node.labels],
    )
    require(close(measure.score(turned), measure.score(node)))


def at_most(lower: float, upper: float) -> bool:
    """Return whether one score is below another, or differs from it by rounding alone."""
    return lower <= upper or close(lower, upper)


def evaluate(costs: Costs, node: Node) -> float:
    """Score a node from a measure's costs, as the kernel is to do it."""
    if costs.term in ("none", "logs"):
        columns = sorted(_column_costs(costs, node), reverse=True)
        if costs.aggregate == "max":
            return columns[0]
        if costs.aggregate == "ranked":
            total: float = sum(value / 2 ** (position + 1) for position, value in enumerate(columns))
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
    terms = sum(map(cost_of, node.sizes, node.kept, _majorities(costs.attribute, node)))
    return float(terms) / costs.divisor


def _column_costs(costs: Costs, node: Node) -> list[float]:
    assert node.levels is not None, "the kernel scores nodes of the lattice"
    columns = []
    for position, (weight, level) in enumerate(zip(costs.weights, node.levels, strict=True)):
        cost = costs.level_costs[position][level]
        if costs.label_costs:
            for labels, size, keep in zip(node.labels, node.sizes, node.kept, strict=True):
                if not keep:
                    cost += size * (1 - costs.label_costs[position][level][labels[position]])
        columns.append(weight * cost)
    return columns


def _majorities(attribute: str, node: Node) -> list[int]:
    """Return how many rows of each class have its most frequent value; 0 where no attribute is asked for."""
    counts = [Counter[int]() for _ in node.sizes]
    if attribute:
        targets = node.table.attributes[attribute].codes.tolist()
        for of_class, target in zip(node.class_of_rows().tolist(), targets, strict=True):
            counts[of_class][target] += 1
    return [max(count.values(), default=0) for count in counts]


def _whose(measure: Measure) -> str:
    return f"The measure {measure.name!r}"
