"""The progress bar: on a terminal only, and only on stderr."""

from __future__ import annotations

import sys

from shoal.cli.progress import progress
from shoal.events import SearchAdvanced, StepFinished, StepStarted, Training


def test_nobody_listens_where_there_is_no_terminal():
    with progress() as listener:
        assert listener is None


def test_nodes_decided_and_the_best_so_far(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with progress() as listener:
        listener(StepStarted("search"))
        listener(SearchAdvanced(nodes=12960, decided=1200, best=None))
        listener(SearchAdvanced(nodes=12960, decided=2400, best=0.25))
        listener(StepFinished("search", 0.1))
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "search" in shown.err
    assert "2,400 of 12,960 nodes decided, best so far 0.25" in shown.err


def test_the_model_that_is_trained(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with progress() as listener:
        listener(StepStarted("learn"))
        listener(Training(done=3, models=15, what="random forest for pay"))
    assert "model 4 of 15: random forest for pay" in capsys.readouterr().err
