"""Mondrian in parts: the same classes as with all tuples in memory, and what it refuses."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.data.shapes import shape
from shoal.encode.table import CodedTable
from shoal.engines.relational import engine
from shoal.errors import InputError
from shoal.measure.loss import Loss
from shoal.recode.recoding import TuplesInParts
from shoal.search.frequency_sets import FrequencySets, InMemory, TooManyEntries
from shoal.search.parts import Part
from shoal.search.problem import SearchProblem
from shoal.strategies.mondrian import Mondrian
from shoal.strategies.strategy import Chosen, Question

from .test_class_strategies import people, spec

ADULT = shape("adult", rows=3000)
RAISED = replace(
    ADULT, columns=tuple(replace(column, min_level=min(1, column.height - 1)) for column in ADULT.columns)
)
"""Columns may not go to their lowest levels."""
NUMBERS = replace(
    ADULT,
    columns=tuple(
        replace(
            column,
            maps=(column.maps[0], column.maps[-1]),
            labels=(column.labels[0], column.labels[-1]),
            leaves=(column.leaves[0], column.leaves[-1]),
            max_level=1,
        )
        for column in ADULT.columns
    ),
)
"""Without hierarchies."""
PARITY = {
    "age": shoal.taxonomy({"odd": list(range(1, 120, 2)), "even": list(range(0, 120, 2))}),
    "zip": shoal.prefix(5),
    "sex": shoal.taxonomy({"any": {"known": ["F", "M"]}}),
}
"""Ages in another order than that of numbers."""


def question(table: CodedTable, most: int, k: int = 4, counts: FrequencySets | None = None) -> Question:
    models = (shoal.KAnonymity(k),)
    return Question(
        spec=shoal.Spec(quasi_identifiers=dict.fromkeys(table.names, "suppress"), privacy=models),
        counts=InMemory(table) if counts is None else counts,
        make_problem=lambda counted: SearchProblem(counted, models, Loss()),
        most_entries=most,
    )


def classes(chosen: Chosen) -> Counter[tuple[object, ...]]:
    """The rows of every combination of labels."""
    verdict = chosen.problem.verdict_of(chosen.recoding)
    numbers, sizes = verdict.released_classes()
    labels = [
        cells.labels.take(pa.array(own)).to_pylist()
        for cells, own in zip(verdict.cells, numbers, strict=True)
    ]
    return Counter(dict(zip(zip(*labels, strict=True), sizes.tolist(), strict=True)))


@pytest.mark.parametrize("table", [ADULT, RAISED, NUMBERS], ids=["adult", "raised", "numbers"])
@pytest.mark.parametrize(
    "strategy", [Mondrian(), Mondrian("gain"), Mondrian("median"), Mondrian("peel", "ranges")], ids=str
)
def test_parts_change_nothing(table: CodedTable, strategy: Mondrian) -> None:
    whole = strategy.choose(question(table, 1 << 40))
    found = classes(whole)
    for most in (750, 1400):
        parted = strategy.choose(question(table, most))
        assert parted.problem.table.entries < table.entries
        assert classes(parted) == found
        assert parted.score == pytest.approx(whole.score)
        assert parted.recoding.to_manifest() == whole.recoding.to_manifest()


class Changing(InMemory):
    """A table in which somebody moves values from row to row."""

    changed = False

    def for_many(self) -> InMemory:
        return self

    def within(self, part: Part) -> InMemory:
        first, *others = self.table.columns
        moved = replace(first, codes=np.roll(first.codes, 1)) if self.changed else first
        return InMemory(replace(self.table, columns=(moved, *others))).within(part)


def test_a_table_that_changes_between_its_counts_is_refused() -> None:
    counts = Changing(ADULT)
    chosen = Mondrian().choose(question(ADULT, 1800, counts=counts))
    assert isinstance(chosen.recoding, TuplesInParts)
    parts = list(chosen.recoding.tuples())
    assert len(parts) > 1
    assert sum(table.entries for table, _ in parts) == ADULT.entries
    object.__setattr__(counts, "changed", True)
    with pytest.raises(InputError, match="changed while it was read"):
        list(chosen.recoding.tuples())


def test_classes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(TooManyEntries, match="more than 60"):
        Mondrian().choose(question(ADULT, 60))


@pytest.mark.parametrize(
    ("recoding", "settings"),
    [
        ({}, {}),
        ({"labels": "ranges"}, {"suppression": 0.1}),
        (
            {"labels": "fitting"},
            {
                "quasi_identifiers": {"age": "suppress", "zip": shoal.prefix(5)},
                "identifiers": ["patient", "sex"],
            },
        ),
        (
            {"cut": "median"},
            {
                "quasi_identifiers": {
                    "age": shoal.QuasiIdentifier(hierarchy=shoal.intervals(5, 10, 20), min_level=1),
                    "zip": shoal.prefix(5),
                    "sex": "suppress",
                }
            },
        ),
        ({"labels": "fitting"}, {}),
        ({"labels": "ranges"}, {"quasi_identifiers": PARITY}),
        ({"labels": "fitting"}, {"quasi_identifiers": PARITY}),
        ({"cut": "gain"}, {"sensitive": (), "insensitive": (), "identifiers": ["patient", "disease"]}),
    ],
    ids=str,
)
def test_a_database_releases_the_same_rows(
    recoding: Any, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "people.parquet")
    pq.write_table(people(2400), path)
    wanted, asked = spec(**settings), {"mondrian": recoding}
    whole = shoal.anonymize(path, wanted, recoding=asked, engine="memory")
    # As many tuples fit as make the first cuts necessary, and the classes fit.
    monkeypatch.setattr(engine, "_BYTES_PER_ENTRY", int(200e6 * 0.3) // 1200)
    parted = shoal.anonymize(path, wanted, recoding=asked, engine="duckdb", memory="200MB")
    assert isinstance(parted.recoding, TuplesInParts)
    assert parted.audit.holds
    rows = [
        Counter(tuple(map(str, row.values())) for row in each.table.to_pylist()) for each in (whole, parted)
    ]
    assert rows[0] == rows[1]


@pytest.mark.parametrize(
    ("settings", "recoding", "obstacle"),
    [
        (
            {"privacy": [shoal.KAnonymity(5), shoal.LDiversity("disease", 2)]},
            {},
            "a model of sensitive columns",
        ),
        ({"unit": "patient"}, {}, "a model of sensitive columns"),
        ({"suppressed": "star", "suppression": 0.1}, {}, "starred rows"),
        ({}, {"cut": "median", "relaxed": True}, "relaxed: true"),
    ],
)
def test_what_takes_all_tuples_is_refused(
    settings: Any, recoding: Any, obstacle: str, tmp_path: Path, few: None
) -> None:
    pq.write_table(people(3000), tmp_path / "people.parquet")
    with pytest.raises(InputError, match="do not fit") as error:
        shoal.anonymize(
            str(tmp_path / "people.parquet"),
            spec(**settings),
            recoding={"mondrian": recoding},
            engine="duckdb",
        )
    assert obstacle in str(error.value)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let hardly any tuples fit."""
    monkeypatch.setattr(engine, "_BYTES_PER_ENTRY", 1 << 40)
