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


class _Lasting(io.RawIOBase):
    """Writes to `below` until that fails, and then nowhere.

    The failure is an error if what is lost `matters`, but not that a reader of a pipe has left.
    """

    def __init__(self, below: io.RawIOBase, *, matters: bool) -> None:
        self._below = below
        self._matters = matters
        self._lost = False

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._below.fileno()

    def isatty(self) -> bool:
        return self._below.isatty()

    def write(self, data: Any) -> int | None:
        if not self._lost:
            try:
                return self._below.write(data)
            except OSError as error:
                self._lost = True
                if self._matters and not isinstance(error, BrokenPipeError):
                    raise OutputError(
                        "What the command prints cannot be written to standard output.\n"
                        f"The system says: {error.strerror or type(error).__name__}.\n"
                        "Files that it wrote before are in place. Print to another place."
                    ) from error
        return memoryview(data).nbytes


def keep_printing() -> None:
    """Let commands go on where their output is closed, or nobody reads it any more."""
    sys.stdout = _lasting(sys.stdout, matters=True)
    sys.stderr = _lasting(sys.stderr, matters=False)


def _lasting(stream: TextIO | None, *, matters: bool) -> TextIO:
    if stream is None:  # closed by whoever started the program
        return Path(os.devnull).open("w", encoding="utf-8")
    buffer = getattr(stream, "buffer", None)
    below = getattr(buffer, "raw", buffer)  # with PYTHONUNBUFFERED nothing is between
    if not isinstance(below, io.RawIOBase):
        return stream  # somebody else's
    return io.TextIOWrapper(
        io.BufferedWriter(_Lasting(below, matters=matters)),
        encoding=stream.encoding,
        errors="backslashreplace",  # labels may be text that the terminal cannot show
        line_buffering=True,
    )
