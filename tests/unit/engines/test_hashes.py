"""Codes of rows by hashes of their values: what the server packs, taken apart again; and on a real server."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.engines.choose import open_engine
from shoal.engines.postgres import database as postgres
from shoal.engines.postgres.hashes import HashedColumn, Words
from shoal.prepare.columns import settle_columns
from shoal.read.source import InputFormat
from tests.postgres_server import Clinic

HASHES = st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=40, unique=True)


def column(hashes: list[int], null: int | None = None) -> HashedColumn | None:
    codes = np.arange(len(hashes), dtype=np.int32)
    return HashedColumn.of("c0", pa.table({"hash": pa.array(hashes, pa.int64()), "l0": codes}), null)


@given(st.lists(st.tuples(HASHES, st.booleans()), min_size=1, max_size=8), st.data())
def test_what_is_packed_is_taken_apart(columns, data):
    made = [column(hashes, len(hashes) if null else None) for hashes, null in columns]
    assert all(one is not None for one in made) or any(
        len({h & (2**60 - 1) for h in hashes}) < len(hashes) for hashes, _ in columns
    )
    if any(one is None for one in made):
        return
    words = Words(made)
    rows = [
        [data.draw(st.integers(0, len(hashes) - (not null))) for hashes, null in columns] for _ in range(5)
    ]
    packed = [np.zeros(len(rows), dtype=np.int64) for _ in range(len(words))]
    for number, row in enumerate(rows):
        for word, places in zip(packed, words._words, strict=True):
            for place, shift in words._shifted(places):
                (hashes, _), code = columns[place], row[place]
                mine = made[place]
                taken = 1 << mine.bits if code == len(hashes) else hashes[code] & ((1 << mine.bits) - 1)
                word[number] |= taken << shift
    assert all(word.min() >= 0 for word in packed)
    found = words.decoded(packed)
    assert [list(map(int, row)) for row in zip(*found, strict=True)] == rows


def test_equal_hashes_are_refused():
    assert column([7, 7]) is None


def test_a_hash_that_no_value_has_is_noticed():
    words = Words([column([1, 2, 3])])
    assert words.decoded([np.array([1, 0])]) is None
    wide = Words([column([1 << 30, 1 << 31, 0])])
    assert wide.decoded([np.array([1 << 30, 5])]) is None
    assert [codes.tolist() for codes in wide.decoded([np.array([1 << 31, 0])])] == [[1, 2]]


@pytest.mark.parametrize("parts", [False, True])
def test_rows_have_the_codes_that_joins_find(clinic: Clinic, monkeypatch, parts):
    clinic.execute(
        "CREATE TABLE visits AS SELECT CASE WHEN g % 7 > 0 THEN 'it''s ' || g % 11 END AS town,"
        " g % 50 AS age, CASE g % 3 WHEN 0 THEN 0.0::float8 WHEN 1 THEN '-0'::float8 ELSE 0.1 END AS size,"
        " DATE '2020-01-01' + g % 40 AS day, (g % 13)::numeric(9, 2) AS cost, g % 2 = 0 AS new"
        " FROM generate_series(1, 3000) AS g"
    )
    if parts:
        monkeypatch.setattr(postgres, "_LEAST_PAGES", 1)
    by_hash: list[bool] = []
    row_codes = postgres.Postgres.row_codes

    def watched(self, *given):
        found = row_codes(self, *given)
        by_hash.append(found is not None)
        return found

    monkeypatch.setattr(postgres.Postgres, "row_codes", watched)
    found = _tuples(clinic)
    monkeypatch.setattr(postgres, "_MOST_SINGLE_ROWS", 0)
    assert found == _tuples(clinic)
    assert by_hash == [True, False]
    assert sum(found.values()) == 3000


def test_rows_that_are_alike_are_grouped_by_the_server(clinic: Clinic):
    clinic.execute("CREATE TABLE visits AS SELECT g % 5 AS age FROM generate_series(1, 3000) AS g")
    with closing(_opened(clinic)) as engine:
        spec = shoal.Spec(quasi_identifiers={"age": "suppress"}, privacy=[shoal.KAnonymity(2)])
        _, counts = engine.profile(spec, {}, spec.attributes).encode(spec)
        assert counts.at([0]).weights.tolist() == [600] * 5


def _opened(clinic: Clinic):
    return open_engine(clinic.url, InputFormat(), table="visits")


def _tuples(clinic: Clinic) -> dict[object, int]:
    with closing(_opened(clinic)) as engine:
        spec = shoal.Spec(
            quasi_identifiers=dict.fromkeys(["town", "age", "size", "day", "cost", "new"], "suppress"),
            privacy=[shoal.KAnonymity(2)],
        )
        spec, _ = settle_columns(spec, engine.source, False, False)
        _, counts = engine.profile(spec, {}, spec.attributes).encode(spec)
        table = counts.at([0] * 6)
        labels = [one.labels[0].take(pa.array(one.codes)).to_pylist() for one in table.columns]
        tuples: dict[object, int] = {}
        for row, weight in zip(zip(*labels, strict=True), table.weights.tolist(), strict=True):
            tuples[row] = tuples.get(row, 0) + weight
        return tuples
