"""A comparison as a table, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
import json

import pytest
from rich.console import Console

from shoal import registry
from shoal.bench.runs import Bench, Case, Setting, algorithm, cases, compare
from shoal.bench.table import as_csv, as_json, comparison
from tests.unit.bench.tiny import Liar

SETTING = Setting(data="tiny", k=3, suppression=0.02, quality="discernability-monotone")


def printed(bench, rows, width, **options):
    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(comparison(bench.data("tiny"), rows, **options))
    return console.file.getvalue()


@pytest.fixture
def compared(tiny):
    bench = Bench()
    everybody = [algorithm(name) for name in registry.names("algorithms")]
    return bench, list(compare(bench, SETTING, cases(SETTING, everybody)))


@pytest.mark.parametrize("width", [100, 120])
def test_every_algorithm_has_a_line_that_fits(compared, width):
    bench, rows = compared
    lines = printed(bench, rows, width).splitlines()
    assert "tiny (real), k = 3, suppression 2%" in lines[0]
    assert "200 rows, 4 columns, 36 nodes" in lines[1]
    begun = [line.split()[0] for line in lines if line]
    for name in registry.names("algorithms"):
        assert name in begun
    assert "…" not in "".join(lines)
    assert any(line.startswith("samarati ") and line.rstrip().endswith("same*") for line in lines)
    assert any(line.startswith("* samarati optimizes height only") for line in lines)


def test_a_difference_stands_out(tiny):
    bench = Bench()
    rows = list(compare(bench, SETTING, [Case(setting=SETTING, algorithm=Liar())]))
    assert "DIFFERS: " in printed(bench, rows, 120)


def test_optimizations_have_a_column_where_asked(tiny):
    bench = Bench()
    rows = list(compare(bench, SETTING, cases(SETTING, [algorithm("flash")], ["none", "all"])))
    text = printed(bench, rows, 120, optimizations=True)
    assert [line.split()[:2] for line in text.splitlines() if line.startswith("flash")] == [
        ["flash", "none"],
        ["flash", "all"],
    ]


def test_json_and_csv_say_the_same(compared):
    bench, rows = compared
    found = json.loads(as_json([bench.data("tiny")], rows))
    assert found["agreed"] is True
    assert found["data"]["tiny"] == {
        "real": True,
        "rows": 200,
        "columns": ["age", "sex", "zip", "job"],
        "nodes": 36,
    }
    table = list(csv.DictReader(io.StringIO(as_csv(rows))))
    assert [run["algorithm"] for run in found["runs"]] == [run["algorithm"] for run in table]
    for run, line in zip(found["runs"], table, strict=True):
        assert int(line["checked"]) == run["checked"]
        assert float(line["score"]) == run["score"]
        assert list(map(int, line["levels"].split())) == run["levels"]
        assert float(line["seconds"]) > 0


def test_nothing_to_print():
    assert as_csv([]) == ""
    assert json.loads(as_json([], []))["runs"] == []
