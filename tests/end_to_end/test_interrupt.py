"""Ctrl-C: nothing stays, and the exit code says so."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
import typer

import shoal
from shoal.cli.console import reporting

# The command runs as it does for people, but stops for ever at one place, once it has said so.
PAUSED = """
import sys, threading
import {module} as module
from shoal.cli.main import main

def pause(*_, **__):
    print("paused", flush=True)
    threading.Event().wait()

module.{name} = pause
main()
"""


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("shoal.engines.memory", "code_table"),
        ("shoal.engines.memory", "recode"),
        ("shoal.write.audited_file", "audit_release"),
    ],
)
@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_nothing(tmp_path, module, name, told):
    (tmp_path / "people.csv").write_text("sex\nF\nF\n")
    (tmp_path / "out.csv").write_text("old")
    people, out_file, nodes = (str(tmp_path / name) for name in ("people.csv", "out.csv", "nodes.csv"))
    command = ["anonymize", people, "-k", "2", "--qi", "sex", "-o", out_file, "--all-nodes", nodes]
    with subprocess.Popen(
        [sys.executable, "-c", PAUSED.format(module=module, name=name), *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "paused\n"
        process.send_signal(told)
        out, err = process.communicate()
    assert process.returncode == 130
    assert (out, err) == ("", "Interrupted; nothing was written.\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "people.csv"]
    assert (tmp_path / "out.csv").read_text() == "old"


# Ctrl-C comes when the first of the files is in its place, and the others are not.
BETWEEN = """
import signal
from pathlib import Path
from shoal.cli.main import main

replace = Path.replace

def replaced(path, target):
    done = replace(path, target)
    signal.raise_signal(signal.{told})
    return done

Path.replace = replaced
main()
"""


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize("told", ["SIGINT", pytest.param("SIGTERM", marks=pytest.mark.slow)])
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_what_belongs_together_is_not_torn_apart(tmp_path, engine, told):
    """Not a release beside the manifest and the report of another, of which nothing was written."""
    people = tmp_path / "people.csv"
    people.write_text("sex\n" + "F\nM\n" * 3)
    out = tmp_path / "out.csv"
    command = ["anonymize", str(people), "-k", "2", "--qi", "sex", "-o", str(out), "--engine", engine]
    subprocess.run([sys.executable, "-m", "shoal", *command, "--report"], check=True, capture_output=True)
    people.write_text("sex\n" + "F\nM\n" * 4)
    done = subprocess.run(
        [sys.executable, "-c", BETWEEN.format(told=told), *command],
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (130, "Interrupted; the release was written before.\n")
    names = ["out.csv", "out.csv.checker.py", "out.csv.manifest.json", "people.csv"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert all(finding.holds for finding in shoal.audit_release(out).findings)


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_before_anything_is_loaded_there_is_no_traceback():
    code = (
        "import signal, sys, types; from shoal.__main__ import main\n"
        "class Loading:\n"
        "    @staticmethod\n"
        "    def find_spec(name, *_):\n"
        "        if name == 'typer': signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Loading)\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


@pytest.mark.parametrize("cause", [KeyboardInterrupt(), RuntimeError("of a class that was being made")])
def test_an_interrupt_in_an_import_is_one(capsys, cause):
    """Before Python 3.12 it comes as a RuntimeError, if it comes while a class is made."""
    told = isinstance(cause, KeyboardInterrupt)
    with pytest.raises(typer.Exit if told else RuntimeError), reporting():
        raise RuntimeError("Error calling __set_name__") from cause
    assert capsys.readouterr().err == ("Interrupted.\n" if told else "")
