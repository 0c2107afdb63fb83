"""How options become a spec."""

from __future__ import annotations

import pytest

from shoal.cli.short_form import quasi_identifier
from shoal.errors import InputError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sex", ("sex", "suppress")),
        ("zip=prefix", ("zip", "prefix")),
        ("age=intervals:5,10", ("age", "intervals:5,10")),
        ("x=y=prefix:3", ("x=y", "prefix:3")),
        ("prefix=prefix", ("prefix", "prefix")),
        ("a=prefix=suppress", ("a=prefix", "suppress")),
        ("job=file:C:/a=b/job.csv", ("job", "file:C:/a=b/job.csv")),
        ("a: b", ("a: b", "suppress")),
    ],
)
def test_the_column_and_its_hierarchy(text, expected):
    assert quasi_identifier(text) == expected


@pytest.mark.parametrize("text", ["age=intrvals:5", "a=b", "age="])
def test_unknown_hierarchies(text):
    with pytest.raises(InputError, match=f"write --qi '{text}=suppress'"):
        quasi_identifier(text)
