"""Work that one thread does and another one ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

from shoal import _kernel
from shoal.errors import CancelledError


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
        self._lock = Lock()
        self._hooks: list[Callable[[], None]] = []

    def on_cancel(self, hook: Callable[[], None]) -> None:
        """Call `hook` when the work is cancelled; at once, if it was already."""
        with self._lock:
            if not self._signal.stopped:
                self._hooks.append(hook)
                return
        hook()

    def cancel(self) -> None:
        """End the work, from any thread."""
        with self._lock:
            self._signal.stop()
            hooks, self._hooks = self._hooks, []
        for hook in hooks:
            hook()

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Run a step. Whatever ends it after `cancel` was called ends it as `CancelledError`.

        A step that ended well before it noticed counts as done: what it published is published.
        """
        try:
            with self._signal:
                self._signal.check()
                yield
        except KeyboardInterrupt:
            raise
        except BaseException:
            if self._signal.stopped:
                raise CancelledError("The run was cancelled.") from None
            raise
