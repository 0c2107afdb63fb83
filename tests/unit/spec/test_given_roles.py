"""Roles that a person gives to columns."""

from __future__ import annotations

import pytest

from shoal.errors import InputError
from shoal.spec.given_roles import given_roles

COLUMNS = ["age", "zip", "diag_1", "diag_2", "a,b", "a=b", "x*"]


def roles(**wanted: list[str] | str) -> dict[str, str]:
    found = given_roles({name.replace("_", "-"): texts for name, texts in wanted.items()}, COLUMNS)
    return {name: one.role.value[0] for name, one in found.items()}


def test_lists_patterns_and_names_that_look_like_these():
    assert roles(sensitive="diag_*", quasi_identifier=["age, zip"]) == {
        "diag_1": "s",
        "diag_2": "s",
        "age": "q",
        "zip": "q",
    }
    assert roles(sensitive=["a,b", "a=b", "x*"]) == {"a,b": "s", "a=b": "s", "x*": "s"}
    assert roles(sensitive=["diag_?", "diag_1"]) == {"diag_1": "s", "diag_2": "s"}


def test_all_problems_at_once():
    with pytest.raises(InputError) as refused:
        roles(
            quasi_identifier=["age=intervals:5", "zp", "lab_*", "age,zip=prefix"],
            sensitive=["age", "zip=prefix", ","],
            senstive=["zip", "age"],
        )
    messages = [problem.message for problem in refused.value.problems]
    assert [message.splitlines()[0] for message in messages] == [
        "No column is 'zp'.",
        "No column matches 'lab_*'.",
        "A hierarchy is for one column or one pattern.",
        "Column 'age' is given two roles.",
        "Only a quasi-identifier can have a hierarchy here.",
        "No column is ','.",
        "'senstive' is not a role.",
    ]
    assert "Did you mean 'zip'?" in messages[0]
    assert "quasi-identifier by 'age=intervals:5', sensitive by 'age'" in messages[3]


def test_two_hierarchies_of_one_column():
    with pytest.raises(InputError, match="two hierarchies"):
        roles(quasi_identifier=["zip=prefix:5", "zip=prefix:3"])
