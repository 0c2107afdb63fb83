"""Every measure against its definition, worked out row by row, and by hand."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import registry
from shoal.encode.column import code_together
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.measure.measure import Measure, canonical
from shoal.spec.spec import hierarchy_from_text
from shoal.testing.nodes import node_at, nodes, tables
from tests.conformance.measures import measures

from .by_rows import by_rows
from .people import classes_of_two, people


@pytest.mark.parametrize("name", registry.names("measures"))
@given(table=tables(max_rows=20), data=st.data())
def test_scores_follow_the_definition(name: str, table: CodedTable, data: st.DataObject) -> None:
    measure = data.draw(measures(name))
    node = data.draw(nodes(table))
    assert math.isclose(measure.score(node), by_rows(measure, node), rel_tol=1e-11, abs_tol=1e-11)


# At level 1 of 2 for age ([20, 30) and [30, 40), 3 of 6 leaves each) and level 0 for sex, the classes are
# F 20-29 (2), M 20-29 (1, suppressed), F 30-39 (1, suppressed), M 30-39 (2); age weighs 3, sex 1.
BY_HAND: list[tuple[Measure, float]] = [
    (shoal.Height(), 1),
    (shoal.Precision(), 3 / 4 * (4 * 1 / 2 + 2) / 6 + 1 / 4 * 2 / 6),
    (shoal.Discernability(), 2**2 + 2**2 + 2 * 6),
    (shoal.MonotoneDiscernability(), 4 + 4 + 1 + 1),
    (shoal.AverageClassSize(), 6 / 4 / 2),
    (shoal.Entropy(), 6 * math.log2(3)),
    (shoal.Loss(), 3 / 4 * (4 * 2 / 5 + 2) / 6 + 1 / 4 * 2 / 6),
    (shoal.Loss("max"), (4 * 2 / 5 + 2) / 6),
    (shoal.Loss("ranked"), (1 / 2 * (4 * 2 / 5 + 2) / 6 + 1 / 4 * (1 / 3 * 2 / 6)) / (3 / 4)),
    (shoal.CertaintyPenalty(), 3 / 4 * (4 * 3 / 6 + 2) / 6 + 1 / 4 * 2 / 6),
    (shoal.CertaintyPenalty("max"), (4 * 3 / 6 + 2) / 6),
    # Six tuples of 1 row each; a class covers 3 ages x 1 sex.
    (shoal.KLDivergence(), 4 / 6 * math.log(3 / 2) + 2 / 6 * math.log(3)),
    # Kept: yes, yes and no, yes: one is wrong; two rows are suppressed.
    (shoal.Classification("ill"), (1 + 2) / 6),
]


@pytest.mark.parametrize(("measure", "score"), BY_HAND, ids=lambda value: getattr(value, "name", None))
def test_by_hand(measure: Measure, score: float) -> None:
    assert measure.score(node_at(people(), (1, 0), classes_of_two, k=2)) == pytest.approx(score, rel=1e-12)


def test_the_parameters_of_a_measure_are_checked() -> None:
    with pytest.raises(InputError, match=r"one of mean, max, ranked\.\nFound: 'least'"):
        shoal.Loss("least")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"name of a column\.\nFound: ''"):
        shoal.Classification("")
    with pytest.raises(InputError, match=r"name of a column\.\nFound: 3"):
        shoal.Classification.from_spec({"target": 3})


def test_specs_say_what_is_wrong_with_them() -> None:
    with pytest.raises(InputError, match=r"Unknown for loss: agregate\.\nKnown: aggregate\.\nDid you mean"):
        shoal.Loss.from_spec({"agregate": "max"})
    with pytest.raises(InputError, match=r"classification lacks 'target'\.\nAdd it: the column"):
        shoal.Classification.from_spec(None)
    with pytest.raises(InputError, match=r"(?s)Unknown for classification: goal.*lacks 'target'"):
        shoal.Classification.from_spec({"goal": "ill"})
    with pytest.raises(InputError, match=r"height takes no parameters\.\nFound: 3\."):
        shoal.Height.from_spec(3)
    with pytest.raises(InputError, match=r"by name\.\nFound: 'max'\.\nWrite loss: \{aggregate: \.\.\.\}\."):
        shoal.Loss.from_spec("max")


def test_specs_come_in_short_forms() -> None:
    assert shoal.Classification.from_spec("ill") == shoal.Classification("ill")
    assert shoal.Loss.from_spec(None) == shoal.Loss.from_spec({}) == shoal.Loss()
    assert shoal.Loss("max").to_spec() == {"loss": {"aggregate": "max"}}
    assert shoal.Loss().to_spec() == "loss"


def test_a_target_must_be_in_the_coded_table() -> None:
    table = people()
    with pytest.raises(InputError, match=r"'sick'.*not coded with the table\.\nCoded.*: ill\."):
        shoal.Classification("sick").costs(table, 2)
    with pytest.raises(InputError, match="'sick'"):
        shoal.Classification("sick").score(node_at(table, (0, 0)))


def test_values_that_only_a_population_has_do_not_count() -> None:
    table = people()
    ages = pa.array([21, 24, 25, 31, 38, 39]).dictionary_encode()
    population = pa.array([45, 46, 21]).dictionary_encode()
    wide, _ = code_together("age", ages, hierarchy_from_text("intervals:10"), [population], weight=3.0)
    assert wide.counts.tolist()[-2:] == [0, 0]
    wider = CodedTable((wide, table.columns[1]), 6, table.attributes)
    ignorant = (shoal.Entropy(), shoal.Precision(), shoal.Discernability(), shoal.Classification("ill"))
    for measure in ignorant:  # of leaves
        node, other = (node_at(one, (1, 0), classes_of_two, k=2) for one in (table, wider))
        assert measure.score(other) == measure.score(node)
        assert measure.ends(wider, 2) == measure.ends(table, 2)
        assert measure.costs(wider, 2) is not None


def test_rounding_ties_what_only_rounding_tells_apart() -> None:
    assert canonical(0.1 + 0.2) == canonical(0.3)
    assert canonical(1 / 3 + 1 / 3 + 1 / 3 + 0.5) == canonical(1.5)
    assert canonical(2.0**60 + 2.0**10) == 2.0**60 + 2.0**10
    assert canonical(0.25) == 0.25
    assert canonical(0.3) != canonical(0.3 + 1e-9)
    assert canonical(0.0) == 0.0
