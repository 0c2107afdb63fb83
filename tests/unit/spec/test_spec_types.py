"""`type`, `null-values` and `sheet` in a spec: as YAML, in Python, and back."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pyarrow as pa
import pytest
import yaml

import shoal
from shoal.errors import InputError
from shoal.read.source import InputFormat
from shoal.read.types import Date, Integer

SPEC = """\
input: {null-values: ["", NA], sheet: people}
columns:
  name: {role: identifier, type: text}
  age: {role: quasi-identifier, type: integer}
  born: {role: insensitive, type: {date: "%d.%m.%Y"}}
  pay: {role: sensitive, type: decimal}
privacy: [k-anonymity: 2]
"""


def test_from_yaml_to_python_and_back(tmp_path):
    (tmp_path / "spec.yaml").write_text(SPEC, encoding="utf-8")
    spec = shoal.Spec.from_yaml(tmp_path / "spec.yaml")
    in_python = shoal.Spec(
        identifiers=["name"],
        quasi_identifiers={"age": "suppress"},
        insensitive=["born"],
        sensitive=["pay"],
        types={"name": "text", "age": "integer", "born": {"date": "%d.%m.%Y"}, "pay": "decimal"},
        privacy=[shoal.KAnonymity(2)],
        input=InputFormat(null_values=("", "NA"), sheet="people"),
    )
    assert spec == in_python
    assert spec.types["age"] == Integer()
    assert spec.types["born"] == Date("%d.%m.%Y")
    written = yaml.safe_dump(spec.to_mapping())
    assert shoal.Spec.from_mapping(yaml.safe_load(written)) == spec
    assert spec.adjust(weights={"age": 2}).types == spec.types


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("type: integer", "type: intger", "columns.age.type: 'intger' is not a column type."),
        ("type: integer", "type: intger", "Did you mean 'integer'?"),
        (
            "type: integer",
            "type: 5",
            "columns.age.type: A type must be a name, or a name with its format.\nFound: 5.",
        ),
        ("type: integer", "typ: integer", "Unknown key 'columns.age.typ' in the spec."),
        ("type: integer", "typ: integer", "Did you mean 'type'?"),
        ("%d.%m.%Y", "%m.%Y", "must contain day, month and year"),
        ('["", NA]', "NA", "input.null-values must be a list.\nFound: the text 'NA'."),
        ('["", NA]', "[true]", "input.null-values.0 must be text.\nFound: a truth value True."),
        ('["", NA]', "[1]", "input.null-values.0 must be text.\nFound: 1."),
        ("null-values", "null-value", "Did you mean 'null-values'?"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(old, new, message, tmp_path):
    (tmp_path / "spec.yaml").write_text(SPEC.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        shoal.Spec.from_yaml(tmp_path / "spec.yaml")
    assert message in str(caught.value)
    assert "line" in str(caught.value)


def test_all_wrong_types_at_once():
    with pytest.raises(InputError) as caught:
        shoal.Spec(
            quasi_identifiers={"age": "suppress"},
            types={"age": "number", "agee": "integer"},
            privacy=[shoal.KAnonymity(2)],
        )
    assert "Column 'age': 'number' is not a column type." in str(caught.value)
    assert "Column 'agee' has a type but no role.\nDid you mean 'age'?" in str(caught.value)


PEOPLE = """\
age,zip,born,pay,vip
34,01234,1.2.1990,1000.0,True
034,01234,01.02.1990,1000,yes
51,99999,3.2.1980,0.25,no
51.0,99999,3.2.1980,,0
"""


@pytest.fixture
def people(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    return tmp_path / "people.csv"


def spec(**types: object) -> shoal.Spec:
    return shoal.Spec(
        quasi_identifiers={"age": "suppress", "zip": "suppress"},
        sensitive=["pay"],
        insensitive=["born", "vip"],
        types=types,
        privacy=[shoal.KAnonymity(2), shoal.TCloseness("pay", t=1)],
    )


TYPES = {"age": "integer", "born": {"date": "%d.%m.%Y"}, "pay": "decimal", "vip": "boolean"}


def test_values_of_a_csv_file_and_their_text_in_the_release(people, tmp_path):
    untyped = shoal.anonymize(people, spec())
    assert untyped.levels == {"age": 1, "zip": 0}  # 34 and 034 are different texts
    release = shoal.anonymize(people, spec(**TYPES))
    assert release.levels == {"age": 0, "zip": 0}
    assert sorted(release.data["zip"].to_pylist()) == ["01234"] * 2 + ["99999"] * 2
    release.write(tmp_path / "out.csv")
    assert sorted((tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[1:]) == [
        "34,01234,1990-02-01,1000.00,true",
        "34,01234,1990-02-01,1000.00,true",
        "51,99999,1980-02-03,,false",
        "51,99999,1980-02-03,0.25,false",
    ]
    manifest = json.loads((tmp_path / "out.csv.manifest.json").read_text(encoding="utf-8"))
    assert manifest["spec"]["columns"]["born"] == {"role": "insensitive", "type": {"date": "%d.%m.%Y"}}
    again = shoal.Spec.from_mapping(manifest["spec"])
    assert shoal.audit_release(tmp_path / "out.csv", again, original=people).holds


def test_types_in_a_parquet_release(people, tmp_path):
    import pyarrow.parquet as pq

    shoal.anonymize(people, spec(**TYPES)).write(tmp_path / "out.parquet")
    schema = pq.read_schema(tmp_path / "out.parquet")
    assert pa.types.is_dictionary(schema.field("zip").type)
    assert [schema.field(name).type for name in ("age", "born", "pay", "vip")] == [
        pa.int64(),
        pa.date32(),
        pa.decimal128(6, 2),
        pa.bool_(),
    ]


def test_values_that_do_not_fit_are_reported_for_all_columns(people):
    with pytest.raises(InputError) as caught:
        shoal.anonymize(people, spec(zip="boolean", born="date", age="float"))
    assert [problem.values for problem in caught.value.problems] == [
        ("01234", "99999"),
        ("1.2.1990", "01.02.1990", "3.2.1980"),
    ]
    assert "01234" not in str(caught.value)


def test_a_population_is_read_with_the_same_types(people, tmp_path):
    (tmp_path / "census.csv").write_text("age;zip\n34.00;01234\n0034;01234\n51;99999\n051;99999\n")
    typed = shoal.Spec(
        quasi_identifiers={"age": "suppress", "zip": "suppress"},
        types={"age": "integer"},
        privacy=[shoal.KMap(2, tmp_path / "census.csv")],
    )
    release = shoal.anonymize(people, typed, drop_undeclared=True)
    assert release.levels == {"age": 0, "zip": 0}
    (tmp_path / "census.csv").write_text("age;zip\nold;01234\n51;99999\n")
    with pytest.raises(InputError, match=r"Column 'age' of the population 'census\.csv': 1 value is not"):
        shoal.anonymize(people, typed, drop_undeclared=True)


def test_a_unit_with_a_type(tmp_path):
    (tmp_path / "visits.csv").write_text("age,patient\n34,7\n34,007\n34,8\n")
    counted = shoal.Spec(
        quasi_identifiers={"age": "suppress"},
        identifiers=["patient"],
        unit="patient",
        types={"patient": "integer"},
        privacy=[shoal.KAnonymity(2)],
    )
    release = shoal.anonymize(tmp_path / "visits.csv", counted)
    assert release.audit.findings[0].verdict == "holds, smallest class 2, counted by 'patient'"


def test_frames_come_back_in_the_types_of_the_spec():
    import pandas as pd
    import polars as pl

    rows = {"age": [34, 34, 51, 51], "zip": ["1", "1", "2", "2"], "born": [19900201] * 4, "pay": [1.0] * 4}
    typed = spec(born={"date": "%Y%m%d"}, pay="integer", zip="integer", vip="boolean")
    for make in (pd.DataFrame, pl.DataFrame):
        data = shoal.anonymize(make({**rows, "vip": ["yes", "no"] * 2}), typed).data
        assert list(data["born"]) == [datetime.date(1990, 2, 1)] * 4
        assert sorted(data["zip"]) == [1, 1, 2, 2]
        assert sorted(data["vip"]) == [False, False, True, True]
