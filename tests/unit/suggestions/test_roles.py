"""The role of a column, and why."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.suggestions.roles import propose_role

ROWS = 200
RANDOM = np.random.default_rng(0)
FEW = RANDOM.choice(["a", "b", "c"], ROWS).tolist()
MANY = [f"x{number}" for number in range(ROWS)]
MAILS = [f"p{number}@example.org" for number in range(ROWS)]
SENTENCES = [f"Visit number {number} went well, said her brother." for number in range(ROWS)]


def role(name: str, values: object) -> tuple[str, bool]:
    column = shoal.profile(pa.table({name: values}))[name]
    proposal = propose_role(column)
    return proposal.role.value, proposal.sure


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("contact", MAILS, ("identifier", True)),
        ("remarks", SENTENCES, ("identifier", True)),
        ("kind", ["a sentence that is always one of a few"] * 150 + ["and another one of these here"] * 50,
         ("identifier", False)),
        ("comments", ["a sentence that is one of a few"] * 150 + ["and another one of these here"] * 50,
         ("identifier", True)),
        ("note", [1, 2, 3, 4] * 50, ("quasi-identifier", False)),
        ("id", list(range(ROWS)), ("identifier", True)),
        ("id", [number % 5 for number in range(ROWS)], ("quasi-identifier", False)),
        ("name", MANY, ("identifier", True)),
        ("account_type", FEW, ("quasi-identifier", False)),
        ("photo", [True, False] * 100, ("quasi-identifier", False)),
        ("whatever", MANY, ("identifier", True)),
        ("whatever", [f"{number},50" for number in range(ROWS)], ("quasi-identifier", False)),
        ("whatever", [f"{number},50" for number in range(ROWS - 1)] + ["?"], ("identifier", False)),
        ("whatever", [f"{number + 1},500" for number in range(ROWS)], ("identifier", False)),
        ("whatever", [f"{number % 9 + 1},500" for number in range(ROWS)], ("quasi-identifier", False)),
        ("whatever", [f"{number % 9},5" for number in range(ROWS)], ("quasi-identifier", False)),
        ("Salaire", [f"{number},50" for number in range(ROWS)], ("sensitive", True)),
        ("whatever", [number * 7 for number in range(ROWS)], ("identifier", False)),
        ("whatever", [number % 120 for number in range(ROWS)], ("quasi-identifier", False)),
        ("whatever", [f"x{number % 120}" for number in range(ROWS)], ("identifier", False)),
        ("whatever", [number / 7 for number in range(ROWS)], ("quasi-identifier", False)),
        ("whatever", FEW, ("quasi-identifier", False)),
        ("whatever", ["a"] * ROWS, ("insensitive", True)),
        ("whatever", ["a"] * 199 + [None], ("quasi-identifier", False)),
        ("whatever", [None] * ROWS, ("insensitive", True)),
        ("whatever", [[1]] * ROWS, ("identifier", False)),
        ("diagnosis", ["flu"] * ROWS, ("sensitive", True)),
        ("diagnosis", FEW, ("sensitive", True)),
        ("whatever", ["E11.9", "I10", "J45"] * 66 + ["I10", "I10"], ("sensitive", True)),
        ("whatever", ["2020-01-31", "2020-02-01"] * 100, ("quasi-identifier", True)),
        ("age", list(range(ROWS)), ("quasi-identifier", True)),
        ("language", FEW, ("quasi-identifier", True)),
    ],
)  # fmt: skip
def test_roles(name, values, expected):
    assert role(name, values) == expected


def test_reasons_name_the_law_and_no_value():
    column = shoal.profile(pa.table({"mail": MAILS}))["mail"]
    assert propose_role(column).reason == "e-mail addresses: each identifies one person (HIPAA F)"
