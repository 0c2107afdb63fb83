"""What becomes of classes, judged by rows and by entries that stand for several rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.encode.frequency_sets import frequency_set, nodes, repeated_tables

from shoal.describe import intervals, suppress
from shoal.describe.roles import QuasiIdentifier
from shoal.encode.table import CodedTable, code_table
from shoal.exact_counts import count
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.model import PrivacyModel
from shoal.privacy.population import Population
from shoal.recode.full_domain import FullDomain
from shoal.recode.released_classes import Verdict
from shoal.search.frequency_sets import InMemory
from shoal.testing.problems import requirements

POPULATION = Population(pa.table({"everybody": [1]}))


def labels_of(verdict: Verdict) -> list[tuple[int, ...]]:
    """Return the labels of every class, those that only a population has included."""
    classes, chosen = verdict.classes, list(zip(verdict.coded.columns, verdict.recoding.node, strict=True))
    places = [(classes.of_rows, [column.codes for column, _ in chosen])]
    places += [
        (classes.of_population[key], list(population.codes))
        for key, population in verdict.coded.populations.items()
    ]
    found: dict[int, tuple[int, ...]] = {}
    for of_entries, codes in places:
        labels = [column.maps[level][own] for (column, level), own in zip(chosen, codes, strict=True)]
        for place, *numbers in zip(of_entries.tolist(), *(own.tolist() for own in labels), strict=True):
            assert found.setdefault(place, tuple(numbers)) == tuple(numbers), "one class, one tuple of labels"
    return [found[place] for place in range(classes.count)]


def told(verdict: Verdict) -> dict[str, Any]:
    """Return all that a verdict tells, without the order of classes, which means nothing."""
    labels = labels_of(verdict)
    suppressed = zip(*(numbers.tolist() for numbers in verdict.suppressed_classes()), strict=True)
    return {
        "kept": dict(zip(labels, verdict.kept.tolist(), strict=True)),
        "sizes": dict(zip(labels, verdict.classes.sizes.tolist(), strict=True)),
        "suppressed rows": verdict.suppressed_rows,
        "suppressed classes": sorted(suppressed),
        "class sizes": verdict.class_sizes,
        "lost": [counts.tolist() for counts in verdict.lost],
    }


@given(table=repeated_tables(POPULATION), models=requirements(population=POPULATION), data=st.data())
def test_entries_are_judged_as_their_rows(
    table: CodedTable, models: Sequence[PrivacyModel], data: st.DataObject
) -> None:
    levels = data.draw(nodes(table))
    expected = told(Verdict.of(table, FullDomain.at(table, levels), models))
    counted = Verdict.of(frequency_set(table), FullDomain.at(table, levels), models)
    assert told(counted) == expected
    # An entry is kept with its class.
    weights = counted.coded.weights
    assert weights is not None
    assert int(weights[~counted.entries_kept].sum()) == expected["suppressed rows"]
    # Tuples that were counted at or below the node tell as much.
    bottom = tuple(data.draw(st.integers(0, level)) for level in levels)
    raised = InMemory(table).at(bottom, columns=range(len(levels)))
    assert told(Verdict.of(raised, FullDomain.at(raised, levels), models)) == expected


def test_by_hand() -> None:
    values = {"age": [31, 38, 52, None], "sex": ["F", "F", "M", "M"]}
    rows = np.array([2, 3, 4, 1])
    coded = code_table(
        pa.table({name: pa.array(column).dictionary_encode() for name, column in values.items()}),
        {"age": QuasiIdentifier(hierarchy=intervals(10)), "sex": QuasiIdentifier(hierarchy=suppress())},
    )
    columns = tuple(
        replace(column, counts=count(column.codes, len(column.counts), rows)) for column in coded.columns
    )
    table = CodedTable(columns, 10, weights=rows.astype(np.uint64))
    verdict = Verdict.of(table, FullDomain.at(table, [1, 1]), [KAnonymity(4)])
    assert verdict.class_sizes == {4: 1, 5: 1}
    assert verdict.suppressed_rows == 1
    assert verdict.entries_kept.tolist() == [True, True, True, False]
    # NULL alone is a class of one row.
    ages, lost = columns[0].labels[1].to_pylist(), verdict.lost
    assert dict(zip(ages, lost[0].tolist(), strict=True)) == {"[30, 40)": 0, "[50, 60)": 0, None: 1}
    assert lost[1].tolist() == [1]
    assert [numbers.tolist() for numbers in verdict.suppressed_classes()] == [[ages.index(None)], [0]]
