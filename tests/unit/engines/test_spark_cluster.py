"""A real cluster of two workers, one of which is killed in the middle of writing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'shoal[spark]'")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java, and there is none", allow_module_level=True)

PROGRAM = Path(__file__).with_name("spark_cluster.py")
ROWS = 400_000
FILES = 8


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
@pytest.mark.skipif(os.name == "nt", reason="its executors are started by shell scripts")
def test_a_lost_executor_changes_nothing(tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    random = np.random.default_rng(1)
    people = np.arange(ROWS)
    for place, some in enumerate(np.split(people, FILES)):
        towns = pa.array(random.integers(0, 500, len(some))).cast(pa.string())
        parquet.write_table(pa.table({"person": some, "town": towns}), source / f"{place}.parquet")
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(source), str(target)],
        env={
            **os.environ,
            "PYTHONPATH": str(Path(shoal.__file__).parents[1]),
            "SPARK_LOCAL_DIRS": str(tmp_path),
            "PYSPARK_PYTHON": str(tmp_path / "none"),  # executors need no Python
        },
        cwd=tmp_path,
        check=False,
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["killed"] == 1
    assert told["retried"], "the executor died, but nothing that it had was needed"
    assert told["kept"]
    assert told["rows"] == ROWS
    before = pa.concat_tables(parquet.read_table(path) for path in sorted(source.iterdir()))
    after = pa.concat_tables(parquet.read_table(path) for path in sorted(target.iterdir()))
    assert after.sort_by("person").equals(before.sort_by("person"))
