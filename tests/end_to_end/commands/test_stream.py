"""`shoal stream`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SPEC = """
columns:
  age: {role: quasi-identifier, type: integer}
  disease: {role: sensitive}
privacy:
  - k-anonymity: 2
  - beta-likeness: {column: disease, beta: 1}
"""
STREAM = ("stream", "spec.yaml", "--state", "state", "--output", "released")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "spec.yaml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "inbox").mkdir()
    (tmp_path / "released").mkdir()
    put(tmp_path / "last-year.csv", ["flu", "cold"] * 10)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(path: Path, diseases: list[str]) -> None:
    rows = [f"{30 + number},{disease}" for number, disease in enumerate(diseases)]
    path.write_text("\n".join(["age,disease", *rows]) + "\n", encoding="utf-8")


def test_files_of_a_folder_are_batches_in_the_order_of_their_names(
    shoal: Callable[..., Any], folder: Path
) -> None:
    put(folder / "inbox" / "tuesday.csv", ["flu", "cold"])
    put(folder / "inbox" / "monday.csv", ["flu", "cold"])
    put(folder / "inbox" / ".wednesday.csv", ["half"])
    ran = shoal(*STREAM, "inbox", "--delay", "1", "--reference", "last-year.csv")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "monday.csv: 2 rows, 2 wait",
        "tuesday.csv: 2 rows, 4 released in released/000001, 0 wait",
    ]
    assert shoal("audit", "released/000001/release.csv").code == 0
    again = shoal(*STREAM, "inbox", "--delay", "1", "--finish")
    assert again.code == 0
    assert again.out.splitlines() == [
        "monday.csv: came before; 0 rows wait",
        "tuesday.csv: came before; 0 rows wait",
        "finish: 0 wait",
    ]


def test_an_alarm_is_told_and_the_other_batches_are_done(shoal: Callable[..., Any], folder: Path) -> None:
    put(folder / "1.csv", ["flu"] * 4)
    put(folder / "2.csv", ["flu", "cold"] * 4)
    ran = shoal(*STREAM, "1.csv", "2.csv", "--reference", "last-year.csv", "--json")
    assert ran.code == 5
    assert ran.err.startswith("Alarm: 4 of 4 rows were suppressed (100.0%); the spec allows 0.0%.\n")
    found = [json.loads(line) for line in ran.out.splitlines()]
    assert [(each["suppressed"], each["released"]) for each in found] == [(4, 0), (0, 8)]
    assert Path(found[1]["emission"]).is_dir()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "No batch given."),
        (("inbox/a.csv", "a.csv"), "Several batches have one name."),
        (("a.csv",), "A batch is no measure of it"),
        (("missing.csv", "--reference", "last-year.csv"), "missing.csv"),
        (("a.csv", "--delay", "-1"), "The delay is a whole number of batches"),
    ],
)
def test_wrong_use_releases_nothing(
    shoal: Callable[..., Any], folder: Path, arguments: tuple[str, ...], words: str
) -> None:
    put(folder / "a.csv", ["flu", "cold"])
    put(folder / "inbox" / "a.csv", ["flu", "cold"])
    ran = shoal(*STREAM, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert not list((folder / "released").glob("0*"))
