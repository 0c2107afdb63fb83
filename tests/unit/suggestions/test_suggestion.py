"""What is proposed for tables: the public data sets, the samples, and odd ones. What is proposed runs."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import shoal
from shoal.data import sample_names, write_sample
from shoal.errors import InputError
from shoal.read.source import InputFormat
from shoal.search.algorithms.best_first import BestFirst
from shoal.suggestions.propose import MOST_QUASI_IDENTIFIERS

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[4] / "shared" / "datasets"))

ROLES = {
    "adult": {
        "quasi-identifier": "sex age race marital-status education native-country workclass occupation",
        "sensitive": "salary-class",
    },
    "cup": {"quasi-identifier": "ZIP AGE GENDER STATE RAMNTALL NGIFTALL MINRAMNT", "sensitive": "INCOME"},
    "wage": {
        "quasi-identifier": "year age maritl race education jobclass",
        "sensitive": "health health_ins logwage wage",
        "insensitive": "region",
    },
    "census": {
        "identifier": "person_id name",
        "quasi-identifier": "age sex zip marital_status education birth_country occupation visit_month",
        "sensitive": "diagnosis income",
    },
    "patients": {"quasi-identifier": "Birthdate Sex Zipcode", "sensitive": "Disease"},
}
UNSURE = {"cup": ("RAMNTALL", "NGIFTALL", "MINRAMNT")}


def roles_of(suggestion: shoal.Suggestion) -> dict[str, str]:
    roles: dict[str, list[str]] = {}
    for column in suggestion.columns:
        roles.setdefault(column.role.value, []).append(column.name)
    return {role: " ".join(names) for role, names in roles.items()}


def check_that_it_runs(data: Path, suggestion: shoal.Suggestion, folder: Path) -> None:
    spec = folder / "spec.yaml"
    spec.write_text(suggestion.to_yaml(), encoding="utf-8")
    assert shoal.Spec.from_yaml(spec) == suggestion.spec
    release = shoal.anonymize(data, spec)
    assert release.optimal
    assert all(finding.holds for finding in release.audit.findings)


@pytest.mark.parametrize("name", ["adult", "cup", "wage"])
def test_data_sets(name, tmp_path):
    path = DATA / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"{name}.csv is not in {DATA.name!r}: set SHOAL_DATA to the folder of the data sets")
    found = shoal.suggest(path)
    assert roles_of(found) == ROLES[name]
    assert found.unsure == UNSURE.get(name, ())
    assert found.k == 5
    check_that_it_runs(path, found, tmp_path)


@pytest.mark.parametrize("name", sample_names())
def test_samples(name, tmp_path):
    sample = write_sample(name, None if name == "patients" else 2000, 1, tmp_path)
    found = shoal.suggest(sample.data)
    if name in ROLES:
        assert roles_of(found) == ROLES[name]
    check_that_it_runs(sample.data, found, tmp_path)


def test_what_separates():
    people = pa.table({"age": [20, 20, 30, 30] * 10, "sex": ["F", "M"] * 20, "shoe": [1, 2] * 20})
    found = shoal.suggest(people)
    assert [one.columns for one in found.separations] == [("age",), ("age", "sex")]
    assert found["shoe"].reason.endswith("with age it singles out 0% of the rows")
    assert found["shoe"].separation.columns == ("age", "shoe")


def test_a_copy_of_what_must_be_hidden_is_hidden():
    random = np.random.default_rng(1)
    wage = random.integers(10, 40, 500)
    person = random.integers(0, 200, 500)
    ill = random.integers(0, 9, 500)
    found = shoal.suggest(
        pa.table(
            {
                "diagnosis": [f"d{value}" for value in ill],
                "kode": [f"k{value}" for value in ill],
                "wage": wage,
                "code": [f"w{value}" for value in wage],
                "patient_id": person,
                "ref": [f"r{value * 7}" for value in person],
                "mark": (person * 7 + 3) / 2,
                "age": random.integers(18, 80, 500),
            }
        )
    )
    assert found["kode"].role.value == "sensitive"
    assert found["code"].role.value == "identifier"  # everybody with a wage of their own has such a code
    assert found["ref"].role.value == "identifier"
    assert found["mark"].role.value == "identifier"
    assert found["mark"].reason == "maps one to one to patient_id, so it reveals the same"
    assert found.unit == "patient_id"
    assert found.spec.unit == "patient_id"


def test_wide_tables():
    random = np.random.default_rng(2)
    people = pa.table(
        {"age": random.integers(18, 80, 300)}
        | {f"v{place}": random.integers(0, 2 + place % 7, 300) for place in range(40)}
    )
    found = shoal.suggest(people)
    kept = found.in_role(shoal.describe.Role.QUASI_IDENTIFIER)
    assert len(kept) == MOST_QUASI_IDENTIFIERS
    assert kept[0].name == "age"
    removed = [column for column in found.columns if column.role.value == "identifier"]
    reason = "removed: others may know 41 columns"
    assert all(column.reason.startswith(reason) and not column.sure for column in removed)
    assert " and 30 more." in found.to_yaml()
    release = shoal.anonymize(people, found.spec, algorithm=BestFirst(checks=50))
    assert release.levels.keys() == {column.name for column in kept}


def test_types_of_parquet(tmp_path):
    rows = 60
    day = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    people = pa.table(
        {
            "tags": [["a"]] * rows,
            "home": [{"lat": 1.5}] * rows,
            "scan": [b"\xff"] * rows,
            "seen": pa.array([day + dt.timedelta(days=number) for number in range(rows)]),
            "born": pa.array([dt.date(1950 + number, 1, 1) for number in range(rows)]),
            "nothing": pa.nulls(rows),
            "group": pa.array(["x", "y", "z"] * 20).dictionary_encode(),
            "kids": [float(number % 4) if number else None for number in range(rows)],
        }
    )
    pyarrow.parquet.write_table(people, tmp_path / "p.parquet")
    for data in (people, tmp_path / "p.parquet"):
        found = shoal.suggest(data)
        assert roles_of(found) == {
            "identifier": "tags home scan",
            "quasi-identifier": "seen born group kids",
            "insensitive": "nothing",
        }
        shoal.anonymize(data, found.spec)


NAMES = ["no", "1", "1.5", "null", "~", "a: b", "# a", "a\nb", '"', "'", "{x}", "- a", "&a", "*a", "!a", "%a", "@a", " a ", "größe", "😀", "=", "<<", "a,b", "\\n", "0x1F", "2020-01-01", "Yes"]  # fmt: skip  # noqa: E501


def test_names_that_yaml_would_misread(tmp_path):
    people = pa.table({name: ["a", "b", "c"] * 20 for name in NAMES[:14]})
    check_that_it_runs(people, shoal.suggest(people, unit="none"), tmp_path)
    people = pa.table({name: ["a", "b", "c"] * 20 for name in NAMES[13:]})
    check_that_it_runs(people, shoal.suggest(people, unit="none"), tmp_path)


def test_no_quasi_identifier():
    found = shoal.suggest(pa.table({"id": list(range(100)), "diagnosis": ["flu", "cough"] * 50}))
    with pytest.raises(InputError, match="No column") as refused:
        found.to_yaml()
    assert "1 identifier column, 1 sensitive column" in str(refused.value)
    assert "--interactive" in str(refused.value)


@pytest.mark.parametrize(("rows", "words"), [(0, "no rows"), (1, "one row")])
def test_nobody_to_hide(rows, words):
    with pytest.raises(InputError, match=words):
        shoal.suggest(pa.table({"a": pa.array(["x"] * rows, pa.string())}))


def test_k():
    small = pa.table({"sex": ["F", "M"] * 10})
    assert shoal.suggest(small).k == 2
    assert shoal.suggest(small, k=3).spec.privacy == (shoal.KAnonymity(3),)
    with pytest.raises(InputError, match="k-anonymity"):
        shoal.suggest(small, k=0)


def test_decisions():
    found = shoal.suggest(
        pa.table({"age": list(range(20, 60)), "name": [f"x{number}" for number in range(40)]})
    )
    changed = found.with_column("name", role="quasi-identifier")
    assert changed["name"].hierarchy is not None
    assert changed["name"].reason == "decided by hand"
    changed = changed.with_column("age", hierarchy={"intervals": [7]})
    assert changed.spec.quasi_identifiers["age"].hierarchy == shoal.intervals(7)
    assert found["name"].role.value == "identifier"
    with pytest.raises(InputError, match="Did you mean 'sensitive'"):
        found.with_column("age", role="sensitiv")
    with pytest.raises(InputError, match="Did you mean 'age'"):
        found.with_column("agee", role="sensitive")
    with pytest.raises(InputError, match="interval"):
        found.with_column("age", hierarchy={"intervall": [7]})


def test_no_value_of_few_people_is_told():
    secrets = ["Zebra", "Yak", "Xerus"]
    people = pa.table(
        {
            "town": ["Ulm"] * 60 + secrets,
            "income": [50_000] * 60 + [987_654, 876_543, 765_432],
            "age": [str(20 + number % 50) for number in range(60)] + ["unknown1", "unknown2", "unknown3"],
        }
    )
    found = shoal.suggest(people)
    told = found.to_yaml() + repr(found) + str(found.to_mapping())
    for secret in (*secrets, "987654", "876543", "765432", "unknown"):
        assert secret not in told


def decimal_commas(path: Path) -> Path:
    random = np.random.default_rng(4)
    rows = ["age;height;cost;wage;miles;debts"]
    for number in range(200):
        cost = f"{random.lognormal(6, 1.5):,.2f}".translate(str.maketrans(",.", ".,"))
        cells = [random.integers(18, 80), f"{random.normal(1.7, 0.1):.2f}".replace(".", ","), cost]
        cells += [f"{random.normal(3000, 500):.1f}".replace(".", ","), f"{random.integers(1000, 9999):,}"]
        rows.append(";".join(map(str, [*cells, f"{number},5" if number % 20 else "k.A."])))
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_decimal_commas(tmp_path):
    data = decimal_commas(tmp_path / "people.csv")
    found = shoal.suggest(data)
    comma = {"decimal": ","}
    assert [column.type for column in found.columns] == [None, comma, comma, comma, None, None]
    assert found["height"].hierarchy == {"intervals": [0.05, 0.1, 0.2, 0.4]}
    assert next(iter(found["cost"].hierarchy)) == "quantiles"
    assert found["wage"].role.value == "quasi-identifier"  # every row has its own
    decided = found.with_column("wage", role="sensitive")
    assert decided.spec.to_mapping()["columns"]["wage"] == {"role": "sensitive", "type": comma}
    assert "accept: linkable" in " ".join(decided.to_yaml().replace("#", " ").split())
    assert "thousands" in found["miles"].remark
    assert "but not all" in found["debts"].remark
    assert [column["type"] for column in found.to_mapping()["columns"]][:2] == [None, comma]
    check_that_it_runs(data, found, tmp_path)
    assert "type" not in found.with_column("height", role="identifier").spec.to_mapping()["columns"]["height"]
    again = shoal.suggest(data, input=InputFormat(null_values=("", "k.A.")))
    assert again["debts"].type == comma
    check_that_it_runs(data, again, tmp_path)


def test_what_looks_like_null(tmp_path):
    lines = [f"{20 + row % 40 if row % 9 else '?'};{('cook', 'NA', '?', '')[row % 4]}" for row in range(100)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["age;job", *lines]) + "\n", encoding="utf-8")
    found = shoal.suggest(path)
    assert [(one.text, dict(one.columns)) for one in found.null_like] == [
        ("?", {"age": 12, "job": 25}),
        ("NA", {"job": 25}),
    ]
    assert found.null_values == ("", "?", "NA")  # without the first, empty cells would be values
    assert found.to_mapping()["null_like"][0] == {"text": "?", "cells": 37, "columns": {"age": 12, "job": 25}}
    assert found.spec.input.null_values is None
    check_that_it_runs(path, found, tmp_path)
    (tmp_path / "own.yaml").write_text(found.to_yaml().replace("# input:", "input:"), encoding="utf-8")
    assert shoal.Spec.from_yaml(tmp_path / "own.yaml").input.null_values == found.null_values
    assert shoal.anonymize(path, tmp_path / "own.yaml").table.num_rows > 0

    told = shoal.suggest(path, input=InputFormat(delimiter=";", null_values=("", "?")))
    assert told.null_values == ("", "?", "NA")
    assert "\n# input: {delimiter: ;, null-values: ['', '?', NA]}\n" in told.to_yaml()
    assert "\ninput: {delimiter: ;, null-values: ['', '?']}\n" in told.to_yaml()
    none_left = shoal.suggest(path, input=InputFormat(null_values=("", "?", "NA")))
    assert (none_left.null_like, none_left.null_values) == ((), ())
    assert "# input" not in none_left.to_yaml()

    frame = pa.table({"age": ["?", *map(str, range(20, 60))], "job": ["cook", *["smith", "baker"] * 20]})
    found = shoal.suggest(frame)
    assert ([one.text for one in found.null_like], found.null_values) == (["?"], ())
    assert "make them NULL in the table" in found.to_yaml()


def test_texts_like_null_that_yaml_would_misread(tmp_path):
    texts = ["null", "NULL", "~", "-", "--", ".", "nan", ".nan", "#N/A", "?", " ?", "None", "no"]
    people = pa.table({"a": texts * 4, "age": list(range(20, 72))})
    pyarrow.parquet.write_table(people, tmp_path / "p.parquet")
    found = shoal.suggest(tmp_path / "p.parquet")
    assert set(found.null_values) == set(texts) - {"~", ".nan", "no"}
    (tmp_path / "own.yaml").write_text(found.to_yaml().replace("# input:", "input:"), encoding="utf-8")
    assert shoal.Spec.from_yaml(tmp_path / "own.yaml").input.null_values == found.null_values


def test_lines_that_are_commented_out_can_be_used(tmp_path):
    sample = write_sample("census", 2000, 1, tmp_path)
    text = shoal.suggest(sample.data).to_yaml().replace("  # - l-diversity", "  - l-diversity")
    (tmp_path / "own.yaml").write_text(text, encoding="utf-8")
    models = [model.name for model in shoal.Spec.from_yaml(tmp_path / "own.yaml").privacy]
    assert models == ["k-anonymity", "l-diversity", "l-diversity"]
    assert shoal.anonymize(sample.data, tmp_path / "own.yaml").table.num_rows > 0
