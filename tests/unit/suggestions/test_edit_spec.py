"""A spec that exists, with other roles."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from shoal.describe.roles import Role
from shoal.errors import InputError
from shoal.suggestions.edit_spec import edit_spec

TEXT = """\
columns:
  # what neighbours know
  age: {role: quasi-identifier, hierarchy: {intervals: [5, 10]}, weight: 2}
  ward: {role: sensitive, accept: linkable}  # where
privacy: [{k-anonymity: 5}]
unit: {undecided: [a, b]}
"""
PEOPLE = pa.table(
    {
        "age": [20 + n % 50 for n in range(100)],
        "ward": ["a", "b"] * 50,
        "zip": [f"{n % 9 * 1111:05d}" for n in range(100)],
        "name": [f"Anna Smith{n}" for n in range(100)],
    }
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "people.spec.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_only_the_roles_that_change_and_keys_that_they_cannot_have(path):
    edited = edit_spec(
        path, roles={"quasi-identifier": "ward=priority:2", "sensitive": "age"}, unit="none", k=7
    )
    assert edited.text == (
        "columns:\n"
        "  # what neighbours know\n"
        "  age: {role: sensitive}\n"
        "  ward: {role: quasi-identifier, hierarchy: {priority: [2]}}  # where\n"
        "privacy: [{k-anonymity: 7}]\n"
    )
    assert edited.spec is not None
    assert [(one.name, one.before, one.now) for one in edited.roles] == [
        ("ward", Role.SENSITIVE, Role.QUASI_IDENTIFIER),
        ("age", Role.QUASI_IDENTIFIER, Role.SENSITIVE),
    ]


def test_a_question_stays_open_until_somebody_answers_it(path):
    assert edit_spec(path, roles={"insensitive": "ward"}).spec is None
    assert edit_spec(path, roles={"sensitive": "ward"}).text is None
    decided = edit_spec(path, roles={}, unit="ward")
    assert decided.spec is not None
    assert decided.spec.unit == "ward"
    assert decided.spec.identifiers == ("ward",)  # as by `shoal init --unit`
    assert [one.now for one in decided.roles] == [Role.IDENTIFIER]
    kept = edit_spec(path, roles={"sensitive": "ward"}, unit="ward")
    assert kept.spec is not None
    assert "ward" in kept.spec.sensitive
    path.write_text(TEXT.replace("{undecided: [a, b]}", "age"), encoding="utf-8")
    assert edit_spec(path, roles={}, unit="ward").roles == ()  # nobody asked


def test_the_table_gives_hierarchies_and_columns_and_tells_what_is_unsafe(path):
    edited = edit_spec(
        path, roles={"quasi-identifier": ["age", "zi*"], "insensitive": "name"}, unit="none", data=PEOPLE
    )
    assert edited.spec is not None
    assert edited.spec.to_mapping()["columns"]["zip"]["hierarchy"] == {"prefix": 5}
    assert "  age: {role: quasi-identifier, hierarchy: {intervals: [5, 10]}, weight: 2}\n" in edited.text
    assert {one.name: "identifier was proposed" in one.remark for one in edited.roles} == {
        "zip": False,
        "name": True,
    }


def test_all_problems_at_once_and_nothing_else_changes(path):
    with pytest.raises(InputError) as refused:
        edit_spec(path, roles={"drop": "wrd"}, unit="b", k=0, further={"suppression": 2})
    messages = " ".join(problem.message for problem in refused.value.problems)
    assert len(refused.value.problems) == 4
    assert "Did you mean 'ward'?" in messages
    assert "--data TABLE" in messages
    assert "suppression limit" in messages
    with pytest.raises(InputError, match="has no quasi-identifier"):
        edit_spec(path, roles={"drop": "age"})
    assert path.read_text(encoding="utf-8") == TEXT
