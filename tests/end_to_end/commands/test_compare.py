"""`shoal compare`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

SPEC = """
columns:
  age: {role: quasi-identifier, hierarchy: {intervals: [5, 10, 20]}}
  zip: {role: quasi-identifier, hierarchy: {prefix: 5}}
  sex: {role: quasi-identifier, hierarchy: suppress}
  disease: {role: sensitive}
privacy:
  - k-anonymity: 2
suppression: 0.05
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    examples = Path(__file__).parents[3] / "examples"
    (tmp_path / "people.csv").write_bytes((examples / "people.csv").read_bytes())
    (tmp_path / "clinic.csv").write_bytes((examples / "clinic.csv").read_bytes())
    (tmp_path / "people.spec.yaml").write_text(SPEC, encoding="utf-8")
    diverse = SPEC + "quality: entropy\n"
    (tmp_path / "entropy.yaml").write_text(diverse, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_table_with_the_front_marked(shoal: Callable[..., Any], folder: Path) -> None:
    ran = shoal("compare", "people.csv", "people.spec.yaml", "-k", "2,5,500")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0].split() == [
        "Name",
        "Highest",
        "risk",
        "Average",
        "risk",
        "Loss",
        "Suppressed",
        "Score",
        "Levels",
    ]
    assert lines[1].startswith("*  people k=2 ")
    assert lines[2].startswith("*  people k=5 ")
    assert lines[3].startswith("   people k=500 ")
    assert lines[3].endswith("no release")
    assert "Levels of age, zip, sex." in lines
    assert "people k=500: No release satisfies k-anonymity 500" in ran.out


def test_json_is_what_the_library_finds(shoal: Callable[..., Any], folder: Path) -> None:
    import shoal as library

    ran = shoal(
        "compare", "people.csv", "people.spec.yaml", "entropy.yaml", "-k", "2, 3", "--suppression", "0,0.1",
        "--risk", "highest", "--json",
    )  # fmt: skip
    expected = library.compare(
        "people.csv", ["people.spec.yaml", "entropy.yaml"], ks=[2, 3], suppressions=[0, 0.1], risk="highest"
    )
    assert json.loads(ran.out) == json.loads(json.dumps(expected.to_mapping()))
    assert len(expected.points) == 8


def test_a_measure_for_all(shoal: Callable[..., Any], folder: Path) -> None:
    ran = shoal("compare", "people.csv", "people.spec.yaml", "entropy.yaml", "--quality", "height", "--json")
    assert {point["quality"] for point in json.loads(ran.out)["points"]} == {"height"}


@pytest.mark.parametrize("name", ["curve.svg", "curve.html"])
def test_a_chart(shoal: Callable[..., Any], folder: Path, name: str) -> None:
    ran = shoal("compare", "people.csv", "people.spec.yaml", "-k", "2,5", "--chart", name)
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[-1] == f"Chart: {name}"
    drawn = (folder / name).read_text("utf-8")
    assert "<script" not in drawn
    assert "http" not in drawn.replace("http://www.w3.org/2000/svg", "")
    if name.endswith(".svg"):
        assert ElementTree.fromstring(drawn).tag.endswith("svg")
    else:
        assert drawn.startswith("<!DOCTYPE html>")
        assert "<table>" in drawn


def test_what_is_wrong_is_told_at_once(shoal: Callable[..., Any], folder: Path) -> None:
    (folder / "wrong.yaml").write_text(SPEC.replace("zip:", "zipp:"), encoding="utf-8")
    (folder / "broken.yaml").write_text("columns: 3", encoding="utf-8")
    ran = shoal(
        "compare", "people.csv", "wrong.yaml", "broken.yaml", "-k", "2,x", "--suppression", "2",
        "--chart", "curve.svg",
    )  # fmt: skip
    assert (ran.code, ran.out) == (2, "")
    assert "k-anonymity needs a whole number k of at least 1.\nFound: 'x'." in ran.err
    assert "from 0 to 1.\nFound: 2.0." in ran.err
    assert "broken: broken.yaml" in ran.err
    assert "wrong: Column 'zipp' is not in the table." in ran.err
    assert "Did you mean 'zip'?" in ran.err
    assert not (folder / "curve.svg").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["clinic.csv", "people.spec.yaml"], "Column 'disease' is not in the table."),
        (["nothing.csv", "people.spec.yaml", "entropy.yaml"], "File 'nothing.csv' does not exist."),
        (["people.csv", "nothing.yaml"], "nothing.yaml"),
        (["people.csv", "people.spec.yaml", "-k", ""], "Found: ''."),
        (
            ["people.csv", "people.spec.yaml", "--chart", "curve.png"],
            "The name of a chart must end in .svg or .html.",
        ),
        (["people.csv", "people.spec.yaml", "--risk", "all"], "The risk is 'average' or 'highest'."),
        (["people.csv", "people.spec.yaml", "--quality", "beauty"], "beauty"),
        (["people.csv", "people.spec.yaml", "--seconds", "0"], "more than 0 seconds"),
    ],
)
def test_wrong_use_exits_with_2(
    shoal: Callable[..., Any], folder: Path, arguments: list[str], message: str
) -> None:
    ran = shoal("compare", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_a_chart_does_not_replace_the_table_or_a_spec(shoal: Callable[..., Any], folder: Path) -> None:
    (folder / "spec.svg").write_text(SPEC, encoding="utf-8")
    ran = shoal("compare", "people.csv", "spec.svg", "--chart", "spec.svg")
    assert ran.code == 2
    assert (folder / "spec.svg").read_text("utf-8") == SPEC


def test_help_teaches(shoal: Callable[..., Any]) -> None:
    ran = shoal("compare", "--help")
    assert ran.code == 0
    for words in ("Pareto front", "Choose k from the curve", "Examples", "--suppression"):
        assert words in ran.out


def test_undeclared_columns_and_the_unit(shoal: Callable[..., Any], folder: Path) -> None:
    rows = [f"{row},{row // 4},{20 + row % 40}" for row in range(200)]
    (folder / "visits.csv").write_text("\n".join(["note,person,age", *rows]) + "\n", encoding="utf-8")
    spec = "columns: {age: {role: quasi-identifier}}\nunit: {undecided: [a]}\nprivacy: [{k-anonymity: 5}]\n"
    (folder / "visits.yaml").write_text(spec, encoding="utf-8")
    assert "Nobody has decided" in shoal("compare", "visits.csv", "visits.yaml").err
    ran = shoal("compare", "visits.csv", "visits.yaml", "--unit", "none")
    assert (ran.code, "refused" in ran.out) == (0, False)
    ran = shoal("compare", "visits.csv", "visits.yaml", "--unit", "person", "--keep-undeclared", "--json")
    told = json.loads(ran.out)
    assert "note" in told["notes"][0]
    assert "refused" in told["notes"][0]
