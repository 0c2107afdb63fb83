"""`shoal audit`, `shoal sample` and `shoal demo`."""

from __future__ import annotations

import csv
import json
import shlex
from collections import Counter


def test_sample_anonymize_audit(tmp_path, shoal):
    ran = shoal("sample", "census", "--rows", 2000, "--seed", 1, "--output", tmp_path)
    assert ran.code == 0
    assert str(tmp_path / "census.csv") in ran.out.replace("\n", "")
    spec, release = tmp_path / "spec.yaml", tmp_path / "release.csv"
    assert shoal("anonymize", tmp_path / "census.csv", "--spec", spec, "--output", release).code == 0
    ran = shoal("audit", release, "--spec", spec)
    assert ran.code == 0
    assert "k-anonymity 5" in ran.out

    found = json.loads(shoal("audit", release, "--spec", spec, "--json").out)
    with release.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    qis = ("age", "sex", "zip", "marital_status", "education", "birth_country", "occupation")
    classes = Counter(tuple(row[name] for name in qis) for row in rows)
    assert found["holds"] is True
    assert found["rows"] == len(rows)
    assert found["claims"][0]["measured"] == f"smallest class {min(classes.values())}"


def test_a_tampered_release_exits_with_4(tmp_path, shoal):
    (tmp_path / "spec.yaml").write_text(
        "columns: {sex: {role: quasi-identifier}}\nprivacy: [k-anonymity: 2]\n"
    )
    release = tmp_path / "release.csv"
    release.write_text("sex\nF\nF\nM\n")
    ran = shoal("audit", release, "--spec", tmp_path / "spec.yaml")
    assert ran.code == 4
    assert "FAILS, smallest class 1" in ran.out
    ran = shoal("audit", release, "--spec", tmp_path / "spec.yaml", "--json")
    assert (ran.code, json.loads(ran.out)["holds"]) == (4, False)


def test_audit_of_what_is_not_there(tmp_path, shoal):
    ran = shoal("audit", tmp_path / "release.csv", "--spec", tmp_path / "spec.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Error: File")


def test_patients(tmp_path, shoal):
    assert shoal("sample", "patients", "--output", tmp_path).code == 0
    assert len((tmp_path / "patients.csv").read_text().splitlines()) == 7


def test_unknown_sample(tmp_path, shoal):
    ran = shoal("sample", "censu", "--output", tmp_path)
    assert ran.code == 2
    assert "Did you mean 'census'?" in ran.err


def test_demo_says_what_it_did_and_how_to_repeat_it(tmp_path, shoal, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = shoal("demo", "--rows", 3000, "--folder", "a demo")
    assert (ran.code, ran.err) == (0, "")
    assert "3,000" in ran.out
    assert "k-anonymity 5" in ran.out
    before = (tmp_path / "a demo" / "census.csv").read_bytes()
    commands = [shlex.split(line) for line in ran.out.splitlines() if line.startswith("  shoal ")]
    assert [command[1] for command in commands] == ["sample", "risk", "anonymize", "audit", "utility"]
    last = [line.split()[0] for line in ran.out.splitlines()[-5:]]
    assert last == ["Release", "Manifest", "Checker", "Report", "Internal"]
    for command in commands:
        assert shoal(*command[1:]).code == 0
    assert (tmp_path / "a demo" / "census.csv").read_bytes() == before


def test_demo_says_what_another_recoding_would_lose(tmp_path, shoal):
    ran = shoal("demo", "--rows", 2000, "--folder", tmp_path)
    (line,) = [line for line in ran.out.splitlines() if line.startswith("Recoding ")]
    table, spec = tmp_path / "census.csv", tmp_path / "spec.yaml"
    scores = []
    for recoding in ("mondrian", "full-domain"):
        output = tmp_path / f"{recoding}.csv"
        arguments = ("--spec", spec, "--output", output, "--recoding", recoding, "--json")
        said = json.loads(shoal("anonymize", table, *arguments).out)
        scores.append(said["score"])
    assert f"mondrian loses {scores[0]:.1%} instead of {scores[1]:.1%} (--recoding mondrian)" in line
    assert said["alternative"] == {"recoding": "mondrian", "score": scores[0]}


def test_demo_of_few_people_accepts_their_incomes(tmp_path, shoal):
    ran = shoal("demo", "--rows", 50, "--folder", tmp_path)
    (command,) = [shlex.split(line) for line in ran.out.splitlines() if line.startswith("  shoal anonymize")]
    assert (ran.code, ran.err) == (0, "")
    assert command[-2:] == ["--accept-linkable", "income"]
    assert shoal(*command[1:]).code == 0
