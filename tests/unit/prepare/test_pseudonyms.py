"""Tokens in place of values: which values share one, and which keys are refused."""

from __future__ import annotations

import datetime
import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.audit.signature import make_keys
from shoal.describe.pseudonyms import Pseudonyms
from shoal.errors import InputError

PEOPLE = pa.table({"patient": [1, 1, 2], "age": [3, 3, 3]})
TOKENS = Pseudonyms(b"k" * 32)


def of(*values: Any, kind: pa.DataType | None = None) -> list[Any]:
    found: list[Any] = TOKENS.of(pa.array(values, kind), "patient").to_pylist()
    return found


def spec(**settings: Any) -> shoal.Spec:
    given = {"quasi_identifiers": ["age"], "pseudonyms": ["patient"], "privacy": "k-anonymity: 2"}
    return shoal.Spec(**{**given, **settings})


def refused(**settings: Any) -> str:
    with pytest.raises(InputError) as caught:
        shoal.anonymize(PEOPLE, spec(**settings))
    return str(caught.value)


def test_one_value_has_one_token_whatever_its_type() -> None:
    (token,) = of("42")
    for same in (42, 42.0, Decimal("42.00"), " 42 ", "42.0"):
        assert of(same) == [token]
    for kind in (pa.uint64(), pa.decimal128(38, 0), pa.dictionary(pa.int8(), pa.int16())):
        assert of(42, kind=kind) == [token]
    assert token not in of("042", "4.2", "-42", "42.5", "")
    assert of("Zoe\u0308") == of("Zo\u00eb") != of("ZO\u00cb")
    assert of(datetime.date(2024, 1, 31)) == of("2024-01-31")
    assert of(None, "42", None, "42") == [None, token, None, token]


def test_values_with_one_token_are_refused_without_being_shown() -> None:
    with pytest.raises(InputError, match=r"Found: 2 of 5 values, such as 42 beside 42\.0") as caught:
        of("Ann", "Ann ", "7", "7.0", "Bob")
    assert "Ann" not in str(caught.value)
    with pytest.raises(InputError, match="its values have no text form"):
        of([1])


def test_a_key_that_cannot_be_used(tmp_path: Path) -> None:
    private, public = make_keys(tmp_path / "project.pem")
    (tmp_path / "notes.txt").write_text("no key", encoding="utf-8")
    assert "Pseudonyms need a key" in refused()
    assert "missing.pem' does not exist" in refused(key=tmp_path / "missing.pem")
    assert "It is a public key" in refused(key=public)
    assert "It is not a PEM file of a private key" in refused(key=tmp_path / "notes.txt")
    # With what else is wrong, all at once.
    found = refused(pseudonyms=["patient", "clinic"], key=public)
    assert "'project.pub.pem' is not a private key" in found
    assert "Column 'clinic' is not in the table" in found
    private.chmod(0o640)
    if os.name == "posix":
        assert "is open to other users.\nIts permissions are 640." in refused(key=private)


def test_a_pseudonym_is_for_nothing_else(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        spec(
            sensitive=["age", "patient"],
            types={"patient": "integer"},
            privacy=["k-anonymity: 2", "l-diversity: {column: doctor, l: 2}"],
            pseudonyms=["patient", "doctor"],
            quality={"classification": {"target": "doctor"}},
        )
    found = str(caught.value)
    assert "Column 'patient' has more than one role: sensitive, pseudonyms." in found
    assert "Column 'patient' is a pseudonym and can have no type." in found
    assert "needs a sensitive column, and 'doctor' is not sensitive" in found
    assert "cannot use column 'doctor'.\nIts role: pseudonym." in found


def test_a_spec_file(tmp_path: Path) -> None:
    written = tmp_path / "spec.yaml"
    written.write_text(
        "columns: {age: {role: quasi-identifier}, patient: {role: pseudonym, accept: linkable}}\n"
        "key: keys/project.pem\nprivacy: [k-anonymity: 2]\n",
        encoding="utf-8",
    )
    found = shoal.Spec.from_yaml(written)
    assert (found.pseudonyms, found.key, found.accept) == (
        ("patient",),
        tmp_path / "keys" / "project.pem",
        {"patient": "linkable"},
    )
    assert shoal.Spec.from_mapping(found.to_mapping()) == found
    assert found.key in found.files  # nothing is written there
    for setting in ("type: integer", "hierarchy: suppress"):
        written.write_text(
            f"columns: {{age: {{role: quasi-identifier}}, patient: {{role: pseudonym, {setting}}}}}\n"
            "privacy: [k-anonymity: 2]\n",
            encoding="utf-8",
        )
        with pytest.raises(InputError, match="patient"):
            shoal.Spec.from_yaml(written)


def test_what_cannot_have_pseudonyms(tmp_path: Path) -> None:
    key, _ = make_keys(tmp_path / "project.pem")
    with pytest.raises(InputError, match="Tokens would link the rows of a person in several batches"):
        shoal.Stream(spec(key=key), state=tmp_path / "state", output=tmp_path / "output")
    release = shoal.anonymize(PEOPLE, spec(key=key, privacy="k-anonymity: 1")).write(tmp_path / "release.csv")
    with pytest.raises(InputError, match="A release with pseudonyms cannot be extended"):
        shoal.extend(f"{release}.manifest.json", PEOPLE)


def test_specs_with_pseudonyms_are_compared_without_the_key() -> None:
    table = pa.table({"patient": [*range(9), 0], "age": [1, 1, 1, 2, 2, 2, 3, 3, 3, 3]})
    own = spec(unit="patient")
    found = shoal.compare(table, {"own": own, "other": spec(pseudonyms=[], unit="patient")}, ks=[2, 3])
    assert [point.levels for point in found.points[:2]] == [point.levels for point in found.points[2:]]


def test_utility_and_risk_of_a_release_with_pseudonyms(tmp_path: Path) -> None:
    key, _ = make_keys(tmp_path / "project.pem")
    table = pa.table({"patient": list(range(8)), "age": [1, 1, 1, 2, 2, 2, 3, 3]})
    release = shoal.anonymize(table, spec(unit="patient", key=key))
    assert "patient" not in str(release.utility().to_mapping())
    assert release.risk().after.people == 8


def test_a_release_with_pseudonyms_is_applied_with_the_key(tmp_path: Path) -> None:
    key, _ = make_keys(tmp_path / "project.pem")
    release = shoal.anonymize(PEOPLE, spec(key=key))
    path = release.write(tmp_path / "release.csv")
    tokens = sorted(release.table["patient"].to_pylist())
    for found in (release.apply(PEOPLE), shoal.apply(path, PEOPLE, key=key)):
        assert sorted(found.table["patient"].to_pylist()) == tokens
    with pytest.raises(InputError, match="Pseudonyms need a key"):
        shoal.apply(path, PEOPLE)


def test_a_proposed_identifier_becomes_a_pseudonym() -> None:
    table = pa.table({"age": list(range(20, 60)), "number": [f"P{row:03}" for row in range(40)]})
    found = shoal.suggest(table, unit="none").with_column("number", role="pseudonym")
    assert found.spec.pseudonyms == ("number",)
    assert "It is released as tokens, though identifier was proposed" in " ".join(found.to_yaml().split())
