"""A release that version 0.1.0 wrote, with a manifest of format 1, is audited, checked and extended."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.audit import audit_release
from shoal.errors import InputError
from shoal.write import recipient_checker

FOLDER = Path(__file__).parents[2] / "releases" / "format_1"


@pytest.fixture
def release(tmp_path: Path) -> Path:
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    return tmp_path / "release.csv"


def rewrite(release: Path, **changes: Any) -> None:
    manifest = release.with_name("release.csv.manifest.json")
    said = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps({**said, **changes}), encoding="utf-8")


def test_audited(release: Path) -> None:
    audit = audit_release(release)
    found = {finding.claim: finding for finding in audit.findings}
    assert not audit.fails
    assert found["k-anonymity 3"].measured == "smallest class 3"
    assert found["levels that the spec allows"].measured == "age 2, zip 1, sex 0"
    spec = shoal.Spec.from_yaml(release.with_name("spec.yaml"))
    assert not audit_release(release, spec, manifest=f"{release}.manifest.json").fails


def test_a_wrong_level_is_found(release: Path) -> None:
    rewrite(release, levels={"age": 2, "zip": 1})
    assert "without sex" in audit_release(release).render()
    rewrite(release, levels={"age": 2, "zip": "1", "sex": 0})
    with pytest.raises(InputError, match=r"recoding\.levels\.zip"):
        audit_release(release)


def test_checked_by_the_checker_of_today(release: Path) -> None:
    command = [
        sys.executable,
        "-S",
        "-I",
        recipient_checker.__file__,
        str(release),
        f"{release}.manifest.json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "FAILS" not in done.stdout


def test_extended(release: Path) -> None:
    new = release.with_name("new.csv")
    rows = "N1,22,53711,F,flu\nN2,25,53712,F,cold\nN3,31,53715,F,flu\n"
    new.write_text(f"name,age,zip,sex,disease\n{rows}", encoding="utf-8")
    people = release.with_name("people.csv")
    extension = shoal.extend(f"{release}.manifest.json", new, original=people)
    assert (extension.added_rows, extension.levels) == (3, {"age": 2, "zip": 1, "sex": 0})
    written = extension.write(release.with_name("extended.csv"))
    assert json.loads(Path(f"{written}.manifest.json").read_text(encoding="utf-8"))["recoding"] == {
        "kind": "full-domain",
        "levels": extension.levels,
    }
    assert not audit_release(written, extends=release).fails


def test_a_recoding_that_this_version_does_not_know(release: Path) -> None:
    """Every claim is checked by the labels all the same; what is not compared is reported."""
    rewrite(release, format="shoal-manifest/2", recoding={"kind": "of-tomorrow", "boxes": [[1, 2]]})
    audit = audit_release(release)
    found = {finding.claim: finding for finding in audit.findings}
    assert not audit.fails
    assert found["distinct 2-diversity of disease"].holds
    unknown = found["recoding that the spec allows"]
    assert (unknown.holds, unknown.checkable) == (False, False)
    assert "'of-tomorrow', which this version does not know" in unknown.measured
    command = [
        sys.executable,
        "-S",
        "-I",
        recipient_checker.__file__,
        str(release),
        f"{release}.manifest.json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "recoding that the spec allows: NOT CHECKABLE" in done.stdout
    with pytest.raises(InputError, match="only if that has one level per column"):
        shoal.extend(f"{release}.manifest.json", pa.table({"age": [1]}))
