"""A progress bar on stderr, if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from shoal.cli.terminal import visible
from shoal.events import Counting, Event, Listener, SearchAdvanced, StepStarted, Training


@contextmanager
def progress() -> Iterator[Listener | None]:
    """Give a listener that shows the step, nodes decided, the best score so far and models trained."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    with Progress(
        TextColumn("{task.description:<8}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[found]}", markup=False),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:

        def show(event: Event) -> None:
            if isinstance(event, StepStarted):
                for done in bar.task_ids:
                    bar.remove_task(done)
                bar.add_task(visible(event.step, keep=""), total=None, found="")
            elif isinstance(event, SearchAdvanced):
                best = "" if event.best is None else f", best so far {event.best:.6g}"
                found = f"{event.decided:,} of {event.nodes:,} nodes decided{best}"
                bar.update(bar.task_ids[-1], total=event.nodes, completed=event.decided, found=found)
            elif isinstance(event, Counting):
                bar.update(bar.task_ids[-1], total=None, found=visible(f"counting {event.what}", keep=""))
            elif isinstance(event, Training):
                found = visible(f"model {event.done + 1:,} of {event.models:,}: {event.what}", keep="")
                bar.update(bar.task_ids[-1], total=event.models, completed=event.done, found=found)

        yield show
