"""Everything that is refused, tried on the command line: a clear message, exit code, nothing written."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

PEOPLE = """\
name,age,zip,sex
Ann,31,53715,F
Bob,34,53710,M
Cid,38,53706,F
Dora,52,53703,M
"""
SPEC = """\
columns:
  name: {role: identifier}
  age: {role: quasi-identifier, hierarchy: {intervals: [10, 20]}}
  zip: {role: quasi-identifier, hierarchy: {prefix: 5}}
  sex: {role: quasi-identifier, hierarchy: {file: sex.csv}}
privacy:
  - k-anonymity: 2
suppression: 0.25
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "spec.yaml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "sex.csv").write_text("F;*\nM;*\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def people(old: str, new: str) -> Callable[[Path], None]:
    return lambda folder: replace(folder / "people.csv", old, new)


def spec(old: str, new: str) -> Callable[[Path], None]:
    return lambda folder: replace(folder / "spec.yaml", old, new)


def sex(old: str, new: str) -> Callable[[Path], None]:
    return lambda folder: replace(folder / "sex.csv", old, new)


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8", newline="")


def latin(folder: Path) -> None:
    (folder / "people.csv").write_bytes(PEOPLE.replace("Dora", "Døra").encode("latin-1"))


def nothing(folder: Path) -> None:
    pass


FILE = ("people.csv", "--spec", "spec.yaml", "--output", "out.csv")
SHORT = ("people.csv", "--output", "out.csv", "--identifier", "name")


CASES = {
    "missing input": (
        nothing,
        ("peple.csv", *FILE[1:]),
        2,
        ["File 'peple.csv' does not exist.", "Did you mean 'people.csv'?"],
    ),
    "missing spec": (
        nothing,
        ("people.csv", "--spec", "spec.yml", *FILE[3:]),
        2,
        ["Did you mean 'spec.yaml'?"],
    ),
    "missing hierarchy": (
        spec("sex.csv", "sexes.csv"),
        FILE,
        2,
        ["Column 'sex'", "sexes.csv' does not exist.", "Did you mean 'sex.csv'?"],
    ),
    "encoding": (
        latin,
        FILE,
        2,
        ["'people.csv' is not utf-8 text.\nFound: the first invalid byte in line 5, character 2.", "cp1252"],
    ),
    "ragged rows": (
        lambda folder: (
            people("38,53706,F", "38,53706")(folder),
            people("31,53715,F", "31,53715,F,x")(folder),
        ),
        FILE,
        2,
        ["2 rows with another number of cells", "line 2 has 5 cells, line 4 has 3 cells"],
    ),
    "duplicate columns": (
        people("name,age,zip,sex", "name,age,age,name"),
        FILE,
        2,
        ["repeats column names: 'name' (2 times), 'age' (2 times)."],
    ),
    "missing columns": (
        people("name,age,zip,sex", "name,aeg,zipp,sex"),
        FILE,
        2,
        [
            "Column 'age' is not in the table.\nColumns: name, aeg, zipp, sex.\nDid you mean 'aeg'?",
            "Column 'zip' is not in the table.",
        ],
    ),
    "undeclared columns": (
        spec("  name: {role: identifier}\n", ""),
        FILE,
        2,
        ["no role for 1 column of the table", "Undeclared: name.", "--keep-undeclared or --drop-undeclared"],
    ),
    "values that hierarchies lack": (
        lambda folder: (sex("M;*\n", "")(folder), people("31", "thirty-one")(folder)),
        FILE,
        2,
        [
            "Column 'age': intervals need numbers.\nFound: 1 value",
            "Column 'sex': the hierarchy 'sex.csv' lacks 1 value",
        ],
    ),
    "levels that are not nested": (
        sex("F;*\nM;*\n", "F;a;x\nM;a;y\n"),
        FILE,
        2,
        ["Column 'sex'", "levels 1 and 2 are not nested: 1 label of level 1 has more than one parent."],
    ),
    "k below 1": (spec("k-anonymity: 2", "k-anonymity: 0"), FILE, 2, ["at least 1.\nFound: 0."]),
    "k below 1, short form": (nothing, (*SHORT, "-k", "0", "--qi", "age"), 2, ["at least 1.\nFound: 0."]),
    "k above the rows": (
        spec("k-anonymity: 2", "k-anonymity: 5"),
        FILE,
        3,
        [
            "No release satisfies k-anonymity 5",
            "only 4 rows",
            "k = 4 with this limit",
            "limit of 1 (every row) with k = 5",
        ],
    ),
    "infeasible levels": (
        lambda folder: (
            spec("[10, 20]}", "[10, 20]}, max-level: 1")(folder),
            spec("k-anonymity: 2", "k-anonymity: 4")(folder),
        ),
        FILE,
        3,
        ["k = 3 with this limit", "a suppression limit of 1 ", "The spec holds age below the top level"],
    ),
    "suppression": (
        spec("0.25", "25"),
        FILE,
        2,
        ["share of the rows, from 0 to 1.\nFound: 25", "write 0.02"],
    ),
    "suppression option": (nothing, (*FILE, "--suppression", "-0.1"), 2, ["from 0 to 1.\nFound: -0.1."]),
    "unknown keys": (
        lambda folder: (
            spec("suppression:", "supression:")(folder),
            spec("hierarchy: {prefix", "hierachy: {prefix")(folder),
        ),
        FILE,
        2,
        ["'supression'", "Did you mean 'suppression'?", "columns.zip.hierachy", "Did you mean 'hierarchy'?"],
    ),
    "no rows": (people(PEOPLE.partition("\n")[2], ""), FILE, 2, ["'people.csv' has no rows."]),
    "empty file": (people(PEOPLE, ""), FILE, 2, ["'people.csv' is empty."]),
    "output folder": (nothing, (*FILE[:-1], "there/out.csv"), 2, ["output folder 'there'", "does not exist"]),
    "output is a folder": (
        lambda folder: (folder / "out.csv").mkdir(),
        FILE,
        2,
        ["The output 'out.csv' cannot be written.\nA folder of that name already exists."],
    ),
    "output format": (nothing, (*FILE[:-1], "out.xls"), 2, ["The file format of 'out.xls' is not known."]),
    "output is the input": (
        nothing,
        (*FILE[:-1], "./people.csv"),
        2,
        ["It is the same file as 'people.csv'"],
    ),
    "output is a file of the spec": (
        nothing,
        (*FILE[:-1], "sex.csv"),
        2,
        ["The output 'sex.csv' cannot be written.", "which is in use"],
    ),
    "all nodes over the output": (
        nothing,
        (*FILE, "--all-nodes", "out.csv"),
        2,
        ["It is the same file as 'out.csv'"],
    ),
    "no quasi-identifier": (
        lambda folder: (folder / "spec.yaml").write_text(re.sub("quasi-identifier.*", "insensitive}", SPEC)),
        FILE,
        2,
        ["The spec has no quasi-identifier.\nGive at least one column that role."],
    ),
    "no quasi-identifier, short form": (nothing, (*SHORT, "-k", "2"), 2, ["-k with at least one --qi"]),
    "neither spec nor short form": (nothing, ("people.csv", "--output", "out.csv"), 2, ["Use --spec SPEC"]),
    "spec and short form": (nothing, (*FILE, "-k", "5", "--qi", "age"), 2, ["Found: --spec and -k, --qi."]),
    "unknown hierarchies": (
        nothing,
        (*SHORT, "-k", "2", "--qi", "age=interval:5", "--qi", "zip=prefx"),
        2,
        [
            "Unknown hierarchy 'interval' in --qi 'age=interval:5'.",
            "'intervals'?",
            "Unknown hierarchy 'prefx'",
        ],
    ),
    "a column twice": (
        nothing,
        (*SHORT, "-k", "2", "--qi", "age", "--qi", "age=prefix"),
        2,
        ["more than once"],
    ),
    "unknown measure": (
        nothing,
        (*FILE, "--quality", "los"),
        2,
        ["Unknown quality measure 'los'.", "'loss'?"],
    ),
    "unknown algorithm": (nothing, (*FILE, "--algorithm", "bux"), 2, ["Unknown algorithm 'bux'.", "'box'?"]),
    "unknown fate": (nothing, (*FILE, "--suppressed", "keep"), 2, ["'remove' or 'star'.\nFound: 'keep'."]),
    "forbidden NULL": (
        lambda folder: (
            spec("{prefix: 5}", "{prefix: 5}, null: forbid")(folder),
            people("53706", "")(folder),
        ),
        FILE,
        2,
        ["Column 'zip': NULL in 1 of"],
    ),
    "level bounds": (
        spec("[10, 20]}", "[10, 20]}, max-level: 9"),
        FILE,
        2,
        ["Column 'age': its hierarchy has levels 0 to 3, but the spec sets 0 to 9."],
    ),
    "level bounds by option": (
        nothing,
        (*FILE, "--levels", "age=1..9"),
        2,
        ["Column 'age': its hierarchy has levels 0 to 3, but the spec sets 1 to 9."],
    ),
    "levels and weights of no column": (
        nothing,
        (*FILE, "--levels", "agee=0", "--weight", "name=2"),
        2,
        [
            "Column 'agee' is not a quasi-identifier of the spec.\n"
            "Quasi-identifiers: age, zip, sex.\nDid you mean 'age'?",
            "Column 'name' is not a quasi-identifier of the spec.",
        ],
    ),
    "levels and weights that are no numbers": (
        nothing,
        (*FILE, "--levels", "age=low", "--levels", "sex", "--levels", "zip=-1", "--weight", "zip=much"),
        2,
        [
            "--levels 'age=low': a level is a whole number, or two with .. between them.\nFound: 'low'.",
            "--levels 'sex': a level",
            "--levels 'zip=-1': a level",
            "NAME=MIN..MAX",
            "--weight 'zip=much': a weight is a number.\nFound: 'much'.",
        ],
    ),
    "levels the wrong way round": (
        nothing,
        (*FILE, "--levels", "age=3..1"),
        2,
        ["Column 'age': the lowest level is above the highest.\nFound: 3 and 1."],
    ),
    "levels of a column twice": (
        nothing,
        (*FILE, "--levels", "age=1", "--levels", "age=2"),
        2,
        ["--levels 'age=2': column 'age' is given twice."],
    ),
    "weight": (
        nothing,
        (*FILE, "--weight", "age=0", "--weight", "sex=nan"),
        2,
        ["Column 'age': the weight must be a positive number", "Column 'sex': the weight"],
    ),
    "a model on a column that is not sensitive": (
        spec(
            "- k-anonymity: 2", "- l-diversity: {column: nam, l: 2}\n  - t-closeness: {column: age, t: 0.1}"
        ),
        FILE,
        2,
        [
            "needs a sensitive column, and 'nam' is not sensitive.\nSensitive columns: none.",
            "needs a sensitive column, and 'age' is not sensitive.",
        ],
    ),
    "parameters of models": (
        spec(
            "- k-anonymity: 2", "- t-closeness: {column: sex, t: 1.5}\n  - l-diversity: {column: sex, l: 0}"
        ),
        FILE,
        2,
        ["privacy.0: t-closeness needs a number t from 0 to 1.\nFound: 1.5.", "privacy.1: l-diversity needs"],
    ),
    "a population that is not there": (
        spec("- k-anonymity: 2", "- k-map: {k: 2, population: peple.csv}"),
        FILE,
        2,
        ["Population 'peple.csv': File", "Did you mean 'people.csv'?"],
    ),
    "a population without the people of the table": (
        lambda folder: (
            spec("- k-anonymity: 2", "- k-map: {k: 2, population: town.csv}")(folder),
            (folder / "town.csv").write_text("age,zip,sex\n31,53715,F\n", encoding="utf-8"),
        ),
        FILE,
        2,
        ["3 of 4 rows have quasi-identifiers that nobody in the population has.", "The population has 1."],
    ),
    "units": (
        lambda folder: (spec("suppression", "unit: name\nsuppression")(folder), people("Bob", "")(folder)),
        FILE,
        2,
        ["Column 'name', the unit, is NULL in 1 of 4 rows."],
    ),
    "an unknown unit": (
        spec("suppression", "unit: nam\nsuppression"),
        FILE,
        2,
        ["Column 'nam' is not in the table.", "Did you mean 'name'?"],
    ),
    "a target that is a quasi-identifier": (
        spec("suppression", "quality: {classification: {target: sex}}\nsuppression"),
        FILE,
        2,
        ["The measure classification cannot use column 'sex'.\nIts role: quasi-identifier."],
    ),
    "models of the short form": (
        nothing,
        (
            *SHORT,
            "-k",
            "0",
            "--privacy",
            "l-diversity: {column: x}",
            "--privacy",
            "k-map",
            "--qi",
            "age=prefx",
        ),
        2,
        [
            "Unknown hierarchy 'prefx' in --qi 'age=prefx'.",
            "k-anonymity needs a whole number k of at least 1.\nFound: 0.",
            "--privacy 'l-diversity: {column: x}': l-diversity lacks l.",
            "--privacy 'k-map': k-map needs a mapping with the keys k, population.",
        ],
    ),
    "a measure that is no measure": (
        nothing,
        (*FILE, "--quality", "loss: {aggregat: max}"),
        2,
        ["Unknown for loss: aggregat.", "Did you mean 'aggregate'?"],
    ),
    "no header": (
        people("name,age,zip,sex\n", ""),
        FILE,
        2,
        ["looks like data, not like a header", "--no-header"],
    ),
    "threads": (nothing, (*FILE, "--threads", "0"), 2, ["threads must be at least 1"]),
    "a budget for another algorithm": (
        nothing,
        (*FILE, "--algorithm", "flash", "--seconds", "5"),
        2,
        ["Only the algorithm 'best-first' has a budget.", "--seconds with the algorithm 'flash'"],
    ),
    "a budget of nothing": (
        nothing,
        (*FILE, "--algorithm", "best-first", "--seconds", "0", "--checks", "-1"),
        2,
        ["more than 0 seconds.\nFound: 0.0.", "at least 1 check.\nFound: -1."],
    ),
    "delimiter": (nothing, (*FILE, "--delimiter", ";;"), 2, ["The delimiter must be one ASCII character."]),
}


@pytest.mark.parametrize("case", CASES)
def test_is_refused(case, folder, shoal):
    spoil, arguments, code, expected = CASES[case]
    spoil(folder)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    ran = shoal("anonymize", *arguments)
    assert ran.code == code, ran.err
    assert ran.out == ""
    assert ran.err.startswith("Error: ")
    for part in expected:
        assert part in ran.err
    for secret in ("Ann", "thirty-one", "53715"):
        assert secret not in ran.err
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_values_are_shown_only_when_asked_for(folder, shoal):
    people("31", "thirty-one")(folder)
    assert "Values: 'thirty-one'." in shoal("anonymize", *FILE, "--show-values").err


@pytest.mark.parametrize(
    "arguments",
    [(), ("anonymize",), ("anonymize", "people.csv"), ("anonymise",), ("sample",), ("audit", "x.csv")],
)
def test_wrong_use_exits_with_2(arguments, folder, shoal):
    assert shoal(*arguments).code == 2


def test_the_good_case_is_good(folder, shoal):
    assert shoal("anonymize", *FILE).code == 0
    assert (folder / "out.csv").exists()
