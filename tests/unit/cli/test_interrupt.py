"""Ctrl-C: nothing stays, and the exit code says so."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

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


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("shoal.engines.memory", "code_table"),
        ("shoal.engines.memory", "recode"),
        ("shoal.write.release", "audit_release"),
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
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (out, err) == ("", "Interrupted; nothing was written.\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "people.csv"]
    assert (tmp_path / "out.csv").read_text() == "old"
