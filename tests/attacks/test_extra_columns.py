"""A release has a column that nobody declared, or one under another spelling of a name.

The attacker gets a file with a manifest that fits it, hash and all. Beside `age` in intervals it has a second
`age` with exact ages, or `Name` and `ssn` where the manifest says that the identifier `name` was removed.
Both checker and audit counted classes of the declared columns, and said that all holds.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.audit import audit_release
from shoal.describe.lookalike_names import folded
from shoal.errors import InputError
from shoal.invisible_letters import INVISIBLE
from shoal.write import recipient_checker
from tests.attacks.evidence import add_columns, check, refit
from tests.unit.tampering import PEOPLE, manifest_of, spec, write

SIGNS = "\u00ad\u034f\u1160\u17b4\u180b\u200d\u2800\u3164\ufe0f\uffa0\U0001d159\U000e01ef"
"""Letters and marks that are drawn as nothing."""
SPELLINGS = ["age", "Age", " age", "a ge", "AGE\t", "ag\u200be", "\uff41ge", "\ufeffage"]


def declare(name: str, role: str = "insensitive") -> Callable[[dict[str, Any]], None]:
    """Return what puts a column into the spec of a manifest."""

    def change(said: dict[str, Any]) -> None:
        said["spec"]["columns"][name] = {"role": role}
        (claim,) = (claim for claim in said["claims"] if claim["claim"] == "columns present")
        claim["measured"] = "4 of 4"

    return change


def refused(release: Path, *, by: str = "columns present") -> None:
    """Require that the audit and the checker say no."""
    try:
        failing = [finding.claim for finding in audit_release(release).findings if not finding.holds]
        assert by in failing
    except InputError as error:
        assert "repeats column names" in str(error)
    code, said = check(release)
    assert code == 1
    assert f"{by}: FAILS" in said or "cannot be checked" in said


@pytest.mark.parametrize("name", [*SPELLINGS, "ssn"])
def test_a_column_that_nobody_declared(tmp_path: Path, name: str) -> None:
    release = write(tmp_path)
    add_columns(release, **{name: lambda place: str(30 + place)})
    refused(release)


def test_a_column_without_a_name(tmp_path: Path) -> None:
    """As pandas writes the numbers of rows; the checker took it for declared."""
    release = write(tmp_path)
    add_columns(release, **{"": lambda place: f"p{place}"})
    assert release.read_text(encoding="utf-8").startswith("age,sex,disease,\n")
    code, said = check(release)
    assert (code, "columns present: FAILS" in said) == (1, True)
    with pytest.raises(InputError, match="without a name"):
        audit_release(release)


@pytest.mark.parametrize("name", SPELLINGS[1:])
def test_another_spelling_is_no_other_column(tmp_path: Path, name: str) -> None:
    """Also where the manifest declares it, as one that is released as it is."""
    release = write(tmp_path)
    add_columns(release, **{name: lambda place: str(30 + place)})
    refit(release, declare(name))
    refused(release)


@pytest.mark.parametrize("name", ["Name", "NAME ", *(f"na{sign}me" for sign in SIGNS)])
def test_another_spelling_of_an_identifier(tmp_path: Path, name: str) -> None:
    release = write(tmp_path)
    add_columns(release, **{name: lambda place: f"p{place}"})
    refused(release, by="identifiers removed")
    refit(release, declare(name))
    refused(release, by="identifiers removed")


def test_audit_and_checker_know_the_same_invisible_signs() -> None:
    assert recipient_checker.INVISIBLE.pattern == INVISIBLE.pattern
    for sign in SIGNS:
        assert recipient_checker.folded(f"a{sign}ge") == folded(f"a{sign}ge") == "age"
    for name in ("höhe", "年齢", "العمر", "อายุ", "e\u0301ge", "a_ge"):
        assert recipient_checker.folded(name) == folded(name) == unicodedata.normalize("NFKC", name)


def test_a_second_column_of_the_same_name_in_parquet(tmp_path: Path) -> None:
    release = write(tmp_path, name="release.parquet")
    table = pq.read_table(release)
    pq.write_table(pa.table([*table.columns, table["disease"]], names=[*table.column_names, "age"]), release)
    refit(release)
    with pytest.raises(InputError, match="repeats column names"):
        audit_release(release)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_shoal_does_not_write_such_columns(tmp_path: Path, engine: str) -> None:
    duckdb.connect().execute(
        f'COPY (SELECT r % 2 AS age, r AS "Age ", \'p\' || r AS name, r AS "Name" FROM range(8) t(r)) '
        f"TO '{tmp_path / 'people.parquet'}'"
    )
    declared = {"quasi_identifiers": {"age": "suppress"}, "privacy": [shoal.KAnonymity(2)]}
    for others in (
        {"insensitive": ["Age "], "identifiers": ["name", "Name"]},
        {"identifiers": ["name", "Age "], "insensitive": ["Name"]},
    ):
        with pytest.raises(InputError, match="names look the same to readers"):
            shoal.anonymize(tmp_path / "people.parquet", shoal.Spec(**declared, **others), engine=engine)


def test_what_is_kept_undeclared_is_in_the_manifest(tmp_path: Path) -> None:
    people = PEOPLE.append_column("town", pa.array(["Bath"] * 13))
    release = shoal.anonymize(people, spec(), keep_undeclared=True).write(tmp_path / "release.csv")
    assert manifest_of(release)["spec"]["columns"]["town"] == {"role": "insensitive"}
    assert audit_release(release).holds
    assert check(release)[0] == 0


def test_files_of_other_tools(tmp_path: Path, shoal: Any) -> None:
    release = tmp_path / "theirs.csv"
    release.write_text("age,sex,ssn\n30,F,1\n30,F,2\n", encoding="utf-8")
    claims = ("-k", 2, "--qi", "age", "--qi", "sex")
    ran = shoal("audit", release, *claims)
    assert ran.code == 4
    assert "not in the spec: ssn" in ran.out
    assert shoal("audit", release, *claims, "--insensitive", "ssn").code == 0
    assert shoal("audit", release, *claims, "--keep-undeclared").code == 0
    assert shoal("audit", release, *claims, "--keep-undeclared", "--identifier", "SSN").code == 4


def test_a_column_that_was_dropped_comes_back(tmp_path: Path) -> None:
    """It names nobody, so no claim about identifiers covers it."""
    people = PEOPLE.append_column("remarks", pa.array([f"note {number}" for number in range(13)]))
    release = shoal.anonymize(people, spec(drop=["remarks"])).write(tmp_path / "release.csv")
    assert "identifiers removed: holds, 1 of 1" in check(release)[1]
    assert audit_release(release).holds
    add_columns(release, remarks=str)
    refused(release)
