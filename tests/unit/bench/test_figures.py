"""The papers' figures: what is drawn, from which numbers."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from dataclasses import replace

import pytest

from shoal.bench import flash_figures, published
from shoal.bench.figures import plan
from shoal.bench.gallery import draw, prepare
from shoal.bench.runs import Bench, Setting
from shoal.errors import OutputError

NAMES = [
    "nodes-searched",
    "times-by-columns",
    "optimizations",
    "times-by-k",
    "mean-times",
    "factors",
    "memory",
    "stability",
    "bitmaps",
]


def asked(data="tiny", sizes=(2, 3), shares=(0.0, 0.05)):
    return [
        Setting(data=data, k=k, suppression=suppression, quality="discernability-monotone")
        for k in sizes
        for suppression in shares
    ]


def records(folder, name):
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_all_figures_of_a_tiny_table(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(flash_figures, "PERMUTATIONS", 6)
    bench = Bench()
    gallery = draw(bench, plan(bench, asked()), tmp_path / "figures")
    assert not gallery.problems
    folder = gallery.index.parent
    kinds = [f"tiny-{name}.{kind}" for name in NAMES for kind in ("csv", "png", "svg")]
    assert sorted(path.name for path in folder.iterdir()) == sorted(["index.html", *kinds])

    page = gallery.index.read_text(encoding="utf-8")
    assert re.findall(r'<img src="([^"]+)"', page) == [f"tiny-{name}.svg" for name in NAMES]
    for name in NAMES:
        svg = (folder / f"tiny-{name}.svg").read_text(encoding="utf-8")
        assert "tiny (real), 200 rows" in svg
        assert "Corresponds to" in svg
        assert (folder / f"tiny-{name}.png").read_bytes().startswith(b"\x89PNG")

    counted = records(folder, "tiny-nodes-searched")
    assert {(line["algorithm"], line["columns"]) for line in counted} == {
        (name, count) for name in ("bottom-up", "incognito") for count in "34"
    }
    basic = [line for line in records(folder, "tiny-optimizations") if line["step"] == "basic"]
    assert [float(line["percent"]) for line in basic] == pytest.approx([100] * 3)
    assert {line["k"] for line in records(folder, "tiny-times-by-k")} == set(map(str, range(2, 11)))
    counts = {}
    for line in records(folder, "tiny-stability"):
        counts.setdefault(line["algorithm"], set()).add(line["checks"])
    assert len(counts["flash"]) == len(counts["ola-stable"]) == 1


def test_adult_has_the_published_numbers_beside():
    bench = Bench()
    by_name = {figure.name: figure for figure in plan(bench, asked("adult", (5,), (0.02,)))}
    first = by_name["adult45222-nodes-searched"]
    few = [case for case in first.cases if len(case.setting.columns) <= 4]
    numbers = first.numbers([bench.run(case, once=True) for case in few])
    assert {case.setting.columns for case in few} == {published.ADULT_ORDER[:3], published.ADULT_ORDER[:4]}
    beside = {
        (record["algorithm"], record["columns"]): record["nodes"]
        for record in numbers.records
        if record["from"] == "published"
    }
    assert beside == {
        ("bottom-up", 3): 14,
        ("bottom-up", 4): 47,
        ("incognito", 3): 14,
        ("incognito", 4): 35,
    }
    # Levels as in the bitmap paper: 3, 3, 2 and 4.
    chosen = by_name["adult-bitmaps"].cases[0].setting.columns
    assert sorted(chosen) == ["education", "marital-status", "sex", "workclass"]


def test_a_table_of_another_size_has_nothing_published_beside():
    bench = Bench(rows=300)
    for figure in plan(bench, asked("adult", (5,), (0.02,)))[:1]:
        few = [case for case in figure.cases if len(case.setting.columns) <= 4]
        numbers = figure.numbers([bench.run(case, once=True) for case in few])
        assert {record["from"] for record in numbers.records} == {"our run"}
    factors = next(
        figure for figure in plan(bench, asked("adult", (5,), (0.02,))) if "factors" in figure.name
    )
    runs = [bench.run(case, once=True) for case in factors.cases if case.setting.k == 5]
    assert {record["from"] for record in factors.numbers(runs).records} == {"our run"}


def test_large_lattices_of_many_rows_are_left_to_others(tiny, monkeypatch):
    # Three columns make 18 nodes, four make 36, of 200 rows each.
    monkeypatch.setattr("shoal.bench.incognito_figures.MOST_WORK", 200 * 18)
    figures = {figure.name: figure for figure in plan(Bench(), asked())}
    assert {len(case.setting.columns) for case in figures["tiny-nodes-searched"].cases} == {3}


def test_an_order_that_matters_where_it_must_not_is_told(tiny):
    bench = Bench()
    figure = next(figure for figure in plan(bench, asked()) if figure.name == "tiny-stability")
    runs = [bench.run(case, once=True) for case in figure.cases]
    assert not figure.numbers(runs).problems
    # As if Flash had checked what OLA did, once.
    flash = next(place for place, run in enumerate(runs) if run.case.algorithm.name == "flash")
    wrong = next(run for run in runs if run.counters.checked != runs[flash].counters.checked)
    runs[flash] = replace(runs[flash], result=wrong.result)
    (problem,) = figure.numbers(runs).problems
    assert problem.startswith("flash must not depend on the order of the columns.")


def test_figures_whose_algorithms_are_not_there_are_left_out(tiny, monkeypatch):
    monkeypatch.setattr("shoal.registry.names", lambda kind: ("box", "incognito", "ola"))
    names = [figure.name for figure in plan(Bench(), asked())]
    assert "tiny-bitmaps" not in names
    assert "tiny-factors" not in names
    assert "tiny-times-by-k" in names


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        prepare(tmp_path / "file" / "figures")


@pytest.mark.parametrize("missing", ["altair", "vl_convert"])
def test_without_the_drawing_packages_nothing_runs(missing, tmp_path, monkeypatch, shoal):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == missing else name)
    ran = shoal("bench", "search", "--rows", 100, "--figures", tmp_path / "figures")
    assert ran.code == 2
    assert ran.out == ""
    assert f"Drawing figures needs the package {missing}, which is not installed." in ran.err
    assert "pip install 'shoal[figures]'" in ran.err
    assert not (tmp_path / "figures").exists()


def test_nothing_but_drawing_loads_the_drawing_library():
    code = (
        "import sys, shoal.cli.main, shoal.bench.figures, shoal.bench.gallery, shoal.bench.partition_figures;"
        "heavy = ('altair', 'vl_convert', 'sklearn', 'pyspark');"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
