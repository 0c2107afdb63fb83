"""How options become a spec."""

from __future__ import annotations

import pytest

from shoal.cli.short_form import adjusted, level_bounds, quasi_identifier
from shoal.describe.spec import QuasiIdentifier, Spec
from shoal.describe.suppress import suppress
from shoal.errors import InputError
from shoal.privacy.k_anonymity import KAnonymity


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


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0", 0), ("12", 12), ("1..3", (1, 3)), ("2..", (2, None)), ("..2", (None, 2)), ("..", (None, None))],
)
def test_levels(text, expected):
    assert level_bounds(text) == expected


@pytest.mark.parametrize("text", ["", "x", "-1", "1.5", "1...3", "1-3", "1..3..5", " 1", "٣"])
def test_what_is_no_level(text):
    with pytest.raises(InputError, match=r"Write NAME=LEVEL, NAME=MIN\.\.MAX"):
        level_bounds(text)


def test_levels_and_weights_replace_those_of_the_spec():
    before = QuasiIdentifier(hierarchy=suppress(), weight=2.0, min_level=1, max_level=1, null="forbid")
    spec = Spec(quasi_identifiers={"a=b": before, "other": before}, privacy=[KAnonymity(2)])
    after = adjusted(spec, levels=["a=b=..0"], weights=["a=b=0.5"]).quasi_identifiers
    assert after["a=b"] == QuasiIdentifier(
        hierarchy=suppress(), weight=0.5, min_level=0, max_level=0, null="forbid"
    )
    assert after["other"] == before
    assert adjusted(spec, levels=[], weights=[]) == spec
