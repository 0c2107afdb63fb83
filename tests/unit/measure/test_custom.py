"""A Python function as a measure."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.errors import InputError
from shoal.measure.explain import explain_node
from shoal.measure.measure import Measure, Node
from shoal.testing.nodes import node_at

from .people import classes_of_two, people


def crowding(node: Node) -> float:
    """Rows in classes of fewer than two."""
    return sum(size for size in node.sizes if size < 2)


def test_the_function_scores() -> None:
    measure = shoal.CustomMeasure(crowding, name="crowding")
    assert isinstance(measure, Measure)
    assert measure.score(node_at(people(), (1, 0))) == 2.0
    assert measure.costs(people(), 2) is None
    assert (measure.name, measure.monotone, measure.weighted) == ("crowding", False, False)
    assert measure.to_spec() == measure.describe() == "crowding"


@pytest.mark.parametrize("number", [3, 3.0, np.float32(3), np.int64(3), Fraction(3)])
def test_any_kind_of_number_will_do(number: Any) -> None:
    assert shoal.CustomMeasure(lambda node: number).score(node_at(people(), (0, 0))) == 3.0


@pytest.mark.parametrize("result", [None, "21-F", True, np.bool_(True), [1.0], Decimal(1), 1j])
def test_what_is_no_number_is_refused_without_showing_it(result: Any) -> None:
    measure = shoal.CustomMeasure(lambda node: result, name="odd")
    with pytest.raises(InputError, match=r"'odd' must return a number.*\nFound: a result of type") as caught:
        measure.score(node_at(people(), (0, 0)))
    assert "21-F" not in str(caught.value)


@pytest.mark.parametrize("result", [float("nan"), float("inf"), -float("inf"), np.float64("nan")])
def test_what_is_not_finite_is_refused(result: float) -> None:
    with pytest.raises(InputError, match=r"finite number.*\nFound: "):
        shoal.CustomMeasure(lambda node: result).score(node_at(people(), (0, 0)))


def test_everything_about_it_is_checked_at_once() -> None:
    wrong: Any = {"function": 3, "name": "", "monotone": "yes", "attribute": 7}
    with pytest.raises(InputError) as caught:
        shoal.CustomMeasure(**wrong)
    assert len(caught.value.problems) == 4


def test_it_is_explained_as_far_as_the_function_can_tell() -> None:
    node = node_at(people(), (1, 0), classes_of_two)
    explained = explain_node(shoal.CustomMeasure(crowding), node)
    assert (explained.score, explained.untouched, explained.suppressed) == (2, 6, 0)
    assert explained.contributions is None

    def of_the_kept(node: Node) -> float:
        return 1 / sum(size for size, kept in zip(node.sizes, node.kept, strict=True) if kept)

    explained = explain_node(shoal.CustomMeasure(of_the_kept), node)
    assert (explained.score, explained.untouched, explained.suppressed) == (0.25, None, None)
    assert explained.between == ""


def test_a_function_sees_the_classes_of_the_rows_and_other_columns() -> None:
    def ill_and_alone(node: Node) -> float:
        ill = node.table.attributes["ill"]
        yes = ill.codes == ill.labels[0].to_pylist().index("yes")
        return float((yes & (np.array(node.sizes)[node.class_of_rows()] == 1)).sum())

    measure = shoal.CustomMeasure(ill_and_alone, attribute="ill")
    assert measure.score(node_at(people(), (0, 0))) == 3
    assert measure.score(node_at(people(), (1, 0))) == 0
    assert measure.score(node_at(people(), (1, 1))) == 0
