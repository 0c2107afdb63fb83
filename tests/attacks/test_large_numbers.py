"""A sum in DuckDB is a whole number of 128 bits, a hash too, and its Parquet files have none.

There is no attacker: an honest publisher releases sums, or numbers that are as long. DuckDB wrote the nearest
number of 64 bits in their place, so that different values became one, and recipients were told that the file
hides something, or that other rows are unique.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

import shoal
from shoal.audit import audit_release

TOTALS = {
    "HUGEINT": [123456789012345678901234567 + number for number in range(4)] * 5,
    "UHUGEINT": [2**127 - number for number in range(1, 5)] * 5,
}
SPEC = shoal.Spec(
    quasi_identifiers={"sex": "suppress"},
    sensitive=["total"],
    privacy=[shoal.KAnonymity(2), shoal.LDiversity("total", 4)],
)


def _fill(connection: Any, kind: str) -> None:
    connection.execute(f"CREATE TABLE visits (sex VARCHAR, total {kind})")
    connection.executemany("INSERT INTO visits VALUES (?, ?)", [("F", total) for total in TOTALS[kind]])


def _released(path: Path) -> list[int]:
    return sorted(int(total) for (total,) in duckdb.sql(f"SELECT total FROM '{path.as_posix()}'").fetchall())


@pytest.mark.parametrize("kind", TOTALS)
@pytest.mark.parametrize("name", ["release.parquet", "release.csv"])
def test_numbers_of_a_database_are_exact(tmp_path: Path, kind: str, name: str) -> None:
    with duckdb.connect(tmp_path / "clinic.duckdb") as connection:
        _fill(connection, kind)
    output = tmp_path / name
    shoal.anonymize(tmp_path / "clinic.duckdb", SPEC, table="visits", output=output)
    assert _released(output) == sorted(TOTALS[kind])
    assert audit_release(output).holds


@pytest.mark.parametrize("kind", TOTALS)
@pytest.mark.parametrize("engine", ["duckdb", "memory"])
def test_numbers_of_a_relation_are_exact(tmp_path: Path, kind: str, engine: str) -> None:
    output = tmp_path / "release.parquet"
    with duckdb.connect() as connection:
        _fill(connection, kind)
        shoal.anonymize(connection.sql("FROM visits"), SPEC, engine=engine, output=output)
    assert _released(output) == sorted(TOTALS[kind])
    assert audit_release(output).holds
