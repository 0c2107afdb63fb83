"""Nobody: a pipeline reads the first line of a summary, or keeps it on a disk that is full.

The release is there by then. Whoever sees another exit code than 0 believes that nothing was written, as the
page on exit codes says, and publishes a second release of the table.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no /dev/full, and no streams to close")
FULL = Path("/dev/full")
ANONYMIZE = ("anonymize", "people.csv", "-k", "2", "--qi", "age", "--output", "release.csv")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text("age\n31\n31\n52\n52\n", encoding="utf-8")
    return tmp_path


def ended(folder: Path, arguments: Sequence[str], redirected: str, **environment: str) -> tuple[int, str]:
    """Run Shoal in a shell with its output redirected; return its own exit code, and what is on stderr."""
    command = f'"$0" -m shoal "$@" {redirected}'
    ran = subprocess.run(
        ["bash", "-c", command, sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stderr


@pytest.mark.parametrize(
    "redirected, unbuffered", [("> >(true)", ""), ("> >(true)", "1"), (">&-", ""), ("2>&-", "")]
)
def test_a_release_is_done_whoever_reads_its_summary(folder: Path, redirected: str, unbuffered: str) -> None:
    code, said = ended(folder, ANONYMIZE, redirected, PYTHONUNBUFFERED=unbuffered)
    assert (code, said) == (0, "")
    assert (folder / "release.csv.manifest.json").exists()


@pytest.mark.parametrize("more, unbuffered", [((), ""), ((), "1"), (("--json",), "")])
@pytest.mark.skipif(not FULL.exists(), reason="there is no device that is always full")
def test_a_summary_that_is_lost_says_that_the_release_is_there(
    folder: Path, more: tuple[str, ...], unbuffered: str
) -> None:
    code, said = ended(folder, [*ANONYMIZE, *more], f"> {FULL}", PYTHONUNBUFFERED=unbuffered)
    assert code == 2
    assert said.startswith("Error: What the command prints cannot be written to standard output.\n")
    assert "Files that it wrote before are in place." in said
    assert "Traceback" not in said
    assert (folder / "release.csv.manifest.json").exists()


def test_an_audit_that_fails_does_so_whoever_reads_it(folder: Path) -> None:
    assert ended(folder, ANONYMIZE, "")[0] == 0
    (folder / "spec.yaml").write_text(
        "columns: {age: {role: quasi-identifier}}\nprivacy: [k-anonymity: 3]\n", encoding="utf-8"
    )
    (folder / "release.csv.manifest.json").unlink()
    code, _ = ended(folder, ["audit", "release.csv", "--spec", "spec.yaml"], "> >(true)")
    assert code == 4


@pytest.mark.skipif(not FULL.exists(), reason="there is no device that is always full")
def test_help_reports_a_full_disk_in_words(folder: Path) -> None:
    code, said = ended(folder, ["--help"], f"> {FULL}")
    assert code == 2
    assert said.startswith("Error: What the command prints")
    assert "Traceback" not in said
