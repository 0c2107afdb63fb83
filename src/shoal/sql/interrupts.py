"""Ctrl-C while DuckDB runs a query."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interrupts() -> Iterator[None]:
    """Raise Ctrl-C as what it is: DuckDB takes it for itself, and reports an error of its own.

    That is an interrupted query, or where it was reading a table of Python's at that moment, one that it
    could not read.
    """
    import duckdb

    try:
        yield
    except (duckdb.InterruptException, duckdb.InvalidInputException, RuntimeError) as error:
        told = "KeyboardInterrupt" if isinstance(error, duckdb.InvalidInputException) else "interrupt"
        if told.lower() in str(error).lower():
            raise KeyboardInterrupt from None
        raise
