"""`shoal spec`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

TEXT = """\
# ours
columns:
  age: {role: quasi-identifier, hierarchy: {intervals: [10, 20]}}  # in years
  sex: {role: sensitive}
privacy:
  - k-anonymity: 5
suppression: 0.02
"""


@pytest.fixture
def spec(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + row % 50},{'FM'[row % 2]},{row % 4}" for row in range(100)]
    Path("people.csv").write_text("\n".join(["age,sex,ward", *rows]) + "\n", encoding="utf-8")
    path = Path("people.spec.yaml")
    path.write_text(TEXT, encoding="utf-8")
    path.chmod(0o600)
    return path


def test_a_spec_is_changed_in_place_and_tried(spec, shoal):
    ran = shoal(
        *("spec", spec, "--qi", "sex,ward", "-k", "4", "--suppression", "0.1", "--unit", "none"),
        *("--recoding", "mondrian: {cut: median}", "--data", "people.csv"),
    )
    assert (ran.code, ran.err) == (0, "")
    text = spec.read_text(encoding="utf-8")
    assert text.startswith(TEXT.partition("  sex")[0])
    assert "  sex: {role: quasi-identifier, hierarchy: suppress}\n  ward: {role: quasi-identifier" in text
    assert "  - k-anonymity: 4\nsuppression: 0.1\nrecoding: {mondrian: {cut: median}}\n" in text
    assert "Tried with k = 4: 3 of 3 quasi-identifiers keep detail" in ran.out
    assert spec.stat().st_mode & 0o777 == 0o600
    assert shoal("anonymize", "people.csv", "--spec", spec, "--output", "out.csv").code == 0
    told = json.loads(shoal("spec", spec, "--data", "people.csv", "--json").out)
    assert (told["roles"], told["trial"]["outcome"]["columns"]) == ({}, ["age", "sex", "ward"])
    assert spec.read_text(encoding="utf-8") == text


def test_nothing_changes_if_anything_is_wrong(spec, shoal):
    ran = shoal("spec", spec, "--qi", "sx,wrd", "--sensitive", "age", "-k", "0", "--unit", "z")
    assert ran.code == 2
    for problem in ("No column is 'sx'", "No column is 'wrd'", "k-anonymity needs", "'z', by which to count"):
        assert problem in ran.err
    assert "Nothing to change" in shoal("spec", spec).err
    assert spec.read_text(encoding="utf-8") == TEXT
