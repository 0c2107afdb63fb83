"""`shoal bench search` and `shoal bench partition`."""

from __future__ import annotations

import csv
import io
import json
import signal
import subprocess
import sys

import pytest
from tests.unit.bench.tiny import Liar, write_tiny

from shoal import registry


@pytest.fixture
def bench(tmp_path_factory, monkeypatch, shoal):
    """Run the command on the tiny benchmark."""
    monkeypatch.setenv("SHOAL_DATA", str(write_tiny(tmp_path_factory.mktemp("data"))))

    def run(*arguments):
        return shoal("bench", "search", "--data", "tiny", *arguments)

    return run


def test_a_table_for_each_question_and_a_line_for_each_algorithm(bench):
    ran = bench("--k", "2,5", "--suppression", "0,0.02")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert [line for line in lines if line.startswith("tiny")] == [
        f"tiny (real), k = {k}, suppression {share}" for k in (2, 5) for share in ("0%", "2%")
    ]
    for name in registry.names("algorithms"):
        assert sum(line.startswith(f"{name} ") and "%" not in line[:60] for line in lines) >= 4
    assert max(map(len, lines)) <= 120


def test_json_is_alone_on_stdout(bench):
    ran = bench("--algorithms", "flash,ola", "--optimizations", "none,all", "--json")
    found = json.loads(ran.out)
    assert (ran.code, ran.err, found["agreed"]) == (0, "", True)
    assert [(run["algorithm"], run["optimizations"]) for run in found["runs"]] == [
        ("box", None),
        ("flash", "none"),
        ("flash", "all"),
        ("ola", "none"),
        ("ola", "all"),
    ]


def test_csv_is_alone_on_stdout(bench):
    ran = bench("--k", "2-4", "--algorithms", "flash", "--repeat", "2", "--csv")
    lines = list(csv.DictReader(io.StringIO(ran.out)))
    assert (ran.code, ran.err) == (0, "")
    assert [(line["k"], line["algorithm"]) for line in lines] == [
        (k, name) for k in "234" for name in ("box", "flash")
    ]
    assert all(int(line["repeats"]) >= 2 for line in lines)


def test_rows_generate(shoal):
    ran = shoal("bench", "search", "--data", "adult", "--rows", 200, "--algorithms", "datafly", "--json")
    assert json.loads(ran.out)["data"]["adult"]["rows"] == 200
    assert json.loads(ran.out)["data"]["adult"]["real"] is False


@pytest.mark.parametrize("output", [(), ("--json",), ("--csv",)])
def test_a_disagreement_is_loud(bench, monkeypatch, output):
    resolve = registry.resolve
    monkeypatch.setattr(
        registry, "resolve", lambda kind, name: Liar if name == "liar" else resolve(kind, name)
    )
    ran = bench("--algorithms", "liar,flash", *output)
    assert ran.code == 4
    assert ran.err.startswith("Error: Exact algorithms disagree, so at least one is wrong.")
    assert "liar" in ran.err
    assert "flash" not in ran.err
    if not output:
        assert "DIFFERS" in ran.out


@pytest.mark.slow
def test_figures_go_into_a_folder(bench, tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.bench.flash_figures.PERMUTATIONS", 2)
    ran = bench("--algorithms", "flash", "--json", "--figures", tmp_path / "new" / "figures")
    assert ran.code == 0
    assert json.loads(ran.out)["agreed"] is True
    assert (tmp_path / "new" / "figures" / "index.html").is_file()
    assert "index.html" in ran.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--data", "adlt"), "Did you mean 'adult'?"),
        (("--algorithms", "flsh"), "Did you mean 'flash'?"),
        (("--quality", "los"), "Did you mean 'loss'?"),
        (("--optimizations", "rolup"), "Did you mean 'rollup'?"),
        (("--k", "0"), "k is a whole number of at least 1"),
        (("--k", "5-2"), "k is a whole number of at least 1"),
        (("--k", "two"), "Found: 'two'."),
        (("--k", ""), "--k needs one or more entries"),
        (("--suppression", "2"), "Suppression must be a share of the rows, from 0 to 1."),
        (("--suppression", "nan"), "Suppression must be a share of the rows, from 0 to 1."),
        (("--suppression", "0,,1"), "--suppression needs one or more entries"),
        (("--repeat", "0"), "--repeat is a whole number of at least 1."),
        (("--data", "adult", "--rows", "0"), "--rows is a whole number of at least 1."),
        (("--rows", "100"), "There is no shape 'tiny'"),
        (("--json", "--csv"), "cannot be used together"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_runs(bench, arguments, told):
    ran = bench(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err


def test_help_teaches(shoal):
    ran = shoal("bench", "search", "--help")
    assert ran.code == 0
    for word in ("--optimizations", "--figures", "Reading the table", "shoal bench search --data adult"):
        assert word in ran.out
    assert "search" in shoal("bench", "--help").out


@pytest.fixture
def no_data(tmp_path, monkeypatch):
    monkeypatch.setenv("SHOAL_DATA", str(tmp_path))


def test_partition_prints_its_numbers_and_what_the_paper_says(no_data, shoal):
    ran = shoal("bench", "partition", "--only", "gains")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[1] == "wage (generated), 3,000 rows, k = 16, beta = 3, t = 0.2"
    assert [line.split()[0] for line in lines[4:8]] == ["value", "beta-likeness", "t-closeness", "incognito"]
    assert {line.split()[2] for line in lines[4:8]} == {"128"}
    assert "Fig. 7 of distributed Incognito" in lines[8]
    assert sum(line.startswith(("holds: ", "does not hold: ")) for line in lines) == 5


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--only", "gain"), "Did you mean 'gains'?"),
        (("--rows", "999"), "--rows is a whole number of at least 1,000.\nFound: 999."),
        (("--figures", "file/figures"), "cannot be written"),
    ],
)
def test_what_partition_cannot_do_is_refused_before_anything_runs(
    arguments, told, shoal, no_data, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    ran = shoal("bench", "partition", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err


def test_without_scikit_learn_no_models_are_trained(monkeypatch, shoal, no_data):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "sklearn" else name)
    ran = shoal("bench", "partition")
    assert (ran.code, ran.out) == (2, "")
    assert "pip install 'shoal[utility]'" in ran.err


def test_help_of_partition_teaches(shoal):
    ran = shoal("bench", "partition", "--help")
    assert ran.code == 0
    for word in (
        "--rows",
        "--only",
        "--figures",
        "phases",
        "gains",
        "Fig. 8",
        "shoal bench partition --only gains",
    ):
        assert word in ran.out
    assert "partition" in shoal("bench", "--help").out


PAUSED = """
import threading
import shoal.search.algorithms.flash as module
from shoal.cli.main import main

def pause(*_, **__):
    print("paused", flush=True)
    threading.Event().wait()

module.Flash.search = pause
main()
"""


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_an_interrupt_shows_what_is_there(tmp_path, monkeypatch):
    monkeypatch.setenv("SHOAL_DATA", str(write_tiny(tmp_path)))
    command = ["bench", "search", "--data", "tiny", "--algorithms", "ola,flash"]
    with subprocess.Popen(
        [sys.executable, "-c", PAUSED, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "paused\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert process.returncode == 130
    assert "\nola " in out
    assert err == "Interrupted; 2 runs of the comparison were finished.\n"
