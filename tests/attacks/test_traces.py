"""Traces of suppressed rows: the attacker has all that is handed on (release, manifest, checker) and knows
every row but the suppressed ones. Two tables that differ in their suppressed rows alone must give the same
bytes, so that there is nothing to solve for. (The score by entropy gave an exact age, and the figure of
t-closeness the disease.)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal

AGES = [31, 32, 33, 34, 51, 52, 53, 54]
DISEASES = ["flu", "HIV", "flu", "cold", "flu", "cold", "HIV", "flu"]


def handed_on(path: Path, ages: list[Any], diseases: list[str], hierarchy: Any, quality: str) -> list[bytes]:
    """Return the bytes of every file, of a release in which the last row is suppressed."""
    spec = shoal.Spec(
        quasi_identifiers={"age": hierarchy},
        sensitive=["disease"],
        privacy=[shoal.KAnonymity(4), shoal.TCloseness("disease", 0.9)],
        suppression=0.2,
        quality=quality,
    )
    table = pa.table({"age": [*AGES, *ages], "disease": [*DISEASES, *diseases]})
    release = shoal.anonymize(table, spec.adjust(levels={"age": 1}), keep_order=True)
    assert release.suppressed_rows == 1
    release.write(path / "release.csv")
    return [file.read_bytes() for file in sorted(path.iterdir())]


@given(st.integers(70, 99), st.sampled_from(["flu", "HIV", "plague"]))
@settings(max_examples=4, deadline=None)
@pytest.mark.parametrize("quality", ["loss", "entropy"])
@pytest.mark.parametrize("hierarchy", [shoal.intervals(20, 40), shoal.rounding(20, 40), shoal.prefix(2)])
def test_a_suppressed_row_leaves_no_byte(
    tmp_path_factory: pytest.TempPathFactory, hierarchy: Any, quality: str, age: int, disease: str
) -> None:
    one = handed_on(tmp_path_factory.mktemp("one"), [75], ["flu"], hierarchy, quality)
    two = handed_on(tmp_path_factory.mktemp("two"), [age], [disease], hierarchy, quality)
    assert one == two


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize(
    ("kind", "ordinary", "telling"),
    [
        ("decimal", "1.5", "3.12345"),
        ("decimal", "7", "1000000.5"),
        ("timestamp", "2026-01-31 12:30:00", "2026-01-31 12:30:00.123456"),
    ],
)
@pytest.mark.parametrize("role", ["sensitive", "insensitive", "quasi-identifier"])
def test_no_number_is_written_with_the_places_of_a_suppressed_one(
    tmp_path: Path, kind: str, ordinary: str, telling: str, role: str, engine: str
) -> None:
    """The type of a column of a CSV file is found out from all rows; what is written is not."""
    columns = {
        "town": {"role": "quasi-identifier", "max-level": 0},
        "cost": {"role": role, "type": kind} | ({"max-level": 0} if role == "quasi-identifier" else {}),
    }
    spec = shoal.Spec.from_mapping(
        {"columns": columns, "privacy": [{"k-anonymity": 4}], "suppression": 0.2, "suppressed": "remove"}
    )
    found = []
    for last in (ordinary, telling):
        (tmp_path / "costs.csv").write_text(
            "town,cost\n" + f"Ulm,{ordinary}\n" * 8 + f"Bonn,{last}\n", encoding="utf-8"
        )
        for output in ("release.csv", "release.parquet"):
            path = tmp_path / str(len(found)) / output
            path.parent.mkdir(exist_ok=True)
            shoal.anonymize(tmp_path / "costs.csv", spec, engine=engine).write(path)
            found.append([file.read_bytes() for file in sorted(path.parent.iterdir())])
    assert found[0] == found[2]
    assert found[1] == found[3]
