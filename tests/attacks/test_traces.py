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
