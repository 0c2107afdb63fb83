"""The attacker knows that a woman in her fifties is in the release, and sees that no class fits her.

So she is among the starred rows. If all of these share a value, the attacker has learnt it; if they are
fewer than k, she is easily found among them. Starred rows are a class that anybody can see, so they must pass
every model as other classes do, whoever made the file.
"""

from __future__ import annotations

import csv
import hashlib
import json
import random
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.audit import audit_release

_RANDOM = random.Random(7)
_MIXED = [(_RANDOM.randint(20, 49), sex, disease) for sex in "FM" for disease in "abcd" for _ in range(25)]


def people(*further: tuple[int, str, str]) -> pa.Table:
    rows = [*_MIXED, *further]
    names = ("age", "sex", "disease")
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


WOMEN = people(*((50 + age, "F", "HIV") for age in range(8)))

MODELS = {
    "l-diversity": shoal.LDiversity("disease", 2),
    "entropy": shoal.LDiversity("disease", 1.5, kind="entropy"),
    "t-closeness": shoal.TCloseness("disease", 0.5),
    "alpha-k": shoal.AlphaK("disease", 0.7, 2),
    "k": shoal.KAnonymity(9),
    "risk": shoal.Risk(maximal=1 / 9),
}


def spec_of(*models: Any, suppression: float = 0.04, suppressed: Any = "star") -> shoal.Spec:
    return shoal.Spec(
        quasi_identifiers={
            "age": shoal.QuasiIdentifier(hierarchy=shoal.intervals(10), min_level=1, max_level=1),
            "sex": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0),
        },
        sensitive=["disease"],
        privacy=models,
        suppression=suppression,
        suppressed=suppressed,
    )


def starred(table: pa.Table) -> list[str]:
    """Return the diseases of the starred rows."""
    return [row["disease"] for row in table.to_pylist() if row["age"] == "*" == row["sex"]]


def by_hand(folder: Path, stars: int) -> Path:
    """Write what an earlier version, or another tool, would: the women with stars, the others as ever."""
    release = shoal.anonymize(WOMEN, spec_of(shoal.KAnonymity(2)), seed=1).table.to_pylist()
    women = [row for row in release if row["disease"] == "HIV"]
    others = [row for row in release if row["disease"] != "HIV"]
    path = folder / "release.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("age", "sex", "disease"))
        rows.writerows(row.values() for row in others)
        rows.writerows(("*", "*", row["disease"]) for row in women[:stars])
    return path


@pytest.mark.parametrize("model", MODELS)
def test_women_who_share_a_value_are_never_starred_alone(model: str) -> None:
    for suppression in (0.04, 0.3):
        spec = spec_of(MODELS[model], suppression=suppression)
        try:
            release = shoal.anonymize(WOMEN, spec)
        except shoal.InfeasibleError as error:
            assert suppression == 0.04
            assert "Starred rows form a class that anybody can see. At the best levels 8 rows" in str(error)
            assert "Remove suppressed rows (suppressed: remove), allow a suppression limit of" in str(error)
            continue
        assert suppression == 0.3, "eight starred rows with one value are refused"
        found = starred(release.table)
        assert len(found) == release.suppressed_rows > 8
        assert found.count("HIV") == 8
        assert release.class_sizes[len(found)] >= 1
        assert sum(size * count for size, count in release.class_sizes.items()) == 208
        assert "8 rows are in classes that fail" in release.summary()
        assert release.audit.holds
    removed = shoal.anonymize(WOMEN, spec_of(MODELS[model], suppressed="remove"))
    assert (removed.suppressed_rows, removed.table.num_rows) == (8, 200)


def test_the_limit_that_is_named_suffices() -> None:
    spec = spec_of(MODELS["l-diversity"])
    with pytest.raises(shoal.InfeasibleError) as refused:
        shoal.anonymize(WOMEN, spec)
    limit = float(str(refused.value).split("limit of ")[-1].split(",")[0])
    assert shoal.anonymize(WOMEN, spec_of(MODELS["l-diversity"], suppression=limit)).audit.holds


def test_fewer_starred_rows_than_a_class() -> None:
    three = people((51, "F", "a"), (52, "M", "b"), (53, "F", "c"))
    with pytest.raises(shoal.InfeasibleError, match="3 rows would be starred and fail k-anonymity 5"):
        shoal.anonymize(three, spec_of(shoal.KAnonymity(5)))
    release = shoal.anonymize(three, spec_of(shoal.KAnonymity(5), suppression=0.2))
    assert len(starred(release.table)) == release.suppressed_rows >= 5


def test_average_risk_counts_the_starred_class() -> None:
    one = people((51, "F", "a"))
    classes = Counter((age // 10, sex) for age, sex, _ in _MIXED)
    average = len(classes) / 200  # met without the starred row, and not with it
    release = shoal.anonymize(one, spec_of(shoal.Risk(average=average), suppression=0.3))
    seen = sum(release.class_sizes.values())
    assert seen / 201 <= average
    assert release.suppressed_rows > 1


def test_k_map_counts_those_who_are_in_no_class() -> None:
    table = people((51, "F", "a"), (52, "M", "b")).drop_columns("disease")
    for others, holds in ((1, False), (3, True)):
        crowd = pa.table({"age": [55] * others, "sex": ["M"] * others})
        town = pa.concat_tables([table, crowd])
        spec = shoal.Spec(
            quasi_identifiers=spec_of(shoal.KAnonymity(2)).quasi_identifiers,
            privacy=[shoal.KMap(5, town)],
            suppression=0.02,
            suppressed="star",
        )
        # The woman is alone in the town. With three more men the starred rows are two of five people.
        if holds:
            release = shoal.anonymize(table, spec)
            assert release.suppressed_rows == 2
            assert release.audit.findings[0].measured.endswith(" 5")
        else:
            with pytest.raises(shoal.InfeasibleError, match="k-map 5"):
                shoal.anonymize(table, spec)


@pytest.mark.parametrize(("model", "stars"), [("l-diversity", 8), ("alpha-k", 8), ("k", 8), ("k", 3)])
def test_the_audit_refuses_a_file_made_by_hand(tmp_path: Path, model: str, stars: int) -> None:
    path = by_hand(tmp_path, stars)
    finding = audit_release(path, spec_of(MODELS[model])).findings[0]
    assert not finding.holds
    assert "1 class fails" in finding.measured
    assert "'*'" not in finding.sql  # what anybody can repeat leaves no row out either


def test_the_audit_compares_starred_rows_with_the_original(tmp_path: Path) -> None:
    path = by_hand(tmp_path, 8)
    assert not audit_release(path, spec_of(MODELS["t-closeness"]), original=WOMEN).findings[0].holds


def test_the_command_refuses_a_file_of_another_tool(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from shoal.cli.main import app

    path = by_hand(tmp_path, 8)
    claims = ("--privacy", "l-diversity: {column: disease, l: 2}", "--sensitive", "disease")
    ran = CliRunner().invoke(app, ["audit", str(path), "--qi", "age", "--qi", "sex", *claims])
    assert ran.exit_code == 4
    assert "8 rows have * in every quasi-identifier and are checked as a class" in ran.stdout


def test_evidence_of_an_earlier_version_does_not_help(tmp_path: Path) -> None:
    """A manifest that counts starred rows as absent: its claim fails, for the audit and for the checker."""
    path = shoal.anonymize(WOMEN, spec_of(MODELS["l-diversity"], suppression=0.3)).write(
        tmp_path / "release.csv"
    )
    manifest = path.with_name("release.csv.manifest.json")
    checker = next(tmp_path.glob("*.py"))
    ran = subprocess.run([sys.executable, checker, path, manifest], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stdout
    by_hand(tmp_path, 8)
    told = json.loads(manifest.read_text(encoding="utf-8"))
    with path.open(encoding="utf-8") as file:
        sizes = Counter((row["age"], row["sex"]) for row in csv.DictReader(file) if row["age"] != "*")
    told["rows"]["suppressed"] = 8
    told["class_sizes"] = {str(size): n for size, n in Counter(sizes.values()).items()}
    told["classes"] = len(sizes)
    told["file"]["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest.write_text(json.dumps(told), encoding="utf-8")
    found = {finding.claim: finding.holds for finding in audit_release(path).findings}
    assert not found["distinct 2-diversity of disease"]
    ran = subprocess.run([sys.executable, checker, path, manifest], capture_output=True, check=False)
    assert ran.returncode == 1
    assert b"distinct 2-diversity of disease: FAILS" in ran.stdout


def test_a_database_stars_the_same_rows(tmp_path: Path) -> None:
    spec = spec_of(shoal.KAnonymity(3), MODELS["t-closeness"], suppression=0.3)
    here = shoal.anonymize(WOMEN, spec)
    pq.write_table(WOMEN, tmp_path / "people.parquet")
    there = shoal.anonymize(
        tmp_path / "people.parquet", spec, engine="duckdb", output=tmp_path / "release.csv"
    )
    assert sorted(map(str, here.table.to_pylist())) == sorted(map(str, there.table.to_pylist()))
    assert (there.class_sizes, there.suppressed_rows) == (here.class_sizes, here.suppressed_rows)
    assert len(starred(there.table)) == there.suppressed_rows > 8
    assert audit_release(tmp_path / "release.csv", original=WOMEN).holds
    with pytest.raises(shoal.InfeasibleError):
        shoal.anonymize(tmp_path / "people.parquet", spec_of(MODELS["l-diversity"]), engine="duckdb")


def test_every_satisfying_node_stars_rows_that_pass() -> None:
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10, 20), "sex": "suppress"},
        sensitive=["disease"],
        privacy=[shoal.KAnonymity(2), MODELS["l-diversity"]],
        suppression=0.2,
        suppressed="star",
    )
    nodes = shoal.anonymize(WOMEN, spec, all_nodes=True).satisfying_nodes
    assert nodes is not None
    for node in nodes:
        release = nodes.release(node)
        assert (release.suppressed_rows, release.score) == (node.suppressed_rows, node.score)
        assert len(set(starred(release.table))) != 1
    best = shoal.anonymize(WOMEN, spec)
    assert (nodes.best.levels, nodes.best.score) == (best.levels, best.score)


@pytest.mark.parametrize("choose_by", ["everything", "quasi-identifiers"])
def test_the_order_of_the_input_does_not_choose_who_is_starred(choose_by: Any) -> None:
    """Two classes have one size. Which is starred beside the one that fails must not tell which came first:
    a table that is sorted by disease would tell the disease.
    """
    rows = [(age, "F", "ab"[n % 2]) for age in (25, 35, 45) for n in range(4)] + [(55, "F", "a")]
    spec = spec_of(shoal.KAnonymity(3), suppression=0.5).adjust(levels={"age": 1})
    spec = replace(spec, choose_by=choose_by)
    found = set()
    for order in (rows, rows[::-1], sorted(rows, key=lambda row: row[2])):
        ages, sexes, diseases = zip(*order, strict=True)
        table = pa.table({"age": ages, "sex": sexes, "disease": diseases})
        release = shoal.anonymize(table, spec)
        found.add(tuple(sorted(Counter(release.table["age"].to_pylist()).items())))
    assert found == {(("*", 5), ("[30, 40)", 4), ("[40, 50)", 4))}


def test_rows_that_do_not_stay_among_the_starred_ones_do_not_hide_them() -> None:
    """Four rows are `*` in both columns, like the starred one, until labels show released values alone."""
    low = {"role": "quasi-identifier", "hierarchy": {"intervals": [5]}, "missing-values": "top"}
    low |= {"max-level": 1}
    asked = {
        "columns": {"a": low, "b": low | {"min-level": 1}},
        "privacy": [{"k-anonymity": 4}],
        "suppression": 0.4,
        "suppressed": "star",
        "recoding": "subtree",
    }
    table = pa.table({"a": [*"????x", *"3" * 8, *"8" * 8], "b": [*"????7", *"3" * 8, *"8" * 8]})
    release = shoal.anonymize(table, shoal.Spec.from_mapping(asked))
    assert release.suppressed_rows == 5
    assert sorted(Counter(map(str, release.table.to_pylist())).values()) == [5, 8, 8]
