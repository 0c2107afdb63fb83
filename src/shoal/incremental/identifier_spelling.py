"""What two spellings of one identifier have in common, so that a person is found again in another file.

Tools write one value in several ways: a number with zeros before it, as a decimal or with an exponent (a
column with a missing number becomes one of decimals, and those of ten digits get an exponent), a date with
the time of midnight, a time with zeros after it or in another zone, a text with signs that nobody sees, with
a typographic apostrophe or dash. None of that makes another person of somebody.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, time
from decimal import Decimal

from shoal.suggestions.null_like import NULL_LIKE

_NUMBER = re.compile(r"[+-]?[0-9]{1,60}(\.[0-9]{0,60})?(e[+-]?[0-9]{1,2})?")
_APOSTROPHES = "\u2018\u2019\u02bc\u2032"
_TIME = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}[ t])?[0-9]{2}:[0-9]{2}\b.{,22}")


def normal(text: str) -> str:
    """Return a value without what two spellings of it differ in; nothing if it stands for a missing one.

    Examples
    --------
    >>> normal("  Ann  SMITH ") == normal("ann smith"), normal("N/A")
    (True, '')
    >>> normal("0012"), normal("12.0"), normal("1.2e+01"), normal("+12.50")
    ('12', '12', '12', '12.5')
    >>> normal("1980-05-01T00:00:00Z"), normal("1980-05-01T08:30+0200"), normal("08:30:00.50")
    ('1980-05-01', '1980-05-01 06:30:00', '08:30:00.500000')
    """
    if not (text.isascii() and text.isprintable()):
        seen = "".join(map(_plain, unicodedata.normalize("NFKC", text)))
        text = unicodedata.normalize("NFKC", seen.casefold())
    text = " ".join(text.casefold().split())
    if text in NULL_LIKE:
        return ""
    # An apostrophe keeps a spreadsheet from computing what follows.
    text = text.removeprefix("'") if len(text) > 1 else text
    if _NUMBER.fullmatch(text):
        whole, _, rest = f"{Decimal(text):f}".partition(".")
        sign, whole, rest = whole[: whole.startswith("-")], whole.lstrip("-0") or "0", rest.rstrip("0")
        number = f"{whole}.{rest}" if rest else whole
        return number if number == "0" else sign + number
    return _time(text) if _TIME.fullmatch(text) else text


def _time(text: str) -> str:
    """Return what may be a time in one form: a date at midnight, in UTC if it has a zone."""
    try:
        if "-" not in text[:5]:
            return time.fromisoformat(text).isoformat()
        moment = datetime.fromisoformat(text.upper())
        if moment.time() == time():
            return moment.date().isoformat()
        return (moment.astimezone(UTC) if moment.tzinfo else moment).replace(tzinfo=None).isoformat(" ")
    except (ValueError, OverflowError):
        return text


def _plain(letter: str) -> str:
    """Return a letter; nothing for one that nobody sees; digits, dashes and apostrophes as those of ASCII."""
    kind = unicodedata.category(letter)
    if kind == "Pd":
        return "-"
    if letter in _APOSTROPHES:
        return "'"
    if kind == "Nd":
        return str(unicodedata.digit(letter))
    return "" if kind in ("Cf", "Cc") and not letter.isspace() else letter
