"""A publisher of its own for each test: what one of them extends is not extended before for the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal import secret


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(secret.HOME, str(tmp_path / "home"))
