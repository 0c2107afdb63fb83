"""Work that one thread does and another one ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, Thread

from shoal import _kernel
from shoal.errors import CancelledError

_FIRST_WAIT, _LONGEST_WAIT = 0.05, 1.0


class Cancellation:
    """Ends the steps that run under its guard: kernel calls by a signal, queries by what engines register.

    Examples
    --------
    >>> cancellation = Cancellation()
    >>> cancellation.cancel()
    >>> with cancellation.guard():
    ...     print("not reached")
    Traceback (most recent call last):
    shoal.errors.CancelledError: The run was cancelled.
    """

    def __init__(self) -> None:
        self._signal = _kernel.StopSignal()
        self._changed = Condition()
        self._running = 0
        self._hooks: list[Callable[[], None]] = []

    def on_cancel(self, hook: Callable[[], None]) -> None:
        """Have `hook` end what runs in an engine, from another thread, when the work is cancelled."""
        with self._changed:
            self._hooks.append(hook)

    def cancel(self) -> None:
        """End the work, from any thread. It returns at once; the thread that works raises soon after."""
        with self._changed:
            before = self._signal.stopped
            self._signal.stop()
        if not before:
            Thread(target=self._end_queries, name="shoal-cancel", daemon=True).start()

    def _end_queries(self) -> None:
        """Call the hooks until no step runs: a query may begin just after one was ended."""
        wait = _FIRST_WAIT
        while True:
            with self._changed:
                if not self._running:
                    return
                hooks = tuple(self._hooks)
            for hook in hooks:
                hook()
            with self._changed:
                self._changed.wait_for(lambda: not self._running, wait)
            wait = min(2 * wait, _LONGEST_WAIT)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Run a step. Whatever ends it after `cancel` was called ends it as `CancelledError`.

        A step that ended well before it noticed counts as done: what it published is published.
        """
        with self._changed:
            self._running += 1
        try:
            with self._signal:
                self._signal.check()
                yield
        except BaseException:  # DuckDB reports a query that was ended as Ctrl-C
            if self._signal.stopped:
                raise CancelledError("The run was cancelled.") from None
            raise
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()
