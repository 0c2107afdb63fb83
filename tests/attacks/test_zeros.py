"""Two spellings of zero, which are one number in a database and two texts in a file.

The attacker knows whose value was rounded up to -0.0, and would find the person among those with 0.0; and
whoever checks an honest release would find other classes and other unique rows than its manifest has.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal

ROWS = 40
CHANGES = [0.0, -0.0, -0.0, 0.5, -0.5, 1.5, 0.0, -1.5] * (ROWS // 8)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("role", ["sensitive", "insensitive"])
@pytest.mark.parametrize("kind", [pa.float64(), pa.float32()])
@pytest.mark.parametrize("later", [True, False])
def test_a_release_with_both_zeros_passes_every_check(
    tmp_path: Path, engine: str, role: str, kind: pa.DataType, later: bool
) -> None:
    people = pa.table({"age": [31, 33, 42, 44] * (ROWS // 4), "change": pa.array(CHANGES, kind)})
    parquet.write_table(people, tmp_path / "people.parquet")
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10)},
        **{role: ["change"]},  # type: ignore[arg-type]
        privacy=[shoal.KAnonymity(3)],
        accept={"change": "linkable"},
    )
    path = tmp_path / "release.csv"
    if later:
        shoal.anonymize(tmp_path / "people.parquet", spec, engine=engine).write(path)
    else:
        shoal.anonymize(tmp_path / "people.parquet", spec, engine=engine, output=path)
    assert "-0," not in path.read_text("utf-8")
    values = {line.rpartition(",")[2] for line in path.read_text("utf-8").splitlines()[1:]}
    assert not values & {"-0.0", "-0"}
    assert sorted(map(float, values)) == sorted(set(CHANGES))
    assert shoal.audit_release(path).holds
    checked = subprocess.run(
        [sys.executable, f"{path}.checker.py", str(path), f"{path}.manifest.json"],
        check=False,
        capture_output=True,
    )
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_both_zeros_are_one_value_where_classes_are_compared_with_the_original(
    tmp_path: Path, engine: str
) -> None:
    people = pa.table({"age": [31, 33, 42, 44] * (ROWS // 4), "change": CHANGES})
    parquet.write_table(people, tmp_path / "people.parquet")
    spec = shoal.Spec(
        quasi_identifiers={"age": "suppress"},
        sensitive=["change"],
        privacy=[shoal.TCloseness("change", 0.1, distance="equal")],
        accept={"change": "linkable"},
    )
    path = tmp_path / "release.csv"
    shoal.anonymize(tmp_path / "people.parquet", spec, engine=engine, output=path)
    assert shoal.audit_release(path, original=tmp_path / "people.parquet").holds


def test_figures_are_those_of_the_file_and_not_of_the_rows_that_it_was_made_of(tmp_path: Path) -> None:
    """Numbers that a program's own types keep apart may be one text: the file is what recipients have."""
    people = pa.table({"age": [31] * 6, "x": pa.array([1.0, 1.0, 2.0, 2.0, 3.0, 4.0])})
    parquet.write_table(people, tmp_path / "people.parquet")
    spec = shoal.Spec(
        quasi_identifiers={"age": "suppress"},
        sensitive=["x"],
        privacy=[shoal.KAnonymity(3)],
        accept={"x": "linkable"},
    )
    release = shoal.anonymize(tmp_path / "people.parquet", spec, engine="duckdb")
    measured = release.audit.linkable
    assert measured is not None
    wrong = shoal.audit_release(pa.table({"age": ["*"] * 6, "x": [1.0] * 6}), spec)
    object.__setattr__(release, "audit", wrong)
    release.write(tmp_path / "release.csv")
    told = shoal.audit_release(tmp_path / "release.csv")
    assert told.holds
    assert told.linkable is not None
    assert told.linkable.for_recipients() == measured.for_recipients()
