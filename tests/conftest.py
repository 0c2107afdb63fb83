"""What all tests share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, settings

# Machines that run the tests are slow now and then; that is no failure.
settings.register_profile("shoal", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shoal")

# Arrow looks for pandas once. Let it find pandas before a command, run in this process, keeps them apart.
pa.scalar(0)


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def shoal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run a command of the command line in this process."""
    from shoal.cli.main import main

    def run(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["shoal", *map(str, arguments)])
        monkeypatch.setenv("COLUMNS", "120")
        with pytest.raises(SystemExit) as ended:
            main()
        return Ran(int(ended.value.code or 0), *capsys.readouterr())

    return run
