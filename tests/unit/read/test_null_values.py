"""Which texts are NULL, in which files."""

import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.errors import InputError
from shoal.read.source import InputFormat, open_source

TEXT = 'a,b\nNA,"NA"\n,""\n-,x\n'


@pytest.mark.parametrize(
    ("null_values", "a", "b"),
    [
        (None, ["NA", None, "-"], ["NA", "", "x"]),
        ([], ["NA", "", "-"], ["NA", "", "x"]),
        ([""], ["NA", None, "-"], ["NA", None, "x"]),
        (["NA"], [None, "", "-"], [None, "", "x"]),
        (["", "NA", "-"], [None, None, None], [None, None, "x"]),
    ],
)
@pytest.mark.parametrize("coded", [(), ("a", "b")])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_exactly_these_texts_quoted_or_not(null_values, a, b, coded, suffix, tmp_path):
    path = tmp_path / f"t.{suffix}"
    if suffix == "csv":
        path.write_text(TEXT, encoding="utf-8")
    else:
        pq.write_table(pa.table({"a": ["NA", None, "-"], "b": ["NA", "", "x"]}), path)
        a = [value or None for value in a]  # NULL is NULL there already
    table = open_source(path, InputFormat(null_values=null_values)).read(["a", "b"], coded)
    assert table.to_pydict() == {"a": a, "b": b}
    for name in coded:
        assert table[name].chunk(0).dictionary.null_count == 0


@pytest.mark.parametrize("given", ["NA", [None], [0], 5])
def test_they_are_a_list_of_texts(given):
    with pytest.raises(InputError, match="NULL values must be a list of texts"):
        InputFormat(null_values=given)


PEOPLE = "age,sex,pay\n34,F,10\n34,F,NA\n51,NA,10\n51,NA,NA\n"
SPEC = """\
input: {null-values: ["", "NA"]}
columns:
  age: {role: quasi-identifier, max-level: 0}
  sex: {role: quasi-identifier, max-level: 0}
  pay: {role: sensitive, type: integer}
privacy:
  - k-anonymity: 2
  - t-closeness: {column: pay, t: 0.1}
  - k-map: {k: 3, population: census.csv}
"""
CENSUS = "sex;age\nF;34\nF;34\nF;34\nNA;51\nNA;51\nNA;51\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "spec.yaml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "census.csv").write_text(CENSUS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_release_is_audited_as_it_was_written(folder, shoal):
    """The spec's texts are those of the original and of populations; the release has an empty cell."""
    done = shoal("anonymize", "people.csv", "--spec", "spec.yaml", "--output", "out.csv")
    assert done.code == 0, done.err
    assert "in the input it is '', 'NA'" in done.out
    assert sorted(Path("out.csv").read_text(encoding="utf-8").splitlines()) == sorted(
        ["age,sex,pay", "34,F,10", "34,F,", "51,,10", "51,,"]
    )
    done = shoal("audit", "out.csv", "--spec", "spec.yaml", "--original", "people.csv")
    assert done.code == 0, done.err
    assert "holds, largest distance 0" in done.out


def test_a_text_in_the_release_is_not_null(folder, shoal):
    shoal("anonymize", "people.csv", "--spec", "spec.yaml", "--output", "out.csv")
    # A class whose sex is the text NA is none that the population has.
    text = Path("out.csv").read_text(encoding="utf-8").replace("51,,", "51,NA,")
    Path("out.csv").write_text(text, encoding="utf-8")
    done = shoal("audit", "out.csv", "--spec", "spec.yaml", "--original", "people.csv")
    assert done.code == 4
    assert "3-map: FAILS" in done.out or "FAILS" in done.out


def test_on_the_command_line(folder, shoal):
    spec = SPEC.replace('input: {null-values: ["", "NA"]}\n', "")
    Path("spec.yaml").write_text(spec, encoding="utf-8")
    refused = shoal("anonymize", "people.csv", "--spec", "spec.yaml", "--output", "out.csv")
    assert "Column 'pay': 1 value is not of the type integer, in 2 rows." in refused.err
    assert refused.code == 2
    done = shoal(
        "anonymize", "people.csv", "--spec", "spec.yaml", "--output", "out.csv", "--null-value", "NA"
    )
    assert done.code == 0, done.err
    manifest = json.loads(Path("out.csv.manifest.json").read_text(encoding="utf-8"))
    assert manifest["spec"]["input"]["null-values"] == ["NA"]
    assert manifest["null"] == {"age": "value", "sex": "value", "pay": "value"}
    audit = ("audit", "out.csv", "--spec", "spec.yaml", "--original", "people.csv")
    assert shoal(*audit).code == 2  # NA is no integer
    assert shoal(*audit, "--null-value", "NA").code == 0


def test_null_can_be_forbidden(folder, shoal):
    Path("spec.yaml").write_text(SPEC.replace("type: integer", "type: integer, null: forbid"))
    done = shoal("anonymize", "people.csv", "--spec", "spec.yaml", "--output", "out.csv")
    assert "Column 'pay': NULL in 2 of 4 rows, but the spec says `null: forbid`." in done.err
    assert done.code == 2


def test_the_rule_in_words():
    spec = shoal.Spec(
        quasi_identifiers={"a": "suppress"},
        privacy=[shoal.KAnonymity(2)],
        input=InputFormat(null_values=["NA"]),
    )
    release = shoal.anonymize(pd.DataFrame({"a": ["x", "x"]}), spec)
    assert dict(release.facts())["NULL"] == "a value of its own; in the input it is 'NA'"
    assert shoal.Spec.from_mapping(spec.to_mapping()).input == spec.input


def test_nulls_are_counted_by_every_model():
    """A class that is like another but for NULL is one of its own, and NULL is a sensitive value."""
    people = pa.table({"sex": ["F", None, "F", None], "disease": ["flu", "flu", None, "cold"]})
    spec = shoal.Spec(
        quasi_identifiers={"sex": "suppress"},
        sensitive=["disease"],
        privacy=[shoal.KAnonymity(2), shoal.LDiversity("disease", l=2)],
    )
    release = shoal.anonymize(people, spec)
    assert release.levels == {"sex": 0}
    assert release.class_sizes == {2: 2}
    assert all(finding.holds for finding in release.audit.findings)
