"""The one family of errors. Each says what is wrong, what was found and what to do.

Messages name columns, parameters and counts. The values of people's cells stay out of them: a
`Problem` carries them apart, and only `render(show_values=True)` prints them.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, and the cell values that show it (printed only when asked for)."""

    message: str
    values: tuple[str, ...] = ()

    def render(self, *, show_values: bool = False, limit: int = 20) -> str:
        if not (show_values and self.values):
            return self.message
        shown = ", ".join(repr(value) for value in self.values[:limit])
        more = f" and {len(self.values) - limit:,} more" if len(self.values) > limit else ""
        return f"{self.message}\n  Values: {shown}{more}."


class ShoalError(Exception):
    """Whatever Shoal refuses, with all problems of a kind at once."""

    exit_code = 2

    def __init__(self, problems: str | Problem | Iterable[str | Problem]) -> None:
        if isinstance(problems, str | Problem):
            problems = [problems]
        self.problems = tuple(Problem(p) if isinstance(p, str) else p for p in problems)
        super().__init__(self.render())
        # Libraries quote the cells that they stumble over: a traceback shows this message alone.
        self.__suppress_context__ = True

    def render(self, *, show_values: bool = False) -> str:
        return "\n\n".join(problem.render(show_values=show_values) for problem in self.problems)


class InputError(ShoalError, ValueError):
    """The data, the spec or a parameter is not usable as it is."""


class MissingFileError(InputError, FileNotFoundError):
    """A file that was named does not exist or cannot be opened."""


class LinkableError(InputError):
    """Columns that would be released unchanged single people out, and the spec does not accept that."""


class OutputError(ShoalError, OSError):
    """The release cannot be written where it should go."""


class InfeasibleError(ShoalError, ValueError):
    """No release satisfies the requirements; the message names the nearest that does."""

    exit_code = 3


class AuditError(ShoalError, AssertionError):
    """A release does not keep what it claims. Nothing is written."""

    exit_code = 4


def one_line(name: str) -> str:
    r"""Return a name with its line ends as escapes, since a message has a sentence on each line.

    Examples
    --------
    >>> print(one_line("age\nk-anonymity 5  holds"))
    age\nk-anonymity 5  holds
    """
    return name.replace("\n", "\\n")


def nearest(name: str, known: Sequence[str]) -> str:
    """Return `` Did you mean 'zip'?``, or nothing where no known name is near.

    Examples
    --------
    >>> nearest("zipp", ["zip", "age"])
    " Did you mean 'zip'?"
    >>> nearest("unrelated", ["zip", "age"])
    ''
    """
    near = difflib.get_close_matches(name, known, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


class CancelledError(ShoalError):
    """The run was ended from another thread; nothing of it is left."""
