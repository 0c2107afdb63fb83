"""`shoal hierarchy` and `shoal import`."""

import json
import zipfile

import pytest

from shoal import registry

PEOPLE = "age,sex,income\n34,F,high\n37,F,low\n,M,low\n51,M,high\n58,M,high\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "age.csv").write_text("34;30s;*\n37;30s;*\n51;50s;*\n58;50s;*\n99;90s;*\n")
    (tmp_path / "sex.csv").write_text("F;*\nM;*\n")
    return tmp_path


OF_AGE = ("--data", "people.csv", "--column", "age")


def test_build_writes_what_can_be_read_again(shoal, folder):
    ran = shoal("hierarchy", "build", "intervals:10,20", *OF_AGE, "--output", "out.csv")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "out.csv: 3 levels above the values, labels by level: 4, 2, 2, 1",
        "Note: The file lists all values of the column: do not publish it with a release.",
        "Note: NULL has no row. It keeps its own label below the top in every hierarchy.",
    ]
    assert (folder / "out.csv").read_text().splitlines() == [
        "34;[30, 40);[20, 40);*",
        "37;[30, 40);[20, 40);*",
        "51;[50, 60);[40, 60);*",
        "58;[50, 60);[40, 60);*",
    ]
    assert shoal("hierarchy", "check", "out.csv", *OF_AGE).code == 0


def test_build_makes_what_is_made_from_the_table(shoal, folder):
    ran = shoal("hierarchy", "build", "{quantiles: [2]}", *OF_AGE, "-o", "out.csv")
    assert ran.code == 0, ran.err
    assert len((folder / "out.csv").read_text().splitlines()) == 4
    ran = shoal("hierarchy", "build", "clusters", "--target", "income", *OF_AGE, "-o", "groups.csv")
    assert ran.code == 0, ran.err


def test_build_as_a_taxonomy(shoal, folder):
    assert shoal("hierarchy", "build", "intervals:10", *OF_AGE, "-o", "out.json").code == 0
    assert json.loads((folder / "out.json").read_text()) == {
        "[30, 40)": ["34", "37"],
        "[50, 60)": ["51", "58"],
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("intervals:ten", *OF_AGE, "-o", "out.csv"), "intervals"),
        (("intervals:10", "--data", "people.csv", "--column", "aeg", "-o", "out.csv"), "Did you mean 'age'?"),
        (("intervals:10", *OF_AGE, "-o", "out.parquet"), "must end in .csv, .yaml or .json"),
        (("intervals:10", *OF_AGE, "-o", "people.csv"), "same file as the input"),
        (("intervals:10", "--target", "sex", *OF_AGE, "-o", "out.csv"), "does not use a target"),
        (("intervals:10", "--data", "no.csv", "--column", "age", "-o", "out.csv"), "does not exist"),
        (("sex.csv", *OF_AGE, "-o", "out.csv"), "lacks 4 values"),
        (("intervals:10", *OF_AGE, "--missing-values", "any", "-o", "out.csv"), "'error', 'top' or 'own'"),
    ],
)
def test_what_cannot_be_built(shoal, folder, arguments, message):
    ran = shoal("hierarchy", "build", *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert not (folder / "out.csv").exists()
    assert (folder / "people.csv").read_text() == PEOPLE


def test_show_a_file_as_it_is(shoal):
    assert shoal("hierarchy", "show", "age.csv").out.splitlines()[:2] == [
        "value  level 1  level 2",
        "34     30s      *",
    ]
    drawn = shoal("hierarchy", "show", "age.csv", "--tree").out.splitlines()
    assert drawn[0] == "* (5 values)"
    assert drawn[1].endswith(" 30s (2 values)")


def test_show_hides_the_values_of_a_table(shoal):
    for extra in ((), ("--tree",)):
        ran = shoal("hierarchy", "show", "age.csv", *OF_AGE, *extra)
        assert "30s" in ran.out
        assert "34" not in ran.out
        assert "34" in shoal("hierarchy", "show", "age.csv", *OF_AGE, *extra, "--show-values").out
    assert "1 entry that the table does not use" in shoal("hierarchy", "check", "age.csv", *OF_AGE).out


def test_show_a_hierarchy_for_made_up_values(shoal):
    assert "level 5" in shoal("hierarchy", "show", "prefix:5").out
    ran = shoal("hierarchy", "show", "quantiles:4")
    assert ran.code == 2
    assert "--data DATA --column NAME" in ran.err


def test_show_ranges(shoal, folder):
    (folder / "ranges.txt").write_text("range\ntype int\nheight 2\n\n30,60 has 30,50 50,60\n")
    assert "[30, 50)" in shoal("hierarchy", "show", "ranges.txt").out
    assert "2       [30, 50)  [30, 60]" in shoal("hierarchy", "show", "ranges.txt", *OF_AGE).out


def test_check_says_all_at_once(shoal, folder):
    (folder / "age.csv").write_text("34;30s;*\n34;40s;*\n37;x;p\n51;x;q\n58;50s;*\n")
    ran = shoal("hierarchy", "check", "age.csv")
    assert ran.code == 2
    assert "1 value has several rows with different labels.\nFound: lines 1 and 2." in ran.err
    assert "Found: 'x' under 'p' and 'q'." in ran.err
    assert "34" not in ran.err
    (folder / "age.csv").write_text("34;30s\n34;30s\n37;30s\n51;50s\n99;90s\n")
    ran = shoal("hierarchy", "check", "age.csv", *OF_AGE)
    assert ran.code == 2
    assert "Column 'age': the hierarchy 'age.csv' lacks 1 value that the table has." in ran.err
    assert "58" not in ran.err
    assert "58" in shoal("hierarchy", "check", "age.csv", *OF_AGE, "--show-values").err


def test_check_prints_notes(shoal, folder):
    (folder / "age.csv").write_text("34;30s\n34;30s\n37;30s\n51;50s\n58;50s\n99;90s\n")
    ran = shoal("hierarchy", "check", "age.csv", *OF_AGE)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[2:] == [
        "Note: column 'age': 1 row of the hierarchy 'age.csv' is a repetition.",
        "Note: column 'age': the hierarchy 'age.csv' has 3 labels at its top, so none covers everything.",
        "Note: column 'age': its hierarchy has 1 entry that the table does not use.",
    ]
    assert "No errors.\nNote: 1 row" in shoal("hierarchy", "check", "age.csv").out


SPEC = """\
columns:
  age:    {role: quasi-identifier, hierarchy: {file: age.csv}}
  sex:    {role: quasi-identifier, hierarchy: {file: sex.csv}}
  income: {role: sensitive}
privacy: [k-anonymity: 2]
"""


def test_check_all_columns_of_a_spec(shoal, folder):
    (folder / "spec.yaml").write_text(SPEC)
    ran = shoal("hierarchy", "check", "--spec", "spec.yaml", "--data", "people.csv")
    assert (ran.code, ran.err) == (0, "")
    assert [line.split()[0] for line in ran.out.splitlines()[:3]] == ["Column", "age", "sex"]
    (folder / "age.csv").write_text("1;*\n")
    (folder / "sex.csv").write_text("F;*\n")
    ran = shoal("hierarchy", "check", "--spec", "spec.yaml", "--data", "people.csv")
    assert ran.code == 2
    assert "Column 'age'" in ran.err and "Column 'sex'" in ran.err


def test_check_needs_something_to_check(shoal):
    assert "Nothing to check given." in shoal("hierarchy", "check").err
    assert "--data DATA" in shoal("hierarchy", "check", "--spec", "no.yaml").err
    assert "go together" in shoal("hierarchy", "check", "age.csv", "--data", "people.csv").err


def test_convert_between_formats(shoal, folder):
    (folder / "job.txt").write_text("distinct\nname job\nheight 3\n\na has b c\nd has e\n\n* has a d\n")
    assert shoal("hierarchy", "convert", "job.txt", "job.csv").code == 0
    assert (folder / "job.csv").read_text() == "b;a;*\nc;a;*\ne;d;*\n"
    assert shoal("hierarchy", "convert", "job.csv", "job.yaml").code == 0
    assert (folder / "job.yaml").read_text() == "a:\n- b\n- c\nd:\n- e\n"
    assert shoal("hierarchy", "convert", "job.yaml", "again.csv").code == 0
    assert (folder / "again.csv").read_bytes() == (folder / "job.csv").read_bytes()


def test_convert_ranges_takes_the_values_of_a_table(shoal, folder):
    (folder / "ranges.txt").write_text("range\ntype int\nheight 2\n\n30,60 has 30,50 50,60\n")
    ran = shoal("hierarchy", "convert", "ranges.txt", "out.csv")
    assert ran.code == 2
    assert "--data DATA --column NAME" in ran.err
    assert shoal("hierarchy", "convert", "ranges.txt", "out.csv", *OF_AGE).code == 0
    assert (folder / "out.csv").read_text().splitlines()[0] == "34;[30, 50);[30, 60]"


def test_convert_what_no_taxonomy_can_say(shoal, folder):
    (folder / "x.csv").write_text("a;other;p;*\nb;other2;q;*\nc;p;q;*\n")
    ran = shoal("hierarchy", "convert", "x.csv", "x.yaml")
    assert ran.code == 2
    assert "Write it as CSV" in ran.err
    assert not (folder / "x.yaml").exists()


def test_convert_anjana_by_column(shoal, folder):
    (folder / "x.json").write_text(json.dumps({"a": {0: ["x"], 1: ["*"]}, "b": {0: ["y"], 1: ["*"]}}))
    assert "columns: a, b" in shoal("hierarchy", "convert", "x.json", "x.csv").err
    assert shoal("hierarchy", "convert", "x.json", "x.csv", "--column", "b", "--from", "anjana").code == 0
    assert (folder / "x.csv").read_text() == "y;*\n"


def test_all_builders_are_listed(shoal):
    ran = shoal("hierarchy", "list")
    assert [line.split()[0] for line in ran.out.splitlines()[1:]] == list(registry.names("hierarchies"))
    listed = json.loads(shoal("hierarchy", "list", "--json").out)
    assert {each["name"] for each in listed} == set(registry.names("hierarchies"))


@pytest.mark.parametrize("name", registry.names("hierarchies"))
def test_every_builder_has_a_page(shoal, name):
    ran = shoal("hierarchy", "list", name)
    assert (ran.code, ran.err) == (0, "")
    assert "\n  shoal." in ran.out
    in_a_spec = f"hierarchy: {name}" in ran.out or f"hierarchy: {{{name}: " in ran.out
    assert in_a_spec == (name != "function")


def test_import_a_project(shoal, folder):
    with zipfile.ZipFile(folder / "x.deid", "w") as archive:
        archive.writestr(
            "input/definition.xml",
            "<definition><assigment><name>age</name><type>QUASI_IDENTIFYING_ATTRIBUTE</type>"
            "<ref>hierarchies/age.csv</ref></assigment></definition>",
        )
        archive.writestr("input/config.xml", "<config><criterion>2-anonymity</criterion></config>")
        archive.writestr("input/hierarchies/age.csv", "34;*\n37;*\n")
        archive.writestr("data/input.csv", "age\n34\n37\n")
    ran = shoal("import", "x.deid", "--output", "study")
    assert (ran.code, ran.err) == (0, "")
    assert "the criterion '2-anonymity'" in ran.out
    ran = shoal("anonymize", "study/data.csv", "--spec", "study/spec.yaml", "--output", "release.csv")
    assert ran.code == 0, ran.err
    assert shoal("import", "x.deid", "--output", "study").code == 2
    assert shoal("import", "x.deid", "--output", "study", "--force").code == 0
    assert shoal("import", "people.csv", "--output", "other").code == 2


def test_what_is_there_stays(shoal, folder):
    for command in (
        ("build", "intervals:10", *OF_AGE, "--output", "sex.csv"),
        ("convert", "age.csv", "sex.csv"),
    ):
        ran = shoal("hierarchy", *command)
        assert (ran.code, (folder / "sex.csv").read_text()) == (2, "F;*\nM;*\n")
        assert "Use --force" in ran.err
        assert shoal("hierarchy", *command, "--force").code == 0
        (folder / "sex.csv").write_text("F;*\nM;*\n")


def test_a_value_that_keeps_its_own_label_is_not_shown(shoal, folder):
    (folder / "jobs.csv").write_text("job\nnurse\ncook\nspy\nspook\n")
    (folder / "groups.csv").write_text("nurse;care;*\ncook;food;*\n")
    asked = ("groups.csv", "--data", "jobs.csv", "--column", "job", "--missing-values", "own")
    for shape in ((), ("--tree",)):
        ran = shoal("hierarchy", "show", *asked, *shape)
        assert (ran.code, "sp" in ran.out, "(own label)" in ran.out) == (0, False, True)
        assert "spook" in shoal("hierarchy", "show", *asked, *shape, "--show-values").out
