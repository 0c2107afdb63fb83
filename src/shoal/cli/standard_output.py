"""Standard output and error that outlive their readers.

A command has done its work when it prints what came of it. That `head` reads no further, or that nobody reads
at all, is no reason to end it with another exit code, which would say that nothing was written.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any, TextIO

from shoal.errors import OutputError


class _Lasting(io.TextIOWrapper):
    """Text that is written until that fails, and goes nowhere then.

    The failure is an error if what is lost `matters`, but not that a reader of a pipe has left. What is below
    stays Python's own: Ctrl-C between two lines of a writer in Python would print a text twice.
    """

    matters: bool

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError as error:
            self._lose(error)
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self._lose(error)

    def _lose(self, error: OSError) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)
        if self.matters and not isinstance(error, BrokenPipeError):
            raise OutputError(
                "What the command prints cannot be written to standard output.\n"
                f"The system says: {error.strerror or type(error).__name__}.\n"
                "Files that it wrote before are in place. Print to another place."
            ) from error


def keep_printing() -> None:
    """Let commands go on where their output is closed, or nobody reads it any more."""
    sys.stdout = _lasting(sys.stdout, matters=True)
    sys.stderr = _lasting(sys.stderr, matters=False)


def _lasting(stream: TextIO | None, *, matters: bool) -> TextIO:
    if stream is None:  # closed by whoever started the program
        return Path(os.devnull).open("w", encoding="utf-8")
    buffer: Any = getattr(stream, "buffer", None)
    below = getattr(buffer, "raw", buffer)  # with PYTHONUNBUFFERED nothing is between
    if isinstance(stream, _Lasting) or not isinstance(below, io.RawIOBase):
        return stream  # somebody else's
    lasting = _Lasting(
        buffer,
        encoding=stream.encoding,
        errors="backslashreplace",  # labels may be text that the terminal cannot show
        line_buffering=True,
        write_through=buffer is below,
    )
    lasting.matters = matters
    return lasting
