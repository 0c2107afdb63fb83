"""How options become a spec."""

from __future__ import annotations

import pytest

from shoal.cli.short_form import adjusted, level_bounds, named, spec_from
from shoal.describe.hierarchies.suppress import suppress
from shoal.describe.roles import QuasiIdentifier
from shoal.errors import InputError
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.spec.given_roles import column_with_hierarchy
from shoal.spec.spec import Spec


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sex", ("sex", None)),
        ("zip=prefix", ("zip", "prefix")),
        ("age=intervals:5,10", ("age", "intervals:5,10")),
        ("x=y=prefix:3", ("x=y", "prefix:3")),
        ("prefix=prefix", ("prefix", "prefix")),
        ("a=prefix=suppress", ("a=prefix", "suppress")),
        ("job=file:C:/a=b/job.csv", ("job", "file:C:/a=b/job.csv")),
        ("a: b", ("a: b", None)),
    ],
)
def test_the_column_and_its_hierarchy(text, expected):
    assert column_with_hierarchy(text) == expected


@pytest.mark.parametrize("option", ["--qi", "--sensitive"])
@pytest.mark.parametrize("text", ["age=intrvals:5", "a=b", "age="])
def test_unknown_hierarchies(text, option):
    with pytest.raises(InputError, match=f"write {option} '{text}=suppress'"):
        column_with_hierarchy(text, option)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0", 0), ("12", 12), ("1..3", (1, 3)), ("2..", (2, None)), ("..2", (None, 2)), ("..", (None, None))],
)
def test_levels(text, expected):
    assert level_bounds(text) == expected


@pytest.mark.parametrize("text", ["", "x", "-1", "1.5", "1...3", "1-3", "1..3..5", " 1", "٣", "9" * 5000])
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


def short(**changes):
    given = {
        "k": None,
        "privacy": [],
        "quasi_identifiers": ["age"],
        "sensitive": [],
        "identifiers": [],
        "insensitive": [],
        "drop": [],
        "pseudonyms": [],
        "unit": None,
    }
    return spec_from(None, **(given | changes))


def test_models_beside_k_or_instead_of_it():
    diverse = "l-diversity: {column: disease, l: 2}"
    assert short(k=3).privacy == (KAnonymity(3),)
    spec = short(privacy=[diverse, "k-anonymity: 5"], sensitive=["disease=prefix:1", "job"], unit="patient")
    assert spec.privacy == (LDiversity("disease", 2), KAnonymity(5))
    assert spec.unit == "patient"
    assert [column.hierarchy is None for column in spec.sensitive.values()] == [False, True]
    assert short(k=3, privacy=[diverse], sensitive=["disease"]).privacy == (
        KAnonymity(3),
        LDiversity("disease", 2),
    )
    with pytest.raises(InputError, match="--privacy can replace -k"):
        short()


def test_measures_with_settings():
    assert named("loss", "--quality") == "loss"
    assert named("loss: {aggregate: max}", "--quality") == {"loss": {"aggregate": "max"}}
    for text in ("loss: {aggregate", "[a: b]", "a: 1\nb: 2"):
        with pytest.raises(InputError, match="Write NAME"):
            named(text, "--quality")


def test_a_unit_beside_a_spec_takes_the_place_of_its_own(tmp_path):
    path = tmp_path / "spec.yaml"
    text = (
        "columns: {age: {role: quasi-identifier}}\nprivacy: [{k-anonymity: 2}]\nunit: {undecided: [a, b]}\n"
    )
    path.write_text(text, encoding="utf-8")
    beside = {
        "privacy": [],
        "sensitive": [],
        "identifiers": [],
        "insensitive": [],
        "drop": [],
        "pseudonyms": [],
    }
    read = {
        unit: spec_from(path, k=None, quasi_identifiers=[], unit=unit, **beside).unit
        for unit in ("a", "none")
    }
    assert read == {"a": "a", "none": None}
    with pytest.raises(InputError, match="Nobody has decided"):
        spec_from(path, k=None, quasi_identifiers=[], unit=None, **beside)
    with pytest.raises(InputError, match=r"--spec and --qi\.\n.*only --unit"):
        spec_from(path, k=None, quasi_identifiers=["age"], unit="a", **beside)
    assert short(k=3, unit="none").unit is None
