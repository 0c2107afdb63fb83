"""The audit of a release that extends another: from the two files, whatever the manifest says."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.incremental.growing import release

import shoal
from shoal.audit import Audit, audit_release
from shoal.errors import InputError


@pytest.fixture
def extended(tmp_path: Path) -> Path:
    manifest = release(tmp_path)
    path = tmp_path / "extended.csv"
    shoal.extend(manifest, tmp_path / "new.csv", original=tmp_path / "people.csv", output=path)
    return path


def failing(audit: Audit) -> set[str]:
    return {finding.claim for finding in audit.findings if not finding.holds}


def test_both_files_tell(extended: Path) -> None:
    audit = audit_release(extended)
    assert audit.holds
    assert [finding.claim for finding in audit.findings][-4:] == [
        "SHA-256 of the earlier release",
        "earlier rows kept",
        "difference: k-anonymity 3",
        "difference as in the manifest",
    ]


def test_without_the_earlier_release_nothing_is_said_to_hold(extended: Path, tmp_path: Path) -> None:
    elsewhere = (tmp_path / "release.csv").rename(tmp_path / "moved.csv")
    audit = audit_release(extended)
    assert failing(audit) == {"earlier rows kept", "difference: k-anonymity 3"}
    assert not any(finding.checkable for finding in audit.findings if not finding.holds)
    assert audit_release(extended, extends=elsewhere).holds


def test_another_name_does_not_matter(extended: Path, tmp_path: Path) -> None:
    renamed = extended.rename(tmp_path / "renamed.csv")
    assert audit_release(renamed, manifest=tmp_path / "extended.csv.manifest.json").holds


def test_another_earlier_release(extended: Path, tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    lines = path.read_text("utf-8").splitlines()
    # Of a class to which nothing was added one is missing, and is new in the difference: somebody alone.
    gone = next(line for line in lines if line.startswith('"[40, 50)"'))
    fewer = [line for place, line in enumerate(lines) if place != lines.index(gone)]
    path.write_text("\n".join(fewer) + "\n", encoding="utf-8")
    assert failing(audit_release(extended)) == {
        "SHA-256 of the earlier release",
        "difference: k-anonymity 3",
        "difference as in the manifest",
    }
    path.write_text("\n".join([*lines, "x,y,z"]) + "\n", encoding="utf-8")
    assert "earlier rows kept" in failing(audit_release(extended))
    path.write_text("age,sex\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"other columns than 'release\.csv', which it extends"):
        audit_release(extended)


def _other_file(said: dict[str, Any]) -> None:
    said["file"]["sha256"] = "0" * 64


def _no_claims(said: dict[str, Any]) -> None:
    said["claims"].clear()


def _better_figure(said: dict[str, Any]) -> None:
    said["claims"][1] |= {"figure": 4, "measured": "smallest class 4"}


def _other_query(said: dict[str, Any]) -> None:
    said["claims"][1]["sql"] = "SELECT 0, 3"


def _more_claims(said: dict[str, Any]) -> None:
    said["claims"].append({**said["claims"][1], "claim": "difference: k-anonymity 9"})


@pytest.mark.parametrize(
    "change", [_other_file, _no_claims, _better_figure, _other_query, _more_claims], ids=lambda f: f.__name__
)
def test_a_manifest_that_lies(extended: Path, change: Callable[[dict[str, Any]], None]) -> None:
    manifest = extended.with_name("extended.csv.manifest.json")
    said = json.loads(manifest.read_text("utf-8"))
    change(said["extends"])
    manifest.write_text(json.dumps(said), encoding="utf-8")
    assert len(failing(audit_release(extended))) == 1


def test_what_is_no_manifest_of_an_extension(tmp_path: Path) -> None:
    release(tmp_path)
    with pytest.raises(InputError, match="does not say that the release extends another"):
        audit_release(tmp_path / "release.csv", extends=tmp_path / "people.csv")
    spec = shoal.Spec(quasi_identifiers={"age": "suppress"}, privacy=[shoal.KAnonymity(1)])
    with pytest.raises(InputError, match="Only a manifest states"):
        audit_release(tmp_path / "release.csv", spec, extends=tmp_path / "people.csv")


def test_the_checker_checks_an_extension_too(extended: Path) -> None:
    checker, manifest = (extended.with_name(f"extended.csv.{end}") for end in ("checker.py", "manifest.json"))
    ran = subprocess.run(
        [sys.executable, checker, extended, manifest], check=False, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
