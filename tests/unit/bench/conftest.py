"""Data that are small enough to be searched by everybody in no time."""

from __future__ import annotations

import pytest

from tests.unit.bench.tiny import write_tiny


@pytest.fixture
def tiny(tmp_path_factory, monkeypatch):
    """Let `tiny` be a benchmark: 200 rows, four columns, 3 x 2 x 3 x 2 nodes."""
    folder = write_tiny(tmp_path_factory.mktemp("data"))
    monkeypatch.setenv("SHOAL_DATA", str(folder))
    return "tiny"
