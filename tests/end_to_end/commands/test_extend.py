"""`shoal extend`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.incremental.growing import release


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    release(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


MANIFEST = "release.csv.manifest.json"


def test_it_writes_and_tells(shoal: Callable[..., Any], folder: Path) -> None:
    ran = shoal("extend", MANIFEST, "new.csv", "--original", "people.csv", "--output", "extended.csv")
    assert ran.code == 0, ran.err
    told = dict(line.split("  ", 1) for line in ran.out.splitlines())
    told = {name: text.strip() for name, text in told.items()}
    assert told["New"] == "9 rows, 1 of them waiting"
    assert told["Returned"] == "1 of those that were suppressed before"
    assert told["Added"] == "9 rows in 3 classes of 3 rows"
    assert told["Suppressed"] == "1 of 21 rows (4.76%), 4 allowed"
    assert told["difference: k-anonymity 3"] == "holds, smallest class 3"
    assert told["Manifest"] == "extended.csv.manifest.json"
    assert shoal("audit", "extended.csv").code == 0


def test_a_check_writes_nothing(shoal: Callable[..., Any], folder: Path) -> None:
    there = sorted(folder.iterdir())
    ran = shoal("extend", MANIFEST, "new.csv", "--original", "people.csv", "--check")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith("The levels can be kept. Nothing was written.\n")
    assert sorted(folder.iterdir()) == there


def test_json(shoal: Callable[..., Any], folder: Path) -> None:
    ran = shoal("extend", MANIFEST, "new.csv", "--original", "people.csv", "--check", "--json")
    found = json.loads(ran.out)
    assert (found["added_rows"], found["waiting_rows"], found["released_rows"]) == (9, 1, 20)
    assert all(claim["holds"] for claim in found["claims"])


def test_what_must_change_is_told_with_exit_code_3(shoal: Callable[..., Any], folder: Path) -> None:
    there = sorted(folder.iterdir())
    ran = shoal("extend", MANIFEST, "new.csv", "--output", "out.csv", "--suppression", "0.1")
    assert (ran.code, ran.out) == (3, "")
    assert "--suppression 0.191" in ran.err
    assert sorted(folder.iterdir()) == there


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["new.csv"], "No output given."),
        (["new.csv", "--check", "--output", "out.csv"], "Both an output and --check given."),
        (["nothing.csv", "--check"], "'nothing.csv' does not exist"),
        (["new.csv", "--output", "new.csv"], "is the same file"),
        (["new.csv", "--original", "people.csv", "--output", "people.csv"], "is the same file"),
        (["new.csv", "--output", "release.csv"], "is the same file"),
        (["new.csv", "--output", "out.csv", "--sign", "new.csv"], "key"),
    ],
)
def test_wrong_use_exits_with_2(
    shoal: Callable[..., Any], folder: Path, arguments: list[str], message: str
) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    ran = shoal("extend", MANIFEST, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_help_teaches(shoal: Callable[..., Any]) -> None:
    ran = shoal("extend", "--help")
    assert ran.code == 0
    assert "Corrections and withdrawals of rows are not covered" in ran.out
