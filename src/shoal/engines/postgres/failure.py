"""What PostgreSQL refuses, in Shoal's words. Its own quote the values of cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import psycopg

from shoal.errors import InputError, OutputError


@dataclass(frozen=True, slots=True)
class Doing:
    """What is being done while something fails.

    Attributes
    ----------
    failed
        The sentence that says that it failed.
    right
        What to do if the user may not do it.
    error
        The kind of error that it is.
    """

    failed: str
    right: str
    error: type[InputError | OutputError] = InputError

    def explain(self, error: psycopg.Error, *, lost: bool) -> InputError | OutputError:
        """Return what is raised in place of PostgreSQL's error.

        Parameters
        ----------
        lost
            Whether the connection is gone.
        """
        code = error.sqlstate or ""
        if code == "42501":
            found, advice = "The user lacks the permission", self.right
        elif lost and code not in _CAUSES:
            found, advice = _LOST
        else:
            unknown = (
                f"PostgreSQL says {type(error).__name__}",
                "Try the table or the query by itself with psql, which reports more.",
            )
            found, advice = _CAUSES.get(code) or _CAUSES.get(code[:2]) or unknown
        return self.error(f"{self.failed}\n{found}.\n{advice}")


_LOST = (
    "The connection to the server was lost",
    "Nothing was changed there. Check that the server runs, and try again.",
)
_CAUSES: Mapping[str, tuple[str, str]] = {
    "08": _LOST,
    "57P01": (
        "The server ended the connection",
        "Nothing was changed there. Try again, or ask its administrator.",
    ),
    "57P02": ("The server crashed", "Nothing was changed there. Try again when it is back."),
    "57P05": (
        "The server ended the connection, which was idle for too long",
        "Raise idle_session_timeout there.",
    ),
    "25P03": ("The server ended the transaction, which was idle for too long", "Ask its administrator."),
    "25P04": ("The server ended the transaction, which took too long", "Ask its administrator."),
    "57014": (
        "The query was cancelled: by somebody with the right to, or because it took too long",
        "Try again; PGOPTIONS='-c statement_timeout=0' lets it take its time.",
    ),
    "53100": ("The disk of the server is full", "Free some space there, and try again."),
    "53200": ("The server is out of memory", "Try again with PGOPTIONS='-c work_mem=16MB'."),
    "53300": ("The server has no free connection", "Try again later."),
    "53400": ("A limit of the server is reached, such as temp_file_limit", "Ask its administrator."),
    "55P03": ("Another session has locked it", "Try again later."),
    "40P01": ("Another session is changing it", "Try again."),
    "25006": (
        "The server takes no changes: it is a standby, or set to read-only",
        "Give the address of the primary server. Temporary tables are made there, nothing else.",
    ),
    "25P02": ("An earlier statement failed", "Begin again."),
    "42P01": ("There is no table of that name", "Check the names, with their schemas."),
    "42703": ("There is no column of that name", "Check the names."),
    "22": (
        "A value cannot be converted or computed",
        "Try the query by itself with psql, which shows the value.",
    ),
    "2BP01": (
        "Views or other tables depend on the existing one",
        "Drop them first, or choose another name.",
    ),
}
