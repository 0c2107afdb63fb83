"""Labels of a column that overlap."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

import shoal
from shoal.encode.column import code_column
from shoal.utility.overlap import overlapping

AGES = pa.array([18, 21, 25, 34, 38, 52, None])


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([], False),
        (["*"], False),
        (["*", "21"], True),
        (["25", "[20, 40)"], True),
        (["25", "[30, 40)", "[0, 20)"], False),
        (["[18, 34]", "[30, 40)"], True),  # 34 is in both
        (["[18, 25]", "[30, 40)"], False),
        (["{18, 25}", "{21, 34}"], False),
        (["{18, 25}", "[21, 34]"], True),
        (["{18, NULL}", None], True),
        (["{18, 21}", None], False),
    ],
)
def test_labels_of_numbers(labels: list[str | None], expected: bool) -> None:
    ages = code_column("age", AGES.dictionary_encode(null_encoding="encode"), shoal.intervals(10, 20, 40))
    assert overlapping(pa.array(labels, pa.string()), ages) is expected


def test_names_overlap_as_the_hierarchy_says() -> None:
    jobs = shoal.taxonomy({"staff": ["cook", "clerk"], "court": ["judge"]})
    coded = code_column("job", pa.array(["cook", "clerk", "judge"]).dictionary_encode(), jobs)
    assert overlapping(pa.array(["staff", "cook"]), coded)
    assert not overlapping(pa.array(["staff", "judge"]), coded)


@pytest.mark.parametrize("form", ["nodes", "ranges", "sets"])
@pytest.mark.parametrize("recoding", ["mondrian", "cells"])
def test_a_value_with_two_labels_is_never_overlooked(recoding: str, form: str) -> None:
    """Rows keep their order here, so each value is beside its label."""
    draw = random.Random(2)
    for _ in range(4):
        people = pa.table({"age": [draw.randrange(9) for _ in range(16)], "sex": draw.choices("FM", k=16)})
        spec = shoal.Spec(
            quasi_identifiers={"age": shoal.intervals(3), "sex": "suppress"}, privacy=[shoal.KAnonymity(3)]
        )
        release = shoal.anonymize(people, spec, recoding={recoding: {"labels": form}}, keep_order=True)
        for column in release.original.coded.columns:
            values, labels = people[column.name].to_pylist(), release.table[column.name].to_pylist()
            pairs = set(zip(values, labels, strict=True))
            if len(pairs) > len({value for value, _ in pairs}):
                assert overlapping(release.released.labels(column.name), column)
