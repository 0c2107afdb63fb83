"""`shoal init`."""

from __future__ import annotations

import io
import json
import os
import shlex
import sys
from pathlib import Path

import pytest

import shoal.cli.init
from shoal.cli.console import print_entries
from shoal.data import sample_names, write_sample
from shoal.spec.spec import Spec

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[4] / "shared" / "datasets"))


@pytest.fixture
def people(tmp_path, monkeypatch):
    """Stand in a folder with a small table."""
    monkeypatch.chdir(tmp_path)
    lines = [f"p{row},{20 + row % 50},{'FM'[row % 2]},{row % 7},{row % 3}" for row in range(100)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["id,age,sex,thing,diagnosis", *lines]) + "\n", encoding="utf-8")
    return path


def answer(monkeypatch: pytest.MonkeyPatch, *answers: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in answers)))


def test_the_summary_and_the_commands_after_it(people, shoal):
    ran = shoal("init", "people.csv")
    assert (ran.code, ran.err) == (0, "")
    table, facts, last = ran.out.split("\n\n")
    assert [line.split()[0] for line in table.splitlines()] == [
        "Column",
        "id",
        "age",
        "sex",
        "thing",
        "diagnosis",
    ]
    lines = {line.split()[0]: line for line in table.splitlines()}
    assert "identifier" in lines["id"]
    assert "100%" in lines["id"]
    assert "intervals: [5, 10, 20, 40]" in lines["age"]
    assert "HIPAA C" in lines["age"]
    assert "quasi-identifier ?" in lines["thing"]
    assert "nobody should learn it" in lines["diagnosis"]
    assert "check thing first" in facts
    assert "of the pairs differ" in facts
    commands = [shlex.split(line) for line in last.splitlines() if line.startswith("  shoal ")]
    assert [command[1] for command in commands] == ["anonymize", "audit"]
    for command in commands:
        assert shoal(*command[1:]).code == 0


@pytest.mark.parametrize("name", sample_names())
def test_samples_run_as_they_are(name, tmp_path, monkeypatch, shoal):
    monkeypatch.chdir(tmp_path)
    sample = write_sample(
        name, None if name == "patients" else 2000 if name == "census" else 1000, 3, tmp_path
    )
    ran = shoal("init", sample.data, "--output", "own.yaml")
    assert (ran.code, ran.err) == (0, "")
    assert shoal("anonymize", sample.data, "--spec", "own.yaml", "--output", "out.csv").code == 0


@pytest.mark.parametrize("name", ["adult", "cup", "wage"])
def test_data_sets_run_as_they_are(name, tmp_path, monkeypatch, shoal):
    path = DATA / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"{name}.csv is not in {DATA.name!r}: set SHOAL_DATA to the folder of the data sets")
    monkeypatch.chdir(tmp_path)
    ran = shoal("init", path)
    assert (ran.code, ran.err) == (0, "")
    commands = [shlex.split(line) for line in ran.out.splitlines() if line.startswith("  shoal ")]
    for command in commands:
        assert shoal(*command[1:]).code == 0


def test_json(people, shoal):
    ran = shoal("init", people, "-k", 3, "--json", "--output", "spec.yaml")
    assert (ran.code, ran.err) == (0, "")
    told = json.loads(ran.out)
    assert (told["rows"], told["k"], told["spec"]) == (100, 3, "spec.yaml")
    column = told["columns"][1]
    assert (column["name"], column["role"], column["kind"]) == ("age", "quasi-identifier", "integer")
    assert column["hierarchy"] == {"intervals": [5, 10, 20, 40]}
    assert [column["name"] for column in told["columns"] if not column["sure"]] == ["thing"]
    assert Spec.from_yaml("spec.yaml").privacy[0].k == 3


def test_a_spec_that_is_there_stays(people, shoal):
    Path("people.spec.yaml").write_text("mine")
    ran = shoal("init", people)
    assert (ran.code, ran.out) == (2, "")
    assert "--force" in ran.err
    assert Path("people.spec.yaml").read_text() == "mine"
    assert shoal("init", people, "--force").code == 0
    assert Path("people.spec.yaml").read_text().startswith("# Proposed")


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("a.csv.gz", "a.spec.yaml"),
        ("a.b.parquet", "a.b.spec.yaml"),
        ("a", "a.spec.yaml"),
        (".csv", ".csv.spec.yaml"),
    ],
)
def test_what_a_spec_is_called(name, spec):
    assert f"{shoal.cli.init._stem(Path('folder', name))}.spec.yaml" == spec


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["absent.csv"], "does not exist"),
        (["people.csv", "-k", 0], "k-anonymity"),
        (["people.csv", "--output", "people.csv", "--force"], "same file"),
        (["people.csv", "--output", "absent/spec.yaml"], "folder"),
        (["people.csv", "--encoding", "utf-17"], "encoding"),
    ],
)
def test_wrong_use(people, shoal, arguments, words):
    before = people.read_bytes()
    ran = shoal("init", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert people.read_bytes() == before
    assert sorted(path.name for path in people.parent.iterdir()) == ["people.csv"]


def test_no_quasi_identifier(people, shoal):
    Path("ids.csv").write_text("id\n" + "".join(f"x{row}\n" for row in range(60)))
    ran = shoal("init", "ids.csv")
    assert ran.code == 2
    assert "a record's number" in ran.out
    assert "--interactive" in ran.err
    assert not Path("ids.spec.yaml").exists()


def test_ragged_and_undecodable_files(people, shoal):
    Path("ragged.csv").write_text("a,b\n1,2\nsecret,3,4\n")
    Path("latin.csv").write_bytes("ort,x\nKöln,1\nUlm,2\n".encode("latin-1"))
    for name in ("ragged.csv", "latin.csv"):
        ran = shoal("init", name)
        assert (ran.code, ran.out) == (2, "")
        assert name in ran.err
        assert "secret" not in ran.err
    assert shoal("init", "latin.csv", "--encoding", "latin-1").code == 0
    assert Spec.from_yaml("latin.spec.yaml").input.encoding == "latin-1"
    assert shoal("anonymize", "latin.csv", "--spec", "latin.spec.yaml", "--output", "out.csv").code == 0


def test_what_stands_for_null(people, shoal):
    Path("p.csv").write_text("age,sex\n" + "31,F\nNA,M\n" * 30)
    assert shoal("init", "p.csv", "--null-value", "NA", "--null-value", "").code == 0
    spec = Spec.from_yaml("p.spec.yaml")
    assert spec.input.null_values == ("NA", "")
    assert shoal("anonymize", "p.csv", "--spec", "p.spec.yaml", "--output", "out.csv").code == 0


def test_interactive(people, shoal, monkeypatch):
    answer(monkeypatch, "", "", "intervals:10,20", "q", "", "s", "in", "7")
    ran = shoal("init", people, "--interactive")
    assert (ran.code, ran.err) == (0, "")
    spec = Spec.from_yaml("people.spec.yaml")
    assert {name: role.value for name, role in spec.roles.items()} == {
        "id": "identifier",
        "age": "quasi-identifier",
        "sex": "quasi-identifier",
        "thing": "sensitive",
        "diagnosis": "insensitive",
    }
    assert spec.to_mapping()["columns"]["age"]["hierarchy"] == {"intervals": [10, 20]}
    assert spec.privacy[0].k == 7
    assert "Unsure" not in Path("people.spec.yaml").read_text()


def test_interactive_asks_again(people, shoal, monkeypatch):
    answer(monkeypatch, "i", "id", "", "{intervalls: [5]}", "{intervals: [5]}", "", "", "", "", "", "", "5")
    ran = shoal("init", people, "-i", "--json")
    assert ran.code == 0
    assert "'i' is not a role" in ran.err
    assert "Did you mean 'intervals'?" in ran.err
    assert json.loads(ran.out)["columns"][1]["hierarchy"] == {"intervals": [5]}


def test_all_roles_decided_by_hand(people, shoal, monkeypatch):
    Path("ids.csv").write_text("id\n" + "".join(f"x{row}\n" for row in range(60)))
    answer(monkeypatch, "quasi-identifier", "prefix:2", "5")
    assert shoal("init", "ids.csv", "-i").code == 0
    assert shoal("anonymize", "ids.csv", "--spec", "ids.spec.yaml", "--output", "out.csv").code == 0


def test_the_end_of_the_input_writes_nothing(people, shoal, monkeypatch):
    answer(monkeypatch, "", "")
    ran = shoal("init", people, "--interactive")
    assert ran.code == 130
    assert "nothing was written" in ran.err
    assert not Path("people.spec.yaml").exists()


def test_an_interrupt_writes_nothing(people, shoal, monkeypatch):
    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("shoal.suggestions.propose.profile_table", interrupt)
    ran = shoal("init", people)
    assert (ran.code, ran.out) == (130, "")
    assert [path.name for path in people.parent.iterdir()] == ["people.csv"]


def test_a_narrow_terminal_has_hierarchy_and_reason_below_each_column(capsys):
    header = ("Column", "Role", "Hierarchy", "Why")
    rows = [
        ("age", "quasi-identifier", "intervals: [5, 10]", "others may know it " * 5),
        ("id", "x", "-", "y"),
    ]
    print_entries(rows, header=header, width=60)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["Column  Role", "age     quasi-identifier", "  intervals: [5, 10]"]
    assert lines[-2:] == ["id      x", "  y"]
    assert max(map(len, lines)) <= 60
    print_entries(rows, header=header, width=200)
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_no_audit_is_advised_that_could_not_count_people(people, shoal):
    lines = [f"p{row % 30},{20 + row % 50},{'FM'[row % 2]}" for row in range(100)]
    people.write_text("\n".join(["patient_id,age,sex", *lines]) + "\n", encoding="utf-8")
    ran = shoal("init", "people.csv")
    assert "People" in ran.out
    assert "shoal anonymize" in ran.out
    assert "shoal audit" not in ran.out


def test_k_above_the_rows_is_refused(people, shoal):
    ran = shoal("init", "people.csv", "-k", "101")
    assert ran.code == 2
    assert "has 100 rows, less than k = 101" in ran.err
    assert not Path("people.spec.yaml").exists()


def test_possible_nulls_are_listed(people, shoal):
    jobs = ["cook", "smith", "?", "NA"]
    lines = [f"{'?' if row == 7 else 20 + row % 50};{jobs[row % 4]}" for row in range(100)]
    people.write_text("\n".join(["age;job", *lines]) + "\n", encoding="utf-8")
    ran = shoal("init", "people.csv")
    lines = [line.strip() for line in ran.out.splitlines()]
    first = next(number for number, line in enumerate(lines) if line.startswith("Possible NULLs"))
    assert lines[first].endswith("  ? in age, job (26 cells); NA in job (25 cells)")
    options = lines[first + 1].removeprefix("if so, add ")
    assert options == "--null-value '' --null-value '?' --null-value NA"
    ran = shoal("init", "people.csv", "--force", "--json", *shlex.split(options))
    assert (json.loads(ran.out)["null_like"], ran.code) == ([], 0)
    assert Spec.from_yaml("people.spec.yaml").input.null_values == ("", "?", "NA")
    assert shoal("anonymize", "people.csv", "--spec", "people.spec.yaml", "--output", "out.csv").code == 0


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_decimal_commas_from_the_table_to_the_audit(people, shoal, suffix):
    lines = [f"1,{50 + row % 40};{row % 4}.{row % 8:03},5" for row in range(200)]
    people.write_text("\n".join(["height;wage", *lines]).replace(";0.", ";1.") + "\n", encoding="utf-8")
    assert shoal("init", "people.csv").code == 0
    spec = Path("people.spec.yaml").read_text(encoding="utf-8")
    assert "wage: {role: sensitive, type: {decimal: ','}}" in spec
    closeness = "  - t-closeness: {column: wage, t: 0.9, distance: ordered}\n"
    spec = spec.replace("  - k-anonymity: 5\n", f"  - k-anonymity: 5\n{closeness}")
    Path("own.yaml").write_text(spec, encoding="utf-8")
    release = f"out.{suffix}"
    assert shoal("anonymize", "people.csv", "--spec", "own.yaml", "--output", release).code == 0
    ran = shoal("audit", release, "--spec", "own.yaml", "--original", "people.csv")
    assert ran.code == 0
    assert "0.9-closeness of wage, ordered" in ran.out


def test_a_first_line_of_values_is_refused(people, shoal):
    lines = [f"{20 + row % 50},{'FM'[row % 2]},{row % 7}" for row in range(100)]
    people.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert "looks like data, not like a header" in shoal("init", "people.csv").err
    assert "column_1" in shoal("init", "people.csv", "--no-header").out


@pytest.fixture
def orders(people):
    """Two columns that cross: nothing in the table shows which of them is the person's."""
    lines = [f"c{row % 40:02d},s{row // 6:02d},{row % 9 * 10}" for row in range(240)]
    Path("orders.csv").write_text("\n".join(["buyer,seller,amount", *lines]) + "\n", encoding="utf-8")


def test_who_a_row_is_about_is_asked_and_the_spec_does_not_run_before(orders, shoal):
    ran = shoal("init", "orders.csv", "-k", "3", "--qi", "amount=intervals:45")
    assert (ran.code, ran.err) == (0, "")
    assert "who is a row about?" in ran.out.splitlines()[-4]
    commands = [shlex.split(line) for line in ran.out.splitlines() if line.startswith("  shoal ")]
    refused = shoal("anonymize", "orders.csv", "--spec", "orders.spec.yaml", "--output", "out.csv")
    assert refused.code == 2
    assert "Nobody has decided who a row is about" in refused.err
    assert "--unit none" in refused.err
    assert not Path("out.csv").exists()
    answers = ["buyer", "seller", "none"]
    assert [command[command.index("--unit") + 1] for command in commands] == answers
    for command, said in zip(commands, answers, strict=True):
        assert shoal(*command[1:]).code == 0
        spec = Spec.from_yaml("orders.spec.yaml")
        assert (spec.unit or "none", spec.privacy[0].k) == (said, 3)
        assert spec.quasi_identifiers["amount"].hierarchy.to_spec() == {"intervals": [45]}
        ran = shoal("anonymize", "orders.csv", "--spec", "orders.spec.yaml", "--output", "out.csv")
        assert ran.code == 0


def test_who_a_row_is_about_in_json_and_by_hand(orders, shoal, monkeypatch):
    told = json.loads(shoal("init", "orders.csv", "--json").out)
    assert (told["unit"], told["undecided"]) == (None, ["buyer", "seller"])
    assert "who is a row about?" in told["question"]
    answer(monkeypatch, "byer", "buyer", "", "", "q", "", "5")
    ran = shoal("init", "orders.csv", "--interactive", "--force")
    assert ran.code == 0
    assert "Did you mean 'buyer'" in ran.out + ran.err
    assert Spec.from_yaml("orders.spec.yaml").unit == "buyer"
    ran = shoal("init", "orders.csv", "--unit", "sellr", "--force")
    assert (ran.code, ran.out) == (2, "")
    assert "Did you mean 'seller'" in ran.err


def test_chosen_roles_and_what_would_come_out(people, shoal):
    ran = shoal(
        *("init", "people.csv", "--qi", "age=intervals:10,20,thing", "--qi", "agee", "--drop", "*ng"),
        *("--sensitive", "sx", "--unit", "none"),
    )
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("No column is") == 2
    ran = shoal(
        *("init", "people.csv", "--qi", "age=intervals:10,20", "--qi", "diag*", "--drop", "thing,sex"),
        *("--insensitive", "id"),
    )
    assert (ran.code, ran.err) == (0, "")
    assert "Your choice  id: it is released unchanged, though identifier was proposed" in ran.out
    spec = Spec.from_yaml("people.spec.yaml")
    assert {name: role.value for name, role in spec.roles.items()} == {
        "id": "insensitive",
        "age": "quasi-identifier",
        "sex": "drop",
        "thing": "drop",
        "diagnosis": "quasi-identifier",
    }
    (line,) = [line for line in ran.out.splitlines() if line.startswith("Tried with k = 5: ")]
    assert "2 of 2 quasi-identifiers keep detail" in line
    assert "refused: Column 'id' is released unchanged and singles people out" in line
    refused = shoal("anonymize", "people.csv", "--spec", "people.spec.yaml", "--output", "out.csv")
    assert "Column 'id' is released unchanged and singles people out" in refused.err
    told = json.loads(shoal("init", "people.csv", "--json", "--force").out)["trial"]
    assert told["outcome"]["columns"] == ["age", "sex", "thing"]
    assert told["sentence"].startswith("with k = 5: ")


def test_interactive_goes_back_and_decides_the_rest(people, shoal, monkeypatch):
    answer(monkeypatch, "back", "", "s", "back", "", "back", "q", "intervals:10", "rest", "4")
    ran = shoal("init", people, "--interactive")
    assert (ran.code, ran.err) == (0, "")
    assert "This is the first question." in ran.out
    assert "a9 (10 rows), a99 (90 rows)" not in ran.out
    assert "a99 (90 rows), a9 (10 rows)" in ran.out
    assert "p17" not in ran.out
    assert "A (100 rows); such as F (50 rows), M (50 rows)" in ran.out
    assert "3 columns: keep their proposals." in ran.out
    spec = Spec.from_yaml("people.spec.yaml")
    assert spec.to_mapping()["columns"]["age"]["hierarchy"] == {"intervals": [10]}
    assert spec.proposed  # nobody has looked at the rest
    assert spec.quasi_identifiers["thing"].min_level == 1
    answer(monkeypatch, "", "d", "d", "", "", "d rest", "4")
    assert shoal("init", people, "--interactive", "--force").code == 0
    spec = Spec.from_yaml("people.spec.yaml")
    assert (spec.drop, spec.proposed) == (("age", "sex", "diagnosis"), False)
    assert spec.quasi_identifiers["thing"].min_level == 1


def test_two_tables(people, shoal):
    lines = [f"v{row},p{row % 90},2024-{row % 12 + 1:02d}-01" for row in range(400)]
    Path("visits.csv").write_text("\n".join(["visit,patient,visit_date", *lines]) + "\n", encoding="utf-8")
    people.write_text(people.read_text().replace("id,", "patient,", 1), encoding="utf-8")
    ran = shoal("init", "people.csv", "visits.csv")
    assert (ran.code, ran.err) == (0, "")
    assert (
        "patient of people.csv is patient of visits.csv: 90 of 100 rows and 400 of 400 rows meet" in ran.out
    )
    assert ran.out.count("Tried with k = 5") == 2
    assert Spec.from_yaml("visits.spec.yaml").unit == "patient"
    told = json.loads(shoal("init", "people.csv", "visits.csv", "--json", "--force", "--unit", "none").out)
    assert told["join"]["meeting_rows"] == [90, 400]
    assert [table["unit"] for table in told["tables"]] == [None, None]
    assert "in neither table" in shoal("init", "people.csv", "visits.csv", "--force", "--unit", "x").err
    assert "two tables" in shoal("init", "people.csv", "visits.csv", "--output", "x.yaml").err
