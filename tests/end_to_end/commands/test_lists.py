"""`shoal models` and `shoal measures`."""

from __future__ import annotations

import json

import pytest
import yaml

from shoal import registry
from shoal.cli.plugins import in_one_line
from shoal.spec.spec import Spec

KINDS = ("models", "measures")
EVERY = [(kind, name) for kind in KINDS for name in registry.names(kind)]


@pytest.mark.parametrize("kind", KINDS)
def test_all_are_listed_with_their_parameters(shoal, kind):
    ran = shoal(kind)
    assert (ran.code, ran.err) == (0, "")
    lines = {line.split()[0]: line for line in ran.out.splitlines() if line}
    for name in registry.names(kind):
        one = registry.resolve(kind, name)
        assert one.summary in lines[name]
        assert ", ".join(one.parameters) in lines[name]


def test_what_models_need_and_when_they_are_monotone(shoal):
    listed = {one["name"]: one for one in json.loads(shoal("models", "--json").out)}
    assert set(listed) == set(registry.names("models"))
    assert listed["k-anonymity"] == {
        "name": "k-anonymity",
        "sensitive_column": False,
        "population": False,
        "compared_with": [],
        "parameters": {"k": "a whole number of at least 1"},
        "spec": [
            {"written": {"k-anonymity": 5}, "monotone_with_suppression": True, "monotone_with_people": True}
        ],
        "summary": "Every class has at least k rows.",
    }


def test_what_measures_are(shoal):
    listed = {one["name"]: one for one in json.loads(shoal("measures", "--json").out)}
    assert set(listed) == set(registry.names("measures"))
    assert listed["loss"]["range"] == "0 to 1"
    assert listed["loss"]["aggregates"] == ["mean", "max", "ranked"]
    assert listed["loss"]["weighted"] is True
    assert listed["height"]["monotone"] is True
    assert listed["height"]["aggregates"] == []
    assert listed["classification"]["spec"] == [{"classification": {"target": "salary"}}]
    assert json.loads(shoal("measures", "loss", "--json").out) == listed["loss"]


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_a_page_teaches(shoal, kind, name):
    ran = shoal(kind, name)
    assert (ran.code, ran.err) == (0, "")
    one = registry.resolve(kind, name)
    assert ran.out.splitlines()[0] == name
    assert ran.out.splitlines()[2] == one.__doc__.splitlines()[0]
    for parameter, words in one.parameters.items():
        assert f"  {parameter}" in ran.out
        assert words in ran.out
    assert ">>>" not in ran.out


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_the_forms_that_a_page_shows_are_specs(shoal, kind, name):
    page = shoal(kind, name).out.split("In a spec\n")[1].split("\n\n")[0]
    assert page
    for line in page.splitlines():
        asked = yaml.safe_load(line)
        columns = {"age": {"role": "quasi-identifier"}}
        columns |= {
            column: {"role": "sensitive", "hierarchy": "suppress"} for column in ("disease", "salary")
        }
        spec = Spec.from_mapping({"columns": columns, "privacy": [{"k-anonymity": 2}], **asked})
        if kind == "measures":
            assert spec.quality.to_spec() == asked["quality"]
        else:
            assert [model.to_spec() for model in spec.privacy] == asked["privacy"]


def test_an_unknown_name_is_refused(shoal):
    ran = shoal("measures", "los")
    assert (ran.code, ran.out) == (2, "")
    assert "Did you mean 'loss'?" in ran.err


def test_lines_of_a_spec():
    assert in_one_line("loss") == "loss"
    assert in_one_line({"a": [1, "x"], "b": None}) == "{a: [1, x], b: null}"
