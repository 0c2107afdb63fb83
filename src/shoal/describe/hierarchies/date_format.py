"""How dates are written: ISO 8601, or a format such as `%d.%m.%Y`, as patterns that find their parts.

A pattern names the parts that it finds as the directives are: Y or y, m or b, d, H or I, M, S, p, z.
"""

from __future__ import annotations

import re

from shoal.errors import InputError

ISO = (
    r"^(?P<Y>[0-9]{4})-(?P<m>0[1-9]|1[0-2])-(?P<d>0[1-9]|[12][0-9]|3[01])"
    r"(?:[T ](?P<H>[01][0-9]|2[0-3]):(?P<M>[0-5][0-9])(?::(?P<S>[0-5][0-9]|60)(?:[.,][0-9]+)?)?"
    r"(?P<z>Z|[+-](?:0[0-9]|1[0-9]|2[0-3])(?::?[0-5][0-9])?)?)?$"
)

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_MONTH = (
    "January|February|March|April|May|June|July|August|September|October|November|December|"
    "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
)
_DAY = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Mon|Tue|Wed|Thu|Fri|Sat|Sun"

_DIRECTIVES = {
    "Y": ("Y", "[0-9]{4}"),
    "y": ("y", "[0-9]{2}"),
    "m": ("m", "1[0-2]|0[1-9]|[1-9]"),
    "b": ("b", _MONTH),
    "B": ("b", _MONTH),
    "d": ("d", "3[01]|[12][0-9]|0[1-9]|[1-9]"),
    "a": ("", _DAY),
    "A": ("", _DAY),
    "H": ("H", "2[0-3]|[01][0-9]|[0-9]"),
    "I": ("I", "1[0-2]|0[1-9]|[1-9]"),
    "p": ("p", "AM|PM"),
    "M": ("M", "[0-5][0-9]|[0-9]"),
    "S": ("S", "60|[0-5][0-9]|[0-9]"),
    "f": ("", "[0-9]{1,9}"),
    "z": ("z", r"Z|[+-](?:0[0-9]|1[0-9]|2[0-3])(?::?[0-5][0-9])?"),
}
"""For each directive the part that it is, if it says anything about the day, and how it is written."""

_TOKEN = re.compile(r"%(.?)|\s+|[^%\s]+", re.DOTALL)


def pattern(text: str) -> str:
    """Return the pattern for a format.

    Names of months and days are English. As in Python, a space stands for one or more, and upper and lower
    case are the same.

    Raises
    ------
    InputError
        With everything that is wrong about the format.

    Examples
    --------
    >>> re.match(pattern("%d.%m.%Y"), "16.11.2026").groupdict()
    {'d': '16', 'm': '11', 'Y': '2026'}
    """
    problems, found, pieces = [], set(), []
    for token in _TOKEN.finditer(text):
        directive = token[1]
        if directive is None:
            pieces.append(r"\s+" if token[0].isspace() else re.escape(token[0]))
        elif directive == "%":
            pieces.append("%")
        elif directive not in _DIRECTIVES:
            known = ", ".join(f"%{known}" for known in _DIRECTIVES)
            problems.append(f"The date format {text!r} has {token[0]!r}.\nKnown: {known}, %%.")
        else:
            part, form = _DIRECTIVES[directive]
            if part in found:
                problems.append(f"The date format {text!r} says {token[0]!r} again.\nSay every part once.")
            found.update({part} - {""})
            pieces.append(f"(?P<{part}>{form})" if part else f"(?:{form})")
    if not problems:
        problems = _lacking(text, found)
    if problems:
        raise InputError(problems)
    return f"(?i)^{''.join(pieces)}$"


def parts(text: str) -> set[str]:
    """Return what a pattern can find."""
    return set(re.findall(r"\(\?P<(\w)>", text))


def _lacking(text: str, found: set[str]) -> list[str]:
    problems = []
    if len(found & {"Y", "y"}) != 1:
        problems.append(f"The date format {text!r} must have one of %Y and %y.")
    if {"m", "b"} <= found:
        problems.append(f"The date format {text!r} has the month twice.\nSay every part once.")
    if "d" in found and not found & {"m", "b"}:
        problems.append(f"The date format {text!r} has a day and no month.\nAdd %m or %b.")
    if found & {"H", "I", "z"} and "d" not in found:
        problems.append(f"The date format {text!r} has a time and no day.\nAdd %d.")
    if {"H", "I"} <= found or ("I" in found) != ("p" in found):
        problems.append(f"The date format {text!r} needs %H, or both %I and %p.")
    return problems
