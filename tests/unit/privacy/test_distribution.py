"""Declared distributions: what may be given, what is refused, and that no other is compared with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from pyarrow import csv

import shoal
from shoal.errors import InputError
from shoal.privacy.distribution import Distribution

PEOPLE = pa.table({"age": [31, 32, 33, 41, 42, 43], "day": ["flu", "flu", "cold", "flu", "cold", "cold"]})


def spec(*models: Any, **changes: Any) -> shoal.Spec:
    settings: dict[str, Any] = {"quasi_identifiers": {"age": shoal.intervals(10)}, "sensitive": ["day"]}
    return shoal.Spec(**{**settings, "privacy": models, **changes})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "Found: nothing"),
        ("flu", "Found: str"),
        ([["flu", 1, 2]], "Write pairs"),
        ({"flu": -1, "cold": 2}, "Found: -1 as a share"),
        ({"flu": 0.0, "cold": 1.0}, "numbers above 0"),
        ({"flu": True, "cold": 1}, "Found: True as a share"),
        ({"flu": 0.5, "cold": 0.4}, r"add up to 1.\nFound: 0.9 in all"),
        ([["flu", 0.5], ["flu", 0.5]], "2 values, of which 1 are repeated"),
        ([[b"\xff", 1]], "values that are not plain"),
        ({"flu": 1 << 53}, "fewer than 2\\^53"),
    ],
)
def test_what_is_no_distribution_is_refused(given: Any, words: str) -> None:
    with pytest.raises(InputError, match=f"(?s)beta-likeness needs .*{words}"):
        shoal.BetaLikeness("day", 1, distribution=given)


PROPORTIONS: list[Any] = [{"flu": 0.7, "cold": 0.3}, {"flu": 7, "cold": 3}, [[None, 3], ["null", 7]]]


@pytest.mark.parametrize("given", PROPORTIONS)
def test_it_comes_back_from_a_spec_file(tmp_path: Path, given: Any) -> None:
    model = shoal.DeltaDisclosure("day", 1, distribution=given)
    path = tmp_path / "spec.yaml"
    path.write_text(yaml.safe_dump(spec(model).to_mapping(), sort_keys=False), encoding="utf-8")
    (found,) = shoal.Spec.from_yaml(path).privacy
    assert found == model
    assert found.distribution is not None
    assert found.distribution.to_spec() == given
    assert sorted(found.distribution.counts) == [3, 7]


def test_classes_are_compared_with_it_and_not_with_the_table() -> None:
    """Half of the table has flu. Declared is a tenth, so no class of thirds may have it."""
    rare = {"flu": 0.1, "cold": 0.9}
    crowd = shoal.KAnonymity(3)
    assert shoal.anonymize(PEOPLE, spec(crowd, shoal.BetaLikeness("day", 1))).levels == {"age": 1}
    with pytest.raises(shoal.InfeasibleError):
        shoal.anonymize(PEOPLE, spec(crowd, shoal.BetaLikeness("day", 1, distribution=rare)))


def test_a_value_that_it_lacks_is_an_error_without_the_value() -> None:
    with pytest.raises(InputError, match="2 different values, 1 are missing") as caught:
        shoal.anonymize(PEOPLE, spec(shoal.TCloseness("day", 0.5, distribution={"flu": 1})))
    assert "cold" not in str(caught.value)


def test_models_about_one_column_declare_the_same() -> None:
    declared = shoal.BetaLikeness("day", 1, distribution={"flu": 1, "cold": 1})
    others = (shoal.TCloseness("day", 0.5), shoal.TCloseness("day", 0.5, distribution={"flu": 3, "cold": 1}))
    for other in others:
        with pytest.raises(InputError, match="compare column 'day' with different distributions"):
            spec(declared, other)
    assert spec(declared, shoal.LDiversity("day", 2)).privacy[0] == declared


@pytest.mark.parametrize(
    ("kind", "given", "words"),
    [
        (pa.int64(), {"one": 1}, "has the type int64"),
        (pa.float64(), {"1": 1, "1.0": 1}, "repeats values"),
        (pa.timestamp("s"), {"1970-01-01 00:00:01": 1}, "times are written with parts of seconds or without"),
    ],
)
def test_values_must_be_of_the_columns_type(kind: pa.DataType, given: Any, words: str) -> None:
    people = pa.table({"age": [31, 32], "day": pa.array([1, 1], kind)})
    with pytest.raises(InputError, match=words):
        shoal.anonymize(people, spec(shoal.BetaLikeness("day", 1, distribution=given)))


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_numbers_are_compared_however_they_are_spelled(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,day\n" + "".join(f"{30 + n},{n % 3}.0\n" for n in range(6)), encoding="utf-8")
    settings = {"types": {"day": "float"}, "sensitive": {"day": shoal.intervals(2)}}
    model = shoal.TCloseness("day", 0.1, distance="hierarchical", distribution={"0": 1, "1": 1, "2": 1})
    release = shoal.anonymize(path, spec(model, **settings), engine=engine, output=tmp_path / "release.csv")
    assert release.audit.findings[0].measured == "largest distance 0"
    audit = shoal.audit_release(tmp_path / "release.csv", manifest=tmp_path / "release.csv.manifest.json")
    assert audit.holds
    assert all(finding.checkable for finding in audit.findings)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_values_that_no_row_has_may_be_declared(tmp_path: Path, engine: str) -> None:
    csv.write_csv(PEOPLE, tmp_path / "people.csv")
    model = shoal.TCloseness("day", 0.25, distribution={"flu": 0.4, "cold": 0.4, "HIV": 0.2})
    settings = {"types": {"age": "integer"}}
    release = shoal.anonymize(tmp_path / "people.csv", spec(model, **settings), engine=engine)
    assert release.levels == {"age": 2}
    assert release.audit.findings[0].measured == "largest distance 0.2"


def test_decimals_are_refused_since_their_text_depends_on_other_rows() -> None:
    model = shoal.TCloseness("day", 0.3, distribution={"1.5": 0.5, "2.25": 0.5})
    table = pa.table({"age": ["31", "32"], "day": ["1.5", "2.25"]})
    with pytest.raises(InputError, match="Use `type: float`"):
        shoal.anonymize(table, spec(model, quasi_identifiers={"age": "suppress"}, types={"day": "decimal"}))
    floats = spec(model, quasi_identifiers={"age": "suppress"}, types={"day": "float"})
    assert shoal.anonymize(table, floats).audit.holds


def test_what_is_measured_is_rounded() -> None:
    found = Distribution.of(pa.array(["flu"] * 12 + ["cold"] * 7 + [None]), 5)
    assert dict(zip(found.values, found.counts, strict=True)) == {"flu": 10, "cold": 5, None: 5}
