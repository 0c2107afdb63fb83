"""Every registered measure keeps what it declares.

Adding a measure to the registry adds its tests. (Its definition is tested in tests/unit/measure.)
"""

from __future__ import annotations

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
from shoal.measure.measure import Measure
from shoal.testing import check_measure
from shoal.testing.measures import at_most
from shoal.testing.nodes import TARGET, node_at, nodes, tables
from shoal.testing.tables import FixedHierarchy

from .measures import MEASURES, VARIANTS

every_measure = pytest.mark.parametrize("name", MEASURES)
every_variant = pytest.mark.parametrize("measure", VARIANTS, ids=lambda measure: measure.describe())


def plainly(name: str, **parameters: str) -> Measure:
    """Return a measure with the parameters that it cannot do without."""
    kind = registry.resolve("measures", name)
    given = {"target": TARGET} if "target" in kind.parameters else {}
    measure: Measure = kind(**given, **parameters)
    return measure


def test_all_of_the_literature_are_registered() -> None:
    family = """height precision discernability discernability-monotone average-class-size entropy loss
        certainty-penalty kl-divergence classification"""
    assert set(family.split()) <= set(MEASURES)


@every_measure
def test_parameters_are_fields(name: str) -> None:
    measure = plainly(name)
    assert measure.name == name
    assert [field.name for field in fields(type(measure))] == list(measure.parameters)
    assert type(measure).__doc__
    with pytest.raises(InputError, match=r"surprise|takes no parameters"):
        registry.resolve("measures", name).from_spec({"surprise": 1})


@every_variant
def test_measures_keep_what_they_declare(measure: Measure) -> None:
    check_measure(measure, examples=20)


@pytest.mark.slow
@every_variant
def test_measures_keep_what_they_declare_at_length(measure: Measure) -> None:
    check_measure(measure, rows=60, columns=4, examples=150)


@every_variant
@given(table=tables(), data=st.data())
@settings(max_examples=10)
def test_ours_are_known_to_the_kernel_and_fall_with_suppression_alone(
    measure: Measure, table: CodedTable, data: st.DataObject
) -> None:
    below = data.draw(nodes(table))
    above = replace(data.draw(nodes(table, below.levels)), k=below.k)
    assert measure.costs(table, below.k) is not None
    assert measure.ends(table, below.k) is not None
    below, above = (replace(node, kept=[True] * len(node.sizes)) for node in (below, above))
    assert at_most(measure.score(below), measure.score(above))


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
        FixedHierarchy(((0, 0, 1, 1), (0, 0))),
    )
    target = code_column(TARGET, pa.array([0, 0, 1, 1]).dictionary_encode(), Suppress())
    return CodedTable((column,), 4, {TARGET: target})
