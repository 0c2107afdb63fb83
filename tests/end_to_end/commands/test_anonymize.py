"""`shoal anonymize` from its options to its files."""

from __future__ import annotations

import csv
import json
from collections import Counter

import pyarrow.parquet as pq
import pytest

from shoal import registry

PEOPLE = "name;age;zip;sex;disease\n" + "".join(
    f"Person {i};{20 + i % 40};{53700 + i % 7};{'MF'[i % 2]};{['flu', 'cough', ''][i % 3]}\n"
    for i in range(120)
)
SHORT = (
    "-k",
    5,
    "--qi",
    "age=intervals:5,10,20",
    "--qi",
    "zip=prefix",
    "--qi",
    "sex",
    "--sensitive",
    "disease",
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "spec.yaml").write_text(
        "columns:\n"
        "  name: {role: identifier}\n"
        "  age: {role: quasi-identifier, hierarchy: {intervals: [5, 10, 20]}}\n"
        "  zip: {role: quasi-identifier, hierarchy: prefix}\n"
        "  sex: {role: quasi-identifier}\n"
        "  disease: {role: sensitive}\n"
        "privacy: [k-anonymity: 5]\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(path, delimiter=";"):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def test_short_form(folder, shoal):
    ran = shoal("anonymize", "people.csv", *SHORT, "--identifier", "name", "--output", "out.csv")
    assert (ran.code, ran.err) == (0, "")
    rows = read(folder / "out.csv")
    assert list(rows[0]) == ["age", "zip", "sex", "disease"]
    assert min(Counter((row["age"], row["zip"], row["sex"]) for row in rows).values()) >= 5
    assert len(rows) == 120
    for expected in ("of 4", "of 5", "of 1", "120 in, 120 out", "proved optimal", "out.csv.manifest.json"):
        assert expected in ran.out


def test_spec_and_short_form_are_the_same(folder, shoal):
    by_spec = shoal("anonymize", "people.csv", "--spec", "spec.yaml", "-o", "one.csv", "--seed", 3, "--json")
    by_hand = shoal(
        "anonymize", "people.csv", *SHORT, "--identifier", "name", "-o", "two.csv", "--seed", 3, "--json"
    )
    one, two = json.loads(by_spec.out), json.loads(by_hand.out)
    assert {k: v for k, v in one.items() if k not in ("seconds", "nodes")} == {
        k: v for k, v in two.items() if k not in ("seconds", "nodes")
    }
    assert (folder / "one.csv").read_bytes() == (folder / "two.csv").read_bytes()


def test_a_budget_for_best_first(folder, shoal):
    found = []
    for checks in (3, 100_000):
        ran = shoal(
            "anonymize", "people.csv", "--spec", "spec.yaml", "--output", "out.csv",
            "--algorithm", "best-first", "--checks", checks, "--json",
        )  # fmt: skip
        found.append(json.loads(ran.out))
    hasty, patient = found
    assert not hasty["optimal"]
    assert hasty["bound"] <= patient["score"] < hasty["score"]
    assert hasty["gap"] == pytest.approx(1 - hasty["bound"] / hasty["score"])
    assert (patient["optimal"], patient["gap"]) == (True, 0.0)
    ran = shoal(
        "anonymize", "people.csv", "--spec", "spec.yaml", "--output", "out.csv", "--algorithm", "best-first",
        "--checks", 3, "--seconds", 5,
    )  # fmt: skip
    words = " ".join(ran.out.split())
    assert "heuristic: a better one may exist, but none scores below" in words
    assert f"(gap {hasty['gap']:.1%})" in words


def test_json_is_one_object_and_nothing_else(folder, shoal):
    ran = shoal("anonymize", "people.csv", "--spec", "spec.yaml", "--output", "out.csv", "--json")
    result = json.loads(ran.out)
    assert list(result) == [
        "levels", "recoding", "score", "quality", "explanation", "suppressed_rows", "rows", "classes",
        "satisfying_nodes", "nodes", "seconds", "linked", "linkable", "optimal", "bound", "gap",
        "alternative", "claims", "proposed", "notes",
    ]  # fmt: skip
    assert list(result["nodes"])[:3] == ["lattice", "checked", "tagged"]
    assert list(result["seconds"]) == [
        "read",
        "encode",
        "search",
        "recode",
        "audit",
        "write",
        "report",
        "total",
    ]
    rows = read(folder / "out.csv")
    sizes = Counter((row["age"], row["zip"], row["sex"]) for row in rows)
    assert result["classes"] == len(sizes)
    measured = f"smallest class {min(sizes.values())}"
    assert result["claims"][0] == {"claim": "k-anonymity 5", "holds": True, "measured": measured}
    assert (result["rows"], result["suppressed_rows"], result["satisfying_nodes"]) == (120, 0, None)
    assert result["seconds"]["write"] > 0
    assert ran.err == ""


def test_options_override_the_spec(folder, shoal):
    ran = shoal(
        "anonymize", "people.csv", "--spec", "spec.yaml", "--output", "out.parquet", "--json",
        "--suppression", 0.5, "--quality", "height", "--suppressed", "star", "--delimiter", ";",
    )  # fmt: skip
    result = json.loads(ran.out)
    assert result["quality"] == "height"
    assert result["score"] == sum(result["levels"].values())
    table = pq.read_table(folder / "out.parquet")
    classes = Counter(zip(*(table[name].to_pylist() for name in ("age", "zip", "sex")), strict=True))
    assert classes.pop(("*", "*", "*"), 0) == result["suppressed_rows"] <= 60
    assert min(classes.values()) >= 5


def test_levels_and_weights(folder, shoal):
    def levels(*options):
        ran = shoal(
            "anonymize", "people.csv", "--spec", "spec.yaml", "--output", "out.csv", "--json", *options
        )
        assert ran.code == 0, ran.err
        result = json.loads(ran.out)
        assert result["optimal"] is True
        return result["levels"]

    assert levels("--levels", "sex=1")["sex"] == 1
    intact = levels("--levels", "sex=0", "--levels", "zip=2..4")
    assert intact["sex"] == 0
    assert 2 <= intact["zip"] <= 4
    assert {row["sex"] for row in read(folder / "out.csv")} == {"F", "M"}
    free = levels()
    assert levels("--weight", "age=100")["age"] < free["age"]
    manifest = json.loads((folder / "out.csv.manifest.json").read_text(encoding="utf-8"))
    assert "weight" not in manifest["spec"]["columns"]["age"]  # it only steers the search


def test_levels_of_the_short_form(folder, shoal):
    ran = shoal(
        "anonymize", "people.csv", *SHORT, "--identifier", "name", "-o", "out.csv", "--levels", "age=..2"
    )
    assert ran.code == 0, ran.err
    assert all(row["age"] != "*" for row in read(folder / "out.csv"))


def test_levels_that_leave_nothing(folder, shoal):
    ran = shoal(
        "anonymize", "people.csv", "--spec", "spec.yaml", "--output", "out.csv",
        "--levels", "age=0", "--levels", "zip=0",
    )  # fmt: skip
    assert ran.code == 3
    assert "The spec holds age, zip below the top level" in ran.err


def test_the_summary_names_the_file_of_all_nodes(folder, shoal):
    ran = shoal(
        "anonymize", "people.csv", "--spec", "spec.yaml", "--output", "out.csv", "--all-nodes", "all.parquet"
    )
    nodes = pq.read_table(folder / "all.parquet")
    assert f"Nodes                all.parquet, {nodes.num_rows} that satisfy\n" in ran.out
    assert nodes["score"].to_pylist() == sorted(nodes["score"].to_pylist())


def test_all_nodes(folder, shoal):
    ran = shoal(
        "anonymize", "people.csv", "--spec", "spec.yaml", "--output", "out.csv", "--all-nodes", "nodes.csv",
        "--quality", "discernability", "--json",
    )  # fmt: skip
    result = json.loads(ran.out)
    nodes = read(folder / "nodes.csv", ",")
    assert list(nodes[0]) == ["age", "zip", "sex", "suppressed_rows", "score"]
    assert len(nodes) == result["satisfying_nodes"]
    assert min(float(node["score"]) for node in nodes) == result["score"]
    chosen = {name: str(level) for name, level in result["levels"].items()}
    (node,) = (node for node in nodes if chosen.items() <= node.items())
    assert int(node["suppressed_rows"]) == result["suppressed_rows"]
    assert sorted(path.name for path in folder.iterdir()) == [
        "nodes.csv", "out.csv", "out.csv.checker.py", "out.csv.manifest.json", "people.csv", "spec.yaml",
    ]  # fmt: skip


def test_no_nodes_without_a_release(folder, shoal, monkeypatch):
    from shoal.write import audited_file

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(audited_file, "write_table", fail)
    ran = shoal(
        "anonymize", "people.csv", "--spec", "spec.yaml", "--output", "out.csv", "--all-nodes", "nodes.csv"
    )
    assert (ran.code, ran.out) == (2, "")
    assert "No space left on device" in ran.err
    assert sorted(path.name for path in folder.iterdir()) == ["people.csv", "spec.yaml"]


def test_order_and_undeclared_columns(folder, shoal):
    short = ("-k", 2, "--qi", "sex", "--output", "out.csv")
    short += ("--identifier", "age", "--identifier", "zip")
    kept = ("--insensitive", "name", "--accept-linkable", "name", "--keep-undeclared", "--keep-order")
    assert shoal("anonymize", "people.csv", *short, *kept).code == 0
    assert [row["name"] for row in read(folder / "out.csv")] == [f"Person {i}" for i in range(120)]
    ran = shoal("anonymize", "people.csv", *short, "--drop-undeclared")
    assert list(read(folder / "out.csv")[0]) == ["sex"]
    assert "Undeclared columns dropped: name, disease." in ran.out


def test_input_dialect(folder, shoal):
    text = "'größe'\t'a=b'\n1\tx\n1\tx\n"
    (folder / "odd.txt").write_bytes(text.encode("cp1252"))
    ran = shoal(
        "anonymize", "odd.txt", "-k", 2, "--qi", "größe=intervals:5", "--qi", "a=b=suppress", "-o", "out.csv",
        "--delimiter", r"\t", "--quote", "'", "--encoding", "cp1252", "--json",
    )  # fmt: skip
    assert json.loads(ran.out)["levels"] == {"größe": 0, "a=b": 0}


def test_a_label_is_never_taken_for_markup(folder, shoal):
    (folder / "odd.csv").write_text("[bold]age[/bold]\n" + "[red]1[/red]\n" * 3)
    ran = shoal("anonymize", "odd.csv", "-k", 2, "--qi", "[bold]age[/bold]", "-o", "out.csv")
    assert "[bold]age[/bold]" in ran.out
    assert "[red]1[/red]" in ran.out


@pytest.mark.parametrize("option", [("--sampling-fraction", 0.1), ("--no-models",)])
def test_options_of_the_report_without_a_report(folder, shoal, option):
    ran = shoal("anonymize", "people.csv", "--spec", "spec.yaml", "-o", "out.csv", *option)
    assert ran.code == 2
    assert "Add --report" in ran.err
    assert not (folder / "out.csv").exists()


def test_failed_audit_exits_with_4(folder, shoal, monkeypatch):
    from shoal.privacy.k_anonymity import KAnonymity
    from shoal.recode.full_domain import FullDomain
    from shoal.recode.released_classes import Verdict

    real = Verdict.of
    monkeypatch.setattr(
        Verdict,
        "of",
        lambda coded, recoding, models, star: real(coded, FullDomain.at(coded, [0, 0, 0]), [KAnonymity(1)]),
    )
    ran = shoal("anonymize", "people.csv", "--spec", "spec.yaml", "--output", "out.csv")
    assert (ran.code, ran.out) == (4, "")
    assert "does not satisfy its claim 'k-anonymity 5'" in ran.err
    assert not (folder / "out.csv").exists()


@pytest.mark.parametrize("command", [(), ("anonymize",), ("audit",), ("sample",), ("demo",)])
def test_help(command, shoal):
    ran = shoal(*command, "--help")
    assert ran.code == 0
    assert "Usage: shoal" in ran.out


def test_help_teaches(shoal):
    out = " ".join(shoal("anonymize", "--help").out.replace("│", " ").split())
    assert "shoal anonymize people.csv --spec spec.yaml --output release.csv" in out
    assert "--qi age=intervals:5,10,20 --qi zip=prefix --qi sex" in out
    assert all(name in out for kind in ("measures", "models", "engines") for name in registry.names(kind))
    assert "--privacy 'l-diversity: {column: disease, l: 3}'" in out
    assert "sex=0 keeps sex unchanged" in out


def test_version(shoal):
    from importlib.metadata import version

    assert shoal("--version").out == f"shoal {version('shoal')}\n"


def test_pseudonyms_and_their_key(folder, shoal):
    shoal("key", "project.pem")
    people = ["--qi", "age=intervals:10", "--drop-undeclared", "--unit", "name", "--pseudonym", "name"]
    asked = ["anonymize", "people.csv", "-k", 1, *people, "--output", "out.csv"]
    assert "Pseudonyms need a key" in shoal(*asked).err
    assert shoal(*asked, "--key", "project.pem").code == 0
    audited = shoal("audit", "out.csv", "-k", 1, "--qi", "age", "--pseudonym", "name", "--unit", "name")
    assert (audited.code, "counted by 'name'" in audited.out) == (0, True)
    ran = shoal(*asked[:4], "--qi", "age", "--drop-undeclared", "--output", "out.csv", "--key", "project.pem")
    assert "--key makes the tokens of pseudonyms" in ran.err
    ran = shoal(*asked[:-1], "project.pem", "--key", "project.pem")
    assert (ran.code, (folder / "project.pem").read_text()[:10]) == (2, "-----BEGIN")
