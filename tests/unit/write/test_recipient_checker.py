"""The stand-alone checker: it passes on what Shoal writes, and says no to whatever was tampered with.

It runs as its readers run it: by itself, without site packages and without Shoal.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.unit.tampering import PEOPLE, TAMPERINGS, manifest_of, rewrite, spec, write

import shoal
from shoal import registry
from shoal.read.source import InputFormat
from shoal.write import recipient_checker

ROOT = Path(__file__).parents[3]
SOURCE = Path(recipient_checker.__file__).read_text(encoding="utf-8")


class Ran(NamedTuple):
    code: int
    said: dict[str, str]
    err: str


def check(release: Path, manifest: Path | None = None) -> Ran:
    told = manifest or release.with_name(f"{release.name}.manifest.json")
    program = release.with_name(f"{release.name}.checker.py")
    done = subprocess.run(
        [sys.executable, "-S", "-I", str(program), str(release), str(told)],
        capture_output=True,
        text=True,
        check=False,
    )
    said = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    return Ran(done.returncode, said, done.stderr)


def test_it_needs_nothing_and_an_old_python() -> None:
    tree = ast.parse(SOURCE, feature_version=(3, 8))
    imported = {
        name.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for name in node.names
    }
    imported |= {node.module.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported <= sys.stdlib_module_names
    assert len(SOURCE.splitlines()) < 480


def test_it_knows_every_recoding_of_ours() -> None:
    assert set(recipient_checker.KINDS) == set(registry.names("strategies"))


@pytest.mark.parametrize("suppressed", ["remove", "star"])
@pytest.mark.parametrize("name", ["release.csv", "release.csv.gz"])
def test_it_passes(tmp_path: Path, name: str, suppressed: str) -> None:
    release = write(tmp_path, suppressed, name)
    assert release.with_name(f"{name}.checker.py").read_text(encoding="utf-8") == SOURCE
    ran = check(release)
    assert (ran.code, ran.err) == (0, "")
    assert ran.said["k-anonymity 3"] == "holds, smallest class 3"
    assert ran.said["distinct 2-diversity of disease"] == "holds, fewest values 2"
    classes = 4 if suppressed == "star" else 3
    assert ran.said["class sizes as in the manifest"] == f"holds, {classes} classes"
    assert all(verdict.startswith("holds, ") for verdict in ran.said.values())


@pytest.mark.parametrize("suppressed", ["remove", "star"])
@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_it_says_no(tmp_path: Path, tampering: str, suppressed: str) -> None:
    if tampering == "rows suppressed" and suppressed == "star":
        pytest.skip("rows may have * as their label too: a starred class is checked whatever it is")
    TAMPERINGS[tampering](release := write(tmp_path, suppressed))
    ran = check(release)
    assert ran.code == 1
    assert "FAILS" in "".join(ran.said.values())


@pytest.mark.parametrize(
    ("tampering", "claim"),
    {
        "one class of k - 1, and the manifest fits": "k-anonymity 3",
        "a NULL class, and the manifest fits": "k-anonymity 3",
        "a changed cell": "SHA-256 as in the manifest",
        "a dropped row, and its hash": "rows as in the manifest",
        "a false k": "k-anonymity 10",
        "a false measured value": "k-anonymity 3",
        "a claim removed": "claims as in the spec",
        "a class size": "class sizes as in the manifest",
    }.items(),
)
def test_it_names_what_fails(tmp_path: Path, tampering: str, claim: str) -> None:
    TAMPERINGS[tampering](release := write(tmp_path))
    assert check(release).said[claim].startswith("FAILS, ")


NASTY = [
    "a,b",
    'say "hi"',
    "",
    None,
    "two\nlines",
    "carriage\rreturn",
    "größe",
    "日本",
    " * ",
    ";",
    "'",
    "\t",
    '"',
]


@pytest.mark.parametrize("name", ["release.csv", "release.csv.gz"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "^"])
@pytest.mark.parametrize("quote", ['"', "'"])
def test_cells_of_every_kind(tmp_path: Path, delimiter: str, quote: str, name: str) -> None:
    table = pa.table(
        {"x, y": NASTY * 2, 'a "b"': ["1"] * 2 * len(NASTY), "größe": (NASTY * 2)[::-1], "plain": NASTY * 2}
    )
    asked = shoal.Spec(
        quasi_identifiers={"x, y": "suppress", 'a "b"': "suppress"},
        sensitive=["größe"],
        insensitive=["plain"],
        privacy=[shoal.KAnonymity(2), shoal.LDiversity("größe", 1)],
        input=InputFormat(delimiter=delimiter, quote=quote),
    )
    release = shoal.anonymize(table, asked.adjust(levels={"x, y": 0, 'a "b"': 0})).write(tmp_path / name)
    ran = check(release)
    assert (ran.code, ran.err) == (0, "")
    assert ran.said["class sizes as in the manifest"] == f"holds, {len(NASTY)} classes"
    assert ran.said["k-anonymity 2"] == "holds, smallest class 2"


def test_the_empty_string_is_not_null(tmp_path: Path) -> None:
    table = pa.table({"age": ["", "", None, None]})
    asked = shoal.Spec(quasi_identifiers={"age": "suppress"}, privacy=[shoal.KAnonymity(2)])
    release = shoal.anonymize(table, asked.adjust(levels={"age": 0})).write(tmp_path / "release.csv")
    assert sorted(release.read_text(encoding="utf-8").splitlines()) == ["", "", '""', '""', "age"]
    assert check(release).said["class sizes as in the manifest"] == "holds, 2 classes"


MODELS = {
    "maximal risk 0.5": shoal.Risk(maximal=0.5),
    "maximal risk 0.5, average risk 0.4": shoal.Risk(maximal=0.5, average=0.4),
    "(0.7, 3)-anonymity of disease": shoal.AlphaK("disease", alpha=0.7, k=3),
    "distinct 2-diversity of disease": shoal.LDiversity("disease", 2),
    "entropy 1.5-diversity of disease": shoal.LDiversity("disease", 1.5, "entropy"),
    "recursive (4, 2)-diversity of disease": shoal.LDiversity("disease", 2, "recursive", c=4),
}


def test_every_model_that_a_file_can_show(tmp_path: Path) -> None:
    release = shoal.anonymize(PEOPLE, spec(privacy=list(MODELS.values()))).write(tmp_path / "release.csv")
    ran = check(release)
    assert (ran.code, ran.err) == (0, "")
    told = {claim["claim"]: f"holds, {claim['measured']}" for claim in manifest_of(release)["claims"]}
    assert {claim: ran.said[claim] for claim in told} == told
    assert set(MODELS) <= set(told)


@pytest.mark.parametrize("model", MODELS)
def test_every_model_can_fail(tmp_path: Path, model: str) -> None:
    """The same bounds on a file that does not keep them, with a manifest that says it does."""
    release = shoal.anonymize(PEOPLE, spec(privacy=[MODELS[model]])).write(tmp_path / "release.csv")
    header, *rows = release.read_text(encoding="utf-8").splitlines()
    alone = [re.sub(r"[^,]+$", "flu", row) for row in rows[:1]]
    strange = rows[0].replace(rows[0].rsplit(",", 1)[0], "x,x")
    release.write_text("\n".join([header, *rows, *alone, strange]) + "\n", encoding="utf-8", newline="\n")
    assert check(release).said[model].startswith("FAILS")


def test_what_it_cannot_check_it_says(tmp_path: Path) -> None:
    models = [shoal.KAnonymity(2), shoal.TCloseness("disease", t=0.9), shoal.LDiversity("disease", 2)]
    people = PEOPLE.append_column("patient", pa.array([f"{number}" for number in range(13)]))
    release = shoal.anonymize(people, spec(privacy=models, unit="patient")).write(tmp_path / "release.csv")
    ran = check(release)
    assert (ran.code, ran.err) == (0, "")
    assert ran.said["k-anonymity 2"] == (
        "NOT CHECKABLE by a recipient, it counts people by 'patient', and this program rows: smallest class 3"
    )
    assert ran.said["t-closeness (column disease, t 0.9, distance equal)"] == (
        "NOT CHECKABLE by a recipient, it compares with the original table, a population or labels of a "
        "hierarchy"
    )
    assert ran.said["distinct 2-diversity of disease"].startswith(
        "NOT CHECKABLE by a recipient, it counts people"
    )


@pytest.mark.parametrize("model", MODELS)
def test_people_are_counted_where_the_release_names_them(tmp_path: Path, model: str) -> None:
    """The first five have two rows, with the value of the next person in the second."""
    people = PEOPLE.append_column("patient", pa.array([f"{number}" for number in range(13)]))
    following = pa.concat_tables([PEOPLE.slice(1), PEOPLE.slice(0, 1)])
    twice = people.set_column(people.schema.get_field_index("disease"), "disease", following["disease"])
    table = pa.concat_tables([people, twice.slice(0, 5)])
    asked = spec(privacy=[MODELS[model]], unit="patient", insensitive=["patient"])
    release = shoal.anonymize(table, asked).write(tmp_path / "release.csv")
    ran = check(release)
    assert (ran.code, ran.err) == (0, "")
    (said,) = [claim["measured"] for claim in manifest_of(release)["claims"] if claim["claim"] == model]
    assert ran.said[model] == f"holds, {said}"
    assert said.endswith("counted by 'patient'")
    lines = release.read_text(encoding="utf-8").splitlines()
    release.write_text("\n".join([lines[0], *(line.rpartition(",")[0] + ",1" for line in lines[1:])]) + "\n")
    assert check(release).said[model].startswith("FAILS"), "all rows are about one person"


def test_too_few_rows_are_too_few_people(tmp_path: Path) -> None:
    people = PEOPLE.append_column("patient", pa.array([f"{number}" for number in range(13)]))
    asked = spec(privacy=[shoal.KAnonymity(3)], unit="patient")
    release = shoal.anonymize(people, asked).write(tmp_path / "release.csv")
    assert check(release).code == 0
    TAMPERINGS["one class of k - 1, and the manifest fits"](release)
    ran = check(release)
    assert (ran.code, ran.said["k-anonymity 3"].split(",")[0]) == (1, "FAILS")


def test_null_where_it_is_forbidden(tmp_path: Path) -> None:
    asked = spec(sensitive={"disease": shoal.Sensitive(null="forbid")})
    release = shoal.anonymize(PEOPLE, asked).write(tmp_path / "release.csv")
    assert check(release).said["no NULL in disease"] == "holds, none"
    lines = release.read_text(encoding="utf-8").splitlines()
    lines[1] = lines[1].rsplit(",", 1)[0] + ","
    release.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    assert check(release).said["no NULL in disease"].startswith("FAILS, 1")


def test_an_identifier_that_is_still_there(tmp_path: Path) -> None:
    release = write(tmp_path)
    lines = release.read_text(encoding="utf-8").splitlines()
    named = [f"{line},{'name' if number == 0 else number}" for number, line in enumerate(lines)]
    release.write_text("\n".join(named) + "\n", encoding="utf-8", newline="\n")
    assert check(release).said["identifiers removed"].startswith("FAILS, 0 of 1")


def _break(release: Path, how: str) -> None:
    text = release.read_text(encoding="utf-8")
    content = manifest_of(release)
    if how == "a cell too many":
        release.write_text(text + "x,x,x,x\n", encoding="utf-8", newline="\n")
    elif how == "an open quote":
        release.write_text(text + '"x,x,x\n', encoding="utf-8", newline="\n")
    elif how == "a quote inside":
        release.write_text(text + 'a"b",x,x\n', encoding="utf-8", newline="\n")
    elif how == "no rows and no header":
        release.write_text("", encoding="utf-8")
    elif how == "bytes that are no text":
        release.write_bytes(text.encode() + b"\xff,x,x\n")
    elif how == "another column":
        release.write_text(text.replace("age", "Age", 1), encoding="utf-8", newline="\n")
    elif how == "no claims":
        rewrite(release, {key: value for key, value in content.items() if key != "claims"})
    else:
        release.with_name(f"{release.name}.manifest.json").write_text("age,sex\n", encoding="utf-8")


@pytest.mark.parametrize(
    "how",
    [
        "a cell too many",
        "an open quote",
        "a quote inside",
        "no rows and no header",
        "bytes that are no text",
        "another column",
        "no claims",
        "no manifest",
    ],
)
def test_what_cannot_be_read_is_no_success(tmp_path: Path, how: str) -> None:
    release = write(tmp_path)
    _break(release, how)
    ran = check(release)
    assert ran.code == 1
    assert "This cannot be checked" in ran.err


def test_the_manifest_of_another_file(tmp_path: Path) -> None:
    release = write(tmp_path)
    other = shoal.anonymize(PEOPLE.slice(0, 7), spec()).write(tmp_path / "other.csv")
    assert check(release, other.with_name("other.csv.manifest.json")).code == 1


@pytest.mark.parametrize("name", ["release.parquet", "release.xlsx"])
def test_there_is_none_for_other_formats(tmp_path: Path, name: str) -> None:
    write(tmp_path, name=name)
    assert sorted(path.name for path in tmp_path.iterdir()) == [name, f"{name}.manifest.json"]


@pytest.mark.parametrize("example", sorted((ROOT / "examples").rglob("*.csv")), ids=lambda path: path.name)
@pytest.mark.parametrize("suppressed", ["remove", "star"])
def test_it_passes_on_every_example(tmp_path: Path, example: Path, suppressed: str) -> None:
    """Every file of the examples with a header, all columns suppressible but the last, which is sensitive."""
    columns = example.read_text(encoding="utf-8").splitlines()[0].split(",")
    if len(columns) == 1:
        pytest.skip("a hierarchy, not a table")
    *labels, last = columns
    asked = shoal.Spec(
        quasi_identifiers=dict.fromkeys(labels, "suppress"),
        sensitive=[last],
        privacy=[shoal.KAnonymity(2), shoal.LDiversity(last, 1)],
        suppression=0.5,
        suppressed=suppressed,
    )
    release = shoal.anonymize(example, asked).write(tmp_path / "release.csv")
    ran = check(release)
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_zeros_of_both_signs_are_one_value(tmp_path: Path, engine: str) -> None:
    """As numbers they are equal, and as texts they made unique rows that the manifest did not count."""
    people, release = tmp_path / "people.parquet", tmp_path / "release.csv"
    zeros = pa.array([-0.0, 0.0, 1, 1, 1, 1, None, None])
    pq.write_table(pa.table({"age": [31] * 8, "x": zeros, "y": zeros.cast(pa.float32())}), people)
    asked = shoal.Spec(
        quasi_identifiers={"age": "suppress"}, insensitive=["x", "y"], privacy=[shoal.KAnonymity(8)]
    )
    shoal.anonymize(people, asked, engine=engine, output=release)
    assert manifest_of(release)["linkable"]["columns"] == {"x": 0, "y": 0}
    assert shoal.audit_release(release).holds
    assert check(release).code == 0
    assert "-0" not in release.read_text(encoding="utf-8")


SHARES = {"flu": 0.375, "cold": 0.375, "asthma": 0.25}
DECLARED = (
    shoal.TCloseness("disease", 0.5, distribution=SHARES),
    shoal.BetaLikeness("disease", 2, distribution=SHARES),
    shoal.BetaLikeness("disease", 2, kind="basic", distribution=SHARES),
    shoal.DeltaDisclosure("disease", 3, distribution={"flu": 3, "cold": 3, "asthma": 2}),
)


@pytest.mark.parametrize("model", DECLARED, ids=lambda model: model.describe())
def test_it_compares_with_a_declared_distribution(tmp_path: Path, model: Any) -> None:
    people = pa.table(
        {
            "age": [31, 32, 33, 34, 41, 42, 43, 44],
            "disease": ["flu", "flu", "cold", "asthma", *VALUES_OF_FORTIES],
        }
    )
    settings: dict[str, Any] = {"quasi_identifiers": {"age": shoal.intervals(10)}, "sensitive": ["disease"]}
    release = tmp_path / "release.csv"
    shoal.anonymize(people, shoal.Spec(**settings, privacy=[shoal.KAnonymity(2), model]), output=release)
    told = manifest_of(release)
    (claim,) = (claim for claim in told["claims"] if claim["claim"] == model.describe())
    ran = check(release)
    assert ran.said[model.describe()] == f"holds, {claim['measured']}"
    assert ran.code == 0
    # Another distribution, or a value that it lacks, and the claim fails.
    for changed in ({"flu": 0.01, "cold": 0.01, "asthma": 0.98}, {"flu": 0.5, "cold": 0.5}):
        ((name, stated),) = told["spec"]["privacy"][1].items()
        told["spec"]["privacy"][1] = {name: {**stated, "distribution": changed}}
        rewrite(release, told)
        ran = check(release)
        assert ran.said[model.describe()].startswith("FAILS")
        assert ran.code == 1


VALUES_OF_FORTIES = ("flu", "cold", "cold", "asthma")
