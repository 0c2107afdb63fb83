"""Every measure against its definition, worked out row by row with exact fractions."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import registry
from shoal.encode.table import CodedTable
from shoal.measure.measure import canonical
from shoal.privacy.k_anonymity import KAnonymity
from shoal.search.exhaustive import node_of
from shoal.search.problem import SearchProblem
from tests.conformance.strategies import coded_tables


def by_rows(name: str, table: CodedTable, levels: tuple[int, ...], k: int) -> float:
    """Score a node from the rows alone."""
    rows = list(
        zip(
            *(c.maps[level][c.codes].tolist() for c, level in zip(table.columns, levels, strict=True)),
            strict=True,
        )
    )
    sizes = Counter(rows)
    kept = [sizes[row] >= k for row in rows]
    total = len(rows)
    weights = [Fraction(column.weight) for column in table.columns]
    if name == "height":
        return sum(levels)
    if name == "discernability-monotone":
        return sum(sizes[row] for row in rows)
    if name == "discernability":
        return sum(sizes[row] if keep else total for row, keep in zip(rows, kept, strict=True))
    if name == "average-class-size":
        return float(Fraction(total, len(sizes) * k))
    if name == "entropy":
        bits = 0.0
        for column, level in zip(table.columns, levels, strict=True):
            original = column.codes.tolist()
            general = column.maps[level][column.codes].tolist()
            some, more = Counter(original), Counter(general)
            bits -= sum(math.log2(some[o] / more[g]) for o, g in zip(original, general, strict=True))
        return bits
    costs = Fraction(0)
    for position, (column, level) in enumerate(zip(table.columns, levels, strict=True)):
        for row, keep in zip(rows, kept, strict=True):
            if not keep:
                cell = Fraction(1)
            elif name == "precision":
                cell = Fraction(level, column.height) if column.height else Fraction(0)
            else:
                leaves = int(column.leaves[level][row[position]])
                cell = (
                    Fraction(leaves - 1, column.total_leaves - 1) if column.total_leaves > 1 else Fraction(0)
                )
            costs += weights[position] * cell
    return float(costs / total / sum(weights))


@pytest.mark.parametrize("name", registry.names("measures"))
@given(table=coded_tables(max_rows=30, max_columns=3), k=st.integers(1, 6), data=st.data())
@settings(max_examples=80)
def test_reference_and_kernel_follow_the_definition(
    name: str, table: CodedTable, k: int, data: st.DataObject
) -> None:
    measure = registry.resolve("measures", name)()
    problem = SearchProblem(table, (KAnonymity(k),), measure, merge_levels=False)
    levels = data.draw(st.sampled_from(list(problem.lattice)))
    expected = by_rows(name, table, levels, k)
    assert math.isclose(measure.score(node_of(problem, levels)), expected, rel_tol=1e-12, abs_tol=1e-12)
    position = [level - column.min_level for level, column in zip(levels, table.columns, strict=True)]
    suppressed, classes, scores = problem.ground.evaluate([position], k, problem.objective)
    assert math.isclose(scores[0], expected, rel_tol=1e-12, abs_tol=1e-12)
    sizes = node_of(problem, levels).sizes
    assert int(suppressed[0]) == sum(size for size in sizes if size < k)
    assert int(classes[0]) == len(sizes)


def test_rounding_ties_what_only_rounding_tells_apart() -> None:
    assert canonical(0.1 + 0.2) == canonical(0.3)
    assert canonical(1 / 3 + 1 / 3 + 1 / 3 + 0.5) == canonical(1.5)
    assert canonical(2.0**60 + 2.0**10) == 2.0**60 + 2.0**10
    assert canonical(0.25) == 0.25
    assert canonical(0.3) != canonical(0.3 + 1e-9)
    assert canonical(0.0) == 0.0
