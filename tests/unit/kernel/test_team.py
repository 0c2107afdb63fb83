"""Threads of the kernel join, and whatever one of them throws reaches the caller: tests in C++."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
COMPILER = shutil.which(os.environ.get("CXX", "c++"))


@pytest.mark.skipif(
    sys.platform != "linux" or COMPILER is None, reason="replaces functions of Linux, by a compiler"
)
def test_threads_join_and_carry_their_exceptions_home(tmp_path: Path) -> None:
    # No compiler and no program runs on the library of a sanitizer that is loaded here.
    plain = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    program = tmp_path / "team"
    include = HERE.parents[2] / "cpp" / "include"
    command = [COMPILER, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-pthread", f"-I{include}"]
    subprocess.run([*command, HERE / "team.cpp", "-o", program, "-ldl"], check=True, env=plain)
    done = subprocess.run([program], capture_output=True, text=True, env=plain, check=False)
    assert (done.returncode, done.stdout) == (0, "passed\n")
