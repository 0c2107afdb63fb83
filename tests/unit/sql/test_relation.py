"""Several releases in memory share one database, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pyarrow as pa
import pytest

from shoal.read.source import InputFormat
from shoal.sql.relation import open_relation


def counted(rows: int, together: Barrier | None = None) -> int:
    with open_relation(pa.table({"x": range(rows)}), InputFormat(), shared=True) as relation:
        kept = relation.keep(f"SELECT * FROM {relation.source}", "kept")
        if together is not None:
            together.wait()
        return int(relation.fetch_row(f"SELECT count(*) FROM {kept}")[0])


def test_releases_that_are_open_at_once_do_not_see_each_other() -> None:
    together = Barrier(4, timeout=60)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda rows: counted(rows, together), [1, 2, 3, 4])) == [1, 2, 3, 4]


def test_what_one_audit_kept_is_gone_for_the_next() -> None:
    assert [counted(1), counted(2)] == [1, 2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows forks no process")
def test_a_forked_process_audits_too_and_ends() -> None:
    """A database in use by the first would make the second wait for threads that it does not have."""
    script = (
        "import os, sys, pyarrow as pa\n"
        "from shoal.read.source import InputFormat\n"
        "from shoal.sql.relation import open_relation\n"
        "def count():\n"
        "    with open_relation(pa.table({'x': [1, 2]}), InputFormat(), shared=True) as found:\n"
        "        return found.fetch_row(f'SELECT count(*) FROM {found.source}')[0]\n"
        "assert count() == 2\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    sys.exit(count())\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == 2
