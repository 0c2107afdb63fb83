"""What tests of evidence share: ways to rewrite a release so that its manifest fits, and the checker."""

from __future__ import annotations

import csv
import hashlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shoal.write import recipient_checker
from tests.unit.tampering import manifest_of, rewrite


def add_columns(release: Path, **columns: Callable[[int], str]) -> None:
    """Put further columns into a CSV release, and its new SHA-256 into the manifest."""
    header, *rows = csv.reader(release.read_text(encoding="utf-8").splitlines())
    header += columns
    rows = [[*row, *(value(place) for value in columns.values())] for place, row in enumerate(rows)]
    with release.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])
    refit(release)


def refit(release: Path, change: Callable[[dict[str, Any]], object] = lambda said: None) -> None:
    """Let the manifest fit the file again, after a further change of it."""
    said = manifest_of(release)
    said["file"]["sha256"] = hashlib.sha256(release.read_bytes()).hexdigest()
    change(said)
    rewrite(release, said)


def check(release: Path) -> tuple[int, str]:
    """Run the checker as a recipient does: its exit code, and all that it printed."""
    manifest = release.with_name(f"{release.name}.manifest.json")
    ran = subprocess.run(
        [sys.executable, "-S", "-I", recipient_checker.__file__, str(release), str(manifest)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return ran.returncode, ran.stdout + ran.stderr
