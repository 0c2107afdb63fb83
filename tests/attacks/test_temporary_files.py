"""The attacker has an account on the machine where releases are made, and waits for a run to be killed.

Rows are written before they are audited. Whatever the run leaves behind, others must not be able to read it,
and the next run removes it.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import shoal
from shoal.files import temporary
from shoal.files.atomic import atomic
from shoal.files.temporary import private_folder

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no permission bits")
SPEC = shoal.Spec(quasi_identifiers={"age": "suppress"}, privacy=[shoal.KAnonymity(2)])
KILLED = """
import os, signal, sys
from pathlib import Path
from shoal.files.atomic import atomic
with atomic(Path(sys.argv[1])) as (hidden,):
    hidden.write_text("somebody's row")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def hidden_in(folder: Path) -> list[Path]:
    return [entry for entry in folder.iterdir() if entry.name.startswith(".")]


def closed(path: Path) -> bool:
    return not stat.S_IMODE(path.stat().st_mode) & 0o077


def test_a_killed_run_leaves_nothing_readable_and_the_next_removes_it(tmp_path):
    target = tmp_path / "release.csv"
    ended = subprocess.run([sys.executable, "-c", KILLED, str(target)], check=False)
    assert ended.returncode != 0
    (left,) = hidden_in(tmp_path)
    assert closed(left)
    assert not target.exists()
    with atomic(target) as (hidden,):
        hidden.write_text("audited", encoding="utf-8")
        assert left not in hidden_in(tmp_path)
    assert not hidden_in(tmp_path)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("name", ["release.csv", "release.parquet"])
def test_rows_are_closed_until_they_are_published(engine, name, tmp_path, monkeypatch):
    """Each file is checked when it is renamed: its folder is closed; in its place it is as open as others."""
    (tmp_path / "people.csv").write_text("age\n" + "31\n" * 9, encoding="utf-8")
    folders = []
    replace = Path.replace

    def watched(self, target):
        folders.append(self.parent)
        assert closed(self.parent)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", watched)
    shoal.anonymize(tmp_path / "people.csv", SPEC, engine=engine, output=tmp_path / name).write(
        tmp_path / name
    )
    assert folders
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o666 & ~umask
    assert not hidden_in(tmp_path)


AUDITED = """
import os, signal, sys, tempfile
import shoal
from shoal.sql import local_queries
tempfile.tempdir = sys.argv[2]
local_queries.LocalDuckDB.rows = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
spec = shoal.Spec(quasi_identifiers={"age": "suppress"}, privacy=[shoal.KAnonymity(2)])
shoal.audit_release(sys.argv[1], spec)
"""
PACKED = """
import os, signal, sys, tempfile
from pathlib import Path
import openpyxl, pyarrow
from shoal.files.atomic import atomic
from shoal.write.table_formats import write_table
tempfile.tempdir = sys.argv[2]
openpyxl.Workbook.save = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
with atomic(Path(sys.argv[1])) as (hidden,):
    write_table(pyarrow.table({"name": ["somebody"]}), hidden)
"""


@pytest.mark.parametrize(("program", "name"), [(AUDITED, "release.csv"), (PACKED, "release.xlsx")])
def test_what_libraries_spill_is_removed_too(tmp_path, program, name):
    """DuckDB's folder in an audit, and the rows that openpyxl keeps until it packs them."""
    if name.endswith("xlsx"):
        pytest.importorskip("openpyxl")
    else:
        (tmp_path / name).write_text("age\n*\n*\n", encoding="utf-8")
    spilled = tmp_path / "spilled"
    spilled.mkdir()
    ran = subprocess.run([sys.executable, "-c", program, tmp_path / name, spilled], check=False)
    assert ran.returncode == -9
    left = [*tmp_path.glob(".shoal-*"), *spilled.iterdir()]
    assert left, "nothing was there to be left"
    for folder in (tmp_path, spilled):
        private_folder(folder)
    assert not any(path.exists() for path in left)


def test_what_is_not_ours_or_in_use_stays(tmp_path):
    mine = private_folder(tmp_path)
    dead = 2**22 + 1  # above the largest number of a process
    parts = mine.name.split("-")
    stale = tmp_path / "-".join([parts[0], parts[1], str(dead), parts[3]])
    elsewhere = tmp_path / "-".join([parts[0], "0" * 12, str(dead), parts[3]])
    opened = tmp_path / "-".join([parts[0], parts[1], str(dead), "0" * 8])
    link = tmp_path / "-".join([parts[0], parts[1], str(dead), "1" * 8])
    precious = tmp_path / "precious"
    for folder in (stale, elsewhere, precious):
        folder.mkdir(mode=0o700)
        (folder / "rows").write_text("x", encoding="utf-8")
    opened.mkdir(mode=0o755)
    link.symlink_to(precious)
    private_folder(tmp_path)
    assert not stale.exists()
    assert all(path.exists() for path in (mine, elsewhere, opened, link, precious / "rows"))


def test_a_folder_that_vanishes_meanwhile_does_not_save_others(tmp_path, monkeypatch):
    """Two runs clean one place at the same time."""
    for place in (tmp_path / "one", tmp_path / "two"):
        place.mkdir()
        subprocess.run([sys.executable, "-c", KILLED, place / "release.csv"], check=False)
        (left,) = place.iterdir()
        left.rename(tmp_path / left.name)
        place.rmdir()
    seen = []

    def ours(entry):
        seen.append(entry.name)
        if len(seen) == 1:
            raise FileNotFoundError
        return True

    monkeypatch.setattr(temporary, "_is_ours", ours)
    temporary.remove_stale(tmp_path)
    assert len(seen) == 2
    assert [path.name for path in tmp_path.iterdir()] == seen[:1]
