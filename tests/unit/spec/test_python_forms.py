"""What somebody who writes a spec in Python may leave out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal import InputError, KAnonymity, Spec

WHOLE = Spec(quasi_identifiers={"age": shoal.intervals(10), "sex": shoal.suppress()}, privacy=[KAnonymity(2)])
AS_IN_YAML = {
    "columns": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10]}},
        "sex": {"role": "quasi-identifier"},
    },
    "privacy": [{"k-anonymity": 2}],
}
PEOPLE = pa.table({"age": [21, 25, 32, 38], "sex": list("FFMM")})


@pytest.mark.parametrize(
    "privacy", [KAnonymity(2), "k-anonymity: 2", {"k-anonymity": 2}, [{"k-anonymity": 2}], {KAnonymity(2)}]
)
@pytest.mark.parametrize("age", ["intervals:10", {"intervals": [10]}])
def test_models_and_hierarchies_as_they_come(privacy: Any, age: Any) -> None:
    assert Spec(quasi_identifiers={"age": age, "sex": "suppress"}, privacy=privacy) == WHOLE


def test_a_list_of_quasi_identifiers_keeps_values_or_stars_them() -> None:
    spec = Spec(quasi_identifiers=["sex"], privacy=KAnonymity(2))
    assert spec == Spec(quasi_identifiers={"sex": "suppress"}, privacy=[KAnonymity(2)])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"quasi_identifiers": "age"}, r"Write quasi_identifiers=\['age'\]"),
        ({"drop": None}, "`drop` must be a list.*Found: None"),
        ({"drop": (name for name in ["age"])}, "'age' has more than one role"),
        ({"privacy": 5}, r"5 is not a privacy model.*Write privacy=\[shoal.KAnonymity\(5\)\]"),
        ({"privacy": KAnonymity}, "is not a privacy model"),
        ({"privacy": "k-anonimity: 5"}, "Did you mean 'k-anonymity'"),
        ({"privacy": []}, "no privacy model"),
        ({"quasi_identifiers": {"age": [10, 20]}}, r"Column 'age': \[10, 20\] is not a hierarchy"),
        ({"quasi_identifiers": {"age": {"interval": [10]}}}, "Column 'age': .*Did you mean 'intervals'"),
    ],
)
def test_what_is_none_says_what_to_write(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=f"(?s){said}"):
        Spec(**{"quasi_identifiers": ["age"], "privacy": KAnonymity(2), **given})


def test_a_spec_is_a_dict_or_a_path_wherever_there_is_one(tmp_path: Path) -> None:
    path = tmp_path / "people.spec.yaml"
    path.write_text(
        "columns:\n  age: {role: quasi-identifier, hierarchy: {intervals: [10]}}\n"
        "  sex: {role: quasi-identifier}\nprivacy: [k-anonymity: 2]\n",
        encoding="utf-8",
    )
    for spec in (WHOLE, AS_IN_YAML, path, str(path)):
        release = shoal.anonymize(PEOPLE, spec)
        assert release.spec == WHOLE
        assert shoal.audit_release(release.table, spec).holds
        assert shoal.assess_risk(PEOPLE, spec=spec).rows == 4
        assert shoal.assess_utility(PEOPLE, release.table, spec, models=False).rows == 4
        with shoal.Session(PEOPLE, spec) as session:
            assert session.search().levels == release.levels
        assert [point.levels for point in shoal.compare(PEOPLE, spec).points] == [release.levels]


def test_what_is_no_spec() -> None:
    with pytest.raises(InputError, match=r"(?s)A spec is .*Found: an object of type 'int'"):
        shoal.anonymize(PEOPLE, 5)  # type: ignore[arg-type]


def test_results_print_as_their_text() -> None:
    release = shoal.anonymize(PEOPLE, WHOLE)
    assert str(release) == release.summary()
    for found in (release.audit, release.risk(), release.utility(models=False), shoal.plan(PEOPLE, WHOLE)):
        assert str(found) == found.render()  # type: ignore[attr-defined]


def test_the_names_of_the_package_are_those_for_users() -> None:
    assert dir(shoal) == sorted([*shoal.__all__, "__version__"])
