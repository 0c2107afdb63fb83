"""The attacker reads the column names of a release, or an error message that somebody pasted into a ticket.

The publisher has a CSV file or an Excel sheet without a header. If its first row is taken for one, the first
patient is published as the names of the columns, and every message that lists columns shows the patient.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from shoal import KAnonymity, Spec, anonymize
from shoal.errors import InputError
from shoal.read import InputFormat, open_source
from shoal.read.header import first_row, names_of

PATIENT = ("Zoe Secret", "91", "F", "02139", "HIV")
NAMES = ("name", "age", "sex", "zip", "diagnosis")


def others(count: int) -> list[tuple[str, ...]]:
    draw = random.Random(7)
    return [
        (
            f"Person {draw.random()}",
            str(draw.randint(20, 60)),
            draw.choice("FM"),
            draw.choice(["02139", "02140"]),
            draw.choice(["flu", "HIV", "cold"]),
        )
        for _ in range(count)
    ]


def lines(rows: list[tuple[str, ...]]) -> str:
    return "".join(",".join(row) + "\n" for row in rows)


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "bare.csv"
    path.write_text(lines([PATIENT, *others(40)]), encoding="utf-8")
    return path


def hides_the_patient(text: str) -> bool:
    return not any(value in text for value in ("Zoe", "91", "02139", "HIV"))


COMMANDS = {
    "init": ("init", "bare.csv"),
    "anonymize": ("anonymize", "bare.csv", "--qi", "age", "-k", 2, "-o", "release.csv", "--drop-undeclared"),
    "anonymize in DuckDB": (
        *("anonymize", "bare.csv", "--engine", "duckdb", "--qi", "age", "-k", 2, "-o", "release.csv"),
        "--drop-undeclared",
    ),
    "risk": ("risk", "bare.csv", "--qi", "sex"),
    "utility": ("utility", "bare.csv", "bare.csv", "--qi", "sex"),
    "audit": ("audit", "bare.csv", "--qi", "sex", "-k", 2),
    "audit of a near name": ("audit", "bare.csv", "--qi", "Zoe Secre", "-k", 2),
}


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_no_command_takes_a_patient_for_names(arguments, bare, shoal):
    ran = shoal(*arguments)
    assert ran.code == 2
    assert hides_the_patient(ran.out + ran.err.replace("Zoe Secre'", ""))
    assert "header" in ran.err
    assert not Path("release.csv").exists()


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_with_made_up_names_nobody_is_lost(engine, bare, shoal):
    assert shoal("init", "bare.csv", "--no-header", "-o", "spec.yaml").code == 0
    assert "header: false" in Path("spec.yaml").read_text(encoding="utf-8")
    options = ("--qi", "column_3", "-k", 2, "--drop-undeclared", "--engine", engine)
    assert shoal("anonymize", "bare.csv", "--no-header", *options, "-o", "release.csv").code == 0
    released = Path("release.csv").read_text(encoding="utf-8").splitlines()
    assert released[0] == "column_3"
    assert len(released) == 1 + 41
    assert shoal("audit", "release.csv").code == 0
    assert shoal("risk", "bare.csv", "--no-header", "--qi", "column_3").code == 0
    assert shoal("utility", "bare.csv", "release.csv", "--no-header", "--qi", "column_3").code == 0


def test_a_spec_says_it_too(bare):
    text = (
        "input: {header: false}\ncolumns: {column_3: {role: quasi-identifier}}\nprivacy: [k-anonymity: 2]\n"
    )
    (bare.parent / "spec.yaml").write_text(text, encoding="utf-8")
    release = anonymize(bare, Spec.from_yaml(bare.parent / "spec.yaml"), drop_undeclared=True)
    assert release.table.num_rows == 41


def test_who_says_that_it_is_a_header_is_believed(tmp_path):
    path = tmp_path / "years.csv"
    path.write_text("age,7\n31,12\n42,7\n", encoding="utf-8")
    with pytest.raises(InputError, match="looks like data"):
        open_source(path)
    assert open_source(path, InputFormat(header=True)).columns == ("age", "7")


def test_no_file_of_several_may_lack_the_header(tmp_path):
    folder = tmp_path / "visits"
    folder.mkdir()
    (folder / "a.csv").write_text(lines([NAMES, *others(20)]), encoding="utf-8")
    (folder / "b.csv").write_text(lines([PATIENT, *others(20)]), encoding="utf-8")
    spec = Spec(quasi_identifiers={"sex": "suppress"}, privacy=[KAnonymity(2)])
    with pytest.raises(InputError, match="different headers") as refused:
        anonymize(str(folder / "*.csv"), spec, drop_undeclared=True)
    assert hides_the_patient(str(refused.value))


def test_several_files_without_headers_are_one_table(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text(lines(others(20)), encoding="utf-8")
    spec = Spec(
        quasi_identifiers={"column_3": "suppress"}, privacy=[KAnonymity(2)], input=InputFormat(header=False)
    )
    release = anonymize(str(tmp_path / "*.csv"), spec, drop_undeclared=True)
    assert release.table.num_rows == 40


def test_a_sheet_without_a_header_is_refused(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in ([PATIENT[0], *PATIENT[2:]], *([row[0], *row[2:]] for row in others(20))):
        book.active.append(row)
    book.save(tmp_path / "bare.xlsx")
    with pytest.raises(InputError, match="looks like data") as refused:
        open_source(tmp_path / "bare.xlsx")
    assert hides_the_patient(str(refused.value))
    source = open_source(tmp_path / "bare.xlsx", InputFormat(header=False))
    assert source.read(["column_1"], coded=()).num_rows == 21


def test_a_sheet_without_cells_has_no_columns(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    openpyxl.Workbook().save(tmp_path / "empty.xlsx")
    with pytest.raises(InputError, match="has no cells"):
        open_source(tmp_path / "empty.xlsx", InputFormat(header=False))


def test_numbers_in_the_header_of_a_sheet_are_names_if_somebody_says_so(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["country", 2019, 2020], ["Chad", 12, 7], ["Peru", 3, 9]):
        book.active.append(row)
    book.save(tmp_path / "years.xlsx")
    with pytest.raises(InputError, match="use --header"):
        open_source(tmp_path / "years.xlsx")
    source = open_source(tmp_path / "years.xlsx", InputFormat(header=True))
    assert source.read(["2019"], coded=()).to_pydict() == {"2019": [12, 3]}


def test_a_release_without_a_header_can_be_extended(tmp_path, shoal, monkeypatch):
    """What the message recommends is an option of the command."""
    monkeypatch.chdir(tmp_path)
    rows = [PATIENT, *others(80)]
    Path("first.csv").write_text(lines(rows[:50]), encoding="utf-8")
    Path("later.csv").write_text(lines(rows[50:]), encoding="utf-8")
    Path("spec.yaml").write_text(
        "columns:\n  column_1: {role: identifier}\n  column_2: {role: identifier}\n"
        "  column_3: {role: quasi-identifier}\n  column_4: {role: quasi-identifier}\n"
        "  column_5: {role: sensitive}\nprivacy: [{k-anonymity: 2}]\nsuppression: 0.5\n",
        encoding="utf-8",
    )
    made = shoal("anonymize", "first.csv", "--spec", "spec.yaml", "--no-header", "-o", "release.csv")
    assert made.code == 0, made.err
    extending = ("extend", "release.csv.manifest.json", "later.csv", "--original", "first.csv", "--check")
    refused = shoal(*extending)
    assert refused.code == 2
    assert "--no-header" in refused.err
    assert hides_the_patient(refused.err)
    assert shoal(*extending, "--no-header").code == 0
    assert shoal("compare", "first.csv", "spec.yaml", "--no-header", "-k", "2,3").code == 0
    refused = shoal("compare", "first.csv", "spec.yaml", "-k", "2,3")
    assert refused.code == 2
    assert hides_the_patient(refused.err)


def test_a_first_row_that_is_undecided_is_not_shown(tmp_path, shoal):
    """Two rows of text show nothing: the first row is taken for names, and no message lists them."""
    path = tmp_path / "words.csv"
    path.write_text("Zoe,Zoe,Boston\nBob,Rossi,Lima\n", encoding="utf-8")
    assert "Zoe" not in shoal("init", path).err
    path.write_text("Zoe,Secret,Boston\nBob,Rossi,Lima\n", encoding="utf-8")
    for arguments in (
        ("risk", path, "--qi", "Zoee"),
        ("audit", path, "--qi", "Bostn", "-k", 2),
        ("utility", path, path, "--qi", "Secre"),
        ("anonymize", path, "--qi", "Secre", "-k", 2, "-o", tmp_path / "out.csv"),
        ("utility", path, path, "--target", "Secre"),
    ):
        ran = shoal(*arguments)
        assert ran.code == 2
        assert not any(
            f"{value}'" in ran.err or f"{value}," in ran.err for value in ("Zoe", "Secret", "Boston")
        )


@pytest.mark.parametrize(
    ("first", "below"),
    [
        (["country", "2019", "2020", "2021"], [["Chad", "3", "5", "8"], ["Peru", "1", "4", "9"]]),
        (["region", "1/22/20", "1/23/20"], [["Hubei", "444", "445"], ["Rome", "0", "2"]]),
        (["id", "2020-01", "2020-02"], [["P1", "7", "2"], ["P2", "1", "5"]]),
        (["name"], [["Ann"], ["Bob"]]),
        (["word", "meaning"], [["cat", "an animal"], ["oak", "a tree"]]),
        (["q1", "q2", "q10"], [["yes", "no", ""], ["no", "no", "yes"]]),
        (["age", "age_2"], [["31", "32"], ["NA", "41"]]),
        (["icd10", "plz"], [["E11.9", "80331"], ["I10.0", "10115"]]),
    ],
)
def test_headers_raise_no_alarm(first, below):
    assert not first_row(first, below).is_data


@pytest.mark.parametrize(
    ("first", "below"),
    [
        (["34"], [["51"], ["29"]]),
        (["P0001", "flu"], [["P0002", "cold"], ["P0003", "HIV"]]),
        (["a@b.org", "Zoe"], [["c@d.org", "Bob"]]),
        (["1.2.1950", "Zoe"], [["3.4.1961", "Bob"]]),
        (["Zoe", "F"], [["Bob", "M"], ["Ann", "F"]]),
        (["Zoe", "34"], []),
        (["unknown", "34", "F"], [["51", "29", "M"], ["44", "33", "F"]]),
        (["E11.9", "Zoe"], [["I10.0", "Bob"], ["J45.1", "Ann"]]),
    ],
)
def test_patients_are_found(first, below):
    with pytest.raises(InputError, match="looks like data") as refused:
        names_of(first, below, header=None, source="The first row")
    assert not any(len(value) > 2 and value in str(refused.value) for value in first)
