"""k-anonymity: its parameter, its test of classes, and the SQL that audits it."""

from __future__ import annotations

from collections import Counter

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.privacy.grouped import group
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.model import Tables


@pytest.mark.parametrize("k", [0, -1, 2.5, "5", True, None])
def test_k_is_a_whole_number_from_1(k: object) -> None:
    with pytest.raises(InputError, match="at least 1"):
        KAnonymity(k)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="at least 1"):
        KAnonymity.from_spec(k)


def test_spec_round_trip() -> None:
    assert KAnonymity.from_spec(KAnonymity(7).to_spec()["k-anonymity"]) == KAnonymity(7)
    assert KAnonymity(np.int64(3)).to_spec() == {"k-anonymity": 3}  # type: ignore[arg-type]


@given(
    rows=st.lists(st.tuples(st.sampled_from(["a", "b", "", None]), st.sampled_from([1, None])), min_size=1),
    k=st.integers(1, 4),
)
def test_sql_counts_failing_classes_and_keeps_nulls(
    rows: list[tuple[str | None, int | None]], k: int
) -> None:
    relation = pa.table(
        {"x": pa.array([r[0] for r in rows]), "y": pa.array([r[1] for r in rows], pa.int64())}
    )
    with duckdb.connect() as connection:
        connection.register("people", relation)
        found = connection.execute(KAnonymity(k).sql(Tables("people", ['"x"', '"y"']))).fetchone()
    sizes = Counter(rows)
    assert found == (sum(size < k for size in sizes.values()), min(sizes.values()))
    passes = KAnonymity(k).holds(group([str(row) for row in rows]))
    assert passes.tolist() == [size >= k for size in sizes.values()]


def test_somebody_with_many_rows_is_one() -> None:
    visits = group(["a", "a", "a", "b", "b"], units=["Ann", "Ann", "Bob", "Cid", "Cid"])
    assert KAnonymity(2).holds(visits).tolist() == [True, False]
